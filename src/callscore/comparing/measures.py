"""What number a case has in a run, by the measure that runs are compared by."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.comparing.matching import Matched
    from callscore.comparing.sides import CaseOutcome, Side, TrialOutcome

    Reading = Callable[[TrialOutcome], float | None]

__all__ = ["F1", "PASSED", "known_measures", "numbers", "require_measure"]

PASSED = "passed"
F1 = "f1"


def known_measures(sides: Iterable[Side]) -> tuple[str, ...]:
    """What these runs can be compared by: `passed`, `f1`, and the scorers they name."""
    values = {
        trial.values
        for side in sides
        for evaluation in side.evaluations
        for case in evaluation.cases
        for trial in case.trials
    }
    names = {name for found in values for name, _ in found}
    return (PASSED, F1, *(name for name in sorted(names) if name not in (PASSED, F1)))


def require_measure(measure: str, known: Sequence[str]) -> None:
    """Refuse a measure that nobody has numbers for."""
    if measure not in known:
        raise InvalidSettings(
            f"measure: {measure!r} is not one of these runs' numbers: {', '.join(known)}"
        )


def numbers(matched: Iterable[Matched], measure: str) -> list[tuple[float, float] | None]:
    """The numbers of each case before and after: the mean over its trials.

    A trial without an answer did not pass, and is worth 0 by every other measure. None for a case
    of which one run has no number; for `passed` this is one that nobody has decided.
    """
    read, is_decision = _reading(measure), measure == PASSED
    found: list[tuple[float, float] | None] = []
    for _, before, after, alone in matched:
        if alone is None:
            found.append(_pair(before, after, read, is_decision=is_decision))
        else:
            first, second = read(alone[0]), read(alone[1])
            found.append(None if first is None or second is None else (first, second))
    return found


def _reading(measure: str) -> Reading:
    if measure == PASSED:
        return lambda trial: trial.passed  # which are 0 and 1
    if measure == F1:
        return lambda trial: _share(trial.f1)
    return lambda trial: _share(dict(trial.values).get(measure))


def _share(number: float | None) -> float | None:
    """The number, where it is one from 0 to 1; what somebody imports may hold anything."""
    return number if number is not None and 0 <= number <= 1 else None


def _pair(
    before: CaseOutcome, after: CaseOutcome, read: Reading, *, is_decision: bool
) -> tuple[float, float] | None:
    first, has_first = _mean(before, read)
    second, has_second = _mean(after, read)
    # What has an answer in neither run is not worth 0 by a measure that may not be meant for it.
    if first is None or second is None or not (has_first or has_second or is_decision):
        return None
    return first, second


def _mean(case: CaseOutcome, read: Reading) -> tuple[float | None, bool]:
    """The mean over the trials, and whether an answer is among them."""
    answered = [
        number
        for trial in case.trials
        if trial.status != "error" and (number := read(trial)) is not None
    ]
    whole = len(answered) + sum(trial.status == "error" for trial in case.trials)
    return (fsum(answered) / whole if whole else None), bool(answered)
