"""Registers the parts of the pytest plugin; `--callscore` collects evaluations and sums them up."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import InvalidSettings
from callscore.evaluations.evaluation import trials_from
from callscore.evaluations.servers import require_consents
from callscore.hiding.hider import hide_text
from callscore.models.limits import Limits
from callscore.reports.inert import inert_lines
from callscore.testing.items import (
    AskOptions,
    EvaluationCase,
    EvaluationFile,
    SessionJudges,
    ask_options_key,
    holds_evaluations,
)
from callscore.testing.reporting import RecordSender, SessionResults, table_of
from callscore.testing.update import UpdatePlugin, fail_session

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["register_plugins"]

_WORKER_OUTPUT = "callscore_notes"  # the notes of a worker process


def register_plugins(
    config: pytest.Config, judge: Mapping[str, str], settings: Mapping[str, Any], place: str = ""
) -> None:
    """Register the parts of the plugin that the options ask for.

    `judge` is the judge of the project: its `name`, and options; empty if there is none. `settings`
    are those of the project, and `place` is its file. Raises `UsageError` if an option, or the judge, is invalid.
    """
    results = SessionResults()
    is_worker = hasattr(config, "workerinput")
    add = config.pluginmanager.register
    add(RecordSender(None if is_worker else results), "callscore-telling")
    if config.getoption("callscore_update"):
        add(UpdatePlugin(config, results), "callscore-accepting")
    if config.getoption("callscore"):  # the last plugin is shown first
        limits = limits_from(config)
        try:
            judges = SessionJudges(judge, place)
        except InvalidSettings as error:
            raise pytest.UsageError(str(error)) from error
        asking = AskOptions(limits, judges, [], settings)
        add(EvaluationPlugin(config, results, asking), "callscore-evaluating")


class EvaluationPlugin:
    """Collects evaluations, and sums them up."""

    def __init__(self, config: pytest.Config, results: SessionResults, asking: AskOptions) -> None:
        self._config = config
        self._results = results
        self._asking = config.stash[ask_options_key] = asking
        self._is_worker = hasattr(config, "workerinput")  # another process sums up
        self._started = perf_counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Collect a file of evaluations; it is also a file of tests if its name says so."""
        found = yield
        if not holds_evaluations(file_path, is_named=parent.session.isinitpath(file_path)):
            return found
        # pytest collects every Python file that is an argument as tests, and would run it again.
        if not any(map(file_path.match, self._config.getini("python_files"))):
            found = [each for each in found if not isinstance(each, pytest.Module)]
        return [EvaluationFile.from_parent(parent, path=file_path), *found]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """If some evaluations or cases have `only`, leave out all others."""
        ours = [item for item in items if isinstance(item, EvaluationCase)]
        focused = {item.parent for item in ours if getattr(item.parent, "is_focused", False)}
        if not focused:
            return
        left_out = [item for item in ours if item.parent not in focused]
        if left_out:
            self._config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse to ask on servers that a file names and the user did not allow."""
        if self._config.getoption("collectonly"):
            return
        ours = [item for item in session.items if isinstance(item, EvaluationCase)]
        try:
            require_consents(item.question for item in ours if item.reason is None)
        except InvalidSettings as error:
            raise pytest.UsageError(inert_lines(hide_text(str(error)))) from error

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Fail the session if a mean is below its `fail_under`."""
        for problem in self._asking.judges.problems:
            self._asking.notes.append(f"the answers of the judge are not saved: {problem}")
        if self._is_worker:
            self._config.workeroutput[_WORKER_OUTPUT] = self._asking.notes  # type: ignore[attr-defined]  # a worker has one
        elif self._results.below:
            fail_session(session)
        yield

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the notes of a worker process."""
        self._asking.notes.extend(getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT, []))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the tables of the evaluations."""
        run = self._results.results(perf_counter() - self._started)
        notes = list(dict.fromkeys(self._asking.notes))
        if not run.evaluations and not notes:
            return
        writer = terminalreporter._tw  # noqa: SLF001  (plugins have no other way to its width)
        terminalreporter.section("callscore")
        if run.evaluations:
            width, has_colour = writer.fullwidth, writer.hasmarkup
            terminalreporter.write(table_of(run, width=width, has_colour=has_colour))
        for note in notes:
            terminalreporter.write_line(f"! {inert_lines(hide_text(note))}", yellow=True)
        for name in self._results.below:
            terminalreporter.write_line(
                f"below fail_under: {inert_lines(hide_text(name))}", red=True
            )

    def pytest_unconfigure(self) -> None:
        """Close the connections of the judges."""
        self._asking.judges.close()


def limits_from(config: pytest.Config) -> Limits:
    """The limits of the session; raises `UsageError` for an invalid option."""
    trials = config.getoption("callscore_trials")
    try:
        if trials is not None:
            trials_from(trials)
        return Limits(
            timeout=config.getoption("callscore_timeout"),
            retries=config.getoption("callscore_retries"),
        )
    except InvalidSettings as error:
        raise pytest.UsageError(f"--callscore-{error}") from error
