"""`score`, as people call it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore import (
    InvalidCall,
    InvalidSettings,
    Mode,
    Settings,
    ToolCall,
    UnknownFormat,
    check_calls,
    expect,
    read_calls,
    read_tools,
    score,
)
from callscore.api import score_case, tools_by_name
from callscore.core.settings import DEFAULT

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


def test_no_expected_calls_may_be_written_as_none() -> None:
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




@pytest.mark.parametrize("options", [{"mode": "strict"}, {"preset": "strict"}])
def test_settings_do_not_mix_with_single_options_or_a_preset(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings, match="cannot be combined"):
        score([], [], settings=Settings(), **options)


def test_without_options_the_default_is_in_force() -> None:
    assert score([], []).settings is DEFAULT




def test_arguments_can_have_rules_of_their_own() -> None:
    expected = [("book", {"date": "2024-01-15", "to": "New York", "trace": 1})]
    actual = [("book", {"date": "2024-01-15T00:00:00", "to": "new york", "trace": 2})]
    rules = {"book.date": "date", "*.to": {"text": {"ignore": ["case"]}}, "*.trace": "ignore"}

    assert score(expected, actual).f1 == 0.0
    assert score(expected, actual, arguments=rules).f1 == 1.0


def test_effects_can_be_said() -> None:
    expected, actual = ["book"], ["look_up", "book"]

    counted = score(expected, actual, count_calls="writes", effects={"look_*": "read"})

    assert counted.f1 == 1.0
    assert [(ignored.call.name, ignored.why) for ignored in counted.ignored] == [
        ("look_up", "read")
    ]


TOOLS = [
    {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"seat": {"type": "integer"}},
            "required": ["seat"],
        },
    },
    {"name": "look", "parameters": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


def test_without_tools_nothing_is_known_of_faults() -> None:
    assert score([], [("book", {})]).faults is None














def completion(*answers: list[str]) -> dict[str, Any]:
    """A response with several choices, each of which calls some tools."""
    choices = [
        {"index": at, "message": {"role": "assistant", "tool_calls": [*map(_entry, names)]}}
        for at, names in enumerate(answers)
    ]
    return {"object": "chat.completion", "choices": choices}


def _entry(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}






















def test_a_file_is_read_for_a_score_as_it_is_read_for_its_calls() -> None:
    folder = Path(__file__).parent / "samples" / "recorded" / "anthropic_managed_agents"
    files = sorted(folder.glob("*.jsonl"))

    assert files
    for path in files:
        assert list(score([], path).actual) == read_calls(path)


def test_a_file_of_calls_in_our_own_words_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.json"
    path.write_text('[["f", {"a": 1}], "g"]')

    assert score([("f", {"a": 1}), "g"], path).passed




ONE_MESSAGE = [
    {"role": "user", "content": "q"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
            for name in ("a", "b")
        ],
    },
]






