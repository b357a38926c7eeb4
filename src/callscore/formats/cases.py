"""How a record of a file spells a case, or one side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import asdict

from callscore.core.equality import fingerprint
from callscore.core.model import Case, ToolCall
from callscore.core.spelling import spell_expected
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.case_fields import (
    SIDES,
    only_field,
    read_id,
    read_skip,
    read_tags,
    read_trial,
    refuse_groups,
    refuse_typos,
    require_tool,
)
from callscore.formats.describing import describe
from callscore.formats.fields import ACTUAL, EITHER, EXPECTED, EXPECTED_TOOL
from callscore.formats.sides import expected_by, made_in, read_side, read_wanted
from callscore.formats.trace import DEFAULT, Trace, Wanted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.expectation import Expected
    from callscore.formats.dialect import Dialect

__all__ = [
    "NO_ID",
    "case_of",
    "has_own_id",
    "join_case",
    "read_case",
    "read_reference",
    "read_trace",
    "record_of",
    "reference_of",
    "trace_of",
]

NO_ID = ""  # of one side of a case whose document does not say which case it belongs to

_CONTENT = "sha-"


def read_case(
    value: Any,
    *,
    place: str,
    wanted: Wanted = DEFAULT,
    dialect: Dialect | None = None,
    spelled: bool = True,
) -> Case:
    """The case that a record spells; a side that is absent is None, and null means no calls.

    Args:
        value: the record. Keys that no case has are ignored.
        place: where the record stands, for messages.
        wanted: what to take from sides that are documents and offer a choice.
        dialect: what such sides are written in, where that is known.
        spelled: whether keys that begin with `$` are rules, as they are in a file.

    Raises:
        UnreadableInput: it is not an object, or one of its fields cannot be read.
    """
    record = _require_object(value, place, "a case")
    refuse_groups(record, place)
    expected = _read_expected(record, EXPECTED, _How(wanted, dialect, spelled), place)
    actual = _read_actual(record, ACTUAL, _How(wanted, dialect), place)
    if expected is None or actual is None:
        refuse_typos(record, place)
    if not any(field in record for field in SIDES):
        problem = f"a case has an `id`, `expected` and `actual`; got {describe(record)}."
        raise UnreadableInput(place, problem)
    name = read_id(record, place)
    return Case(
        id=_content_id(expected, record.get("input")) if name is None else name,
        expected=expected,
        actual=actual,
        input=record.get("input"),
        trial=read_trial(record, place),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
        only=record.get("only") is True,
        skip=read_skip(record),
    )


def record_of(case: Case) -> dict[str, Any]:
    """A case as a file has it, where null would mean no calls: what is not said is left out."""
    record = {field: value for field, value in asdict(case).items() if value is not None}
    if case.id == NO_ID:
        del record["id"]
    return record


def case_of(trace: Trace, *, place: str) -> Case:
    """The case that a run of another dialect is, with the sides that it has.

    Raises:
        UnreadableInput: it expects what nobody could match.
    """
    expected = None if trace.expected is None else _expected_by(trace, place)
    return Case(
        id=_content_id(expected, trace.input) if trace.id is None else trace.id,
        expected=expected,
        actual=trace.calls,
        input=trace.input,
        trial=trace.trial,
    )


def reference_of(trace: Trace, *, place: str) -> Case:
    """The expected side of a case, from a run of another dialect that shows how it should go.

    Raises:
        UnreadableInput: it expects what nobody could match.
    """
    expected = _expected_by(trace, place) if trace.says_anything else None
    return Case(id=trace.id or NO_ID, expected=expected, input=trace.input)


def trace_of(trace: Trace, *, place: str) -> Case:
    """The actual side of a case, from a run of another dialect.

    Raises:
        UnreadableInput: it does not say what was called.
    """
    try:
        actual = made_in(trace, where="actual") if trace.says_anything else None
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error
    return Case(id=trace.id or NO_ID, actual=actual, input=trace.input, trial=trace.trial)


def _expected_by(trace: Trace, place: str) -> tuple[Expected, ...]:
    try:
        return expected_by(trace, where="expected")
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def read_reference(
    value: Any, *, place: str, wanted: Wanted = DEFAULT, dialect: Dialect | None = None
) -> Case:
    """The expected side of a case, from a file that holds references alone.

    Args:
        value: the record: an `id`, and the calls under `expected`, `calls` or `tool_calls`.
        place: where the record stands, for messages.
        wanted: what to take from a side that is a document and offers a choice.
        dialect: what such a side is written in, where that is known.

    Raises:
        UnreadableInput: it is not an object, or a field cannot be read.
    """
    record = _require_object(value, place, "a reference")
    refuse_groups(record, place)
    expected = _read_expected(record, EXPECTED + EITHER, _How(wanted, dialect), place)
    if expected is None:
        refuse_typos(record, place)
    return Case(
        id=read_id(record, place) or NO_ID,
        expected=expected,
        input=record.get("input"),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
    )


def read_trace(
    value: Any, *, place: str, wanted: Wanted = DEFAULT, dialect: Dialect | None = None
) -> Case:
    """The actual side of a case, from a file that holds traces alone.

    Args:
        value: the record: an `id`, and the calls under `actual`, `calls` or `tool_calls`.
        place: where the record stands, for messages.
        wanted: what to take from a side that is a document and offers a choice.
        dialect: what such a side is written in, where that is known.

    Raises:
        UnreadableInput: it is not an object, has no calls, or a field cannot be read.
    """
    record = _require_object(value, place, "a trace")
    actual = _read_actual(record, ACTUAL + EITHER, _How(wanted, dialect), place)
    if actual is None:
        fields = ", ".join(ACTUAL + EITHER)
        problem = f"a trace needs its calls under one of {fields}; write [] where none was made."
        raise UnreadableInput(place, problem)
    return Case(
        id=read_id(record, place) or NO_ID,
        actual=actual,
        input=record.get("input"),
        trial=read_trial(record, place),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
    )


def join_case(reference: Case, trace: Case) -> Case:
    """The case that a reference and a trace of the same id make together."""
    name = reference.id or trace.id
    return Case(
        id=_content_id(reference.expected, reference.input) if name == NO_ID else name,
        expected=reference.expected,
        actual=trace.actual,
        input=reference.input if trace.input is None else trace.input,
        trial=trace.trial,
        tools=trace.tools if reference.tools is None else reference.tools,
        tags=tuple(dict.fromkeys((*reference.tags, *trace.tags))),
        metadata=reference.metadata if trace.metadata is None else trace.metadata,
        others=trace.others,
    )


def has_own_id(case: Case) -> bool:
    """Whether the id was given, rather than made from the content, which may well repeat."""
    return not case.id.startswith(_CONTENT)


def _require_object(value: Any, place: str, noun: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise UnreadableInput(place, f"{noun} is an object with an `id`; got {describe(value)}.")


class _How(NamedTuple):
    """How the sides of a case are read."""

    wanted: Wanted
    dialect: Dialect | None = None
    spelled: bool = True


def _read_expected(
    record: dict[str, Any], fields: tuple[str, ...], how: _How, place: str
) -> tuple[Expected, ...] | None:
    field = only_field(record, fields, place)
    if field is None:
        return None
    value = record[field]
    if field == EXPECTED_TOOL and value is not None:
        value = [require_tool(value, place)]
    try:
        return read_wanted(
            value, where=field, wanted=how.wanted, dialect=how.dialect, spelled=how.spelled
        )
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _read_actual(
    record: dict[str, Any], fields: tuple[str, ...], how: _How, place: str
) -> tuple[ToolCall, ...] | None:
    field = only_field(record, fields, place)
    if field is None:
        return None
    try:
        return read_side(
            record[field], side="actual", where=field, wanted=how.wanted, dialect=how.dialect
        )
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _content_id(expected: Sequence[Expected] | None, asked: Any) -> str:
    """An id from what is asked and expected, so that the same case has it in every run."""
    from hashlib import sha256

    items = (
        None
        if expected is None
        else [
            [item.name, item.arguments] if isinstance(item, ToolCall) else spell_expected(item)
            for item in expected
        ]
    )
    text = fingerprint([items, asked])
    return _CONTENT + sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
