"""What a run gave, put together from what is kept of it: nobody is asked, and nothing scored but to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.phrase import Language, Phrase, Plural, count_of, say
from callscore.core.results import CaseScore, Noted
from callscore.core.run import CaseValues, RunResults
from callscore.core.totals import Show, Totals
from callscore.errors import UnknownRun
from callscore.evaluations.keywords import keyword_filter
from callscore.evaluations.places import file_of
from callscore.history.light_results import light_results, whole_results
from callscore.runner.kept_evaluations import kept_evaluations, labels
from callscore.runner.kept_scores import KeptScores, kept_calls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Score
    from callscore.core.run import EvaluationResults, Result
    from callscore.core.settings import Settings
    from callscore.history.light_results import LightRow
    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

__all__ = ["ShowOptions", "kept_run"]

_UNFINISHED = Phrase(
    "this run did not come to its end: what was answered is shown",
    "этот прогон не завершён: показано то, на что есть ответы",
)
_CASES = Plural(("case", "cases"), ("случая", "случаев", "случаев"))
_UNTOLD = Phrase(
    "of {cases} only the calls are shown: what was expected, or who judged it, cannot be had from the"
    " history. callscore show {run} CASE shows what is kept",
    "для {cases} показаны только вызовы: что ожидалось или кто это оценил, из истории не получить."
    " callscore show {run} CASE покажет, что сохранено",
)


class ShowOptions(Struct, frozen=True, kw_only=True):
    """What to show of a run.

    Attributes:
        keyword: which evaluations and cases, by words; all where it is empty.
        variant: which variant; None for all of them.
        show: which of the cases to show.
        most: how many of them at the most, by evaluation and variant; None for all.
        is_whole: whether everything is counted that a score can tell, and not what a table needs.
        lang: the language of what should be known beside it.
    """

    keyword: str = ""
    variant: str | None = None
    show: Show = "failing"
    most: int | None = 10
    is_whole: bool = False
    lang: Language = "en"


_OPTIONS = ShowOptions()


def kept_run(store: Store, run: RunRecord, options: ShowOptions = _OPTIONS) -> RunResults:
    """What a run gave, as it was when it ended.

    Args:
        store: the history.
        run: the run.
        options: what to show of it.

    Raises:
        InvalidSettings: the keyword is no such expression.
        UnknownRun: the run has no such variant, or nothing that the keyword fits.
        UnusableStore: the history cannot be read.
    """
    evaluations = kept_evaluations(store, run, options.variant)
    scores = KeptScores(store, evaluations)
    found = _chosen(store, run, evaluations, options.keyword)
    if options.keyword and not found:
        raise UnknownRun(
            f"nothing in the run {run.id} has the words {options.keyword!r}; it has"
            f" {labels(evaluations)}, and their cases"
        )
    parts = [
        _Part(record, rows, scores.settings_of(number), options)
        for number, (record, rows) in found.items()
    ]
    wanted = [row for part in parts for row in part.wanted]
    whole = dict(whole_results(store, run.id, wanted))
    made = {number: scores.score_of(record) for number, record in whole.items()}
    given = [part.results(whole, made) for part in parts]
    warnings = [] if run.status == "finished" else [say(_UNFINISHED, options.lang)]
    untold = sum(part.untold for part in parts)
    if untold:
        cases = count_of(_CASES, untold, options.lang)
        warnings.append(say(_UNTOLD, options.lang, cases=cases, run=run.id))
    return RunResults(
        id=run.id,
        evaluations=tuple(given),
        seconds=max((run.finished_at or run.started_at) - run.started_at, 0.0),
        warnings=tuple(warnings),
    )


def _chosen(
    store: Store, run: RunRecord, evaluations: Sequence[EvaluationRecord], keyword: str
) -> dict[int, tuple[EvaluationRecord, list[LightRow]]]:
    """The evaluations and the results that are asked for, by the number of the evaluation."""
    found: dict[int, tuple[EvaluationRecord, list[LightRow]]] = {
        record.number: (record, []) for record in evaluations
    }
    fits = keyword_filter(keyword) if keyword else None

    def is_wanted(evaluation: int, case: str) -> bool:
        if evaluation not in found:
            return False
        record, _ = found[evaluation]
        return fits is None or fits((record.name, record.variant or "", case))

    for row in light_results(store, run.id, is_wanted):
        found[row.evaluation][1].append(row)
    return {number: each for number, each in found.items() if each[1] or not keyword}


class _Part:
    """One evaluation of the run."""

    def __init__(
        self,
        record: EvaluationRecord,
        rows: Sequence[LightRow],
        settings: Settings,
        options: ShowOptions,
    ) -> None:
        self._record = record
        self._rows = rows
        self._settings = settings
        self._options = options
        to_show = self._to_show()
        self._shown = to_show if options.most is None else to_show[: options.most]
        self._not_shown = len(to_show) - len(self._shown)
        self._unclear = {row.number for row in rows if self._is_unclear(row.result)}
        shown = {row.number for row in self._shown}
        self.wanted = [row for row in rows if row.number in shown or row.number in self._unclear]
        self.untold = 0

    def _to_show(self) -> list[LightRow]:
        """The answers to show; of a case that fails in several trials the first."""
        if self._options.show == "none":
            return []
        answered = [row for row in self._rows if row.result.status != "error"]
        if self._options.show == "all":
            return answered
        failing: dict[str, LightRow] = {}
        for row in answered:
            if row.result.passed is False:
                failing.setdefault(row.result.case.id, row)
        return list(failing.values())

    def _is_unclear(self, result: Result) -> bool:
        """Whether its counts do not say all that is asked for."""
        kept = result.kept
        if kept is None or not kept.counts or result.status == "error":
            return False
        *_, expected, actual, forbidden = kept.counts
        leaves_out = self._settings.count_calls != "all" or self._settings.failed_calls != "count"
        has_unnamed = bool(forbidden) and kept.tools is None
        has_uncounted = leaves_out and not expected and not actual
        return self._options.is_whole or has_unnamed or has_uncounted

    def results(
        self, whole: Mapping[int, ResultRecord], made: Mapping[int, Score | None]
    ) -> EvaluationResults:
        """What the evaluation gave."""
        counted = self._counted(made)
        cases = [
            self._case(row.result, whole.get(row.number), made.get(row.number))
            for row in self._shown
        ]
        self.untold = sum(
            isinstance(case, CaseValues) and row.result.status == "scored"
            for case, row in zip(cases, self._shown, strict=True)
        )
        results = replace(
            counted.results,
            cases=tuple([case for case in cases if isinstance(case, CaseScore)]),
            not_shown=self._not_shown,
        )
        unreferenced = tuple([case for case in cases if isinstance(case, CaseValues)])
        return replace(counted, results=results, unreferenced=unreferenced)

    def _counted(self, made: Mapping[int, Score | None]) -> EvaluationResults:
        """What the results come to, without any case to show."""
        record = self._record
        told = record.summary.get("scorers") or ()
        thresholds = {str(one.get("name")): one.get("threshold") for one in told}
        totals = Totals(self._settings, thresholds, show="none", most=self._options.most)
        for row in self._rows:
            # Only where the counts do not say enough: else some tables would be half full.
            score = made.get(row.number) if row.number in self._unclear else None
            totals.add(row.result if score is None else replace(row.result, score=score))
        skipped = record.summary.get("skipped")
        return totals.evaluation(
            {"name": record.name, "place": file_of(record.place), "variant": record.variant},
            skipped=Noted(skipped if isinstance(skipped, int) else 0),
            is_kept=True,
        )

    def _case(
        self, result: Result, record: ResultRecord | None, score: Score | None
    ) -> CaseScore | CaseValues:
        kept = {} if record is None else record.payload
        tags = tuple([str(tag) for tag in kept.get("tags") or ()])
        calls = () if record is None else kept_calls(record)
        case = replace(result.case, tags=tags, actual=calls)
        return replace(result, case=case, score=score).shown()
