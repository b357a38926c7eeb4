"""The effects of the tools in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.core.settings import DEFAULT
from callscore.engines.tool_effects import find_effects
from callscore.errors import UnreadableInput
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.checks.effects import EffectsFound, ToolEffect

CASE = {
    "id": "a",
    "expected": [{"name": "pay", "arguments": {}}],
    "actual": [{"name": "pay", "arguments": {}, "result": "Order placed successfully"}] * 2,
}


def write(path: Path, *records: Any) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return str(path)


def effects(*paths: str, **options: Any) -> EffectsFound:
    return find_effects(paths, DEFAULT, DEFAULT_READ_OPTIONS, **options)


def by_name(found: EffectsFound) -> dict[str, ToolEffect]:
    return {tool.name: tool for tool in found.tools}


def sources(tool: ToolEffect) -> list[tuple[str, str, str]]:
    return [(each.source, each.effect, each.words) for each in tool.evidence]


def test_cases_give_calls_of_both_sides_and_their_results(tmp_path: Path) -> None:
    found = effects(write(tmp_path / "cases.jsonl", CASE, CASE))

    assert (found.files, found.traces, found.calls) == (1, 2, 4)
    (tool,) = found.tools
    assert (tool.calls, tool.expected, tool.proposed) == (4, 2, "write")


def test_definitions_in_traces_declare_effects(tmp_path: Path) -> None:
    tools = [
        {"name": "look", "inputSchema": {}, "annotations": {"readOnlyHint": True}},
        {"name": "pay", "inputSchema": {}, "annotations": {"destructiveHint": True}},
    ]
    listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "pay"}}

    found = by_name(effects(write(tmp_path / "log.jsonl", asked, listed, call)))

    assert sources(found["look"]) == [("definition", "read", "readOnlyHint")]
    assert sources(found["pay"]) == [("definition", "write", "destructiveHint")]
    assert (found["look"].calls, found["pay"].calls) == (0, 1)


def test_the_methods_of_an_api_declare_effects(tmp_path: Path) -> None:
    paths = {"/x": {"get": {"operationId": "x"}, "post": {"operationId": "searchX"}}}
    api = write(tmp_path / "api.json", {"openapi": "3.0.0", "paths": paths})

    for found in (effects(api), effects(tools=api)):
        tools = by_name(found)
        assert sources(tools["x"]) == [("definition", "read", "GET")]
        assert sources(tools["searchX"]) == [
            ("definition", "write", "POST"),
            ("name", "read", "search[A-Z]*"),
        ]
        assert tools["searchX"].is_contradictory


def test_kinds_of_tau2_are_read_by_domain(tmp_path: Path) -> None:
    tools = {
        "shop": [{"type": "function", "function": {"name": "f"}, "x-tool-type": "READ"}],
        "bank": [{"type": "function", "function": {"name": "f"}, "x-tool-type": "WRITE"}],
    }
    for domain in tools.values():
        domain[0]["function"]["parameters"] = {"type": "object"}  # type: ignore[index]  # of an object

    (tool,) = effects(tools=write(tmp_path / "tools.json", tools)).tools

    assert tool.is_contradictory
    assert sources(tool) == [
        ("definition", "read", "x-tool-type"),
        ("definition", "write", "x-tool-type"),
    ]


def test_a_file_of_definitions_replaces_those_in_the_traces(tmp_path: Path) -> None:
    case = {**CASE, "tools": [{"name": "pay", "parameters": {}, "effect": "read"}]}
    cases = write(tmp_path / "cases.jsonl", case)
    tools = write(tmp_path / "tools.json", [{"name": "pay", "parameters": {}, "effect": "write"}])

    assert effects(cases).tools[0].effect == "read"
    assert effects(cases, tools=tools).tools[0].effect == "write"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([], "no tool definitions found"),
        ({"a": 1}, "no tool definitions found"),
        ([{"name": "f", "arguments": {}}], "no tool definitions found"),
        ([{"name": "f", "parameters": {}, "effect": "reed"}], "unknown effect 'reed'"),
    ],
)
def test_what_defines_no_tools_is_refused(tmp_path: Path, content: Any, problem: str) -> None:
    path = write(tmp_path / "tools.json", content)

    with pytest.raises(UnreadableInput, match=problem):
        effects(tools=path)


def test_bad_records_are_refused_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(msgspec.json.encode(CASE) + b"\n{not json\n")

    with pytest.raises(UnreadableInput):
        effects(str(path))
    found = effects(str(path), skip_bad=True)
    assert (found.skipped.count, found.calls) == (1, 2)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()

    with pytest.raises(UnreadableInput, match="empty"):
        effects(str(path))


def test_hostile_names_and_texts_are_only_listed(tmp_path: Path) -> None:
    names = ["", "get_\u202e", "a\nb", "*", "x" * 5_000]
    calls = [{"name": name, "arguments": {}, "result": "\x1b[31mCreated"} for name in names]

    found = effects(write(tmp_path / "cases.jsonl", {"id": "a", "actual": calls}))

    assert {tool.name for tool in found.tools} == set(names)
