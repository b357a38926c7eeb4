"""Checks the calls in files, in this process and in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
    read_batch,
    read_cases,
)
from callscore.engines.pool import LineWork, Parts, left_by_pool, lost_lines, process_count
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    refuse_typos,
)
from callscore.formats.cases import actual_from_trace, read_trace, trace_field
from callscore.formats.definitions import read_definitions
from callscore.sources import BadRecord, Batch, Lines, read_batches
from callscore.sources.remote import without_credentials

if TYPE_CHECKING:
    from callscore.core.call import Tool

_UsableTools = tuple[dict[str, "Tool"] | None, dict[str, str]]


class CheckHooks(Struct, frozen=True):
    """Callbacks while files are checked.

    Attributes:
        on_finding: called with each finding to show, which is then not part of the results.
        on_bytes: called with the number of bytes that were read since the last call.
        parts: how `on_finding` and `on_faulty` can be called in several processes.
        on_faulty: called with each run that has findings to show, in place of `on_finding`.
    """

    on_finding: Callable[[Finding], None] | None = None
    on_bytes: Callable[[int], None] | None = None
    parts: Parts | None = None
    on_faulty: Callable[[FaultyRun], None] | None = None


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
    if limit is None:
        for path in paths:
            _check_file(path, inputs, totals, process_count(jobs))
        return totals.results(len(paths))
    read = partial(
        read_cases, part=_TRACES_ONLY, inputs=inputs, on_bytes=hooks.on_bytes, allow_remote=True
    )
    files = (_noting_empty(read(path), path, totals) for path in paths)
    totals.take_all(CaseLimit(limit).select_in_files(files))
    return totals.results(len(paths))


def _check_file(path: str, inputs: InputOptions, totals: CheckTotals, jobs: int) -> None:
    """Check the calls of one file, if it is large in several processes."""
    reader = CaseReader(without_credentials(path), _TRACES_ONLY, inputs)
    before = totals.taken

    line_work = LineWork(
        work=_CheckingOfLines(totals.of_part(), reader),
        add=totals.add_part,
        state=lambda: reader.state,
        context=lambda: totals.counts.shown,
        lose=lambda *lost: totals.lose(lost_lines(*lost)),
    )
    batches = read_batches(path, on_bytes=totals.hooks.on_bytes, allow_remote=True)
    for batch in left_by_pool(batches, line_work, jobs):
        totals.take_batch(batch, reader)
    totals.take_all(reader.finish())
    if totals.taken == before:
        totals.empty_files.append(without_credentials(path))


class _CheckingOfLines:
    """Checks the calls in some lines, in another process."""

    def __init__(self, totals: CheckTotals, reader: CaseReader) -> None:
        self._totals = totals
        self._reader = reader

    @property
    def state(self) -> Hashable:
        return self._reader.state

    def __call__(self, lines: list[Lines], already_shown: int) -> _CheckedPart:
        self._totals.begin_part(already_shown)
        for batch in lines:
            self._totals.take_batch(batch, self._reader)
        return self._totals.end_part(already_shown)


def _noting_empty(found: Iterator[Found], path: str, totals: CheckTotals) -> Iterator[Found]:
    is_empty = True
    for item in found:
        is_empty = False
        yield item
    if is_empty:
        totals.empty_files.append(without_credentials(path))


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
    shown: int = 0

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
    findings: list[Finding]
    written: Any


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
        self.hooks = hooks
        self.empty_files: list[str] = []
        self._tools = tools
        self._max_shown = max_shown
        self._skip_bad = skip_bad
        self._begin()

    def _begin(self) -> None:
        self.counts = _Counts()
        self._calls: Counter[str] = Counter()
        self._faulty: Counter[str] = Counter()
        self._kinds: Counter[tuple[str, FaultKind]] = Counter()
        self._unusable: dict[str, str] = {}
        self._skipped = NameCounter()
        self._unread = NameCounter()
        self._without_tools = NameCounter()
        self._without_calls = NameCounter()
        self._findings: list[Finding] = []

    @property
    def taken(self) -> int:
        """How many records were taken, readable or not."""
        return self.counts.taken

    def of_part(self) -> CheckTotals:
        """Totals without any counts, for another process."""
        hooks = structs.replace(self.hooks, on_bytes=None)
        return CheckTotals(self._tools, self._max_shown, hooks, skip_bad=self._skip_bad)

    def take_batch(self, batch: Batch, reader: CaseReader) -> None:
        """Check the runs in a batch of a file; errors as below."""
        self.take_all(found for *_, found in read_batch(batch, reader))

    def take_all(self, runs: Iterator[Found]) -> None:
        """Check runs, and skip what cannot be read.

        Raises:
            UnreadableInput: it is not to be skipped.
        """
        for found in runs:
            self.counts.taken += 1
            if not isinstance(found, BadRecord):
                self.check(*found)
            elif self._skip_bad:
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
        counts, most = self.counts, self._max_shown
        faults = run.faults if most is None else run.faults[: max(most - counts.shown, 0)]
        counts.shown += len(faults)
        if self.hooks.on_faulty is not None:
            if faults:
                self.hooks.on_faulty(FaultyRun(run.place, run.run, run.calls, faults))
            return
        show = self.hooks.on_finding or self._findings.append
        for fault in faults:
            show(Finding(run.place, run.run, run.calls[fault.index], fault))

    def begin_part(self, already_shown: int) -> None:
        """Begin to count what `end_part` returns."""
        self._begin()
        self.counts.shown = already_shown
        if self.hooks.parts is not None:
            self.hooks.parts.begin()

    def end_part(self, already_shown: int) -> _CheckedPart:
        """What was found since `begin_part`."""
        self.counts.shown -= already_shown
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
            findings=self._findings,
            written=None if self.hooks.parts is None else self.hooks.parts.take(),
        )

    def add_part(self, part: _CheckedPart) -> bool:
        """Add what another process found; returns False, and adds nothing, if it shows too much."""
        shown, most = part.counts.shown, self._max_shown
        is_full = most is not None and self.counts.shown >= most
        if is_full:
            part.counts.shown = shown = 0
        elif most is not None and self.counts.shown + shown > most:
            return False
        self.counts.add(part.counts)
        self._calls.update(part.calls)
        self._faulty.update(part.faulty)
        self._kinds.update(part.kinds)
        self._unusable |= part.unusable
        self._skipped.add_noted(part.skipped)
        self._unread.add_noted(part.unread)
        self._without_tools.add_noted(part.without_tools)
        self._without_calls.add_noted(part.without_calls)
        if shown:
            self._findings += part.findings
            if self.hooks.parts is not None:
                self.hooks.parts.add(part.written)
        return True

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
            findings=tuple(self._findings),
            not_shown=counts.faults - counts.shown,
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
