"""Expectations in JSON and JSON Lines, rewritten in place: everything else is kept to the byte."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from callscore.core.expectation_json import matchers_to_json
from callscore.rewriting import reasons
from callscore.rewriting.case_records import (
    call_in_style_of,
    expected_field,
    find_places,
    node_at,
    patch_calls,
    records_of,
)
from callscore.rewriting.change import CannotRewrite, Change, DataPath, Edit, FoundExpectation
from callscore.rewriting.edits import ListStyle, TextNode, ValueStyle, indent_at, replace_items

_WHITESPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_LINE = re.compile(r"[^\n]*")
_DEFAULT_WIDTH = 100


@lru_cache(maxsize=8)  # many cases are searched in one file
def decode_json(text: str) -> Any:
    """The document in a text; it is shared, and must not be changed."""
    return msgspec.json.decode(text)


def decode_lines(text: str) -> list[Any]:
    """The records in a text, one per line, without blank lines; they must not be changed."""
    return _records(text)[1]


@lru_cache(maxsize=8)
def _records(text: str) -> tuple[list[re.Match[str]], list[Any]]:
    """The lines of a text that are not blank, and their records."""
    lines = [line for line in _LINE.finditer(text) if line[0].strip()]
    return lines, [_decoded(line[0]) for line in lines]


def _decoded(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return line  # a line that is not JSON is not a record


@lru_cache(maxsize=8)
def _scanned(text: str) -> TextNode:
    return scan_json(text, 0)


def places_in_json(text: str, change: Change) -> list[FoundExpectation]:
    """All places in a JSON document that may be the expectation, with the edits."""

    def edits(path: DataPath, record: dict[str, Any], change: Change) -> Iterable[Edit]:
        return _edits(text, node_at(_scanned(text), path[:-1]), record, change)

    return find_places(change, records_of(decode_json(text)), edits)


def places_in_lines(text: str, change: Change) -> list[FoundExpectation]:
    """All lines of a JSON Lines file that may have the expectation, with the edits."""
    lines, records = _records(text)

    def edits(path: DataPath, record: dict[str, Any], change: Change) -> Iterable[Edit]:
        return _edits(text, scan_json(text, lines[int(path[0])].start()), record, change)

    return find_places(change, records_of(records), edits)


def _edits(text: str, node: TextNode, record: dict[str, Any], change: Change) -> Iterable[Edit]:
    """The edits in one record, in its style: a case of one line keeps to it."""
    field = expected_field(record)
    value, target = record[field], node_at(node, (field,))
    written = text[node.start : node.end]
    inner_indent = indent_at(text, target.start).removeprefix(indent_at(text, node.start))
    calls = [text[item.start : item.end] for item in target.items or ()]
    is_one_line = bool(calls) and not any("\n" in call for call in calls)
    step = "" if is_one_line else inner_indent
    is_compact = '":' in written and '": ' not in written
    colon, gap = (":", ",") if is_compact else (": ", ", ")

    def write(new: Any, indent: str) -> str:
        return _encoded(new) if is_compact else _formatted(new, indent, step)

    if change.patches:
        style = ValueStyle(
            lambda new, indent: write(matchers_to_json(new), indent),
            lambda key, written: f"{_encoded(key)}{colon}{written}",
            gap=gap,
            may_trail=False,
        )
        return patch_calls(text, target, value, change, style)
    listed = target if target.items is not None else target._replace(items=())
    list_style = ListStyle(
        lambda call, indent: write(call_in_style_of(value, call), indent),
        _DEFAULT_WIDTH if "\n" in written else float("inf"),
        gap,
        "",
        inner_indent,
    )
    return [Edit(target.start, target.end, replace_items(text, listed, change.items, list_style))]


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _formatted(value: Any, indent: str, step: str) -> str:
    """A value with spaces; with a step, its objects and long lists have several lines."""
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
    """The positions of the values in a text, which is valid JSON."""
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
