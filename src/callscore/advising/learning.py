"""What only labels can tell: tools whose calls do not matter, and arguments that never do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from callscore.advising.choosing import Measured
from callscore.core.case import calls_in
from callscore.core.counted_calls import effect_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.advising.candidates import Candidate
    from callscore.advising.choosing import Sample
    from callscore.advising.runs import Column, Runs

__all__ = ["LEAST_RUNS", "LEAST_TASKS", "learn"]

LEAST_RUNS = 10  # whose scores change
LEAST_TASKS = 5  # of these runs
_LEAST_GAIN = 0.003
_MOST_LEARNED = 12
_ANY = "*"
_PATTERN = frozenset("*?[]")  # a name with these would be taken for a pattern


class _Proposal(NamedTuple):
    """One thing to learn, and the runs that it concerns."""

    tool: str
    argument: str  # empty if it is about all calls of the tool
    runs: tuple[int, ...]


def learn(sample: Sample, start: Measured) -> Measured:
    """The candidate with what the sample teaches about its tools and arguments, if anything.

    One thing is learned at a time, the one that improves the separation most. Each must change the
    scores of enough runs and tasks, and its gain must be beyond noise.
    """
    current = start
    proposals = _proposals(sample.runs)
    for _ in range(_MOST_LEARNED):
        tried = [
            (proposal, found)
            for proposal in proposals
            if (found := _tried(sample, current, proposal)) is not None
        ]
        tried.sort(key=lambda each: (-each[1].area, -each[1].agreement, each[0][:2]))
        # The best is not taken if it is noise; the next may be less, and sure.
        taken = next((each for each in tried if _is_sure(sample, current, each[1])), None)
        if taken is None:
            break
        proposals = [each for each in proposals if each is not taken[0]]
        current = taken[1]
    return current


def _proposals(runs: Runs) -> list[_Proposal]:
    """What could be learned: something about a tool or an argument that enough runs have."""
    tools: dict[str, set[int]] = {}
    arguments: dict[tuple[str, str], set[int]] = {}
    for number, run in enumerate(runs.runs):
        expected = {call.name: call for call in calls_in(run.case.expected or ())}
        actual = run.case.actual or ()
        for call in (*expected.values(), *actual):
            if call.kind != "state":
                tools.setdefault(call.name, set()).add(number)
        # An argument can differ only where both sides call the tool.
        for call in (*calls_in(run.case.expected or ()), *actual):
            if call.name in expected and any(call.name == made.name for made in actual):
                for argument in call.arguments or ():
                    arguments.setdefault((call.name, argument), set()).add(number)
    found = [_Proposal(tool, "", tuple(sorted(numbers))) for tool, numbers in tools.items()]
    found += [
        _Proposal(tool, argument, tuple(sorted(numbers)))
        for (tool, argument), numbers in arguments.items()
        if argument and "." not in argument
    ]
    return sorted(
        each
        for each in found
        if len(each.runs) >= LEAST_RUNS and not _PATTERN & {*each.tool, *each.argument}
    )


def _tried(sample: Sample, current: Measured, proposal: _Proposal) -> Measured | None:
    """The candidate with the proposal; None if too few runs of the sample say anything about it."""
    candidate = _with(sample, current.candidate, proposal)
    column = sample.runs.changed(
        current.candidate.settings(sample.base), candidate.settings(sample.base), proposal.runs
    )
    if column is None or not _informs(sample, current.column, column, proposal.runs):
        return None
    return Measured(candidate, column, sample.area(column), sample.agreement(column))


def _with(sample: Sample, candidate: Candidate, proposal: _Proposal) -> Candidate:
    tool = proposal.tool
    if proposal.argument:
        return replace(candidate, ignored=(*candidate.ignored, f"{tool}.{proposal.argument}"))
    settings = candidate.settings(sample.base)
    uses_effects = settings.count_calls == "writes" or (
        getattr(settings, "extra_calls", "") == "reads_free"
    )
    if not uses_effects:  # all other calls go on counting
        effects = ((tool, "read"), (_ANY, "write"))
        return replace(candidate.with_change("count_calls", "writes"), effects=effects)
    tools = next(
        (run.tools for run in sample.runs.runs if tool in run.tools), sample.runs.runs[0].tools
    )
    other = "write" if effect_of(tool, settings, tools) == "read" else "read"
    return replace(candidate, effects=((tool, other), *candidate.effects))


def _informs(sample: Sample, before: Column, after: Column, numbers: Iterable[int]) -> bool:
    changed = [
        number
        for number in _common(numbers, sample.chosen)
        if before.values[number] != after.values[number]
    ]
    tasks = {sample.runs.tasks[number] for number in changed}
    return len(changed) >= LEAST_RUNS and len(tasks) >= LEAST_TASKS


def _common(numbers: Iterable[int], chosen: Iterable[int]) -> Iterator[int]:
    known = chosen if isinstance(chosen, (range, frozenset)) else frozenset(chosen)
    return (number for number in numbers if number in known)


def _is_sure(sample: Sample, before: Measured, after: Measured) -> bool:
    return sample.is_clearly_better(before.column, after.column, _LEAST_GAIN)
