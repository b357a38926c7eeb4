"""Cases as records of a file: reading them, joining their two sides, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from msgspec import UNSET
from msgspec.structs import asdict, replace

from callscore.core.call import ToolCall
from callscore.core.case import Case, Expected, Origin
from callscore.core.equality import fingerprint
from callscore.core.expectation_json import expected_to_json
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.callers import USER, Caller, calls_of, expected_of
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    ACTUAL_STATE_FIELD,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    EXPECTED_STATE_FIELD,
    EXPECTED_TOOL_FIELD,
    SIDE_FIELDS,
    TRACE_FIELDS,
    TURNS_FIELD,
    is_turns,
    only_field,
    read_callers_field,
    read_id,
    read_skip,
    read_tags,
    read_trial,
    refuse_groups,
    refuse_near_parts,
    refuse_typos,
    require_tool_name,
)
from callscore.formats.case_sides import (
    actual_calls_in,
    expected_calls_in,
    numbered_for,
    options_for,
    read_expected_side,
    read_side,
)
from callscore.formats.case_turns import Turns, actual_with_state, expected_with_state, read_turns
from callscore.formats.shape import describe, first, json_of
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.words.value_text import encode_json, json_safe

if TYPE_CHECKING:
    from callscore.formats.calls import Side
    from callscore.formats.dialect import Dialect

_ALL_BUT_USER = tuple([caller for caller in get_args(Caller) if caller != USER])
NO_ID = ""  # the id of one side of a case whose document has no id

CONTENT_ID_PREFIX = "sha-"
_Expected = TypeVar("_Expected", bound="Expected")


def read_case(  # noqa: PLR0913  (one argument per choice of a caller)
    value: Any,
    *,
    place: str,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
    spelled: bool = True,
    needs_id: bool = True,
    takes_trace: bool = False,
) -> Case:
    """The case of a record; an absent side is None, and null means no calls.

    Keys that no case has are ignored. With `spelled`, keys in expected arguments that begin with `$`
    are rules. A case without an id gets one of its content, or `NO_ID` if none is needed. With
    `takes_trace`, the actual calls of a record without a field for them are in its `trace_field`.

    Raises:
        UnreadableInput: it is not an object, or one of its fields cannot be read.
    """
    record = _require_object(value, place, "a case")
    refuse_groups(record, place)
    refuse_near_parts(record, place)
    read_options = _with_callers_of(record, place, read_options)
    origins: list[Origin] = []

    # Not `partial`, as below: this is called for every case of a file, and a function is faster.
    def read_expected(value: Any, where: str) -> tuple[Expected, ...]:
        nonlocal read_options
        found = read_expected_side(
            value, where=where, read_options=read_options, dialect=dialect, spelled=spelled
        )
        read_options = options_for(found, read_options)  # of the actual calls, read after it
        return found

    def read_actual(value: Any, where: str) -> tuple[ToolCall, ...] | None:
        noting = _noting_origin(value, read_options, origins)
        return _read_answer(value, where=where, read_options=noting, dialect=dialect)

    expected = _read_field(record, EXPECTED_FIELDS, place, read_expected)
    turns = None
    if not _MORE_FIELDS.isdisjoint(record):
        turns = _read_turns(record, place, None, (read_expected, read_actual))
        expected = _expected_of(expected, turns, record, place, spelled=spelled)
        read_options = options_for(expected, read_options)
    question = _input_of(record, turns)
    fallback = trace_field if takes_trace and expected is not None else None
    actual = _read_actual(record, ACTUAL_FIELDS, place, (turns, read_actual), fallback)
    if expected is None or actual is None:
        refuse_typos(record, place)
    has_side = expected is not None or actual is not None
    if not has_side and not any(field in record for field in SIDE_FIELDS):
        problem = f"a case must have 'id', 'expected' and 'actual'; got {describe(record)}."
        raise UnreadableInput(place, problem)
    case = Case(
        id=read_id(record, place) or (_content_id(expected, question) if needs_id else NO_ID),
        expected=UNSET if expected is None else expected,
        actual=None if actual is None else numbered_for(expected, actual),
        input=question,
        trial=read_trial(record, place),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
        only=record.get("only") is True,
        skip=read_skip(record),
        origin=origins[-1] if origins else None,
    )
    return case if read_options.callers is None else _of_callers(case, read_options.callers)


def _noting_origin(value: Any, read_options: ReadOptions, origins: list[Origin]) -> ReadOptions:
    """The options to read a value with, which add where it was recorded to the list.

    Plain calls, which nearly all cases have, do not say it.
    """
    is_list = isinstance(value, list)
    is_plain = is_list and all(isinstance(item, dict) and "arguments" in item for item in value[:1])
    return read_options if is_plain else replace(read_options, on_origin=origins.append)


def _with_callers_of(record: dict[str, Any], place: str, read_options: ReadOptions) -> ReadOptions:
    """The options with whose calls count, if a record says that and the user does not."""
    callers = read_callers_field(record, place) if "callers" in record else None
    if callers is None or read_options.callers is not None:
        return read_options
    return replace(read_options, callers=callers)


def _of_callers(case: Case, callers: tuple[str, ...]) -> Case:
    """A case with the calls of these callers, on both sides."""
    return replace(
        case,
        expected=UNSET if case.expected is UNSET else expected_of(case.expected or (), callers),
        actual=None if case.actual is None else calls_of(case.actual, callers),
        callers=callers,
    )


def case_record(case: Case) -> dict[str, Any]:
    """A case as a record of a file, without absent fields; a null means that no calls are expected."""
    record = {
        field: value
        for field, value in asdict(case).items()
        if value is not UNSET and (value is not None or field == EXPECTED_FIELDS[0])
    }
    record.pop("unread", None)
    record.pop("origin", None)  # of this answer, and not of the case
    if case.id == NO_ID:
        del record["id"]
    return record


def case_from_trace(trace: Trace, *, place: str) -> Case:
    """The case of a run in another format, with the sides that it has."""
    expected = None if trace.expected is None else _expected_from_trace(trace, place)
    return Case(
        id=_content_id(expected, trace.input) if trace.id is None else trace.id,
        expected=UNSET if expected is None else expected,
        actual=None if trace.calls is None else numbered_for(expected, trace.calls),
        input=trace.input,
        trial=trace.trial,
        callers=trace.callers,
        origin=trace.origin,
    )


def reference_from_trace(trace: Trace, *, place: str) -> Case:
    """The expected side of a case, from a run in another format that went as it should."""
    expected = _expected_from_trace(trace, place) if trace.says_anything else UNSET
    callers = trace.callers
    return Case(id=trace.id or NO_ID, expected=expected, input=trace.input, callers=callers)


def actual_from_trace(trace: Trace, *, place: str) -> Case:
    """The actual side of a case, from a run in another format."""
    try:
        actual = actual_calls_in(trace, where="actual") if trace.says_anything else None
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error
    return Case(
        id=trace.id or NO_ID,
        actual=actual,
        input=trace.input,
        trial=trace.trial,
        callers=trace.callers,
        origin=trace.origin,
    )


def _expected_from_trace(trace: Trace, place: str) -> tuple[Expected, ...]:
    try:
        return expected_calls_in(trace, where="expected")
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def read_reference(
    value: Any,
    *,
    place: str,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
) -> Case:
    """The expected side of a case, from a file that has only references.

    The calls are under `expected`, `calls` or `tool_calls`.
    """
    record = _require_object(value, place, "a reference")
    refuse_groups(record, place)
    refuse_near_parts(record, place)
    read_options = _with_callers_of(record, place, read_options)
    read = partial(read_expected_side, read_options=read_options, dialect=dialect, spelled=True)
    expected = _read_field(record, EXPECTED_FIELDS + EITHER_SIDE_FIELDS, place, read)
    turns = _read_turns(record, place, "expected", (read, _read_nothing))
    expected = _expected_of(expected, turns, record, place)
    if expected is None:
        refuse_typos(record, place)
    case = Case(
        id=read_id(record, place) or NO_ID,
        expected=UNSET if expected is None else expected,
        input=_input_of(record, turns),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
    )
    callers = options_for(expected, read_options).callers
    return case if callers is None else _of_callers(case, callers)


def read_trace(
    value: Any,
    *,
    place: str,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
    is_alone: bool = False,
) -> Case:
    """The actual side of a case, from a file that has only traces.

    The calls are under `actual`, `calls` or `tool_calls`, or in the `trace_field`, and may not be absent.
    Unless the trace `is_alone`, it keeps plain calls of the user: the reference decides whether they
    count.
    """
    record = _require_object(value, place, "a trace")
    refuse_near_parts(record, place)
    read_options = _with_callers_of(record, place, read_options)
    fields = ACTUAL_FIELDS + EITHER_SIDE_FIELDS
    kept = read_options if is_alone else replace(read_options, keeps_user=True)
    origins: list[Origin] = []

    def read(value: Any, where: str) -> tuple[ToolCall, ...] | None:
        noting = _noting_origin(value, kept, origins)
        return _read_answer(value, where=where, read_options=noting, dialect=dialect)

    turns = _read_turns(record, place, "actual", (_read_nothing, read))
    actual = _read_actual(record, fields, place, (turns, read), trace_field)
    if actual is None and not _has_question(record, fields + TRACE_FIELDS):
        names = ", ".join(fields + TRACE_FIELDS)
        problem = f"a trace must have its calls under one of {names}. Write [] if no call was made."
        raise UnreadableInput(place, problem)
    if is_alone and actual is not None:
        actual = numbered_for(None, actual)
    case = Case(
        id=read_id(record, place) or NO_ID,
        actual=actual,
        input=_input_of(record, turns),
        trial=read_trial(record, place),
        tools=record.get("tools"),
        tags=read_tags(record, place),
        metadata=record.get("metadata"),
        origin=origins[-1] if origins else None,
    )
    if read_options.callers is not None:
        return _of_callers(case, read_options.callers)
    has_user = any(call.caller == USER for call in actual or ())
    is_open = has_user and not is_alone and USER in read_options.leave_out
    return replace(case, callers=get_args(Caller)) if is_open else case


def trace_field(record: dict[str, Any]) -> str | None:
    """The field that holds what the agent did, by its usual names; None if there is none, or several."""
    found = [field for field in TRACE_FIELDS if _is_trace(record.get(field))]
    return found[0] if len(found) == 1 else None


def has_trace(record: dict[str, Any]) -> bool:
    """Whether a field with a usual name says what the agent did, or only what it was asked."""
    return trace_field(record) is not None or _has_question(record, TRACE_FIELDS)


def _has_question(record: dict[str, Any], fields: tuple[str, ...]) -> bool:
    return any(is_question(record.get(field)) for field in fields)


def _is_trace(value: Any) -> bool:
    """Whether a value says what an agent did: nothing, a question and text in no known format do not."""
    value = json_of(value)
    if isinstance(value, str):
        from callscore.formats.reading import find_dialect

        is_cut_off = value.lstrip().startswith(
            ("[", "{")
        )  # to be refused, and not to be overlooked
        return is_cut_off or find_dialect(value) is not None
    return isinstance(value, dict | list) and bool(value) and not is_question(value)


# Who speaks before the agent does.
_ASKING = frozenset(("user", "human", "system", "developer"))
_BESIDE_MESSAGES = frozenset(
    ("messages", "tools", "functions", "metadata", "tags", "input", "expected")
)


def is_question(document: Any) -> bool:
    """Whether a document consists of messages to an agent, without any of the agent."""
    document = json_of(document)
    if isinstance(document, dict):
        others = [part for key, part in document.items() if key not in _BESIDE_MESSAGES]
        if any(isinstance(part, dict | list) for part in others):
            return False
        document = document.get("messages")
    if not isinstance(document, list) or not document:
        return False
    return all(str(first(message, "role", "type", "from")) in _ASKING for message in document)


def join_case(reference: Case, trace: Case) -> Case:
    """The case of a reference and a trace with the same id."""
    name = reference.id or trace.id
    expected = None if reference.expected is UNSET else reference.expected
    callers = reference.callers
    if callers is None and trace.callers is not None:
        callers = _ALL_BUT_USER  # a reference that does not say it demands nothing of the user

    def counted(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        calls = numbered_for(expected, calls)
        return calls if callers is None else calls_of(calls, callers)

    return Case(
        id=_content_id(expected, reference.input) if name == NO_ID else name,
        expected=reference.expected,
        actual=None if trace.actual is None else counted(trace.actual),
        callers=reference.callers,
        input=reference.input if trace.input is None else trace.input,
        trial=trace.trial,
        tools=trace.tools if reference.tools is None else reference.tools,
        tags=tuple(dict.fromkeys((*reference.tags, *trace.tags))),
        metadata=reference.metadata if trace.metadata is None else trace.metadata,
        others=tuple(map(counted, trace.others)),
        unread=trace.unread or reference.unread,
        origin=trace.origin,
    )


def has_own_id(case: Case) -> bool:
    """Whether the id was given, and not made from the content: several cases may have the same."""
    return not case.id.startswith(CONTENT_ID_PREFIX)


def _require_object(value: Any, place: str, noun: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise UnreadableInput(place, f"{noun} must be an object with an 'id'; got {describe(value)}.")


def _read_field(
    record: dict[str, Any],
    fields: tuple[str, ...],
    place: str,
    read: Callable[..., tuple[_Expected, ...] | None],
    *,
    fallback: Callable[[dict[str, Any]], str | None] | None = None,
) -> tuple[_Expected, ...] | None:
    """One side of a case, under one of these fields; all of them mean the same."""
    field = only_field(record, fields, place)
    if field is None and fallback is not None:
        field = fallback(record)
    if field is None:
        return None
    value = record[field]
    if field == EXPECTED_TOOL_FIELD and value is not None:
        value = [require_tool_name(value, place)]
    try:
        return read(value, where=field)
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


_MORE_FIELDS = frozenset((TURNS_FIELD, EXPECTED_STATE_FIELD))
_Reading = TypeVar("_Reading")


def _located(place: str, read: Callable[..., _Reading], *given: Any, **options: Any) -> _Reading:
    """What `read` returns; an error says where the record is."""
    try:
        return read(*given, **options)
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _read_turns(
    record: dict[str, Any],
    place: str,
    bare: Side | None,
    readers: tuple[Callable[..., Any], Callable[..., Any]],
) -> Turns | None:
    """The turns of a record, if it has any."""
    value = record.get(TURNS_FIELD)
    if not is_turns(value):
        return None
    read_expected, read_actual = readers
    return _located(
        place,
        read_turns,
        value,
        bare=bare,
        read_expected=read_expected,
        read_actual=read_actual,
    )


def _read_nothing(value: Any, where: str) -> tuple[()]:  # noqa: ARG001  (of the other side)
    return ()


def _expected_of(
    expected: tuple[Expected, ...] | None,
    turns: Turns | None,
    record: dict[str, Any],
    place: str,
    *,
    spelled: bool = True,
) -> tuple[Expected, ...] | None:
    """What is expected in all, by the field for it or by turns, and the state at the end."""
    if turns is not None and turns.expected is not None:
        _refuse_second(record, EXPECTED_FIELDS, place)
        expected = turns.expected
    return _located(place, expected_with_state, expected, record, spelled=spelled)


def _read_actual(
    record: dict[str, Any],
    fields: tuple[str, ...],
    place: str,
    readers: tuple[Turns | None, Callable[..., tuple[ToolCall, ...] | None]],
    fallback: Callable[[dict[str, Any]], str | None] | None,
) -> tuple[ToolCall, ...] | None:
    """What was called, by turns or by the field for it, and the state at the end."""
    turns, read = readers
    if turns is not None and turns.actual is not None:
        _refuse_second(record, fields, place)
        actual: tuple[ToolCall, ...] | None = turns.actual
    else:
        actual = _read_field(record, fields, place, read, fallback=fallback)
    if ACTUAL_STATE_FIELD in record:
        actual = _located(place, actual_with_state, actual, record)
    return actual


def _refuse_second(record: dict[str, Any], fields: tuple[str, ...], place: str) -> None:
    """Refuse a side beside turns that have it, too."""
    field = next((field for field in fields if field in record), None)
    if field is not None:
        problem = f"'{TURNS_FIELD}' and '{field}' are two notations of the same calls"
        raise UnreadableInput(place, f"{problem}. Keep one of them.")


def _input_of(record: dict[str, Any], turns: Turns | None) -> Any:
    """What is asked: by the case, or else in its turns."""
    question = record.get("input")
    return turns.input if turns is not None and question is None else question


def _read_answer(
    value: Any, *, where: str, read_options: ReadOptions, dialect: Dialect | None
) -> tuple[ToolCall, ...] | None:
    """The calls that were made; None if the value is only a question."""
    calls = read_side(value, side="actual", where=where, read_options=read_options, dialect=dialect)
    return None if value and not calls and is_question(value) else calls


def _content_id(expected: Sequence[Expected] | None, question: Any) -> str:
    """An id from what is asked and expected, the same in every run."""
    from hashlib import sha256

    items = [
        [item.name, item.arguments] if isinstance(item, ToolCall) else expected_to_json(item)
        for item in expected or ()
    ]
    text = fingerprint([None if expected is None else items, question])
    return CONTENT_ID_PREFIX + sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def expected_records(expected: Iterable[Expected]) -> list[Any]:
    """The expected side in the notation of a case file; keys that begin with `$` are escaped."""
    return [json_safe(expected_to_json(item)) for item in expected]


def call_record(call: ToolCall) -> dict[str, Any]:
    """An actual call in the notation of a case file; malformed arguments stay as they are."""
    arguments = call.raw if call.error is not None else call.arguments
    results = {"result": call.result, "failed": call.failed}
    known = {field: value for field, value in results.items() if value is not None}
    record: dict[str, Any] = json_safe({"name": call.name, "arguments": arguments, **known})
    return record


def record_line(record: dict[str, Any]) -> str:
    """A case as one line, without empty fields."""
    kept = {
        field: value
        for field, value in record.items()
        if value is not None and not (field in ("tags", "metadata", "id") and value in ([], {}, ""))
    }
    return encode_json(kept).decode() + "\n"
