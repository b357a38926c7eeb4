"""Which record of a file is the case whose expectation is rewritten, and how it spells calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.equality import equal
from callscore.core.spelling import spell, spell_expected
from callscore.errors import CallscoreError
from callscore.formats.calls import ARGUMENTS, NAMES
from callscore.formats.fields import EXPECTED, EXPECTED_TOOL
from callscore.formats.sides import read_wanted
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.rewriting.change import Change, Path

__all__ = [
    "may_be_called",
    "name_of_record",
    "new_value",
    "records_of",
    "same_as",
    "spelled_like",
    "the_field",
]


def records_of(document: Any) -> Iterator[tuple[Path, Any]]:
    """The records of a document, with their paths: a list, those under `cases`, or the document."""
    cases = document.get("cases") if isinstance(document, dict) else None
    if isinstance(cases, list):
        yield from ((("cases", index), record) for index, record in enumerate(cases))
    elif isinstance(document, list):
        yield from (((index,), record) for index, record in enumerate(document))
    else:
        yield (), document


def same_as(change: Change, records: Iterable[tuple[Path, Any]]) -> list[Path]:
    """The paths of all records that may be the case: what is asked and expected is the same."""
    return [
        path
        for path, record in records
        if isinstance(record, dict)
        and may_be_called(record.get("id"), change.case)
        and equal(record.get("input"), change.input)
        and _expects(record, change)
    ]


def may_be_called(own: Any, name: str) -> bool:
    """Whether a case with this id, or with none, can have been named so in a run."""
    if own is None:
        return True
    # Where two have the same id, a number behind it tells them apart.
    rest = name.removeprefix(str(own))
    return name.startswith(str(own)) and (not rest or rest[1:].isdigit())


def name_of_record(record: dict[str, Any]) -> tuple[Any, Any]:
    """By what a record is told from others: its id, and which trial it is."""
    return record.get("id"), record.get("trial")


def the_field(record: dict[str, Any]) -> str:
    """The field of a record that says what is expected.

    Raises:
        CannotRewrite: it holds a name, and has no room for calls.
    """
    field = next(field for field in EXPECTED if field in record)
    if field == EXPECTED_TOOL:
        raise CannotRewrite(reasons.NAME_ALONE, field=field)
    return field


def _expects(record: dict[str, Any], change: Change) -> bool:
    field = next((field for field in EXPECTED if field in record), None)
    if field is None:
        return False
    value = record[field]
    if field == EXPECTED_TOOL and isinstance(value, str):
        value = [value]
    try:
        spelled = [spell_expected(item) for item in read_wanted(value, where=field, spelled=True)]
    except CallscoreError:
        return False
    return equal(spelled, change.expected)


def spelled_like(value: Any, call: dict[str, Any]) -> dict[str, Any]:
    """A call as a file spells it that spells others as in this value: `tool` and `args`, say."""
    others = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    keys = [key for item in others for key in item]
    name = next((key for key in keys if key in NAMES), "name")
    arguments = next((key for key in keys if key in ARGUMENTS), "arguments")
    if name == "function":  # which may hold both
        name, arguments = "name", "arguments"
    return {name: call["name"], arguments: spell(call["arguments"])}


def new_value(value: Any, change: Change) -> list[Any]:
    """What is to be expected, as the file spells it.

    Raises:
        CannotRewrite: an item that is to stay is not there.
    """
    old = value if isinstance(value, list) else []
    kept = [item for item in change.items if isinstance(item, int)]
    if any(place >= len(old) for place in kept):
        raise CannotRewrite(reasons.ANOTHER_LIST)
    return [
        old[item] if isinstance(item, int) else spelled_like(value, item) for item in change.items
    ]
