"""Reads a run back from the history: its results, one case, their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from callscore.core.budget import OverBudget
from callscore.core.case import Case, origin_in
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.core.results import (
    Answer,
    EvaluationResults,
    Failure,
    Noted,
    Result,
    RunResults,
    SavedCase,
    ScoreCounts,
    failure_kind,
)
from callscore.core.settings import DEFAULT, ArgumentRule, Settings, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.core.totals import EvaluationTotals, Show
from callscore.errors import CallscoreError, InvalidCall, UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.hiding.hider import contains_marker, hide_text
from callscore.history.locks import is_abandoned
from callscore.history.run_metadata import unreadable_records
from callscore.history.run_results import light_results, numbered_results, unknown_variant
from callscore.history.saved_scores import PYTHON_KEY, read_calls, read_score
from callscore.history.saved_totals import (
    SAVED_CASES,
    evaluation_of_counts,
    saved_cases_of,
    saved_counts,
)
from callscore.words.value_text import UNREADABLE_COUNT

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Score
    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

# --- settings and cases --------------------------------------------------------------------------

_TUPLE_SETTINGS = ("strip_prefix", "normalize_name", "effects")
# Settings that are functions, of which only a judge can be restored.
FUNCTION_SETTINGS = ("judge", "similarity")


def stored_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Stored settings as keyword arguments."""
    found = dict(kept)
    if "arguments" in found:
        rules = found["arguments"] or ()
        found["arguments"] = tuple([msgspec.convert(rule, ArgumentRule) for rule in rules])
    for name in _TUPLE_SETTINGS:
        if isinstance(found.get(name), list):
            found[name] = tuple(found[name])
    return found


class StoredFunction:
    """A judge or another function of stored settings, of which only a name is known.

    Attributes:
        model: the model of a judge.
    """

    def __init__(self, stored: Any, store: Store | None = None) -> None:
        self._judge = stored if isinstance(stored, dict) else {}
        self._store = store
        if self._judge:
            self.model = self._judge.get("model")
        else:
            self.__module__, _, self.__qualname__ = str(stored).rpartition(".")

    def __call__(self, *asked: Any) -> Any:
        """The stored answer of a judge, if there is a store.

        Raises:
            OverBudget: it is not stored; an explanation leaves out what it cannot find out.
        """
        found = None
        if self._judge and self._store is not None:
            from callscore.engines.payloads import JUDGE_FIELDS
            from callscore.models.judging import judge  # imports the models

            made = judge(**{name: self._judge[name] for name in JUDGE_FIELDS})
            found = self._store.judgement(made.key_of(*asked))
        if found is None:
            raise OverBudget("the function of a stored run cannot be called.")
        return found["verdict"], found["reason"]


def read_settings(kept: Mapping[str, Any], store: Store | None = None) -> Settings:
    """Stored settings; judges have the answers in the store. The defaults if they cannot be read."""
    found = stored_settings(kept)
    for name in FUNCTION_SETTINGS:
        if found.get(name) is not None:
            found[name] = StoredFunction(found[name], store)
    known = {name: value for name, value in found.items() if value != getattr(DEFAULT, name, UNSET)}
    try:
        return settings_from(known) if known else DEFAULT
    except CallscoreError:  # settings of another version of callscore
        return DEFAULT


def case_from_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case of a stored payload.

    Raises:
        InvalidCall: only Python can express what it expects.
    """
    from callscore.formats.case_sides import read_expected_side

    expected = payload.get("expected")
    for item in expected or ():
        if isinstance(item, dict) and PYTHON_KEY in item:
            raise InvalidCall(
                f"the expected calls can be written only in Python: {item[PYTHON_KEY]}"
            )
    return Case(
        payload.get("input"),
        id=name,
        expected=UNSET
        if expected is None
        else read_expected_side(expected, where=f"case {name}", spelled=True),
        tools=payload.get("tools"),
        tags=tuple(payload.get("tags") or ()),
        metadata=payload.get("metadata"),
        origin=origin_in(payload.get("origin")),
    )


def stored_skipped(record: EvaluationRecord) -> Noted:
    """How many cases were skipped; their names are not stored."""
    skipped = record.summary.get("skipped")
    return Noted(skipped if isinstance(skipped, int) else 0)


# --- results as they were stored --------------------------------------------------------------


def settings_by_number(
    evaluations: Iterable[EvaluationRecord], store: Store | None = None
) -> dict[int, Settings]:
    """The settings of each evaluation, by its number."""
    return {record.number: read_settings(record.settings, store) for record in evaluations}


def score_reader(
    evaluations: Iterable[EvaluationRecord], store: Store
) -> Callable[[ResultRecord], Score | None]:
    """What reads the scores of these evaluations, for changes that have to be scored."""
    settings = settings_by_number(evaluations, store)
    return lambda record: stored_score(record, settings[record.evaluation])


def stored_score(record: ResultRecord, settings: Settings) -> Score | None:
    """The score of a result as it was stored; None if there is none, or it cannot be read."""
    return read_score(record.comparison, record.payload, stored_calls(record), settings)


def has_hidden_calls(record: ResultRecord) -> bool:
    """Whether a value is hidden in what is compared: the calls of both sides, and the tools."""
    calls = [[call.get(key) for key in ("name", "arguments", "raw")] for call in record.calls or ()]
    return contains_marker([record.payload.get("expected"), record.payload.get("tools"), calls])


def stored_calls(record: ResultRecord) -> tuple[ToolCall, ...]:
    """The calls of a result; empty if they are not valid."""
    return read_calls(record.calls)


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


def nothing_matches(
    run: RunRecord, keyword: str, evaluations: Iterable[EvaluationRecord]
) -> UnknownRun:
    """The error that a keyword fits nothing in a run."""
    labels = ", ".join(dict.fromkeys(map(evaluation_label, evaluations))) or "no evaluation"
    return UnknownRun(f"nothing in run {run.id} matches {keyword!r}. Its evaluations: {labels}")


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
    "for {cases} only the calls are shown: their scores in the history cannot be read",
    "для {cases} показаны только вызовы: их оценки в истории нельзя прочитать",
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
_ROWS_AT_ONCE = 2_000


def load_run(store: Store, run: RunRecord, options: ShowOptions = _OPTIONS) -> RunResults:
    """The results of a stored run.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant, or nothing that the keyword fits.
    """
    evaluations = evaluations_of_variant(store, run, options.variant)
    settings = settings_by_number(evaluations)
    highest = store.trials(run.id)
    parts = {
        record.number: _EvaluationPart(
            record,
            settings[record.number],
            options,
            has_trials=highest.get(record.number, 1) > 1,
        )
        for record in evaluations
    }
    is_wanted = _selection(evaluations, options.keyword)
    found_results = (
        (number, parts[record.evaluation], parts[record.evaluation].result(record))
        for number, record in light_results(store, run.id)
        if is_wanted(record.evaluation, record.case)
    )
    while some := list(islice(found_results, _ROWS_AT_ONCE)):
        needed = [number for number, part, result in some if part.needs_full(number, result)]
        full = numbered_results(store, run.id, needed) if needed else {}
        for number, part, result in some:
            part.add(number, result, full.get(number))
    found = [part for part in parts.values() if part.has_rows or not options.keyword]
    if not found and options.keyword:
        raise nothing_matches(run, options.keyword, evaluations)
    results = [part.results() for part in found]
    warnings = run_warnings(run, options.lang, evaluations, keyword=options.keyword)
    without_score = sum(part.without_score for part in found)
    if without_score:
        cases = count_of(_CASES, without_score, options.lang)
        warnings.append(say(_CALLS_ONLY, options.lang, cases=cases))
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


def _selection(evaluations: Iterable[EvaluationRecord], keyword: str) -> Callable[[int, str], bool]:
    """Whether a result is of one of these evaluations and the keyword selects it."""
    known = {record.number: (record.name, record.variant or "") for record in evaluations}
    fits = selected_by(keyword) if keyword else None

    def is_wanted(evaluation: int, case: str) -> bool:
        names = known.get(evaluation)
        return names is not None and (fits is None or fits((*names, case)))

    return is_wanted


def selected_by(keyword: str) -> Callable[[Sequence[str]], bool]:
    """Whether a keyword selects names: of an evaluation, its variant and a case."""
    from callscore.evaluations.plan import keyword_filter  # imports what runs evaluations

    return keyword_filter(keyword)


def stored_totals(
    record: EvaluationRecord, settings: Settings, *, max_listed: int = 0
) -> EvaluationTotals:
    """What adds up the results of a stored evaluation; no case is kept."""
    scorers = record.summary.get("scorers") or ()
    fail_under = {str(one.get("name")): one.get("fail_under") for one in scorers}
    return EvaluationTotals(settings, fail_under, show="none", max_listed=max_listed)


def totals_of_evaluation(
    totals: EvaluationTotals,
    record: EvaluationRecord,
    settings: Settings,
    *,
    is_filtered: bool = False,
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
    """One evaluation of the run; takes its results in order, and keeps those that are shown."""

    def __init__(
        self,
        record: EvaluationRecord,
        settings: Settings,
        options: ShowOptions,
        *,
        has_trials: bool,
    ) -> None:
        self._has_trials = has_trials
        self._record = record
        self._settings = settings
        self._options = options
        # Then the totals are known, and are not counted.
        self._has_counts = saved_counts(record.summary) is not None
        self._totals = stored_totals(record, settings, max_listed=options.max_listed)
        self._to_show: set[int] = set()  # the numbers of rows that are not added yet
        self._failing: set[str] = set()  # cases with several trials
        self._shown: list[Result] = []
        self._not_shown = 0
        self._unanswered: list[Result] = []
        self.has_rows = False
        self.without_score = 0

    def result(self, record: ResultRecord) -> Result:
        """A stored result; the only trial of a case has no number."""
        return stored_result(record, self._settings, has_trials=self._has_trials)

    def needs_full(self, number: int, result: Result) -> bool:
        """Whether a result, the next one, must be read in full: to show it or to count it."""
        if self._is_to_show(result):
            if self._has_room(len(self._shown) + len(self._to_show)):
                self._to_show.add(number)
            else:
                self._not_shown += 1
        return number in self._to_show or self._is_incomplete(result)

    def _has_room(self, shown: int) -> bool:
        return self._options.max_shown is None or shown < self._options.max_shown

    def _is_to_show(self, result: Result) -> bool:
        """Whether an answer is one of those to show; only the first failing trial of a case is."""
        if result.status == "error" or self._options.show != "failing":
            return result.status != "error" and self._options.show == "all"
        if result.passed is not False or result.case.id in self._failing:
            return False
        if result.case.trial is not None:
            self._failing.add(result.case.id)
        return True

    def _is_incomplete(self, result: Result) -> bool:
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

    def add(self, number: int, result: Result, full: ResultRecord | None) -> None:
        """Add a result, with what was read in full if it was needed."""
        self.has_rows = True
        is_listed = result.status == "error" and self._options.show != "none"
        if is_listed and self._has_room(len(self._unanswered)):
            self._unanswered.append(result)
        if full is not None:
            read = self.result(full)
            if number in self._to_show:
                self._to_show.remove(number)
                self._shown.append(read)
                self.without_score += read.score is None and result.status == "scored"
            # Only if the counts are not enough: otherwise some tables would be half full.
            if read.score is not None and self._is_incomplete(result):
                result = replace(result, score=read.score)
        self._totals.add(result)

    def results(self) -> EvaluationResults:
        """The totals, and the cases to show."""
        is_filtered = bool(self._options.keyword)
        counted = totals_of_evaluation(
            self._totals, self._record, self._settings, is_filtered=is_filtered
        )
        shown = (*self._shown, *self._unanswered)
        results = replace(counted.results, shown=shown, not_shown=self._not_shown)
        return replace(counted, results=results)


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
    fits = selected_by(keyword)
    grouped: dict[int, list[ResultRecord]] = {}
    for result in _results(store, run, reference, evaluations):
        record = evaluations[result.evaluation]
        if fits((record.name, record.variant or "", result.case)):
            grouped.setdefault(result.evaluation, []).append(result)
    if not grouped:
        names = list(dict.fromkeys([result.case for _, result in light_results(store, run.id)]))
        shown = ", ".join([*names[:_MAX_LISTED], *(["..."] if len(names) > _MAX_LISTED else [])])
        has = f". Choose from: {shown}." if names else ": it has no cases"
        meant = did_you_mean(reference, names)
        if saved_cases_of(run) != "all":
            raise UnknownRun(_not_saved_text(run, reference))  # the id may be right
        raise UnknownRun(f"run {run.id} has no case {reference!r}{meant or has}")
    return [_case(evaluations[number], grouped[number], run.id) for number in sorted(grouped)]


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


def _case(record: EvaluationRecord, results: list[ResultRecord], run: str) -> SavedCase:
    settings = read_settings(record.settings)
    results = sorted(results, key=lambda result: result.trial)
    trials = tuple([stored_result(result, settings) for result in results])
    return SavedCase(
        run=run,
        number=record.number,
        evaluation=evaluation_label(record),
        place=file_of_location(record.place),
        case=trials[0].case,
        pass_mark=settings.pass_mark,
        trials=trials,
    )


def stored_result(record: ResultRecord, settings: Settings, *, has_trials: bool = True) -> Result:
    """A result with everything that is stored; what was expected is as a case file has it.

    Without `has_trials`, the only trial of a case has no number.
    """
    trial, failure = record.trial if has_trials else None, None
    if record.failure is not None:
        kind, problem = record.failure
        failure = Failure(
            case=record.case,
            kind=failure_kind(kind),
            problem=problem,
            trial=trial,
            attempts=record.attempts,
        )
    payload = record.payload
    tags, expected = payload.get("tags"), payload.get("expected")
    return Result(
        case=Case(
            payload.get("input"),
            id=record.case,
            trial=trial,
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
        score=stored_score(record, settings),
        values=record.values,
        passed=record.passed,
        failure=failure,
        saved=ScoreCounts(
            counts=record.counts,
            faults=record.faults,
            turns=record.turns,
            first_wrong_turn=record.first_wrong_turn,
            tools=record.tools,
        ),
    )
