"""Cases with several turns of the user: which calls belong to which turn, and the scores of turns.

The calls of a turn are paired among themselves. The results of all turns are then one score, with
the calls in the order in which they were made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from callscore.core.case import Forbidden, Group, with_calls
from callscore.core.score import Score, TurnScore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.case import Expected
    from callscore.core.counted_calls import Ignored
    from callscore.core.score import Pair, Positions
    from callscore.core.settings import Settings

    ScorePart = Callable[[tuple[Expected, ...], tuple[ToolCall, ...]], Score]

__all__ = ["have_turns", "score_turns", "turn_scores", "without_turns"]


def have_turns(calls: Iterable[ToolCall]) -> bool:
    """Whether it is known in which turns the calls were made."""
    return any(call.turn is not None for call in calls)


def without_turns(expected: tuple[Expected, ...]) -> tuple[Expected, ...]:
    """The same expectation as one list, for a trace that does not say where a turn begins."""
    flat: list[Expected] = []
    for item in expected:
        if isinstance(item, Group) and item.kind == "turn":
            flat += item.members
        else:
            flat.append(item)
    return tuple(flat)


class _Turn(NamedTuple):
    """A turn by its number from 0, what is expected in it, and its calls."""

    number: int
    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]


def score_turns(
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    score_part: ScorePart,
) -> Score:
    """Score each turn with `score_part`, and join the scores.

    With `turns="cumulative"`, calls of earlier turns that nothing was paired with can be paired, too.
    """
    joined = _Joined(settings)
    left: list[ToolCall] = []
    for turn in _turns(expected, actual):
        scored = score_part(
            tuple([_in_turn(item, turn.number) for item in turn.expected]), (*left, *turn.actual)
        )
        left = joined.add(scored, turn.number)
    return joined.score(left, expected)


def _turns(expected: tuple[Expected, ...], actual: Sequence[ToolCall]) -> list[_Turn]:
    """Every turn in which something is expected or made, and those between the expected ones."""
    forbidden = tuple([item for item in expected if isinstance(item, Forbidden)])
    wanted = [
        (*item.members, *forbidden)
        for item in expected
        if isinstance(item, Group) and item.kind == "turn"
    ]
    made: dict[int, list[ToolCall]] = {number: [] for number in range(len(wanted))}
    for call in actual:
        made.setdefault(_turn_of(call), []).append(call)
    return [
        _Turn(number, wanted[number] if number < len(wanted) else forbidden, tuple(made[number]))
        for number in sorted(made)
    ]


def _turn_of(call: ToolCall) -> int:
    return max(call.turn or 0, 0)


def _in_turn(item: Expected, number: int) -> Expected:
    return with_calls(item, lambda call: structs.replace(call, turn=number))


class _Joined:
    """The scores of the turns so far, with the positions that they have in all calls."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._expected: list[ToolCall] = []
        self._actual: list[tuple[int, ToolCall]] = []  # with their place in the trace
        self._correct: list[Positions] = []
        self._incorrect: list[Pair] = []
        self._forbidden: list[int] = []
        self._ignored: list[Ignored] = []
        self._turns: list[int] = []
        self._places: dict[int, int] = {}  # of calls that are left, by identity
        self._next = 0

    def add(self, scored: Score, number: int) -> list[ToolCall]:
        """Add the score of a turn; returns the calls that a later turn can still have."""
        row, columns, left = len(self._expected), {}, []
        keeps = set(range(len(scored.actual)))
        if self._settings.turns == "cumulative":
            pairs = (*scored.correct_places, *scored.other_pairs)
            keeps = {*scored.forbidden, *[column for _, column in pairs]}
        for at, call in enumerate(scored.actual):
            place = self._places.setdefault(id(call), self._next)
            self._next += place == self._next
            if at in keeps:
                columns[at] = len(self._actual)
                self._actual.append((place, call))
            else:
                left.append(call)
        self._expected += scored.expected
        self._correct += [(row + one, columns[other]) for one, other in scored.correct_places]
        self._incorrect += [
            structs.replace(
                pair,
                expected_index=row + pair.expected_index,
                actual_index=columns[pair.actual_index],
            )
            for pair in scored.incorrect
        ]
        self._forbidden += [columns[at] for at in scored.forbidden]
        self._ignored += scored.ignored
        self._turns.append(number)
        return left

    def score(self, left: list[ToolCall], expected: tuple[Expected, ...]) -> Score:
        """The score of the case; `left` are the calls that no turn has."""
        self._actual += [(self._places[id(call)], call) for call in left]
        order = sorted(range(len(self._actual)), key=lambda at: self._actual[at][0])
        position = {at: new for new, at in enumerate(order)}
        return Score(
            tuple(self._expected),
            tuple([self._actual[at][1] for at in order]),
            0,
            tuple([(row, position[column]) for row, column in self._correct]),
            tuple(
                [
                    structs.replace(pair, actual_index=position[pair.actual_index])
                    for pair in self._incorrect
                ]
            ),
            self._settings,
            forbidden=tuple(sorted([position[at] for at in self._forbidden])),
            ignored=(
                *[item for item in self._ignored if item.side == "expected"],
                *[item for item in self._ignored if item.side == "actual"],
            ),
            expectation=expected,
            turns=tuple([TurnScore(number + 1) for number in self._turns]),
        )


def turn_scores(score: Score) -> tuple[TurnScore, ...]:
    """The counts of each turn; a paired call counts in the turn in which it is expected."""
    counts: dict[int, list[int]] = {turn.number - 1: [0, 0, 0, 0] for turn in score.turns}
    correct = {column: score.expected[row] for row, column in score.correct_places}
    expecting = {pair.actual_index: pair.expected for pair in score.incorrect} | correct
    for call in score.expected:
        _count(counts, call, 1)
    for call in correct.values():
        _count(counts, call, 0)
    is_free = score.settings.extra_calls == "free"
    for column, call in enumerate(score.actual):
        if column in correct or column not in expecting or not is_free:
            _count(counts, expecting.get(column, call), 2)
    for column in score.forbidden:
        _count(counts, score.actual[column], 3)
    return tuple([TurnScore(number + 1, *found) for number, found in counts.items()])


def _count(counts: dict[int, list[int]], call: ToolCall, column: int) -> None:
    counts[_turn_of(call)][column] += 1
