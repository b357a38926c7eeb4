"""Asserting that calls were made: what holds, what does not, and what a failure says."""

from __future__ import annotations

import traceback

import pytest

from callscore import InvalidCall, InvalidSettings, Score, Settings, expect
from callscore.testing import assert_calls, call
from callscore.testing.assertions import with_defaults
from callscore.testing.current_test import RunningTest, running_as

PARIS = [call("getWeather", location="Paris")]
RESPONSE = {
    "choices": [
        {
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "1",
                        "type": "function",
                        "function": {"name": "getWeather", "arguments": '{"location": "London"}'},
                    }
                ],
            }
        }
    ]
}


def test_calls_that_were_made_pass_and_give_the_score() -> None:
    score = assert_calls([call("getWeather", location="London")], RESPONSE)

    assert isinstance(score, Score)
    assert score.f1 == 1


def test_a_failure_names_tools_that_count_as_writes_without_evidence() -> None:
    with pytest.raises(
        AssertionError, match=r"2 tools count as writes without evidence: search, web_search;"
    ):
        assert_calls(["cancel_order"], ["search", "web_search", "cancel_order"], preset="outcome")


def test_a_failure_says_the_score_and_shows_both_sides_aligned() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_calls(PARIS, RESPONSE)

    assert str(failed.value) == (
        "Accuracy Score: 0.0% | Correct: 0/1 | Incorrect: 1 | Missed: 0 | Extra: 0\n"
        "\n"
        "  Expected              Actual\n"
        "~ getWeather            getWeather\n"
        '  ~ location: "Paris"     location: "London"'
    )


def test_a_lower_score_may_be_enough() -> None:
    made = [("getWeather", {"location": "Paris"}), ("other", {})]

    assert assert_calls(PARIS, made, pass_mark=0.6).passed
    with pytest.raises(AssertionError, match=r"66\.7%.*Required: ≥ 70\.0%"):
        assert_calls(PARIS, made, pass_mark=0.7)


def test_nothing_makes_up_for_a_forbidden_call() -> None:
    with pytest.raises(AssertionError, match="Forbidden: 1"):
        assert_calls([expect.forbid("delete_*")], [("delete_all", {})], pass_mark=0.0)


def test_settings_are_given_as_for_score() -> None:
    made = [("getweather", {"location": "Paris", "unit": "C"})]

    assert_calls(PARIS, made, normalize_name="case", mode="flexible")
    assert_calls(PARIS, made, settings=Settings(normalize_name=("case",), mode="flexible"))
    with pytest.raises(AssertionError):
        assert_calls(PARIS, made, preset="flexible")


def test_the_tools_are_known_where_they_are_given() -> None:
    tools = [{"name": "getWeather", "parameters": {"type": "object", "required": ["unit"]}}]

    score = assert_calls(PARIS, [("getWeather", {"location": "Paris"})], tools=tools)

    assert score.parameters_valid == 0


def test_unreadable_calls_raise_an_error_with_a_short_traceback() -> None:
    with pytest.raises(InvalidCall) as failed:
        assert_calls(PARIS, 17)

    assert len(traceback.extract_tb(failed.value.__traceback__)) == 2


def test_a_setting_that_there_is_not_is_an_error() -> None:
    with pytest.raises(InvalidSettings, match="unknown setting"):
        assert_calls(PARIS, RESPONSE, modus="strict")  # type: ignore[call-arg]  # a typo


def test_a_running_test_may_have_defaults() -> None:
    with running_as(RunningTest("test", {"pass_mark": 0.0})):
        assert not assert_calls(PARIS, RESPONSE).is_exact
        with pytest.raises(AssertionError):
            assert_calls(PARIS, RESPONSE, pass_mark=0.5)

    with pytest.raises(AssertionError):
        assert_calls(PARIS, RESPONSE)


def test_whoever_names_a_preset_wants_no_single_settings_from_elsewhere() -> None:
    defaults = {"mode": "flexible", "tools": ["f"]}

    assert with_defaults(defaults, {"preset": "outcome"}) == {"preset": "outcome", "tools": ["f"]}
    assert with_defaults(defaults, {"order": "exact"}) == {**defaults, "order": "exact"}
