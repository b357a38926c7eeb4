"""`--callscore-update`: the actual calls become the expected ones."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol  # plugins that run tests have no other way
from msgspec import structs

from callscore.core.rendering import escape
from callscore.reports.inert import escape_commands
from callscore.rewriting.applying import (
    CorrectExpectation,
    Refused,
    Rewritten,
    VariantChange,
    find_conflicts,
    find_location_key,
    refusal_of,
)
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.observed import Location, change_at, expectation_at, location_key
from callscore.testing.current_test import Updates, text_width
from callscore.testing.item_record import ItemRecord, has_changes, record_in

if TYPE_CHECKING:
    from types import FrameType

    from callscore.core.score import Score
    from callscore.testing.reporting import SessionResults

__all__ = [
    "UpdatePlugin",
    "conflicting_changes",
    "fail_session",
    "location_of_call",
    "record_update",
]

_WORKER_OUTPUT = "callscore_held"  # the reports of a worker process
_RUNNER = "runner"  # the plugin of pytest that runs tests


class _HeldReports(NamedTuple):
    """The reports of a test that are held back, and the hooks that receive them."""

    hook: Any
    reports: list[pytest.TestReport]


class UpdatePlugin:
    """Rewrites expectations after all tests have run."""

    def __init__(self, config: pytest.Config, results: SessionResults) -> None:
        self._config = config
        self._results = results
        self._held: list[_HeldReports] = []
        self._sent: dict[str, pytest.TestReport] = {}  # the reports with changes that others saw
        self._is_worker = hasattr(config, "workerinput")
        self._is_written = False
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session for its exit code."""
        self._session = session

    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Run a test, and hold its reports back if they depend on other tests.

        If another plugin may run tests, as pytest-rerunfailures does, the test is left to it. Its
        reports are then sent at once, and a change that is refused later is reported once more.
        """
        if self._may_be_run_by_others(item):
            return None
        name = {"nodeid": item.nodeid, "location": item.location}
        item.ihook.pytest_runtest_logstart(**name)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if any(map(has_changes, reports)):
            self._hold(_HeldReports(item.ihook, reports))
            return True
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(**name)
        return True

    def _may_be_run_by_others(self, item: pytest.Item) -> bool:
        return any(
            not (each.wrapper or each.hookwrapper)
            and each.plugin is not self
            and each.plugin_name != _RUNNER
            for each in item.ihook.pytest_runtest_protocol.get_hookimpls()
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report with changes that was not held back."""
        if has_changes(report):
            self._sent[report.nodeid] = report

    def _hold(self, held: _HeldReports) -> None:
        if not self._is_worker:
            self._held.append(held)
            return
        data = [
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
            for report in held.reports
        ]
        self._config.workeroutput.setdefault(_WORKER_OUTPUT, []).append(data)  # type: ignore[attr-defined]  # a worker has one

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the reports that a worker process held back."""
        hook = self._config.hook
        for data in getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT, []):
            reports = [
                hook.pytest_report_from_serializable(config=self._config, data=each)
                for each in data
            ]
            for report in reports:
                report.node = node
            self._held.append(_HeldReports(hook, reports))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Send the reports that were held back, after all tests have run."""
        is_whole = False
        try:
            result = yield
            is_whole = True
        except session.Failed:  # `--exitfirst`
            is_whole = True
            raise
        finally:
            self._release(is_whole=is_whole)
        return result

    def _release(self, *, is_whole: bool) -> None:
        for report in (report for held in self._held for report in held.reports):
            text = record_in(report)
            if text is not None:
                self._results.add(report.nodeid, text)
        problem = None if is_whole else "the session was interrupted."
        refused = self._results.settle(self._config.rootpath, problem)
        for test, report in self._sent.items():
            if test in refused:
                self._fail_later(report, refused[test])
        for held in self._held:
            name = {"nodeid": held.reports[0].nodeid, "location": held.reports[0].location}
            held.hook.pytest_runtest_logstart(**name)
            for report in held.reports:
                if report.when == "call" and report.nodeid in refused:
                    _fail(report, refused[report.nodeid])
                held.hook.pytest_runtest_logreport(report=report)
            held.hook.pytest_runtest_logfinish(**name)
        self._held.clear()

    def _fail_later(self, report: pytest.TestReport, why: str) -> None:
        """Report a test as failed that was reported as updated before."""
        failed = copy(report)
        _fail(failed, why)
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.stats["updated"].remove(report)
        self._config.hook.pytest_runtest_logreport(report=failed)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """Show that a test passes only because its expectation is updated."""
        return ("updated", "u", ("UPDATED", {"yellow": True})) if has_changes(report) else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        """Write, if there is no summary that does it."""
        yield
        if not self._is_worker:
            self._write()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the new expectations, then write them; failed tests were shown before."""
        if not self._results.changes:
            return
        terminalreporter.section("callscore: expectations")
        for change in self._results.accepted:
            terminalreporter.write_line(escape_commands(escape(change.label)), bold=True)
            terminalreporter.write_line(f"{escape_commands(change.shown)}\n")
        written, refused = self._write()
        for each in written:
            updated = f"updated: {escape(each.place)} ({escape(each.change.label)})"
            terminalreporter.write_line(escape_commands(updated))
            for line in each.lines:
                terminalreporter.write_line(escape_commands(f"  {escape(line)}"))
        for problem in refused:
            line = f"not updated: {escape(problem.change.label)}: {escape(problem.problem)}"
            terminalreporter.write_line(escape_commands(line), red=True)

    def _write(self) -> tuple[list[Rewritten], list[Refused]]:
        if self._is_written:
            return [], []
        self._is_written = True
        written, refused = self._results.write(self._config.rootpath)
        if refused:
            fail_session(self._session)
        return written, refused


def fail_session(session: pytest.Session | None) -> None:
    """Give a session without failures the exit code of failed tests."""
    if session is not None and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _fail(report: pytest.TestReport, why: str) -> None:
    """Change the report of a passed test to a failure."""
    try:
        pytest.fail(why, pytrace=False)
    except pytest.fail.Exception as failure:
        failure.__context__ = None  # the session may be interrupted
        report.longrepr = pytest.ExceptionInfo.from_current().getrepr(style="value")
    report.outcome = "failed"


def location_of_call(label: str, frame: FrameType) -> Location:
    """The location of the call that a frame is making."""
    code = frame.f_code
    line, end_line, _, end = list(code.co_positions())[frame.f_lasti // 2]
    # The end identifies a call: two calls may have the same beginning.
    return Location(
        label, "call", (code.co_filename,), line or frame.f_lineno, (end_line or 0, end or 0)
    )


def record_update(updates: Updates, location: Location, expected: Any, score: Score) -> str | None:
    """Record that an expectation is correct, or the change that makes it so.

    Returns a sentence if it cannot be changed.
    """
    try:
        change = (
            expectation_at(location, expected)
            if score.passed
            else change_at(location, expected, score, width=text_width())
        )
    except CannotRewrite as problem:
        return str(problem)
    change = structs.replace(change, place=find_location_key(change, updates.root))
    if score.passed:
        updates.confirmed.append(location_key(change))
        return None
    refusal = refusal_of(change, updates.root)
    if refusal is None:
        updates.changes.append(change)
    return refusal


def conflicting_changes(records: Iterable[ItemRecord]) -> list[Refused]:
    """The changes of tests that other tests contradict."""
    changes: list[VariantChange] = []
    correct: list[CorrectExpectation] = []
    for each in records:
        variant = None if each.about is None else each.about.variant
        changes += [VariantChange(change, variant) for change in each.changes]
        correct += [CorrectExpectation(key, variant) for key in each.confirmed]
    return find_conflicts(changes, correct)
