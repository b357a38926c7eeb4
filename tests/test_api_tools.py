"""Scores and checks with what is known of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import InvalidSettings, Tool, check_calls, read_tools, score

if TYPE_CHECKING:
    from pathlib import Path

LOOK: dict[str, Any] = {
    "name": "get_seat",
    "parameters": {"type": "object", "properties": {"row": {"type": "integer"}}},
}
BOOK: dict[str, Any] = {
    "name": "book",
    "parameters": {"type": "object", "properties": {"seat": {"type": "integer"}}},
}
TOOLS = [LOOK, BOOK]


def found(faults: Any) -> list[tuple[str, str, int]]:
    return [(fault.kind, fault.tool, fault.index) for fault in faults]
















OTHER = {**BOOK, "parameters": {"type": "object", "properties": {"row": {"type": "string"}}}}


def test_tasks_of_the_leaderboard_may_define_a_tool_in_different_ways(tmp_path: Path) -> None:
    def task(kind: str) -> dict[str, Any]:
        schema = {"type": "dict", "properties": {"a": {"type": kind}}, "required": ["a"]}
        function = [{"name": "f", "parameters": schema}]
        return {"id": f"simple_{kind}", "question": [[]], "function": function}

    tasks = [task("integer"), task("string")]
    file = tmp_path / "BFCL_v4_simple_python.json"
    file.write_bytes(b"\n".join(map(msgspec.json.encode, tasks)))

    for tools in (file, tasks):
        found = [
            check_calls([{"name": "f", "arguments": {"a": value}}], tools=tools)
            for value in (1, "x", None)
        ]
        assert [len(problems) for problems in found] == [0, 0, 1]






