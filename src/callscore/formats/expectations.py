"""Reads what is expected: calls, groups of calls, repeats, and forbidden calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast, get_args

from msgspec import structs

from callscore.core.call import ToolCall
from callscore.core.case import (
    Expected,
    Forbidden,
    Group,
    GroupKind,
    Times,
    calls_in,
    has_turns,
    is_state,
    with_calls,
)
from callscore.core.expectation_json import LITERAL, parse_matchers
from callscore.core.rules import Matcher
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidCall
from callscore.formats.calls import CALL_FIELDS, NAME_KEYS, is_pair, read_call
from callscore.formats.shape import describe

GROUPS: tuple[GroupKind, ...] = get_args(GroupKind)
FORBID = "forbid"
TURN: GroupKind = "turn"
TIMES = "times"
_KEYWORDS = (*GROUPS, FORBID)
MAX_TIMES = 10_000  # each is an expected call
_BOUNDS = ("min", "max")
_EXAMPLE_TIMES = '{"min": 1, "max": 3}'


def _misspellings(*words: str) -> str:
    """A pattern of words with at most one typo, also in capitals, in camel case or after a `$`.

    Python and JSON Schema read it alike: what is misspelled for the reader is so for editors.
    """
    found: list[str] = []
    for word in words:
        found.append(word.upper())
        letters: list[str] = []
        for part in word.split("_"):
            letters += ["[ _-]?", f"[{part[0].upper()}{part[0]}]", *part[1:]]
        letters = letters[1:]
        for at in range(len(letters) + 1):
            before, here, after = letters[:at], letters[at : at + 1], letters[at + 1 :]
            replaced, added = [*before, ".?", *after], [*before, ".", *here, *after]
            swapped = [*before, *after[:1], *here, *after[1:]]
            found += ["".join(spelling) for spelling in (replaced, added, swapped)]
    return rf"^\$?(?:{'|'.join(found)})$"


MISSPELLED_GROUP = _misspellings(*_KEYWORDS, "forbidden")
MISSPELLED_KEYWORD = _misspellings(*_KEYWORDS, "forbidden", TIMES)


def has_groups(items: list[Any]) -> bool:
    """Whether a list of expectations contains anything but calls."""
    return any(
        isinstance(item, Group | Times | Forbidden | Matcher)
        or (isinstance(item, Mapping) and (_is_group(item) or TIMES in item))
        or _is_around_group(item)
        for item in items
    )


def _is_around_group(item: Any) -> bool:
    """Whether a group is inside of a misspelled one, misspelled or not.

    A call of BFCL is an object in an object, too, by the name of a tool and of an argument.
    """
    if not isinstance(item, Mapping) or len(item) != 1:
        return False
    ((key, value),) = item.items()
    if not isinstance(value, Mapping):
        return False
    if _is_nearly_group(key) and any(map(_is_nearly_group, value)):
        return True
    return _is_group(value) and bool(did_you_mean(key, _KEYWORDS))


def _is_nearly_group(key: Any) -> bool:
    return isinstance(key, str) and re.search(MISSPELLED_GROUP, key) is not None


def _is_group(item: Mapping[str, Any]) -> bool:
    return any(kind in item for kind in _KEYWORDS) and not any(name in item for name in NAME_KEYS)


def read_expectation(items: list[Any], *, where: str, spelled: bool) -> tuple[Expected, ...]:
    """The expectations of a list of calls, groups and forbidden calls.

    With `spelled`, keys in arguments that begin with `$` are rules, as in a case file.

    Raises:
        InvalidCall: something in it cannot be read, or is in a wrong place.
    """
    try:
        read = tuple(
            [
                _read_top(item, where=f"{where}[{position}]", spelled=spelled)
                for position, item in enumerate(items)
            ]
        )
    except RecursionError as error:
        raise InvalidCall(f"{where}: groups are nested too deeply.") from error
    return arrange(read, where)


def arrange(items: tuple[Expected, ...], where: str) -> tuple[Expected, ...]:
    """The outermost list with its calls in their turns, and the state at its end.

    Raises:
        InvalidCall: something is in no turn, or in a wrong place.
    """
    if any(call.turn is not None for call in calls_in(items)):
        items = _by_turn(items, where)
    _require_turns_alone(items, where)
    states = [item for item in items if is_state(item)]
    if not states:
        return items
    if len(states) > 1:
        raise InvalidCall(f"{where}: a case has only one state at its end. Remove the others.")
    return (*[item for item in items if not is_state(item)], *states)


def _by_turn(items: tuple[Expected, ...], where: str) -> tuple[Expected, ...]:
    """Calls that say in which turn they are expected, as groups."""
    turns: dict[int, list[Expected]] = {}
    others: list[Expected] = []
    for position, item in enumerate(items):
        if isinstance(item, Forbidden) or is_state(item):
            others.append(item)
            continue
        call = item.call if isinstance(item, Times) else item
        if not isinstance(call, ToolCall) or call.turn is None:
            problem = "it has no 'turn', and other calls have one"
            hint = 'Give every call a turn, or write {"turn": [...]} around the calls of each'
            raise InvalidCall(f"{where}[{position}]: {problem}. {hint}.")
        turns.setdefault(call.turn, []).append(with_calls(item, _without_turn))
    count = max(turns) + 1
    return (*[Group(TURN, tuple(turns.get(number, ()))) for number in range(count)], *others)


def _without_turn(call: ToolCall) -> ToolCall:
    return structs.replace(call, turn=None)


def _read_top(item: Any, *, where: str, spelled: bool) -> Expected:
    """An item of the outermost list, the only one with turns and forbidden calls."""
    forbidden = _read_forbidden(item, where)
    if forbidden is not None:
        return forbidden
    if not isinstance(item, Group) or item.kind != TURN:
        if not isinstance(item, Mapping) or TURN not in item or not _is_group(item):
            return read_expected(item, where=where, spelled=spelled)
        _require_only(TURN, item, where)
        members, is_spelled = item[TURN], spelled
    else:
        members, is_spelled = item.members, False
    if not isinstance(members, list | tuple):
        raise InvalidCall(f"{where}.{TURN}: must be a list of calls; got {describe(members)}.")
    return Group(TURN, _read_each(members, f"{where}.{TURN}", spelled=is_spelled))


def _require_only(kind: str, item: Mapping[str, Any], where: str) -> None:
    for key in item:
        if key != kind:
            raise InvalidCall(f"{where}: {describe(key)} is not allowed beside '{kind}'.")


def _require_turns_alone(items: tuple[Expected, ...], where: str) -> None:
    """Refuse calls beside turns: it would be unknown in which turn they are expected."""
    if not has_turns(items):
        return
    for position, item in enumerate(items):
        is_turn = isinstance(item, Group) and item.kind == TURN
        if not is_turn and not isinstance(item, Forbidden) and not is_state(item):
            problem = f"a call outside of a '{TURN}' beside others that are in one"
            raise InvalidCall(f"{where}[{position}]: {problem}. Put it into a turn.")


def read_expected(item: Any, *, where: str, spelled: bool) -> Expected:
    """One call or one group; forbidden calls are allowed only in the top list."""
    if isinstance(item, Matcher):
        problem = f"'{item.key}' can replace the value of an argument, not a call"
        word = item.key.removeprefix("$")
        hint = f" For calls write expect.{word}(expect.call(...))." if word in GROUPS else ""
        raise InvalidCall(f"{where}: {problem}.{hint}")
    if isinstance(item, Group):
        _refuse_inner_turn(item.kind, where)
        members = _read_members(item.kind, list(item.members), where, spelled=False)
        return Group(item.kind, members)
    if isinstance(item, Times):
        call: Any = item.call
        if not isinstance(call, ToolCall):
            problem = f"only a call can be repeated; got {describe(call)}."
            raise InvalidCall(f"{where}.{TIMES}: {problem}")
        return _read_times(call, {"min": item.least, "max": item.most}, where)
    if _read_forbidden(item, where) is not None:
        problem = f"'{FORBID}' applies to the whole case. Put it into the top-level list"
        raise InvalidCall(f"{where}: {problem}.")
    if isinstance(item, Mapping):
        return _read_mapping(item, where, spelled=spelled)
    return _read_call(item, where, spelled=spelled)


def _refuse_inner_turn(kind: str, where: str) -> None:
    if kind == TURN:
        problem = "a turn cannot be inside of a group. Put it into the top-level list"
        raise InvalidCall(f"{where}: {problem}.")


def _read_mapping(item: Mapping[str, Any], where: str, *, spelled: bool) -> Expected:
    if not _is_group(item):
        if TIMES not in item:
            return _read_call(item, where, spelled=spelled)
        call = {key: value for key, value in item.items() if key != TIMES}
        return _read_times(_read_call(call, where, spelled=spelled), item[TIMES], where)
    kind = next(kind for kind in _KEYWORDS if kind in item)
    _require_only(kind, item, where)
    _refuse_inner_turn(kind, where)
    value = item[kind]
    members = [value] if kind == "optional" else value
    if kind == "optional" and isinstance(value, list) and not _is_call(value):
        problem = "it takes one call or one group. Put several into 'in_order' or 'any_order'"
        raise InvalidCall(f"{where}.optional: {problem}.")
    if not isinstance(members, list | tuple):
        raise InvalidCall(f"{where}.{kind}: must be a list of calls; got {describe(value)}.")
    group = cast("GroupKind", kind)
    return Group(group, _read_members(group, list(members), where, spelled=spelled))


def _read_members(
    kind: GroupKind, members: list[Any], where: str, *, spelled: bool
) -> tuple[Expected, ...]:
    if not members:
        raise InvalidCall(f"{where}.{kind}: the group is empty. Add a call.")
    if kind == "optional":
        member = read_expected(members[0], where=f"{where}.{kind}", spelled=spelled)
        _refuse_inner(member, f"{where}.{kind}")
        return (member,)
    return _read_each(members, f"{where}.{kind}", spelled=spelled)


def _read_each(members: Sequence[Any], where: str, *, spelled: bool) -> tuple[Expected, ...]:
    """The members of a group."""
    read = []
    for position, member in enumerate(members):
        item = read_expected(member, where=f"{where}[{position}]", spelled=spelled)
        _refuse_inner(item, f"{where}[{position}]")
        read.append(item)
    return tuple(read)


def _refuse_inner(item: Expected, where: str) -> None:
    """Refuse a state, which belongs to the whole case, and a turn, which a group decides."""
    if is_state(item):
        problem = "the state is that of the whole case. Put it into the top-level list"
        raise InvalidCall(f"{where}: {problem}.")
    call = item.call if isinstance(item, Times) else item
    if isinstance(call, ToolCall) and call.turn is not None:
        problem = 'a call in a group has no turn of its own. Write {"turn": [...]} around the group'
        raise InvalidCall(f"{where}.turn: {problem}.")


def _read_forbidden(item: Any, where: str) -> Forbidden | None:
    if isinstance(item, Forbidden):
        return item
    if not isinstance(item, Mapping) or FORBID not in item or not _is_group(item):
        return None
    pattern = item[FORBID]
    if len(item) == 1 and isinstance(pattern, str) and pattern:
        return Forbidden(pattern)
    problem = 'must be the name of a tool or a pattern such as "delete_*", without other keys'
    got = describe(pattern if len(item) == 1 else item)
    raise InvalidCall(f"{where}.{FORBID}: {problem}; got {got}.")


def _read_call(item: Any, where: str, *, spelled: bool) -> ToolCall:
    if isinstance(item, Mapping):
        _refuse_misspelled(item, where)
        _refuse_misplaced(item, where)
    call = read_call(item, side="expected", where=where)
    return call if isinstance(item, ToolCall) or not spelled else read_rules(call, where)


def _is_call(items: list[Any]) -> bool:
    """Whether a list is one call, and not a list of names."""
    if not is_pair(items):
        return False
    arguments = items[1].strip() if isinstance(items[1], str) else ""
    return arguments in ("", "null") or arguments[0] in '{"'  # an object as JSON, perhaps twice


def read_rules(call: ToolCall, where: str, field: str = ".arguments") -> ToolCall:
    """A call of a case file with the `$` keys in its arguments read as rules.

    `field` is what messages call the arguments of the call; those of a state are the state itself.
    """
    if not call.arguments:
        return call
    arguments = parse_matchers(call.arguments, where=where + field)
    if arguments is call.arguments:
        return call
    if isinstance(arguments, dict):
        return structs.replace(call, arguments=arguments)
    key = arguments.key if isinstance(arguments, Matcher) else LITERAL
    problem = f"'{key}' can replace the value of an argument, not all arguments"
    hint = "To allow additional arguments, use mode 'flexible' with argument_match_threshold 1"
    if key == "$any":
        hint = "To accept any arguments, leave out 'arguments'"
    raise InvalidCall(f"{where}{field}: {problem}. {hint}.")


def refuse_misspelled(items: list[Any], where: str) -> None:
    """Refuse a group whose keyword is misspelled; "a call without a name" would be misleading."""
    for position, item in enumerate(items):
        if isinstance(item, Mapping):
            _refuse_misspelled(item, f"{where}[{position}]")


def refuse_misplaced_keywords(items: list[Any], where: str) -> None:
    """Refuse a call with a keyword beside it that belongs around it.

    Other keys are allowed beside a name and arguments, but ignoring `forbid` or a misspelled `times`
    would change what is expected.
    """
    for position, item in enumerate(items):
        if isinstance(item, Mapping):
            _refuse_misplaced(item, f"{where}[{position}]")


def _refuse_misplaced(item: Mapping[str, Any], where: str) -> None:
    for key in item:
        if key in CALL_FIELDS or not isinstance(key, str):
            continue
        meant = _nearest_keyword(key)
        if meant in _BOUNDS:
            problem = (
                f"{describe(key)} must be inside 'times', as in {{\"times\": {_EXAMPLE_TIMES}}}."
            )
            raise InvalidCall(f"{where}: {problem}")
        if meant in (TIMES, TURN):
            raise InvalidCall(
                f"{where}: unknown field {describe(key)} of a call. Did you mean {meant!r}?"
            )
        if meant is not None:
            problem = f"{describe(key)} is not a field of a call. Put the call inside it"
            raise InvalidCall(f'{where}: {problem}, as in {{"{meant}": ...}}.')


@lru_cache(maxsize=256)  # the calls of a file mostly have the same keys
def _nearest_keyword(key: str) -> str | None:
    from difflib import get_close_matches

    words = (*_KEYWORDS, TIMES, *_BOUNDS)
    if key in words:
        return key
    least = 0.6 if re.search(MISSPELLED_KEYWORD, key) else 0.8  # a typo changes much of `turn`
    found = get_close_matches(key.lower(), (*_KEYWORDS, TIMES), n=1, cutoff=least)
    return found[0] if found else None


def _refuse_misspelled(item: Mapping[str, Any], where: str) -> None:
    if any(name in item for name in NAME_KEYS) or len(item) != 1:
        return
    (key,) = item
    if str(key).startswith("$") and str(key)[1:] not in _KEYWORDS:
        problem = f"{describe(key)} can replace the value of an argument, not a call"
        raise InvalidCall(f"{where}: {problem}.")
    hint = did_you_mean(key, _KEYWORDS)
    if not hint and isinstance(item[key], list):
        hint = f". Choose from: {', '.join(_KEYWORDS)}."
    if hint:
        raise InvalidCall(f"{where}: unknown group {describe(key)}{hint}")


def _read_times(call: ToolCall, times: Any, where: str) -> Times:
    times = _as_integer(times)
    bounds = {"min": times, "max": times} if _is_count(times) else times
    if not isinstance(bounds, Mapping):
        problem = f"must be a number or an object such as {_EXAMPLE_TIMES}"
        raise InvalidCall(f"{where}.{TIMES}: {problem}; got {describe(times)}.")
    for key in bounds:
        if key not in _BOUNDS:
            hint = did_you_mean(key, _BOUNDS) or "."
            raise InvalidCall(f"{where}.{TIMES}: unknown key {describe(key)}{hint}")
    least, most = _as_integer(bounds.get("min", 1)), _as_integer(bounds.get("max"))
    if not _is_count(least) or not (most is None or _is_count(most)):
        raise InvalidCall(
            f"{where}.{TIMES}: 'min' and 'max' must be integers from 0 to {MAX_TIMES:,}."
        )
    if most is not None and most < max(least, 1):
        problem = f"'max' is {most} and 'min' is {least}"
        raise InvalidCall(f"{where}.{TIMES}: {problem}. To forbid a call, use '{FORBID}'.")
    return Times(call, least, most)


def _as_integer(value: Any) -> Any:
    """A whole number as an integer: in JSON both are numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TIMES
