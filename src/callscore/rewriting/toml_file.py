"""Expectations in TOML, rewritten in place: comments, order and blanks stay as they are."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any

from callscore.core.spelling import spell
from callscore.rewriting import reasons
from callscore.rewriting.calls import arguments_path, by_call, node_at, patched_value
from callscore.rewriting.change import CannotRewrite, Edit, Found
from callscore.rewriting.comments import with_comment
from callscore.rewriting.lists import Node, Writing, indent_at, quoted, relisted, slots_of
from callscore.rewriting.patching import Style, patch_edits
from callscore.rewriting.records import (
    name_of_record,
    new_value,
    records_of,
    same_as,
    spelled_like,
    the_field,
)
from callscore.rewriting.toml_spans import scan_toml

if TYPE_CHECKING:
    from callscore.rewriting.change import Change
    from callscore.rewriting.toml_spans import Block, Layout

__all__ = ["decode_toml", "patches_in_toml", "places_in_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NOWHERE = Node(-1, -1)


def decode_toml(text: str) -> Any:
    """The document that a text is."""
    return tomllib.loads(text)


@lru_cache(maxsize=8)  # many cases are looked for in one file
def _document(text: str) -> Any:
    return decode_toml(text)


@lru_cache(maxsize=8)
def _scanned(text: str) -> Layout:
    return scan_toml(text)


def places_in_toml(text: str, change: Change) -> list[Found]:
    """All places of a TOML text that may be the expectation."""
    document = _document(text)
    paths = same_as(change, records_of(document))
    if not paths:
        return []
    layout = _scanned(text)
    places = []
    for path in paths:
        record = document
        for step in path:
            record = record[step]
        field = the_field(record)
        edits = _edits(text, layout, (*path, field), (record[field], change))
        value = new_value(record[field], change)
        places.append(Found(edits, (*path, field), value, *name_of_record(record)))
    return places


def patches_in_toml(text: str, change: Change) -> list[Found]:
    """The same, with the patches made there."""
    document = _document(text)
    places = []
    for path in same_as(change, records_of(document)):
        record = document
        for step in path:
            record = record[step]
        field = the_field(record)
        tree = _tree(_scanned(text), (*path, field), record[field])
        edits = [
            edit
            for call, patches in by_call(change.patches)
            for edit in patch_edits(
                text, node_at(tree, arguments_path(record[field], call)), patches, _STYLE
            )
        ]
        new = patched_value(deepcopy(record[field]), change.patches)
        places.append(Found(tuple(edits), (*path, field), new, *name_of_record(record)))
    return places


def _tree(layout: Layout, path: tuple[str | int, ...], value: Any) -> Node:
    """Where a value stands, and the values in it, in brackets or with lines of their own."""
    known = layout.values.get(path)
    if known is not None:
        return known
    if isinstance(value, list):
        items = [_tree(layout, (*path, number), item) for number, item in enumerate(value)]
        return Node(items[0].start, items[-1].end, tuple(items)) if items else _NOWHERE
    block = layout.tables.get(path)
    if block is None or not isinstance(value, dict):
        return _NOWHERE
    inner = {key: _tree(layout, (*path, key), member) for key, member in value.items()}
    keys = {key: layout.keys[*path, key] for key in inner if (*path, key) in layout.keys}
    return Node(block.body, block.body, members=inner, keys=keys, is_block=True)


def _edits(
    text: str, layout: Layout, path: tuple[str | int, ...], wanted: tuple[Any, Change]
) -> tuple[Edit, ...]:
    value, change = wanted
    node = layout.values.get(path)
    if node is not None:
        listed = node if node.items is not None else node._replace(items=())
        # A table in a line has no room for a line break, whatever stands in it.
        width = 100 if node.items is not None and path[:-1] in layout.tables else float("inf")
        writing = Writing(lambda call, _: _inline(spelled_like(value, call)), width)
        return (Edit(node.start, node.end, relisted(text, listed, change.items, writing)),)
    blocks = [layout.tables.get((*path, index)) for index in range(len(value))]
    owner = layout.tables.get(path[:-1])
    found = [block for block in blocks if block is not None]
    if owner is None or not found or len(found) < len(blocks):
        raise CannotRewrite(reasons.DOTTED)
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
        raise CannotRewrite(reasons.SCATTERED)
    start, end = blocks[0].start, blocks[-1].end
    if not change.items:
        line = f"{path[-1]} = []\n"
        return (Edit(position, position, line), Edit(start, end, ""))
    header = ".".join(_key(step) for step in path if isinstance(step, str))
    segments = [text[block.start : block.end].rstrip("\n") for block in blocks]
    written = []
    for item, slot in zip(change.items, slots_of(change.items, len(blocks)), strict=True):
        if isinstance(item, int):
            written.append(segments[item])
            continue
        above = [] if slot is None else segments[slot].split("\n")
        comments = takewhile(lambda line: line.lstrip().startswith("#"), above)
        members = spelled_like(value, item).items()
        lines = [f"[[{header}]]", *[f"{_key(key)} = {_inline(member)}" for key, member in members]]
        pad = indent_at(text, text.index("[[", start))
        new = [pad + line for line in with_comment(lines, above)]
        written.append("\n".join([*comments, *new]))
    before, after = text[start:end].rstrip("\n"), text[start:end]
    return (Edit(start, end, "\n\n".join(written) + after[len(before) :]),)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        members = [f"{_key(key)} = {_inline(member)}" for key, member in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if value is None:
        raise CannotRewrite(reasons.IS_NULL)
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _member_text(key: str, told: str) -> str:
    return f"{_key(key)} = {told}"


_STYLE = Style(lambda value, _: _inline(spell(value)), _member_text, _member_text, may_trail=False)
