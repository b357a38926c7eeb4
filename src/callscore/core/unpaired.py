"""Why a call found no partner, where there is more to say than that none is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.call_text import call_text
from callscore.core.choices import Allowance, Tie, allowances
from callscore.core.closeness import grade
from callscore.core.counted_text import keeps_order
from callscore.core.demands import demanded
from callscore.core.malformed import NOT_CAPTURED
from callscore.core.phrase import Phrase, say
from callscore.core.wording import fault_text

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.closeness import Grade
    from callscore.core.model import Score
    from callscore.core.phrase import Language
    from callscore.core.settings import Settings

__all__ = ["Unpaired", "unpaired"]

# To compare every extra call with everything that was written may take long, and helps nobody.
_MOST_CALLS = 100
_MOST_LOOKS = 20
_CALL_WIDTH = 100

NOT_AS_WRITTEN = Phrase("not as it was written: {call}", "не так, как записано: {call}")
WRITTEN = Phrase("it was written only as {how}", "записан только как {how}")
AND = Phrase(" and ", " и ")
HOW: dict[Tie, Phrase] = {
    "one_of": Phrase("an alternative to other calls", "альтернатива другим вызовам"),
    "in_order": Phrase("part of an order", "часть порядка"),
    "together": Phrase("part of an optional group", "часть необязательной группы"),
}
TOO_OFTEN = Phrase("more often than allowed ({most})", "чаще, чем допускается ({most})")


class Unpaired(NamedTuple):
    """What is to be said about calls without a partner.

    Attributes:
        out_of_order: the tools of calls that were missed, although the tool was called: in the
            order that is asked for, no pair can be made of the two.
        extra: about extra calls, by their positions: how they differ from what was written.
    """

    out_of_order: set[str]
    extra: dict[int, str]


def unpaired(score: Score, lang: Language) -> Unpaired:
    """What is to be said about the calls of a score that have no partner."""
    pairs = score.other_pairs
    rows = _others({row for row, _ in pairs}, score.equal_start, len(score.expected))
    columns = _others({column for _, column in pairs}, score.equal_start, len(score.actual))
    called = {score.actual[column].name for column in columns}
    # Where no order is asked for, calls of the same tool are paired, whatever their arguments.
    is_ordered = bool(rows and columns) and keeps_order(score)
    out_of_order = called & {score.expected[row].name for row in rows} if is_ordered else set()
    if score.expectation is None:
        return Unpaired(out_of_order, {})
    known: dict[str, list[Allowance]] = {}
    for allowance in allowances(score, called - out_of_order):
        known.setdefault(allowance.call.name, []).append(allowance)
    explicable = [column for column in columns if score.actual[column].name in known]
    extra: dict[int, str] = {}
    for column in explicable[:_MOST_CALLS]:
        call = score.actual[column]
        if call.error not in (None, NOT_CAPTURED):
            extra[column] = fault_text(call.error or "", lang=lang)
            continue
        words = _words(call, known[call.name][:_MOST_LOOKS], score.settings, lang)
        if words is not None:
            extra[column] = words
    return Unpaired(out_of_order, extra)


def _others(paired: set[int], start: int, end: int) -> list[int]:
    return [position for position in range(start, end) if position not in paired]


def _words(
    call: ToolCall, written: list[Allowance], settings: Settings, lang: Language
) -> str | None:
    """How an extra call differs from what was written of its tool; None where nothing more was."""
    graded = [(grade(demanded(one.call, settings), call, settings), one) for one in written]
    fitting = [one for (is_correct, *_), one in graded if is_correct]
    ties = frozenset[Tie]().union(*[one.ties for one in fitting if one.has_room])
    how = [say(phrase, lang) for tie, phrase in HOW.items() if tie in ties]
    if how:
        return say(WRITTEN, lang, how=say(AND, lang).join(how))
    limits = [one.most for one in fitting if one.has_times and not one.has_room]
    if limits:
        return say(TOO_OFTEN, lang, most=limits[0])
    others = [(found, one) for found, one in graded if one.has_room and not found[0]]
    if not others:
        return None
    _, closest = max(others, key=_overlap)
    return say(NOT_AS_WRITTEN, lang, call=call_text(closest.call, limit=_CALL_WIDTH))


def _overlap(graded: tuple[Grade, Allowance]) -> float:
    (_, _, part, whole), _ = graded
    return part / whole
