"""Reads a run back from the history: its results, one case, their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from callscore.core.budget import OverBudget
from callscore.core.case import Case, origin_in
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.core.results import (
    EvaluationResults,
    Noted,
    Result,
    RunResults,
    SavedCase,
)
from callscore.core.settings import DEFAULT, ArgumentRule, Settings, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.core.totals import EvaluationTotals, Show
from callscore.errors import CallscoreError, InvalidCall, UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.hiding.hider import contains_marker, hide_text
from callscore.history.locks import is_abandoned
from callscore.history.records import EvaluationRecord
from callscore.history.run_metadata import unreadable_records
from callscore.history.run_results import (
    light_results,
    numbered_results,
    result_numbers,
    unknown_variant,
)
from callscore.history.saved_scores import PYTHON_KEY, stored_result, stored_score
from callscore.history.saved_totals import (
    FAILING_TRIALS,
    SAVED_CASES,
    evaluation_of_counts,
    saved_cases_of,
    saved_counts,
)
from callscore.words.value_text import UNREADABLE_COUNT

if TYPE_CHECKING:
    from callscore.core.score import Score
    from callscore.history.records import ResultRecord, RunRecord
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


def has_hidden_calls(record: ResultRecord) -> bool:
    """Whether a value is hidden in what is compared: the calls of both sides, and the tools."""
    calls = [[call.get(key) for key in ("name", "arguments", "raw")] for call in record.calls or ()]
    return contains_marker([record.payload.get("expected"), record.payload.get("tools"), calls])


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
_MOST_SINGLE = 100  # results that are read one by one


class _Part(Struct):
    """An evaluation of a run while its results are read."""

    record: EvaluationRecord
    settings: Settings
    totals: EvaluationTotals
    has_trials: bool
    has_results: bool = False

    def result(self, found: ResultRecord) -> Result:
        """A stored result; the only trial of a case has no number."""
        return stored_result(found, self.settings, has_trials=self.has_trials)


class StoredRun:
    """Reads the results of a run, in the order of its plan, and adds them up.

    Args:
        options: which cases to show; all count that the keyword selects.
        case: the only case to show and to count, see `load_case`.
        is_streamed: whether the cases to show are those that `results` yields; else `totals` has them.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant or case.
    """

    def __init__(
        self,
        store: Store,
        run: RunRecord,
        options: ShowOptions = _OPTIONS,
        case: str | None = None,
        *,
        is_streamed: bool = False,
    ) -> None:
        self.run = run
        self._is_streamed = is_streamed
        self._read = self._not_shown = self._without_score = 0
        self._only = (
            None if case is None else load_case(store, run, case, options.keyword, options.variant)
        )
        self._store = store
        self._options = options
        self._fits = selected_by(options.keyword) if options.keyword else None
        trials, records = store.trials(run.id), evaluations_of_variant(store, run, options.variant)
        self._parts: dict[int, _Part] = {}
        for record in records:
            settings = read_settings(record.settings)
            scorers = record.summary.get("scorers") or ()
            totals = EvaluationTotals(
                settings,
                {str(one.get("name")): one.get("fail_under") for one in scorers},
                show="none" if is_streamed else options.show,
                max_shown=options.max_shown,
                max_listed=options.max_listed,
            )
            has_trials = trials.get(record.number, 1) > 1
            self._parts[record.number] = _Part(record, settings, totals, has_trials)

    def results(self) -> Iterator[tuple[int, Result]]:
        """The results to show, each with the position of its evaluation; all are added up."""
        positions = {number: position for position, number in enumerate(self._parts)}
        options, shown = self._options, 0
        for part, result in self._all():
            part.has_results = True
            part.totals.add(result)
            self._read += 1
            is_passed = result.passed is True and result.failure is None
            if options.show == "none" or (options.show == "failing" and is_passed):
                continue
            if options.max_shown is not None and shown >= options.max_shown:
                self._not_shown += 1
                continue
            shown += 1
            yield positions[part.record.number], result

    def _all(self) -> Iterator[tuple[_Part, Result]]:
        for case in self._only or ():
            part = self._parts[case.number]
            for trial in case.trials:
                of_case = trial.case if part.has_trials else replace(trial.case, trial=None)
                yield part, replace(trial, case=of_case)
        if self._only is None:
            for found in self._store.results(self.run.id):
                selected = self._part_of(found)
                if selected is not None:
                    yield selected, selected.result(found)

    def _part_of(self, found: ResultRecord) -> _Part | None:
        """The evaluation of a result; None if it is not selected."""
        part = self._parts.get(found.evaluation)
        if part is None or self._fits is None:
            return part
        names = (part.record.name, part.record.variant or "", found.case)
        return part if self._fits(names) else None

    def add_up(self) -> None:
        """Add up all results; only those that need it are read in full, which takes three times as long."""
        options, parts = self._options, self._parts.values()
        reads_all = options.is_whole or any(_has_partial_counts(part.settings) for part in parts)
        if reads_all or options.max_shown is None or options.max_shown > _MOST_SINGLE:
            for part, result in self._all():
                self._add(part, replace(result, score=None), result)
            return
        for number, found in light_results(self._store, self.run.id):
            if (selected := self._part_of(found)) is None:
                continue
            result, full = selected.result(found), None
            if selected.totals.shows(result):
                full = selected.result(numbered_results(self._store, self.run.id, [number])[number])
            self._add(selected, result, full)

    def _add(self, part: _Part, result: Result, full: Result | None) -> None:
        """Add a result without its score, and with it if it is known."""
        part.has_results = True
        if full is not None and full.score is None and part.totals.shows(result):
            self._without_score += result.status == "scored"
        # Only if the counts are not enough: otherwise some tables would be half full.
        is_needed = self._options.is_whole or _has_partial_counts(part.settings)
        part.totals.add(full if full is not None and is_needed else result, shown=full)

    def totals(self) -> RunResults:
        """The totals of the run; after all results were read.

        Raises:
            UnknownRun: the keyword fits nothing.
        """
        run, options, is_case = self.run, self._options, self._only is not None
        parts = list(self._parts.values())
        if options.keyword and not any(part.has_results for part in parts):
            labels = dict.fromkeys([evaluation_label(part.record) for part in parts])
            raise UnknownRun(
                f"nothing in run {run.id} matches {options.keyword!r}."
                f" Its evaluations: {', '.join(labels) or 'no evaluation'}"
            )
        if options.keyword and not self._is_streamed:
            parts = [part for part in parts if part.has_results]
        found = [self._totals_of(part) for part in parts]
        if found and self._is_streamed:
            not_saved = sum(part.answered + part.errors for part in found) - self._read
            is_part = saved_cases_of(run) != "all" and not is_case
            not_shown = self._not_shown + (max(not_saved, 0) if is_part else 0)
            found[0] = replace(found[0], results=replace(found[0].results, not_shown=not_shown))
        records = [part.record for part in self._parts.values()]
        warnings = _run_warnings(run, options.lang, records, keyword=options.keyword)
        if is_case and saved_cases_of(run) == "failing":
            warnings = [say(FAILING_TRIALS, options.lang)]
        if self._without_score:
            cases = count_of(_CASES, self._without_score, options.lang)
            warnings.append(say(_CALLS_ONLY, options.lang, cases=cases))
        return RunResults(
            id=run.id,
            evaluations=tuple(found),
            seconds=max((run.finished_at or run.started_at) - run.started_at, 0.0),
            is_interrupted=run.status == "interrupted"
            or any(each.not_run for each in found)
            or is_abandoned(self._store, run),
            warnings=tuple(warnings),
            unreadable=unreadable_records(run),
        )

    def _totals_of(self, part: _Part) -> EvaluationResults:
        """The totals of an evaluation; if cases are selected, it is unknown how many were planned.

        If not every case is saved, they are the totals of all cases, whatever the keyword.
        """
        record, is_case = part.record, self._only is not None
        place = file_of_location(record.place)
        about = {"name": record.name, "place": place, "variant": record.variant}
        planned = {}
        if not self._options.keyword and not is_case and "planned_cases" in record.summary:
            planned = {
                "cases": record.summary["planned_cases"],
                "questions": record.summary.get("planned_trials"),
            }
        skipped = Noted() if is_case else stored_skipped(record)
        saved = part.totals.evaluation(about, skipped=skipped, is_saved=True, **planned)
        counts = None if is_case else saved_counts(record.summary)
        if counts is None:
            return saved
        whole = evaluation_of_counts(record, counts, part.settings, place)
        results = replace(
            whole.results, shown=saved.results.shown, not_shown=saved.results.not_shown
        )
        return replace(whole, results=results, failures=saved.failures, skipped=skipped)


def load_run(store: Store, run: RunRecord, options: ShowOptions = _OPTIONS) -> RunResults:
    """The results of a stored run.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant, or nothing that the keyword fits.
    """
    found = StoredRun(store, run, options)
    found.add_up()
    return found.totals()


def _has_partial_counts(settings: Settings) -> bool:
    """Whether the stored counts of some results are not enough for the totals."""
    leaves_out = settings.count_calls != "all" or settings.failed_calls != "count"
    return leaves_out or settings.extra_calls != "cost" or settings.mode == "flexible"


def selected_by(keyword: str) -> Callable[[Sequence[str]], bool]:
    """Whether a keyword selects names: of an evaluation, its variant and a case."""
    from callscore.evaluations.plan import keyword_filter  # imports what runs evaluations

    return keyword_filter(keyword)


def _run_warnings(
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


class StoredResults:
    """The results of the cases of a stored run.

    A case is named by the number of its evaluation and its id.
    """

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._run = run
        self._settings = settings_by_number(store.evaluations(run))
        self._numbers: dict[tuple[int, str], list[int]] | None = None

    def of_cases(self, cases: Sequence[tuple[int, str]]) -> list[list[Result]]:
        """All trials of each of these cases; empty for a case that the run has not.

        The only trial of a case has no number.
        """
        if self._numbers is None:
            self._numbers = {}
            rows = sorted(result_numbers(self._store, self._run), key=lambda row: row[3])
            for number, evaluation, case, _ in rows:
                self._numbers.setdefault((evaluation, case), []).append(number)
        wanted = [self._numbers.get(case, []) for case in cases]
        every = [number for numbers in wanted for number in numbers]
        records = numbered_results(self._store, self._run, every)
        return [
            [
                stored_result(
                    records[number],
                    self._settings[records[number].evaluation],
                    has_trials=len(numbers) > 1,
                )
                for number in numbers
            ]
            for numbers in wanted
        ]


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
    found: list[ResultRecord] = []
    parts = reference.split(_SEPARATOR)
    for end in range(len(parts)):
        only, case = _SEPARATOR.join(parts[:end]), _SEPARATOR.join(parts[end:])
        # The id may be given with a value that is hidden in the history.
        named = store.cases(run.id, [case]) or store.cases(run.id, [hide_text(case)])
        found = [
            each
            for each in chain.from_iterable(named.values())
            if (record := evaluations.get(each.evaluation)) is not None
            and (not end or only in (record.name, evaluation_label(record), record.place))
        ]
        if found:
            break
    grouped: dict[int, list[ResultRecord]] = {}
    for each in sorted(found, key=lambda each: (each.evaluation, each.trial)):
        record = evaluations[each.evaluation]
        if fits((record.name, record.variant or "", each.case)):
            grouped.setdefault(each.evaluation, []).append(each)
    if not grouped:
        raise _unknown_case(store, run, reference)
    cases = []
    for number, results in grouped.items():
        record = evaluations[number]
        settings = read_settings(record.settings)
        trials = tuple([stored_result(result, settings) for result in results])
        saved = SavedCase(
            run=run.id,
            number=number,
            evaluation=evaluation_label(record),
            place=file_of_location(record.place),
            case=trials[0].case,
            pass_mark=settings.pass_mark,
            trials=trials,
        )
        cases.append(saved)
    return cases


def _unknown_case(store: Store, run: RunRecord, reference: str) -> UnknownRun:
    saved = saved_cases_of(run)
    if saved != "all":  # the id may be right
        has = "only the failing cases" if saved == "failing" else "no case"
        return UnknownRun(
            f"case {reference!r} is not saved: the history has {has} of run {run.id}. To save"
            " every case, score the files again with --save-cases all"
        )
    names = list(dict.fromkeys([result.case for _, result in light_results(store, run.id)]))
    shown = ", ".join([*names[:_MAX_LISTED], *(["..."] if len(names) > _MAX_LISTED else [])])
    has = f". Choose from: {shown}." if names else ": it has no cases"
    return UnknownRun(
        f"run {run.id} has no case {reference!r}{did_you_mean(reference, names) or has}"
    )
