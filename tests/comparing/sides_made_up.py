"""Sides of a comparison, made up for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["a_case", "a_side", "an_error", "scored"]


def scored(passed: bool | None = True, **fields: object) -> TrialOutcome:
    """A trial with an answer; its F1 is 1 or 0 where nobody says otherwise."""
    f1 = None if passed is None else float(passed)
    return TrialOutcome(**{"passed": passed, "f1": f1, **fields})  # type: ignore[arg-type]  # by name


def an_error(failure: str = "it timed out") -> TrialOutcome:
    """A trial without an answer."""
    return TrialOutcome(status="error", passed=False, failure=failure)


def a_case(
    name: str, *trials: TrialOutcome | bool | None, tags: tuple[str, ...] = (), expected: str = "e"
) -> CaseOutcome:
    """A case; a trial may be given by whether it passed."""
    outcomes = tuple(
        trial if isinstance(trial, TrialOutcome) else scored(trial) for trial in trials
    )
    return CaseOutcome(id=name, trials=outcomes, tags=tags, expectation=expected, asked="a")


def a_side(
    *cases: CaseOutcome | bool, label: str = "run", evaluations: Iterable[EvaluationSide] = ()
) -> Side:
    """A side with one evaluation, or with these; a case may be given by whether it passed."""
    made = tuple(
        case if isinstance(case, CaseOutcome) else a_case(f"case-{number}", case)
        for number, case in enumerate(cases)
    )
    one = EvaluationSide(name="weather", place="evals/weather.py::weather", cases=made)
    return Side(label=label, evaluations=tuple(evaluations) or (one,))
