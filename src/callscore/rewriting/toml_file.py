"""Expectations in TOML, rewritten in place: comments, order and spaces are kept.

Written by hand because tomlkit has no positions, and moves tables and comments when it writes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from callscore.core.expectation_json import matchers_to_json
from callscore.rewriting import reasons
from callscore.rewriting.case_records import (
    call_in_style_of,
    find_places,
    patch_calls,
    records_of,
)
from callscore.rewriting.change import CannotRewrite, Change, DataPath, Edit, FoundExpectation
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    ValueStyle,
    indent_at,
    line_start,
    quote,
    replace_items,
    replace_segments,
    start_with_comments,
)

_BASIC = r'"""(?:[^\\]|\\.)*?"{3,5}|"(?:[^"\\\n]|\\.)*"'
_LITERAL = r"'''.*?'{3,5}|'[^'\n]*'"
_STRING = re.compile(f"{_BASIC}|{_LITERAL}", re.DOTALL)
_BLANKS = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY_PART = r"""[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*"""
_KEY = re.compile(rf"{_KEY_PART}(?:\.{_KEY_PART})*")
_SCALAR = re.compile(r"[^,\]}\n#]+")
_HEADER = re.compile(r"\[{1,2}")
_LINE_REST = re.compile(r"[^\n]*\n?")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NOWHERE = TextNode(-1, -1)


@lru_cache(maxsize=8)  # many cases are searched in one file
def decode_toml(text: str) -> Any:
    """The document in a text; it is shared, and must not be changed."""
    return tomllib.loads(text)


def places_in_toml(text: str, change: Change) -> list[FoundExpectation]:
    """All places in a TOML text that may be the expectation, with the edits."""

    def edits(path: DataPath, record: dict[str, Any], change: Change) -> Iterable[Edit]:
        layout, value = scan_toml(text), record[str(path[-1])]
        if change.patches:
            return patch_calls(text, _tree(layout, path, value), value, change, _STYLE)
        return _edits(text, layout, path, value, change)

    return find_places(change, records_of(decode_toml(text)), edits)


def _tree(layout: Layout, path: DataPath, value: Any) -> TextNode:
    """The node of a value, in brackets or with lines of its own."""
    known = layout.values.get(path)
    if known is not None:
        return known
    if isinstance(value, list):
        items = [_tree(layout, (*path, number), item) for number, item in enumerate(value)]
        return TextNode(items[0].start, items[-1].end, tuple(items)) if items else _NOWHERE
    block = layout.tables.get(path)
    if block is None or not isinstance(value, dict):
        return _NOWHERE
    inner = {key: _tree(layout, (*path, key), member) for key, member in value.items()}
    keys = {key: layout.keys[*path, key] for key in inner if (*path, key) in layout.keys}
    return TextNode(block.body, block.body, members=inner, keys=keys, is_block=True)


def _edits(
    text: str, layout: Layout, path: DataPath, value: Any, change: Change
) -> tuple[Edit, ...]:
    node = layout.values.get(path)
    if node is None:
        return _table_edits(text, layout, path, value, change)
    listed = node if node.items is not None else node._replace(items=())
    # An inline table must not contain a line break.
    width = 100 if node.items is not None and path[:-1] in layout.tables else float("inf")
    style = ListStyle(lambda call, _: _inline(call_in_style_of(value, call)), width)
    return (Edit(node.start, node.end, replace_items(text, listed, change.items, style)),)


def _table_edits(
    text: str, layout: Layout, path: DataPath, value: Any, change: Change
) -> tuple[Edit, ...]:
    """Calls that are tables of their own: `[[cases.expected]]`."""
    known = [layout.tables.get((*path, index)) for index in range(len(value))]
    owner = layout.tables.get(path[:-1])
    blocks = [block for block in known if block is not None]
    if owner is None or not blocks or len(blocks) < len(known):
        raise CannotRewrite(reasons.DOTTED_KEYS)
    if any(left.end != right.start for left, right in pairwise(blocks)):
        raise CannotRewrite(reasons.SCATTERED_TABLES)
    start, end = blocks[0].start, blocks[-1].end
    if not change.items:
        # After the values of the table, and before the tables in it.
        below = min(block.start for block in layout.tables.values() if block.start >= owner.body)
        values = [each.end for each in layout.values.values() if owner.body <= each.start < below]
        position = text.find("\n", max(values, default=owner.body) - 1) + 1
        return (Edit(position, position, f"{path[-1]} = []\n"), Edit(start, end, ""))
    header = ".".join(toml_key(step) for step in path if isinstance(step, str))
    segments = [text[block.start : block.end].rstrip("\r\n") for block in blocks]
    pad = indent_at(text, text.index("[[", start))

    def render(call: dict[str, Any], _: str) -> list[str]:
        members = call_in_style_of(value, call).items()
        lines = [_member_text(key, _inline(member)) for key, member in members]
        return [pad + line for line in (f"[[{header}]]", *lines)]

    written = replace_segments(segments, change.items, render)
    before, after = text[start:end].rstrip("\r\n"), text[start:end]
    return (Edit(start, end, "\n\n".join(written) + after[len(before) :]),)


def toml_key(key: str) -> str:
    """A key as it is written, in quotes if it needs them."""
    return key if _BARE.fullmatch(key) else quote(key)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        members = [_member_text(key, _inline(member)) for key, member in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if value is None:
        raise CannotRewrite(reasons.NULL_IN_TOML)
    if isinstance(value, str):
        return quote(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _member_text(key: str, value: str) -> str:
    return f"{toml_key(key)} = {value}"


_STYLE = ValueStyle(
    lambda value, _: _inline(matchers_to_json(value)), _member_text, _member_text, may_trail=False
)


class Block(NamedTuple):
    """A table with a header."""

    start: int  # with the comments above it
    body: int  # the end of the line of the header
    end: int  # the beginning of the next table that is not part of it


class Layout(NamedTuple):
    """The values and the tables by path, and the positions of keys that have their own lines."""

    values: dict[DataPath, TextNode]
    tables: dict[DataPath, Block]
    keys: dict[DataPath, int]


@lru_cache(maxsize=8)
def scan_toml(text: str) -> Layout:
    """The positions of the values and the tables; refused if the text is not understood."""
    values: dict[DataPath, TextNode] = {}
    starts: dict[DataPath, int] = {}
    headers: list[tuple[DataPath, int, int]] = [((), 0, 0)]
    counts: dict[DataPath, int] = {}
    position = _after(_BLANKS, text, 0)
    while position < len(text):
        opening = _HEADER.match(text, position)
        if opening is not None:
            keys, end = _keys(text, opening.end())
            path = _resolved(keys, counts, is_list=len(opening[0]) > 1)
            body = _after(_LINE_REST, text, end)
            start = start_with_comments(text, line_start(text, position))
            headers.append((path, start, body))
            position = body
        else:
            keys, end = _keys(text, position)
            node = _value(text, _after(_BLANKS, text, end + 1))
            _note(values, (*headers[-1][0], *keys), node)
            starts[(*headers[-1][0], *keys)] = position
            position = node.end
        position = _after(_BLANKS, text, position)
    blocks = {}
    for number, (path, start, body) in enumerate(headers):
        ends = (begin for other, begin, _ in headers[number + 1 :] if other[: len(path)] != path)
        blocks[path] = Block(start, body, next(ends, len(text)))
    return Layout(values, blocks, starts)


def _note(values: dict[DataPath, TextNode], path: DataPath, node: TextNode) -> None:
    values[path] = node
    for index, item in enumerate(node.items or ()):
        _note(values, (*path, index), item)
    for key, member in (node.members or {}).items():
        _note(values, (*path, key), member)


def _resolved(keys: list[str], counts: dict[DataPath, int], *, is_list: bool) -> DataPath:
    """The path of a header: in a list of tables it means the last one."""
    path: DataPath = ()
    for number, key in enumerate(keys):
        path = (*path, key)
        if is_list and number == len(keys) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    if found is None:
        raise CannotRewrite(reasons.NOT_UNDERSTOOD)
    return found.end()


def _keys(text: str, position: int) -> tuple[list[str], int]:
    """The parts of a dotted key, and its end."""
    end = _after(_KEY, text, position)
    keys: list[str] = []
    value: Any = tomllib.loads(f"{text[position:end]} = 0")
    while isinstance(value, dict):
        ((key, value),) = value.items()
        keys.append(key)
    return keys, end


def _value(text: str, position: int) -> TextNode:
    opening = text[position]
    if opening in "\"'":
        return TextNode(position, _after(_STRING, text, position))
    if opening == "[":
        return _list(text, position)
    if opening == "{":
        return _table(text, position)
    end = _after(_SCALAR, text, position)
    return TextNode(position, position + len(text[position:end].rstrip()))


def _list(text: str, start: int) -> TextNode:
    items: list[TextNode] = []
    position = _after(_BLANKS, text, start + 1)
    while text[position] != "]":
        items.append(_value(text, position))
        position = _after(_BLANKS, text, items[-1].end)
        if text[position] == ",":
            position = _after(_BLANKS, text, position + 1)
    return TextNode(start, position + 1, tuple(items))


def _table(text: str, start: int) -> TextNode:
    members: dict[str, TextNode] = {}
    starts: dict[str, int] = {}
    position = _after(_BLANKS, text, start + 1)
    while text[position] != "}":
        keys, end = _keys(text, position)
        starts.setdefault(keys[0], position)
        value = _value(text, _after(_BLANKS, text, end + 1))
        members[keys[0]] = value if len(keys) == 1 else TextNode(position, value.end)
        position = _after(_BLANKS, text, value.end)
        if text[position] == ",":
            position = _after(_BLANKS, text, position + 1)
    return TextNode(start, position + 1, members=members, keys=starts)
