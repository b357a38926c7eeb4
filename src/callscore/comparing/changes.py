"""Which cases went otherwise."""

from __future__ import annotations

from math import fsum, isnan
from typing import TYPE_CHECKING

from callscore.comparing.comparison import CaseChange, ChangeReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.comparing.comparison import ChangeKind, ChangeReasonKind
    from callscore.comparing.matching import Matched
    from callscore.comparing.sides import CaseOutcome

__all__ = ["changes_of"]

_ORDER: tuple[ChangeKind, ...] = ("broken", "fixed", "changed")
_SMALL = 1e-9  # means of trials are not exact


def changes_of(cases: Iterable[Matched]) -> tuple[CaseChange, ...]:
    """The cases that went otherwise: broken first, then fixed, then changed, each in their order.

    A case passes where more than half of its trials do; one that nobody has decided on one of the
    sides is neither fixed nor broken.
    """
    found = [(kind, pair) for pair in cases if (kind := _kind(pair)) is not None]
    return tuple(_change(kind, pair) for wanted in _ORDER for kind, pair in found if kind == wanted)


def _kind(pair: Matched) -> ChangeKind | None:
    if pair.before.trials == pair.after.trials:
        return None
    before, after = _passed(pair.before), _passed(pair.after)
    first, second = _decision(before), _decision(after)
    if first is not None and second is not None and first != second:
        return "fixed" if second else "broken"
    has_another_share = before[0] * after[1] != after[0] * before[1]
    if first is not second or has_another_share or _has_other_answers(pair):
        return "changed"
    return None


def _passed(case: CaseOutcome) -> tuple[int, int]:
    """How many trials passed, of how many that are decided; one without an answer did not."""
    decided = passed = 0
    for trial in case.trials:
        if trial.status == "error" or trial.passed is not None:
            decided += 1
            passed += bool(trial.passed)
    return passed, decided


def _decision(passed: tuple[int, int]) -> bool | None:
    return 2 * passed[0] > passed[1] if passed[1] else None


def _has_other_answers(pair: Matched) -> bool:
    """Whether there is an answer where there was none, or another one."""
    if _is_answered(pair.before) != _is_answered(pair.after):
        return True
    first, second = _f1(pair.before), _f1(pair.after)
    if first is not None and second is not None and not _is_near(first, second):
        return True
    if _has_other_values(pair):
        return True
    calls = (
        {trial.calls for trial in pair.before.trials},
        {trial.calls for trial in pair.after.trials},
    )
    return calls[0] != calls[1] and "" not in calls[0] | calls[1]


def _has_other_values(pair: Matched) -> bool:
    """Whether a scorer of both runs says something else than before."""
    if [each.values for each in pair.before.trials] == [each.values for each in pair.after.trials]:
        return False
    first, second = _values(pair.before), _values(pair.after)
    return any(not _is_near(first[name], second[name]) for name in first.keys() & second.keys())


def _values(case: CaseOutcome) -> dict[str, float | None]:
    """The mean of each scorer over the trials that it has a number for; None where there is none."""
    found: dict[str, list[float]] = {}
    for trial in case.trials:
        for name, value in trial.values:
            found.setdefault(name, []).extend([] if value is None else [value])
    return {name: fsum(values) / len(values) if values else None for name, values in found.items()}


def _is_near(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    # What somebody imports may be no number at all.
    return first == second or abs(first - second) <= _SMALL or (isnan(first) and isnan(second))


def _is_answered(case: CaseOutcome) -> bool:
    return all(trial.status != "error" for trial in case.trials)


def _f1(case: CaseOutcome) -> float | None:
    if len(case.trials) == 1:  # as nearly always
        return case.trials[0].f1
    found = [trial.f1 for trial in case.trials if trial.f1 is not None]
    if not found:
        return None
    # What has no answer has a score of 0.
    return sum(found) / (len(found) + sum(trial.status == "error" for trial in case.trials))


def _change(kind: ChangeKind, pair: Matched) -> CaseChange:
    before, after = pair.before, pair.after
    return CaseChange(
        kind=kind,
        evaluation=pair.evaluation,
        case=after.id,
        tags=after.tags,
        before=_passed(before),
        after=_passed(after),
        f1=(_f1(before), _f1(after)),
        reasons=tuple(_reasons(before, after)),
        is_expectation_changed=before.expectation != after.expectation,
    )


def _reasons(before: CaseOutcome, after: CaseOutcome) -> Iterator[ChangeReason]:
    sides: tuple[tuple[ChangeReasonKind, CaseOutcome], ...] = (
        ("no answer", after),
        ("no answer before", before),
    )
    for kind, case in sides:
        failed = next((trial for trial in case.trials if trial.status == "error"), None)
        if failed is not None:
            yield ChangeReason(kind=kind, text=failed.failure)
    if any(trial.forbidden for trial in after.trials):
        yield ChangeReason(kind="forbidden call")
    if any(trial.faults for trial in after.trials):
        yield ChangeReason(kind="schema error")
