"""What `--callscore-update` adds to a session of pytest: what was called becomes what is expected.

Whether that can be is known when all tests have run, and not before: what a test expects may be
right for another one. So the reports of tests that would pass by a change are held back until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol  # plugins that run tests have no other way

from callscore.core.text import escape
from callscore.testing.telling import has_changes, told_in

if TYPE_CHECKING:
    from collections.abc import Generator

    from callscore.rewriting.applying import Refused, Rewritten
    from callscore.testing.summing_up import Session

__all__ = ["Accepting"]

_OUTPUT = "callscore_held"  # of a process that runs tests for another one
_BROKEN_OFF = "the session was broken off."


class _Held(NamedTuple):
    """A test whose reports are held back.

    Attributes:
        hook: takes them.
        reports: of its setup, its call and its end.
    """

    hook: Any
    reports: list[pytest.TestReport]


class Accepting:
    """Rewrites expectations.

    Args:
        config: of the session.
        told: what the tests tell.
    """

    def __init__(self, config: pytest.Config, told: Session) -> None:
        self._config = config
        self._told = told
        self._held: list[_Held] = []
        self._is_worker = hasattr(config, "workerinput")
        self._is_written = False
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember whose exit code it is."""
        self._session = session

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, and hold its reports back where they depend on what other tests say."""
        name = {"nodeid": item.nodeid, "location": item.location}
        item.ihook.pytest_runtest_logstart(**name)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if any(map(has_changes, reports)):
            self._hold(_Held(item.ihook, reports))
            return True
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(**name)
        return True

    def _hold(self, held: _Held) -> None:
        if not self._is_worker:
            self._held.append(held)
            return
        data = [
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
            for report in held.reports
        ]
        self._config.workeroutput.setdefault(_OUTPUT, []).append(data)  # type: ignore[attr-defined]  # a worker has one

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what another process has held back."""
        hook = self._config.hook
        for data in getattr(node, "workeroutput", {}).get(_OUTPUT, []):
            reports = [
                hook.pytest_report_from_serializable(config=self._config, data=each)
                for each in data
            ]
            for report in reports:
                report.node = node
            self._held.append(_Held(hook, reports))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """When all tests have run, say what became of those that were held back."""
        is_whole = False
        try:
            result = yield
            is_whole = True
        except session.Failed:  # at the first failure, as somebody wished
            is_whole = True
            raise
        finally:
            self._let_go(is_whole=is_whole)
        return result

    def _let_go(self, *, is_whole: bool) -> None:
        for held in self._held:
            for report in held.reports:
                self._tell(report)
        refused = self._told.settle(self._config.rootpath, None if is_whole else _BROKEN_OFF)
        for held in self._held:
            name = {"nodeid": held.reports[0].nodeid, "location": held.reports[0].location}
            held.hook.pytest_runtest_logstart(**name)
            for report in held.reports:
                if report.when == "call" and report.nodeid in refused:
                    _fail(report, refused[report.nodeid])
                held.hook.pytest_runtest_logreport(report=report)
            held.hook.pytest_runtest_logfinish(**name)
        self._held.clear()

    def _tell(self, report: pytest.TestReport) -> None:
        told = told_in(report)
        if told is not None:
            self._told.add(report.nodeid, told)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """A test passes by a change of what it expects, which is not to be overlooked."""
        return ("updated", "u", ("UPDATED", {"yellow": True})) if has_changes(report) else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        """Write where nothing is shown."""
        yield
        if not self._is_worker:
            self._write()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what is to be expected from now on, then write it."""
        changes = self._told.changes
        if not changes:
            return
        terminalreporter.section("callscore: expectations")
        for change in changes:
            terminalreporter.write_line(escape(change.label), bold=True)
            terminalreporter.write_line(f"{change.shown}\n")
        written, refused = self._write()
        for each in written:
            terminalreporter.write_line(f"written: {each.place} ({escape(each.change.label)})")
            for line in each.lines:
                terminalreporter.write_line(f"  {escape(line)}")
        for problem in refused:
            line = f"not written: {escape(problem.change.label)}: {escape(problem.problem)}"
            terminalreporter.write_line(line, red=True)

    def _write(self) -> tuple[list[Rewritten], list[Refused]]:
        if self._is_written:
            return [], []
        self._is_written = True
        written, refused = self._told.write(self._config.rootpath)
        session = self._session
        if refused and session is not None and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return written, refused


def _fail(report: pytest.TestReport, why: str) -> None:
    """Make a test that has passed one that has failed."""
    try:
        pytest.fail(why, pytrace=False)
    except pytest.fail.Exception:
        report.longrepr = pytest.ExceptionInfo.from_current().getrepr(style="value")
    report.outcome = "failed"
