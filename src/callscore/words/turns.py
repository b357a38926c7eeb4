"""Cases with turns of the user, or with a state at the end: which calls are shown together, and the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from callscore.core.case import END_STATE, is_state
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.score import Score, TurnScore, turn_count, turn_passes
from callscore.words.value_text import percent

TURN = Phrase("Turn {number}", "Ход {number}")
END_STATE_TITLE = Phrase("End state", "Конечное состояние")
_FIRST_WRONG = Phrase(
    "first wrong turn {number} of {turns}", "первый неверный ход {number} из {turns}"
)
_NO_CALLS = Phrase("no calls", "вызовов нет")
_NO_COUNTED_CALLS = Phrase("no calls that count", "нет учитываемых вызовов")
_FORBIDDEN_CALLS = Plural(
    ("forbidden call", "forbidden calls"),
    ("запрещённый вызов", "запрещённых вызова", "запрещённых вызовов"),
)
_JOINED = Phrase(
    "The trace does not say where a turn begins: the turns were compared as one.",
    "В трассе не указано, где начинается ход: ходы сравнивались как один.",
)
_STATE_IS_EQUAL = Phrase("as expected", "как ожидалось")
_STATE_IS_ACCEPTED = Phrase("accepted", "принято")
_STATE_DIFFERS = Phrase("differs", "отличается")
_NO_STATE = Phrase("the run has none", "в прогоне его нет")


def tool_label(name: str, lang: Language) -> str:
    """The name of a tool in a table; the state at the end is counted like a tool, and is none."""
    return say(END_STATE_TITLE, lang) if name == END_STATE else name


class CallBlock(NamedTuple):
    """Calls that are shown together: of a turn, or the state at the end, or all of a case.

    Attributes:
        turn: None for calls without a turn.
        is_state: whether it is the state at the end, which is one row.
        rows: the positions of its expected calls.
        extra: the positions of the actual calls in it that are not paired.
    """

    turn: TurnScore | None
    is_state: bool
    rows: Sequence[int]
    extra: Sequence[int]


def has_blocks(score: Score) -> bool:
    """Whether a case is shown in parts with titles: it has turns, or a state at its end."""
    return bool(score.turns) or (bool(score.expected) and is_state(score.expected[-1]))


def call_blocks(score: Score, extra: Iterable[int]) -> list[CallBlock]:
    """The parts in which a case is shown, in order; `extra` are the positions of extra calls."""
    rows = range(len(score.expected))
    if not has_blocks(score):
        return [CallBlock(None, False, rows, [*extra])]  # noqa: FBT003  (a field)
    states = [row for row in rows[-1:] if is_state(score.expected[row])]
    rows = rows[: len(rows) - len(states)]
    blocks = [CallBlock(None, False, rows, [*extra])]  # noqa: FBT003  (a field)
    if score.turns:
        by_turn: dict[int, tuple[list[int], list[int]]] = {
            turn.number: ([], []) for turn in score.turns
        }
        for row in rows:
            by_turn[_number(score.expected[row].turn)][0].append(row)
        for column in extra:
            by_turn[_number(score.actual[column].turn)][1].append(column)
        blocks = [CallBlock(turn, False, *by_turn[turn.number]) for turn in score.turns]  # noqa: FBT003
    return [
        *[block for block in blocks if block.turn or block.rows or block.extra],
        *[CallBlock(None, True, [row], []) for row in states],  # noqa: FBT003
    ]


def _number(turn: int | None) -> int:
    return max(turn or 0, 0) + 1


def turn_word(turn: TurnScore, score: Score, lang: Language) -> str:
    """What is beside the title of a turn: its score, what is forbidden; empty if all is as expected."""
    if not turn.expected and not turn.actual:
        return say(_NO_COUNTED_CALLS if score.ignored else _NO_CALLS, lang)
    mark = score.settings.pass_mark
    if turn_passes(turn, mark) and turn.correct == turn.expected == turn.actual:
        return ""
    words = [percent(turn.f1, border=mark)]
    if turn.forbidden:
        words.append(count_of(_FORBIDDEN_CALLS, turn.forbidden, lang))
    return "   ".join(words)


def state_word(score: Score, lang: Language) -> str:
    """How the state at the end compares with the expected one."""
    pair = score.state
    if pair is None:
        return say(_NO_STATE, lang)
    if not pair.is_correct:
        return say(_STATE_DIFFERS, lang)
    return say(_STATE_IS_ACCEPTED if pair.differences else _STATE_IS_EQUAL, lang)


def first_wrong_text(score: Score, lang: Language) -> str:
    """Which turn is the first that did not pass; empty if there is none."""
    number = score.first_wrong_turn
    if number is None:
        return ""
    return say(_FIRST_WRONG, lang, number=number, turns=score.turns[-1].number)


def joined_note(score: Score, lang: Language) -> str | None:
    """That the turns of a case were compared as one; None if they were not, or it has none."""
    return say(_JOINED, lang) if turn_count(score) == 0 else None
