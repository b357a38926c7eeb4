"""A run as the page shows it: the parts of its report, and one case at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.phrases import Language, Phrase
from callscore.evaluations.locations import file_of_location
from callscore.hiding.environment import secret_values
from callscore.hiding.hider import hide_for_report
from callscore.history.notes import notes_on
from callscore.reports.html.case_view import encode_view
from callscore.reports.html.document import document_json
from callscore.reports.html.run import result_view, run_document
from callscore.runner.run_report import about_run
from callscore.runner.stored_runs import (
    ShowOptions,
    StoredResults,
    StoredRun,
    evaluation_label,
)
from callscore.web.cache import Remembered
from callscore.web.indexing import index_of
from callscore.web.live_runs import progress_of, status_of
from callscore.web.requests import NOT_FOUND, Asked
from callscore.web.responses import Encoded, encoded
from callscore.web.run_lists import evaluation_key, run_summary

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.history.records import EvaluationRecord, RunRecord
    from callscore.history.store import Store
    from callscore.web.open_history import History

_MOST_DOCUMENTS = 6
_MOST_RUNS = 8
_NO_EVALUATION = Phrase(
    "run {run} has no evaluation number {number}", "в прогоне {run} нет проверки номер {number}"
)
NO_CASE = Phrase("run {run} has no case {case!r}", "в прогоне {run} нет случая {case!r}")
_NO_TRIAL = Phrase(
    "case {case!r} of run {run} has no trial {trial}",
    "в прогоне {run} нет попытки {trial} случая {case!r}",
)


def name_of_record(record: EvaluationRecord) -> dict[str, Any]:
    """What identifies an evaluation of a run: `EvaluationName`."""
    return {
        "key": evaluation_key(record.name, record.variant, record.place),
        "name": record.name,
        "variant": record.variant,
        "label": evaluation_label(record),
        "place": file_of_location(record.place),
    }


class RunPages:
    """Answers what is asked about one run; what takes long is kept for a while."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._reports: Remembered[tuple[bytes, bytes]] = Remembered(_MOST_DOCUMENTS)
        self._results: Remembered[StoredResults] = Remembered(_MOST_RUNS)

    def page(self, asked: Asked) -> Encoded:
        """`GET /api/runs/ID`."""
        with self._history.opened() as store:
            run = store.find(asked.path["run"], resolve=None)
            records = store.evaluations(run.id)
            is_running = status_of(store, run) == "running"
            about = {
                "run": run_summary(store, run),
                "evaluations": [name_of_record(record) for record in records],
                "progress": progress_of(store, run) if is_running else None,
            }
            document, index = self._report(store, run, asked.lang)
        known = encoded(about)
        return Encoded(b'%b,"document":%b,"index":%b}' % (known[:-1], document, index))

    def _report(self, store: Store, run: RunRecord, lang: Language) -> tuple[bytes, bytes]:
        """The document and the index of a run, as JSON."""
        if run.status == "running":
            return report_of(store, run, lang)
        # Trends end with the run itself, so that later runs do not change its report.
        key = (store.place, run.id, run.finished_at, lang, _secrets())
        return self._reports.get(key, lambda: report_of(store, run, lang))

    def case(self, asked: Asked) -> Encoded:
        """`GET /api/runs/ID/case`."""
        case, trial = asked.text("case"), asked.optional_number("trial")
        with self._history.opened() as store:
            run = store.find(asked.path["run"], resolve=None)
            record = position_of(store, run, asked.number("evaluation", 0), asked)
            found = self.results_of(store, run).of_cases([(record.number, case)])[0]
            shown = _trial_of(found, trial)
            if shown is None:
                phrase = _NO_TRIAL if found else NO_CASE
                raise asked.refusal(NOT_FOUND, phrase, run=run.id, case=case, trial=trial)
            has_several = len(store.evaluations(run.id)) > 1
            label = evaluation_label(record) if has_several else ""
            view = result_view(shown, asked.lang, evaluation=label)
            notes = [msgspec.to_builtins(note) for note in notes_on(store, record.place, case)]
        about = {"evaluation": name_of_record(record), "notes": notes}
        return Encoded(b'%b,"view":%b}' % (encoded(about)[:-1], encode_view(view)))

    def results_of(self, store: Store, run: RunRecord) -> StoredResults:
        """Finds the results of the cases of a run."""

        def make() -> StoredResults:
            return StoredResults(store, run.id)

        if run.status == "running":
            return make()
        # Its connections are those of this store.
        return self._results.get((id(store), run.id, run.finished_at, _secrets()), make)


def _secrets() -> int:
    """Changes if other secrets are hidden from now on."""
    return hash(secret_values())


def report_of(store: Store, run: RunRecord, lang: Language) -> tuple[bytes, bytes]:
    """The document and the index of the report of a run, as JSON, without its cases."""
    options = ShowOptions(show="all", max_shown=None, lang=lang)
    report = StoredRun(store, run, options, is_streamed=True)
    index = index_of(report.results(), lang)
    document = run_document(report.totals(), about_run(store, run), lang)
    return document_json(hide_for_report(document), lang), index


def position_of(store: Store, run: RunRecord, position: int, asked: Asked) -> EvaluationRecord:
    """The evaluation at a position of a run; refused if there is none."""
    records = store.evaluations(run.id)
    if position >= len(records):
        raise asked.refusal(NOT_FOUND, _NO_EVALUATION, run=run.id, number=position)
    return records[position]


def _trial_of(results: Sequence[Result], trial: int | None) -> Result | None:
    """The result of a trial, or the first one; a case with one trial may have no number."""
    wanted = [each for each in results if trial is None or each.case.trial in (trial, None)]
    return wanted[0] if wanted else None
