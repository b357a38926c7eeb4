"""Expectations in TOML, rewritten in place: comments, order and blanks stay as they are.

Written by hand because tomlkit has no positions, and moves tables and comments when it writes.
"""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

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
    assign_slots,
    indent_at,
    keep_comment,
    patch_edits,
    quote,
    replace_items,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.rewriting.change import Change, DataPath

__all__ = ["decode_toml", "patches_in_toml", "places_in_toml", "scan_toml"]

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


@lru_cache(maxsize=8)  # many cases are looked for in one file
def decode_toml(text: str) -> Any:
    """The document that a text is; it is shared, and must not be changed."""
    return tomllib.loads(text)


def places_in_toml(text: str, change: Change) -> list[FoundExpectation]:
    """All places of a TOML text that may be the expectation."""

    def edits(path: DataPath, value: Any) -> Sequence[Edit]:
        return _edits(text, scan_toml(text), path, (value, change))

    return _places(text, change, edits, lambda value: new_expected_value(value, change))


def patches_in_toml(text: str, change: Change) -> list[FoundExpectation]:
    """The same, with the patches made there."""

    def edits(path: DataPath, value: Any) -> Sequence[Edit]:
        tree = _tree(scan_toml(text), path, value)
        return [
            edit
            for call, patches in group_by_call(change.patches)
            for edit in patch_edits(
                text, node_at(tree, arguments_path(value, call)), patches, _STYLE
            )
        ]

    return _places(
        text, change, edits, lambda value: apply_patches(deepcopy(value), change.patches)
    )


def _places(
    text: str,
    change: Change,
    edits: Callable[[DataPath, Any], Sequence[Edit]],
    new: Callable[[Any], Any],
) -> list[FoundExpectation]:
    document = decode_toml(text)
    places = []
    for path in matching_records(change, records_of(document)):
        record = document
        for step in path:
            record = record[step]
        field = expected_field(record)
        value, way = record[field], (*path, field)
        places.append(
            FoundExpectation(tuple(edits(way, value)), way, new(value), *record_identity(record))
        )
    return places


def _tree(layout: Layout, path: tuple[str | int, ...], value: Any) -> TextNode:
    """Where a value stands, and the values in it, in brackets or with lines of their own."""
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
    text: str, layout: Layout, path: tuple[str | int, ...], wanted: tuple[Any, Change]
) -> tuple[Edit, ...]:
    value, change = wanted
    node = layout.values.get(path)
    if node is not None:
        listed = node if node.items is not None else node._replace(items=())
        # A table in a line has no room for a line break, whatever stands in it.
        width = 100 if node.items is not None and path[:-1] in layout.tables else float("inf")
        writing = ListStyle(lambda call, _: _inline(call_in_style_of(value, call)), width)
        return (Edit(node.start, node.end, replace_items(text, listed, change.items, writing)),)
    blocks = [layout.tables.get((*path, index)) for index in range(len(value))]
    owner = layout.tables.get(path[:-1])
    found = [block for block in blocks if block is not None]
    if owner is None or not found or len(found) < len(blocks):
        raise CannotRewrite(reasons.DOTTED_KEYS)
    # Behind what stands in the table itself, and before the tables in it.
    below = min(block.start for block in layout.tables.values() if block.start >= owner.body)
    values = [each.end for each in layout.values.values() if owner.body <= each.start < below]
    position = text.find("\n", max(values, default=owner.body) - 1) + 1
    return _table_edits(text, (position, found), path, wanted)


def _table_edits(
    text: str,
    tables: tuple[int, list[Block]],
    path: tuple[str | int, ...],
    wanted: tuple[Any, Change],
) -> tuple[Edit, ...]:
    """Calls that are tables of their own: `[[cases.expected]]`, and what stands below it."""
    position, blocks = tables
    value, change = wanted
    if any(left.end != right.start for left, right in pairwise(blocks)):
        raise CannotRewrite(reasons.SCATTERED_TABLES)
    start, end = blocks[0].start, blocks[-1].end
    if not change.items:
        line = f"{path[-1]} = []\n"
        return (Edit(position, position, line), Edit(start, end, ""))
    header = ".".join(_key(step) for step in path if isinstance(step, str))
    segments = [text[block.start : block.end].rstrip("\r\n") for block in blocks]
    written = []
    for item, slot in zip(change.items, assign_slots(change.items, len(blocks)), strict=True):
        if isinstance(item, int):
            written.append(segments[item])
            continue
        above = [] if slot is None else segments[slot].split("\n")
        comments = takewhile(lambda line: line.lstrip().startswith("#"), above)
        members = call_in_style_of(value, item).items()
        lines = [f"[[{header}]]", *[f"{_key(key)} = {_inline(member)}" for key, member in members]]
        pad = indent_at(text, text.index("[[", start))
        new = [pad + line for line in keep_comment(lines, above)]
        written.append("\n".join([*comments, *new]))
    before, after = text[start:end].rstrip("\r\n"), text[start:end]
    return (Edit(start, end, "\n\n".join(written) + after[len(before) :]),)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quote(key)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        members = [f"{_key(key)} = {_inline(member)}" for key, member in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if value is None:
        raise CannotRewrite(reasons.NULL_IN_TOML)
    if isinstance(value, str):
        return quote(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _member_text(key: str, told: str) -> str:
    return f"{_key(key)} = {told}"


_STYLE = ValueStyle(
    lambda value, _: _inline(matchers_to_json(value)), _member_text, _member_text, may_trail=False
)


class Block(NamedTuple):
    """A table that has a header.

    Attributes:
        start: where it begins, its comments included.
        body: where what stands in it begins.
        end: where the next table begins that is not part of it.
    """

    start: int
    body: int
    end: int


class Layout(NamedTuple):
    """Where everything stands.

    Attributes:
        values: the values by their paths.
        tables: the tables by theirs.
        keys: where the keys of values that have lines of their own begin.
    """

    values: dict[DataPath, TextNode]
    tables: dict[DataPath, Block]
    keys: dict[DataPath, int]


@lru_cache(maxsize=8)
def scan_toml(text: str) -> Layout:
    """Where the values and the tables stand.

    Raises:
        CannotRewrite: it is written in a way that is not understood here.
    """
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
            headers.append((path, _with_comments(text, position), body))
            position = body
        else:
            keys, end = _keys(text, position)
            node = _value(text, _after(_BLANKS, text, end + 1))
            _note(values, (*headers[-1][0], *keys), node)
            starts[(*headers[-1][0], *keys)] = position
            position = node.end
        position = _after(_BLANKS, text, position)
    return Layout(values, _blocks(text, headers), starts)


def _note(values: dict[DataPath, TextNode], path: DataPath, node: TextNode) -> None:
    values[path] = node
    for index, item in enumerate(node.items or ()):
        _note(values, (*path, index), item)
    for key, member in (node.members or {}).items():
        _note(values, (*path, key), member)


def _blocks(text: str, headers: list[tuple[DataPath, int, int]]) -> dict[DataPath, Block]:
    blocks = {}
    for number, (path, start, body) in enumerate(headers):
        ends = (begin for other, begin, _ in headers[number + 1 :] if other[: len(path)] != path)
        blocks[path] = Block(start, body, next(ends, len(text)))
    return blocks


def _resolved(keys: list[str], counts: dict[DataPath, int], *, is_list: bool) -> DataPath:
    """The path that a header means: of lists of tables the last one that was begun."""
    path: DataPath = ()
    for number, key in enumerate(keys):
        path = (*path, key)
        if is_list and number == len(keys) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _with_comments(text: str, position: int) -> int:
    """Where a table begins if the comments right above it are its own."""
    start = text.rfind("\n", 0, position) + 1
    while start:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    if found is None:
        raise CannotRewrite(reasons.NOT_UNDERSTOOD)
    return found.end()


def _keys(text: str, position: int) -> tuple[list[str], int]:
    """The parts of a dotted key, and where it ends."""
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
