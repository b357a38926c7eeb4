"""Expectations in JSON and JSON lines, rewritten in place: everything else stays to the byte."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.expectation_json import matchers_to_json
from callscore.rewriting import reasons
from callscore.rewriting.case_records import (
    apply_patches,
    arguments_path,
    call_in_style_of,
    expected_field,
    group_by_call,
    matching_records,
    new_expected_value,
    node_at,
    record_identity,
    records_of,
)
from callscore.rewriting.change import CannotRewrite, Edit, FoundExpectation
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    ValueStyle,
    indent_at,
    patch_edits,
    replace_items,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.rewriting.change import Change

    _Placing = Callable[[str, TextNode, dict[str, Any], Change], FoundExpectation]

__all__ = [
    "decode_json",
    "decode_lines",
    "patches_in_json",
    "patches_in_lines",
    "places_in_json",
    "places_in_lines",
    "scan_json",
]

_WHITESPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_LINE = re.compile(r"[^\n]*")
_DEFAULT_WIDTH = 100
_UNLIMITED = float("inf")


def decode_json(text: str) -> Any:
    """The document that a text is."""
    return msgspec.json.decode(text)


def decode_lines(text: str) -> list[Any]:
    """The records of a text, one a line; a blank line holds none."""
    return [_decoded(line[0]) for line in _lines(text)]


def _lines(text: str) -> list[re.Match[str]]:
    return [line for line in _LINE.finditer(text) if line[0].strip()]


def _decoded(line: str) -> Any:
    try:
        return decode_json(line)
    except (msgspec.MsgspecError, RecursionError):
        return line  # what is no JSON is not the record that is looked for


def places_in_json(text: str, change: Change) -> list[FoundExpectation]:
    """All places of a JSON document that may be the expectation."""
    return _in_document(text, change, _place)


def patches_in_json(text: str, change: Change) -> list[FoundExpectation]:
    """The same, with the patches made there."""
    return _in_document(text, change, _patched_place)


def _in_document(text: str, change: Change, find_place: _Placing) -> list[FoundExpectation]:
    document = _document(text)
    paths = matching_records(change, records_of(document))
    if not paths:
        return []
    root = _scanned(text)
    places = []
    for path in paths:
        node, record = root, document
        for step in path:
            node, record = _child(node, step), record[step]
        found = find_place(text, node, record, change)
        places.append(found._replace(path=path + found.path))
    return places


@lru_cache(maxsize=8)  # many cases are looked for in one file
def _document(text: str) -> Any:
    return decode_json(text)


@lru_cache(maxsize=8)
def _scanned(text: str) -> TextNode:
    return scan_json(text, 0)


@lru_cache(maxsize=8)
def _records(text: str) -> tuple[list[re.Match[str]], list[Any]]:
    """The lines of a text that hold something, and what."""
    lines = _lines(text)
    return lines, [_decoded(line[0]) for line in lines]


def places_in_lines(text: str, change: Change) -> list[FoundExpectation]:
    """All lines of a file of JSON lines that may hold the expectation."""
    return _in_lines(text, change, _place)


def patches_in_lines(text: str, change: Change) -> list[FoundExpectation]:
    """The same, with the patches made there."""
    return _in_lines(text, change, _patched_place)


def _in_lines(text: str, change: Change, find_place: _Placing) -> list[FoundExpectation]:
    lines, records = _records(text)
    places = []
    for path in matching_records(
        change, (((index,), record) for index, record in enumerate(records))
    ):
        index = int(path[0])
        node = scan_json(text, lines[index].start())
        found = find_place(text, node, records[index], change)
        places.append(found._replace(path=path + found.path))
    return places


def _child(node: TextNode, step: str | int) -> TextNode:
    return (node.members or {})[step] if isinstance(step, str) else (node.items or ())[step]


def _place(text: str, node: TextNode, record: dict[str, Any], change: Change) -> FoundExpectation:
    """The expectation of one record."""
    field = expected_field(record)
    value, target = record[field], _child(node, field)
    written = text[node.start : node.end]
    # As tall or as wide as the case is written: a case of one line keeps to it.
    step = _indent_step(text, node, target)
    is_compact = '":' in written and '": ' not in written

    def render(call: dict[str, Any], indent: str) -> str:
        spelled = call_in_style_of(value, call)
        return _encoded(spelled) if is_compact else _formatted(spelled, indent, step)

    width = _DEFAULT_WIDTH if "\n" in written else _UNLIMITED
    listed = target if target.items is not None else target._replace(items=())
    writing = ListStyle(
        render, width, "," if is_compact else ", ", "", _inner_indent(text, node, target)
    )
    new = replace_items(text, listed, change.items, writing)
    edit = Edit(target.start, target.end, new)
    return FoundExpectation(
        (edit,), (field,), new_expected_value(value, change), *record_identity(record)
    )


def _patched_place(
    text: str, node: TextNode, record: dict[str, Any], change: Change
) -> FoundExpectation:
    """The expectation of one record, with other values in its calls."""
    field = expected_field(record)
    value, target = record[field], _child(node, field)
    style = _style(text, node, target)
    edits = [
        edit
        for call, patches in group_by_call(change.patches)
        for edit in patch_edits(text, node_at(target, arguments_path(value, call)), patches, style)
    ]
    new = apply_patches(deepcopy(value), change.patches)
    return FoundExpectation(tuple(edits), (field,), new, *record_identity(record))


def _style(text: str, node: TextNode, target: TextNode) -> ValueStyle:
    written = text[node.start : node.end]
    step = _indent_step(text, node, target)
    is_compact = '":' in written and '": ' not in written

    def value(new: Any, indent: str) -> str:
        return (
            _encoded(matchers_to_json(new))
            if is_compact
            else _formatted(matchers_to_json(new), indent, step)
        )

    colon, gap = (":", ",") if is_compact else (": ", ", ")
    return ValueStyle(
        value, lambda key, told: f"{_encoded(key)}{colon}{told}", gap=gap, may_trail=False
    )


def _indent_step(text: str, node: TextNode, target: TextNode) -> str:
    """The blanks by which the lines of calls are indented; none where each has one line."""
    calls = [text[item.start : item.end] for item in target.items or ()]
    if calls and not any("\n" in call for call in calls):
        return ""
    return _inner_indent(text, node, target)


def _inner_indent(text: str, node: TextNode, target: TextNode) -> str:
    outer, inner = indent_at(text, node.start), indent_at(text, target.start)
    return inner.removeprefix(outer)


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _formatted(value: Any, indent: str, step: str) -> str:
    """A value with blanks in it; with a step, its objects and long lists have several lines."""
    inner = indent + step
    if isinstance(value, dict):
        pairs = [f"{_encoded(key)}: {_formatted(each, inner, step)}" for key, each in value.items()]
        return _enclosed(pairs, "{}", indent, step)
    if not isinstance(value, list):
        return _encoded(value)
    items = [_formatted(each, inner, step) for each in value]
    line = f"[{', '.join(items)}]"
    fits = "\n" not in line and len(indent) + len(line) < _DEFAULT_WIDTH
    return line if fits else _enclosed(items, "[]", indent, step)


def _enclosed(parts: list[str], brackets: str, indent: str, step: str) -> str:
    if not step or not parts:
        return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"
    inner = f"\n{indent}{step}"
    return f"{brackets[0]}{inner}{f',{inner}'.join(parts)}\n{indent}{brackets[1]}"


def scan_json(text: str, start: int) -> TextNode:
    """Where the values of a JSON text stand; the text is known to be JSON."""
    position = _skip_whitespace(text, start)
    opening = text[position]
    if opening == '"':
        return TextNode(position, _end_of(_STRING, text, position))
    if opening == "[":
        return _scan_list(text, position)
    if opening == "{":
        return _scan_object(text, position)
    return TextNode(position, _end_of(_SCALAR, text, position))


def _skip_whitespace(text: str, start: int) -> int:
    return _end_of(_WHITESPACE, text, start)


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    if found is None:
        raise CannotRewrite(reasons.FILE_REPLACED)
    return found.end()


def _scan_list(text: str, start: int) -> TextNode:
    items: list[TextNode] = []
    position = _skip_whitespace(text, start + 1)
    while text[position] != "]":
        items.append(scan_json(text, position))
        position = _skip_whitespace(text, items[-1].end)
        if text[position] == ",":
            position = _skip_whitespace(text, position + 1)
    return TextNode(start, position + 1, tuple(items))


def _scan_object(text: str, start: int) -> TextNode:
    members: dict[str, TextNode] = {}
    keys: dict[str, int] = {}
    position = _skip_whitespace(text, start + 1)
    while text[position] != "}":
        end = _end_of(_STRING, text, position)
        key: str = msgspec.json.decode(text[position:end])
        keys[key] = position
        members[key] = scan_json(text, _skip_whitespace(text, end) + 1)
        position = _skip_whitespace(text, members[key].end)
        if text[position] == ",":
            position = _skip_whitespace(text, position + 1)
    return TextNode(start, position + 1, members=members, keys=keys)
