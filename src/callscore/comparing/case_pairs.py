"""All cases of two runs, in the order of a report that lists every one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from callscore.comparing.changes import CaseChange, change_of
from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Matching,
    Side,
    match_cases,
    match_sides,
    merged_cases,
)

PairChange = Literal["broken", "fixed", "changed", "same", "only_before", "only_after"]
# In the order of a report.
PAIR_CHANGES: tuple[PairChange, ...] = (
    *("broken", "fixed", "changed", "same"),
    *("only_before", "only_after"),
)


class PairSide(NamedTuple):
    """A case in one of two runs."""

    evaluation: EvaluationSide
    case: CaseOutcome


class CasePair(NamedTuple):
    """A case of two runs, or of one of them.

    Attributes:
        change: what became of it.
        evaluation: its evaluation in the second run, or in the first if only that has the evaluation.
        before: the case in the first run; None if it has no such case.
        after: the same in the second run.
        details: what changed; None if nothing did, or if only one run has the case.
    """

    change: PairChange
    evaluation: EvaluationSide
    before: PairSide | None
    after: PairSide | None
    details: CaseChange | None = None

    @property
    def shown(self) -> PairSide:
        """The case in the second run, or in the first if only that has it."""
        return cast("PairSide", self.after or self.before)  # one of them has it


def case_pairs(before: Side, after: Side) -> list[CasePair]:
    """All cases of two runs: broken, fixed, changed, then the same; then those that only one has.

    Within each kind they are in the order of the second run. They are matched as by `match_sides`.
    """
    matching = match_sides(before, after)
    found = [
        pair
        for first, second in matching.evaluations
        for pair in _pairs_of_evaluations(first, second)
    ]
    lone_before, lone_after = map(_all_cases, (matching.lone_before, matching.lone_after))
    found += [CasePair("only_before", side.evaluation, side, None) for side in lone_before]
    found += [CasePair("only_after", side.evaluation, None, side) for side in lone_after]
    return sorted(found, key=lambda pair: PAIR_CHANGES.index(pair.change))


def _pairs_of_evaluations(first: EvaluationSide, second: EvaluationSide) -> Iterator[CasePair]:
    matching = Matching([], [], [], [], [], [], [])
    match_cases(first, second, matching)
    for pair in matching.cases:
        yield _matched(first, second, pair)
    for lone in matching.only_before:
        yield CasePair("only_before", second, PairSide(first, lone.case), None)
    for lone in matching.only_after:
        yield CasePair("only_after", second, None, PairSide(second, lone.case))


def _matched(first: EvaluationSide, second: EvaluationSide, pair: MatchedCase) -> CasePair:
    details = change_of(pair)
    return CasePair(
        "same" if details is None else details.kind,
        second,
        PairSide(first, pair.before),
        PairSide(second, pair.after),
        details,
    )


def _all_cases(evaluations: Iterable[EvaluationSide]) -> Iterator[PairSide]:
    for each in evaluations:
        yield from [PairSide(each, case) for case in merged_cases(each, []).values()]
