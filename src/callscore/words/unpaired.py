"""Why a call has no partner, and what of an expectation with groups does not count."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from callscore.core.arguments import apply_settings, grade_calls
from callscore.core.budget import Budget, OverBudget
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Forbidden, Group, Times, calls_in
from callscore.core.equality import fingerprint
from callscore.core.phrases import Phrase, say
from callscore.words.look_alikes import code_points_text
from callscore.words.reasons import malformed_text
from callscore.words.value_text import call_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.case import Expected
    from callscore.core.phrases import Language
    from callscore.core.score import Score
    from callscore.core.settings import Settings

__all__ = [
    "UnpairedReasons",
    "effective_order",
    "expectation_parts",
    "explain_unpaired",
    "uncounted_calls",
]

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


class UnpairedReasons(NamedTuple):
    """Why calls have no partner.

    Attributes:
        out_of_order: the tools that were called, but not in the expected order.
        extra: how extra calls differ from what was written, by position.
        out_of_turn: the tools that were called, but in another turn than expected.
        look_alikes: where the names of missed tools differ from names that look the same.
    """

    out_of_order: set[str]
    extra: dict[int, str]
    look_alikes: dict[str, str]
    out_of_turn: set[str]


_NOTHING_UNPAIRED = UnpairedReasons(set(), {}, {}, set())


def explain_unpaired(score: Score, lang: Language) -> UnpairedReasons:
    """Why the unpaired calls of a score have no partner."""
    pairs = score.other_pairs
    paired = score.equal_start + len(pairs)
    # Missed calls are only explained by extra ones; extra calls also by what was written.
    if len(score.actual) == paired or (len(score.expected) == paired and not score.expectation):
        return _NOTHING_UNPAIRED
    rows = _unpaired_positions({row for row, _ in pairs}, score.equal_start, len(score.expected))
    columns = _unpaired_positions(
        {column for _, column in pairs}, score.equal_start, len(score.actual)
    )
    called = {score.actual[column].name for column in columns}
    # Without an order, calls of the same tool are paired regardless of their arguments.
    is_ordered = bool(rows and columns) and order_matters(score)
    missed = {score.expected[row].name for row in rows}
    out_of_turn = _out_of_turn(score, rows, columns) if score.turns else set()
    out_of_order = (called & missed) - out_of_turn if is_ordered else set()
    look_alikes = _look_alikes(missed, called, lang) if missed and called else {}
    if score.expectation is None:
        return UnpairedReasons(out_of_order, {}, look_alikes, out_of_turn)
    known: dict[str, list[AllowedCall]] = {}
    for allowance in allowed_calls(score, called - out_of_order - out_of_turn):
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
    return UnpairedReasons(out_of_order, extra, look_alikes, out_of_turn)


def _out_of_turn(score: Score, rows: list[int], columns: list[int]) -> set[str]:
    """The tools whose missed calls were made, though in other turns."""
    missed: dict[str, set[int]] = {}
    for row in rows:
        missed.setdefault(score.expected[row].name, set()).add(score.expected[row].turn or 0)
    called: dict[str, set[int]] = {}
    for column in columns:
        called.setdefault(score.actual[column].name, set()).add(score.actual[column].turn or 0)
    return {
        name for name in called if name in missed and not called[name].intersection(missed[name])
    }


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
