"""Expectations in YAML, rewritten in place: comments, order and spaces are kept.

Written by hand because ruamel.yaml, which finds the positions here, changes spaces, quotes and the
columns of comments all over a file when it writes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.expectation_json import matchers_to_json
from callscore.rewriting import reasons
from callscore.rewriting.case_records import (
    call_in_style_of,
    find_places,
    node_at,
    patch_calls,
)
from callscore.rewriting.change import CannotRewrite, Change, DataPath, Edit, FoundExpectation
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    ValueStyle,
    line_start,
    quote,
    replace_items,
    replace_segments,
    start_with_comments,
)

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode
    from ruamel.yaml.nodes import Node as YamlNode


_PLAIN_SCALAR = re.compile(r"\$?[A-Za-z_][A-Za-z0-9_./]*(?:[ -][A-Za-z0-9_./]+)*")
# Words that some YAML parser does not read as text.
_RESERVED_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_FLOW_ITEM = re.compile(r"(?:[ \t]*#[^\n]*\n)*[ \t]*-[ \t]+\{")
_NULL_TAG = "tag:yaml.org,2002:null"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_NO_NODE = TextNode(-1, -1)


def decode_yaml(text: str) -> Any:
    """The records of a text, and everything else in its documents."""
    from callscore.sources.yaml_document import read_other_members

    others = read_other_members(text, "cases")
    if others is None:
        raise CannotRewrite(reasons.NOT_YAML)
    return {"records": _records(text), "others": others}


@lru_cache(maxsize=8)  # many cases are searched in one file
def _records(text: str) -> list[Any]:
    from callscore.sources.record import Array, BadRecord
    from callscore.sources.yaml_document import read_yaml

    values: list[Any] = []
    for found in read_yaml(text.encode(), "file"):
        if isinstance(found, BadRecord):
            raise CannotRewrite(found.problem)
        values += found.items if isinstance(found, Array) else [found.value]
    return values


@lru_cache(maxsize=8)
def _record_nodes(text: str) -> list[YamlNode]:
    """The nodes of the records, in the order of `_records`."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    from callscore.sources.yaml_nodes import compose_documents

    nodes: list[YamlNode] = []
    for document in compose_documents(text):
        cases = _member(document, "cases") if isinstance(document, MappingNode) else document
        if isinstance(cases, SequenceNode):
            nodes += cases.value
        elif document.tag != _NULL_TAG:
            nodes.append(document)
    return nodes


def _member(node: MappingNode, key: str) -> Any:
    return next((value for name, value in node.value if name.value == key), None)


def places_in_yaml(text: str, change: Change) -> list[FoundExpectation]:
    """All places in a YAML text that may be the expectation, with the edits."""

    def edits(path: DataPath, record: dict[str, Any], change: Change) -> Iterable[Edit]:
        _, index, field = path
        node = _record_nodes(text)[int(index)]
        if change.patches:
            target = node_at(_tree(text, node), (field,))
            return patch_calls(text, target, record[str(field)], change, _STYLE)
        return _edits(text, node, str(field), record[str(field)], change)

    records = ((("records", index), record) for index, record in enumerate(_records(text)))
    return find_places(change, records, edits)


def _tree(text: str, node: YamlNode) -> TextNode:
    """The positions of the values of a record; an alias has none."""
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


def _edits(text: str, record: Any, field: str, value: Any, change: Change) -> list[Edit]:
    style = ListStyle(lambda call, _: _inline(call_in_style_of(value, call)))
    key = next((name for name, _ in record.value if name.value == field), None)
    if key is None:
        raise CannotRewrite(reasons.MERGED, field=field)
    node = _member(record, field)
    start, end = node.start_mark.index, node.end_mark.index
    after_key = text.index(":", key.end_mark.index) + 1
    if start == end:  # an empty value, whose mark may be on a later line
        listed = TextNode(after_key, after_key, ())
        new = replace_items(text, listed, change.items, style)
        return [Edit(after_key, after_key, f" {new}")]
    if start < after_key or text[start] in "&*":
        raise CannotRewrite(reasons.SHARED_BY_ALIAS)
    if isinstance(node.value, list) and not node.flow_style and text[start] == "-":
        return _block_edits(text, node, after_key, value, change)
    end = start + len(_without_comments(text[start:end]))
    nodes = node.value if isinstance(value, list) else ()
    items = tuple(TextNode(item.start_mark.index, item.end_mark.index) for item in nodes)
    listed = TextNode(start, end, items)
    return [Edit(start, end, replace_items(text, listed, change.items, style))]


def _without_comments(text: str) -> str:
    """Lines without the blank lines and comments at their end."""
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "\n".join(lines).rstrip()


def _block_edits(
    text: str, node: YamlNode, after_key: int, value: Any, change: Change
) -> list[Edit]:
    """A list with one dash per item: each item has its lines, with the comments above it."""
    column = node.start_mark.column
    first, *others = [_dash_line(text, item.start_mark.index, column) for item in node.value]
    end = first + len(_without_comments(text[first : node.end_mark.index]))
    starts = [first, *[start_with_comments(text, start, first) for start in others]]
    segments = [
        text[start:stop].rstrip("\n")
        for start, stop in zip(starts, [*starts[1:], end], strict=True)
    ]
    if not change.items:
        return [Edit(after_key, after_key, " []"), Edit(first, min(end + 1, len(text)), "")]
    pad = " " * column

    def render(call: dict[str, Any], segment: str) -> list[str]:
        spelled = call_in_style_of(value, call)
        if _FLOW_ITEM.match(segment):
            return [f"{pad}- {_inline(spelled)}"]
        head, *rest = _block_lines(spelled, "")
        return [f"{pad}- {head}", *[f"{pad}  {line}" for line in rest]]

    return [Edit(first, end, "\n".join(replace_segments(segments, change.items, render)))]


def _dash_line(text: str, position: int, column: int) -> int:
    """The start of the line with the dash of an item: its line, or one above it."""
    start = line_start(text, position)
    while text[start : start + column].strip() or not text.startswith("-", start + column):
        if not start:
            raise CannotRewrite(reasons.NOT_UNDERSTOOD)
        start = line_start(text, start - 1)
    return start


def _block_lines(value: Any, indent: str) -> list[str]:
    """The lines of an object, one per member."""
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
        members = [_member_text(key, _inline(member)) for key, member in value.items()]
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


def _member_text(key: str, value: str) -> str:
    return f"{_scalar(key)}: {value}"


_STYLE = ValueStyle(lambda value, _: _inline(matchers_to_json(value)), _member_text, _member_text)
