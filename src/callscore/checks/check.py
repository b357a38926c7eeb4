"""All checks of one run together, loops and repeats among them, and the totals of many runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from msgspec import Struct, field

from callscore.checks.tool_schema import count_checked_calls, malformed_calls, schema_faults
from callscore.core.call import Tool, ToolCall
from callscore.core.case import is_state
from callscore.core.counted_calls import repeat_key
from callscore.core.rendering import EMPTY_NAME
from callscore.core.results import Noted
from callscore.core.score import Fault, FaultKind, count_faulty_calls
from callscore.core.totals import NameCounter


def _first_equal_calls(calls: Sequence[ToolCall]) -> list[int]:
    """For each call the index of the first equal call, possibly its own."""
    first: dict[str, int] = {}
    found = []
    for index, call in enumerate(calls):
        key = repeat_key(call, call.name)
        found.append(index if key is None else first.setdefault(key, index))
    return found


def _steps(calls: Sequence[ToolCall]) -> list[list[int]]:
    """The indexes of the calls of each step; a call without a step is a step of its own."""
    found: list[list[int]] = []
    last = None
    for index, call in enumerate(calls):
        if found and last is not None and call.step == last:
            found[-1].append(index)
        else:
            found.append([index])
        last = call.step
    return found


_MIN_ROUNDS = 3
_MAX_NAMED = 5


class _Loop(NamedTuple):
    """The start of a cycle, its length, and the end of its last repetition."""

    start: int
    length: int
    end: int


def loop_faults(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault per loop, at the call that ends its third round.

    A loop is the shortest cycle of equal calls that comes at least three times in a row; a cycle can
    be a single call. Calls of one step are made at the same time, so that their order means nothing.
    """
    order = _order_without_chance(calls)
    made = [calls[index] for index in order]
    found = []
    for start, length, _ in _loops(_first_equal_calls(made)):
        end = start + _MIN_ROUNDS * length - 1
        names = [call.name or EMPTY_NAME for call in made[start : start + min(length, _MAX_NAMED)]]
        if length > _MAX_NAMED:
            names.append("…")
        detail = ", ".join(names)
        found.append(Fault("loop", made[end].name, order[end], detail=detail, since=order[start]))
    return tuple(sorted(found, key=lambda fault: fault.index))


def _order_without_chance(calls: Sequence[ToolCall]) -> list[int]:
    """The indexes of the calls in order, and those of one step in an order that only they decide."""
    order: list[int] = []
    for step in _steps(calls):
        if len(step) > 1:
            step.sort(key=lambda index: repeat_key(calls[index], calls[index].name) or "")
        order += step
    return order


def _loops(items: list[int]) -> list[_Loop]:
    """All loops, each once, those with the shortest cycle first."""
    found: list[_Loop] = []
    within: list[_Loop | None] = [None] * len(items)  # the latest loop around each place
    for length in range(1, len(items) // _MIN_ROUNDS + 1):
        for place in range(0, len(items) - length, length):
            # A loop of this cycle, or of a part of it, may cover both places already.
            known = within[place]
            is_covered = known and place + length < known.end and length % known.length == 0
            is_candidate = items[place] == items[place + length] and not is_covered
            if is_candidate and _is_repeated(items, place, length):
                loop = _loop_around(items, place, length)
                if loop.end - loop.start >= _MIN_ROUNDS * length and _is_shortest(items, loop):
                    found.append(loop)
                    within[loop.start : loop.end] = [loop] * (loop.end - loop.start)
    return found


def _is_shortest(items: list[int], loop: _Loop) -> bool:
    """Whether the cycle is not itself a repetition of a shorter one."""
    cycle = items[loop.start : loop.start + loop.length]
    return not any(
        loop.length % part == 0 and cycle == cycle[:part] * (loop.length // part)
        for part in range(1, loop.length // 2 + 1)
    )


def _is_repeated(items: list[int], place: int, length: int) -> bool:
    """Whether one whole cycle is followed by itself; compared in growing pieces."""
    start, size = place, 8
    end = place + length
    while start < end:
        stop = min(start + size, end)
        if items[start:stop] != items[start + length : stop + length]:
            return False
        start, size = stop, 2 * size
    return True


def _loop_around(items: list[int], place: int, length: int) -> _Loop:
    """The longest range around a place in which every item repeats after one cycle."""
    start = place
    while start and items[start - 1] == items[start - 1 + length]:
        start -= 1
    end = place + length
    while end < len(items) and items[end] == items[end - length]:
        end += 1
    return _Loop(start, length, end)


def repeat_faults(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault per call that is equal to an earlier one."""
    return tuple(
        [
            Fault("repeat", calls[index].name, index, since=first)
            for index, first in enumerate(_first_equal_calls(calls))
            if first != index
        ]
    )


def retry_faults(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault per call that repeats a failed one of an earlier step, with no success in between.

    After a successful call, the same call may succeed. Calls of one step are made at the same time:
    none of them is a retry of another, and a success in the step of the failure or of the retry may
    have been in between.
    """
    firsts = _first_equal_calls(calls)
    failed: dict[int, int] = {}  # first equal call -> latest failed one
    found: list[Fault] = []
    for step in _steps(calls):
        succeeded = {index for index in step if not calls[index].failed}
        for index in step:
            since = failed.get(firsts[index])
            if since is not None and succeeded <= {index}:
                found.append(Fault("retry_unchanged", calls[index].name, index, since=since))
        if succeeded:
            failed.clear()
        else:
            failed |= {firsts[index]: index for index in step}
    return tuple(found)


def check_calls(
    calls: Sequence[ToolCall], tools: Mapping[str, Tool] | None = None
) -> tuple[Fault, ...]:
    """All faults of the calls of one run, in the order of the calls.

    If `tools` is None, the offered tools are unknown, and no call is checked against them.

    Raises:
        InvalidSettings: the schema of a tool that is called cannot be used.
    """
    calls = [call for call in calls if not is_state(call)]
    found = list(malformed_calls(calls) if tools is None else schema_faults(calls, tools))
    for check in (repeat_faults, loop_faults, retry_faults):
        found += check(calls)
    return tuple(sorted(found, key=lambda fault: fault.index))


FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


class Finding(Struct, frozen=True, gc=False):
    """One fault, and where it is.

    Attributes:
        place: the place of the run: `traces.jsonl:3`.
        run: the id and the trial of the run, if it has them.
    """

    place: str
    run: str | None
    call: ToolCall
    fault: Fault


class FaultyRun(Struct, frozen=True, gc=False):
    """A run with faults: all its calls, and what is wrong with some of them.

    Attributes:
        place: as of a `Finding`.
        run: likewise.
    """

    place: str
    run: str | None
    calls: tuple[ToolCall, ...]
    faults: tuple[Fault, ...]

    def findings(self) -> Iterator[Finding]:
        """Each fault with its call."""
        for fault in self.faults:
            yield Finding(self.place, self.run, self.calls[fault.index], fault)


class ToolFaults(Struct, frozen=True, gc=False):
    """The number of calls of a tool, of their faults by kind, and of the calls with any fault."""

    calls: int
    faults: dict[FaultKind, int]
    faulty_calls: int = 0

    @property
    def total(self) -> int:
        """How many faults there are."""
        return sum(self.faults.values())


class CheckResults(Struct, frozen=True, gc=False, kw_only=True):
    """The results of checking many runs.

    Attributes:
        faulty_runs: runs with any fault.
        faulty_calls: calls with any fault.
        checked_calls: calls that could be checked against a schema, or are wrong without one.
        unchecked_calls: calls that could not, although the offered tools are known.
        invalid_calls: checked calls whose parameters are invalid.
        tools: the counts of each tool, most faults first.
        findings: the first faults, in the order of the input.
        not_shown: the number of the other faults.
        without_tools: runs whose offered tools are unknown.
        without_calls: records without calls.
        unusable: tools whose schemas cannot be used, and why; their arguments were not checked.
        skipped: what could not be read and was skipped, as requested.
        unread: records with something that looks like calls and was not read: places and signs.
        empty_files: files without any record.
    """

    files: int = 0
    runs: int = 0
    calls: int = 0
    faulty_runs: int = 0
    faulty_calls: int = 0
    checked_calls: int = 0
    unchecked_calls: int = 0
    invalid_calls: int = 0
    tools: dict[str, ToolFaults] = {}
    findings: tuple[Finding, ...] = ()
    not_shown: int = 0
    without_tools: Noted = Noted()
    without_calls: Noted = Noted()
    unusable: Noted = Noted()
    skipped: Noted = Noted()
    unread: Noted = Noted()
    empty_files: tuple[str, ...] = ()

    @property
    def parameters_valid(self) -> float | None:
        """The share of the calls whose parameters are valid; None if none could be checked."""
        if not self.checked_calls:
            return None
        return (self.checked_calls - self.invalid_calls) / self.checked_calls

    @property
    def totals(self) -> dict[FaultKind, int]:
        """The number of faults of each kind that occurs."""
        counts = {
            kind: sum(tool.faults.get(kind, 0) for tool in self.tools.values())
            for kind in FAULT_KINDS
        }
        return {kind: count for kind, count in counts.items() if count}


class CheckTotals(Struct):
    """What is counted in many runs, each field as in `CheckResults`; `merge` adds what was counted elsewhere.

    Attributes:
        records: how many there were, readable or not.
        calls: by tool, as are `faulty_calls`.
        faults: how many each tool has of each kind.
    """

    records: int = 0
    runs: int = 0
    faulty_runs: int = 0
    checked_calls: int = 0
    unchecked_calls: int = 0
    invalid_calls: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    faulty_calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, FaultKind]] = field(default_factory=Counter)
    unusable: dict[str, str] = {}
    skipped: NameCounter = field(default_factory=NameCounter)
    unread: NameCounter = field(default_factory=NameCounter)
    without_tools: NameCounter = field(default_factory=NameCounter)
    without_calls: NameCounter = field(default_factory=NameCounter)

    def add(
        self, calls: Sequence[ToolCall], faults: Sequence[Fault], tools: Mapping[str, Tool] | None
    ) -> None:
        """Add the calls of a run and their faults; the tools are those by which they were checked."""
        self.runs += 1
        self.calls.update([call.name for call in calls])
        if tools is not None:
            checked = count_checked_calls(calls, tools)
            self.checked_calls += checked
            self.unchecked_calls += len(calls) - checked
            self.invalid_calls += count_faulty_calls(faults)
        self.faulty_runs += bool(faults)
        self.faulty_calls.update([calls[index].name for index in {each.index for each in faults}])
        self.faults.update([(fault.tool, fault.kind) for fault in faults])

    def merge(self, other: CheckTotals) -> None:
        """Add what was counted elsewhere, later than this."""
        for name in self.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, int):
                setattr(self, name, mine + theirs)
            elif isinstance(mine, NameCounter):
                mine.add_noted(theirs)
            else:
                mine.update(theirs)

    def results(
        self, findings: Sequence[Finding], shown: int, files: int, empty_files: Sequence[str]
    ) -> CheckResults:
        """The results so far, of which `shown` findings are shown, here or elsewhere."""
        found = [(name, self._tool_faults(name)) for name in self.calls]
        found.sort(key=lambda item: (-item[1].total, -item[1].calls, item[0]))
        unusable = NameCounter()
        for tool, problem in self.unusable.items():
            unusable.add(f"{tool}: {problem}")
        return CheckResults(
            files=files,
            runs=self.runs,
            calls=self.calls.total(),
            faulty_runs=self.faulty_runs,
            faulty_calls=self.faulty_calls.total(),
            checked_calls=self.checked_calls,
            unchecked_calls=self.unchecked_calls,
            invalid_calls=self.invalid_calls,
            tools=dict(found),
            findings=tuple(findings),
            not_shown=self.faults.total() - shown,
            without_tools=self.without_tools.noted(),
            without_calls=self.without_calls.noted(),
            unusable=unusable.noted(),
            skipped=self.skipped.noted(),
            unread=self.unread.noted(),
            empty_files=tuple(empty_files),
        )

    def _tool_faults(self, name: str) -> ToolFaults:
        counts = {kind: self.faults[name, kind] for kind in FAULT_KINDS}
        present = {kind: count for kind, count in counts.items() if count}
        return ToolFaults(self.calls[name], present, self.faulty_calls[name])
