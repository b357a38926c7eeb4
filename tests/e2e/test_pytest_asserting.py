"""`assert_calls` and the marker, in pytest as a person runs it."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

RESPONSE = 'RESPONSE = [{"name": "getWeather", "arguments": {"location": "London"}}]'
HEAD = f"""\
import pytest
from callscore.testing import assert_calls, call

{RESPONSE}
"""


def test_a_failure_shows_the_diff_under_the_line_that_asserts(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD
        + """
def test_weather():
    assert_calls([call("getWeather", location="Paris")], RESPONSE)
"""
    )

    result = pytester.runpytest()

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            '>       assert_calls([[]call("getWeather", location="Paris")[]], RESPONSE)',
            "E       AssertionError: Accuracy Score: 0.0% | Correct: 0/1 | Incorrect: 1 |*",
            "E         Expected              Actual",
            "E       ~ getWeather            getWeather",
            'E         ~ location: "Paris"     location: "London"',
            "",
            "*.py:7: AssertionError",
        ],
        consecutive=False,
    )
    assert "asserting.py" not in result.stdout.str()


MARKED = """
@pytest.fixture
def response():
    return RESPONSE

@pytest.mark.callscore(expected=[call("getWeather", location="London")])
def test_right(response):
    return response

@pytest.mark.callscore(expected=[call("getWeather", location="Paris")])
def test_wrong(response):
    return response

@pytest.mark.callscore(expected=[call("getWeather", location="London")])
async def test_right_async(response):
    return response

@pytest.mark.callscore(expected=[call("getWeather", location="Paris")])
async def test_wrong_async(response):
    return response

@pytest.mark.anyio
@pytest.mark.callscore(expected=[call("getWeather", location="Paris")])
async def test_wrong_anyio(response):
    return response

@pytest.fixture
def anyio_backend():
    return "asyncio"

class TestIn:
    @pytest.mark.callscore(expected=[])
    def test_nothing(self):
        return []

@pytest.mark.callscore(expected=[])
def test_unreadable():
    return 17
"""


def test_what_a_marked_test_returns_is_scored(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_x=HEAD + MARKED)

    result = pytester.runpytest("--strict-markers", "-W", "error")

    result.assert_outcomes(passed=3, failed=4)
    assert result.stdout.str().count('~ location: "Paris"     location: "London"') == 3
    result.stdout.fnmatch_lines(
        [
            "InvalidCall: actual: must be a list of calls; got 17.",
            "FAILED test_x.py::test_wrong - Failed: Accuracy Score: 0.0% *",
            "FAILED test_x.py::test_wrong_async - Failed: Accuracy Score: 0.0% *",
            "FAILED test_x.py::test_wrong_anyio - Failed: Accuracy Score: 0.0% *",
            "FAILED test_x.py::test_unreadable - Failed: InvalidCall: actual: *",
        ]
    )
    assert "exception" not in result.stdout.str()
    assert "marking.py" not in result.stdout.str()


def test_the_options_of_a_marker_apply_to_the_assertions_of_its_test(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        HEAD
        + """
PARIS = [call("getWeather", location="Paris")]

def test_without():
    assert_calls(PARIS, RESPONSE)

@pytest.mark.callscore(pass_mark=0.0)
class TestLenient:
    def test_of_the_class(self):
        assert_calls(PARIS, RESPONSE)

    @pytest.mark.callscore(pass_mark=0.5)
    def test_nearer(self):
        assert_calls(PARIS, RESPONSE)

    def test_said(self):
        assert_calls(PARIS, RESPONSE, pass_mark=1.0)
"""
    )

    result = pytester.runpytest("-rf")

    result.assert_outcomes(passed=1, failed=3)


def test_a_junit_report_has_the_numbers_of_marked_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + MARKED)

    pytester.runpytest("--junitxml=report.xml", "-k", "test_right and not async")

    (case,) = ET.parse(pytester.path / "report.xml").iter("testcase")  # noqa: S314  (our own file)
    found = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert found == {"callscore.f1": "1.0", "callscore.precision": "1.0", "callscore.recall": "1.0"}


def test_an_unrelated_run_prints_writes_and_loads_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
import sys

def pytest_unconfigure():
    print("loaded:", sorted(name for name in sys.modules if name.startswith("callscore")))
"""
    )
    pytester.makepyfile(test_x="def test_x(): ...\n\ndef test_y(): assert False\n")
    options = ["-p", "no:cacheprovider", "--strict-markers"]

    with_it = pytester.runpytest_subprocess(*options)
    without = pytester.runpytest_subprocess(*options, "-p", "no:callscore_pytest")

    def said(result: pytest.RunResult) -> list[str]:
        lines = [line for line in result.outlines if not line.startswith(("plugins:", "loaded:"))]
        return [re.sub(r"in \d+\.\d+s", "", line).strip("= ") for line in lines]

    assert said(with_it) == said(without)
    assert with_it.outlines[-1] == "loaded: ['callscore_pytest']"
    of_pytester = ("runpytest", "stdout", "stderr", "__pycache__")
    assert {
        path.name for path in pytester.path.iterdir() if not path.name.startswith(of_pytester)
    } == {"conftest.py", "test_x.py"}


WRONG = """
async def agent():
    return RESPONSE

@pytest.mark.callscore(expected=[])
def test_forgotten():
    RESPONSE

@pytest.mark.callscore(expected=[])
def test_not_awaited():
    return agent()

def test_nothing():
    assert_calls([], None)

@pytest.mark.callscore(pass_mark=1.0)
async def test_inside():
    assert_calls([], agent())
"""


def test_no_answer_is_no_proof_that_nothing_was_called(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_x=HEAD + WRONG)

    result = pytester.runpytest("-W", "error")

    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "the test returned None. Return the response, the messages or the calls, or [[][]] *",
            "InvalidCall: actual: the answer is a coroutine. *",
            "E*InvalidCall: actual: the answer is None. Pass the response, *",
            "E*InvalidCall: actual: the answer is a coroutine. *",
        ]
    )
    assert "hidden" not in result.stdout.str()


@pytest.mark.parametrize(
    ("marker", "why"),
    [
        ("expeted=[]", "callscore marker: unknown option 'expeted'. Did you mean 'expected'?"),
        (
            "mode='nonsense'",
            "callscore marker: mode: unknown value 'nonsense'. Choose from: strict, flexible.",
        ),
        ("settings=1", "callscore marker: settings: expected a callscore.Settings, got 1"),
    ],
)
def test_a_marker_that_says_what_it_cannot_is_an_error(
    marker: str, why: str, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(f"{HEAD}\n@pytest.mark.callscore({marker})\ndef test_x(): ...\n")

    result = pytester.runpytest()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([why])


def test_the_nearest_marker_has_the_last_word(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD
        + """
pytestmark = pytest.mark.callscore(expected=["m"])

def test_of_the_module():
    return ["m"]

@pytest.mark.callscore(expected=["p"])
@pytest.mark.callscore(expected=["f"])
@pytest.mark.parametrize(
    "made", ["f", pytest.param("g", marks=pytest.mark.callscore(expected=["g"]))]
)
def test_of_a_parameter(made):
    return [made]

@pytest.fixture
def lenient(request):
    request.node.add_marker(pytest.mark.callscore(expected=["h"]))

@pytest.mark.callscore(expected=["f"])
def test_of_a_fixture(lenient):
    return ["h"]

@pytest.mark.callscore(mode="flexible")
class TestSettings:
    @pytest.mark.callscore(preset="outcome", expected=["f"])
    def test_of_a_preset(self):
        return ["f"]
"""
    )

    pytester.runpytest().assert_outcomes(passed=5)


def test_a_marked_test_may_await_and_assert(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD
        + """
@pytest.fixture
def response():
    return RESPONSE

@pytest.mark.callscore(pass_mark=0.0)
async def test_right(response):
    assert_calls(["other"], response)

@pytest.mark.callscore(pass_mark=1.0)
class TestIn:
    async def test_wrong(self, response):
        assert_calls(["other"], response)

async def test_unmarked(): ...
"""
    )

    result = pytester.runpytest("-W", "error")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            '>       assert_calls([[]"other"[]], response)',
            "E       AssertionError: Accuracy Score: 0.0% *",
            "async def functions are not natively supported.",
        ]
    )
    assert "asyncio.run" not in result.stdout.str()


def test_the_plugin_may_be_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_x(): ...")

    named = pytester.runpytest_subprocess("-p", "callscore_pytest")
    without = pytester.runpytest_subprocess("-p", "no:callscore_pytest", "--callscore")

    named.assert_outcomes(passed=1)
    assert without.ret == pytest.ExitCode.USAGE_ERROR


def test_an_answer_that_was_not_read_is_a_warning_at_the_line_that_asserts(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """\
from callscore.testing import assert_calls

ANSWER = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}

def test_nothing_is_called():
    assert_calls([], ANSWER)
"""
    )

    passed, failed = pytester.runpytest("-Wdefault"), pytester.runpytest("-Werror")

    assert (passed.ret, failed.ret) == (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    passed.stdout.fnmatch_lines(
        [
            "*.py:6: UnreadCalls: actual: 'toolcalls' at $.choices[[]0].message looks like a call.*",
            "    assert_calls([[][]], ANSWER)",
        ]
    )
