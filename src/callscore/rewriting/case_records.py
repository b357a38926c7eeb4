"""Case records in a file: which one is meant, and how and where it writes its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from callscore.core.case import STATE_KIND
from callscore.core.equality import equal
from callscore.core.expectation_json import contains_rule_keys, expected_to_json, matchers_to_json
from callscore.errors import CallscoreError
from callscore.formats.calls import ARGUMENT_KEYS, NAME_KEYS
from callscore.formats.case_fields import (
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    EXPECTED_TOOL_FIELD,
    TURNS_FIELD,
    is_turns,
)
from callscore.formats.cases import read_reference
from callscore.formats.expectations import GROUPS
from callscore.rewriting import reasons
from callscore.rewriting.change import (
    CannotRewrite,
    Change,
    DataPath,
    Edit,
    FoundExpectation,
    Patch,
    apply_patch,
)
from callscore.rewriting.edits import TextNode, ValueStyle, child_of, patch_edits


def records_of(document: Any) -> Iterator[tuple[DataPath, Any]]:
    """The records of a document, with their paths: a list, those under `cases`, or the document."""
    cases = document.get("cases") if isinstance(document, dict) else None
    if isinstance(cases, list):
        yield from ((("cases", index), record) for index, record in enumerate(cases))
    elif isinstance(document, list):
        yield from (((index,), record) for index, record in enumerate(document))
    else:
        yield (), document


def find_places(
    change: Change,
    records: Iterable[tuple[DataPath, Any]],
    edits_of: Callable[[DataPath, dict[str, Any], Change], Iterable[Edit]],
) -> list[FoundExpectation]:
    """The expectations of all records that may be the case, with the edits of the change.

    A change with patches does not change the items. `edits_of` returns the edits, given the path of
    the expectation, its record and the change of the list in it.
    """
    places = []
    for path, record in records:
        if not _may_be_case(record, change):
            continue
        field = expected_field(record)
        own = _without_outer_state(record[field], change)
        edits = tuple(edits_of((*path, field), record, own))
        if change.patches:
            value = apply_patches(deepcopy(record[field]), change.patches)
        else:
            value = new_expected_value(record[field], own)
        identity = record.get("id"), record.get("trial")
        places.append(FoundExpectation(edits, (*path, field), value, *identity))
    return places


def _may_be_case(record: Any, change: Change) -> bool:
    """Whether a record may be the case: the input and the expectation are equal."""
    if not isinstance(record, dict) or not may_have_name(record.get("id"), change.case):
        return False
    if not is_turns(record.get(TURNS_FIELD)) and not equal(record.get("input"), change.input):
        return False
    return _has_same_expectation(record, change)


def may_have_name(case_id: Any, name: str) -> bool:
    """Whether a case with this id, or without one, may have this name in a run."""
    if case_id is None:
        return True
    # Repeated ids are numbered.
    rest = name.removeprefix(str(case_id))
    return name.startswith(str(case_id)) and (not rest or rest[1:].isdigit())


def expected_field(record: dict[str, Any]) -> str:
    """The field of a record that has the expectation; the name of a tool cannot become calls."""
    field = _field_of(record) or EXPECTED_FIELDS[0]
    if field == EXPECTED_TOOL_FIELD:
        raise CannotRewrite(reasons.NAME_ONLY_FIELD, field=field)
    return field


def _field_of(record: dict[str, Any]) -> str | None:
    if is_turns(record.get(TURNS_FIELD)):
        return TURNS_FIELD
    return next((field for field in EXPECTED_FIELDS if field in record), None)


def _has_same_expectation(record: dict[str, Any], change: Change) -> bool:
    if _field_of(record) is None:
        return False
    given = {key: value for key, value in record.items() if key not in _NOT_EXPECTED}
    try:
        case = read_reference(given, place="a case")
        spelled = [expected_to_json(item) for item in case.expected or ()]
    except CallscoreError:
        return False
    return equal(spelled, change.expected) and equal(case.input, change.input)


# What a record says beside its expectation, and may be wrong.
_NOT_EXPECTED = frozenset(("id", "tags", *EITHER_SIDE_FIELDS))


def call_in_style_of(value: Any, call: dict[str, Any]) -> dict[str, Any]:
    """A call with the keys of the calls in a value: `tool` and `args`, say; a group as it is."""
    if "name" not in call:
        return call
    others = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    keys = [key for item in others for key in item]
    name = next((key for key in keys if key in NAME_KEYS), "name")
    arguments = next((key for key in keys if key in ARGUMENT_KEYS), "arguments")
    if name == "function":  # which may hold both
        name, arguments = "name", "arguments"
    return {name: call["name"], arguments: matchers_to_json(call["arguments"])}


def new_expected_value(value: Any, change: Change) -> list[Any]:
    """The new expectation, with the keys that the file uses."""
    old = value if isinstance(value, list) else []
    kept = [item for item in change.items if isinstance(item, int)]
    if any(place >= len(old) for place in kept):
        raise CannotRewrite(reasons.ANOTHER_LIST)
    return [
        old[item] if isinstance(item, int) else call_in_style_of(value, item)
        for item in change.items
    ]


def _without_outer_state(value: Any, change: Change) -> Change:
    """The change of the list, if the expected state has a field of its own beside it."""
    known = change.expected or []
    last = len(known) - 1
    is_state = last >= 0 and known[last].get("kind") == STATE_KIND
    written = len(value) if isinstance(value, list) else 1
    if not is_state or written != last:
        return change
    return replace(change, items=tuple([item for item in change.items if item != last]))


_PAIR_LENGTH = 2


def group_by_call(patches: Sequence[Patch]) -> Iterator[tuple[tuple[int, ...], list[Patch]]]:
    """The patches by call."""
    ordered = sorted(patches, key=lambda patch: patch.call)
    for call, group in groupby(ordered, key=lambda patch: patch.call):
        yield call, list(group)


def patch_calls(
    text: str, target: TextNode, value: Any, change: Change, style: ValueStyle
) -> Iterator[Edit]:
    """The edits for the patches of a change, given the node and the value of the expectation."""
    for call, patches in group_by_call(change.patches):
        arguments = node_at(target, arguments_path(value, call))
        yield from patch_edits(text, arguments, patches, style)


def arguments_path(value: Any, call: tuple[int, ...]) -> DataPath:
    """The path of the arguments of a call in an expectation; they must be written as an object."""
    first, *rest = call
    if not isinstance(value, list):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    path: list[str | int] = [first]
    item = value[first]
    for member in rest:
        if isinstance(item, dict):
            known = [key for key in (*GROUPS, *EXPECTED_FIELDS) if key in item]
            if not known:
                raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
            path.append(known[0])
            item = item[known[0]]
        if isinstance(item, list):  # of a group, or of a turn
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


def node_at(node: TextNode, path: DataPath) -> TextNode:
    """The node at a path; refused if there is none in the text."""
    for step in path:
        inner = child_of(node, step)
        if inner is None or inner.start < 0:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        node = inner
    return node


def apply_patches(value: Any, patches: Sequence[Patch]) -> Any:
    """An expectation, as a file spells it, with the patches applied."""
    for patch in patches:
        # Such a key would be read as a rule.
        if any(str(step).startswith("$") for step in patch.path):
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        path = (*arguments_path(value, patch.call), *patch.path)
        try:
            apply_patch(value, path, patch, matchers_to_json(patch.value))
        except (LookupError, TypeError) as error:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS) from error
    return value


def patched_expectation(change: Change) -> list[Any] | None:
    """The expectation with the patches applied, as in a case file."""
    if change.expected is None:
        return None
    found: list[Any] = apply_patches(deepcopy(change.expected), change.patches)
    return found


def with_whole_calls(change: Change) -> Change | None:
    """The change with whole calls instead of patches; None if rules or groups would be lost."""
    known = change.expected
    if known is None:
        return None
    whole: dict[int, Any] = {}
    for patch in change.patches:
        place = patch.call[0]
        if set(known[place]) != {"name", "arguments"} or contains_rule_keys(known[place]):
            return None
        arguments = whole.setdefault(place, deepcopy(known[place]))["arguments"]
        apply_patch(arguments, patch.path, patch, patch.value)
    items = tuple(whole.get(item, item) if isinstance(item, int) else item for item in change.items)
    return replace(change, items=items, patches=())
