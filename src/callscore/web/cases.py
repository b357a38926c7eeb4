"""A case over all runs, and the notes on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from callscore.core.phrases import Language, Phrase
from callscore.core.statistics import mean_score
from callscore.history.notes import MAX_NOTE_LENGTH, add_note, delete_note, notes_on
from callscore.history.run_lookup import list_runs
from callscore.reports.html.case_view import encode_view
from callscore.reports.html.run import result_view
from callscore.web.requests import NOT_FOUND, Asked
from callscore.web.run_lists import UNKNOWN_EVALUATION, evaluation_key, fits_key, read_runs
from callscore.web.run_pages import RunPages, name_of_record

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.history.records import EvaluationRecord
    from callscore.history.store import Store
    from callscore.web.open_history import History

_FEW_RUNS = 10
_MOST_RUNS = 50
_MOST_READ = 100  # runs that are searched for a case in one request
_NO_CASE = Phrase("no run has the case {case!r}", "случая {case!r} нет ни в одном прогоне")


class _FoundCase(NamedTuple):
    """A case in a run: its evaluation, at which position of the run that is, and its trials."""

    run: str
    position: int
    record: EvaluationRecord
    trials: list[Result]


class CasePages:
    """Answers what is asked about one case."""

    def __init__(self, history: History, runs: RunPages) -> None:
        self._history = history
        self._runs = runs

    def page(self, asked: Asked) -> dict[str, Any]:
        """`GET /api/cases`."""
        key, case = asked.text("evaluation"), asked.text("case")
        limit = asked.number("limit", _FEW_RUNS, low=1, high=_MOST_RUNS)
        with self._history.opened() as store:
            listed = read_runs(store, fits=fits_key(key))
            names = list(listed.runs)
            if not names:
                raise asked.refusal(NOT_FOUND, UNKNOWN_EVALUATION)
            before = asked.optional_text("before")
            if before is not None:
                names = names[names.index(before) + 1 :] if before in names else []
            found = self._find(store, names[:_MOST_READ], (key, case), limit + 1)
            if not found and before is None:
                raise asked.refusal(NOT_FOUND, _NO_CASE, case=case)
            shown = found[:limit]
            last = shown[-1].run if len(found) > limit else (names[:_MOST_READ] or [""])[-1]
            record = found[0].record if found else _record(store, listed.runs, key)
            notes = _notes(store, record.place, case)
        older = [*found[1:], None]
        return {
            "evaluation": name_of_record(record),
            "case": case,
            "notes": notes,
            "runs": [
                {
                    "run": listed.summary(each.run),
                    **_outcome(each, asked.lang),
                    "is_expectation_changed": other is not None and _expects_other(each, other),
                }
                for each, other in zip(shown, older, strict=False)
            ],
            "next": last if last and last != names[-1] else None,
        }

    def _find(
        self, store: Store, runs: Sequence[str], wanted: tuple[str, str], limit: int
    ) -> list[_FoundCase]:
        """The case in the first of these runs that have it."""
        found: list[_FoundCase] = []
        for run in runs:
            found += self._in_run(store, run, wanted)
            if len(found) >= limit:
                break
        return found[:limit]

    def _in_run(self, store: Store, run: str, wanted: tuple[str, str]) -> Iterator[_FoundCase]:
        key, case = wanted
        record = store.find(run, resolve=None)
        for position, each in enumerate(store.evaluations(run)):
            if evaluation_key(each.name, each.variant, each.place) == key:
                [trials] = self._runs.results_of(store, record).of_cases([(each.number, case)])
                if trials:
                    yield _FoundCase(run, position, each, trials)

    # --- notes ----------------------------------------------------------------------------------

    def add_note(self, asked: Asked) -> dict[str, Any]:
        """`POST /api/notes`."""
        key, case = asked.member("evaluation"), asked.member("case")
        text = asked.member("text", most=MAX_NOTE_LENGTH)
        with self._history.opened() as store:
            place = _place(store, key, asked)
            add_note(store, place, case, text)
            return {"notes": _notes(store, place, case)}

    def delete_note(self, asked: Asked) -> dict[str, Any]:
        """`POST /api/notes/delete`."""
        key, case = asked.member("evaluation"), asked.member("case")
        with self._history.opened() as store:
            place = _place(store, key, asked)
            delete_note(store, place, case, asked.member("id"))
            return {"notes": _notes(store, place, case)}


def _notes(store: Store, place: str, case: str) -> list[Any]:
    return [msgspec.to_builtins(note) for note in notes_on(store, place, case)]


def _place(store: Store, key: str, asked: Asked) -> str:
    """The place of the evaluation of this key, in the newest run that has it."""
    lines = list_runs(store, limit=1, fits=fits_key(key))
    for line in lines:
        for each in line.evaluations:
            return each.place
    raise asked.refusal(NOT_FOUND, UNKNOWN_EVALUATION)


def _record(store: Store, runs: Any, key: str) -> EvaluationRecord:
    """The evaluation of this key in the newest run that has it."""
    return next(
        each
        for each in store.evaluations(next(iter(runs)))
        if evaluation_key(each.name, each.variant, each.place) == key
    )


def _outcome(found: _FoundCase, lang: Language) -> dict[str, Any]:
    views = [result_view(result, lang) for result in found.trials]
    scores = [view.score for view in views if view.score is not None]
    errors = sum(result.failure is not None for result in found.trials)
    return {
        "evaluation": found.position,
        "passed": sum(result.passed is True for result in found.trials),
        "trials": len(found.trials),
        "score": mean_score(scores, answered=len(views) - errors, errors=errors),
        "views": [msgspec.Raw(encode_view(view)) for view in views],
    }


def _expects_other(found: _FoundCase, older: _FoundCase) -> bool:
    """Whether what is expected differs from an older run."""
    return found.trials[0].case.expected != older.trials[0].case.expected
