"""`score`, as people call it."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidCall, InvalidSettings, Mode, Settings, ToolCall, score

F = ToolCall("f", {"a": 1})


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "arguments": {"a": 1}},
        {"tool": "f", "args": {"a": 1}},
        {"toolName": "f", "input": {"a": 1}},
        ("f", {"a": 1}),
        F,
        {"name": "f", "arguments": '{"a": 1}'},
    ],
)
def test_a_call_may_be_spelled_in_many_ways(call: Any) -> None:
    assert score([call], [F]).is_exact
    assert score([F], [call]).is_exact


def test_an_expected_name_alone_accepts_any_arguments() -> None:
    assert score(["f"], [F]).f1 == 1.0
    assert score([F], ["f"]).f1 == 0.0


def test_no_calls_may_be_written_as_none() -> None:
    assert score(None, []).f1 == 1.0
    assert score(None, [F]).f1 == 0.0


def test_the_worked_example_of_the_published_tool() -> None:
    result = score(
        expected=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "long article..."}},
        ],
        actual=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "different text"}},
            {"tool": "translateText", "args": {"text": "hello", "to": "es"}},
        ],
    )

    assert (result.score, result.precision, result.recall) == (0.4, 1 / 3, 0.5)
    assert result.summary == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )


def test_options_and_settings_mean_the_same() -> None:
    expected, actual = [("f", {"a": 1, "b": 2})], [("f", {"a": 1})]
    settings = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5)

    by_options = score(expected, actual, mode="flexible", argument_match_threshold=0.5)

    assert by_options.f1 == score(expected, actual, settings=settings).f1 == 1.0
    assert by_options.settings == settings


def test_order_and_extra_arguments_reach_the_score() -> None:
    swapped = score(["f", "g"], ["g", "f"], order="in_order")
    counted = score([("f", {})], [("f", {"a": 1})], mode="flexible", extra_arguments="count")

    assert swapped.f1 == 0.5
    assert counted.incorrect[0].overlap == 0.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "loose"}, "mode: 'loose' is not one of strict, flexible"),
        ({"order": "random"}, "order: 'random' is not one of any, in_order, exact"),
        ({"argument_match_threshold": 1.5}, "1.5 is not a number from 0 to 1"),
        ({"at_least": True}, "True is not a number from 0 to 1"),
        ({"mode": []}, "a setting is not text or a number"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSettings, match=said):
        score([], [], **options)


def test_settings_and_single_options_do_not_mix() -> None:
    with pytest.raises(InvalidSettings, match="not both"):
        score([], [], settings=Settings(), mode="flexible")


def test_a_string_is_not_a_list_of_calls() -> None:
    with pytest.raises(InvalidCall, match="only inside a list"):
        score("search", [])


def test_the_arguments_given_are_not_changed() -> None:
    expected = [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    actual = [{"name": "f", "arguments": '{"b": [1]}'}]

    score(expected, actual, mode="flexible")

    assert expected == [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    assert actual == [{"name": "f", "arguments": '{"b": [1]}'}]
