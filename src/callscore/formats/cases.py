"""How a record of a file spells a case, or one side of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.equality import fingerprint
from callscore.core.model import Case, ToolCall
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.describing import describe
from callscore.formats.sides import calls_on_side, read_side
from callscore.formats.trace import DEFAULT, Trace, Wanted

if TYPE_CHECKING:
    from callscore.formats.calls import Side
    from callscore.formats.dialect import Dialect

    _How = tuple[Side, Wanted, Dialect | None]

__all__ = [
    "NO_ID",
    "case_of",
    "has_own_id",
    "is_case",
    "join_case",
    "names_a_side",
    "read_case",
    "read_reference",
    "read_trace",
    "reference_of",
    "trace_of",
]

NO_ID = ""  # of one side of a case whose document does not say which case it belongs to

_TOOL = "expectedTool"
_EXPECTED = ("expected", "referenceToolCalls", _TOOL)
_ACTUAL = ("actual", "toolCalls")
_FIELDS = ("id", "input", *_EXPECTED, *_ACTUAL)
_CONTENT = "sha-"
_EITHER = ("calls", "tool_calls")  # in a file that has only one side there is no doubt which
_ALL_FIELDS = frozenset((*_FIELDS, *_EITHER, "trial", "tools", "tags", "metadata"))

_Calls = tuple[ToolCall, ...] | None


def is_case(value: Any) -> bool:
    """Whether a record names a side of a case, so that no dialect has to be asked.

    Other stacks have `toolCalls` and the like, too. A record that has both sides, or calls and an
    id that joins them, or nothing that a case has not, is ours all the same.
    """
    if not isinstance(value, dict):
        return False
    if "expected" in value or "actual" in value:
        return True
    if not names_a_side(value):
        return False
    has_both = any(map(value.get, _EXPECTED)) and any(map(value.get, _ACTUAL))
    has_id = value.get("id") is not None and any(map(value.get, _EXPECTED + _ACTUAL + _EITHER))
    return has_both or has_id or _ALL_FIELDS.issuperset(value)


def names_a_side(value: dict[str, Any]) -> bool:
    """Whether a record names a side of a case in any way that we know."""
    return any(field in value for field in _EXPECTED + _ACTUAL + _EITHER)


def read_case(
    value: Any, *, place: str, wanted: Wanted = DEFAULT, dialect: Dialect | None = None
) -> Case:
    """The case that a record spells; a side that is absent is None, and null means no calls.

    Args:
        value: the record. Keys that no case has are ignored.
        place: where the record stands, for messages.
        wanted: what to take from sides that are documents and offer a choice.
        dialect: what such sides are written in, where that is known.

    Raises:
        UnreadableInput: it is not an object, or one of its fields cannot be read.
    """
    record = _require_object(value, place, "a case")
    expected = _read_side(record, _EXPECTED, ("expected", wanted, dialect), place)
    actual = _read_side(record, _ACTUAL, ("actual", wanted, dialect), place)
    if expected is None or actual is None:
        _refuse_typos(record, place)
    if not any(field in record for field in _FIELDS):
        problem = f"a case has an `id`, `expected` and `actual`; got {describe(record)}."
        raise UnreadableInput(place, problem)
    name = _read_id(record, place)
    return Case(
        id=_content_id(expected, record.get("input")) if name is None else name,
        expected=expected,
        actual=actual,
        input=record.get("input"),
        trial=_read_trial(record, place),
        tools=record.get("tools"),
        tags=_read_tags(record, place),
        metadata=record.get("metadata"),
    )


def case_of(trace: Trace, *, place: str) -> Case:
    """The case that a run of another dialect is, with the sides that it has.

    Raises:
        UnreadableInput: it expects what nobody could match.
    """
    expected = None if trace.expected is None else _side_of(trace, "expected", place)
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
    expected = _side_of(trace, "expected", place) if trace.says_anything else None
    return Case(id=trace.id or NO_ID, expected=expected, input=trace.input)


def trace_of(trace: Trace, *, place: str) -> Case:
    """The actual side of a case, from a run of another dialect.

    Raises:
        UnreadableInput: it does not say what was called.
    """
    actual = _side_of(trace, "actual", place) if trace.says_anything else None
    return Case(id=trace.id or NO_ID, actual=actual, input=trace.input, trial=trace.trial)


def _side_of(trace: Trace, side: Side, place: str) -> tuple[ToolCall, ...]:
    try:
        return calls_on_side(trace, side=side, where=side)
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
    expected = _read_side(record, _EXPECTED + _EITHER, ("expected", wanted, dialect), place)
    if expected is None:
        _refuse_typos(record, place)
    return Case(
        id=_read_id(record, place) or NO_ID,
        expected=expected,
        input=record.get("input"),
        tools=record.get("tools"),
        tags=_read_tags(record, place),
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
    actual = _read_side(record, _ACTUAL + _EITHER, ("actual", wanted, dialect), place)
    if actual is None:
        fields = ", ".join(_ACTUAL + _EITHER)
        problem = f"a trace needs its calls under one of {fields}; write [] where none was made."
        raise UnreadableInput(place, problem)
    return Case(
        id=_read_id(record, place) or NO_ID,
        actual=actual,
        input=record.get("input"),
        trial=_read_trial(record, place),
        tags=_read_tags(record, place),
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
        tools=reference.tools,
        tags=tuple(dict.fromkeys(reference.tags + trace.tags)),
        metadata=reference.metadata if trace.metadata is None else trace.metadata,
    )


def has_own_id(case: Case) -> bool:
    """Whether the id was given, rather than made from the content, which may well repeat."""
    return not case.id.startswith(_CONTENT)


def _require_object(value: Any, place: str, noun: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise UnreadableInput(place, f"{noun} is an object with an `id`; got {describe(value)}.")


def _read_side(record: dict[str, Any], fields: tuple[str, ...], how: _How, place: str) -> _Calls:
    given = [field for field in fields if field in record]
    if not given:
        return None
    if len(given) > 1:
        problem = f"{' and '.join(given)} mean the same. Keep one of them."
        raise UnreadableInput(place, problem)
    field = given[0]
    value = record[field]
    if field == _TOOL and value is not None:
        value = [_require_tool(value, place)]
    try:
        return read_side(value, side=how[0], where=field, wanted=how[1], dialect=how[2])
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _refuse_typos(record: dict[str, Any], place: str) -> None:
    """Refuse a field that is nearly one of the two sides: ignoring it would hide the case."""
    for key in record:
        meant = _meant_by(str(key))
        if meant is not None and key != meant:
            problem = f"{describe(key)} is no field of a case. Is `{meant}` meant?"
            raise UnreadableInput(place, problem)


@lru_cache(maxsize=100)  # the records of a file mostly have the same keys
def _meant_by(key: str) -> str | None:
    """The field for a side that a key is, or nearly is."""
    from difflib import get_close_matches

    meant = get_close_matches(key, _EXPECTED + _ACTUAL, n=1, cutoff=0.8)
    return meant[0] if meant else None


def _require_tool(value: Any, place: str) -> str:
    if isinstance(value, str) and value:
        return value
    problem = f"{_TOOL} is the name of a tool, or null where none should be called"
    raise UnreadableInput(place, f"{problem}; got {describe(value)}.")


def _read_id(record: dict[str, Any], place: str) -> str | None:
    value = record.get("id")
    if value is None or (isinstance(value, str) and value):
        return value
    if _is_integer(value):
        return str(value)
    raise UnreadableInput(place, f"an id is text or an integer; got {describe(value)}.")


def _read_trial(record: dict[str, Any], place: str) -> int | str | None:
    value: int | str | None = record.get("trial")
    if value is None or isinstance(value, str) or _is_integer(value):
        return value
    raise UnreadableInput(place, f"a trial is an integer or text; got {describe(value)}.")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_tags(record: dict[str, Any], place: str) -> tuple[str, ...]:
    value = record.get("tags")
    tags = [value] if isinstance(value, str) else [] if value is None else value
    if isinstance(tags, list | tuple):
        wrong = [tag for tag in tags if not isinstance(tag, str)]
        if not wrong:
            return tuple(tags)
        value = wrong[0]
    raise UnreadableInput(place, f"tags are a list of texts; got {describe(value)}.")


def _content_id(expected: _Calls, asked: Any) -> str:
    """An id from what is asked and expected, so that the same case has it in every run."""
    from hashlib import sha256

    calls = expected and [[call.name, call.arguments] for call in expected]
    text = fingerprint([calls, asked])
    return _CONTENT + sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
