"""Expectations in TOML, rewritten in place: comments, order and blanks stay as they are."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any

from callscore.rewriting.change import CannotRewrite, Edit, Found
from callscore.rewriting.comments import with_comments
from callscore.rewriting.lists import Writing, indent_at, quoted, relisted, slots_of
from callscore.rewriting.records import (
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

__all__ = ["decode_toml", "places_in_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
        places.append(Found(edits, (*path, field), value, record.get("id")))
    return places


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
        raise CannotRewrite("it is written with dotted keys. Write `expected = [...]` there.")
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
        raise CannotRewrite("its tables do not stand together.")
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
        new = [pad + line for line in with_comments(lines, above)]
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
        raise CannotRewrite("an argument is null, which TOML cannot say. Keep the case in YAML.")
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)
