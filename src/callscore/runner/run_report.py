"""A stored run as an HTML report needs it: every result once, the totals, and the runs before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.core.phrases import say
from callscore.core.results import Result, RunResults
from callscore.errors import UnusableStore
from callscore.evaluations.run_rows import heading_row, rows_of_runs
from callscore.history.run_lookup import OLDER_RUNS, list_runs
from callscore.history.run_metadata import lineage, unreadable_records
from callscore.history.saved_totals import FAILING_TRIALS, saved_cases_of
from callscore.reports.history import RunRow, timelines_of
from callscore.reports.html.run import AboutRun, run_parts
from callscore.runner.stored_runs import (
    ShowOptions,
    evaluations_of_variant,
    load_case,
    nothing_matches,
    run_warnings,
    selected_by,
    settings_by_number,
    stored_result,
    stored_totals,
    totals_of_evaluation,
)

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

_MOST_RUNS = 30  # of a trend


def write_stored_run(
    store: Store,
    run: RunRecord,
    options: ShowOptions,
    case: str | None = None,
    *,
    live: RunResults | None = None,
) -> Iterator[bytes]:
    """The HTML report of a stored run, in parts; `case` is the only case to show.

    `live` are the results of a run that has just ended: the history does not have its warnings.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant or case, or nothing that the keyword fits.
    """
    report = StoredRunReport(store, run, options, case)

    def totals() -> RunResults:
        found = report.totals()
        if live is None:
            return found
        names = ("unloaded", "judges", "warnings", "is_interrupted", "is_stopped", "seconds")
        return replace(found, **{name: getattr(live, name) for name in names})

    yield from run_parts(report.results(), totals, report.about(), options.lang)


class StoredRunReport:
    """Reads the results of a run one by one, and adds them up on the way.

    Args:
        options: which cases to show; all count.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant, or nothing that the keyword fits.
    """

    def __init__(
        self, store: Store, run: RunRecord, options: ShowOptions, case: str | None = None
    ) -> None:
        self.run = run
        # One case, as `callscore show` finds it: with the evaluation in front, or with a secret in it.
        self._only = (
            None if case is None else load_case(store, run, case, options.keyword, options.variant)
        )
        self._store = store
        self._options = options
        self.evaluations = evaluations_of_variant(store, run, options.variant)
        self._settings = settings_by_number(self.evaluations)
        self._trials = store.trials(run.id)
        self._totals = {
            record.number: stored_totals(record, self._settings[record.number])
            for record in self.evaluations
        }
        self._not_shown = 0
        self._read = 0

    def results(self) -> Iterator[tuple[int, Result]]:
        """The results to show, each with the position of its evaluation; all are added up."""
        options = self._options
        positions = {record.number: at for at, record in enumerate(self.evaluations)}
        shown = 0
        for number, result in self._selected():
            self._totals[number].add(result)
            self._read += 1
            is_passed = result.passed is True and result.failure is None
            if options.show == "none" or (options.show == "failing" and is_passed):
                continue
            if options.max_shown is not None and shown >= options.max_shown:
                self._not_shown += 1
                continue
            shown += 1
            yield positions[number], result

    def _selected(self) -> Iterator[tuple[int, Result]]:
        """The results that count, each with the number of its evaluation."""
        for case in self._only or ():
            for trial in case.trials:
                yield case.number, self._result(case.number, trial)
        if self._only is not None:
            return
        known = {record.number: record for record in self.evaluations}
        keyword = self._options.keyword
        fits = selected_by(keyword) if keyword else None
        is_empty = True
        for found in self._store.results(self.run.id):
            record = known.get(found.evaluation)
            if record is None:
                continue
            if fits is None or fits((record.name, record.variant or "", found.case)):
                is_empty = False
                result = stored_result(found, self._settings[record.number])
                yield record.number, self._result(record.number, result)
        if fits is not None and is_empty:
            raise nothing_matches(self.run, keyword, self.evaluations)

    def _result(self, evaluation: int, result: Result) -> Result:
        """The result without the number of the only trial."""
        if self._trials.get(evaluation, 1) > 1:
            return result
        return replace(result, case=replace(result.case, trial=None))

    def totals(self) -> RunResults:
        """The totals of the run; after all results were read."""
        run, options, is_case = self.run, self._options, self._only is not None
        parts = [
            totals_of_evaluation(
                self._totals[record.number],
                replace(record, summary={}) if is_case else record,  # not about all cases
                self._settings[record.number],
                is_filtered=bool(options.keyword) or is_case,
            )
            for record in self.evaluations
        ]
        if parts:
            not_saved = sum(part.answered + part.errors for part in parts) - self._read
            is_part = saved_cases_of(run) != "all" and not is_case
            not_shown = self._not_shown + (max(not_saved, 0) if is_part else 0)
            shortened = replace(parts[0].results, not_shown=not_shown)
            parts[0] = replace(parts[0], results=shortened)
        warnings = run_warnings(run, options.lang, self.evaluations, keyword=options.keyword)
        if is_case and saved_cases_of(run) == "failing":
            warnings = [say(FAILING_TRIALS, options.lang)]
        return RunResults(
            id=run.id,
            evaluations=tuple(parts),
            seconds=max((run.finished_at or run.started_at) - run.started_at, 0.0),
            is_interrupted=any(each.not_run for each in parts),
            warnings=tuple(warnings),
            unreadable=unreadable_records(run),
        )

    def about(self) -> AboutRun:
        """What a list of runs has of this one, and the runs before it."""
        store, run = self._store, self.run
        baselines = [each.name for each in store.baselines() if each.run == run.id]
        row = heading_row(run, baselines, lineage(store, run))
        return AboutRun(row=row, trends=_trend_rows(store, run))


def _trend_rows(store: Store, run: RunRecord) -> dict[str, list[RunRow]]:
    """The complete runs of each evaluation of a run up to it, by label, the oldest first.

    Empty if other runs cannot be read: the report is about this one.
    """
    try:
        lines = list_runs(store, limit=_MOST_RUNS + OLDER_RUNS)
    except UnusableStore:
        return {}
    rows = [row for row in rows_of_runs(lines) if row.started_at <= run.started_at]
    found: dict[str, list[RunRow]] = {}
    for timeline in timelines_of(rows):
        steps = [step.row for step in reversed(timeline.steps)]
        shown = [row for row in steps if row.counts or row.id == run.id]
        if any(row.id == run.id for row in shown):
            found[timeline.label] = shown
    return found
