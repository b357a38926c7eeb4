"""What `--callscore` and `--callscore-update` add to a session of pytest."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.text import escape
from callscore.errors import InvalidSettings
from callscore.models.limits import Limits
from callscore.testing.evaluation_items import (
    EvaluationCase,
    EvaluationFile,
    holds_evaluations,
    limits_key,
)
from callscore.testing.marking import told_key
from callscore.testing.summing_up import Session, table_of
from callscore.testing.told import decoded

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from callscore.rewriting.applying import Refused, Rewritten

__all__ = ["Evaluating"]

_ATTRIBUTE = "callscore"  # of a report: what its test tells, also out of another process


class Evaluating:
    """Collects evaluations, sums them up, and rewrites expectations.

    Args:
        config: of the session.

    Raises:
        UsageError: an option has a value that it cannot have.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        config.stash[limits_key] = _limits_of(config)
        self._is_worker = hasattr(config, "workerinput")  # another process sums up
        self._told = Session()
        self._started = perf_counter()
        self._session: pytest.Session | None = None
        self._is_written = False

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """A file of evaluations is that alone, whatever else it looks like."""
        found = yield
        is_named = parent.session.isinitpath(file_path)
        if not self._config.getoption("callscore") or not holds_evaluations(
            file_path, is_named=is_named
        ):
            return found
        return [EvaluationFile.from_parent(parent, path=file_path)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Where some evaluations or cases are to be run alone, leave out all others."""
        ours = [item for item in items if isinstance(item, EvaluationCase)]
        focused = {item.parent for item in ours if getattr(item.parent, "is_focused", False)}
        if not focused:
            return
        left_out = [item for item in ours if item.parent not in focused]
        if left_out:
            self._config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Give the report along what the test tells, once it is at its end."""
        report = yield
        if isinstance(item, EvaluationCase) and report.skipped and call.when == "setup":
            item.tell(skipped=item.reason or "")
        is_end = call.when == "call" or (call.when == "setup" and not report.passed)
        told = item.stash.get(told_key, None)
        if is_end and told is not None:
            setattr(report, _ATTRIBUTE, told)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test tells."""
        told = getattr(report, _ATTRIBUTE, None)
        if told is not None and not self._is_worker:
            self._told.add(report.nodeid, told)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """A test passes by a change of what it expects, which is not to be overlooked."""
        if report.when != "call" or not report.passed or not hasattr(report, _ATTRIBUTE):
            return None
        if not decoded(getattr(report, _ATTRIBUTE)).changes:
            return None
        return "updated", "u", ("UPDATED", {"yellow": True})

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember whose exit code it is."""
        self._session = session

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        """Fail the session where a threshold is missed, and write where nothing is shown."""
        if not self._is_worker and self._below:
            self._fail()
        yield
        if not self._is_worker:
            self._write()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the tables of the evaluations, and what is rewritten."""
        run = self._told.results(perf_counter() - self._started)
        writer = terminalreporter._tw  # noqa: SLF001  (plugins have no other way to its width)
        if run.evaluations:
            terminalreporter.section("callscore")
            width, has_colour = writer.fullwidth, writer.hasmarkup
            terminalreporter.write(table_of(run, width=width, has_colour=has_colour))
            for name in self._below:
                terminalreporter.write_line(f"below its threshold: {escape(name)}", red=True)
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
        for problem in refused:
            line = f"not written: {escape(problem.change.label)}: {escape(problem.problem)}"
            terminalreporter.write_line(line, red=True)

    @property
    def _below(self) -> tuple[str, ...]:
        """What misses its threshold; nothing where expectations are rewritten, and scores with them."""
        return () if self._told.changes else self._told.results(0.0).below

    def _write(self) -> tuple[list[Rewritten], list[Refused]]:
        """Rewrite the expectations, unless the session was broken off."""
        if self._is_written or self._session is None:
            return [], []
        self._is_written = True
        is_whole = self._session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
        )
        if not is_whole:
            return [], self._told.refused("the session was broken off.")
        written, refused = self._told.write(self._config.rootpath)
        if refused:
            self._fail()
        return written, refused

    def _fail(self) -> None:
        if self._session is not None and self._session.exitstatus == pytest.ExitCode.OK:
            self._session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _limits_of(config: pytest.Config) -> Limits:
    trials = config.getoption("callscore_trials")
    if trials is not None and trials < 1:
        raise pytest.UsageError(f"--callscore-trials: {trials} is not a number from 1 on")
    try:
        return Limits(
            timeout=config.getoption("callscore_timeout"),
            retries=config.getoption("callscore_retries"),
        )
    except InvalidSettings as error:
        raise pytest.UsageError(f"--callscore-{error}") from error
