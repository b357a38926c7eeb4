"""The turns of a case record, and the states at its end.

`turns` says what is expected and what was called after each message of the user. `expected_state` and
`actual_state` are compared as the arguments of one more call on each side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from callscore.core.case import (
    END_STATE,
    NO_CALLS,
    STATE_KIND,
    Expected,
    Forbidden,
    Group,
    is_state,
)
from callscore.core.expectation_json import LITERAL, contains_rule_keys, parse_matchers
from callscore.core.rules import Matcher
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidCall
from callscore.formats.calls import Side, read_call
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    ACTUAL_STATE_FIELD,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    EXPECTED_STATE_FIELD,
    EXPECTED_TOOL_FIELD,
    STATE_FIELDS,
    TURNS_FIELD,
    nearest_side_field,
)
from callscore.formats.expectations import FORBID, read_rules
from callscore.formats.shape import describe, to_plain_data

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

    ReadExpected = Callable[..., tuple[Expected, ...]]
    ReadActual = Callable[..., tuple[ToolCall, ...] | None]

TURN_INPUT_FIELDS = ("input", "question")
_SHAPE = "a turn is a list of calls, or an object with 'expected' and 'actual'"


class Turns(NamedTuple):
    """What turns say: a side is None if no turn has it, and so is the input."""

    expected: tuple[Expected, ...] | None
    actual: tuple[ToolCall, ...] | None
    input: list[Any] | None


class _Turn(NamedTuple):
    """The fields of one turn, each with its place and value."""

    expected: tuple[str, Any] | None
    actual: tuple[str, Any] | None
    input: Any


def read_turns(
    turns: list[Any], *, bare: Side | None, read_expected: ReadExpected, read_actual: ReadActual
) -> Turns:
    """The sides of the turns of a record, of which `is_turns` is true.

    In a file that has only one side, that side is `bare`, and `calls` are of that side. In a case, a
    list in place of an object is what is expected.

    Raises:
        InvalidCall: a turn cannot be read.
    """
    found = [_read_turn(turn, f"{TURNS_FIELD}[{at}]", bare) for at, turn in enumerate(turns)]
    expected: list[Expected] = []
    actual: list[ToolCall] = []
    for number, turn in enumerate(found):
        if turn.expected is not None and bare != "actual":
            where, value = turn.expected
            members = _only_members(read_expected(value, where=where), where)
            expected.append(Group("turn", members))
        else:
            expected.append(Group("turn", ()))
        if turn.actual is not None and bare != "expected":
            where, value = turn.actual
            calls = read_actual(value, where=where) or ()
            actual += [structs.replace(call, turn=number) for call in calls]
    has_expected = bare != "actual" and any(turn.expected is not None for turn in found)
    has_actual = bare != "expected" and any(turn.actual is not None for turn in found)
    inputs = [turn.input for turn in found]
    return Turns(
        tuple(expected) if has_expected else None,
        tuple(actual) if has_actual else None,
        inputs if any(value is not None for value in inputs) else None,
    )


def _read_turn(turn: Any, where: str, bare: Side | None) -> _Turn:
    if turn is None or isinstance(turn, list | tuple):
        given = where, turn
        return _Turn(None, given, None) if bare == "actual" else _Turn(given, None, None)
    if not isinstance(turn, dict):
        hint = f" Write [{describe(turn)}]." if isinstance(turn, str) else ""
        raise InvalidCall(f"{where}: {_SHAPE}; got {describe(turn)}.{hint}")
    sides: dict[Side, tuple[str, ...]] = {"expected": EXPECTED_FIELDS, "actual": ACTUAL_FIELDS}
    if bare is not None:
        sides[bare] += EITHER_SIDE_FIELDS
    expected = _only_field(turn, sides["expected"], where)
    actual = _only_field(turn, sides["actual"], where)
    _refuse_others(turn, where, bare, (*sides["expected"], *sides["actual"], *TURN_INPUT_FIELDS))
    if expected is not None and expected[0].endswith(EXPECTED_TOOL_FIELD):
        place, name = expected
        expected = place, name if name is None else [name]
    value = next((turn[field] for field in TURN_INPUT_FIELDS if field in turn), None)
    return _Turn(expected, actual, value)


def _only_field(
    turn: dict[str, Any], fields: tuple[str, ...], where: str
) -> tuple[str, Any] | None:
    given = [field for field in fields if field in turn]
    if len(given) > 1:
        names = " and ".join(map(repr, given))
        raise InvalidCall(f"{where}: {names} are the same field. Keep one of them.")
    return (f"{where}.{given[0]}", turn[given[0]]) if given else None


def _refuse_others(
    turn: dict[str, Any], where: str, bare: Side | None, known: tuple[str, ...]
) -> None:
    """Refuse fields that a turn does not have: ignoring them would hide calls, or what is forbidden.

    A program may write other fields into traces. There, only what may be a typo is refused.
    """
    for key, value in turn.items():
        if key in known:
            continue
        if bare is None and key in EITHER_SIDE_FIELDS:
            raise InvalidCall(f"{where}: '{key}' may be either side. Write 'expected' or 'actual'.")
        problem = f"{where}: unknown field {describe(key)}"
        meant = nearest_side_field(str(key))
        if meant in known:
            raise InvalidCall(f"{problem}. Did you mean '{meant}'?")
        if key == FORBID:
            raise InvalidCall(f"{problem} of a turn. {_forbid_hint(value)}")
        if key in STATE_FIELDS:
            raise InvalidCall(f"{problem} of a turn. '{key}' is a field of the whole case.")
        if bare != "actual":
            names = ("expected", *(() if bare == "expected" else ("actual",)), TURN_INPUT_FIELDS[0])
            raise InvalidCall(f"{problem} of a turn{suggestion_or_choices(key, names)}")


def _forbid_hint(pattern: Any) -> str:
    """Where to write what is forbidden, which is not a matter of one turn."""
    name = pattern if isinstance(pattern, str) else "..."
    return (
        f"'{FORBID}' applies to the whole case. Instead of '{TURNS_FIELD}', write"
        f' "expected": [{{"turn": [...]}}, {{"{FORBID}": "{name}"}}].'
    )


def _only_members(items: tuple[Expected, ...], where: str) -> tuple[Expected, ...]:
    """The items, if all of them may be in a turn."""
    for item in items:
        if isinstance(item, Forbidden):
            raise InvalidCall(f"{where}: {_forbid_hint(item.pattern)}")
        if isinstance(item, Group) and item.kind == "turn":
            raise InvalidCall(f"{where}: a turn cannot be inside of a turn. Write its calls only.")
        if is_state(item):
            problem = f"the state is that of the whole case. Write it as '{EXPECTED_STATE_FIELD}'"
            raise InvalidCall(f"{where}: {problem}.")
    return items


def read_state(value: Any, *, side: Side, where: str, spelled: bool = True) -> ToolCall:
    """A state as it is compared: an object is taken as it is, any other value as the member `value`.

    With `spelled`, keys of an expected state that begin with `$` are rules.

    Raises:
        InvalidCall: it cannot be compared, or a rule makes no sense.
    """
    if isinstance(value, Matcher):
        raise InvalidCall(f"{where}: {_no_whole_rule(value.key)}")
    # What is JSON is only looked into where it is compared, and matchers stay what they are.
    is_data = side == "expected" or isinstance(value, dict | list | str | int | float)
    state = value if is_data else to_plain_data(value)
    if not isinstance(state, dict):
        if side == "expected" and spelled:
            parse_matchers(state, where=where)  # an error names the place without the key around it
        state = {"value": state}
    call = structs.replace(
        read_call({"name": END_STATE, "arguments": state}, side=side, where=where), kind=STATE_KIND
    )
    if side == "actual" or not spelled:
        return call
    for key in state:
        if key != LITERAL and contains_rule_keys({key: None}):
            raise InvalidCall(f"{where}: {_no_whole_rule(str(key))}")
    return read_rules(call, where, field="")


def _no_whole_rule(key: str) -> str:
    return (
        f"'{key}' can replace a value in a state, not the state as a whole."
        " To allow additional members, use mode 'flexible' with argument_match_threshold 1."
    )


def expected_with_state(
    expected: tuple[Expected, ...] | None, record: dict[str, Any], *, spelled: bool = True
) -> tuple[Expected, ...] | None:
    """What a record expects, with the state that it expects at the end.

    Without expected calls, any calls may be made; an empty list expects none.

    Raises:
        InvalidCall: the state cannot be read, or there is one already.
    """
    value = record.get(EXPECTED_STATE_FIELD)
    if value is None:
        return expected
    if expected and is_state(expected[-1]):
        problem = f"'expected' has a state already. Remove it, or '{EXPECTED_STATE_FIELD}'"
        raise InvalidCall(f"{EXPECTED_STATE_FIELD}: {problem}.")
    state = read_state(value, side="expected", where=EXPECTED_STATE_FIELD, spelled=spelled)
    if expected is None:
        return (state,)
    return (*(expected or NO_CALLS), state)


def actual_with_state(
    actual: tuple[ToolCall, ...] | None, record: dict[str, Any]
) -> tuple[ToolCall, ...] | None:
    """The actual calls of a record, with the state that was found at the end."""
    value = record.get(ACTUAL_STATE_FIELD)
    if value is None:
        return actual
    state = read_state(value, side="actual", where=ACTUAL_STATE_FIELD)
    return (*[call for call in actual or () if not is_state(call)], state)
