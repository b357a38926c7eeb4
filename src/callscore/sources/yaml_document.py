"""A YAML 1.2 document as JSON: `no` and `2024-01-15` are text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from callscore.core.call import FaultyArray, FaultyObject, Malformed, excerpt, malformed_part
from callscore.core.rendering import is_content_hidden
from callscore.errors import UnreadableInput
from callscore.sources.duplicate_keys import duplicate_problem
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ruamel.yaml.nodes import Node

__all__ = ["read_yaml", "read_yaml_with_lines"]

# The line numbers (from 1) of the parts of a document, by the keys that lead there.
LineNumbers = dict[tuple[str | int, ...], int]

_TAG_PREFIX = "tag:yaml.org,2002:"
_MERGE_TAG = f"{_TAG_PREFIX}merge"
_CONTAINER_TAGS = frozenset({f"{_TAG_PREFIX}map", f"{_TAG_PREFIX}seq"})
_TEXT_TAGS = frozenset(f"{_TAG_PREFIX}{name}" for name in ("str", "timestamp", "merge", "value"))
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
# The parser also accepts numbers of YAML 1.1 (1_000, 0b11), which are text in YAML 1.2.
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NON_FINITE = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)
_INFINITIES = (float("inf"), float("-inf"))
_BASES = {"0o": 8, "0x": 16}
_MAX_DIGITS = 3500  # few enough for Python to print the integer, even a hexadecimal one
# A few lines of aliases to aliases can expand to more values than fit into memory.
_MAX_VALUES = 5_000_000
_TOO_DEEP = "the YAML is nested too deeply, or an alias contains itself. Write such cases as JSON."


def read_yaml(data: bytes, name: str) -> Iterator[Record | BadRecord | Array]:
    """The records of all documents in a YAML text; a document without content has none.

    A document that is a list is one `Array`, unless one of its items is bad.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        place = _place_at(name, before, len(before))
        problem = f"the byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8."
        yield BadRecord(place, problem)
        return
    try:
        for document in _documents(text):
            yield from _records_of(document, text, name)
    except _YAML_ERRORS as error:
        yield _syntax_error(error, text, name)


# The parser does not check every escape before it decodes it: hence the ValueError.
_YAML_ERRORS = (MarkedYAMLError, ReaderError, RecursionError, ValueError)


def _syntax_error(error: Exception, text: str, name: str) -> BadRecord:
    if isinstance(error, MarkedYAMLError):
        place = _place_of_mark(name, error.problem_mark or error.context_mark)
        remedy = " Indent with spaces." if "'\\t'" in str(error.problem) else ""
        problem = "a syntax error" if is_content_hidden() else error.problem or error.context
        return BadRecord(place, f"not YAML: {problem}.{remedy}")
    if isinstance(error, ReaderError):
        place = _place_at(name, text, error.position)
        problem = f"not YAML: the character U+{ord(text[error.position]):04X} is not allowed in it."
        return BadRecord(place, problem)
    if isinstance(error, RecursionError):
        return BadRecord(name, _TOO_DEEP)
    return BadRecord(name, f"not YAML: {error}.")


def read_yaml_with_lines(text: str, name: str) -> tuple[Any, LineNumbers]:
    """The value of a YAML text and the line numbers of its parts; None for an empty text.

    Raises:
        UnreadableInput: it is not YAML, has no JSON value, or has more than one document.
    """
    try:
        documents = list(_documents(text))
        if len(documents) > 1:
            place = _place_of_mark(name, documents[1].start_mark)
            raise UnreadableInput(place, "a second document begins here. Put it in another file.")
        value = _Builder(text).build(documents[0]) if documents else None
    except _NotJSONError as error:
        place = _place_of_mark(name, error.node.start_mark)
        raise UnreadableInput(place, error.problem) from error
    except _YAML_ERRORS as error:
        if isinstance(error, UnreadableInput):
            raise
        bad = _syntax_error(error, text, name)
        raise UnreadableInput(bad.place, bad.problem) from error
    return value, _lines_of(documents[0]) if documents else {}


def _lines_of(document: Node) -> LineNumbers:
    """The line of each part; what an alias repeats has the line of its anchor."""
    lines: LineNumbers = {}
    seen: set[int] = set()
    pending: list[tuple[tuple[str | int, ...], Node]] = [((), document)]
    while pending:
        path, node = pending.pop()
        if id(node) in seen or isinstance(node, ScalarNode):
            continue
        seen.add(id(node))
        is_mapping = isinstance(node, MappingNode)
        members = node.value if is_mapping else [(item, item) for item in node.value]
        for index, (key, value) in enumerate(members):
            inner = (*path, key.value if is_mapping else index)
            lines[inner] = key.start_mark.line + 1
            pending.append((inner, value))
    return lines


def _documents(text: str) -> Iterator[Node]:
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # YAML allows them: the last one before counts
    yield from yaml.compose_all(text)


def _place_at(name: str, text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"{name}:{line}:{column}"


def _place_of_mark(name: str, mark: Any) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}"


def _records_of(document: Node, text: str, name: str) -> Iterator[Record | BadRecord | Array]:
    if isinstance(document, SequenceNode):
        yield from _items_of(document, text, name)
        return
    is_empty = isinstance(document, ScalarNode) and document.tag == f"{_TAG_PREFIX}null"
    nodes = [] if is_empty else [document]
    if isinstance(document, MappingNode):
        cases = next((value for key, value in document.value if key.value == "cases"), None)
        nodes = cases.value if isinstance(cases, SequenceNode) else nodes
    for node in nodes:
        yield _record_of(node, _Builder(text), name)


def _items_of(node: SequenceNode, text: str, name: str) -> Iterator[Record | BadRecord | Array]:
    builder = _Builder(text)  # one for all, because all are in memory at once
    records: list[Record] = []
    for index, item in enumerate(node.value):
        record = _record_of(item, builder, name)
        if isinstance(record, BadRecord):
            yield from records
            for other in node.value[index:]:
                yield _record_of(other, _Builder(text), name)
            return
        records.append(record)
    items = [record.value for record in records]
    fault = builder.fault_among(items, node)
    yield Array(
        f"{name}:{node.start_mark.line + 1}",
        FaultyArray(items, fault) if fault else items,
        tuple(record.place for record in records),
    )


def _record_of(node: Node, builder: _Builder, name: str) -> Record | BadRecord:
    place = f"{name}:{node.start_mark.line + 1}"
    try:
        return Record(place, builder.build(node))
    except _NotJSONError as error:
        return BadRecord(_place_of_mark(name, error.node.start_mark), error.problem)
    except RecursionError:
        return BadRecord(place, _TOO_DEEP)


class _NotJSONError(Exception):
    """YAML that has no equivalent in JSON."""

    def __init__(self, node: Node, problem: str) -> None:
        super().__init__(problem)
        self.node = node
        self.problem = problem


class _Builder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0

    def build(self, node: Node) -> Any:
        self.count += 1
        if self.count > _MAX_VALUES:
            problem = f"the aliases expand to more than {_MAX_VALUES:,} values. Use fewer aliases."
            raise _NotJSONError(node, problem)
        if isinstance(node, ScalarNode):
            return self.build_scalar(node)
        if node.tag not in _CONTAINER_TAGS:
            raise _unknown_tag(node)
        if isinstance(node, MappingNode):
            members = self.build_members(node)
            fault = self.fault_among(members.values(), node)
            return FaultyObject(members, fault) if fault else members
        items = [self.build(item) for item in node.value]
        fault = self.fault_among(items, node)
        return FaultyArray(items, fault) if fault else items

    def build_members(self, node: MappingNode) -> dict[str, Any]:
        members: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            value = self.build(value_node)
            if key_node.tag == _MERGE_TAG:
                merged = self.merge(value, key_node)
                continue
            key = self.build(key_node)
            if not isinstance(key, str):
                raise _NotJSONError(key_node, "a key is not text. Put it in quotes.")
            if key in members:
                raise _NotJSONError(key_node, duplicate_problem(key))
            members[key] = value
        return merged | members

    def merge(self, value: Any, key_node: Node) -> dict[str, Any]:
        """The members that `<<` adds, from one mapping or several; the first one wins."""
        merged: dict[str, Any] = {}
        for mapping in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(mapping, dict):
                raise _NotJSONError(key_node, "'<<' requires a mapping or a list of mappings.")
            merged |= mapping
        return merged

    def fault_among(self, values: Iterable[Any], node: Node) -> Malformed | None:
        faults = (malformed_part(value) for value in values)
        first = next((fault for fault in faults if fault), None)
        return Malformed(self.source_of(node), first.problem) if first else None

    def source_of(self, node: Node) -> str:
        return excerpt(self.text[node.start_mark.index : node.end_mark.index].rstrip())

    def build_scalar(self, node: ScalarNode) -> Any:
        kind = str(node.tag).removeprefix(_TAG_PREFIX)
        value: str = node.value
        if kind in ("bool", "null"):
            return _CONSTANTS.get(value.lower(), value)
        if kind in ("int", "float"):
            number, problem = _number_of(value)
            return number if problem is None else Malformed(self.source_of(node), problem)
        if node.tag not in _TEXT_TAGS:
            raise _unknown_tag(node)
        return value


def _number_of(text: str) -> tuple[int | float | str, str | None]:
    """The number of a text, and why JSON has no such number; other text is itself."""
    if _NON_FINITE.fullmatch(text):
        return text, f"{text} is not a JSON number"
    if _INTEGER.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            return text, f"an integer of more than {_MAX_DIGITS} digits"
        return int(text, _BASES.get(text[:2], 10)), None
    value = float(text) if _FLOAT.fullmatch(text) else text
    return value, "a number out of range" if value in _INFINITIES else None


def _unknown_tag(node: Node) -> _NotJSONError:
    tag = str(node.tag).replace(_TAG_PREFIX, "!!")
    tag = "" if is_content_hidden() else f" {tag}"
    return _NotJSONError(node, f"the tag{tag} has no equivalent in JSON. Remove it.")
