"""`pytest --callscore-update`: what was called becomes what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = """\
from callscore import Case, evaluation, expect


@evaluation(
    cases=[
        Case("hi", id="a", expected=[expect.call("f", x=1)]),  # a case
        Case("ho", id="b", expected=[expect.call("f", x=2)]),
    ],
)
def assistant(case):
    return [{"name": "f", "arguments": {"x": 2}}]
"""
ANSWERS = """\
{"id": "a", "actual": [{"name": "f", "arguments": {"x": 2}}]}
{"id": "b", "actual": [{"name": "f", "arguments": {"x": 2}}]}
"""
YAML = """\
name: recorded
answers: answers.jsonl
cases:
  # of the first
  - id: a
    input: hi
    expected:
      - name: f    # the tool
        arguments: {x: 1}
  - {id: b, input: ho, expected: [{name: f, arguments: {x: 2}}]}  # of the second
"""
TOML = """\
name = "recorded"
answers = "answers.jsonl"

# of the first
[[cases]]
id = "a"
input = "hi"
expected = [{ name = "f", arguments = { x = 1 } }] # the tool

[[cases]]
id = "b"
input = "ho"
expected = [{ name = "f", arguments = { x = 2 } }]
"""
LINES = """\
{"id": "a", "input": "hi", "expected": [{"name": "f", "arguments": {"x": 1}}]}
{"id": "b", "input": "ho", "expected": [{"name": "f", "arguments": {"x": 2}}]}
"""
JSON = """\
[
  {"id": "a", "input": "hi", "expected": [{"name": "f", "arguments": {"x": 1}}]},
  {"id": "b", "input": "ho", "expected": [{"name": "f", "arguments": {"x": 2}}]}
]
"""


def _assert_changed(pytester: pytest.Pytester, file: Path, after: str, line: int) -> None:
    result = pytester.runpytest("--callscore", "--callscore-update", "-v", file.parent)

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "*[[]b[]] PASSED*",
            "*[[]a[]] UPDATED*",
            "*= callscore: expectations =*",
            "  ~ x: 1 *x: 2",
            f"updated: evals/{file.name}:{line} (*[[]a[]])",
            "*1 passed, 1 updated*",
        ]
    )
    assert file.read_text() == after
    again = pytester.runpytest("--callscore", "--callscore-update", file.parent)
    again.assert_outcomes(passed=2)
    again.stdout.no_fnmatch_line("*expectations*")
    assert file.read_text() == after


def test_a_case_in_python_is_rewritten(pytester: pytest.Pytester) -> None:
    file = pytester.mkdir("evals") / "eval_x.py"
    file.write_text(PYTHON)

    _assert_changed(pytester, file, PYTHON.replace("x=1", "x=2"), 6)


@pytest.mark.parametrize(
    ("name", "text", "after", "line"),
    [
        (
            "eval_x.yaml",
            YAML,
            YAML.replace(
                "      - name: f    # the tool\n        arguments: {x: 1}\n",
                "      - name: f    # the tool\n        arguments: {x: 2}\n",
            ),
            9,
        ),
        ("eval_x.toml", TOML, TOML.replace("{ x = 1 }", "{ x = 2 }"), 8),
    ],
)
def test_a_case_in_a_suite_is_rewritten(
    name: str, text: str, after: str, line: int, pytester: pytest.Pytester
) -> None:
    file = pytester.mkdir("evals") / name
    file.write_text(text)
    (file.parent / "answers.jsonl").write_text(ANSWERS)

    _assert_changed(pytester, file, after, line)


@pytest.mark.parametrize(
    ("name", "text", "line"), [("cases.jsonl", LINES, 1), ("cases.json", JSON, 2)]
)
def test_a_case_in_a_file_of_cases_is_rewritten(
    name: str, text: str, line: int, pytester: pytest.Pytester
) -> None:
    file = pytester.mkdir("evals") / name
    file.write_text(text)
    (file.parent / "eval_x.py").write_text(
        "from callscore import evaluation\n\n"
        f"@evaluation(cases='{name}')\n"
        "def assistant(case): return [{'name': 'f', 'arguments': {'x': 2}}]\n"
    )

    _assert_changed(pytester, file, text.replace('"x": 1', '"x": 2'), line)


ASSERTING = """\
import pytest
from callscore.testing import assert_calls, call

MADE = [{"name": "f", "arguments": {"x": 2}}]

def test_asserted():
    assert_calls([call("f", x=1)], MADE)  # here

@pytest.mark.callscore(expected=[call("f", x=1)])
def test_marked():
    return MADE

def test_right():
    assert_calls([call("f", x=2)], MADE)
"""


@pytest.mark.parametrize("processes", [0, 2])
def test_assertions_and_markers_are_rewritten(processes: int, pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(test_x=ASSERTING)

    options = ["-n", str(processes)] if processes else []
    run = pytester.runpytest_subprocess if processes else pytester.runpytest
    result = run("--callscore-update", *options)

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["updated: test_x.py:7 (test_asserted)", "updated: test_x.py:9 (test_marked)"]
    )
    assert file.read_text() == ASSERTING.replace("x=1", "x=2").rstrip("\n")


def _refused(pytester: pytest.Pytester, why: str, **outcomes: int) -> None:
    before = {path: path.read_text() for path in pytester.path.rglob("*.py")}

    result = pytester.runpytest("--callscore", "--callscore-update")

    result.assert_outcomes(**outcomes)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([why])
    assert {path: path.read_text() for path in before} == before


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (
            "EXPECTED = [call('f')]\ndef test_x():\n    assert_calls(EXPECTED, ['g'])\n",
            "*Not updated: test_x.py: line 6: the expected calls are not written out *",
        ),
        (
            "def test_x():\n    assert_calls([expect.forbid('g')], ['g'])\n",
            "*Not updated: a forbidden tool was called: g.",
        ),
        (
            "@pytest.mark.callscore(expected=[call('f')] * 1)\ndef test_x():\n    return ['g']\n",
            "*Not updated: test_x.py: line 4: the expected calls are not written out *",
        ),
    ],
)
def test_a_test_whose_expectation_cannot_be_rewritten_fails_with_the_reason(
    test: str, why: str, pytester: pytest.Pytester
) -> None:
    head = "import pytest\nfrom callscore import expect\n"
    pytester.makepyfile(test_x=f"{head}from callscore.testing import assert_calls, call\n{test}")

    _refused(pytester, why, failed=1)


SHARING = """
from callscore import Case, evaluation, expect

CASES = [Case("hi", id="a", expected=[expect.call("f")])]

@evaluation(cases=CASES)
def green(case):
    return ["f"]

@evaluation(cases=CASES)
def red(case):
    return ["g"]
"""


@pytest.mark.parametrize("where", ["CASES", "'cases.jsonl'"])
def test_a_place_that_is_right_for_another_evaluation_is_left_alone(
    where: str, pytester: pytest.Pytester
) -> None:
    cases = pytester.path / "cases.jsonl"
    cases.write_text('{"id": "a", "input": "hi", "expected": ["f"]}\n')
    pytester.makepyfile(eval_x=SHARING.replace("cases=CASES", f"cases={where}"))

    _refused(
        pytester,
        "not updated: red[[]a[]]: *are correct in another test or trial.",
        failed=1,
        passed=1,
    )
    assert '["f"]' in cases.read_text()


def test_an_assertion_is_found_whatever_it_is_called(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(
        test_x="""
from callscore import testing as t
from callscore.testing import assert_calls as check, call as C

def test_a():
    check([C("f", x=1)], [("f", {"x": 2})]).f1.hex()

def test_b():
    (t
     .assert_calls)([C("f", x=1)], [("f", {"x": 2})])
"""
    )

    result = pytester.runpytest("--callscore-update")

    assert result.ret == pytest.ExitCode.OK
    assert file.read_text().count('[C("f", x=2)]') == 2
    pytester.runpytest().assert_outcomes(passed=2)


def test_a_case_that_another_scorer_fails_is_not_rewritten(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        eval_x="""
from callscore import Case, evaluation

def strict(case):
    return 0.0

@evaluation(cases=[Case("hi", id="a", expected=[]), Case("ho", id="b")], scorers=["accuracy", strict])
def x(case):
    return []
"""
    )

    _refused(pytester, "Not updated: the case has no expected calls.", failed=2)
    _refused(pytester, "Not updated: the calls are as expected. Another scorer fails.", failed=2)


def test_a_file_outside_of_the_root_is_not_touched(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "cases.jsonl"
    outside.write_text(LINES)
    pytester.makepyfile(
        eval_x=f"""
from callscore import evaluation

@evaluation(cases={str(outside)!r})
def x(case):
    return [{{"name": "f", "arguments": {{"x": 2}}}}]
"""
    )

    _refused(
        pytester,
        "Not updated: *cases.jsonl: the file is outside of *",
        failed=1,
        passed=1,
    )
    assert outside.read_text() == LINES


def test_a_session_that_is_broken_off_writes_nothing(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(
        test_x=ASSERTING + "\n\ndef test_z():\n    raise KeyboardInterrupt\n"
    )
    before = file.read_text()

    result = pytester.runpytest_subprocess("--callscore-update")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["not updated: test_asserted: the session was interrupted."])
    assert file.read_text() == before


RERUNNING = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):  # as pytest-rerunfailures does
    if item.get_closest_marker("twice") is None:
        return None
    for is_last in (False, True):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if report.failed and not is_last:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        item._initrequest()
    return True
"""
RERUN = """
import pytest
from callscore.testing import assert_calls, call
RUNS = []

@pytest.mark.twice
def test_flaky():
    RUNS.append(1)
    assert len(RUNS) == 2
    assert_calls([call("f", x=1)], [("f", {"x": 2})])

@pytest.mark.parametrize("made", [2, 3])
def test_conflict(made):
    assert_calls([call("g", x=1)], [("g", {"x": made})])
"""


def test_tests_that_another_plugin_runs_are_updated(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(RERUNNING)
    file = pytester.makepyfile(test_x=RERUN)

    result = pytester.runpytest_subprocess("--callscore-update", "-n2", "-W", "ignore")

    # With workers, the order of the last two depends on which of them is done first.
    result.stdout.re_match_lines([r".*2 failed, (1 rerun, 1 updated|1 updated, 1 rerun)"])
    assert file.read_text().strip() == RERUN.replace('"f", x=1', '"f", x=2').strip()


def test_an_option_for_evaluations_needs_callscore(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(eval_x=PYTHON)

    for arguments, problem in (
        (["--callscore-update"], "--callscore-update of an evaluation file needs"),
        (["--callscore-update", "eval_x.py::x"], "--callscore-update of an evaluation file"),
        (["--callscore-retries", "2", "eval_x.py"], "--callscore-retries needs"),
    ):
        result = pytester.runpytest(*arguments)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {problem}*pytest --callscore *{arguments[0]}*"])
