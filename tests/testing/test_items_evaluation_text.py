"""What a failed question says, and one without an answer."""

from __future__ import annotations

from callscore import Case, ToolCall, expect, score
from callscore.core.results import Answer, MetricValue, Result
from callscore.testing.items import error_text, failed_text

MADE = (ToolCall("getWeather", {"location": "London"}),)


def _scored(expected: list[object] | None, *values: MetricValue, calls: int = 1) -> Result:
    return Result(
        case=Case(id="a", actual=MADE * calls),
        answer=Answer(document=None),
        score=None if expected is None else score(expected, list(MADE * calls)),
        values=values,
        passed=False,
    )


def test_the_first_line_says_why_and_the_rest_shows_it() -> None:
    outcome = _scored(
        [expect.call("getWeather", location="Paris")],
        MetricValue("tool_called", 1.0),
        MetricValue("accuracy", 0.0),
        MetricValue("polite", None, "it said\nnothing."),
    )

    assert failed_text(outcome, 1.0) == (
        "accuracy 0.000, and at least 1.000 is wanted\n"
        "\n"
        "1.000 tool_called   0.000 accuracy       \N{EN DASH} polite\n"
        "polite: it said\\nnothing.\n"
        "\n"
        "  Expected              Actual\n"
        "~ getWeather            getWeather\n"
        '  ~ location: "Paris"     location: "London"'
    )


def test_a_forbidden_call_is_why() -> None:
    text = failed_text(_scored([expect.forbid("get*")]), 1.0)

    assert text.startswith("getWeather was called, which is forbidden\n")


def test_without_an_expectation_the_calls_are_shown() -> None:
    low = MetricValue("mine", 0.2)

    assert failed_text(_scored(None, low), 0.5).endswith(
        '\nThe calls that were made:\n  getWeather(location="London")'
    )
    assert failed_text(_scored(None, low, calls=25), 0.5).endswith("\n  … 5 more")
    assert failed_text(_scored(None, low, calls=0), 0.5).endswith("\nNo calls were made.")


def test_an_error_is_a_sentence_and_where_it_happened() -> None:
    assert error_text("boom\x1b", "") == "boom\\u001b"
    assert error_text("boom", "  File x\n    y") == "boom\n\n  File x\n    y"
