"""Expectations in YAML, rewritten in place: comments, order and blanks stay as they are.

Written by hand because ruamel.yaml, which finds the positions here, changes blanks, quotes and the
columns of comments all over a file when it writes one.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from callscore.core.spelling import spell
from callscore.rewriting import reasons
from callscore.rewriting.calls import arguments_path, by_call, node_at, patched_value
from callscore.rewriting.change import CannotRewrite, Edit, Found
from callscore.rewriting.comments import with_comment
from callscore.rewriting.lists import Node, Writing, quoted, relisted, slots_of
from callscore.rewriting.patching import Style, patch_edits
from callscore.rewriting.records import (
    name_of_record,
    new_value,
    same_as,
    spelled_like,
    the_field,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ruamel.yaml.nodes import MappingNode
    from ruamel.yaml.nodes import Node as YamlNode

    from callscore.rewriting.change import Change, Item

__all__ = ["decode_yaml", "patches_in_yaml", "places_in_yaml"]

_PLAIN = re.compile(r"\$?[A-Za-z_][A-Za-z0-9_./]*(?:[ -][A-Za-z0-9_./]+)*")
# What some reader of YAML takes for something other than text.
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_FLOW_ITEM = re.compile(r"(?:[ \t]*#[^\n]*\n)*[ \t]*-[ \t]+\{")
_NULL = "tag:yaml.org,2002:null"
_MERGE = "tag:yaml.org,2002:merge"
_NOWHERE = Node(-1, -1)
_NAME = "file"


def decode_yaml(text: str) -> Any:
    """The records of a text, and beside them all that its documents hold in other places."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    records = _records(text)
    try:
        documents = list(YAML(typ="safe", pure=True).load_all(text))
    except YAMLError as error:
        raise CannotRewrite(reasons.NOT_YAML) from error
    others = [
        {key: value for key, value in document.items() if key != "cases"}
        for document in documents
        if isinstance(document, dict) and "cases" in document
    ]
    return {"records": records, "others": others}


@lru_cache(maxsize=8)  # many cases are looked for in one file
def _records(text: str) -> list[Any]:
    from callscore.sources.record import Array, BadRecord
    from callscore.sources.yaml_document import read_yaml

    values: list[Any] = []
    for found in read_yaml(text.encode(), _NAME):
        if isinstance(found, BadRecord):
            raise CannotRewrite(found.problem)
        values += found.items if isinstance(found, Array) else [found.value]
    return values


@lru_cache(maxsize=8)
def _record_nodes(text: str) -> list[YamlNode]:
    """The nodes of the records, in the order in which they are read."""
    return list(_composed(text))


def _composed(text: str) -> Iterator[YamlNode]:
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    for document in yaml.compose_all(text):
        cases = _member(document, "cases") if isinstance(document, MappingNode) else document
        if isinstance(cases, SequenceNode):
            yield from cases.value
        elif document.tag != _NULL:
            yield document


def _member(node: MappingNode, key: str) -> Any:
    return next((value for name, value in node.value if name.value == key), None)


def places_in_yaml(text: str, change: Change) -> list[Found]:
    """All places of a YAML text that may be the expectation."""
    records = _records(text)
    paths = same_as(change, (((index,), record) for index, record in enumerate(records)))
    nodes = _record_nodes(text) if paths else []
    places = []
    for path in paths:
        index = int(path[0])
        edits = _edits(text, nodes[index], records[index], change)
        field = the_field(records[index])
        value = new_value(records[index][field], change)
        places.append(
            Found(edits, ("records", index, field), value, *name_of_record(records[index]))
        )
    return places


def patches_in_yaml(text: str, change: Change) -> list[Found]:
    """The same, with the patches made there."""
    records = _records(text)
    paths = same_as(change, (((index,), record) for index, record in enumerate(records)))
    nodes = _record_nodes(text) if paths else []
    places = []
    for path in paths:
        index = int(path[0])
        field = the_field(records[index])
        value = records[index][field]
        tree = _tree(text, nodes[index])
        edits = [
            edit
            for call, patches in by_call(change.patches)
            for edit in patch_edits(
                text, node_at(tree, (field, *arguments_path(value, call))), patches, _STYLE
            )
        ]
        new = patched_value(deepcopy(value), change.patches)
        places.append(
            Found(tuple(edits), ("records", index, field), new, *name_of_record(records[index]))
        )
    return places


def _tree(text: str, node: YamlNode) -> Node:
    """Where the values of a record stand; one that is an alias stands nowhere."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    start = node.start_mark.index
    end = start + len(_without_comments(text[start : node.end_mark.index]))
    if isinstance(node, SequenceNode):
        least = start
        items = []
        for item in node.value:
            is_own = item.start_mark.index >= least
            items.append(_tree(text, item) if is_own else _NOWHERE)
            least = max(least, items[-1].end)
        return Node(start, end, tuple(items), is_block=not node.flow_style)
    if not isinstance(node, MappingNode):
        return Node(start, end)
    members: dict[str, Node] = {}
    keys: dict[str, int] = {}
    for name, value in node.value:
        if not isinstance(name.value, str) or name.tag == _MERGE:
            continue
        keys[name.value] = name.start_mark.index
        after = name.end_mark.index
        if value.start_mark.index == value.end_mark.index:
            colon = text.index(":", after) + 1
            members[name.value] = Node(colon, colon)
        else:
            is_own = value.start_mark.index >= after
            members[name.value] = _tree(text, value) if is_own else _NOWHERE
    return Node(start, end, members=members, keys=keys, is_block=not node.flow_style)


def _edits(text: str, record: Any, value: dict[str, Any], change: Change) -> tuple[Edit, ...]:
    field = the_field(value)
    key = next((name for name, _ in record.value if name.value == field), None)
    if key is None:
        raise CannotRewrite(reasons.MERGED, field=field)
    node = _member(record, field)
    start, end = node.start_mark.index, node.end_mark.index
    after_key = text.index(":", key.end_mark.index) + 1
    if start == end:  # nothing stands there, and it may well be said to be on a later line
        listed = Node(after_key, after_key, ())
        new = relisted(text, listed, change.items, _flow(value[field]))
        return (Edit(after_key, after_key, f" {new}"),)
    if start < after_key or text[start] in "&*":
        raise CannotRewrite(reasons.SHARED)
    if isinstance(node.value, list) and not node.flow_style and text[start] == "-":
        return _block_edits(text, node, after_key, (value[field], change))
    end = start + len(_without_comments(text[start:end]))
    is_list = isinstance(value[field], list)
    items = (
        tuple(Node(item.start_mark.index, item.end_mark.index) for item in node.value)
        if is_list
        else ()
    )
    listed = Node(start, end, items)
    return (Edit(start, end, relisted(text, listed, change.items, _flow(value[field]))),)


def _flow(value: Any) -> Writing:
    return Writing(lambda call, _: _inline(spelled_like(value, call)))


def _without_comments(text: str) -> str:
    """A stretch of lines without the blank lines and the comments that it ends with."""
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "\n".join(lines).rstrip()


def _block_edits(
    text: str, node: YamlNode, after_key: int, wanted: tuple[Any, Change]
) -> tuple[Edit, ...]:
    """A list with one dash an item: each item has its lines, the comments above it included."""
    value, change = wanted
    column = node.start_mark.column
    starts = [_line_start(text, _dash(text, item.start_mark.index, column)) for item in node.value]
    body = _without_comments(text[starts[0] : node.end_mark.index])
    end = starts[0] + len(body)
    starts = [starts[0], *[_with_comments(text, start, starts[0]) for start in starts[1:]]]
    segments = [
        text[start:stop].rstrip("\n")
        for start, stop in zip(starts, [*starts[1:], end], strict=True)
    ]
    if not change.items:
        return (Edit(after_key, after_key, " []"), Edit(starts[0], min(end + 1, len(text)), ""))
    lines = _new_segments(segments, change.items, value, " " * column)
    return (Edit(starts[0], end, "\n".join(lines)),)


def _new_segments(segments: list[str], items: Sequence[Item], value: Any, pad: str) -> list[str]:
    """The lines of all items; one that takes the place of another has the comments above it."""
    lines = []
    for item, slot in zip(items, slots_of(items, len(segments)), strict=True):
        if isinstance(item, int):
            lines.append(segments[item])
            continue
        before = [] if slot is None else segments[slot].split("\n")
        lines += takewhile(lambda line: line.lstrip().startswith("#"), before)
        call = spelled_like(value, item)
        if _FLOW_ITEM.match(segments[slot or 0]):
            new = [f"{pad}- {_inline(call)}"]
        else:
            first, *rest = _block(call, "")
            new = [f"{pad}- {first}", *[f"{pad}  {line}" for line in rest]]
        lines += with_comment(new, before)
    return lines


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _dash(text: str, position: int, column: int) -> int:
    """Where the dash of an item stands: on its line, or above it."""
    start = _line_start(text, position)
    while text[start : start + column].strip() or not text.startswith("-", start + column):
        if not start:
            raise CannotRewrite(reasons.NOT_UNDERSTOOD)
        start = _line_start(text, start - 1)
    return start + column


def _with_comments(text: str, start: int, least: int) -> int:
    """Where an item begins if the comments right above it are its own."""
    before = _line_start(text, start - 1)
    while before > least and text[before:start].lstrip().startswith("#"):
        start, before = before, _line_start(text, before - 1)
    return start


def _block(value: Any, indent: str) -> list[str]:
    """The lines of an object, one a member."""
    lines = []
    for key, member in value.items():
        name = f"{indent}{_scalar(key)}:"
        if isinstance(member, dict) and member:
            lines += [name, *_block(member, f"{indent}  ")]
        else:
            lines.append(f"{name} {_inline(member)}")
    return lines


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        members = [f"{_scalar(key)}: {_inline(member)}" for key, member in value.items()]
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if is_plain else quoted(value)
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    return repr(value)


def _member_text(key: str, told: str) -> str:
    return f"{_scalar(key)}: {told}"


_STYLE = Style(lambda value, _: _inline(spell(value)), _member_text, _member_text)
