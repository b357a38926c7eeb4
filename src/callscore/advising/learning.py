"""What only labels can tell: tools whose calls do not matter, and arguments that never do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from callscore.advising.choosing import Measured, Sample
from callscore.core.case import calls_in
from callscore.core.counted_calls import effect_of
from callscore.core.tool_names import matches_pattern

if TYPE_CHECKING:
    from callscore.advising.candidates import Candidate
    from callscore.advising.runs import Column, Runs
    from callscore.core.call import Effect
    from callscore.core.settings import Settings

LEAST_RUNS = 10  # whose scores change
LEAST_TASKS = 5  # of these runs
_LEAST_GAIN = 0.003
_LEAST_STEP = 0.001  # of the AUC or of the agreement, for something to be tried with others
_MOST_LEARNED = 20
_ABOUT_AS_OFTEN = 0.5  # the share of successes, compared with that of failures
_MOST_PROPOSALS = 40  # after the first of them is taken
_ANY = "*"
_PATTERN = frozenset("*?[]")  # a name with these would be taken for a pattern


class _Proposal(NamedTuple):
    """One thing to learn, and the runs that it concerns."""

    tool: str
    argument: str  # empty if it is about all calls of the tool
    runs: tuple[int, ...]


def learn(sample: Sample, start: Measured) -> Measured:
    """The candidate with what the sample teaches about its tools and arguments, if anything.

    Two ways lead to what could be learned: what improves the separation most, one thing at a time;
    and all that goes wrong in successful runs about as often as in failed ones, at once, because one
    alone may be hidden by the noise of the others. What is left of either is tested, each thing given
    all others: it must change the scores of enough runs and tasks, and its gain must be beyond noise.
    """
    proposals = _proposals(sample.runs, sample.base)
    greedy = _supported(sample, start, _improving(sample, start, proposals))
    joint = _supported(sample, start, _indifferent(sample, start, proposals))
    return joint if sample.is_clearly_better(greedy.column, joint.column) else greedy


def _improving(sample: Sample, start: Measured, proposals: Iterable[_Proposal]) -> list[_Proposal]:
    """What improves the separation, one thing at a time, the best first."""
    learned: list[_Proposal] = []
    current = start
    for _ in range(_MOST_LEARNED):
        tried = [
            (proposal, found)
            for proposal in proposals
            if (found := _tried(sample, start, current, [*learned, proposal])) is not None
            and _helps(current, found)
        ]
        if not tried:
            break
        tried.sort(key=lambda each: (-each[1].area, -each[1].agreement, each[0][:2]))
        (taken, current), *others = tried
        learned.append(taken)
        # What does not help at all will hardly help later, and each round scores many runs again.
        proposals = [proposal for proposal, _ in others][:_MOST_PROPOSALS]
    return learned


def _indifferent(
    sample: Sample, start: Measured, proposals: Iterable[_Proposal]
) -> list[_Proposal]:
    """What goes wrong in successful runs about as often as in failed ones: arguments, then tools."""
    learned: list[_Proposal] = []
    current = start
    for is_argument in (True, False):
        found = []
        for proposal in proposals:
            tried = None
            if bool(proposal.argument) == is_argument:
                tried = _tried(sample, start, current, [*learned, proposal])
            if tried is not None:
                good, bad = _lifted(sample, current.column, tried.column)
                if good >= _ABOUT_AS_OFTEN * bad:
                    found.append((-good, proposal))
        learned += [proposal for _, proposal in sorted(found)][:_MOST_LEARNED]
        current = _with_all(sample, start, current, learned)
    return learned


def _lifted(sample: Sample, before: Column, after: Column) -> tuple[float, float]:
    """The share of successful and of failed runs whose scores rise."""
    shares = []
    for outcome in (True, False):
        own = [number for number in sample.chosen if sample.runs.outcomes[number] == outcome]
        lifted = [number for number in own if after.values[number] > before.values[number]]
        is_enough = outcome is False or _is_enough(sample, lifted)
        shares.append(len(lifted) / len(own) if own and is_enough else 0.0)
    good, bad = shares
    return (good, bad) if good else (-1.0, bad)


def _supported(sample: Sample, start: Measured, learned: list[_Proposal]) -> Measured:
    """The candidate with those of the things learned that the sample supports, given the others."""
    current = _with_all(sample, start, start, learned)
    while learned:
        rests = []
        for each in learned:
            rest = [other for other in learned if other is not each]
            before = _measured(sample, start, current, rest, each.runs)
            gain = current.area - before.area, current.agreement - before.agreement
            rests.append((gain, rest, before))
        doubtful = [each for each in rests if not _helps(each[2], current)]
        # Only what has any gain at all is worth an interval.
        doubtful = doubtful or [each for each in rests if not _is_sure(sample, each[2], current)]
        if not doubtful:
            break
        _, learned, current = min(doubtful, key=lambda each: each[0])
    return current


def _with_all(
    sample: Sample, start: Measured, current: Measured, learned: list[_Proposal]
) -> Measured:
    runs = {number for proposal in learned for number in proposal.runs}
    return _measured(sample, start, current, learned, sorted(runs)) if learned else start


def _measured(
    sample: Sample,
    start: Measured,
    current: Measured,
    learned: list[_Proposal],
    runs: Iterable[int],
) -> Measured:
    """The candidate with all that is learned; only these runs have other scores than the current."""
    candidate = _candidate(sample, start.candidate, learned)
    before, after = (each.settings(sample.base) for each in (current.candidate, candidate))
    column = sample.runs.changed(before, after, runs)
    if column is None:
        return current
    return Measured(candidate, column, sample.area(column), sample.agreement(column))


def _proposals(runs: Runs, base: Settings) -> list[_Proposal]:
    """What could be learned: something about a tool or an argument that enough runs have.

    What a rule of the project decides is not learned.
    """
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
        if len(each.runs) >= LEAST_RUNS
        and not _PATTERN & {*each.tool, *each.argument}
        and not _is_decided(each, base)
    )


def _is_decided(proposal: _Proposal, base: Settings) -> bool:
    """Whether the settings have a rule for this tool or argument, and not only one for all."""
    if proposal.argument:
        name = f"{proposal.tool}.{proposal.argument}"
        patterns = [rule.pattern for rule in base.arguments]
    else:
        name, patterns = proposal.tool, [pattern for pattern, _ in base.effects]
    return any(
        matches_pattern(pattern, name) for pattern in patterns if not {*pattern} <= {*_ANY, "."}
    )


def _tried(
    sample: Sample, start: Measured, current: Measured, learned: list[_Proposal]
) -> Measured | None:
    """The candidate with one more proposal; None if too few runs of the sample say anything about it."""
    runs = learned[-1].runs
    found = _measured(sample, start, current, learned, runs)
    changed = [
        number
        for number in _common(runs, sample.chosen)
        if current.column.values[number] != found.column.values[number]
    ]
    return found if _is_enough(sample, changed) else None


def _candidate(sample: Sample, start: Candidate, learned: Iterable[_Proposal]) -> Candidate:
    """The settings with all that is learned."""
    settings = start.settings(sample.base)
    uses_effects = settings.count_calls == "writes" or settings.extra_calls == "reads_free"
    effects: list[tuple[str, Effect]] = []
    for tool in [each.tool for each in learned if not each.argument]:
        is_read = uses_effects and _effect(sample, tool, settings) == "read"
        effects.append((tool, "write" if is_read else "read"))
    ignored = [f"{each.tool}.{each.argument}" for each in learned if each.argument]
    found = replace(start, ignored=(*start.ignored, *ignored))
    if not effects:
        return found
    if uses_effects:
        return replace(found, effects=(*effects, *start.effects))
    # All other calls go on counting.
    found = found.with_change("count_calls", "writes")
    return replace(found, effects=(*effects, (_ANY, "write")))


def _effect(sample: Sample, tool: str, settings: Settings) -> Effect:
    """What a tool does, by its first definition."""
    known = (run.tools for run in sample.runs.runs if tool in run.tools)
    return effect_of(tool, settings, next(known, {}))


def _is_enough(sample: Sample, numbers: Sequence[int]) -> bool:
    """Whether there are enough runs, of enough tasks, to learn from."""
    tasks = {sample.runs.tasks[number] for number in numbers}
    return len(numbers) >= LEAST_RUNS and len(tasks) >= LEAST_TASKS


def _common(numbers: Iterable[int], chosen: Iterable[int]) -> Iterator[int]:
    known = chosen if isinstance(chosen, (range, frozenset)) else frozenset(chosen)
    return (number for number in numbers if number in known)


def _helps(before: Measured, after: Measured) -> bool:
    gain = after.area - before.area
    return gain >= _LEAST_STEP or (
        gain > -_LEAST_STEP and after.agreement - before.agreement >= _LEAST_STEP
    )


def _is_sure(sample: Sample, before: Measured, after: Measured) -> bool:
    return sample.is_clearly_better(before.column, after.column, _LEAST_GAIN)
