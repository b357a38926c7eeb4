"""Reads a run back from the history: its results, one case, their scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Case, origin_in
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.core.results import (
    Answer,
    CaseScore,
    CaseValues,
    Failure,
    Result,
    RunResults,
    SavedCase,
    SavedScore,
    UnscoredCase,
    failure_kind,
    unanswered_case,
)
from callscore.core.settings import Settings, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.core.totals import Show, Totals
from callscore.errors import CallscoreError, UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.hiding.hider import contains_marker, hide_text
from callscore.history.locks import is_abandoned
from callscore.history.run_metadata import unreadable_records
from callscore.history.run_results import full_results, light_results, unknown_variant
from callscore.history.saved_totals import (
    SAVED_CASES,
    evaluation_of_counts,
    saved_cases_of,
    saved_counts,
)
from callscore.runner.stored_payloads import (
    FUNCTION_SETTINGS,
    case_from_payload,
    stored_settings,
    stored_skipped,
)
from callscore.words.value_text import UNREADABLE_COUNT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from callscore.core.call import Tool
    from callscore.core.results import EvaluationResults
    from callscore.core.score import Score
    from callscore.engines.tool_definitions import ToolDefinitions
    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.run_results import LightRow
    from callscore.history.store import Store

__all__ = [
    "NeverJudgedError",
    "ShowOptions",
    "StoredScores",
    "evaluation_label",
    "evaluation_labels",
    "evaluations_of_variant",
    "has_hidden_calls",
    "load_case",
    "load_run",
    "run_warnings",
    "stored_calls",
    "stored_result",
    "stored_totals",
    "totals_of_evaluation",
]

# --- scores, computed again from stored results -----------------------------------------------


class NeverJudgedError(Exception):
    """A judgement is not stored. Not a CallscoreError, so that the judge is not asked."""


class StoredScores:
    """The scores of the results of a stored run; judges answer from the history.

    What scores is imported for the first score: a run may be shown without its cases.
    """

    def __init__(self, store: Store, evaluations: Iterable[EvaluationRecord]) -> None:
        self._store = store
        self._records = {record.number: record for record in evaluations}
        self._settings: dict[int, Settings] = {}
        self._tools: dict[int, Mapping[str, Tool] | None] = {}
        self._own_tools: ToolDefinitions | None = None

    def settings_of(self, evaluation: int) -> Settings:
        """The settings of an evaluation, as far as they are stored."""
        if evaluation not in self._settings:
            self._settings[evaluation] = self._read_settings(self._records[evaluation])
        return self._settings[evaluation]

    def score_of(self, record: ResultRecord) -> Score | None:
        """The score of a stored result; None if it cannot be computed again.

        None if only Python can express what was expected, if a function that is not stored decided,
        if a value in the calls is hidden, or if this version of callscore counts differently than the one that scored it.
        """
        if record.status != "scored" or has_hidden_calls(record):
            return None
        from callscore.engines.payloads import comparison_payload, score_counts

        try:
            score = self._score(record)
            if score.settings.judge is not None:
                comparison_payload(score)  # reports need a judgement of every value
        except (CallscoreError, NeverJudgedError):
            return None
        return score if score_counts(score) == record.counts else None

    def _score(self, record: ResultRecord) -> Score:
        from callscore.api import score_case, tools_by_name

        case = case_from_payload(record.case, record.payload)
        number, settings = record.evaluation, self.settings_of(record.evaluation)
        if number not in self._tools:
            kept = self._records[number].tools
            self._tools[number] = None if kept is None else tools_by_name(kept)
        tools = self._tools[number]
        if tools is None:
            tools = self._tools_of_cases().of(case.tools, f"case {case.id}")
        return score_case(tuple(case.expected or ()), stored_calls(record), settings, tools)

    def _tools_of_cases(self) -> ToolDefinitions:
        if self._own_tools is None:
            from callscore.engines.tool_definitions import ToolDefinitions

            self._own_tools = ToolDefinitions()
        return self._own_tools

    def _read_settings(self, record: EvaluationRecord) -> Settings:
        kept = stored_settings(record.settings)
        functions = {name: kept.pop(name, None) for name in FUNCTION_SETTINGS}
        if isinstance(functions["judge"], dict):
            kept["judge"] = self._judge(functions["judge"])
        try:
            return settings_from(kept)
        except CallscoreError:  # settings of another version of callscore
            return Settings()

    def _judge(self, made_of: dict[str, Any]) -> Any:
        """The judge of the run, which answers only from stored judgements."""
        from callscore.engines.payloads import JUDGE_FIELDS
        from callscore.models.judging import Memory, judge  # imports the models

        def recall(key: str) -> Any:
            found = self._store.judgement(key)
            if found is None:
                raise NeverJudgedError
            return found

        memory = Memory(recall, lambda _key, _answer: None)
        return judge(**{name: made_of[name] for name in JUDGE_FIELDS}, remember=memory)


def has_hidden_calls(record: ResultRecord) -> bool:
    """Whether a value is hidden in what is compared: the calls of both sides, and the tools."""
    calls = [[call.get(key) for key in ("name", "arguments", "raw")] for call in record.calls or ()]
    return contains_marker([record.payload.get("expected"), record.payload.get("tools"), calls])


def stored_calls(record: ResultRecord) -> tuple[ToolCall, ...]:
    """The calls of a result; empty if they are not valid."""
    try:
        return tuple(msgspec.convert(record.calls or (), list[ToolCall], strict=False))
    except msgspec.ValidationError:
        return ()


def evaluations_of_variant(
    store: Store, run: RunRecord, variant: str | None
) -> list[EvaluationRecord]:
    """The evaluations of a run, or of one variant; an unknown variant is refused."""
    every = store.evaluations(run.id)
    found = [record for record in every if variant is None or record.variant == variant]
    if variant is not None and not found:
        raise unknown_variant(run.id, variant, [record.variant for record in every])
    return found


def evaluation_label(record: EvaluationRecord) -> str:
    """The name of an evaluation, with its variant."""
    return record.name if record.variant is None else f"{record.name} [{record.variant}]"


def evaluation_labels(records: Iterable[EvaluationRecord]) -> str:
    """The names of evaluations, as a list in a sentence."""
    return ", ".join(dict.fromkeys(map(evaluation_label, records))) or "no evaluation"


# --- the results of a run ---------------------------------------------------------------------

_UNFINISHED = Phrase(
    "this run did not finish: the report has the answers so far",
    "прогон не завершён: показаны полученные ответы",
)
_NO_TOTALS = Phrase(
    "only failing cases of this run are here, and its totals are missing: the numbers are those of the"
    " failing cases",
    "в истории только непройденные случаи этого прогона, итогов нет: числа относятся только к этим"
    " случаям",
)
_NOT_SELECTED = Phrase(
    "{keyword} selects among the saved cases; the totals do not change",
    "{keyword} отбирает только из сохранённых случаев, итоги не меняются",
)
_NOT_IN_RUN = Phrase("not in this run: {records}", "в прогон не вошло: {records}")
_CASES = Plural(("case", "cases"), ("случая", "случаев", "случаев"))
_CALLS_ONLY = Phrase(
    "for {cases} only the calls are shown: the expectation, the judge or a hidden value is not in the"
    " history. To show what is saved: callscore show {run} CASE",
    "для {cases} показаны только вызовы: эталона, судьи или скрытого значения нет в истории. Показать,"
    " что сохранено: callscore show {run} CASE",
)


class ShowOptions(Struct, frozen=True, kw_only=True):
    """What to show of a run.

    Attributes:
        keyword: filters evaluations and cases; empty for all.
        variant: None for all.
        show: which cases to show.
        max_shown: the maximum number of cases per evaluation and variant; None for all.
        max_listed: up to how many cases the results of an evaluation have a list of all cases.
        is_whole: whether to count everything that a score has, not only what a table needs.
        lang: the language of warnings.
    """

    keyword: str = ""
    variant: str | None = None
    show: Show = "failing"
    max_shown: int | None = 10
    max_listed: int = 0
    is_whole: bool = False
    lang: Language = "en"


_OPTIONS = ShowOptions()


def load_run(store: Store, run: RunRecord, options: ShowOptions = _OPTIONS) -> RunResults:
    """The results of a stored run.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant, or nothing that the keyword fits.
    """
    evaluations = evaluations_of_variant(store, run, options.variant)
    scores = StoredScores(store, evaluations)
    found = _select_results(store, run, evaluations, options.keyword)
    if options.keyword and not found:
        raise UnknownRun(
            f"nothing in run {run.id} matches {options.keyword!r}. Its evaluations:"
            f" {evaluation_labels(evaluations)}"
        )
    parts = [
        _EvaluationPart(record, rows, scores.settings_of(number), options)
        for number, (record, rows) in found.items()
    ]
    needed = [row for part in parts for row in part.needed_rows]
    full = full_results(store, run.id, needed)
    computed = {number: scores.score_of(record) for number, record in full.items()}
    results = [part.results(full, computed) for part in parts]
    warnings = run_warnings(run, options.lang, evaluations, keyword=options.keyword)
    without_score = sum(part.without_score for part in parts)
    if without_score:
        cases = count_of(_CASES, without_score, options.lang)
        warnings.append(say(_CALLS_ONLY, options.lang, cases=cases, run=run.id))
    return RunResults(
        id=run.id,
        evaluations=tuple(results),
        seconds=max((run.finished_at or run.started_at) - run.started_at, 0.0),
        is_interrupted=run.status == "interrupted"
        or any(each.not_run for each in results)
        or is_abandoned(store, run),
        warnings=tuple(warnings),
        unreadable=unreadable_records(run),
    )


def _planned(summary: Mapping[str, Any]) -> dict[str, int]:
    """How many cases and trials were planned, if not all of them were run."""
    names = {"cases": "planned_cases", "questions": "planned_trials"}
    found = {name: summary.get(field) for name, field in names.items()}
    return {name: count for name, count in found.items() if isinstance(count, int)}


def _select_results(
    store: Store, run: RunRecord, evaluations: Sequence[EvaluationRecord], keyword: str
) -> dict[int, tuple[EvaluationRecord, list[LightRow]]]:
    """The selected evaluations and their results, by the number of the evaluation."""
    found: dict[int, tuple[EvaluationRecord, list[LightRow]]] = {
        record.number: (record, []) for record in evaluations
    }
    is_wanted = None
    if keyword:
        fits = _keyword_filter(keyword)

        def is_wanted(evaluation: int, case: str) -> bool:
            record, _ = found.get(evaluation, (None, []))
            return record is not None and fits((record.name, record.variant or "", case))

    for row in light_results(store, run.id, is_wanted):
        if row.evaluation in found:
            found[row.evaluation][1].append(row)
    return {number: each for number, each in found.items() if each[1] or not keyword}


def _keyword_filter(keyword: str) -> Callable[[Sequence[str]], bool]:
    from callscore.evaluations.plan import keyword_filter  # imports what runs evaluations

    return keyword_filter(keyword)


def stored_totals(record: EvaluationRecord, settings: Settings, *, max_listed: int = 0) -> Totals:
    """What adds up the results of a stored evaluation; no case is kept."""
    scorers = record.summary.get("scorers") or ()
    fail_under = {str(one.get("name")): one.get("fail_under") for one in scorers}
    return Totals(settings, fail_under, show="none", max_listed=max_listed)


def totals_of_evaluation(
    totals: Totals, record: EvaluationRecord, settings: Settings, *, is_filtered: bool = False
) -> EvaluationResults:
    """The totals of a stored evaluation; if cases are filtered, it is unknown how many were planned.

    If not every case is saved, they are the totals of all cases, whatever the filter.
    """
    counts = saved_counts(record.summary)
    if counts is not None:
        whole = evaluation_of_counts(record, counts, settings, file_of_location(record.place))
        saved = totals.evaluation({"name": record.name, "place": whole.place}, is_saved=True)
        return replace(whole, failures=saved.failures, skipped=stored_skipped(record))
    return totals.evaluation(
        {"name": record.name, "place": file_of_location(record.place), "variant": record.variant},
        skipped=stored_skipped(record),
        is_saved=True,
        **({} if is_filtered else _planned(record.summary)),
    )


def run_warnings(
    run: RunRecord, lang: Language, evaluations: Iterable[EvaluationRecord], *, keyword: str = ""
) -> list[str]:
    """That a run did not finish, that not all cases are saved, or that some records are not in it."""
    warnings = [] if run.status == "finished" else [say(_UNFINISHED, lang)]
    saved = saved_cases_of(run)
    if saved != "all":
        if any(saved_counts(record.summary) is None for record in evaluations):
            warnings.append(say(_NO_TOTALS, lang))
        else:
            warnings.append(say(SAVED_CASES[saved], lang))
            if keyword:
                warnings.append(say(_NOT_SELECTED, lang, keyword=escape(keyword)))
    unreadable = unreadable_records(run)
    if unreadable:
        records = count_of(UNREADABLE_COUNT, unreadable, lang)
        warnings.append(say(_NOT_IN_RUN, lang, records=records))
    return warnings


class _EvaluationPart:
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
        # Then the totals are known, and are not counted.
        self._has_counts = saved_counts(record.summary) is not None
        to_show = self._rows_to_show()
        self._shown = to_show if options.max_shown is None else to_show[: options.max_shown]
        self._not_shown = len(to_show) - len(self._shown)
        self._incomplete = {row.number for row in rows if self._needs_full_result(row.result)}
        shown = {row.number for row in self._shown}
        self.needed_rows = [
            row for row in rows if row.number in shown or row.number in self._incomplete
        ]
        self.without_score = 0

    def _rows_to_show(self) -> list[LightRow]:
        """The answers to show; only the first failing trial of a case."""
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

    def _needs_full_result(self, result: Result) -> bool:
        """Whether its stored counts are not enough for the totals."""
        kept = result.saved
        if kept is None or not kept.counts or result.status == "error":
            return False
        correct, *_, expected, actual, forbidden = kept.counts
        settings = self._settings
        leaves_out = (
            settings.count_calls != "all"
            or settings.failed_calls != "count"
            or settings.extra_calls != "cost"
        )
        has_unnamed = bool(forbidden) and kept.tools is None
        has_uncounted = leaves_out and not expected and not actual
        # Whether the arguments are equal is not among the counts.
        is_correct = settings.mode == "flexible" and correct == expected == actual
        is_unknown = self._options.is_whole or has_unnamed or has_uncounted or is_correct
        return is_unknown and not self._has_counts

    def results(
        self, whole: Mapping[int, ResultRecord], made: Mapping[int, Score | None]
    ) -> EvaluationResults:
        counted = self._counted(made)
        cases = [
            self._case(row.result, whole.get(row.number), made.get(row.number))
            for row in self._shown
        ]
        self.without_score = sum(
            isinstance(case, CaseValues) and row.result.status == "scored"
            for case, row in zip(cases, self._shown, strict=True)
        )
        results = replace(
            counted.results,
            cases=tuple([case for case in cases if isinstance(case, CaseScore)]),
            unscored=self._unanswered(),
            not_shown=self._not_shown,
        )
        unreferenced = tuple([case for case in cases if isinstance(case, CaseValues)])
        return replace(counted, results=results, unreferenced=unreferenced)

    def _unanswered(self) -> tuple[UnscoredCase, ...]:
        """The cases without an answer, if cases are shown."""
        found = [row.result.case for row in self._rows if row.result.status == "error"]
        most = 0 if self._options.show == "none" else self._options.max_shown
        return tuple([unanswered_case(case) for case in found[:most]])

    def _counted(self, made: Mapping[int, Score | None]) -> EvaluationResults:
        """The totals of the results, without cases to show."""
        totals = stored_totals(self._record, self._settings, max_listed=self._options.max_listed)
        for row in self._rows:
            # Only if the counts are not enough: otherwise some tables would be half full.
            score = made.get(row.number) if row.number in self._incomplete else None
            totals.add(row.result if score is None else replace(row.result, score=score))
        is_filtered = bool(self._options.keyword)
        return totals_of_evaluation(totals, self._record, self._settings, is_filtered=is_filtered)

    def _case(
        self, result: Result, record: ResultRecord | None, score: Score | None
    ) -> CaseScore | CaseValues:
        kept = {} if record is None else record.payload
        tags = tuple([str(tag) for tag in kept.get("tags") or ()])
        calls = () if record is None else stored_calls(record)
        case = replace(result.case, tags=tags, actual=calls)
        return replace(result, case=case, score=score).shown()


# --- one case of a run ------------------------------------------------------------------------

_SEPARATOR = "::"
_MAX_LISTED = 5


def load_case(
    store: Store, run: RunRecord, reference: str, keyword: str = "", variant: str | None = None
) -> list[SavedCase]:
    """A case of a run, in each evaluation that has it.

    The reference is the id of the case, or `evaluation::id`. The keyword filters evaluations.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such case, or no such variant.
    """
    evaluations = {record.number: record for record in evaluations_of_variant(store, run, variant)}
    fits = _keyword_filter(keyword)
    grouped: dict[int, list[ResultRecord]] = {}
    for result in _results(store, run, reference, evaluations):
        record = evaluations[result.evaluation]
        if fits((record.name, record.variant or "", result.case)):
            grouped.setdefault(result.evaluation, []).append(result)
    if not grouped:
        names = list(dict.fromkeys([row.result.case.id for row in light_results(store, run.id)]))
        shown = ", ".join([*names[:_MAX_LISTED], *(["..."] if len(names) > _MAX_LISTED else [])])
        has = f". Choose from: {shown}." if names else ": it has no cases"
        meant = did_you_mean(reference, names)
        if saved_cases_of(run) != "all":
            raise UnknownRun(_not_saved_text(run, reference))  # the id may be right
        raise UnknownRun(f"run {run.id} has no case {reference!r}{meant or has}")
    scores = StoredScores(store, evaluations.values())
    return [
        _case(evaluations[number], grouped[number], scores, run.id) for number in sorted(grouped)
    ]


def _not_saved_text(run: RunRecord, reference: str) -> str:
    has = "only the failing cases" if saved_cases_of(run) == "failing" else "no case"
    return (
        f"case {reference!r} is not saved: the history has {has} of run {run.id}. To save"
        " every case, score the files again with --save-cases all"
    )


def _results(
    store: Store, run: RunRecord, reference: str, evaluations: dict[int, EvaluationRecord]
) -> list[ResultRecord]:
    """The results of the case; with a prefix `evaluation::`, those of the evaluations it names."""
    results = partial(_results_of_case, store, run)
    found = [one for one in results(reference) if one.evaluation in evaluations]
    parts = reference.split(_SEPARATOR)
    for end in range(1, len(parts)):
        if found:
            break
        only, case = _SEPARATOR.join(parts[:end]), _SEPARATOR.join(parts[end:])
        found = [
            one
            for one in results(case)
            if (record := evaluations.get(one.evaluation)) is not None
            and only in (record.name, evaluation_label(record), record.place)
        ]
    return found


def _results_of_case(store: Store, run: RunRecord, case: str) -> list[ResultRecord]:
    """The results of a case; its id may be given with a value that is hidden in the history."""
    return store.result(run.id, case) or store.result(run.id, hide_text(case))


def _case(
    record: EvaluationRecord, results: list[ResultRecord], scores: StoredScores, run: str
) -> SavedCase:
    results = sorted(results, key=lambda result: result.trial)
    payload = results[0].payload
    tags = payload.get("tags")
    expected = payload.get("expected")
    return SavedCase(
        run=run,
        evaluation=evaluation_label(record),
        place=file_of_location(record.place),
        id=results[0].case,
        tags=tuple([str(tag) for tag in tags]) if isinstance(tags, list) else (),
        input=payload.get("input"),
        expected=expected if isinstance(expected, list) else None,
        metadata=payload.get("metadata"),
        pass_mark=scores.settings_of(record.number).pass_mark,
        trials=tuple([stored_result(result, scores) for result in results]),
    )


def stored_result(record: ResultRecord, scores: StoredScores) -> Result:
    """A result with everything that is stored; what was expected is as a case file has it."""
    kind, problem = record.failure or ("", "")
    failure = Failure(
        case=record.case,
        kind=failure_kind(kind),
        problem=problem,
        trial=record.trial,
        attempts=record.attempts,
    )
    payload = record.payload
    tags, expected = payload.get("tags"), payload.get("expected")
    return Result(
        case=Case(
            payload.get("input"),
            id=record.case,
            trial=record.trial,
            expected=expected if isinstance(expected, list) else UNSET,
            actual=stored_calls(record),
            tags=[str(tag) for tag in tags] if isinstance(tags, list) else (),
            metadata=payload.get("metadata"),
            origin=origin_in(payload.get("origin")),
        ),
        status=record.status,
        answer=Answer(
            document=record.answer,
            seconds=record.seconds,
            usage=record.usage,
            attempts=record.attempts,
            is_reused=record.is_reused,
        ),
        score=scores.score_of(record),
        values=record.values,
        passed=record.passed,
        failure=failure if kind else None,
        saved=SavedScore(
            f1=record.f1,
            counts=record.counts,
            tools=record.tools,
            comparison=record.comparison,
            turns=record.turns,
            first_wrong_turn=record.first_wrong_turn,
        ),
    )
