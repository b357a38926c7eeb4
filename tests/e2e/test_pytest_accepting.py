"""`pytest --callscore-update`: which tests are updated, which fail, and what the session says."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

HEAD = """\
import pytest
from callscore import Case, evaluation, expect
from callscore.testing import assert_calls, call

"""


def _update(pytester: pytest.Pytester, *options: str, processes: int = 0) -> pytest.RunResult:
    whole = ["--callscore", "--callscore-update", *options]
    if processes:
        return pytester.runpytest_subprocess(*whole, "-n", str(processes))
    return pytester.runpytest_inprocess(*whole)


VARIANTS = (
    HEAD
    + """
@evaluation(
    cases=[Case("hi", id="a", expected=[expect.call("f")])],
    variants={"x": {"tool": "g"}, "y": {"tool": "Y"}},
)
def assistant(case, tool):
    return [tool]
"""
)
PARAMETERS = (
    HEAD
    + """
@pytest.mark.parametrize("made", ["g", "h"])
def test_x(made):
    assert_calls([call("f")], [made])
"""
)
LOOP = (
    HEAD
    + """
def test_x():
    for made in ["f", "g"]:
        assert_calls([call("f")], [made])
"""
)


@pytest.mark.parametrize(
    ("text", "tests", "why", "processes"),
    [
        (VARIANTS.replace("Y", "h"), 2, "the actual calls differ between the variants x and y.", 0),
        (VARIANTS.replace("Y", "h"), 2, "the actual calls differ between the variants x and y.", 2),
        (VARIANTS.replace("Y", "f"), 1, "the expected calls are correct for the variant y.", 0),
        (PARAMETERS, 2, "the actual calls differ between tests or trials.", 0),
        (LOOP, 1, "the expected calls are correct in another test or trial.", 0),
    ],
)  # fmt: skip
def test_a_test_whose_expectation_is_not_written_fails_with_the_reason(
    text: str, tests: int, why: str, processes: int, pytester: pytest.Pytester
) -> None:
    file = pytester.path / ("eval_x.py" if text.count("variants=") else "test_x.py")
    file.write_text(text)

    result = _update(pytester, "--junitxml=report.xml", processes=processes)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = result.parseoutcomes()
    assert (outcomes["failed"], "updated" in outcomes) == (tests, False)
    assert result.outlines.count(f"Not updated: {why}") == tests
    result.stdout.fnmatch_lines([f"not updated: *: {why}"])
    (suite,) = ET.parse(pytester.path / "report.xml").iter("testsuite")  # noqa: S314  (our own file)
    assert suite.get("failures") == str(tests)
    assert len(list(suite.iter("failure"))) == tests
    assert len(list(suite.iter("testcase"))) == int(suite.get("tests") or 0)
    assert file.read_text() == text


UPDATED = (
    HEAD
    + """
@pytest.mark.callscore(expected=[call("f")])
async def test_async():
    return ["g"]

@pytest.mark.callscore(expected=[call("g")])
def test_right():
    return ["g"]

def test_asserting():
    assert_calls([call("f")], ["g"])
"""
)


@pytest.mark.parametrize("processes", [0, 2])
def test_a_test_whose_expectation_is_written_counts_as_updated(
    processes: int, pytester: pytest.Pytester
) -> None:
    file = pytester.makepyfile(test_x=UPDATED)

    result = _update(pytester, "-v", "--junitxml=report.xml", processes=processes)

    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes() == {"passed": 1, "updated": 2}
    assert sum("UPDATED" in line for line in result.outlines) == 2
    (suite,) = ET.parse(pytester.path / "report.xml").iter("testsuite")  # noqa: S314  (our own file)
    assert (suite.get("tests"), len(list(suite.iter("testcase")))) == ("3", 3)
    assert '"f"' not in file.read_text()
    again = _update(pytester)
    assert again.parseoutcomes() == {"passed": 3}


def test_a_test_that_should_fail_is_left_alone(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(
        test_x=HEAD
        + """
@pytest.mark.xfail(strict=True)
@pytest.mark.callscore(expected=[call("f")])
def test_marked():
    return ["g"]

@pytest.mark.xfail(reason="not yet")
def test_asserting():
    assert_calls([call("f")], ["g"])

@pytest.fixture
def known(request):
    request.node.add_marker(pytest.mark.xfail(reason="known"))

def test_with_a_fixture(known):
    assert_calls([call("f")], ["g"])
"""
    )
    pytester.makeconftest(
        """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "assistant" in item.name:
            item.add_marker(pytest.mark.xfail)
"""
    )
    pytester.makepyfile(eval_x=VARIANTS.replace("Y", "g"))
    before = file.read_text()

    result = _update(pytester)

    assert result.parseoutcomes() == {"xfailed": 5}
    result.stdout.no_fnmatch_line("*written*")
    assert file.read_text() == before


def test_a_test_that_fails_for_another_reason_changes_nothing(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(
        test_x=HEAD
        + """
def test_x():
    assert_calls([call("f")], ["g"])
    raise ValueError("boom")
"""
    )

    result = _update(pytester)

    assert result.parseoutcomes() == {"failed": 1}
    assert "ValueError: boom" in result.stdout.str()
    assert "updated: " not in result.stdout.str()
    assert 'call("f")' in file.read_text()


def test_the_first_failure_ends_it_and_what_ran_is_written(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(
        test_x=HEAD
        + """
def test_a():
    assert_calls([call("f")], ["g"])

def test_b():
    raise ValueError("boom")

def test_c():
    assert_calls([call("f")], ["g"])
"""
    )

    result = _update(pytester, "-x")

    assert result.parseoutcomes() == {"failed": 1, "updated": 1}
    assert file.read_text().count('call("f")') == 1


def test_of_a_session_that_is_broken_off_all_that_would_be_updated_has_failed(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        test_x=UPDATED + "\n\ndef test_z():\n    raise KeyboardInterrupt\n",
    )

    result = pytester.runpytest_subprocess("--callscore-update")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.parseoutcomes() == {"failed": 2, "passed": 1}
    assert result.outlines.count("Not updated: the session was interrupted.") == 2
