"""API-Bank dialogues."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects.api_bank import joins_lines, read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def api(name: str, **result: Any) -> dict[str, Any]:
    return {
        "role": "API",
        "api_name": name,
        "param_dict": {"x": 1},
        "result": {"api_name": name, "input": {"x": 1}, **result},
    }


def test_a_call_has_its_result_with_it() -> None:
    document = [
        {"role": "User", "text": "q"},
        api("F", output="1", exception=None),
        api("G", output=None, exception="no such user"),
        {"role": "API", "api_name": "H", "param_dict": {}},
        {"role": "AI", "text": "a"},
        {"role": "User", "text": "thanks"},
    ]

    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    assert trace.input == "q"
    assert trace.calls == (
        ToolCall("F", {"x": 1}, step=0, result="1", failed=False, turn=0),
        ToolCall("G", {"x": 1}, step=1, result="no such user", failed=True, turn=0),
        ToolCall("H", {}, step=2, turn=0),
    )


@pytest.mark.parametrize(
    "line",
    [
        {"role": "user", "text": "q"},
        {"role": "User", "text": None},
        {"role": "AI", "text": "a", "content": "a"},
        {"role": "API"},
        "User",
    ],
)
def test_look_alikes_are_no_lines(line: Any) -> None:
    assert not joins_lines(line)


@pytest.mark.parametrize("key", ["output", "expected_output"])
def test_the_output_of_a_row_is_expected(key: str) -> None:
    row = {
        "instruction": "Generate an API request in the format of [ApiName(key1='value1')].",
        "input": "User: q\nAPI-Request: [Old(x='1')]->{'y': 2}\nGenerate API Request: ",
        key: "API-Request: [AddMeeting(person='Ada', topic='Q1, review')]",
    }

    assert recognizes(row)
    (trace,) = read(row, DEFAULT_READ_OPTIONS)
    assert trace.calls is None
    assert trace.input == row["input"]
    assert trace.expected == (
        ToolCall("AddMeeting", {"person": "Ada", "topic": "Q1, review"}, step=0),
    )


@pytest.mark.parametrize(
    "row",
    [
        {"instruction": "i", "input": "User: q", "output": "Hello."},
        {"instruction": "i", "output": "API-Request: [F()]"},
        {"instruction": "i", "input": "q"},
    ],
)
def test_other_rows_of_instructions_are_not_claimed(row: Any) -> None:
    assert not recognizes(row)
