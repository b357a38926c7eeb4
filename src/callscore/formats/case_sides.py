"""One side of a case, expected or actual: a list of calls, or a document of any dialect.

`where` is what messages call a value: `expected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast, get_args

import msgspec
from msgspec import structs

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Expected, calls_in, has_turns, is_state
from callscore.errors import InvalidCall, UnknownFormat
from callscore.formats.callers import USER, Caller, calls_of
from callscore.formats.calls import (
    CALL_FIELDS,
    NAME_KEYS,
    Side,
    has_duplicate_keys,
    read_calls,
    read_simple_calls,
    refuse_odd_values,
)
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    ACTUAL_STATE_FIELD,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    TRACE_FIELDS,
    TURNS_FIELD,
    is_turns,
)
from callscore.formats.shape import as_list, at, describe, first, json_of
from callscore.formats.trace import (
    DEFAULT_READ_OPTIONS,
    ReadOptions,
    Trace,
    join_exchanges,
    noted_at,
)

if TYPE_CHECKING:
    from callscore.formats.dialect import Dialect

_Calls = tuple[ToolCall, ...]
_GENERIC_DIALECT = "generic"
_PAIR = 2
_TURN_SIDES = (EXPECTED_FIELDS[0], ACTUAL_FIELDS[0])
_CALL_MARKS = ("{", "<", "[", "```")


def read_side(
    value: Any,
    *,
    side: Side,
    where: str,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
) -> _Calls:
    """The calls of a value in any notation, or of a document; None has no calls.

    A document is a response, messages, spans and so on, as data or as objects of an SDK, or text that
    a model wrote. On the actual side, only calls are read that count by the options.

    Raises:
        InvalidCall: it has no calls that can be read, or expected ones that cannot be matched.
    """
    if value.__class__ is list:
        calls = read_simple_calls(value)
        if calls is not None:
            return _counted(calls, side, read_options)
    elif isinstance(value, tuple | set | frozenset | Iterator):
        value = list(value)
    if value is None or isinstance(value, ToolCall) or is_call_list(value):
        if side == "actual":
            refuse_odd_values(as_list(value), where)
        found = [
            structs.replace(call, failed=True) if _says_failed(call, read_options) else call
            for call in read_calls(value, side=side, where=where)
        ]
        found.sort(key=is_state)  # the state is at the end
        return _counted(tuple(found), side, read_options)
    from callscore.formats.shape import to_plain_data

    document = _decode_text(value, side, where) if isinstance(value, str) else to_plain_data(value)
    _refuse_bare_turns(as_list(document), where)
    if side == "actual" and isinstance(document, dict) and _says_more(document):
        read = partial(read_side, side="actual", read_options=read_options, dialect=dialect)
        return _read_answer_with_state(document, where, read)
    return _read_in_format(document, side, where, noted_at(read_options, where), dialect)


def _read_in_format(
    document: Any, side: Side, where: str, read_options: ReadOptions, dialect: Dialect | None
) -> _Calls:
    """The calls of a document in a format, if it is known, or else as it is recognized."""
    if dialect is None:
        return _read_document(document, side, where, read_options)
    from callscore.formats.reading import read_named

    try:
        traces = read_named(dialect, document, read_options)
    except InvalidCall as error:
        raise InvalidCall(f"{where}: {error}") from error
    return _calls_on_side(join_traces(traces, where=where), side, where, read_options)


# What an answer with a state may have its calls in, if it has nothing else.
_ANSWER_FIELDS = frozenset(("answer", *ACTUAL_FIELDS, *EITHER_SIDE_FIELDS, *TRACE_FIELDS))


def _says_more(document: dict[str, Any]) -> bool:
    """Whether a document says more than calls: turns, or the state at the end. A whole case is read as one."""
    is_whole = any(field in document for field in EXPECTED_FIELDS)
    says_more = ACTUAL_STATE_FIELD in document or is_turns(document.get(TURNS_FIELD))
    return says_more and not is_whole


def _read_answer_with_state(
    document: dict[str, Any], where: str, read: Callable[..., _Calls]
) -> _Calls:
    """The calls of a document, turn by turn if it has turns, and the state that it has beside them."""
    from callscore.formats.case_turns import actual_with_state, read_turns

    others = {key: value for key, value in document.items() if key != ACTUAL_STATE_FIELD}
    if is_turns(others.get(TURNS_FIELD)):
        turns = read_turns(others[TURNS_FIELD], bare="actual", read_expected=read, read_actual=read)
        return actual_with_state(turns.actual or (), document) or ()
    key, *more = others or ("",)
    inner = others if more or key not in _ANSWER_FIELDS else others[key]
    return actual_with_state(read(inner, where=where) if others else (), document) or ()


def _decode_text(text: str, side: Side, where: str) -> Any:
    """The JSON value of a text, or the text; an expected object may not have a key twice."""
    document = json_of(text)
    is_json = isinstance(document, dict | list)
    if side == "expected" and is_json and has_duplicate_keys(text, document):
        raise InvalidCall(f"{where}: the text has a duplicate key. Remove one of them.")
    return document


def _says_failed(call: ToolCall, read_options: ReadOptions) -> bool:
    """Whether the text of the result says that the call failed, and no flag says anything."""
    if call.failed is not None or not isinstance(call.result, str):
        return False
    return read_options.failure.search(call.result) is not None


def read_expected_side(
    value: Any,
    *,
    where: str,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
    spelled: bool = False,
) -> tuple[Expected, ...]:
    """What a value expects: calls and groups of calls, or the calls of a document.

    With `spelled`, keys in arguments that begin with `$` are rules, as in a case file.

    Raises:
        InvalidCall: as for `read_side`, or a group or a rule makes no sense.
    """
    if value.__class__ is list:
        calls = read_simple_calls(value)
        if calls is not None:
            return _with_rules(calls, where, value) if spelled and _may_have_rules(value) else calls
    from callscore.formats.expectations import (
        arrange,
        has_groups,
        read_expectation,
        refuse_misplaced_keywords,
        refuse_misspelled,
    )

    if isinstance(value, tuple | set | frozenset | Iterator):
        value = list(value)
    if isinstance(value, dict) and _expects_turns(value):
        return _read_expected_turns(value, where, read_options, dialect, spelled=spelled)
    items = as_list(value)
    _refuse_bare_turns(items, where)
    if has_groups(items):
        return read_expectation(items, where=where, spelled=spelled)
    is_own = _is_own_notation(items)
    if is_own:
        refuse_misplaced_keywords(items, where)
    try:
        calls = read_side(
            value, side="expected", where=where, read_options=read_options, dialect=dialect
        )
    except InvalidCall:
        refuse_misspelled(items, where)
        raise
    return arrange(_with_rules(calls, where, items) if spelled and is_own else calls, where)


def _expects_turns(document: dict[str, Any]) -> bool:
    """Whether a document says what is expected in turns, and not in another way."""
    is_other = any(field in document for field in EXPECTED_FIELDS)
    return not is_other and is_turns(document.get(TURNS_FIELD))


def _read_expected_turns(
    document: dict[str, Any],
    where: str,
    read_options: ReadOptions,
    dialect: Dialect | None,
    *,
    spelled: bool,
) -> tuple[Expected, ...]:
    """What an object with turns expects, and the state at the end that it has beside them."""
    from callscore.formats.case_turns import expected_with_state, read_turns

    turns = read_turns(
        document[TURNS_FIELD],
        bare="expected",
        read_expected=partial(
            read_expected_side, read_options=read_options, dialect=dialect, spelled=spelled
        ),
        read_actual=partial(read_side, side="actual", read_options=read_options),
    )
    if turns.expected is None:
        raise InvalidCall(f"{where}.{TURNS_FIELD}: no turn says what is expected in it.")
    return expected_with_state(turns.expected, document, spelled=spelled) or ()


def _refuse_bare_turns(items: list[Any], where: str) -> None:
    """Refuse the turns of a case without the field around them: joined, they would not be turns."""
    are_turns = len(items) > 1 and all(
        isinstance(item, dict) and "id" not in item and any(field in item for field in _TURN_SIDES)
        for item in items
    )
    if are_turns:
        problem = "these look like the turns of a case"
        raise InvalidCall(f'{where}: {problem}. Pass {{"{TURNS_FIELD}": [...]}}.')


def _is_own_notation(items: list[Any]) -> bool:
    """Whether these are calls in callscore's own notation, and not a document in another format."""
    named = [item for item in items if isinstance(item, dict)]
    if not all(first(item, *NAME_KEYS) for item in named):
        return False
    if is_call_list(items) or all(CALL_FIELDS.issuperset(item) for item in named):
        return True
    from callscore.formats.reading import find_dialect

    dialect = find_dialect(items)
    return dialect is None or dialect.name == _GENERIC_DIALECT


_encode = msgspec.json.Encoder().encode


def _may_have_rules(items: list[Any]) -> bool:
    """Whether a key of simple calls may begin with `$`: encoding them is quicker than a search."""
    try:
        return b'"$' in _encode(items)
    except Exception:  # noqa: BLE001  (not JSON: the search decides)
        return True


def _with_rules(calls: tuple[Expected, ...], where: str, items: list[Any]) -> tuple[Expected, ...]:
    if not calls:
        return calls
    from callscore.formats.expectations import read_rules

    if any(isinstance(item, ToolCall) for item in items):
        return calls  # of Python, where `$` has no meaning
    return tuple(
        [
            # Text can be a whole case, whose groups are read already.
            read_rules(call, f"{where}[{at}]") if isinstance(call, ToolCall) else call
            for at, call in enumerate(calls)
        ]
    )


def is_call_list(value: Any) -> bool:
    """Whether a value is a list of plain calls, so that no dialect is tried."""
    if not isinstance(value, list):
        return False
    for item in value:
        if isinstance(item, dict):
            if len(item) == _PAIR and "name" in item and "arguments" in item:
                continue
            if "type" in item or not CALL_FIELDS.issuperset(item):
                return False
        elif not isinstance(item, str | list | tuple | ToolCall):
            return False
    return True


def _are_plain_calls(document: Any) -> bool:
    """Whether a document is a call, or a list of calls, with other keys than usual."""
    from callscore.formats.reading import find_dialect

    is_spelled = first(document, *NAME_KEYS) is not None
    if isinstance(document, list):  # of calls with a name, or with the name as their only key
        is_spelled = any(not isinstance(item, dict) or len(item) != 1 for item in document)
    if not is_spelled:
        return False
    dialect = find_dialect(document)
    return dialect is not None and dialect.name == _GENERIC_DIALECT


def _counted(calls: _Calls, side: Side, read_options: ReadOptions) -> _Calls:
    """Those of plain calls that count; of what is expected, nothing is left out here."""
    if side == "expected":
        return calls
    callers, parts = read_options.callers, read_options.leave_out
    if callers is not None:
        calls = calls_of(calls, callers)
    if all(call.caller is None and call.kind is None for call in calls):
        return calls
    if callers is not None or read_options.keeps_user:
        parts = tuple([part for part in parts if part != USER])
    return tuple([call for call in calls if call.caller not in parts and call.kind not in parts])


def options_for(expected: Sequence[Expected] | None, read_options: ReadOptions) -> ReadOptions:
    """The options to read those calls with that are compared with an expectation.

    Calls of the user count if one is expected, and calls have their turn if turns are expected.
    """
    if not expected:
        return read_options
    callers, numbers_turns = read_options.callers, read_options.numbers_turns
    if callers is None and any(call.caller == USER for call in calls_in(expected)):
        callers = get_args(Caller)
    numbers_turns = numbers_turns or has_turns(expected)
    if callers is read_options.callers and numbers_turns is read_options.numbers_turns:
        return read_options
    return structs.replace(read_options, callers=callers, numbers_turns=numbers_turns)


def numbered_for(expected: Sequence[Expected] | None, actual: _Calls) -> _Calls:
    """The actual calls; a turn that all of them have in common says nothing if none are expected."""
    if all(call.turn is None for call in actual) or any(call.turn for call in actual):
        return actual
    if expected and has_turns(expected):
        return actual
    return tuple([structs.replace(call, turn=None) for call in actual])


def _read_document(document: Any, side: Side, where: str, read_options: ReadOptions) -> _Calls:
    from callscore.formats.reading import note_unread, read_document

    if _are_plain_calls(document):
        if side == "actual":
            refuse_odd_values(as_list(document), where)
        return _counted(read_calls(document, side=side, where=where), side, read_options)
    try:
        traces = read_document(document, read_options)
    except UnknownFormat as error:
        calls = _read_unknown(document, side, where, error)
        if not calls:
            note_unread(document, read_options)
        return calls
    except InvalidCall as error:
        raise InvalidCall(f"{where}: {error}") from error
    return _calls_on_side(join_traces(traces, where=where), side, where, read_options)


def _read_unknown(document: Any, side: Side, where: str, error: UnknownFormat) -> _Calls:
    """A document that no dialect recognizes, read as calls: such errors are the clearest."""
    from callscore.formats.reading import trace_hint

    is_text = side == "actual" and isinstance(document, str) and len(document.split()) > 1
    if is_text and not any(mark in document for mark in _CALL_MARKS):
        return ()  # the model answered in words
    try:
        return read_calls(document, side=side, where=where)
    except InvalidCall as other:
        have_names = all(isinstance(at(item, "name"), str) for item in as_list(document))
        if not isinstance(document, dict | list | str) or have_names:
            raise  # it is more likely a malformed call than an unknown trace
        hint = "" if isinstance(document, str) else f" {trace_hint(document)}"
        raise UnknownFormat(f"{other}{hint}") from error


def join_traces(traces: list[Trace], *, where: str) -> Trace:
    """One run of several documents in sequence; several runs with names are an error."""
    if len(traces) == 1:
        return traces[0]
    if any(trace.id is not None for trace in traces):
        problem = (
            f"the document has {len(traces)} runs. Score them with score_cases or score_files."
        )
        raise InvalidCall(f"{where}: {problem}")
    return join_exchanges(traces)


def _calls_on_side(trace: Trace, side: Side, where: str, read_options: ReadOptions) -> _Calls:
    if side == "actual":
        if trace.origin is not None and read_options.on_origin is not None:
            read_options.on_origin(trace.origin)
        return actual_calls_in(trace, where=where)
    return cast("_Calls", expected_calls_in(trace, where=where))  # only cases have groups


def actual_calls_in(trace: Trace, *, where: str) -> _Calls:
    """The calls that were made in a run; an error if it says nothing about them."""
    _require_answer(trace, where)
    if trace.calls is None:
        problem = "the document has expected calls, but no actual calls"
        raise InvalidCall(f"{where}: {problem}.")
    return trace.calls


def expected_calls_in(trace: Trace, *, where: str) -> tuple[Expected, ...]:
    """What a document says is expected; otherwise all its calls, as in a run that went well.

    An error if there is nothing, or nothing that can be matched.
    """
    from callscore.core.case import with_calls

    _require_answer(trace, where)
    expected = trace.any_calls if trace.expected is None else trace.expected
    if all(call.error is None and call.turn is None for call in calls_in(expected)):
        return expected
    return tuple(
        [with_calls(item, lambda call: _require_readable(call, where)) for item in expected]
    )


def _require_answer(trace: Trace, where: str) -> None:
    if not trace.says_anything:
        raise InvalidCall(f"{where}: the document has no answer and no expected calls.")


def _require_readable(call: ToolCall, where: str) -> ToolCall:
    """The call as it is expected; where it was made does not say where it is expected."""
    if call.turn is not None:
        call = structs.replace(call, turn=None)
    if call.error is None:
        return call
    if call.error == NOT_CAPTURED:  # only the tool is known to be expected
        return structs.replace(call, error=None)
    from callscore.words.reasons import malformed_text

    problem = f"the arguments of {describe(call.name)} cannot be read: {malformed_text(call.error)}"
    raise InvalidCall(f"{where}: {problem}; got {describe(call.raw)}.")
