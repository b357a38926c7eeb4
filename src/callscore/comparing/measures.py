"""What number a case has in a run, by the measure that runs are compared by."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.comparing.matching import Matched
    from callscore.comparing.sides import CaseOutcome, Side, TrialOutcome

    Reading = Callable[[TrialOutcome], float | None]

__all__ = ["F1", "PASSED", "has_number", "known_measures", "numbers", "require_measure"]

PASSED = "passed"
F1 = "f1"
# A scorer may be called as one of these is; it is then known by this and its name.
_OURS = (PASSED, F1)
_SCORER = "scorer "


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
    return (*_OURS, *sorted({_SCORER + name if name in _OURS else name for name in names}))


def require_measure(measure: str, known: Sequence[str]) -> str:
    """The measure that is meant, in whatever case it is written; one that nobody knows is refused."""
    if measure in known:
        return measure
    alike = [name for name in known if name.casefold() == measure.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise InvalidSettings(
        f"measure: {measure!r} is not one of these runs' numbers: {', '.join(known)}"
        f"{meant_by(measure, known)}"
    )


def numbers(matched: Iterable[Matched], measure: str) -> list[tuple[float, float] | None]:
    """The numbers of each case before and after: the mean over as many trials as both runs have.

    Means over few and over many trials do not fall alike, even where nothing differs, so that of
    the run with more trials only the first ones count.
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
    name = measure.removeprefix(_SCORER)
    scorer = name if name in _OURS else measure
    return lambda trial: _share(dict(trial.values).get(scorer))


def _share(number: float | None) -> float | None:
    """The number, where it is one from 0 to 1; what somebody imports may hold anything."""
    return number if number is not None and 0 <= number <= 1 else None


def _pair(
    before: CaseOutcome, after: CaseOutcome, read: Reading, *, is_decision: bool
) -> tuple[float, float] | None:
    first, second = _read(before, read), _read(after, read)
    trials = min(len(first), len(second))
    # What has an answer in neither run is not worth 0 by a measure that may not be meant for it.
    if not trials or not (is_decision or _has_answer(first) or _has_answer(second)):
        return None
    return _mean(first[:trials]), _mean(second[:trials])


def has_number(case: CaseOutcome, measure: str) -> bool:
    """Whether a case has a number by this measure."""
    found = _read(case, _reading(measure))
    return bool(found) and (measure == PASSED or _has_answer(found))


def _read(case: CaseOutcome, read: Reading) -> list[float | None]:
    """The number of each trial that has one; None for one without an answer."""
    found = [(trial.status == "error", read(trial)) for trial in case.trials]
    return [
        None if is_error else number for is_error, number in found if is_error or number is not None
    ]


def _has_answer(trials: Sequence[float | None]) -> bool:
    return any(number is not None for number in trials)


def _mean(trials: Sequence[float | None]) -> float:
    return fsum(number or 0.0 for number in trials) / len(trials)
