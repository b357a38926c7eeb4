"""Collects the records of the items of a session, from all processes, and sums them up."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from callscore.core.rendering import escape
from callscore.core.results import EvaluationResults, RunResults
from callscore.core.totals import EvaluationTotals, NameCounter
from callscore.reports.inert import escape_commands
from callscore.rewriting.applying import Refused, Rewritten, rewrite
from callscore.runner.running import add_judges
from callscore.testing.item_record import (
    REPORT_ATTRIBUTE,
    EvaluationKey,
    ItemRecord,
    decode_record,
    record_in,
    settings_from_key,
)
from callscore.testing.items import EvaluationCase
from callscore.testing.marker import record_of
from callscore.testing.update import conflicting_changes

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.rewriting.change import Change

__all__ = ["RecordSender", "SessionResults", "table_of"]


class SessionResults:
    """The records of a session; if a test is run again, its last record counts."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._records: dict[str, ItemRecord] = {}
        self._refusals: dict[int, Refused] = {}  # by the id of the change

    def add(self, test: str, text: str) -> None:
        """Add the encoded record of a test."""
        if self._texts.get(test) != text:
            self._texts[test] = text
            self._records[test] = decode_record(text)

    @property
    def changes(self) -> list[Change]:
        """The expectations to rewrite, by file and line, whichever process reported them first."""
        changes = [change for _, change in self._all_changes()]
        return sorted(changes, key=lambda change: (change.files, change.line, change.label))

    def results(self, seconds: float) -> RunResults:
        """The results of the evaluations; `seconds` is the duration of the session."""
        groups: dict[tuple[str, str, str | None], tuple[EvaluationKey, list[ItemRecord]]] = {}
        for each in self._records.values():
            about = each.about
            if about is not None:
                key = about.place, about.name, about.variant
                groups.setdefault(key, (about, []))[1].append(each)
        # Variants of one evaluation are together, in whatever order their answers came.
        evaluations = list(dict.fromkeys(key[:2] for key in groups))
        order = sorted(groups, key=lambda key: evaluations.index(key[:2]))
        return RunResults(
            evaluations=tuple(_evaluation_results(*groups[key]) for key in order),
            seconds=seconds,
            judges=add_judges(
                [each for record in self._records.values() for each in record.judges]
            ),
        )

    @property
    def below(self) -> tuple[str, ...]:
        """The scorers whose mean is below `fail_under`.

        Evaluations with rewritten expectations are left out: their scores are out of date.
        """
        return tuple(
            name
            for each in self.results(0.0).evaluations
            if (each.place, each.name) not in self._rewritten
            for name in RunResults(evaluations=(each,)).below
        )

    @property
    def _rewritten(self) -> set[tuple[str, str]]:
        tests = {test for test, change in self._all_changes() if id(change) not in self._refusals}
        abouts = [self._records[test].about for test in tests]
        return {(each.place, each.name) for each in abouts if each is not None}

    def settle(self, root: Path, problem: str | None = None) -> dict[str, str]:
        """Find out what cannot be rewritten below `root`, after all tests have reported.

        With a `problem`, nothing is rewritten at all. Returns by test why its expectations are not
        changed, and both sides.
        """
        changes = [change for _, change in self._all_changes()]
        if problem is not None:
            refused = [Refused(change, problem) for change in changes]
        else:
            refused = conflicting_changes(self._records.values())
            known = {id(each.change) for each in refused}
            others = [change for change in changes if id(change) not in known]
            refused += rewrite(others, root, is_dry=True)[1]
        self._refusals = {id(each.change): each for each in refused}
        failed: dict[str, list[str]] = {}
        for test, change in self._all_changes():
            if id(change) in self._refusals:
                why = self._refusals[id(change)].problem
                failed.setdefault(test, []).append(f"Not updated: {escape(why)}\n\n{change.shown}")
        return {test: "\n\n".join(texts) for test, texts in failed.items()}

    @property
    def accepted(self) -> list[Change]:
        """The expectations to rewrite, without those that were refused."""
        return [change for change in self.changes if id(change) not in self._refusals]

    def write(self, root: Path) -> tuple[list[Rewritten], list[Refused]]:
        """Write the expectations that can be rewritten, to files in this folder only."""
        written, refused = rewrite(self.accepted, root)
        settled = [
            self._refusals[id(change)] for change in self.changes if id(change) in self._refusals
        ]
        return written, [*refused, *settled]

    def _all_changes(self) -> Iterator[tuple[str, Change]]:
        for test, record in self._records.items():
            yield from ((test, change) for change in record.changes)


def _evaluation_results(key: EvaluationKey, results: list[ItemRecord]) -> EvaluationResults:
    names = {"name": key.name, "place": key.place, "variant": key.variant}
    totals = EvaluationTotals(settings_from_key(key), key.fail_under, show="none")
    skipped = NameCounter()
    for each in results:
        if each.skipped is not None:
            skipped.add(f"{each.case}: {each.skipped}" if each.skipped else each.case)
            continue
        totals.add(each.result)
    return totals.evaluation(names, skipped=skipped.noted())


def table_of(run: RunResults, *, width: int, has_colour: bool) -> str:
    """The tables of the evaluations, as `callscore run` prints them."""
    from rich.console import Console

    from callscore.hiding.hider import hide_for_report
    from callscore.reports.run_terminal import render_summary

    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=has_colour,
        color_system="standard" if has_colour else None,
        legacy_windows=False,
    )
    render_summary(hide_for_report(run, is_live=True), console=console)
    return escape_commands(stream.getvalue())


class RecordSender:
    """Sends the records of tests with their reports; a worker process has no session results."""

    def __init__(self, session: SessionResults | None) -> None:
        self._session = session

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the record of a test to its last report."""
        report = yield
        if isinstance(item, EvaluationCase) and report.skipped and call.when == "setup":
            item.store_record(skipped=item.reason or "")
        is_end = call.when == "call" or (call.when == "setup" and not report.passed)
        text = record_of(item, has_passed=report.passed)
        if is_end and text is not None:
            setattr(report, REPORT_ATTRIBUTE, text)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the record of a report."""
        text = record_in(report)
        if text is not None and self._session is not None:
            self._session.add(report.nodeid, text)
