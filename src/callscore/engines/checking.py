"""Checks the calls in files, in this process and in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.checks.check import FAULT_KINDS, CheckResults, Finding, ToolFaults, check_calls
from callscore.checks.tool_schema import count_checked_calls, usable_tools
from callscore.core.case import Case
from callscore.core.score import FaultKind, count_faulty_calls
from callscore.core.totals import NameCounter
from callscore.documents import raise_unreadable, tools_in_list
from callscore.engines.inputs import CaseLimit, FileContent, InputOptions, read_cases
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    refuse_typos,
)
from callscore.formats.cases import actual_from_trace, read_trace
from callscore.formats.definitions import read_definitions
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from callscore.core.call import Tool
    from callscore.engines.inputs import Found

__all__ = ["CheckHooks", "check_files"]

_UsableTools = tuple[dict[str, "Tool"] | None, dict[str, str]]


class CheckHooks(Struct, frozen=True):
    """Callbacks while files are checked.

    Attributes:
        on_finding: called with each finding to show, which is then not part of the results.
        on_bytes: called with the number of bytes that were read since the last call.
    """

    on_finding: Callable[[Finding], None] | None = None
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
    hooks: CheckHooks = _NO_HOOKS,
) -> CheckResults:
    """Check the calls in files of any format.

    Args:
        paths: the files; `-` is standard input.
        inputs: how they are read.
        tools: the offered tools by name; None for those that each trace defines.
        limit: use only the first cases, at most this many; None for all.
        max_shown: the maximum number of findings to show; None for all.
        skip_bad: whether to count and skip what cannot be read, instead of stopping.
        hooks: callbacks.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read.
        InvalidSettings: the schema of one of the `tools` cannot be used.
        MissingExtra: a file needs an optional dependency.
    """
    collector = _CheckTotals(tools, max_shown, hooks)
    cases = CaseLimit(limit)
    files = (
        _noting_empty(
            read_cases(path, _TRACES_ONLY, inputs, on_bytes=hooks.on_bytes), path, collector
        )
        for path in paths
    )
    for found in cases.select_in_files(files):
        if not isinstance(found, BadRecord):
            collector.take(*found)
        elif skip_bad:
            collector.skipped.add(f"{found.place}: {found.problem}")
        else:
            raise_unreadable(found.place, found.problem)
    return collector.results(len(paths))


def _noting_empty(found: Iterator[Found], path: str, collector: _CheckTotals) -> Iterator[Found]:
    is_empty = True
    for item in found:
        is_empty = False
        yield item
    if is_empty:
        collector.empty_files.append(path)


def _read_run(value: Any, *, place: str, **options: Any) -> Case:
    """The actual side of a record; a case without an answer has none."""
    if isinstance(value, dict):
        is_reference = any(field in value for field in EXPECTED_FIELDS)
        if is_reference and not any(field in value for field in ACTUAL_FIELDS + EITHER_SIDE_FIELDS):
            refuse_typos(value, place)
            return Case(id=str(value.get("id", "")))
    return read_trace(value, place=place, **options)


_TRACES_ONLY = FileContent(_read_run, actual_from_trace, "expected")


class _CheckTotals:
    """Checks one run after another and counts what is found."""

    def __init__(
        self, tools: Mapping[str, Tool] | None, max_shown: int | None, hooks: CheckHooks
    ) -> None:
        self.skipped = NameCounter()
        self.empty_files: list[str] = []
        self._without_tools = NameCounter()
        self._without_calls = NameCounter()
        self._unusable: dict[str, str] = {}
        self._tools = tools
        self._max_shown = max_shown
        self._findings: list[Finding] = []
        self._show = hooks.on_finding or self._findings.append
        self._runs = self._faulty = self._checked = self._unchecked = self._invalid = 0
        self._faults = self._shown = 0
        self._calls: Counter[str] = Counter()
        self._counts: Counter[tuple[str, FaultKind]] = Counter()

    def take(self, place: str, case: Case) -> None:
        name = f"{place} {_label(case) or ''}".rstrip()
        if case.actual is None:
            self._without_calls.add(name)
            return
        tools = self._tools
        if tools is None:
            tools, problems = _defined_tools(case.tools)
            self._unusable |= problems
        faults = check_calls(case.actual, tools)
        self._runs += 1
        self._calls.update([call.name for call in case.actual])
        if tools is None:
            self._without_tools.add(name)
        else:
            checked = count_checked_calls(case.actual, tools)
            self._checked += checked
            self._unchecked += len(case.actual) - checked
            self._invalid += count_faulty_calls(faults)
        self._faulty += len({fault.index for fault in faults})
        for fault in faults:
            self._counts[fault.tool, fault.kind] += 1
            self._faults += 1
            if self._max_shown is None or self._shown < self._max_shown:
                self._shown += 1
                self._show(Finding(place, _label(case), case.actual[fault.index], fault))

    def results(self, files: int) -> CheckResults:
        unusable = NameCounter()
        for tool, problem in self._unusable.items():
            unusable.add(f"{tool}: {problem}")
        return CheckResults(
            files=files,
            runs=self._runs,
            calls=self._calls.total(),
            faulty_calls=self._faulty,
            checked_calls=self._checked,
            unchecked_calls=self._unchecked,
            invalid_calls=self._invalid,
            tools=self._tool_faults(),
            findings=tuple(self._findings),
            not_shown=self._faults - self._shown,
            without_tools=self._without_tools.noted(),
            without_calls=self._without_calls.noted(),
            unusable=unusable.noted(),
            skipped=self.skipped.noted(),
            empty_files=tuple(self.empty_files),
        )

    def _tool_faults(self) -> dict[str, ToolFaults]:
        found = []
        for name, calls in self._calls.items():
            counts = {kind: self._counts[name, kind] for kind in FAULT_KINDS}
            present = {kind: count for kind, count in counts.items() if count}
            found.append((name, ToolFaults(calls, present)))
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
