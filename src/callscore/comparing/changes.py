"""Which cases and settings changed between two runs; new forbidden calls and schema errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import fsum, isnan
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.core.summary import ToolCounts

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome, MatchedCase, TrialOutcome, UnmatchedCase

    Trials = Sequence[TrialOutcome]

ChangeKind = Literal["fixed", "broken", "changed"]
Direction = Literal["looser", "stricter", "different"]
ChangeReasonKind = Literal["no answer", "no answer before", "forbidden call", "schema error"]


class ChangeReason(Struct, frozen=True, gc=False, kw_only=True):
    """Additional information about a changed case.

    Attributes:
        kind: `no answer` is about the second run, `no answer before` about the first.
        text: why there is no answer, in a sentence; empty if unknown, and for other kinds.
    """

    kind: ChangeReasonKind
    text: str = ""


class CaseChange(Struct, frozen=True, gc=False, kw_only=True):
    """A case whose outcome changed.

    Attributes:
        kind: `fixed` if only the second run passes, `broken` if only the first does; `changed` if
            the calls or numbers differ, or some of the trials.
        evaluation: the label of the evaluation.
        case: the id of the case.
        before: the numbers of passed and of decided trials in the first run.
        after: the same in the second run.
        first: `before` without the trials that the second run has no more of.
        f1: the mean F1 before and after; None if there is none.
    """

    kind: ChangeKind
    evaluation: str
    case: str
    tags: tuple[str, ...] = ()
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)
    first: tuple[int, int] = (0, 0)
    f1: tuple[float | None, float | None] = (None, None)
    reasons: tuple[ChangeReason, ...] = ()
    is_expectation_changed: bool = False
    is_input_changed: bool = False


class Alarm(Struct, frozen=True, gc=False, kw_only=True):
    """A new forbidden call or schema error; it always closes a gate.

    Attributes:
        evaluation: the label of the evaluation.
        case: the id of the case.
        before: the number in all trials of the first run.
        after: the same in the second run.
        tools: the tools with more forbidden calls than before; empty if unknown.
    """

    kind: Literal["forbidden", "schema"]
    evaluation: str
    case: str
    before: int
    after: int
    tools: tuple[str, ...] = ()


class SettingChange(Struct, frozen=True, gc=False, kw_only=True):
    """A setting, a scorer or a required mean that differs between two runs of an evaluation.

    Attributes:
        evaluation: the label of the evaluation in the second run.
        name: `pass_mark`, `scorers`, `fail_under (accuracy)`, `tools` with the digest of their definitions.
        before: its value in the first run, as plain data.
    """

    evaluation: str
    name: str
    before: Any = None
    after: Any = None
    direction: Direction = "different"


CHANGE_KINDS: tuple[ChangeKind, ...] = ("broken", "fixed", "changed")  # in the order of a report
_TOLERANCE = 1e-9  # means of trials are not exact


def find_changes(cases: Iterable[MatchedCase]) -> tuple[CaseChange, ...]:
    """The cases whose outcome changed: broken, then fixed, then changed.

    A case passes if more than half of its trials do; a case that is undecided on one side is neither
    fixed nor broken.
    """
    found = [change for pair in cases if (change := change_of(pair)) is not None]
    return tuple(sorted(found, key=lambda change: CHANGE_KINDS.index(change.kind)))


def change_of(pair: MatchedCase) -> CaseChange | None:
    """How the outcome of a case changed; None if it did not."""
    kind = _kind(pair)
    return None if kind is None else _change(kind, pair)


def _kind(pair: MatchedCase) -> ChangeKind | None:
    if pair.before.trials == pair.after.trials:
        return None
    before, after = passed_trials(pair.before), passed_trials(pair.after)
    first, second = _decision(before), _decision(after)
    if first is not None and second is not None and first != second:
        return "fixed" if second else "broken"
    has_another_share = before[0] * after[1] != after[0] * before[1]
    if first is not second or has_another_share or _answers_differ(pair):
        return "changed"
    return None


def passed_trials(case: CaseOutcome, most: int | None = None) -> tuple[int, int]:
    """The numbers of passed and of decided trials, of the first `most` of these.

    A trial without an answer did not pass.
    """
    decided = [
        bool(trial.passed)
        for trial in case.trials
        if trial.status == "error" or trial.passed is not None
    ][:most]
    return sum(decided), len(decided)


def _decision(passed: tuple[int, int]) -> bool | None:
    return 2 * passed[0] > passed[1] if passed[1] else None


def fails(case: CaseOutcome) -> bool:
    """Whether a case does not pass; one that is undecided does not fail."""
    return _decision(passed_trials(case)) is False


def passed_share(case: CaseOutcome) -> float | None:
    """The share of its decided trials that passed; None if there are none."""
    passed, decided = passed_trials(case)
    return passed / decided if decided else None


def _answers_differ(pair: MatchedCase) -> bool:
    if _is_answered(pair.before) != _is_answered(pair.after):
        return True
    first, second = _f1(pair.before), _f1(pair.after)
    if first is not None and second is not None and not _is_close(first, second):
        return True
    before, after = pair.before.trials, pair.after.trials
    if [each.values for each in before] != [each.values for each in after]:
        values = _values(pair.before), _values(pair.after)
        common = values[0].keys() & values[1].keys()
        if any(not _is_close(values[0][name], values[1][name]) for name in common):
            return True
    calls = {trial.calls for trial in before}, {trial.calls for trial in after}
    return calls[0] != calls[1] and "" not in calls[0] | calls[1]


def _values(case: CaseOutcome) -> dict[str, float | None]:
    """The mean of each scorer over the trials with a number; None if there are none."""
    found: dict[str, list[float]] = {}
    for trial in case.trials:
        for name, value in trial.values:
            found.setdefault(name, []).extend([] if value is None else [value])
    return {name: fsum(values) / len(values) if values else None for name, values in found.items()}


def _is_close(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    # Imported values may be NaN.
    return first == second or abs(first - second) <= _TOLERANCE or (isnan(first) and isnan(second))


def _is_answered(case: CaseOutcome) -> bool:
    return all(trial.status != "error" for trial in case.trials)


def _f1(case: CaseOutcome) -> float | None:
    if len(case.trials) == 1:  # the usual case
        return case.trials[0].f1
    found = [trial.f1 for trial in case.trials if trial.f1 is not None]
    if not found:
        return None
    # A missing answer counts as 0.
    return sum(found) / (len(found) + sum(trial.status == "error" for trial in case.trials))


def _change(kind: ChangeKind, pair: MatchedCase) -> CaseChange:
    before, after = pair.before, pair.after
    passed = passed_trials(after)
    return CaseChange(
        kind=kind,
        evaluation=pair.evaluation,
        case=after.id,
        tags=after.tags,
        before=passed_trials(before),
        after=passed,
        first=passed_trials(before, passed[1]),
        f1=(_f1(before), _f1(after)),
        reasons=tuple(_reasons(before, after)),
        is_expectation_changed=before.expectation != after.expectation,
        is_input_changed=bool(before.asked and after.asked and before.asked != after.asked),
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


def find_alarms(
    cases: Iterable[MatchedCase], only_after: Iterable[UnmatchedCase]
) -> tuple[Alarm, ...]:
    """The cases with more forbidden calls or schema errors than before.

    Forbidden calls are compared by tool: a call of another tool is new. Cases that only the second
    run has, and trials without an answer, had none before. If the first run did not check schemas,
    new schema errors are unknown.
    """
    found: list[Alarm] = []
    for pair in cases:
        if _has_violations(pair.after):
            found += _case_alarms(pair.evaluation, pair.after, pair.before.trials)
    for lone in only_after:
        if _has_violations(lone.case):
            found += _case_alarms(lone.evaluation, lone.case, None)
    return tuple(found)


def _has_violations(case: CaseOutcome) -> bool:
    return any(trial.forbidden or trial.faults for trial in case.trials)


def _case_alarms(evaluation: str, case: CaseOutcome, before: Trials | None) -> Iterator[Alarm]:
    forbidden = sum(trial.forbidden for trial in case.trials)
    forbidden_before = sum(trial.forbidden for trial in before or ())
    tools = _newly_forbidden(before or (), case.trials)
    if tools or forbidden * len(before or (1,)) > forbidden_before * len(case.trials):
        yield Alarm(
            kind="forbidden",
            evaluation=evaluation,
            case=case.id,
            before=forbidden_before,
            after=forbidden,
            tools=tools,
        )
    faults = _faults(case.trials)
    previous = [0] if before is None else _faults(before)
    if previous and sum(faults) * len(previous) > sum(previous) * len(faults):
        yield Alarm(
            kind="schema",
            evaluation=evaluation,
            case=case.id,
            before=sum(previous),
            after=sum(faults),
        )


def _newly_forbidden(before: Trials, after: Trials) -> tuple[str, ...]:
    """The tools with more forbidden calls than before; none if unknown."""
    first, second = _forbidden_by_tool(before), _forbidden_by_tool(after)
    if first is None or second is None:
        return ()
    return tuple(
        sorted(
            tool
            for tool, count in second.items()
            if count * max(1, len(before)) > first[tool] * len(after)
        )
    )


def _forbidden_by_tool(trials: Trials) -> Counter[str] | None:
    found: Counter[str] = Counter()
    for trial in trials:
        if trial.tools is not None:
            for tool, counts in trial.tools.items():
                found[tool] += ToolCounts(*counts).forbidden
        elif trial.forbidden:
            return None
    return found


def _faults(trials: Trials) -> list[int]:
    """The schema errors of each checked trial; 0 without an answer."""
    return [
        trial.faults or 0 for trial in trials if trial.faults is not None or trial.status == "error"
    ]
