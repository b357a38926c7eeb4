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
)
from callscore.rewriting.change import CannotRewrite, Edit, FoundExpectation
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    ValueStyle,
    assign_slots,
    keep_comment,
    patch_edits,
    quote,
    replace_items,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ruamel.yaml.nodes import MappingNode
    from ruamel.yaml.nodes import Node as YamlNode

    from callscore.rewriting.change import Change, Item

__all__ = ["decode_yaml", "patches_in_yaml", "places_in_yaml"]

_PLAIN_SCALAR = re.compile(r"\$?[A-Za-z_][A-Za-z0-9_./]*(?:[ -][A-Za-z0-9_./]+)*")
# What some reader of YAML takes for something other than text.
_RESERVED_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_FLOW_ITEM = re.compile(r"(?:[ \t]*#[^\n]*\n)*[ \t]*-[ \t]+\{")
_NULL_TAG = "tag:yaml.org,2002:null"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_NO_NODE = TextNode(-1, -1)
_FILE_NAME = "file"


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
    for found in read_yaml(text.encode(), _FILE_NAME):
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
        elif document.tag != _NULL_TAG:
            yield document


def _member(node: MappingNode, key: str) -> Any:
    return next((value for name, value in node.value if name.value == key), None)


def places_in_yaml(text: str, change: Change) -> list[FoundExpectation]:
    """All places of a YAML text that may be the expectation."""
    records = _records(text)
    paths = matching_records(change, (((index,), record) for index, record in enumerate(records)))
    nodes = _record_nodes(text) if paths else []
    places = []
    for path in paths:
        index = int(path[0])
        edits = _edits(text, nodes[index], records[index], change)
        field = expected_field(records[index])
        value = new_expected_value(records[index][field], change)
        places.append(
            FoundExpectation(
                edits, ("records", index, field), value, *record_identity(records[index])
            )
        )
    return places


def patches_in_yaml(text: str, change: Change) -> list[FoundExpectation]:
    """The same, with the patches made there."""
    records = _records(text)
    paths = matching_records(change, (((index,), record) for index, record in enumerate(records)))
    nodes = _record_nodes(text) if paths else []
    places = []
    for path in paths:
        index = int(path[0])
        field = expected_field(records[index])
        value = records[index][field]
        tree = _tree(text, nodes[index])
        edits = [
            edit
            for call, patches in group_by_call(change.patches)
            for edit in patch_edits(
                text, node_at(tree, (field, *arguments_path(value, call))), patches, _STYLE
            )
        ]
        new = apply_patches(deepcopy(value), change.patches)
        places.append(
            FoundExpectation(
                tuple(edits), ("records", index, field), new, *record_identity(records[index])
            )
        )
    return places


def _tree(text: str, node: YamlNode) -> TextNode:
    """Where the values of a record stand; one that is an alias stands nowhere."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    start = node.start_mark.index
    end = start + len(_without_comments(text[start : node.end_mark.index]))
    if isinstance(node, SequenceNode):
        least = start
        items = []
        for item in node.value:
            is_own = item.start_mark.index >= least
            items.append(_tree(text, item) if is_own else _NO_NODE)
            least = max(least, items[-1].end)
        return TextNode(start, end, tuple(items), is_block=not node.flow_style)
    if not isinstance(node, MappingNode):
        return TextNode(start, end)
    members: dict[str, TextNode] = {}
    keys: dict[str, int] = {}
    for name, value in node.value:
        if not isinstance(name.value, str) or name.tag == _MERGE_TAG:
            continue
        keys[name.value] = name.start_mark.index
        after = name.end_mark.index
        if value.start_mark.index == value.end_mark.index:
            colon = text.index(":", after) + 1
            members[name.value] = TextNode(colon, colon)
        else:
            is_own = value.start_mark.index >= after
            members[name.value] = _tree(text, value) if is_own else _NO_NODE
    return TextNode(start, end, members=members, keys=keys, is_block=not node.flow_style)


def _edits(text: str, record: Any, value: dict[str, Any], change: Change) -> tuple[Edit, ...]:
    field = expected_field(value)
    key = next((name for name, _ in record.value if name.value == field), None)
    if key is None:
        raise CannotRewrite(reasons.MERGED, field=field)
    node = _member(record, field)
    start, end = node.start_mark.index, node.end_mark.index
    after_key = text.index(":", key.end_mark.index) + 1
    if start == end:  # nothing stands there, and it may well be said to be on a later line
        listed = TextNode(after_key, after_key, ())
        new = replace_items(text, listed, change.items, _flow_style(value[field]))
        return (Edit(after_key, after_key, f" {new}"),)
    if start < after_key or text[start] in "&*":
        raise CannotRewrite(reasons.SHARED_BY_ALIAS)
    if isinstance(node.value, list) and not node.flow_style and text[start] == "-":
        return _block_edits(text, node, after_key, (value[field], change))
    end = start + len(_without_comments(text[start:end]))
    is_list = isinstance(value[field], list)
    items = (
        tuple(TextNode(item.start_mark.index, item.end_mark.index) for item in node.value)
        if is_list
        else ()
    )
    listed = TextNode(start, end, items)
    return (Edit(start, end, replace_items(text, listed, change.items, _flow_style(value[field]))),)


def _flow_style(value: Any) -> ListStyle:
    return ListStyle(lambda call, _: _inline(call_in_style_of(value, call)))


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
    starts = [
        _line_start(text, _dash_position(text, item.start_mark.index, column))
        for item in node.value
    ]
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
    for item, slot in zip(items, assign_slots(items, len(segments)), strict=True):
        if isinstance(item, int):
            lines.append(segments[item])
            continue
        before = [] if slot is None else segments[slot].split("\n")
        lines += takewhile(lambda line: line.lstrip().startswith("#"), before)
        call = call_in_style_of(value, item)
        if _FLOW_ITEM.match(segments[slot or 0]):
            new = [f"{pad}- {_inline(call)}"]
        else:
            first, *rest = _block_lines(call, "")
            new = [f"{pad}- {first}", *[f"{pad}  {line}" for line in rest]]
        lines += keep_comment(new, before)
    return lines


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _dash_position(text: str, position: int, column: int) -> int:
    """Where the dash of an item stands: on its line, or above it."""
    start = _line_start(text, position)
    while text[start : start + column].strip() or not text.startswith("-", start + column):
        if not start:
            raise CannotRewrite(reasons.NOT_UNDERSTOOD)
        start = _line_start(text, start - 1)
    return start + column


def _with_comments(text: str, start: int, minimum: int) -> int:
    """Where an item begins if the comments right above it are its own."""
    before = _line_start(text, start - 1)
    while before > minimum and text[before:start].lstrip().startswith("#"):
        start, before = before, _line_start(text, before - 1)
    return start


def _block_lines(value: Any, indent: str) -> list[str]:
    """The lines of an object, one a member."""
    lines = []
    for key, member in value.items():
        name = f"{indent}{_scalar(key)}:"
        if isinstance(member, dict) and member:
            lines += [name, *_block_lines(member, f"{indent}  ")]
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
        is_plain = _PLAIN_SCALAR.fullmatch(value) and value.lower() not in _RESERVED_WORDS
        return value if is_plain else quote(value)
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    return repr(value)


def _member_text(key: str, told: str) -> str:
    return f"{_scalar(key)}: {told}"


_STYLE = ValueStyle(lambda value, _: _inline(matchers_to_json(value)), _member_text, _member_text)
