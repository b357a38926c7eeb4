"""References that successful runs contradict: they agree with one another, and not with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Expected, Group
from callscore.core.counted_calls import repeat_key
from callscore.core.equality import fingerprint
from callscore.core.expectation_json import expected_to_json
from callscore.core.score import Score
from callscore.core.scoring import score_calls
from callscore.core.tool_names import comparable_name
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from callscore.advising.runs import LabelledRun, Runs
    from callscore.core.settings import Settings

_LEAST_AGREEING = 2


class Suspect(Struct, frozen=True, kw_only=True):
    """A case whose reference successful runs contradict.

    Attributes:
        case: the id of the case.
        input: its input.
        successes: the number of its successful runs.
        agreeing: how many of them made the same calls, and do not pass.
        passing: how many of them pass.
        failures: the number of failed runs that made the same calls.
        places: where the agreeing runs are.
        score: the score of the first of the agreeing runs, with the differences.
        expected: the reference as in a case file; None if no file can express it.
        proposed: the reference with what the runs did as an alternative; None if it has to be
            written by hand.
    """

    case: str
    input: Any = None
    successes: int
    agreeing: int
    passing: int
    failures: int
    places: tuple[str, ...]
    score: Score
    expected: list[Any] | None = None
    proposed: list[Any] | None = None


def find_suspects(runs: Runs, settings: Settings) -> tuple[Suspect, ...]:
    """The cases whose reference is suspect; the strongest evidence first.

    Two or more successful runs must have made the same calls that count, must not pass, and must be
    more than the failed runs that made the same calls.
    """
    # Two sets of tasks may number their tasks alike.
    by_case: dict[tuple[str, str], list[int]] = {}
    for number, run in enumerate(runs.runs):
        reference = fingerprint(_spelled(run.case.expected or ()))
        by_case.setdefault((run.case.id, reference), []).append(number)
    found = [
        suspect
        for numbers in by_case.values()
        if (suspect := _suspect(runs, numbers, settings)) is not None
    ]
    return tuple(sorted(found, key=lambda each: (each.passing > 0, -each.agreeing, each.case)))


def _suspect(runs: Runs, numbers: Sequence[int], settings: Settings) -> Suspect | None:
    # What was done instead is a part of the evidence, also where more calls are free.
    whole = replace(settings, extra_calls="cost")
    alike: dict[tuple[str, ...], list[int]] = {}
    for number in numbers:
        if not runs.score(number, settings).passed:
            alike.setdefault(_made(runs.score(number, whole)), []).append(number)
    groups = [([each for each in group if runs.outcomes[each]], group) for group in alike.values()]
    groups = [
        each
        for each in groups
        if len(each[0]) >= max(_LEAST_AGREEING, len(each[1]) - len(each[0]) + 1)
    ]
    if not groups:
        return None
    agreeing, group = max(groups, key=lambda each: (len(each[0]), -each[0][0]))
    successes = [number for number in numbers if runs.outcomes[number]]
    first = runs.runs[agreeing[0]]
    score = runs.score(agreeing[0], whole)
    proposed = _proposed(first, score)
    return Suspect(
        case=first.case.id,
        input=first.case.input,
        successes=len(successes),
        agreeing=len(agreeing),
        passing=sum(runs.score(number, settings).passed for number in successes),
        failures=len(group) - len(agreeing),
        places=tuple([runs.runs[number].place for number in agreeing]),
        score=score,
        expected=_spelled(first.case.expected or ()),
        proposed=None if proposed is None else _spelled(proposed),
    )


def _made(score: Score) -> tuple[str, ...]:
    """What was done, whatever the order: the calls that count."""
    keys = [
        repeat_key(call, comparable_name(call.name, score.settings)) or f"unknown {number}"
        for number, call in enumerate(score.actual)
    ]
    return tuple(sorted(keys))


def _spelled(expected: Sequence[Expected]) -> list[Any] | None:
    try:
        return [expected_to_json(item) for item in expected]
    except CallscoreError:
        return None


def _proposed(run: LabelledRun, score: Score) -> list[Expected] | None:
    """The reference with what was done as an alternative to what differs; None if that is unclear."""
    expected = list(run.case.expected or ())
    if not all(isinstance(item, ToolCall) for item in expected):
        return None
    kept = {id(pair.expected) for pair in score.correct}
    counted = {id(call) for call in score.expected}
    replaced = [call for call in expected if id(call) in counted - kept]
    paired = {pair.actual_index for pair in score.correct}
    made = [
        ToolCall(call.name, call.arguments)
        for number, call in enumerate(score.actual)
        if number not in paired
    ]
    if len(replaced) + len(kept) != len(score.expected) or any(
        call.arguments is None for call in made
    ):
        return None  # names were normalized, or arguments cannot be read
    alternative = _alternative(replaced, made)
    first = next((at for at, call in enumerate(expected) if call in replaced), len(expected))
    others = [call for call in expected if id(call) not in {id(each) for each in replaced}]
    proposed = [*others[:first], alternative, *others[first:]]
    return proposed if _passes(proposed, run, score.settings) else None


def _alternative(replaced: Sequence[ToolCall], made: Sequence[ToolCall]) -> Expected:
    sides = [_together(side) for side in (replaced, made) if side]
    return Group("one_of", tuple(sides)) if len(sides) > 1 else Group("optional", (sides[0],))


def _together(calls: Sequence[ToolCall]) -> Expected:
    return calls[0] if len(calls) == 1 else Group("any_order", tuple(calls))


def _passes(proposed: Sequence[Expected], run: LabelledRun, settings: Settings) -> bool:
    try:
        return score_calls(tuple(proposed), run.case.actual or (), settings, run.tools).passed
    except CallscoreError:
        return False
