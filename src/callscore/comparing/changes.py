"""Which cases went otherwise, and in which of them something is worse than any number says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.comparing.comparison import Alarm, CaseChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.comparing.comparison import ChangeKind
    from callscore.comparing.matching import Lone, Matched
    from callscore.comparing.sides import CaseOutcome, TrialOutcome

__all__ = ["alarms_of", "changes_of"]

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
    if first is not None and second is not None and abs(first - second) > _SMALL:
        return True
    calls = (
        {trial.calls for trial in pair.before.trials},
        {trial.calls for trial in pair.after.trials},
    )
    return calls[0] != calls[1] and "" not in calls[0] | calls[1]


def _is_answered(case: CaseOutcome) -> bool:
    return all(trial.status != "error" for trial in case.trials)


def _f1(case: CaseOutcome) -> float | None:
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


def _reasons(before: CaseOutcome, after: CaseOutcome) -> Iterator[str]:
    for words, case in (("no answer: ", after), ("no answer before: ", before)):
        failed = next((trial for trial in case.trials if trial.status == "error"), None)
        if failed is not None:
            yield f"{words}{failed.failure}" if failed.failure else words.removesuffix(": ")
    if any(trial.forbidden for trial in after.trials):
        yield "forbidden call"
    if any(trial.faults for trial in after.trials):
        yield "schema error"


def alarms_of(cases: Iterable[Matched], only_after: Iterable[Lone]) -> tuple[Alarm, ...]:
    """The cases with more forbidden calls or schema errors than before, as often as they were tried.

    In a case that only the second run has, there were none before. Where the first run did not ask
    the schemas, nobody knows what is new.
    """
    found: list[Alarm] = []
    for pair in cases:
        if _is_alarming(pair.after):
            found += _alarms(pair.evaluation, pair.after, pair.before.trials)
    for lone in only_after:
        if _is_alarming(lone.case):
            found += _alarms(lone.evaluation, lone.case, None)
    return tuple(found)


def _is_alarming(case: CaseOutcome) -> bool:
    return any(trial.forbidden or trial.faults for trial in case.trials)


def _alarms(
    evaluation: str, case: CaseOutcome, before: Sequence[TrialOutcome] | None
) -> Iterator[Alarm]:
    forbidden = sum(trial.forbidden for trial in case.trials)
    if forbidden:
        there = sum(trial.forbidden for trial in before or ())
        if forbidden * len(before or (1,)) > there * len(case.trials):
            yield Alarm(
                kind="forbidden", evaluation=evaluation, case=case.id, before=there, after=forbidden
            )
    faults = [trial.faults for trial in case.trials if trial.faults is not None]
    if sum(faults):
        known = [0] if before is None else [t.faults for t in before if t.faults is not None]
        if known and sum(faults) * len(known) > sum(known) * len(faults):
            yield Alarm(
                kind="schema",
                evaluation=evaluation,
                case=case.id,
                before=sum(known),
                after=sum(faults),
            )
