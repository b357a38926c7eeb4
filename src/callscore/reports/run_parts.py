"""What a run gave, put together as people read it: variants side by side, equal errors once."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.results import CaseScore
    from callscore.core.run import (
        CaseTrials,
        CaseValues,
        EvaluationResults,
        Failure,
        FailureKind,
        RunResults,
    )

__all__ = [
    "Alike",
    "Shown",
    "errors_in",
    "groups_in",
    "label_in",
    "shown_in",
    "trials_of",
    "unnamed_errors",
]


class Shown(NamedTuple):
    """A case to show.

    Attributes:
        evaluation: whose case it is.
        case: the case, with its score where it has one.
        passed: whether it passes; None where no scorer has a number.
    """

    evaluation: EvaluationResults
    case: CaseScore | CaseValues
    passed: bool | None


class Alike(NamedTuple):
    """Cases that have no answer, all for the same reason.

    Attributes:
        evaluation: whose cases they are.
        kind: why there is no answer.
        problem: what happened.
        details: where it happened.
        failures: the cases.
    """

    evaluation: EvaluationResults
    kind: FailureKind
    problem: str
    details: str
    failures: list[Failure]

    @property
    def attempts(self) -> int:
        """How often the most stubborn of them was tried."""
        return max(failure.attempts for failure in self.failures)


def groups_in(run: RunResults) -> list[list[EvaluationResults]]:
    """The evaluations, each with all its variants."""
    return [
        list(group) for _, group in groupby(run.evaluations, lambda each: (each.name, each.place))
    ]


def label_in(run: RunResults, evaluation: EvaluationResults) -> str:
    """What an evaluation goes by beside one of its cases; empty where there is only one."""
    return evaluation.label if len(run.evaluations) > 1 else ""


def shown_in(run: RunResults) -> list[Shown]:
    """The cases to show, of all evaluations."""
    found: list[Shown] = []
    for each in run.evaluations:
        cases: list[CaseScore | CaseValues] = [*each.results.cases, *each.unreferenced]
        found += [Shown(each, case, each.passes(case)) for case in cases]
    return found


def trials_of(shown: Shown) -> CaseTrials | None:
    """How often a case was asked, and how often it passed; None where it was asked once."""
    if shown.case.trial is None:
        return None
    return next((each for each in shown.evaluation.trials if each.case == shown.case.id), None)


def errors_in(run: RunResults) -> Iterator[Alike]:
    """The cases without an answer: those of an evaluation that say the same together."""
    for each in run.evaluations:
        alike: dict[tuple[FailureKind, str, str], list[Failure]] = {}
        for failure in each.failures:
            reason = failure.kind, failure.problem, failure.details
            alike.setdefault(reason, []).append(failure)
        for reason, failures in alike.items():
            yield Alike(each, *reason, failures)


def unnamed_errors(evaluations: Sequence[EvaluationResults]) -> int:
    """How many more cases without an answer there are than are named."""
    return sum(each.errors - len(each.failures) for each in evaluations)
