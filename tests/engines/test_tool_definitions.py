"""The definitions of tools, read once."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.engines import tool_definitions as module
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOLS = [{"name": "f", "description": "x", "parameters": SCHEMA}]
BROKEN = [{"name": "f", "parameters": {"type": "colour"}}]


def test_a_case_without_tools_has_none() -> None:
    assert ToolDefinitions().of(None, "c.jsonl:1") is None
    assert ToolDefinitions().of([], "c.jsonl:1") == {}


def test_a_case_may_bring_its_own() -> None:
    assert ToolDefinitions().of(TOOLS, "c.jsonl:1") == {"f": Tool("f", "x", SCHEMA)}


def test_those_of_the_run_come_in_place_of_those_of_the_cases() -> None:
    known = ToolDefinitions([{"name": "g", "parameters": SCHEMA}])

    assert list(known.of(TOOLS, "c.jsonl:1") or ()) == ["g"]
    assert list(known.of(None, "c.jsonl:1") or ()) == ["g"]


def test_the_same_definitions_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_REMEMBERED", 2)
    known = ToolDefinitions()

    first = known.of(TOOLS, "c.jsonl:1")
    again = known.of([dict(TOOLS[0])], "c.jsonl:2")
    for name in ("g", "h", "i"):
        known.of([name], "c.jsonl:3")

    assert again is first
    assert len(known._known) <= 2
    assert known.of(TOOLS, "c.jsonl:4") == first


def test_objects_of_an_sdk_are_read_as_well() -> None:
    class Definition:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            return TOOLS[0]

    assert list(ToolDefinitions().of([Definition()], "cases[0]") or ()) == ["f"]


def test_tools_of_a_trace_are_taken_as_they_are() -> None:
    known = ToolDefinitions()
    broken, other = Tool("f", None, {"type": "colour"}), Tool("g", "x", SCHEMA)

    assert known.of([broken, other], "t.jsonl:1") == {"f": Tool("f"), "g": other}
    assert known.of([other, Tool("g", "x")], "t.jsonl:2") == {"g": Tool("g", "x")}
    with pytest.raises(UnreadableInput, match="'f' is invalid"):
        known.of(BROKEN, "c.jsonl:3")


def test_what_a_case_is_asked_for_again_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ToolDefinitions()
    first = known.of(TOOLS, "c.jsonl:1")
    monkeypatch.setattr(known, "_known", None)

    assert known.of(TOOLS, "c.jsonl:1") is first


@pytest.mark.parametrize(
    ("tools", "problem"),
    [
        ([{"x": 1}], "'tools' has no tool definitions: unknown format:"),
        (5, "'tools' has no tool definitions"),
        (BROKEN, "'tools': the schema of the tool 'f' is invalid"),
        (
            [*TOOLS, {"name": "f"}],
            "'tools': two definitions of the tool 'f' have different schemas",
        ),
        ([{"name": "f", "effect": "wriet"}], "'tools': the tool 'f' has an unknown effect"),
    ],
)
def test_what_is_no_definition_is_refused_with_its_place(tools: Any, problem: str) -> None:
    with pytest.raises(UnreadableInput, match=problem) as caught:
        ToolDefinitions().of(tools, "c.jsonl:7")

    assert caught.value.place == "c.jsonl:7"


def test_tools_nested_beyond_all_measure_are_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(UnreadableInput, match="nested too deeply"):
        ToolDefinitions().of(deep, "c.jsonl:7")


def test_what_the_run_was_given_must_be_usable_from_the_start() -> None:
    with pytest.raises(InvalidSettings, match="is invalid"):
        ToolDefinitions(BROKEN)
    with pytest.raises(InvalidCall):
        ToolDefinitions([{"x": 1}])
