"""How a record of a file spells a case, or one side of it."""

from __future__ import annotations

from typing import Any

from callscore.core.equality import fingerprint
from callscore.core.model import Case, ToolCall
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.calls import Side, read_calls
from callscore.formats.describing import describe

__all__ = ["has_own_id", "join_case", "read_case", "read_reference", "read_trace"]

_TOOL = "expectedTool"
_EXPECTED = ("expected", "referenceToolCalls", _TOOL)
_ACTUAL = ("actual", "toolCalls")
_FIELDS = ("id", "input", *_EXPECTED, *_ACTUAL)
_CONTENT = "sha-"
_EITHER = ("calls", "tool_calls")  # in a file that has only one side there is no doubt which

_Calls = tuple[ToolCall, ...] | None


def read_case(value: Any, *, place: str) -> Case:
    """The case that a record spells; a side that is absent is None, and null means no calls.

    Args:
        value: the record. Keys that no case has are ignored.
        place: where the record stands, for messages.

    Raises:
        UnreadableInput: it is not an object, or one of its fields cannot be read.
    """
    record = _require_object(value, place, "a case")
    expected = _read_side(record, _EXPECTED, "expected", place)
    actual = _read_side(record, _ACTUAL, "actual", place)
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


def read_reference(value: Any, *, place: str) -> Case:
    """The expected side of a case, from a file that holds references alone.

    Args:
        value: the record: an `id`, and the calls under `expected`, `calls` or `tool_calls`.
        place: where the record stands, for messages.

    Raises:
        UnreadableInput: it is not an object, has no id, or a field cannot be read.
    """
    record = _require_object(value, place, "a reference")
    expected = _read_side(record, _EXPECTED + _EITHER, "expected", place)
    if expected is None:
        _refuse_typos(record, place)
    return Case(
        id=_require_id(record, place, "a reference"),
        expected=expected,
        input=record.get("input"),
        tools=record.get("tools"),
        tags=_read_tags(record, place),
        metadata=record.get("metadata"),
    )


def read_trace(value: Any, *, place: str) -> Case:
    """The actual side of a case, from a file that holds traces alone.

    Args:
        value: the record: an `id`, and the calls under `actual`, `calls` or `tool_calls`.
        place: where the record stands, for messages.

    Raises:
        UnreadableInput: it is not an object, has no id or no calls, or a field cannot be read.
    """
    record = _require_object(value, place, "a trace")
    actual = _read_side(record, _ACTUAL + _EITHER, "actual", place)
    if actual is None:
        fields = ", ".join(_ACTUAL + _EITHER)
        problem = f"a trace needs its calls under one of {fields}; write [] where none was made."
        raise UnreadableInput(place, problem)
    return Case(
        id=_require_id(record, place, "a trace"),
        actual=actual,
        input=record.get("input"),
        trial=_read_trial(record, place),
        tags=_read_tags(record, place),
        metadata=record.get("metadata"),
    )


def join_case(reference: Case, trace: Case) -> Case:
    """The case that a reference and a trace of the same id make together."""
    return Case(
        id=reference.id,
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


def _read_side(record: dict[str, Any], fields: tuple[str, ...], side: Side, place: str) -> _Calls:
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
        return read_calls(value, side=side, where=field)
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _refuse_typos(record: dict[str, Any], place: str) -> None:
    """Refuse a field that is nearly one of the two sides: ignoring it would hide the case."""
    from difflib import get_close_matches

    for key in record:
        meant = get_close_matches(str(key), _EXPECTED + _ACTUAL, n=1, cutoff=0.8)
        if meant and key != meant[0]:
            problem = f"{describe(key)} is no field of a case. Is `{meant[0]}` meant?"
            raise UnreadableInput(place, problem)


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


def _require_id(record: dict[str, Any], place: str, noun: str) -> str:
    found = _read_id(record, place)
    if found is not None:
        return found
    raise UnreadableInput(place, f"{noun} needs an `id` that joins it with the other file.")


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
