"""Cases with several turns of the user: which calls belong to which turn, and the scores of turns.

The calls of a turn are paired among themselves. The results of all turns are then one score, with
the calls in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from callscore.core.case import Expected, Forbidden, Group, Times, count_turns, with_calls
from callscore.core.score import Pair, Positions, Score, TurnScore, f1_of, turns_of_actual

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.counted_calls import Ignored
    from callscore.core.rates import Counts
    from callscore.core.settings import Settings

    ScorePart = Callable[[tuple[Expected, ...], tuple[ToolCall, ...], Counts], Score]


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


def counted_places(score: Score, calls: Sequence[ToolCall]) -> list[int]:
    """The places of the actual calls of a score among those that were scored."""
    left_out = [item.call for item in score.ignored if item.side == "actual"]
    places = []
    for place in reversed(range(len(calls))):
        # They are the same objects, in the same order. Of one that is there twice, the last is the repeat.
        if left_out and left_out[-1] is calls[place]:
            left_out.pop()
        else:
            places.append(place)
    return places[::-1]


class _Turn(NamedTuple):
    """A turn by its number from 0, what is expected in it, and the places of its calls."""

    number: int
    expected: tuple[Expected, ...]
    places: list[int]


def score_turns(  # noqa: PLR0913  (what the best score depends on)
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    score_part: ScorePart,
    *,
    free: frozenset[int],
    beside: Counts,
) -> tuple[Score, list[int]]:
    """Score each turn with `score_part`, and join the scores; and the places of the actual calls.

    Which reading of a turn is the best depends on the others, as F1 is that of the case: turns are
    scored again, each with what the others count, until F1 is no longer higher. `free` are the places
    of the calls that cost nothing unless they are correct, and `beside` is what the case counts besides.

    With `turns="cumulative"`, calls of earlier turns that no turn has taken can be paired, too, unless
    positions are compared. What is correct in a later turn is not taken by an earlier one in which it
    would be incorrect.
    """
    carries = settings.turns == "cumulative" and settings.order != "exact"
    turns = _turns(expected, actual)
    later = _correct_turns(turns, actual, score_part) if carries else {}
    has_choices = settings.extra_calls == "reads_free" or any(
        isinstance(item, Group | Times) for turn in turns for item in turn.expected
    )
    best: _Joined | None = None
    others = dict.fromkeys([turn.number for turn in turns], beside)
    while True:
        joined = _Joined(settings, free)
        left: list[int] = []
        for turn in turns:
            places = [*left, *turn.places]
            open_places = [at for at in places if later.get(at, turn.number) <= turn.number]
            scored, found = _score_turn(turn, open_places, actual, score_part, others[turn.number])
            taken = joined.add(scored, found, turn.number)
            gone = taken | set(open_places).difference(found)
            left = [place for place in places if carries and place not in gone]
        if best is not None and joined.f1(beside) <= best.f1(beside):
            return best.score(expected)
        if not has_choices:
            return joined.score(expected)
        best = joined
        others = joined.others(beside)


def _score_turn(
    turn: _Turn,
    places: list[int],
    actual: Sequence[ToolCall],
    score_part: ScorePart,
    beside: Counts = (0, 0),
) -> tuple[Score, list[int]]:
    """The score of a turn with the calls at these places, and the places of those that count."""
    calls = tuple([actual[place] for place in places])
    wanted = tuple([_in_turn(item, turn.number) for item in turn.expected])
    scored = score_part(wanted, calls, beside)
    return scored, [places[at] for at in counted_places(scored, calls)]


def _correct_turns(
    turns: list[_Turn], actual: Sequence[ToolCall], score_part: ScorePart
) -> dict[int, int]:
    """The turn in which each call is correct, by its place, if only correct calls are taken."""
    correct: dict[int, int] = {}
    left: list[int] = []
    for turn in turns:
        scored, found = _score_turn(turn, [*left, *turn.places], actual, score_part)
        correct |= {found[column]: turn.number for _, column in scored.correct_places}
        forbidden = {found[at] for at in scored.forbidden}
        left = [place for place in found if place not in correct and place not in forbidden]
    return correct


def _turns(expected: tuple[Expected, ...], actual: Sequence[ToolCall]) -> list[_Turn]:
    """Every turn in which something is expected or made, and those between the expected ones."""
    forbidden = tuple([item for item in expected if isinstance(item, Forbidden)])
    wanted = [
        (*item.members, *forbidden)
        for item in expected
        if isinstance(item, Group) and item.kind == "turn"
    ]
    made: dict[int, list[int]] = {number: [] for number in range(len(wanted))}
    for place, call in enumerate(actual):
        made.setdefault(max(call.turn or 0, 0), []).append(place)
    return [
        _Turn(number, wanted[number] if number < len(wanted) else forbidden, made[number])
        for number in sorted(made)
    ]


def _in_turn(item: Expected, number: int) -> Expected:
    return with_calls(item, lambda call: structs.replace(call, turn=number))


class _Joined:
    """The scores of the turns so far; actual calls are known by their places in the trace."""

    def __init__(self, settings: Settings, free: frozenset[int]) -> None:
        self._settings = settings
        self._free = free
        self._counts: dict[int, Counts] = {}
        self._expected: list[ToolCall] = []
        self._actual: dict[int, ToolCall] = {}
        self._correct: list[Positions] = []
        self._incorrect: list[Pair] = []
        self._forbidden: list[int] = []
        self._ignored: list[Ignored] = []
        self._turns: list[int] = []

    def add(self, scored: Score, places: list[int], number: int) -> set[int]:
        """Add the score of a turn; returns the places of the calls that no later turn can have."""
        row = len(self._expected)
        pairs = (*scored.correct_places, *scored.other_pairs)
        taken = {*scored.forbidden, *[column for _, column in pairs]}
        self._expected += scored.expected
        self._actual |= zip(places, scored.actual, strict=True)
        self._correct += [(row + one, places[other]) for one, other in scored.correct_places]
        self._incorrect += [
            structs.replace(
                pair,
                expected_index=row + pair.expected_index,
                actual_index=places[pair.actual_index],
            )
            for pair in scored.incorrect
        ]
        self._forbidden += [places[at] for at in scored.forbidden]
        self._ignored += scored.ignored
        self._turns.append(number)
        correct = {places[column] for _, column in scored.correct_places}
        self._counts[number] = len(correct), len(scored.expected) + self._counted(places, correct)
        return {places[at] for at in taken}

    def _counted(self, places: Iterable[int], correct: set[int]) -> int:
        """How many of these actual calls count."""
        always = correct.union(self._forbidden)
        return sum([place in always or place not in self._free for place in places])

    def _whole(self) -> Counts:
        correct = {place for _, place in self._correct}
        return len(correct), len(self._expected) + self._counted(self._actual, correct)

    def f1(self, beside: Counts) -> float:
        """F1 of all turns, with what the case counts besides."""
        correct, whole = self._whole()
        return f1_of(correct + beside[0], whole + beside[1], 0)

    def others(self, beside: Counts) -> dict[int, Counts]:
        """What the case counts apart from each turn."""
        correct, whole = self._whole()
        return {
            number: (correct - own[0] + beside[0], whole - own[1] + beside[1])
            for number, own in self._counts.items()
        }

    def score(self, expected: tuple[Expected, ...]) -> tuple[Score, list[int]]:
        """The score of the case, and the places of its actual calls."""
        places = sorted(self._actual)
        position = {place: new for new, place in enumerate(places)}
        score = Score(
            tuple(self._expected),
            tuple([self._actual[place] for place in places]),
            0,
            tuple([(row, position[place]) for row, place in self._correct]),
            tuple(
                [
                    structs.replace(pair, actual_index=position[pair.actual_index])
                    for pair in self._incorrect
                ]
            ),
            self._settings,
            forbidden=tuple(sorted([position[place] for place in self._forbidden])),
            ignored=(
                *[item for item in self._ignored if item.side == "expected"],
                *[item for item in self._ignored if item.side == "actual"],
            ),
            expectation=expected,
            turns=tuple([TurnScore(number + 1) for number in self._turns]),
        )
        return score, places


def turn_scores(score: Score) -> tuple[TurnScore, ...]:
    """The counts of each turn; a paired call counts in the turn in which it is expected.

    After the expected turns, one in which no call counts is left out.
    """
    counts: dict[int | None, list[int]] = {turn.number - 1: [0, 0, 0, 0] for turn in score.turns}
    turns = turns_of_actual(score)
    expected = count_turns(score.expectation or ())
    for call in score.expected:
        counts[call.turn][1] += 1
    for column, turn in enumerate(turns):
        counts[turn][2] += column not in score.free
    for row, _ in score.correct_places:
        counts[score.expected[row].turn][0] += 1
    for column in score.forbidden:
        counts[turns[column]][3] += 1
    return tuple(
        [
            TurnScore(turn.number, *found)
            for turn, found in zip(score.turns, counts.values(), strict=True)
            if turn.number <= expected or any(found)
        ]
    )
