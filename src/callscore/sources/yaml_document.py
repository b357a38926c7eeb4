"""A YAML 1.2 document as JSON: `no` and `2024-01-15` are text."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from callscore.core.call import FaultyArray, FaultyObject, Malformed, excerpt, malformed_part
from callscore.core.large_number import LargeNumber, large_integer, number_from_text
from callscore.core.rendering import is_content_hidden
from callscore.errors import UnreadableInput
from callscore.sources.duplicate_keys import duplicate_problem
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.yaml_nodes import NotYAML, compose_documents

# The line numbers (from 1) of the parts of a document, by the keys that lead there.
LineNumbers = dict[tuple[str | int, ...], int]

_TAG_PREFIX = "tag:yaml.org,2002:"
_MERGE_TAG = f"{_TAG_PREFIX}merge"
_CONTAINER_TAGS = frozenset({f"{_TAG_PREFIX}map", f"{_TAG_PREFIX}seq"})
_TEXT_TAGS = frozenset(f"{_TAG_PREFIX}{name}" for name in ("str", "timestamp", "merge", "value"))
_BINARY_TAGS = (f"{_TAG_PREFIX}binary", "!binary")  # the second as Ruby writes it
# What Python and Ruby write for objects of their own is read for the data in it: a header whose name
# is a class of `str`, say. Nothing is constructed.
_MADE_TAG = re.compile(rf"{_TAG_PREFIX}python/object/(?:apply|new):.+")
_MAPPING_TAG = re.compile(
    rf"{_TAG_PREFIX}python/(?:dict|object:.+)|!ruby/(?:object|hash|struct)(?::.+)?"
)
_LIST_TAG = re.compile(rf"{_TAG_PREFIX}python/(?:tuple|list)|!ruby/array(?::.+)?")
_TEXT_TAG = re.compile(rf"{_TAG_PREFIX}python/(?:str|unicode)|!ruby/(?:string|sym|symbol)(?::.+)?")
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
# The parser also accepts numbers of YAML 1.1 (1_000, 0b11), which are text in YAML 1.2.
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NON_FINITE = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)
_BASES = {"0o": 8, "0x": 16}
# A few lines of aliases to aliases can expand to more values than fit into memory.
MAX_REPEATED = 200_000  # values that the aliases of a file repeat
_TEXT_SIZE = 100  # characters of a text that count as one value
_OPENAPI_KEYS = ("openapi", "swagger")
_TOO_DEEP = "the aliases are nested too deeply. Write such cases as JSON."
_SELF_ALIAS = "an alias contains itself. Remove it."


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
    builder = _Builder(text)  # one for all documents: so is its budget
    try:
        for document in compose_documents(text):
            yield from _records_of(document, builder, name)
    except NotYAML as error:
        yield BadRecord(f"{name}:{error.line}:{error.column}", error.problem)


def read_yaml_with_lines(text: str, name: str) -> tuple[Any, LineNumbers]:
    """The value of a YAML text and the line numbers of its parts; None for an empty text.

    Raises:
        UnreadableInput: it is not YAML, has no JSON value, or has more than one document.
    """
    try:
        documents = list(compose_documents(text))
        if len(documents) > 1:
            place = _place_of_mark(name, documents[1].start_mark)
            raise UnreadableInput(place, "a second document begins here. Put it in another file.")
        value = _Builder(text).build(documents[0]) if documents else None
    except _NotJSONError as error:
        place = _place_of_mark(name, error.node.start_mark)
        raise UnreadableInput(place, error.problem) from error
    except NotYAML as error:
        raise UnreadableInput(f"{name}:{error.line}:{error.column}", error.problem) from error
    except RecursionError as error:  # aliases to aliases to aliases
        raise UnreadableInput(name, _TOO_DEEP) from error
    return value, _lines_of(documents[0]) if documents else {}


def read_other_members(text: str, key: str) -> list[dict[str, Any]] | None:
    """The members beside a key, of all documents that have it; None if they cannot be read."""
    builder = _Builder(text)
    try:
        return [
            builder.build_members([member for member in document.value if member[0].value != key])
            for document in compose_documents(text)
            if isinstance(document, MappingNode)
            and any(name.value == key for name, _ in document.value)
        ]
    except (NotYAML, _NotJSONError, RecursionError):
        return None


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
            inner = (*path, _made_of(key).value if is_mapping else index)
            lines[inner] = key.start_mark.line + 1
            pending.append((inner, value))
    return lines


def _place_at(name: str, text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"{name}:{line}:{column}"


def _place_of_mark(name: str, mark: Any) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}"


def _records_of(
    document: Node, builder: _Builder, name: str
) -> Iterator[Record | BadRecord | Array]:
    if isinstance(document, SequenceNode):
        yield from _items_of(document, builder, name)
        return
    is_empty = isinstance(document, ScalarNode) and document.tag == f"{_TAG_PREFIX}null"
    nodes = [] if is_empty else [document]
    if isinstance(document, MappingNode):
        builder.has_numbers_as_keys = any(key.value in _OPENAPI_KEYS for key, _ in document.value)
        cases = next((value for key, value in document.value if key.value == "cases"), None)
        nodes = cases.value if isinstance(cases, SequenceNode) else nodes
    for node in nodes:
        yield _record_of(node, builder, name)


def _items_of(
    node: SequenceNode, builder: _Builder, name: str
) -> Iterator[Record | BadRecord | Array]:
    found = [_record_of(item, builder, name) for item in node.value]
    records = [each for each in found if isinstance(each, Record)]
    if len(records) < len(found):
        yield from found
        return
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
    """Builds the values of the nodes of one file.

    What an alias repeats is counted before it is built, and a node that failed once fails at once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.repeated = 0
        self.is_repeating = False
        self.has_numbers_as_keys = False  # as OpenAPI documents have, for the codes of responses
        self.built: dict[int, Node] = {}  # with the nodes, so that their ids stay theirs
        self.sizes: dict[int, int] = {}
        self.errors: dict[int, _NotJSONError] = {}

    def build(self, node: Node) -> Any:
        key = id(node)
        if key in self.errors:
            raise self.errors[key]
        is_first = not self.is_repeating and key in self.built
        if is_first:  # what is inside it is counted with it
            self.count_repeated(node)
            self.is_repeating = True
        self.built[key] = node
        try:
            return (
                self.build_scalar(node) if isinstance(node, ScalarNode) else self.build_once(node)
            )
        finally:
            self.is_repeating = self.is_repeating and not is_first

    def build_once(self, node: Node) -> Any:
        key = id(node)
        self.errors[key] = _NotJSONError(node, _SELF_ALIAS)  # until the node is complete
        try:
            value = self.build_container(node)
        except _NotJSONError as error:
            self.errors[key] = error
            raise
        except RecursionError:
            self.errors[key] = _NotJSONError(node, _TOO_DEEP)
            raise
        del self.errors[key]
        return value

    def count_repeated(self, node: Node) -> None:
        self.repeated += self.size_of(node)
        if self.repeated > MAX_REPEATED:
            problem = f"the aliases repeat more than {MAX_REPEATED:,} values. Use fewer aliases."
            raise _NotJSONError(node, problem)

    def size_of(self, node: Node) -> int:
        """The number of values in a node, in which a long text counts as several.

        Each node is counted once.
        """
        if isinstance(node, ScalarNode):
            return 1 + len(node.value) // _TEXT_SIZE
        known = self.sizes.get(id(node))
        if known is None:
            members = node.value
            if isinstance(node, MappingNode):
                members = [part for member in node.value for part in member]
            known = self.sizes[id(node)] = 1 + sum(map(self.size_of, members))
        return known

    def build_container(self, node: Node) -> Any:
        made_of = _made_of(node)
        if made_of is not node:
            return self.build(made_of)
        if node.tag not in _CONTAINER_TAGS:
            _require_plain_parts(node)
        if isinstance(node, MappingNode):
            members = self.build_members(node.value)
            fault = self.fault_among(members.values(), node)
            return FaultyObject(members, fault) if fault else members
        items = [self.build(item) for item in node.value]
        fault = self.fault_among(items, node)
        return FaultyArray(items, fault) if fault else items

    def build_members(self, nodes: list[tuple[Node, Node]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in nodes:
            value = self.build(value_node)
            if key_node.tag == _MERGE_TAG:
                merged = self.merge(value, key_node)
                continue
            key = self.build(key_node)
            if self.has_numbers_as_keys and key.__class__ is int:
                key = key_node.value
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
        if node.tag in _BINARY_TAGS:
            return _text_of_binary(node)
        if node.tag not in _TEXT_TAGS and not _TEXT_TAG.fullmatch(str(node.tag)):
            raise _unknown_tag(node)
        return value


def _made_of(node: Node) -> Node:
    """The text that an object of Python was made of, if it is all; otherwise the node itself."""
    if isinstance(node, ScalarNode) or not _MADE_TAG.fullmatch(str(node.tag)):
        return node
    given = node
    if isinstance(node, MappingNode):
        given = next((value for key, value in node.value if key.value == "args"), node)
    parts = given.value if isinstance(given, SequenceNode) else []
    return parts[0] if len(parts) == 1 and isinstance(parts[0], ScalarNode) else node


def _require_plain_parts(node: Node) -> None:
    """An error unless an object of Python or Ruby is written as a mapping or a list of its parts."""
    tag = _MAPPING_TAG if isinstance(node, MappingNode) else _LIST_TAG
    if not tag.fullmatch(str(node.tag)):
        raise _unknown_tag(node)


def _text_of_binary(node: ScalarNode) -> str:
    """The text that binary data is, as recorders of HTTP write it; otherwise the data in base64."""
    try:
        data = b64decode("".join(node.value.split()), validate=True)
    except (Base64Error, ValueError) as error:
        problem = "the binary value is not base64. Correct it, or remove the tag."
        raise _NotJSONError(node, problem) from error
    try:
        return data.decode()
    except UnicodeDecodeError:
        return b64encode(data).decode()


def _number_of(text: str) -> tuple[int | float | LargeNumber | str, str | None]:
    """The number of a text, and why JSON has no such number; other text is itself."""
    if _NON_FINITE.fullmatch(text):
        return text, f"{text} is not a JSON number"
    base = _BASES.get(text[:2])
    if base is not None and _INTEGER.fullmatch(text):
        return large_integer(int(text, base)), None
    is_number = _INTEGER.fullmatch(text) or _FLOAT.fullmatch(text)
    return number_from_text(text) if is_number else text, None


def _unknown_tag(node: Node) -> _NotJSONError:
    tag = str(node.tag).replace(_TAG_PREFIX, "!!")
    tag = "" if is_content_hidden() else f" {tag}"
    return _NotJSONError(node, f"the tag{tag} has no equivalent in JSON. Remove it.")
