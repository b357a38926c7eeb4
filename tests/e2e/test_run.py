"""`callscore run`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from tests.e2e.agents import ASSISTANT, add_file, asked
from tests.servers.openai_server import ERROR_429, Reply, openai_server

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.e2e.conftest import Program

# The weather is that of another city, under a threshold that this misses.
WRONG = """
ANSWERS["weather"][0]["arguments"]["location"] = "Lyon"

@evaluation(cases=CASES, tools=[getWeather, calculator], fail_under={"accuracy": 0.9})
async def assistant(case):
    asking(case)
    return ANSWERS[case.id]
"""
RAISING = """
@evaluation(cases=CASES)
def raising(case):
    asking(case)
    if case.id == "sum":
        raise ValueError("the agent is tired")
    return ANSWERS[case.id]
"""
BROKEN = '"""Broken."""\nimport no_such_module\n'


def report_of(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return msgspec.json.decode(ran.stdout, type=dict[str, Any])


@pytest.fixture
def assistant(tmp_path: Path) -> Path:
    return add_file(tmp_path, "evals/eval_assistant.py", ASSISTANT)


def test_evaluations_are_found_and_what_they_come_to_is_shown(
    callscore: Program, assistant: Path
) -> None:
    ran = callscore("run")

    lines = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert lines[0] == "assistant   evals/eval_assistant.py:46"
    assert lines[1].startswith("3 cases, strict, any order, median ")
    assert lines[3:7] == [
        "scorer              mean   passed",
        "tool_called        1.000      3/3",
        "parameters_valid   1.000      3/3",
        "accuracy           1.000      3/3",
    ]
    assert lines[8].split() == ["case", "score", "time"]
    assert [line.split()[:3] for line in lines[9:12]] == [
        ["✓", name, "1.000"] for name in ("weather", "sum", "greeting")
    ]
    assert lines[13] == "All 3 passed"
    assert lines[14].startswith("3 cases in ")
    assert lines[15].startswith("run 20")
    assert assistant.exists()


def test_a_failing_case_is_shown_with_its_diff_and_the_mean_below_fail_under_exits_with_1(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_wrong.py", WRONG)

    ran = callscore("run", "eval_wrong.py")

    assert ran.returncode == 1
    assert ran.stderr == "callscore: assistant: accuracy 0.667, required ≥ 0.900\n"
    assert "accuracy   0.667      2/3    ≥ 0.900" in ran.stdout
    assert "weather   failed\n  0.000 accuracy\n" in ran.stdout
    assert '  ~ location: "Paris"     location: "Lyon"' in ran.stdout
    assert "2 of 3 passed, 1 failed\n" in ran.stdout


def test_a_failing_case_exits_with_1_unless_a_mean_is_required(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_wrong.py", WRONG.replace(', fail_under={"accuracy": 0.9}', ""))

    ran = callscore("run")
    lenient = callscore("run", "--fail-under", "0.6", "--cache")
    gated = callscore("run", "--fail-under", "0.7", "--lang", "ru", "--cache")

    assert (ran.returncode, ran.stderr) == (1, "callscore: assistant: 1 case failed\n")
    assert (lenient.returncode, lenient.stderr) == (0, "")
    assert gated.returncode == 1
    assert gated.stderr == "callscore: assistant: accuracy 0.667, требуется ≥ 0.700\n"
    assert "пройдено 2 из 3, не пройдено 1\n3 случая (из истории 3) за " in gated.stdout


def test_a_forbidden_call_fails_whatever_the_mean_is(callscore: Program, tmp_path: Path) -> None:
    body = """
    @evaluation(cases=[Case("Hi!", id="hi", expected=[expect.forbid("delete_*")])], fail_under={bar})
    def careless(case):
        return [{{"name": "delete_all", "arguments": {{}}}}]
    """
    add_file(tmp_path, "eval_gated.py", body.format(bar={"accuracy": 0.0}))
    add_file(tmp_path, "eval_free.py", body.format(bar=None))

    gated, free = callscore("run", "eval_gated.py"), callscore("run", "eval_free.py")

    assert (gated.returncode, free.returncode) == (1, 1)
    assert gated.stderr == "callscore: careless: forbidden calls were made: delete_all\n"
    assert "hi   failed   1 forbidden call" in free.stdout


def test_an_agent_that_raises_is_an_error_and_no_failure(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_raising.py", RAISING)

    ran = callscore("run")

    assert ran.returncode == 4
    assert ran.stderr == "callscore: raising: no answer for 1 case\n"
    assert "sum   error: raised\n  the task raised ValueError: the agent is tired\n" in ran.stdout
    assert '  raise ValueError("the agent is tired")\n' in ran.stdout
    assert "\n2 of 3 passed, 1 error\n" in ran.stdout


def test_a_broken_file_beside_a_good_one_does_not_keep_it_from_running(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_broken.py", BROKEN)
    add_file(tmp_path, "eval_raising.py", RAISING)
    add_file(tmp_path, "eval_wrong.py", WRONG)

    ran = callscore("run")

    assert ran.returncode == 3  # before 4, before 1
    broken, raising, wrong = ran.stderr.splitlines()
    assert broken.startswith("callscore: eval_broken.py:2: ")
    assert "no_such_module" in broken
    assert raising == "callscore: raising: no answer for 1 case"
    assert wrong == "callscore: assistant: accuracy 0.667, required ≥ 0.900"
    assert "eval_broken.py:2   cannot be used\n" in ran.stdout
    assert "weather   failed   assistant\n" in ran.stdout
    assert "4 of 6 passed, 1 failed, 1 error\n" in ran.stdout


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (".", "callscore: .: no evaluations found. Expected files named eval_*.py, eval_*.yaml, "),
        ("nowhere", "callscore: nowhere: file or folder not found."),
        ("notes.txt", "callscore: notes.txt: expected a .py, .yaml or .toml file, got .txt."),
    ],
)
def test_where_there_are_no_evaluations_it_says_so_and_keeps_nothing(
    callscore: Program, tmp_path: Path, path: str, problem: str
) -> None:
    (tmp_path / "notes.txt").write_text("Nothing here.")

    ran = callscore("run", path)

    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith(problem)
    assert not (tmp_path / ".callscore").exists()


@pytest.mark.usefixtures("assistant")
@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["-k", "weather or sum"], ["weather", "sum"]),
        (["-k", "assistant and not sum"], ["weather", "greeting"]),
        (["--tag", "short"], ["greeting"]),
        (["--tag", "short", "--tag", "smoke", "--limit", "1"], ["weather"]),
        (["--limit", "2", "--trials", "2"], ["weather", "weather", "sum", "sum"]),
    ],
)
def test_what_is_asked_can_be_selected(
    callscore: Program, tmp_path: Path, options: list[str], cases: list[str]
) -> None:
    ran = callscore("run", *options, "--jobs", "1")

    assert ran.returncode == 0
    assert asked(tmp_path) == cases


@pytest.mark.usefixtures("assistant")
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-k", "a and"], "callscore: "),
        (["--rate", "fast"], "expected a rate such as '10/s', '500/m' or '1000/h', got 'fast'."),
        (["--jobs", "0"], "Invalid value for '-j' / '--jobs'"),
        (["--fail-under", "2"], "Invalid value for '--fail-under'"),
        (["--resume"], "callscore: no unfinished run of '.'"),
        (["--watch", "--resume"], "--watch and --resume exclude each other."),
        (["-o", "."], "Cannot write .: it is a directory."),
    ],
)
def test_wrong_usage_exits_with_2_and_asks_nothing(
    callscore: Program, tmp_path: Path, options: list[str], problem: str
) -> None:
    ran = callscore("run", *options)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert problem in ran.stderr
    assert asked(tmp_path) == []


def test_cases_asked_several_times_show_how_often_they_pass(
    callscore: Program, tmp_path: Path
) -> None:
    body = """
    @evaluation(cases=CASES)
    def moody(case):
        asking(case)
        times = Path("asked.log").read_text().split().count(case.id)
        return ANSWERS[case.id] if case.id != "sum" or times % 2 else []
    """
    add_file(tmp_path, "eval_moody.py", body)

    ran = callscore("run", "--trials", "4", "--jobs", "1", "--max-shown", "1")

    assert ran.returncode == 1
    assert "3 cases, 12 trials, strict, any order, median " in ran.stdout
    assert "           k=1     k=2     k=3     k=4\npass@k   0.833   0.944   1.000" in ran.stdout
    assert "! 1 flaky case (sum 2/4)" in ran.stdout
    assert "sum #2   failed   2/4 passed\n" in ran.stdout
    assert "sum #4" not in ran.stdout  # once is enough


def test_variants_are_compared_in_one_table(callscore: Program, tmp_path: Path) -> None:
    body = """
    @evaluation(cases=CASES, variants={"quick": {"sloppy": True}, "thorough": {"sloppy": False}})
    async def assistant(case, sloppy):
        return [] if sloppy else ANSWERS[case.id]
    """
    add_file(tmp_path, "eval_variants.py", body)

    ran = callscore("run", "--show", "none", "--fail-under", "0.5")

    header, quick, thorough, bar = ran.stdout.splitlines()[3:7]
    assert header.split()[:3] == ["variant", "accuracy", "passed"]
    assert quick.split()[:3] == ["quick", "0.333", "1/3"]
    assert thorough.split()[:3] == ["thorough", "1.000", "3/3"]
    assert bar.split() == ["required", "≥", "0.500"]
    assert ran.stderr == "callscore: assistant [quick]: accuracy 0.333, required ≥ 0.500\n"
    assert "failed\n" not in ran.stdout.replace("2 failed\n", "")


def test_what_failed_the_last_time_can_be_run_alone(callscore: Program, tmp_path: Path) -> None:
    file = add_file(tmp_path, "eval_wrong.py", WRONG)
    add_file(tmp_path, "eval_raising.py", RAISING)
    first = callscore("run", "--last-failed", "--jobs", "1")
    known = len(asked(tmp_path))

    again = callscore("run", "--last-failed", "--jobs", "1")
    file.write_text(file.read_text().replace('= "Lyon"', '= "Paris"'))
    repaired = callscore("run", "--last-failed", "--jobs", "1")
    add_file(tmp_path, "eval_raising.py", RAISING.replace('"sum"', '"nothing"'))
    callscore("run", "--last-failed", "--jobs", "1")
    fine = callscore("run", "--last-failed", "--jobs", "1")

    assert "callscore: there is no earlier run: running all cases\n" in first.stderr
    # What failed; then the two that failed then; then the one that still did; then everything.
    assert asked(tmp_path)[known:] == [
        *["sum", "weather"],
        *["sum", "weather"],
        *["sum"],
        *["weather", "sum", "greeting"] * 2,
    ]
    assert (again.returncode, repaired.returncode, fine.returncode) == (4, 4, 0)
    assert "callscore: no case failed when it last ran: running all cases\n" in fine.stderr


@pytest.mark.usefixtures("assistant")
def test_kept_answers_are_taken_where_just_the_same_was_asked(
    callscore: Program, tmp_path: Path
) -> None:
    callscore("run", "-k", "weather")

    ran = callscore("run", "--cache")
    callscore("run", "-k", "weather")

    assert "3 cases (1 reused) in " in ran.stdout
    assert sorted(asked(tmp_path)) == ["greeting", "sum", "weather", "weather"]


@pytest.mark.usefixtures("assistant")
def test_the_report_can_be_json_in_a_file_whatever_the_evaluations_print(
    callscore: Program, tmp_path: Path
) -> None:
    noisy = ASSISTANT.replace(
        "    asking(case)\n    return",
        '    asking(case)\n    print("thinking")\n    __import__("os").system("echo loudly")\n    return',
    )
    add_file(tmp_path, "evals/eval_assistant.py", noisy)

    ran = callscore("run", "--format", "json", "--limit", "1")
    filed = callscore("run", "--format", "json", "-o", "run.json", "--limit", "1", "--show", "none")

    report = report_of(ran)
    assert report["totals"]["passed"] == 1
    assert [case["id"] for case in report["evaluations"][0]["cases"]] == ["weather"]
    assert (ran.stderr.count("thinking"), ran.stderr.count("loudly")) == (1, 1)
    kept = msgspec.json.decode((tmp_path / "run.json").read_bytes())
    assert (filed.stdout, kept["evaluations"][0]["cases"]) == ("", [])
    assert kept["id"] != report["id"]


def test_the_report_can_be_markdown_or_junit(callscore: Program, tmp_path: Path) -> None:
    add_file(tmp_path, "eval_wrong.py", WRONG)
    add_file(tmp_path, "eval_broken.py", BROKEN)

    markdown = callscore("run", "--format", "markdown")
    junit = callscore("run", "--format", "junit")
    nothing = callscore("run", "eval_broken.py", "--format", "junit")

    assert markdown.stdout.startswith("## 2 of 3 passed, 1 failed\n")
    assert "| `accuracy` | 0.667 | 2/3 | ≥ 0.900 |" in markdown.stdout
    root = ET.fromstring(junit.stdout)  # noqa: S314  (our own text)
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["5", "2", "1"]
    assert [case.get("name") for case in root[0].iterfind("testcase")][:3] == [
        *["weather", "sum", "greeting"]
    ]
    broken = ET.fromstring(nothing.stdout)  # noqa: S314  (likewise)
    assert (nothing.returncode, broken.get("errors")) == (3, "1")


def test_a_model_is_asked_over_http_again_after_an_error_and_with_many_at_once(
    callscore: Program, tmp_path: Path
) -> None:
    def script(body: dict[str, Any], number: int) -> Reply:
        if number == 1:
            return ERROR_429
        city = body["messages"][-1]["content"].split()[-1]
        # Only the first of the two runs is answered.
        return Reply(calls=[("getWeather", {"location": city})], is_hung=number > 4)

    with openai_server(script, together=3) as server:
        (tmp_path / "eval_chat.yaml").write_text(f"""
name: weather
model: {{name: tiny, base_url: "{server.base_url}"}}
tools: [{{name: getWeather, parameters: {{type: object, properties: {{location: {{type: string}}}}}}}}]
cases:
  - {{input: Weather in Oslo, expected: [{{name: getWeather, arguments: {{location: Oslo}}}}]}}
  - {{input: Weather in Rome, expected: [{{name: getWeather, arguments: {{location: Rome}}}}]}}
  - {{input: Weather in Bern, expected: [{{name: getWeather, arguments: {{location: Berlin}}}}]}}
""")
        ran = callscore("run", "--jobs", "3", "--rate", "500", "--retries", "1")
        impatient = callscore("run", "--timeout", "0.01", "--retries", "0")

    assert ran.returncode == 1
    assert "2 of 3 passed, 1 failed\n" in ran.stdout
    assert "4 requests, 60 tokens in, 30 out\n" in ran.stdout
    assert server.most_in_flight == 3
    assert impatient.returncode == 4
    assert "error: timeout\n" in impatient.stdout


def test_a_model_judges_what_no_rule_can_say_and_is_asked_once(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "answers.jsonl").write_text(
        '{"id": "a", "answer": [{"name": "reply", "arguments": {"text": "Of course!"}}]}\n'
    )
    (tmp_path / "eval_polite.yaml").write_text("""
answers: answers.jsonl
cases:
  - {id: a, input: Hi, expected: [{name: reply, arguments: {text: {$judge: is it polite?}}}]}
""")
    verdict = Reply(text='{"verdict": true, "reason": "It is."}')

    with openai_server(lambda *_: verdict) as server:
        url, key = server.base_url, "sk-secret-0123456789"
        unjudged = callscore("run")
        ran = callscore("run", "--judge", "tiny", OPENAI_BASE_URL=url, OPENAI_API_KEY=key)
        options = ["--judge", "tiny", "--pass-mark", "0.9"]
        again = callscore("rescore", *options, OPENAI_BASE_URL=url, OPENAI_API_KEY=key)

    assert unjudged.returncode == 2
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "judge tiny: 1 value, 1 request\n" in ran.stdout
    assert "judge tiny: 1 value, 0 requests\n" in again.stdout
    assert len(server.requests) == 1
    kept = b"".join(file.read_bytes() for file in (tmp_path / ".callscore").iterdir())
    assert b"sk-secret" not in kept + (ran.stdout + ran.stderr + again.stdout).encode()


def test_a_model_without_a_key_is_said_before_anything_is_asked(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "eval_chat.yaml").write_text(
        "model: gpt-4.1-mini\ncases: [{input: Hi, expected: []}]\n"
    )

    ran = callscore("run", OPENAI_API_KEY="")

    assert (ran.returncode, ran.stdout) == (3, "")
    assert "OPENAI_API_KEY" in ran.stderr


def test_a_run_needs_no_history_and_says_that_nothing_is_kept(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_assistant.py", ASSISTANT)
    (tmp_path / ".callscore").write_text("not a folder")

    ran = callscore("run")

    assert ran.returncode == 0
    assert "the history cannot be used; results are saved to a file beside it: " in ran.stderr
    assert len(asked(tmp_path)) == 3


@pytest.mark.parametrize("option", ["--resume", "--last-failed", "--cache"])
def test_what_needs_a_history_is_refused_without_one(
    callscore: Program, tmp_path: Path, option: str
) -> None:
    add_file(tmp_path, "eval_assistant.py", ASSISTANT)
    (tmp_path / ".callscore").write_text("not a folder")

    ran = callscore("run", option)

    assert (ran.returncode, ran.stdout) == (3, "")
    assert ".callscore" in ran.stderr
    assert asked(tmp_path) == []


def test_a_run_that_goes_on_keeps_its_gate(callscore: Program, tmp_path: Path) -> None:
    body = """
    @evaluation(cases=CASES)
    def dying(case):
        asking(case)
        if len(Path("asked.log").read_text().split()) == 2:
            __import__("os")._exit(9)
        return []
    """
    add_file(tmp_path, "eval_dying.py", body)

    callscore("run", "--jobs", "1", "--fail-under", "0.9")
    ran = callscore("run", "--resume")

    assert ran.returncode == 1
    assert "required ≥ 0.900" in ran.stderr


def test_a_factory_in_another_file_does_not_hide_what_has_changed(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "lib.py").write_text(
        "from callscore import Case, evaluation, expect\n"
        "def make(word):\n"
        "    @evaluation(cases=[Case('q', expected=[expect.call('say', text='one')])], name='a')\n"
        "    def a(case):\n"
        "        return [('say', {'text': word})]\n"
        "    return a\n"
    )
    file = tmp_path / "eval_a.py"
    file.write_text("from lib import make\na = make('one')\n")
    first = callscore("run", "--cache")
    file.write_text("from lib import make\na = make('two')\n")
    second = callscore("run", "--cache")

    assert "1/1" in first.stdout
    assert "0/1" in second.stdout
    assert "reused" not in second.stdout


# What is selected, and when a run stops.


@pytest.mark.usefixtures("assistant")
def test_an_empty_selection_is_not_success(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("run", "evals", "-k", "nobody", "--tag", "slow", "--tag", "old")
    listed = callscore("run", "evals", "-k", "nobody", "--collect-only")

    assert (ran.returncode, listed.returncode) == (3, 3)
    selected = "no case matches -k 'nobody' and --tag 'slow' or --tag 'old'."
    assert ran.stderr == f"callscore: evals: nothing to run: {selected}\n"
    assert listed.stderr == "callscore: evals: nothing to run: no case matches -k 'nobody'.\n"
    assert not (tmp_path / "asked.log").exists()


@pytest.mark.usefixtures("assistant")
def test_cases_can_be_listed_without_running_them(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("run", "evals", "--collect-only", "--trials", "2", "-k", "not sum")
    failed = callscore("run", "evals", "--collect-only", "--lf", "--format", "json")
    wrong = [
        callscore("run", "--collect-only", *options)
        for options in (("--resume",), ("--watch",), ("--format", "junit"))
    ]

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        "assistant   evals/eval_assistant.py:46\n  weather\n  greeting\n\n"
        "2 cases, 4 trials selected, nothing was run\n"
    )
    quiet = callscore("run", "evals", "--collect-only", "-q", "-k", "not sum").stdout
    assert quiet == "2 cases selected, nothing was run\n"
    assert msgspec.json.decode(failed.stdout)["cases"] == 3
    assert "there is no earlier run" in failed.stderr
    assert [each.returncode for each in wrong] == [2, 2, 2]
    assert not (tmp_path / ".callscore").exists()


def test_a_run_can_stop_at_the_first_failure_and_be_resumed(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_wrong.py", WRONG.replace(', fail_under={"accuracy": 0.9}', ""))

    ran = callscore("run", "-x", "-q", "--jobs", "1", "--mode", "flexible")
    shown = callscore("show", "--show", "none")
    rest = callscore("run", "--resume", "-q")

    assert ran.returncode == 1
    verdict, *_ = ran.stdout.splitlines()
    assert verdict == "0 of 1 passed, 1 failed, stopped after the first failure: 2 not run"
    go_on = "To continue: callscore run . --resume --jobs 1 -q --mode flexible\n"
    assert ran.stderr.endswith(f"stopped after the first failure. {go_on}")
    assert "interrupted" in shown.stdout
    assert "flexible (≥ 0.8)" in shown.stdout
    assert rest.stdout.startswith("2 of 3 passed, 1 failed\n3 cases (1 reused) in ")
    assert "flexible (≥ 0.8)" in callscore("show", "--show", "none").stdout


def test_a_run_with_an_error_has_the_same_numbers_everywhere(
    callscore: Program, tmp_path: Path
) -> None:
    body = """
    @evaluation(cases=[Case(name, id=name, expected=[("f", {})]) for name in "abcd"])
    def agent(case):
        if case.id == "c":
            raise RuntimeError("tired")
        return [] if case.id == "b" else [("f", {})]
    """
    add_file(tmp_path, "eval_agent.py", body)

    ran = callscore("run")
    callscore("run")
    shown = callscore("show")
    listed = msgspec.json.decode(callscore("history", "--json").stdout)
    compared = msgspec.json.decode(
        callscore("compare", "latest~1", "latest", "--format", "json").stdout
    )

    assert ran.returncode == 4
    for report in (ran.stdout, shown.stdout):
        assert "accuracy   0.500      2/4" in report
        assert "2 of 4 passed, 1 failed, 1 error\n4 cases in " in report
    row = (listed["runs"] if isinstance(listed, dict) else listed)[0]["evaluations"][0]
    assert (row["cases"], row["share"], row["f1"]) == (4, 0.5, 0.5)
    measures = [compared["main"], *compared["others"]]
    assert [(each["measure"], each["before"]) for each in measures] == [
        ("passed", 0.5),
        ("f1", 0.5),
    ]


def test_settings_of_the_command_override_those_of_the_evaluation(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_wrong.py", WRONG.replace("fail_under=", "order='exact', fail_under="))

    ran = callscore("run", "--mode", "flexible", "--argument-match-threshold", "0")
    again = callscore("rescore", "--format", "json")

    assert ran.returncode == 0
    assert "flexible (≥ 0), exact order" in ran.stdout
    settings = msgspec.json.decode(again.stdout)["evaluations"][0]["settings"]
    assert (settings["mode"], settings["order"]) == ("flexible", "exact")


def test_cases_with_the_same_id_are_a_warning(callscore: Program, tmp_path: Path) -> None:
    body = """
    @evaluation(cases=[Case("x", id="a", expected=[]), Case("y", id="a", expected=[])])
    def agent(case):
        return []
    """
    add_file(tmp_path, "eval_agent.py", body)

    assert "! agent: 2 cases have the id 'a'" in callscore("run").stdout
