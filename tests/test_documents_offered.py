"""The tools that somebody hands over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore.core.call import Tool
from callscore.documents import Document, read_tools_by_name, tools_in_list, tools_of_document
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat, UnreadableInput
from callscore.formats.dialect import dialect_named

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
F: dict[str, Any] = {"name": "f", "parameters": SCHEMA}
TRACE = {"messages": [{"role": "user", "content": "hello"}]}

DEFINITIONS = [
    [F],
    {"tools": [F]},
    F,
    [{"type": "function", "function": F}],
    [{"name": "f", "parameters": {}}],
    [{"name": "f", "parameters": {"type": "objct"}}],
    {"name": "f", "parameters": {"$ref": "http://x"}},
    {"tools": [{"name": "f", "parameters": {}}]},
    {"functions": ["f"]},
    {"f": {"parameters": {}}},
    {"f": {"description": "It fs."}},
    [{"name": "f"}],
    [{"name": "f", "effect": "read"}],
    {"type": "function", "function": {"name": "f"}},
    ["f"],
    {**TRACE, "tools": [{"type": "function", "function": F}]},
]
NO_DEFINITIONS = [
    {"x": 1},
    [{"x": 1}],
    [{"name": "f", "arguments": {}}],
    [{"type": "function", "function": {"name": "f", "arguments": "{}"}}],
    ["f", 5],
    TRACE,
    5,
]


def write(path: Path, *values: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(values))
    return path


@pytest.mark.parametrize("document", DEFINITIONS)
def test_tools_are_known_by_name_from_a_value_and_from_a_file(
    document: Any, tmp_path: Path
) -> None:
    from_value = read_tools_by_name(document)

    assert list(from_value) == ["f"]
    assert read_tools_by_name(msgspec.json.encode(document)) == from_value
    assert read_tools_by_name(write(tmp_path / "tools.json", document)) == from_value


@pytest.mark.parametrize("document", NO_DEFINITIONS)
def test_a_document_without_tool_definitions_is_refused(document: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidCall):
        read_tools_by_name(document)
    with pytest.raises(UnreadableInput, match=r"tools\.json"):
        read_tools_by_name(write(tmp_path / "tools.json", document))


@pytest.mark.parametrize("document", [[], (), {}, set(), b"[]"])
def test_an_empty_list_offers_no_tool(document: Any) -> None:
    assert read_tools_by_name(document) == {}


def test_an_empty_list_in_a_file_offers_no_tool_and_an_empty_file_says_nothing(
    tmp_path: Path,
) -> None:
    assert read_tools_by_name(write(tmp_path / "tools.json", [])) == {}
    with pytest.raises(UnreadableInput, match="no tool definitions found"):
        read_tools_by_name(write(tmp_path / "empty.json"))
    with pytest.raises(UnreadableInput):
        read_tools_by_name(tmp_path / "nowhere.json")


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with write(tmp_path / "tools.json", [{"name": "f"}]).open() as file:
        monkeypatch.setattr("sys.stdin", file)

        assert read_tools_by_name(Path("-")) == {"f": Tool("f")}


def test_a_line_a_tool_is_a_file_of_tools(tmp_path: Path) -> None:
    lines = [F, {"name": "g", "parameters": {}}, {"name": "h", "effect": "write"}]

    assert list(read_tools_by_name(write(tmp_path / "tools.jsonl", *lines))) == ["f", "g", "h"]


def test_values_are_kept() -> None:
    tool = Tool("f", "It fs.", SCHEMA, "read")

    for document in ([tool], (tool,), iter([tool]), {"f": tool}, tool, [tool, tool]):
        assert read_tools_by_name(document) == {"f": tool}
    assert read_tools_by_name([tool, "g", {"name": "h"}]) == {
        "f": tool,
        "g": Tool("g"),
        "h": Tool("h"),
    }


@pytest.mark.parametrize(
    ("tools", "problem"),
    [
        ([F, {"name": "f"}], "two definitions of the tool 'f' have different schemas"),
        (
            [Tool("f"), Tool("f", effect="read")],
            "two definitions of the tool 'f' have different effects",
        ),
        ([{**F, "effect": "wriet"}], "the tool 'f' has an unknown effect 'wrie"),
        ([{"name": "f", "effect": 5}], "unknown effect 5"),
        ([{"type": "function", "function": F, "effect": "reed"}], "Did you mean 'read'"),
        ([Tool("f", effect="x")], "unknown effect 'x'"),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_definitions_that_are_wrong_are_refused_with_their_names(
    tools: Any, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        read_tools_by_name(tools)
    with pytest.raises(UnreadableInput, match=problem):
        read_tools_by_name(write(tmp_path / "tools.json", tools))


def test_an_unknown_effect_in_the_tools_of_a_trace_is_ignored() -> None:
    document = {**TRACE, "tools": [{"type": "function", "function": F, "effect": "sparkling"}]}

    assert read_tools_by_name(document) == {"f": Tool("f", None, SCHEMA)}


def test_an_argument_may_be_called_an_effect() -> None:
    schema = {"type": "object", "properties": {"effect": {"name": "x", "effect": "y"}}}

    assert list(read_tools_by_name([{"name": "f", "parameters": schema}])) == ["f"]


def test_a_list_with_something_else_in_it_lists_no_tools() -> None:
    assert tools_in_list([F, {"x": 1}]) == []
    assert tools_in_list("f") == []
    assert tools_in_list(['{"name": "f"}']) == [Tool("f")]


def test_a_document_of_no_known_format_is_told_so() -> None:
    with pytest.raises(UnknownFormat, match="unknown format:"):
        read_tools_by_name([{"x": 1}])


def test_a_trace_whose_definitions_cannot_be_read_brings_none() -> None:
    deep: Any = {"type": "OBJECT"}
    for _ in range(5_000):
        deep = {"type": "OBJECT", "properties": {"a": deep}}
    tool = {"type": "function", "function": {"name": "f", "parameters": deep}}
    dialect = dialect_named("openai_chat")

    assert tools_of_document(Document("x", {**TRACE, "tools": [tool]}, dialect)) == []
    assert len(tools_of_document(Document("x", {**TRACE, "tools": [F]}, dialect))) == 1
