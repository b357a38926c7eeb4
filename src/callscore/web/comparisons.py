"""Runs compared: two of them with all their cases, or three and more as a matrix."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.comparing.changes import passed_trials
from callscore.comparing.comparison import compare_sides
from callscore.comparing.sides import EvaluationSide, Side, merged_cases
from callscore.core.phrases import Language, Phrase
from callscore.engines.comparing_runs import with_cases
from callscore.evaluations.locations import file_of_location
from callscore.history.saved_totals import NOT_ALL_SAVED, saved_cases_of
from callscore.reports.html.compare import (
    ComparedRuns,
    compared_document,
    compared_index,
    listed_evaluations,
)
from callscore.reports.html.compared_trials import TrialWriter, compared_item
from callscore.reports.html.document import document_json
from callscore.runner.compared_cases import ComparedCases, RunTrials
from callscore.web.cache import Remembered
from callscore.web.indexing import IndexWriter
from callscore.web.requests import BAD_REQUEST, CONFLICT, NOT_FOUND, Asked
from callscore.web.responses import Encoded, encoded
from callscore.web.run_lists import evaluation_key, run_summary

if TYPE_CHECKING:
    from callscore.comparing.case_pairs import CasePair
    from callscore.history.records import RunRecord
    from callscore.history.store import Store
    from callscore.reports.html.compared_trials import PairTrials
    from callscore.web.open_history import History

_MOST_KEPT = 2  # of large runs, each takes hundreds of megabytes
_MOST_RUNS = 10
_PAGE = 200
_TWO = 2
_TOO_FEW = Phrase(
    "runs: name two to {most} runs, separated by commas",
    "runs: укажите от двух до {most} прогонов через запятую",
)
_NO_POSITION = Phrase(
    "the comparison has no case at position {position}. Reload the page",
    "в сравнении нет случая на позиции {position}. Обновите страницу",
)


_TOTALS_ONLY = Phrase(
    "not every case of run {run} is saved, and the page compares case by case. To compare the totals:"
    " callscore compare {runs}",
    "сохранены не все случаи прогона {run}, а страница сравнивает по случаям. Сравнить итоги:"
    " callscore compare {runs}",
)


class ComparedPair(NamedTuple):
    """Two runs of one history, compared.

    Attributes:
        document: of the report, as JSON.
        columns: the index of the report, as JSON.
        evaluations: those of its cases, as the index numbers them.
        positions: the position of the evaluation of each case.
    """

    cases: ComparedCases
    document: bytes
    columns: bytes
    evaluations: list[dict[str, Any]]
    positions: list[int]

    def answer(self, about: dict[str, Any]) -> Encoded:
        """A `ComparePage` with more members."""
        known = {**about, "evaluations": self.evaluations, "evaluation_of": self.positions}
        start = encoded(known)[:-1]
        return Encoded(b'%b,"document":%b,"index":%b}' % (start, self.document, self.columns))


def compare_pair(
    store: Store, runs: tuple[RunRecord, RunRecord], labels: tuple[str, str], lang: Language
) -> ComparedPair:
    """Compare two runs of a history; the labels are their names in the report."""
    first, second = store.side(runs[0], labels[0]), store.side(runs[1], labels[1])
    sides = with_cases(first, second, lambda: store, is_whole=True)
    comparison = compare_sides(*sides)
    full = [RunTrials(store, side.run, _writer(store, side, lang)) for side in sides]
    cases = ComparedCases(sides, (full[0], full[1]))
    writers = IndexWriter(lang), IndexWriter(lang)
    listed = [RunTrials(store, run.id, write) for run, write in zip(runs, writers, strict=True)]
    compared = ComparedRuns(
        comparison=comparison,
        pairs=cases.pairs,
        after=writers[1],
        case_command=_show_command(store, sides[1]),
        pass_mark=sides[1].pass_mark,
    )
    columns = compared_index(compared, _shown_trials(cases.pairs, listed), lang)
    document = document_json(compared_document(compared, lang), lang)
    evaluations, positions = listed_evaluations(cases.pairs)
    return ComparedPair(
        cases, document, columns, [_name_of_side(each) for each in evaluations], positions
    )


def _writer(store: Store, side: Side, lang: Language) -> TrialWriter:
    return TrialWriter(lang, case_command=_show_command(store, side))


def _show_command(store: Store, side: Side) -> str:
    return f"callscore show{store.command_options} {shlex.quote(side.run)}"


def _shown_trials(pairs: Sequence[CasePair], sources: Sequence[RunTrials]) -> Iterator[PairTrials]:
    """All cases with the trials of the side that the list shows."""
    before, after = sources
    for start in range(0, len(pairs), _PAGE):
        some = pairs[start : start + _PAGE]
        second = iter(after.trials([pair.after for pair in some if pair.after]))
        first = iter(before.trials([pair.shown for pair in some if not pair.after]))
        for pair in some:
            yield (pair, [], next(second)) if pair.after else (pair, next(first), [])


def _name_of_side(side: EvaluationSide) -> dict[str, Any]:
    """What identifies an evaluation: `EvaluationName`."""
    return {
        "key": evaluation_key(side.name, side.variant, side.place),
        "name": side.name,
        "variant": side.variant,
        "label": side.label,
        "place": file_of_location(side.place),
    }


def compared_case(pair: ComparedPair, asked: Asked) -> Encoded:
    """One case of a comparison in both runs: `ComparedCase`."""
    position = asked.number("position", 0)
    try:
        found = pair.cases.at(position)
    except IndexError as error:
        raise asked.refusal(NOT_FOUND, _NO_POSITION, position=position) from error
    return Encoded(compared_item(found, asked.lang).view)


class Comparisons:
    """Answers what is asked about several runs; the last few comparisons are kept."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._pairs: Remembered[ComparedPair] = Remembered(_MOST_KEPT)

    def page(self, asked: Asked) -> Encoded | dict[str, Any]:
        """`GET /api/compare`."""
        with self._history.opened() as store:
            runs = _runs_named(store, asked)
            _require_cases(runs, asked)
            if len(runs) > _TWO:
                return _matrix(store, runs)
            pair = self._pair(store, (runs[0], runs[1]), asked.lang)
            return pair.answer({"runs": [run_summary(store, run) for run in runs]})

    def case(self, asked: Asked) -> Encoded:
        """`GET /api/compare/case`."""
        with self._history.opened() as store:
            runs = _runs_named(store, asked)
            return compared_case(self._pair(store, (runs[0], runs[1]), asked.lang), asked)

    def _pair(
        self, store: Store, runs: tuple[RunRecord, RunRecord], lang: Language
    ) -> ComparedPair:
        def make() -> ComparedPair:
            return compare_pair(store, runs, (_label(runs[0]), _label(runs[1])), lang)

        if any(run.status == "running" for run in runs):
            return make()
        states = [(run.id, run.finished_at) for run in runs]
        return self._pairs.get((id(store), *states, lang), make)


def _runs_named(store: Store, asked: Asked) -> list[RunRecord]:
    """The runs that the query names."""
    names = [name for name in asked.text("runs").split(",") if name]
    if not _TWO <= len(names) <= _MOST_RUNS:
        raise asked.refusal(BAD_REQUEST, _TOO_FEW, most=_MOST_RUNS)
    return [store.find(name, resolve=None) for name in names]


def _require_cases(runs: Sequence[RunRecord], asked: Asked) -> None:
    """Refuse runs of which not every case is saved: the page compares case by case."""
    for run in runs:
        if saved_cases_of(run) != "all":
            phrase = _TOTALS_ONLY if len(runs) == _TWO else NOT_ALL_SAVED
            raise asked.refusal(
                CONFLICT, phrase, run=run.id, runs=" ".join(each.id for each in runs)
            )


def _label(run: RunRecord) -> str:
    return run.name or run.id


# --- three and more -----------------------------------------------------------------------------

_Outcome = tuple[int, int]


def _matrix(store: Store, runs: Sequence[RunRecord]) -> dict[str, Any]:
    """The outcome of every case in each of some runs: `CompareMatrix`."""
    names: dict[str, dict[str, Any]] = {}
    outcomes: dict[tuple[str, str], list[_Outcome | None]] = {}
    for at, run in enumerate(runs):
        for evaluation in store.with_cases(store.side(run, run.id))[0].evaluations:
            name = _name_of_side(evaluation)
            names.setdefault(name["key"], name)
            for case in merged_cases(evaluation, []).values():
                row = outcomes.setdefault((name["key"], case.id), [None] * len(runs))
                row[at] = passed_trials(case)
    places = {key: at for at, key in enumerate(names)}
    return {
        "runs": [run_summary(store, run) for run in runs],
        "evaluations": list(names.values()),
        "cases": [
            {"evaluation": places[key], "id": case, "outcomes": row}
            for (key, case), row in outcomes.items()
        ],
    }
