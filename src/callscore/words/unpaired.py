"""Why a call has no partner, and what of an expectation with groups does not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from callscore.core.arguments import apply_settings, grade_calls
from callscore.core.budget import Budget, OverBudget
from callscore.core.call import AGENT, NOT_CAPTURED, ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times, calls_in, is_state
from callscore.core.equality import equal_objects, fingerprint
from callscore.core.phrases import Language, Phrase, say
from callscore.core.tool_names import changes_names, with_compared_name
from callscore.words.callers import other_caller_text
from callscore.words.look_alikes import code_points_text
from callscore.words.reasons import malformed_text
from callscore.words.value_text import call_text

if TYPE_CHECKING:
    from callscore.core.score import Score
    from callscore.core.settings import Settings

# What decides whether a call may be made, apart from its arguments: `one_of` an alternative to it,
# `in_order` the calls around it, `together` the other calls of its optional group.
Tie = Literal["one_of", "in_order", "together"]
_Key = tuple[str, str | None]
_FREE: frozenset[Tie] = frozenset()


class AllowedCall(Struct):
    """A written call: how often it may be made, and how often it counts.

    Attributes:
        counted: how many expected calls like it count.
        most: how often it may be made in total; None for any number.
        has_times: whether `most` is written explicitly.
    """

    call: ToolCall
    counted: int
    most: int | None = 0
    has_times: bool = False
    ties: frozenset[Tie] = _FREE

    @property
    def has_room(self) -> bool:
        """Whether one more call like it could count."""
        return self.most is None or self.counted < self.most


def allowed_calls(score: Score, names: set[str]) -> list[AllowedCall]:
    """The written calls of these tools, each distinct call once, in written order."""
    counted = Counter(map(_key, score.expected))
    top: frozenset[Tie] = frozenset({"in_order"}) if effective_order(score) != "any" else _FREE
    found: dict[_Key, AllowedCall] = {}
    for item, ties in _walk(score.expectation or (), top, counted):
        call = item.call if isinstance(item, Times) else item
        if call.name in names:
            key = _key(call)
            allowance = found.setdefault(key, AllowedCall(call, counted[key]))
            allowance.ties |= ties
            most = item.most if isinstance(item, Times) else 1
            is_bounded = allowance.most is not None and most is not None
            allowance.most = (allowance.most or 0) + (most or 0) if is_bounded else None
            allowance.has_times |= isinstance(item, Times)
    return list(found.values())


def uncounted_calls(score: Score) -> list[ToolCall]:
    """The written calls that do not count: not chosen, or not made."""
    if score.expectation is None:
        return []
    counted = Counter(map(_key, score.expected))
    left: list[ToolCall] = []
    for call in calls_in(score.expectation):
        key = _key(call)
        if counted[key]:
            counted[key] -= 1
        else:
            left.append(call)
    return left


def _key(call: ToolCall) -> _Key:
    return call.name, None if call.arguments is None else fingerprint(call.arguments)


def _walk(
    expectation: tuple[Expected, ...], ties: frozenset[Tie], counted: Counter[_Key]
) -> Iterator[tuple[ToolCall | Times, frozenset[Tie]]]:
    """Every call at any depth, with or without a repeat count, and what it is tied to."""
    pending = [(item, ties) for item in reversed(expectation)]
    while pending:
        item, around = pending.pop()
        if isinstance(item, Group):
            inside = [(member, around | tie) for member, tie in _members(item, counted)]
            pending += reversed(inside)
        elif not isinstance(item, Forbidden):
            yield item, around


def _members(group: Group, counted: Counter[_Key]) -> list[tuple[Expected, frozenset[Tie]]]:
    """The members of a group, and what the group ties each of them to."""
    members = group.members
    if group.kind == "one_of":
        counting = [_counts(member, counted) for member in members]
        is_clear = sum(counting) == 1  # else it is ambiguous which one was chosen
        return [
            (member, _FREE if is_clear and is_counting else frozenset[Tie]({"one_of"}))
            for member, is_counting in zip(members, counting, strict=True)
        ]
    tie = _FREE
    if group.kind == "in_order":
        tie = frozenset({"in_order"})
    elif group.kind == "optional":
        is_open = any(isinstance(one, Group) and not _counts(one, counted) for one in members)
        tie = frozenset({"together"}) if is_open else _FREE
    return [(member, tie) for member in members]


def _counts(member: Expected, counted: Counter[_Key]) -> bool:
    """Whether a call in it counts, or an equal one."""
    return any(counted[_key(call)] for call in calls_in((member,)))


class ExpectationParts(NamedTuple):
    """The number of calls in an expectation, the kinds of its groups, and the patterns it forbids."""

    calls: int
    kinds: set[str]
    forbidden: list[str]


def order_matters(score: Score) -> bool:
    """Whether the order of calls, at least inside a group, affects the pairing."""
    kinds = expectation_parts(score.expectation or ()).kinds
    return effective_order(score) != "any" or "in_order" in kinds


def effective_order(score: Score) -> str:
    """The order in which the calls of each turn, or of the case, must be made."""
    order = score.settings.order
    if order != "in_turns":
        return order
    return "in_order" if score.turns else "any"


def expectation_parts(expectation: tuple[Expected, ...]) -> ExpectationParts:
    """The parts of an expectation, at any depth."""
    calls, kinds, forbidden = 0, set[str](), list[str]()
    pending = list(reversed(expectation))
    while pending:
        member = pending.pop()
        if isinstance(member, Group):
            kinds.add(member.kind)
            pending += reversed(member.members)
        elif isinstance(member, Forbidden):
            forbidden.append(member.pattern)
        else:
            calls += 1
            if isinstance(member, Times):
                kinds.add("times")
    return ExpectationParts(calls, kinds, forbidden)


# Comparing every extra call with every expected call may take long.
_MAX_CALLS = 100
_MAX_COMPARED = 20
_CALL_WIDTH = 100

NOT_AS_WRITTEN = Phrase(
    "differs from the call in the reference: {call}", "отличается от вызова в эталоне: {call}"
)
WRITTEN = Phrase("in the reference only as {how}", "в эталоне есть только как {how}")
AND = Phrase(" and ", " и ")
TIE_PHRASES: dict[Tie, Phrase] = {
    "one_of": Phrase("an alternative to other calls", "альтернатива другим вызовам"),
    "in_order": Phrase("part of a sequence", "часть последовательности"),
    "together": Phrase("part of an optional group", "часть необязательной группы"),
}
TOO_OFTEN = Phrase(
    "called more often than allowed (at most {most})",
    "вызван чаще, чем разрешено (не больше {most})",
)


Why = Literal["order", "turn", "caller"]


class Misplaced(NamedTuple):
    """Why a call is not paired with a call of the same tool on the other side.

    Attributes:
        why: it is out of order, in another turn, or made by another caller.
        other: the call of the same tool.
        is_hidden: whether reports do not show that call, because it is free and has other arguments.
    """

    why: Why
    other: ToolCall
    is_hidden: bool = False


class UnpairedReasons(NamedTuple):
    """Why calls have no partner.

    Attributes:
        missed: calls of the same tool that missed calls cannot be paired with, by expected position.
        misplaced: the same for extra calls, by actual position.
        extra: how other extra calls differ from what was written, by actual position.
        look_alikes: where the names of missed tools differ from names that look the same.
    """

    missed: dict[int, Misplaced]
    misplaced: dict[int, Misplaced]
    extra: dict[int, str]
    look_alikes: dict[str, str]


_NOTHING_UNPAIRED = UnpairedReasons({}, {}, {}, {})
MISSED_NOTES: dict[Why, Phrase] = {
    "order": Phrase("called, but not in this order", "вызван, но в другом порядке"),
    "turn": Phrase("called, but in another turn", "вызван, но в другом ходе"),
}


def missed_note(found: Misplaced | None, call: ToolCall, lang: Language) -> str | None:
    """Why a missed call is not paired with a call of its tool; None if there is none."""
    if found is None:
        return None
    if found.why == "caller":
        note = other_caller_text(found.other, call, lang)
    else:
        note = say(MISSED_NOTES[found.why], lang)
    if not found.is_hidden:
        return note
    return f"{note}: {call_text(found.other, limit=_CALL_WIDTH, lang=lang)}"


def explain_unpaired(score: Score, lang: Language) -> UnpairedReasons:
    """Why the unpaired calls of a score have no partner."""
    rows, columns = _unpaired_places(score)
    free = _free_calls(score) if rows else []
    # Missed calls are only explained by extra ones; extra calls also by what was written.
    if not (rows and (columns or free)) and not (columns and score.expectation):
        return _NOTHING_UNPAIRED
    missed, misplaced = _misplaced(score, rows, columns, free)
    names = {score.expected[row].name for row in rows}
    made = [score.actual[column] for column in columns]
    called = {call.name for call in (*made, *free)}
    look_alikes = _look_alikes(names, called, lang) if names and called else {}
    extra = _extra_reasons(score, columns, misplaced, lang) if score.expectation else {}
    return UnpairedReasons(missed, misplaced, extra, look_alikes)


def misplaced_calls(score: Score) -> dict[int, Misplaced]:
    """The missed calls whose tools were called, though not so that they could be paired."""
    rows, columns = _unpaired_places(score)
    return _misplaced(score, rows, columns, _free_calls(score))[0] if rows else {}


def _unpaired_places(score: Score) -> tuple[list[int], list[int]]:
    """The positions of the missed and of the extra calls."""
    start, pairs = score.equal_start, score.other_pairs
    paired = start + len(pairs)
    rows, columns = list[int](), list[int]()
    if len(score.expected) > paired:
        rows = _unpaired_positions({row for row, _ in pairs}, start, len(score.expected))
    if len(score.actual) > paired:
        columns = _unpaired_positions({column for _, column in pairs}, start, len(score.actual))
    return rows, columns


def _free_calls(score: Score) -> list[ToolCall]:
    """The extra calls that do not count, with their names as compared."""
    free = [item.call for item in score.ignored if item.why == "free"]
    if not changes_names(score.settings):
        return free
    return [with_compared_name(call, score.settings) for call in free]


# Calls of one tool on one side, by who makes them and in which turn.
_Places = dict[str, dict[tuple[str, int], list[ToolCall]]]


def _misplaced(
    score: Score, rows: list[int], columns: list[int], free: list[ToolCall]
) -> tuple[dict[int, Misplaced], dict[int, Misplaced]]:
    """What missed calls could not be paired with, and the same for extra calls."""
    wanted = {row: score.expected[row] for row in rows if not is_state(score.expected[row])}
    made = {column: score.actual[column] for column in columns}
    if not wanted or not (made or free):
        return {}, {}
    places = _PlaceFinder(score)
    by_tool, free_by_tool = places.by_tool(made.values()), places.by_tool(free)
    missed: dict[int, Misplaced] = {}
    for row, call in wanted.items():
        shown = places.find(call, by_tool)
        hidden = places.find(call, free_by_tool, is_hidden=True)
        found = [each for each in (shown, hidden) if each is not None]
        if found:
            missed[row] = min(found, key=_distance)
    expected_by_tool = places.by_tool(wanted.values())
    extra = {
        column: places.find(call, expected_by_tool, is_expected=False)
        for column, call in made.items()
        if column not in score.forbidden
    }
    return missed, {column: found for column, found in extra.items() if found is not None}


_NEAREST_FIRST: tuple[Why, ...] = ("order", "turn", "caller")


def _distance(found: Misplaced) -> tuple[bool, int]:
    """The same call in another turn explains more than another call that is out of order."""
    return found.is_hidden, _NEAREST_FIRST.index(found.why)


class _PlaceFinder:
    """Finds calls of the same tool on the other side, and why they are not a partner."""

    def __init__(self, score: Score) -> None:
        settings = score.settings
        self._has_turns = bool(score.turns)
        self._has_order = order_matters(score)
        self._is_cumulative = settings.turns == "cumulative" and settings.order != "exact"
        written = calls_in(score.expectation or score.expected)
        self._has_callers = any(call.caller is not None for call in written)

    def by_tool(self, calls: Iterable[ToolCall]) -> _Places:
        """The first calls of each tool in each place."""
        found: _Places = {}
        for call in calls:
            alike = found.setdefault(call.name, {}).setdefault(self._place(call), [])
            if len(alike) < _MAX_COMPARED:
                alike.append(call)
        return found

    def _place(self, call: ToolCall) -> tuple[str, int]:
        caller = call.caller or AGENT if self._has_callers else AGENT
        return caller, max(call.turn or 0, 0) if self._has_turns else 0

    def find(
        self, call: ToolCall, others: _Places, *, is_expected: bool = True, is_hidden: bool = False
    ) -> Misplaced | None:
        """The nearest call of the same tool, which is expected if `call` is not."""
        places = others.get(call.name)
        if places is None:
            return None
        own = self._place(call)
        found: list[Misplaced] = []
        for place, calls in places.items():
            why = self._why(own, place) if is_expected else self._why(place, own)
            if why is not None:
                is_other = is_hidden and _has_other_arguments(call, calls)
                found.append(Misplaced(why, calls[0], is_other))
        return min(found, key=_distance, default=None)

    def _why(self, expected: tuple[str, int], made: tuple[str, int]) -> Why | None:
        """Why a call is not a partner; without an order, calls of one tool are always paired."""
        if expected[0] != made[0]:
            return "caller"
        is_in_turn = made[1] == expected[1] or (self._is_cumulative and made[1] < expected[1])
        if not is_in_turn:
            return "turn"
        return "order" if self._has_order else None


def _has_other_arguments(expected: ToolCall, calls: list[ToolCall]) -> bool:
    """Whether none of these calls has the expected arguments."""
    wanted = expected.arguments
    if wanted is None:
        return False
    return not any(
        call.error is None and equal_objects(wanted, call.arguments or {}) for call in calls
    )


def _extra_reasons(
    score: Score, columns: list[int], misplaced: dict[int, Misplaced], lang: Language
) -> dict[int, str]:
    """How extra calls differ from what was written, if nothing of their tools was missed."""
    others = {score.actual[column].name for column in misplaced}
    called = {score.actual[column].name for column in columns}
    known: dict[str, list[AllowedCall]] = {}
    for allowance in allowed_calls(score, called - others):
        known.setdefault(allowance.call.name, []).append(allowance)
    explained = [column for column in columns if score.actual[column].name in known]
    extra: dict[int, str] = {}
    budget = Budget()
    for column in explained[:_MAX_CALLS]:
        call = score.actual[column]
        if call.error not in (None, NOT_CAPTURED):
            extra[column] = malformed_text(call.error or "", lang=lang)
            continue
        written = known[call.name][:_MAX_COMPARED]
        try:
            words = _extra_call_reason(call, written, score.settings, lang, budget)
        except OverBudget:  # the other calls are only listed
            break
        if words is not None:
            extra[column] = words
    return extra


def _look_alikes(missed: set[str], called: set[str], lang: Language) -> dict[str, str]:
    """Where the name of a missed tool differs from the name of a called one that looks the same.

    Of several, it is the first by name: in a set, they are in another order in each process.
    """
    found: dict[str, str] = {}
    others = sorted(called)[:_MAX_CALLS]
    for name in sorted(missed)[:_MAX_CALLS]:
        for other in others:
            text = None if other == name else code_points_text(name, other, lang)
            if text is not None:
                found[name] = text
                break
    return found


def _unpaired_positions(paired: set[int], start: int, end: int) -> list[int]:
    return [position for position in range(start, end) if position not in paired]


def _extra_call_reason(
    call: ToolCall,
    written: list[AllowedCall],
    settings: Settings,
    lang: Language,
    budget: Budget,
) -> str | None:
    """How an extra call differs from what was written for its tool; None if nothing is left."""
    graded = [
        (grade_calls(apply_settings(one.call, settings, budget), call, settings), one)
        for one in written
    ]
    fitting = [one for (is_correct, *_), one in graded if is_correct]
    ties = frozenset[Tie]().union(*[one.ties for one in fitting if one.has_room])
    how = [say(phrase, lang) for tie, phrase in TIE_PHRASES.items() if tie in ties]
    if how:
        return say(WRITTEN, lang, how=say(AND, lang).join(how))
    limits = [one.most for one in fitting if one.has_times and not one.has_room]
    if limits:
        return say(TOO_OFTEN, lang, most=limits[0])
    others = [
        (part / whole, one)
        for (is_correct, _, part, whole), one in graded
        if one.has_room and not is_correct
    ]
    if not others:
        return None
    _, closest = max(others, key=itemgetter(0))
    return say(NOT_AS_WRITTEN, lang, call=call_text(closest.call, limit=_CALL_WIDTH))
