"""Two runs, case by case: what is compared, what is left out, and what is to be known about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.comparing.alarms import alarms_of
from callscore.comparing.changes import changes_of
from callscore.comparing.comparison import Comparison, SideSummary, name_of
from callscore.comparing.differing import difference_between
from callscore.comparing.matching import match_sides
from callscore.comparing.measures import (
    F1,
    PASSED,
    has_number,
    known_measures,
    numbers,
    require_measure,
)
from callscore.comparing.remarks import labelled, notes_on
from callscore.comparing.slicing import slices_of
from callscore.core.results import Noted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.comparing.comparison import Difference
    from callscore.comparing.matching import Lone, Matched
    from callscore.comparing.sides import Side

__all__ = ["MOST_NAMES", "compare"]

MOST_NAMES = 20


def compare(before: Side, after: Side, *, measure: str = PASSED) -> Comparison:
    """Two runs, compared over the cases that both have.

    Args:
        before: the first run.
        after: the second.
        measure: what decides the verdict: `passed`, `f1`, or the name of a scorer.

    Raises:
        InvalidSettings: neither run has numbers of this measure.
    """
    known = known_measures((before, after))
    measure = require_measure(measure, known)
    matching = match_sides(before, after)
    found = numbers(matching.cases, measure)
    main = difference_between(measure, [pair for pair in found if pair is not None])
    changes = changes_of(matching.cases)
    slices = slices_of(matching.cases, found, measure)
    return Comparison(
        before=_summary(before),
        after=_summary(after),
        main=main,
        others=tuple(_others(matching.cases, main, known)),
        changes=changes,
        same=len(matching.cases) - len(changes),
        tools=tuple(each for each in slices if each.kind == "tool"),
        tags=tuple(each for each in slices if each.kind == "tag"),
        alarms=alarms_of(matching.cases, matching.only_after),
        only_before=_noted(_lone(matching.only_before)),
        only_after=_noted(_lone(matching.only_after)),
        undecided=_noted(
            (pair.evaluation, pair.after.id)
            for pair, number in zip(matching.cases, found, strict=True)
            if number is None
        ),
        lost=_noted(
            (pair.evaluation, pair.after.id)
            for pair, number in zip(matching.cases, found, strict=True)
            if number is None and has_number(pair.before, measure)
        ),
        expectations_changed=_noted(
            (pair.evaluation, pair.after.id)
            for pair in matching.cases
            if pair.before.expectation != pair.after.expectation
        ),
        inputs_changed=_noted(
            (pair.evaluation, pair.after.id)
            for pair in matching.cases
            # Nobody knows what was asked where there is no digest of it.
            if pair.before.asked and pair.after.asked and pair.before.asked != pair.after.asked
        ),
        is_same_run=_is_same_run(before, after),
        evaluations=tuple(second.label for _, second in matching.evaluations),
        notes=tuple(notes_on(before, after, matching)),
    )


def _is_same_run(before: Side, after: Side) -> bool:
    """Whether it is one run, and the same variants of it."""
    first, second = ([each.label for each in side.evaluations] for side in (before, after))
    return bool(before.run) and before.run == after.run and first == second


def _others(
    cases: Sequence[Matched], main: Difference, known: Iterable[str]
) -> Iterator[Difference]:
    """The same cases by the other measures; a scorer that says what F1 says is not repeated."""
    f1 = numbers(cases, F1)
    for measure in known:
        if measure == main.measure:
            continue
        found = f1 if measure == F1 else numbers(cases, measure)
        pairs = [pair for pair in found if pair is not None]
        if pairs and (measure == F1 or found != f1):
            yield difference_between(measure, pairs)


def _summary(side: Side) -> SideSummary:
    has_several = len(side.evaluations) > 1
    cases = [case for each in side.evaluations for case in each.cases]
    return SideSummary(
        label=side.label,
        run=side.run,
        command=side.command,
        started_at=side.started_at,
        git_commit=side.git_commit,
        git_dirty=side.git_dirty,
        is_finished=side.is_finished,
        cases=len(cases),
        errors=sum(trial.status == "error" for case in cases for trial in case.trials),
        below=tuple(
            labelled(each.label, note) if has_several else note
            for each in side.evaluations
            for note in each.below
        ),
    )


def _noted(cases: Iterable[tuple[str, str]]) -> Noted:
    names = [name_of(*case) for case in cases]
    return Noted(len(names), tuple(names[:MOST_NAMES]))


def _lone(cases: Iterable[Lone]) -> Iterator[tuple[str, str]]:
    return ((lone.evaluation, lone.case.id) for lone in cases)
