"""Checks the calls in files, in this process and in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from callscore.checks.check import (
    FAULT_KINDS,
    CheckResults,
    FaultyRun,
    Finding,
    ToolFaults,
    check_calls,
)
from callscore.checks.tool_schema import count_checked_calls, usable_tools
from callscore.core.case import Case, is_state
from callscore.core.results import Noted
from callscore.core.score import Fault, FaultKind, count_faulty_calls
from callscore.core.totals import NameCounter
from callscore.documents import raise_unreadable, tools_in_list
from callscore.engines.inputs import (
    CaseLimit,
    CaseReader,
    FileContent,
    Found,
    InputOptions,
    read_all,
    read_batch,
)
from callscore.engines.pool import LOST_RECORD, Done, LineTask, process_count, spread
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    refuse_typos,
)
from callscore.formats.cases import actual_from_trace, read_trace, trace_field
from callscore.formats.definitions import read_definitions
from callscore.sources import BadRecord, Batch, read_batches
from callscore.sources.remote import without_credentials

if TYPE_CHECKING:
    from callscore.core.call import Tool

_UsableTools = tuple[dict[str, "Tool"] | None, dict[str, str]]


class CheckHooks(Struct, frozen=True):
    """Callbacks while files are checked.

    Attributes:
        on_faulty: called with each run that has findings to show, which are then not part of the results.
        on_bytes: called with the number of bytes that were read since the last call.
    """

    on_faulty: Callable[[FaultyRun], None] | None = None
    on_bytes: Callable[[int], None] | None = None


_NO_HOOKS = CheckHooks()


def check_files(  # noqa: PLR0913  (all are options)
    paths: Sequence[str],
    *,
    inputs: InputOptions,
    tools: Mapping[str, Tool] | None = None,
    limit: int | None = None,
    max_shown: int | None = 10,
    skip_bad: bool = False,
    jobs: int = 1,
    hooks: CheckHooks = _NO_HOOKS,
) -> CheckResults:
    """Check the calls in files of any format.

    Args:
        paths: the files, or URLs of files; `-` is standard input.
        inputs: how they are read.
        tools: the offered tools by name; None for those that each trace defines.
        limit: use only the first cases, at most this many; None for all.
        max_shown: the maximum number of findings to show; None for all.
        skip_bad: whether to count and skip what cannot be read, instead of stopping.
        jobs: how many processes check the calls of a large file of JSON lines; one with a `limit`.
        hooks: callbacks.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read.
        InvalidSettings: the schema of one of the `tools` cannot be used.
        MissingExtra: a file needs an optional dependency.
    """
    totals = CheckTotals(tools, max_shown, hooks, skip_bad=skip_bad)
    chosen = CaseLimit(limit)
    for path in paths:
        before = totals.counts.taken
        name = without_credentials(path)
        batches = read_batches(path, on_bytes=hooks.on_bytes, allow_remote=True)
        reader = CaseReader(name, _TRACES_ONLY, inputs)
        if limit is None:
            _check_file(batches, reader, totals, process_count(jobs))
        else:
            totals.take_all(chosen.select(read_all(batches, reader)))
        if totals.counts.taken == before:
            totals.empty_files.append(name)
    return totals.results(len(paths))


def _check_file(
    batches: Iterator[Batch], reader: CaseReader, totals: CheckTotals, jobs: int
) -> None:
    """Check the calls of one file, if it is large in several processes."""
    for item in spread(batches, partial(_check_part, totals, reader), jobs):
        if not isinstance(item, Done):
            totals.take_all(found for _, _, found in read_batch(item, reader))
        elif item.result is None:
            totals.lose(item.task.lost(item.deaths))
        else:
            totals.add_part(item.result)
    totals.take_all(reader.finish())


def _check_part(totals: CheckTotals, reader: CaseReader, task: LineTask) -> _CheckedPart | None:
    """Check the calls in some lines, in another process; None if they change how the others are read."""
    part, state = totals.new_part(), reader.state
    for batch in task.lines:
        part.take_all(found for _, _, found in read_batch(batch, reader, skipped=task.skipped))
    return part.part() if reader.state == state else None


def _read_run(value: Any, *, place: str, **options: Any) -> Case:
    """The actual side of a record; a case without an answer has none."""
    if isinstance(value, dict):
        is_reference = any(field in value for field in EXPECTED_FIELDS)
        is_answered = any(field in value for field in ACTUAL_FIELDS + EITHER_SIDE_FIELDS)
        if is_reference and not is_answered and trace_field(value) is None:
            refuse_typos(value, place)
            return Case(id=str(value.get("id", "")))
    return read_trace(value, place=place, is_alone=True, **options)


_TRACES_ONLY = FileContent(_read_run, actual_from_trace, "expected")


class _Counts(Struct):
    """What was counted; `add` counts what was counted elsewhere."""

    taken: int = 0  # records, readable or not
    runs: int = 0
    faulty_runs: int = 0
    faulty: int = 0
    checked: int = 0
    unchecked: int = 0
    invalid: int = 0
    faults: int = 0

    def add(self, other: _Counts) -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class _CheckedPart(Struct, frozen=True, kw_only=True):
    """What another process found in a part of the input."""

    counts: _Counts
    calls: Counter[str]
    faulty: Counter[str]
    kinds: Counter[tuple[str, FaultKind]]
    unusable: dict[str, str]
    skipped: Noted
    unread: Noted
    without_tools: Noted
    without_calls: Noted
    shown: list[FaultyRun]


class CheckTotals:
    """Checks one run after another and counts what is found."""

    def __init__(
        self,
        tools: Mapping[str, Tool] | None,
        max_shown: int | None,
        hooks: CheckHooks,
        *,
        skip_bad: bool,
    ) -> None:
        self._hooks = hooks
        self.empty_files: list[str] = []
        self._tools = tools
        self._max_shown = max_shown
        self._skip_bad = skip_bad
        self._begin()

    def _begin(self) -> None:
        self._shown = 0  # faults
        self.counts = _Counts()
        self._calls: Counter[str] = Counter()
        self._faulty: Counter[str] = Counter()
        self._kinds: Counter[tuple[str, FaultKind]] = Counter()
        self._unusable: dict[str, str] = {}
        self._skipped = NameCounter()
        self._unread = NameCounter()
        self._without_tools = NameCounter()
        self._without_calls = NameCounter()
        self._runs: list[FaultyRun] = []  # to show

    def take_all(self, runs: Iterator[Found]) -> None:
        """Check runs, and skip what cannot be read.

        Raises:
            UnreadableInput: it is not to be skipped.
        """
        for found in runs:
            self.counts.taken += 1
            if not isinstance(found, BadRecord):
                self.check(*found)
            elif self._skip_bad or found.problem == LOST_RECORD:
                self._skipped.add(f"{found.place}: {found.problem}")
            else:
                raise_unreadable(found.place, found.problem)

    def check(self, place: str, case: Case) -> tuple[Fault, ...]:
        """Check one run; returns its faults."""
        name = f"{place} {_label(case) or ''}".rstrip()
        if case.unread is not None:
            self._unread.add(f"{place}: {case.unread}")
        if case.actual is None:
            self._without_calls.add(name)
            return ()
        calls = tuple([call for call in case.actual if not is_state(call)])
        tools = self._tools
        if tools is None:
            tools, problems = _defined_tools(case.tools)
            self._unusable |= problems
        faults = check_calls(calls, tools)
        counts = self.counts
        counts.runs += 1
        self._calls.update([call.name for call in calls])
        if tools is None:
            self._without_tools.add(name)
        else:
            checked = count_checked_calls(calls, tools)
            counts.checked += checked
            counts.unchecked += len(calls) - checked
            counts.invalid += count_faulty_calls(faults)
        for fault in faults:
            self._kinds[fault.tool, fault.kind] += 1
        counts.faults += len(faults)
        if faults:
            faulty = {fault.index for fault in faults}
            self._faulty.update([calls[index].name for index in faulty])
            counts.faulty += len(faulty)
            counts.faulty_runs += 1
            self._show(FaultyRun(place, _label(case), calls, faults))
        return faults

    def _show(self, run: FaultyRun) -> None:
        """Show the faults of a run, as far as there is room for them."""
        most = self._max_shown
        faults = run.faults if most is None else run.faults[: max(most - self._shown, 0)]
        self._shown += len(faults)
        if faults:
            (self._hooks.on_faulty or self._runs.append)(structs.replace(run, faults=faults))

    def new_part(self) -> CheckTotals:
        """Totals without any counts, for another process."""
        return CheckTotals(self._tools, self._max_shown, _NO_HOOKS, skip_bad=self._skip_bad)

    def part(self) -> _CheckedPart:
        """What was found."""
        return _CheckedPart(
            counts=self.counts,
            calls=self._calls,
            faulty=self._faulty,
            kinds=self._kinds,
            unusable=self._unusable,
            skipped=self._skipped.noted(),
            unread=self._unread.noted(),
            without_tools=self._without_tools.noted(),
            without_calls=self._without_calls.noted(),
            shown=self._runs,
        )

    def add_part(self, part: _CheckedPart) -> None:
        """Add what another process found."""
        self.counts.add(part.counts)
        self._calls.update(part.calls)
        self._faulty.update(part.faulty)
        self._kinds.update(part.kinds)
        self._unusable |= part.unusable
        self._skipped.add_noted(part.skipped)
        self._unread.add_noted(part.unread)
        self._without_tools.add_noted(part.without_tools)
        self._without_calls.add_noted(part.without_calls)
        for run in part.shown:
            self._show(run)

    def lose(self, records: Noted) -> None:
        """Count records that could not be checked, whether bad ones are skipped or not."""
        self.counts.taken += records.count
        self._skipped.add_noted(records)

    def results(self, files: int) -> CheckResults:
        """What was found in all runs."""
        unusable = NameCounter()
        for tool, problem in self._unusable.items():
            unusable.add(f"{tool}: {problem}")
        counts = self.counts
        return CheckResults(
            files=files,
            runs=counts.runs,
            calls=self._calls.total(),
            faulty_runs=counts.faulty_runs,
            faulty_calls=counts.faulty,
            checked_calls=counts.checked,
            unchecked_calls=counts.unchecked,
            invalid_calls=counts.invalid,
            tools=self._tool_faults(),
            findings=tuple([finding for run in self._runs for finding in run.findings]),
            not_shown=counts.faults - self._shown,
            without_tools=self._without_tools.noted(),
            without_calls=self._without_calls.noted(),
            unusable=unusable.noted(),
            skipped=self._skipped.noted(),
            unread=self._unread.noted(),
            empty_files=tuple(self.empty_files),
        )

    def _tool_faults(self) -> dict[str, ToolFaults]:
        found = []
        for name, calls in self._calls.items():
            counts = {kind: self._kinds[name, kind] for kind in FAULT_KINDS}
            present = {kind: count for kind, count in counts.items() if count}
            found.append((name, ToolFaults(calls, present, self._faulty[name])))
        return dict(sorted(found, key=lambda item: (-item[1].total, -item[1].calls, item[0])))


def _label(case: Case) -> str | None:
    if not case.id:
        return None
    return case.id if case.trial is None else f"{case.id} #{case.trial}"


def _defined_tools(definitions: Any) -> _UsableTools:
    """The tools that a record defines, by name, and why the schemas of some cannot be used.

    None if it defines no readable ones; an empty list means that no tool was offered.
    """
    if definitions is None:
        return None, {}
    try:
        return _decode_defined(msgspec.json.encode(definitions))
    except (RecursionError, TypeError, ValueError, OverflowError):  # not JSON, so not cached
        return _usable_definitions(definitions)


@lru_cache(maxsize=64)  # the records of a file mostly have the same tools
def _decode_defined(text: bytes) -> _UsableTools:
    return _usable_definitions(msgspec.json.decode(text))


def _usable_definitions(definitions: Any) -> _UsableTools:
    tools = tools_in_list(definitions) or read_definitions(definitions)
    return usable_tools(tools) if tools or definitions == [] else (None, {})
