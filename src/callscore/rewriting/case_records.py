"""Case records in a file: which one is meant, and how and where it writes its calls."""

from __future__ import annotations

from copy import deepcopy
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.equality import equal
from callscore.core.expectation_json import contains_rule_keys, expected_to_json, matchers_to_json
from callscore.errors import CallscoreError
from callscore.formats.calls import ARGUMENT_KEYS, NAME_KEYS
from callscore.formats.case_fields import EXPECTED_FIELDS, EXPECTED_TOOL_FIELD
from callscore.formats.case_sides import read_expected_side
from callscore.formats.expectations import GROUPS
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, apply_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.rewriting.change import Change, DataPath, Patch
    from callscore.rewriting.edits import TextNode

__all__ = [
    "apply_patches",
    "arguments_path",
    "call_in_style_of",
    "expected_field",
    "group_by_call",
    "matching_records",
    "may_have_name",
    "new_expected_value",
    "node_at",
    "patched_expectation",
    "record_identity",
    "records_of",
    "with_whole_calls",
]


# Which record of a file is the case whose expectation is rewritten, and how it spells calls.


def records_of(document: Any) -> Iterator[tuple[DataPath, Any]]:
    """The records of a document, with their paths: a list, those under `cases`, or the document."""
    cases = document.get("cases") if isinstance(document, dict) else None
    if isinstance(cases, list):
        yield from ((("cases", index), record) for index, record in enumerate(cases))
    elif isinstance(document, list):
        yield from (((index,), record) for index, record in enumerate(document))
    else:
        yield (), document


def matching_records(change: Change, records: Iterable[tuple[DataPath, Any]]) -> list[DataPath]:
    """The paths of all records that may be the case: what is asked and expected is the same."""
    return [
        path
        for path, record in records
        if isinstance(record, dict)
        and may_have_name(record.get("id"), change.case)
        and equal(record.get("input"), change.input)
        and _has_same_expectation(record, change)
    ]


def may_have_name(case_id: Any, name: str) -> bool:
    """Whether a case with this id, or with none, can have been named so in a run."""
    if case_id is None:
        return True
    # Where two have the same id, a number behind it tells them apart.
    rest = name.removeprefix(str(case_id))
    return name.startswith(str(case_id)) and (not rest or rest[1:].isdigit())


def record_identity(record: dict[str, Any]) -> tuple[Any, Any]:
    """By what a record is told from others: its id, and which trial it is."""
    return record.get("id"), record.get("trial")


def expected_field(record: dict[str, Any]) -> str:
    """The field of a record that says what is expected.

    Raises:
        CannotRewrite: it holds a name, and has no room for calls.
    """
    field = next(field for field in EXPECTED_FIELDS if field in record)
    if field == EXPECTED_TOOL_FIELD:
        raise CannotRewrite(reasons.NAME_ONLY_FIELD, field=field)
    return field


def _has_same_expectation(record: dict[str, Any], change: Change) -> bool:
    field = next((field for field in EXPECTED_FIELDS if field in record), None)
    if field is None:
        return False
    value = record[field]
    if field == EXPECTED_TOOL_FIELD and isinstance(value, str):
        value = [value]
    try:
        spelled = [
            expected_to_json(item) for item in read_expected_side(value, where=field, spelled=True)
        ]
    except CallscoreError:
        return False
    return equal(spelled, change.expected)


def call_in_style_of(value: Any, call: dict[str, Any]) -> dict[str, Any]:
    """A call as a file spells it that spells others as in this value: `tool` and `args`, say."""
    others = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    keys = [key for item in others for key in item]
    name = next((key for key in keys if key in NAME_KEYS), "name")
    arguments = next((key for key in keys if key in ARGUMENT_KEYS), "arguments")
    if name == "function":  # which may hold both
        name, arguments = "name", "arguments"
    return {name: call["name"], arguments: matchers_to_json(call["arguments"])}


def new_expected_value(value: Any, change: Change) -> list[Any]:
    """What is to be expected, as the file spells it.

    Raises:
        CannotRewrite: an item that is to stay is not there.
    """
    old = value if isinstance(value, list) else []
    kept = [item for item in change.items if isinstance(item, int)]
    if any(place >= len(old) for place in kept):
        raise CannotRewrite(reasons.ANOTHER_LIST)
    return [
        old[item] if isinstance(item, int) else call_in_style_of(value, item)
        for item in change.items
    ]


# Where the calls of what is expected stand in a file, and their arguments; the same in its data.

_Path = tuple[str | int, ...]
_PAIR_LENGTH = 2
_RULE_PREFIX = "$"


def group_by_call(patches: Sequence[Patch]) -> Iterator[tuple[tuple[int, ...], list[Patch]]]:
    """The patches of each call."""
    ordered = sorted(patches, key=lambda patch: patch.call)
    for call, group in groupby(ordered, key=lambda patch: patch.call):
        yield call, list(group)


def arguments_path(value: Any, call: tuple[int, ...]) -> _Path:
    """What leads to the arguments of a call in what is expected, as a file spells it.

    Raises:
        CannotRewrite: they are not written as an object.
    """
    first, *rest = call
    if not isinstance(value, list):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    path: list[str | int] = [first]
    item = value[first]
    for member in rest:
        kind = next((kind for kind in GROUPS if isinstance(item, dict) and kind in item), None)
        if kind is None:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        path.append(kind)
        item = item[kind]
        if isinstance(item, list):
            path.append(member)
            item = item[member]
    return (*path, *_arguments_keys(item))


def _arguments_keys(item: Any) -> Iterator[str | int]:
    if isinstance(item, dict):
        inner = item.get("function")
        if isinstance(inner, dict):
            yield "function"
            item = inner
        known = [key for key in item if key in ARGUMENT_KEYS and isinstance(item[key], dict)]
        if len(known) == 1 and any(key in NAME_KEYS for key in item):
            yield known[0]
            return
    elif isinstance(item, list) and len(item) == _PAIR_LENGTH and isinstance(item[1], dict):
        yield 1
        return
    raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)


def node_at(node: TextNode, path: _Path) -> TextNode:
    """The value to which a path leads.

    Raises:
        CannotRewrite: there is none that is written out.
    """
    for step in path:
        inner: TextNode | None = None
        if isinstance(step, int) and node.items is not None and step < len(node.items):
            inner = node.items[step]
        elif isinstance(step, str) and node.members is not None:
            inner = node.members.get(step)
        if inner is None or inner.start < 0:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        node = inner
    return node


def apply_patches(value: Any, patches: Sequence[Patch]) -> Any:
    """What is expected, as a file spells it, with the patches in it.

    Raises:
        CannotRewrite: they cannot be made there.
    """
    for patch in patches:
        if any(
            str(step).startswith(_RULE_PREFIX) for step in patch.path
        ):  # it would be read as a rule
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        path = (*arguments_path(value, patch.call), *patch.path)
        try:
            apply_patch(value, path, patch, matchers_to_json(patch.value))
        except (LookupError, TypeError) as error:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS) from error
    return value


_CALL_FIELDS = {"name", "arguments"}


def patched_expectation(change: Change) -> list[Any] | None:
    """What is expected with the patches in it, as a case file spells it."""
    if change.expected is None:
        return None
    found: list[Any] = apply_patches(deepcopy(change.expected), change.patches)
    return found


def with_whole_calls(change: Change) -> Change | None:
    """The change with whole calls in place of patches; None where that would lose more than values.

    Rules and groups would be lost with the call that they stand in.
    """
    known = change.expected
    if known is None:
        return None
    whole: dict[int, Any] = {}
    for patch in change.patches:
        place = patch.call[0]
        if set(known[place]) != _CALL_FIELDS or contains_rule_keys(known[place]):
            return None
        arguments = whole.setdefault(place, deepcopy(known[place]))["arguments"]
        apply_patch(arguments, patch.path, patch, patch.value)
    items = tuple(whole.get(item, item) if isinstance(item, int) else item for item in change.items)
    return replace(change, items=items, patches=())
