"""`pytest --callscore`: evaluations are collected, one test for each case."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.servers.openai_server import Reply, openai_server

EVALUATION = '''\
"""An agent that knows its answers."""
from callscore import Case, evaluation, expect

ANSWERS = {
    "weather": [{"name": "getWeather", "arguments": {"location": "London"}}],
    "sum": [{"name": "calculator", "arguments": {"a": 1}}],
    "hi": [],
}


@evaluation(
    cases=[
        Case("Weather in Paris?", id="weather", tags=["smoke", "odd tag"],
             expected=[expect.call("getWeather", location="Paris")]),
        Case("1 + 2?", id="sum", expected=[expect.call("calculator", a=1)]),
        Case("Hi!", id="hi", expected=[]),
    ],
    scorers=["tool_called", "accuracy"],
)
async def assistant(case):
    return ANSWERS[case.id]
'''
SUITE = """\
# yaml-language-server: $schema=suite.schema.json
name: recorded
answers: answers.jsonl
scorers: [accuracy]
fail_under: {accuracy: 0.9}
variants: {}
cases:
  - id: one
    input: hi
    expected: [{name: f}]
  - id: two
    input: ho
    expected: []
    skip: not yet
"""


@pytest.fixture
def evals(pytester: pytest.Pytester) -> Path:
    """A folder of evaluations, with a test beside them."""
    folder = pytester.mkdir("evals")
    (folder / "eval_assistant.py").write_text(EVALUATION)
    (folder / "test_beside.py").write_text("def test_beside(): ...\n")
    return folder


def _suite(folder: Path, answer: str = '[{"name": "f", "arguments": {}}]') -> None:
    (folder / "eval_recorded.yaml").write_text(SUITE.replace("variants: {}\n", ""))
    (folder / "answers.jsonl").write_text(f'{{"id": "one", "actual": {answer}}}\n')


def _names(result: pytest.RunResult) -> list[str]:
    return [line.rpartition("::")[2] for line in result.outlines if "::" in line]


def test_without_the_option_nothing_is_collected(pytester: pytest.Pytester, evals: Path) -> None:
    assert _names(pytester.runpytest("--co", "-q", evals)) == ["test_beside"]


def test_there_is_a_test_for_each_case_of_python_and_yaml(
    pytester: pytest.Pytester, evals: Path
) -> None:
    _suite(evals)

    result = pytester.runpytest("--callscore", "--co", "-q", evals)

    assert [line for line in result.outlines if "::" in line] == [
        "evals/eval_assistant.py::assistant[weather]",
        "evals/eval_assistant.py::assistant[sum]",
        "evals/eval_assistant.py::assistant[hi]",
        "evals/eval_recorded.yaml::recorded[one]",
        "evals/eval_recorded.yaml::recorded[two]",
        "evals/test_beside.py::test_beside",
    ]


def test_a_case_fails_with_the_diff_and_there_is_a_table(
    pytester: pytest.Pytester, evals: Path
) -> None:
    _suite(evals)

    result = pytester.runpytest("--callscore", "-rs", evals)

    result.assert_outcomes(passed=4, failed=1, skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*_ assistant[[]weather[]] _*",
            "accuracy 0.000, required ≥ 1.000",
            "1.000 tool_called",
            '  ~ location: "Paris"     location: "London"',
            "*= callscore =*",
            "assistant   evals/eval_assistant.py:11",
            "scorer         mean   passed",
            "tool_called   1.000      3/3",
            "accuracy      0.667      2/3",
            "recorded   evals/eval_recorded.yaml",
            "accuracy   1.000      1/1    ≥ 0.900",
            "! 1 case skipped (two: not yet)",
            "3 of 4 passed, 1 failed, 1 skipped",
            "SKIPPED*: not yet",
        ]
    )


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-k", "assistant and not sum"], ["assistant[weather]", "assistant[hi]"]),
        (["-m", "smoke"], ["assistant[weather]"]),
        (["-k", "odd"], ["assistant[weather]"]),
        (["--deselect", "evals/eval_assistant.py::assistant[hi]", "-k", "assistant"],
         ["assistant[weather]", "assistant[sum]"]),
    ],
)  # fmt: skip
def test_cases_are_selected_as_tests_are(
    options: list[str], names: list[str], pytester: pytest.Pytester, evals: Path
) -> None:
    result = pytester.runpytest("--callscore", "--strict-markers", "--co", "-q", *options, evals)

    assert _names(result) == names


def test_a_file_or_a_case_may_be_named(pytester: pytest.Pytester, evals: Path) -> None:
    _suite(evals)
    (evals / "eval_recorded.yaml").rename(evals / "other.yaml")

    places = ("evals/eval_assistant.py::assistant[hi]", "evals/other.yaml")
    found = pytester.runpytest("--callscore", "--co", "-q", *places)

    assert _names(found) == ["assistant[hi]", "recorded[one]", "recorded[two]"]


def test_the_last_failures_are_repeated_and_the_first_ends_it(
    pytester: pytest.Pytester, evals: Path
) -> None:
    pytester.runpytest("--callscore", evals)

    again = pytester.runpytest("--callscore", "--lf", evals)
    first = pytester.runpytest("--callscore", "-x", evals)

    again.assert_outcomes(failed=1)
    first.assert_outcomes(failed=1)


def test_several_processes_come_to_the_same(pytester: pytest.Pytester, evals: Path) -> None:
    _suite(evals)

    result = pytester.runpytest_subprocess("--callscore", "-n", "2", evals)

    result.assert_outcomes(passed=4, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            '  ~ location: "Paris"     location: "London"',
            "*= callscore =*",
            "accuracy      0.667      2/3",
            "3 of 4 passed, 1 failed, 1 skipped",
        ]
    )


def test_no_answer_is_an_error_and_no_failure(pytester: pytest.Pytester, evals: Path) -> None:
    (evals / "eval_assistant.py").write_text(
        EVALUATION.replace("    return ANSWERS[case.id]", "    return {}[case.id]")
    )
    (evals / "eval_odd.py").write_text(
        """
import sys
from callscore import evaluation

@evaluation(cases=[{"id": "exit"}, {"id": "nothing"}, {"id": "stop"}])
def odd(case):
    if case.id == "exit":
        sys.exit(3)
    if case.id == "stop":
        raise KeyboardInterrupt
    return object()
"""
    )

    result = pytester.runpytest("--callscore", evals)

    result.assert_outcomes(passed=1, errors=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*_ ERROR at setup of assistant[[]weather[]] _*",
            "the task raised KeyError: 'weather'",
            '  File "*eval_assistant.py", line *, in assistant',
            "*_ ERROR at setup of odd[[]exit[]] _*",
            "*the task tried to end the process*",
            "No answers, 6 errors",
        ]
    )


def test_a_file_that_does_not_load_is_an_error_of_collection(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_broken.py").write_text("import callscore\nraise RuntimeError('boom')\n")
    (evals / "eval_empty.yaml").write_text("name: x\nmodell: gpt\n")
    (evals / "eval_cases.py").write_text(
        "from callscore import evaluation\n\n@evaluation(cases='missing.jsonl')\ndef x(case): ...\n"
    )

    result = pytester.runpytest("--callscore", evals)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "*_ ERROR collecting evals/eval_broken.py _*",
            "*boom*",
            "*_ ERROR collecting evals/eval_cases.py _*",
            "*missing.jsonl*",
            "*_ ERROR collecting evals/eval_empty.yaml _*",
            "evals/eval_empty.yaml:*modell*",
            "*3 errors*",
        ]
    )


def test_a_mean_below_fail_under_fails_the_session(pytester: pytest.Pytester, evals: Path) -> None:
    (evals / "eval_assistant.py").write_text(
        EVALUATION.replace(
            'scorers=["tool_called", "accuracy"],',
            "pass_mark=0.0, fail_under={'accuracy': 0.9}, scorers=['accuracy'],",
        )
    )

    result = pytester.runpytest("--callscore", evals)

    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["accuracy   0.667      3/3    ≥ 0.900", "below fail_under: assistant: accuracy"]
    )


def test_variants_and_trials_have_names_of_their_own(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_assistant.py").write_text(
        """
from callscore import evaluation

@evaluation(
    cases=[{"id": "a", "expected": []}],
    variants={"gpt-4.1": {"model": "gpt-4.1"}, "other": {"model": "other"}},
)
def assistant(case, model):
    return [] if model == "other" or case.trial == 1 else ["f"]
"""
    )

    names = pytester.runpytest("--callscore", "--co", "-q", evals)
    result = pytester.runpytest("--callscore", "--callscore-trials", "2", "-v", evals)

    assert _names(names)[:2] == ["assistant[gpt-4.1-a]", "assistant[other-a]"]
    result.stdout.fnmatch_lines(
        [
            "*::assistant[[]gpt-4.1-a#1[]] PASSED*",
            "*::assistant[[]gpt-4.1-a#2[]] FAILED*",
            "*::assistant[[]other-a#2[]] PASSED*",
            "variant   accuracy   passed*",
            "gpt-4.1      0.500      1/2*",
            "other        1.000      2/2*",
            "*1 flaky case (a 1/2)",
        ]
    )


def test_where_some_are_to_be_run_alone_the_others_are_left_out(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_other.py").write_text(
        "from callscore import evaluation\n\n"
        "@evaluation(cases=[{'id': 'a', 'expected': [], 'only': True}, {'id': 'b'}])\n"
        "def other(case): return []\n"
    )

    result = pytester.runpytest("--callscore", "-v", evals)

    result.assert_outcomes(passed=2, deselected=3)
    assert "other[a] PASSED" in result.stdout.str()
    assert "other[b]" not in result.stdout.str()


def test_a_case_that_no_scorer_has_a_number_for_is_skipped(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_assistant.py").write_text(
        "from callscore import evaluation\n\n@evaluation(cases=['Hi!'])\ndef x(case): return []\n"
    )

    result = pytester.runpytest("--callscore", "-rs", evals)

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*no scorer gave a number"])


def test_a_junit_report_has_the_numbers(pytester: pytest.Pytester, evals: Path) -> None:
    pytester.runpytest("--callscore", "--junitxml=report.xml", "-k", "sum or weather", evals)

    weather, _ = ET.parse(pytester.path / "report.xml").iter("testcase")  # noqa: S314  (our own file)
    found = {str(each.get("name")): each.get("value") for each in weather.iter("property")}
    assert float(found.pop("callscore.seconds") or "") >= 0
    assert found == {
        "callscore.evaluation": "assistant",
        "callscore.case": "weather",
        "callscore.f1": "0.0",
        "callscore.precision": "0.0",
        "callscore.recall": "0.0",
        "callscore.scorer.tool_called": "1.0",
        "callscore.scorer.accuracy": "0.0",
    }
    assert weather.find("failure") is not None


def test_an_option_that_makes_no_sense_is_refused(pytester: pytest.Pytester, evals: Path) -> None:
    result = pytester.runpytest("--callscore", "--callscore-timeout", "0", evals)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --callscore-timeout: expected seconds > 0, got 0.0"])


def test_every_option_is_in_the_reference(pytester: pytest.Pytester) -> None:
    page = Path(__file__).parents[2] / "docs/reference/pytest.md"

    options = set(re.findall(r"--callscore[a-z-]*", pytester.runpytest("--help").stdout.str()))

    assert len(options) == 5
    assert {each for each in options if f"`{each}" not in page.read_text()} == set()


def test_ctrl_c_while_an_agent_is_asked_ends_the_session(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_assistant.py").write_text(
        """
import asyncio, os, signal
from callscore import evaluation

@evaluation(cases=[{"id": "a", "expected": []}, {"id": "b", "expected": []}])
async def assistant(case):
    if case.id == "b":
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(600)
    return []
"""
    )

    result = pytester.runpytest_subprocess("--callscore", evals)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*= callscore =*", "1 passed", "*! KeyboardInterrupt !*"])


@pytest.mark.parametrize(
    ("code", "exit_code", "is_async"),
    [(0, pytest.ExitCode.INTERRUPTED, True), (7, 7, False)],
)
def test_an_agent_that_ends_pytest_is_named_and_the_exit_code_is_not_0(
    pytester: pytest.Pytester, evals: Path, code: int, exit_code: int, is_async: bool
) -> None:
    (evals / "eval_assistant.py").write_text(
        f"""
import os
from callscore import evaluation

@evaluation(cases=[{{"id": "a", "expected": []}}, {{"id": "b", "expected": []}}])
{"async " if is_async else ""}def assistant(case):
    if case.id == "b":
        os._exit({code})
    return []
"""
    )

    result = pytester.runpytest_subprocess("--callscore", evals)

    assert result.ret == exit_code
    result.stdout.fnmatch_lines(
        [f"callscore: pytest was ended by os._exit({code}) while answering *::assistant?b?"]
    )


def test_a_copy_of_the_process_may_end_as_it_wants(pytester: pytest.Pytester, evals: Path) -> None:
    (evals / "eval_assistant.py").write_text(
        """
import os
from callscore import evaluation

@evaluation(cases=[{"id": "a", "expected": []}])
def assistant(case):
    copy = os.fork()
    if not copy:
        os._exit(0)
    assert os.waitpid(copy, 0)[1] == 0
    return []
"""
    )

    result = pytester.runpytest_subprocess("--callscore", evals)

    assert result.ret == 0
    result.stdout.no_fnmatch_line("callscore: pytest was ended*")


def test_a_tag_only_selects(pytester: pytest.Pytester, evals: Path) -> None:
    tags = ["skip", "skipif", "xfail", "usefixtures", "parametrize", "filterwarnings", "callscore"]
    (evals / "eval_assistant.py").write_text(
        "from callscore import evaluation\n\n"
        f"@evaluation(cases=[{{'id': 'a', 'expected': [], 'tags': {tags}}}])\n"
        "def x(case): return []\n"
    )

    for tag in tags:
        result = pytester.runpytest("--callscore", "--strict-markers", "-m", tag, evals)
        result.assert_outcomes(passed=1, deselected=1)


def test_an_error_of_pytest_in_a_task_is_an_error_of_the_agent(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_assistant.py").write_text(
        """
import pytest
from callscore import evaluation

@evaluation(cases=[{"id": "fail"}, {"id": "exit"}])
async def later(case):
    pytest.fail("nope") if case.id == "fail" else end()

@evaluation(cases=[{"id": "exit"}])
def plain(case):
    end()

def end():
    raise GeneratorExit
"""
    )

    result = pytester.runpytest("--callscore", evals)

    result.assert_outcomes(passed=1, errors=3)
    result.stdout.fnmatch_lines(["the task raised Failed: nope", "No answers, 3 errors"])
    assert result.outlines.count("the task raised GeneratorExit") == 2
    assert "evaluation_items.py" not in result.stdout.str()
    assert "asyncio" not in result.stdout.str()


def test_who_wants_to_see_the_setup_asks_nobody(pytester: pytest.Pytester, evals: Path) -> None:
    (evals / "eval_assistant.py").write_text(
        EVALUATION.replace("    return", "    open('asked', 'w').close()\n    return")
    )

    for option in ("--setup-plan", "--collect-only"):
        pytester.runpytest("--callscore", option, evals)

    assert not (pytester.path / "asked").exists()


def test_a_file_without_evaluations_is_passed_over_unless_it_is_named(
    pytester: pytest.Pytester, evals: Path
) -> None:
    (evals / "eval_tools.py").write_text("TOOLS = []\n")

    whole = pytester.runpytest("--callscore", "-W", "error", evals)
    named = pytester.runpytest("--callscore", "evals/eval_tools.py")

    note = "! evals/eval_tools.py: no evaluations found; the file is ignored"
    whole.assert_outcomes(passed=3, failed=1)
    assert whole.outlines.count(note) == 1
    assert named.ret == pytest.ExitCode.INTERRUPTED
    named.stdout.fnmatch_lines(["evals/eval_tools.py: no evaluations found. Decorate *"])


JUDGED = """
from callscore import Case, evaluation, expect

def answer(case): return [("reply", {"text": "Hello!"})]

kind = Case("hi", id="a", expected=[expect.call("reply", text=expect.judge("Is it kind?"))])
first = evaluation(cases=[kind], name="first")(answer)
second = evaluation(cases=[kind], name="second")(answer)
"""


def test_the_judge_of_the_project_is_asked_once(pytester: pytest.Pytester, evals: Path) -> None:
    (evals / "eval_assistant.py").write_text(JUDGED)
    pytester.mkdir(".callscore")

    def verdict(_: object, __: int) -> Reply:
        return Reply(text='{"verdict": true, "reason": "It is."}')

    with openai_server(verdict) as server:
        url = f'judge = {{ name = "m", base_url = "{server.base_url}" }}\n'
        (pytester.path / "callscore.toml").write_text(url)
        result, again = [pytester.runpytest_subprocess("--callscore", evals) for _ in range(2)]
        asked = len(server.requests)

    result.assert_outcomes(passed=3)
    again.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["judge m: 1 value, 1 request"])
    assert asked == 1


def test_settings_of_the_project_that_make_no_sense_are_refused(
    pytester: pytest.Pytester, evals: Path
) -> None:
    config = pytester.path / "callscore.toml"

    config.write_text("judge = 1\n")
    unreadable = pytester.runpytest("--callscore", evals)
    config.write_text('judge = { name = "m", base_url = "nonsense" }\n')
    wrong = pytester.runpytest("--callscore", evals)

    assert unreadable.ret == wrong.ret == pytest.ExitCode.USAGE_ERROR
    unreadable.stderr.fnmatch_lines(["ERROR: *callscore.toml: judge: *"])
    wrong.stderr.fnmatch_lines(["ERROR: *nonsense*"])


def test_no_secret_is_in_the_name_or_the_properties_of_a_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "a-secret-of-mine"  # noqa: S105  (not a real one)
    monkeypatch.setenv("MY_TOKEN", secret)
    pytester.makepyfile(
        eval_agent="from callscore import Case, evaluation\n"
        f"@evaluation(cases=[Case(id=f'{{n}}-{secret}', expected=['f']) for n in 'ab'],"
        f" name='agent of {secret}')\n"
        "def agent(case):\n"
        "    return []\n"
    )

    result = pytester.runpytest("--callscore", "-rA", "-v", "--junitxml=report.xml")
    chosen = pytester.runpytest("--callscore", "-k", f"b-{secret}", "--co", "-q")

    result.assert_outcomes(failed=2)
    assert "agent of [hidden MY_TOKEN][a-[hidden MY_TOKEN]]" in result.stdout.str()
    assert secret not in result.stdout.str() + (pytester.path / "report.xml").read_text()
    assert _names(chosen) == ["agent of [hidden MY_TOKEN][b-[hidden MY_TOKEN]]"]
