"""Checks the calls in files, in bounded memory, and if they are large in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from callscore.checks.check import CheckResults, CheckTotals, FaultyRun, Finding, check_calls
from callscore.checks.tool_schema import usable_tools
from callscore.core.case import Case, is_state
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
    from callscore.core.results import Noted
    from callscore.core.score import Fault

_Part = tuple[CheckTotals, list[FaultyRun]]
_UsableTools = tuple[dict[str, "Tool"] | None, dict[str, str]]


def check_files(  # noqa: PLR0913  (all are options)
    paths: Sequence[str],
    *,
    inputs: InputOptions,
    tools: Mapping[str, Tool] | None = None,
    limit: int | None = None,
    max_shown: int | None = 10,
    skip_bad: bool = False,
    jobs: int = 1,
    on_faulty: Callable[[FaultyRun], object] | None = None,
    on_bytes: Callable[[int], None] | None = None,
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
        on_faulty: called with each run that has findings to show, which are then not part of the results.
        on_bytes: called with the number of bytes that were read since the last call.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read.
        InvalidSettings: the schema of one of the `tools` cannot be used.
        MissingExtra: a file needs an optional dependency.
    """
    new_checker = partial(CallChecker, tools, max_shown=max_shown, skip_bad=skip_bad)
    checker = new_checker(on_faulty=on_faulty)
    used = CaseLimit(limit)
    for path in paths:
        name, before = without_credentials(path), checker.totals.records
        reader = CaseReader(name, _TRACES_ONLY, inputs)
        batches = read_batches(path, on_bytes=on_bytes, allow_remote=True)
        if limit is None:
            part = partial(_check_part, new_checker, reader)
            _check_file(spread(batches, part, process_count(jobs)), reader, checker)
        else:
            checker.take(used.select(read_all(batches, reader)))
        if checker.totals.records == before:
            checker.empty_files.append(name)
    return checker.results(len(paths))


def _check_file(
    items: Iterable[Batch | Done[LineTask, _Part]], reader: CaseReader, checker: CallChecker
) -> None:
    """Check the calls of a file, and add what other processes found in it."""
    for item in items:
        if not isinstance(item, Done):
            checker.take(found for _, _, found in read_batch(item, reader))
        elif item.result is None:
            checker.lose(item.task.lost(item.deaths))
        else:
            checker.add_part(*item.result)
    checker.take(reader.finish())


def _check_part(
    new_checker: Callable[..., CallChecker], reader: CaseReader, task: LineTask
) -> _Part | None:
    """Check the calls in some lines, in another process; None if they change how the others are read."""
    faulty: list[FaultyRun] = []
    part, state = new_checker(on_faulty=faulty.append), reader.state
    for batch in task.lines:
        part.take(found for _, _, found in read_batch(batch, reader, skipped=task.skipped))
    return (part.totals, faulty) if reader.state == state else None


class CallChecker:
    """Checks one run after another.

    Args:
        tools: the offered tools by name; None for those that each trace defines.
        max_shown: the maximum number of findings to show; None for all.
        skip_bad: whether to count and skip what cannot be read, instead of stopping.
        on_faulty: called with each run that has findings to show; without it they are part of the results.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool] | None,
        *,
        max_shown: int | None,
        skip_bad: bool,
        on_faulty: Callable[[FaultyRun], object] | None = None,
    ) -> None:
        self.totals = CheckTotals()
        self.empty_files: list[str] = []
        self._shown = 0  # findings
        self._tools = tools
        self._max_shown = max_shown
        self._skip_bad = skip_bad
        self._findings: list[Finding] = []
        self._on_faulty = on_faulty or (lambda run: self._findings.extend(run.findings()))

    def take(self, runs: Iterable[Found]) -> None:
        """Check runs, and skip what cannot be read.

        Raises:
            UnreadableInput: it is not to be skipped.
        """
        for found in runs:
            self.totals.records += 1
            if not isinstance(found, BadRecord):
                self.check(*found)
            elif self._skip_bad or found.problem == LOST_RECORD:
                self.totals.skipped.add(f"{found.place}: {found.problem}")
            else:
                raise_unreadable(found.place, found.problem)

    def check(self, place: str, case: Case) -> tuple[Fault, ...]:
        """Check one run; returns its faults."""
        totals, label = self.totals, case.id or None
        if label is not None and case.trial is not None:
            label = f"{label} #{case.trial}"
        name = f"{place} {label or ''}".rstrip()
        if case.unread is not None:
            totals.unread.add(f"{place}: {case.unread}")
        if case.actual is None:
            totals.without_calls.add(name)
            return ()
        tools = self._tools
        if tools is None:
            tools, problems = _defined_tools(case.tools)
            totals.unusable |= problems
        if tools is None:
            totals.without_tools.add(name)
        calls = tuple([call for call in case.actual if not is_state(call)])
        faults = check_calls(calls, tools)
        totals.add(calls, faults, tools)
        if faults:
            self._show(FaultyRun(place, label, calls, faults))
        return faults

    def _show(self, run: FaultyRun) -> None:
        """Show the faults of a run, as far as there is room for them."""
        if self._max_shown is not None:
            faults = run.faults[: max(self._max_shown - self._shown, 0)]
            run = structs.replace(run, faults=faults)
        self._shown += len(run.faults)
        if run.faults:
            self._on_faulty(run)

    def add_part(self, totals: CheckTotals, faulty: list[FaultyRun]) -> None:
        """Add what another process found in later lines."""
        self.totals.merge(totals)
        for run in faulty:
            self._show(run)

    def lose(self, records: Noted) -> None:
        """Count records that could not be checked as skipped, whether bad ones are or not."""
        self.totals.records += records.count
        self.totals.skipped.add_noted(records)

    def results(self, files: int) -> CheckResults:
        """What was found in all runs."""
        return self.totals.results(self._findings, self._shown, files, self.empty_files)


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
