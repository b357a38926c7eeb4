"""In which cases something is new that is worse than any number says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from callscore.comparing.comparison import Alarm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.comparing.matching import Lone, Matched
    from callscore.comparing.sides import CaseOutcome, TrialOutcome

    Trials = Sequence[TrialOutcome]

__all__ = ["alarms_of"]


def alarms_of(cases: Iterable[Matched], only_after: Iterable[Lone]) -> tuple[Alarm, ...]:
    """The cases with more forbidden calls or schema errors than before, as often as they were tried.

    Forbidden calls are told apart by their tools: one of another tool is new. In a case that only the
    second run has, there were none before, and none where there was no answer. Where the first run
    did not ask the schemas, nobody knows what is new.
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


def _alarms(evaluation: str, case: CaseOutcome, before: Trials | None) -> Iterator[Alarm]:
    forbidden = sum(trial.forbidden for trial in case.trials)
    there = sum(trial.forbidden for trial in before or ())
    tools = _newly_forbidden(before or (), case.trials)
    if tools or forbidden * len(before or (1,)) > there * len(case.trials):
        yield Alarm(
            kind="forbidden",
            evaluation=evaluation,
            case=case.id,
            before=there,
            after=forbidden,
            tools=tools,
        )
    faults = _faults(case.trials)
    known = [0] if before is None else _faults(before)
    if known and sum(faults) * len(known) > sum(known) * len(faults):
        yield Alarm(
            kind="schema",
            evaluation=evaluation,
            case=case.id,
            before=sum(known),
            after=sum(faults),
        )


def _newly_forbidden(before: Trials, after: Trials) -> tuple[str, ...]:
    """The tools that are called against the rule more often than before; none where nobody knows."""
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
            found.update({tool: counts[-1] for tool, counts in trial.tools.items() if counts[-1]})
        elif trial.forbidden:
            return None
    return found


def _faults(trials: Trials) -> list[int]:
    """The schema errors of each trial that was asked for them; what has no answer has none."""
    return [
        trial.faults or 0 for trial in trials if trial.faults is not None or trial.status == "error"
    ]
