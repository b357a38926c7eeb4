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
        ToolCall("F", {"x": 1}, step=0, result="1", failed=False),
        ToolCall("G", {"x": 1}, step=1, result="no such user", failed=True),
        ToolCall("H", {}, step=2),
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
