"""Scores cases and files of cases in this process and in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, cast

from msgspec import Struct, structs

from callscore.api import score_case
from callscore.core.budget import OverBudget
from callscore.core.call import Tool
from callscore.core.case import Case
from callscore.core.fast_strict import StrictCounter
from callscore.core.results import CaseScore, Failure, MetricValue, Noted, Result, Results, Status
from callscore.core.score import Outcome, Score, is_passing, outcome_of
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary
from callscore.core.totals import Column, NameCounter
from callscore.engines.inputs import (
    CASES,
    REFERENCES,
    TRACES,
    CaseLimit,
    CaseReader,
    InputOptions,
    file_title,
    input_options_for,
    join_traces,
    read_cases,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidCall, InvalidSettings, ModelFailed, UnreadableInput
from callscore.formats.cases import (
    PlainCase,
    case_record,
    decode_plain_cases,
    has_own_id,
    read_case,
)
from callscore.formats.reading import read_candidates
from callscore.formats.shape import describe
from callscore.formats.trace import DEFAULT_READ_OPTIONS
from callscore.metrics.metric import InvalidOption
from callscore.sources import Array, BadRecord, Lines, Record, read_batches
from callscore.sources.duplicate_keys import has_duplicate_sides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.engines.inputs import FileContent, Found
    from callscore.formats.trace import ReadOptions
    from callscore.metrics.metric import Metric

    Metrics = str | Metric | Iterable[str | Metric]

__all__ = ["Collector", "ScoreHooks", "Show", "score_cases", "score_files", "score_joined"]

Show = Literal["failing", "all", "none"]

_NO_ANSWER = "the file has no answer for this case"
_MAX_REMEMBERED = 1_000_000
# Settings that do not change which calls are equal, if all others are the defaults.
_IRRELEVANT_SETTINGS = ("pass_mark", "argument_match_threshold", "extra_arguments")


class ScoreHooks(Struct, frozen=True, kw_only=True):
    """Callbacks while cases are scored.

    Attributes:
        on_case: called with every case to show, which is then not kept for the end.
        on_outcomes: called with some scored cases, which have an `id` and a `trial`, and the outcome
            of each: its correct pairs, expected calls, actual calls, and forbidden calls.
        on_score: called with every scored case, its score, and the definitions of its tools by name,
            or None if they are unknown.
        on_result: called with the result of every case, scored or not, with the values of metrics;
            for engines only.
        on_unscored: called with every case without a score: nothing is expected, or there is no
            answer.
        on_unjudged: called with the place of a case for which the judge gave no answer, the case, and
            the error; the case is left out. Without it, the error is raised.
        on_bytes: called with the number of bytes that were read since the last call.
        on_file: called with the path of each file before its cases.
    """

    on_case: Callable[[CaseScore], None] | None = None
    on_outcomes: Callable[[Sequence[Case | PlainCase], Sequence[Outcome]], None] | None = None
    on_score: Callable[[Case, Score, Mapping[str, Tool] | None], None] | None = None
    on_result: Callable[[Result], None] | None = None
    on_unscored: Callable[[Case], None] | None = None
    on_unjudged: Callable[[str, Case, ModelFailed], None] | None = None
    on_bytes: Callable[[int], None] | None = None
    on_file: Callable[[str], None] | None = None


class Collector:
    """Gathers the results of many cases."""

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        settings: Settings,
        show: Show,
        max_shown: int | None,
        hooks: ScoreHooks,
        *,
        tools: Any = None,
        metrics: Metrics = (),
    ) -> None:
        self.definitions = ToolDefinitions(tools)
        self.not_scored = NameCounter()
        self.not_run = NameCounter()
        self.without_reference = NameCounter()
        self.skipped = NameCounter()
        self.empty_files: list[str] = []
        self._records = 0  # of the files before
        self._repeated = NameCounter(each_once=True)
        self._settings = settings
        self._show = show
        self._max_shown = max_shown
        self._hooks = hooks
        self._metrics: tuple[Metric, ...] = ()
        if metrics:
            from callscore.metrics.registry import resolve_metrics

            self._metrics = resolve_metrics(metrics)
        self._columns = [Column(metric.name) for metric in self._metrics]
        self._summary = Summary(pass_mark=settings.pass_mark)
        self._strict = StrictCounter()
        self._remembered: set[int] = set()
        self._known: dict[Outcome, Outcome] = {}
        self._kept: list[CaseScore] = []
        self._first: tuple[Case, CaseScore] | None = None
        self.file = ""  # that was read last
        self._shown = 0
        self._not_shown = 0

    @property
    def takes_plain(self) -> bool:
        """Whether cases can be counted without decoding them, except the few that are shown."""
        shows_few = self._show == "none" or (
            self._show == "failing" and self._max_shown is not None
        )
        is_watched = self._hooks.on_score is not None or self._hooks.on_result is not None
        knows_tools = self.definitions.of_run is not None
        if not shows_few or is_watched or knows_tools or self._metrics:
            return False
        defaults = {setting: getattr(DEFAULT, setting) for setting in _IRRELEVANT_SETTINGS}
        return structs.replace(self._settings, **defaults) == DEFAULT

    def take(self, case: Case, place: str = "") -> None:
        """Score one case and count it, or count why it is not scored.

        The place names a case without an id.
        """
        if case.expected is None or case.actual is None:
            name = case.id if has_own_id(case) else place
            failure = None
            if case.expected is None:
                self.not_scored.add(name)
            else:  # nothing to score, but a failure: leaving it out would reward it
                self.not_run.add(name)
                self._summary.add_unanswered(trial_of=None if case.trial is None else case.id)
                failure = Failure(case=case.id, kind="missing", problem=_NO_ANSWER)
            if self._hooks.on_unscored is not None:
                self._hooks.on_unscored(case)
            if self._hooks.on_result is not None:
                status: Status = "not_scored" if failure is None else "error"
                self._hooks.on_result(Result(case=case, status=status, failure=failure))
            return
        if has_own_id(case):
            self._note_repeated(case.id, case.trial)
        tools = self.definitions.of(case.tools, case.id)
        score = self._score(case, tools)
        self._summary.add(score, trial_of=None if case.trial is None else case.id)
        values = self._call_hooks(case, score, tools)
        self._remember(case, score, values)
        if self._show == "all" or (self._show == "failing" and not score.passed):
            self._show_case(case, score, values)

    def _call_hooks(
        self, case: Case, score: Score, tools: Mapping[str, Tool] | None
    ) -> tuple[MetricValue, ...]:
        """Call the hooks with a scored case; returns the values of the metrics."""
        hooks = self._hooks
        if hooks.on_outcomes is not None:
            hooks.on_outcomes([case], [outcome_of(score)])
        # Metrics do not know the settings: they get all calls, and of several answers the first.
        values = tuple(
            [
                metric.value_of(case.expected or (), case.actual or (), tools)
                for metric in self._metrics
            ]
        )
        for column, value in zip(self._columns, values, strict=True):
            column.add(value)
        if hooks.on_score is not None:
            hooks.on_score(case, score, tools)
        if hooks.on_result is not None:
            hooks.on_result(Result(case=case, score=score, values=values, passed=score.passed))
        return values

    def take_plain(
        self,
        cases: list[PlainCase],
        read: Callable[[int], Case | None],
        score: Callable[[int, Case], None],
    ) -> None:
        """Like `take` for each of these, without decoding most of them.

        `read` decodes the case at a position, if possible: to show it, or if it cannot be counted
        without decoding. `score` takes a decoded case, or refuses it.
        """
        expected = [case.expected for case in cases]
        outcomes = self._strict.examine(expected, [case.actual for case in cases])
        undecided = {} if all(outcomes) else self._read_undecided(cases, outcomes, read, score)
        self._strict.count(expected, outcomes)
        counted = list(compress(cases, outcomes)) if undecided else cases
        trials = [case.trial for case in counted]
        self._note_all_repeated(counted, trials)
        if self._hooks.on_outcomes is not None:
            # Equal outcomes are one object, to save memory where they are kept.
            found = cast("list[Outcome]", list(filter(None, outcomes)))
            self._hooks.on_outcomes(counted, list(map(self._known.setdefault, found, found)))
        failing = set()
        if self._show == "failing":
            pass_mark = self._settings.pass_mark
            failing = {
                found for found in set(outcomes) if found and not is_passing(found, pass_mark)
            }
        is_counted = not failing and not undecided and trials.count(None) == len(trials)
        all_cases = enumerate(zip(cases, outcomes, strict=True))
        for position, (case, outcome) in () if is_counted else all_cases:
            if outcome is None:
                if (whole := undecided[position]) is not None:
                    score(position, whole)
            elif case.trial is not None:
                self._summary.add_trial(str(case.id), outcome)
            if outcome in failing:
                self._show_plain(position, read)
        self._remember_plain(cases, read)

    def _read_undecided(
        self,
        cases: list[PlainCase],
        outcomes: list[Outcome | None],
        read: Callable[[int], Case | None],
        score: Callable[[int, Case], None],
    ) -> dict[int, Case | None]:
        """The decoded cases without an outcome; if one is unreadable, only those before it count."""
        found: dict[int, Case | None] = {}
        for position, outcome in enumerate(outcomes):
            if outcome is None:
                try:
                    found[position] = read(position)
                except UnreadableInput:
                    self.take_plain(cases[:position], read, score)
                    raise
        return found

    def note_if_empty(self, path: str) -> None:
        """Note a file that was just read, if it has no record."""
        self._add_strict_counts()
        others = (self.not_scored, self.not_run, self.skipped)
        records = self._summary.cases + sum(each.count for each in others)
        if records == self._records:
            self.empty_files.append(path)
        self._records = records

    def results(self) -> Results:
        """The results so far."""
        self._add_strict_counts()
        is_single = self._summary.cases == self._summary.scored == 1
        first = self._first if is_single else None
        return Results(
            only=None if first is None else first[1],
            hides_calls=self._show == "none" or self._max_shown == 0,
            title=self._title(first) if is_single else "",
            settings=self._settings,
            summary=self._summary,
            cases=tuple(self._kept),
            not_shown=self._not_shown,
            not_scored=self.not_scored.noted(),
            not_run=self.not_run.noted(),
            without_reference=self.without_reference.noted(),
            repeated=self._repeated.noted(),
            skipped=self.skipped.noted(),
            empty_files=tuple(self.empty_files),
            metrics=tuple(
                [
                    column.metric(metric.version)
                    for column, metric in zip(self._columns, self._metrics, strict=True)
                ]
            ),
        )

    def _add_strict_counts(self) -> None:
        """Add to the summary what was counted without decoding it."""
        self._strict.add_to(self._summary)
        self._strict = StrictCounter()

    def _title(self, first: tuple[Case, CaseScore] | None) -> str:
        """The id of a single case, or the name of its file."""
        if first is not None and (has_own_id(first[0]) or not self.file):
            return first[1].label
        return file_title(self.file)

    def _score(self, case: Case, tools: Mapping[str, Tool] | None) -> Score:
        expected, actual = tuple(case.expected or ()), case.actual or ()
        return score_case(expected, actual, self._settings, tools, others=case.others)

    def _note_all_repeated(
        self, cases: list[PlainCase], trials: Sequence[int | str | None]
    ) -> None:
        keys = set(map(hash, zip(map(str, [case.id for case in cases]), trials, strict=True)))
        remembered = self._remembered
        is_new = len(keys) == len(cases) and remembered.isdisjoint(keys)
        if is_new and len(remembered) + len(keys) <= _MAX_REMEMBERED:
            remembered |= keys
        else:
            for case in cases:
                self._note_repeated(str(case.id), case.trial)

    def _note_repeated(self, name: str, trial: int | str | None) -> None:
        # Only the hash: it takes a third of the memory, and collisions are very rare.
        key = hash((name, trial))
        if key in self._remembered:
            self._repeated.add(name if trial is None else f"{name} #{trial}")
        elif len(self._remembered) < _MAX_REMEMBERED:
            self._remembered.add(key)

    def _show_plain(self, position: int, read: Callable[[int], Case | None]) -> None:
        if self._max_shown is not None and self._shown >= self._max_shown:
            self._not_shown += 1
            return
        case = read(position)
        if case is not None:
            tools = self.definitions.of(case.tools, case.id)
            self._show_case(case, self._score(case, tools))

    def _remember(self, case: Case, score: Score, values: tuple[MetricValue, ...] = ()) -> None:
        """Keep one case: if no other follows, the report is about this one."""
        if self._first is None:
            self._first = case, _case_score(case, score, values)

    def _remember_plain(
        self, cases: Sequence[PlainCase], read: Callable[[int], Case | None]
    ) -> None:
        """The same for the only case of a batch, unless it is decoded already."""
        is_needed = self._first is None and len(cases) == 1
        case = read(0) if is_needed else None
        if case is not None:
            self._remember(case, self._score(case, self.definitions.of(case.tools, case.id)))

    def _show_case(self, case: Case, score: Score, values: tuple[MetricValue, ...] = ()) -> None:
        if self._max_shown is not None and self._shown >= self._max_shown:
            self._not_shown += 1
            return
        self._shown += 1
        self._remember(case, score, values)
        shown = _case_score(case, score, values)
        if self._hooks.on_case is not None:
            self._hooks.on_case(shown)
        else:
            self._kept.append(shown)


def _case_score(case: Case, score: Score, values: tuple[MetricValue, ...]) -> CaseScore:
    tags = tuple(case.tags)
    return CaseScore(id=case.id, score=score, trial=case.trial, tags=tags, metrics=values)


_NO_HOOKS = ScoreHooks()
# Smaller batches are decoded just as quickly.
_MANY_BYTES = 1 << 14
# The beginning of a file of JSON lines that is searched for all duplicate keys. The rest of a file of
# plain cases is not decoded, and searching it would take nearly as long as scoring: only the sides of
# cases are searched for there, whether the lines are decoded or not.
_CHECKED_BYTES = 1 << 18


def score_cases(  # noqa: PLR0913  (all are options)
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    max_shown: int | None = 10,
    tools: Any = None,
    metrics: Metrics = (),
) -> Results:
    """Score many cases, given as `Case` values or as the objects of a case file.

    Args:
        cases: the cases.
        settings: how calls are compared.
        show: which cases to keep in the results.
        max_shown: the maximum number of them; None for all.
        tools: the tool definitions, in any form that `read_tools` accepts, instead of those in the
            cases.
        metrics: metrics of other tools to compute for each case, by name or as `Metric` values.

    Raises:
        UnreadableInput: a case cannot be read, or contradicts itself.
        InvalidCall: the tool definitions cannot be read.
        InvalidSettings: a metric is unknown.
    """
    if not isinstance(cases, Iterable):
        raise UnreadableInput("cases", f"expected a list of cases, got {describe(cases)}.")
    collector = Collector(settings, show, max_shown, _NO_HOOKS, tools=tools, metrics=metrics)
    for position, given in enumerate(cases):
        place = f"cases[{position}]"
        case = _read_case_value(given, place, settings.top_k)
        collector.definitions.of(case.tools, place)  # refused here, where the place is known
        _score_at(place, case, collector)
    return collector.results()


def _score_at(place: str, case: Case, collector: Collector) -> None:
    """Score a case; errors in what it expects name its place."""
    try:
        collector.take(case, place)
    except OverBudget as error:
        named = f"case {case.id!r}: " if has_own_id(case) else ""
        raise UnreadableInput(place, f"{named}{error}") from error
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error
    except InvalidOption:  # of a metric, not of the case
        raise
    except InvalidSettings as error:
        raise InvalidSettings(f"{place}: {error}") from error


def _read_case_value(given: Case | Mapping[str, Any], place: str, top_k: int) -> Case:
    """The given case, with the other answers that may count."""
    is_value = isinstance(given, Case)
    record = case_record(given) if isinstance(given, Case) else given
    case, *further = read_candidates(
        lambda read_options: read_case(
            record, place=place, read_options=read_options, spelled=not is_value
        ),
        DEFAULT_READ_OPTIONS,
        top_k,
    )
    known = given.others if isinstance(given, Case) else ()
    others = [other.actual for other in further if other.actual is not None]
    return structs.replace(case, others=(*known, *others)) if known or others else case


def score_files(  # noqa: PLR0913  (all are options)
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = None,
    max_shown: int | None = 10,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    metrics: Metrics = (),
    hooks: ScoreHooks = _NO_HOOKS,
) -> Results:
    """Score the cases of files: case files, or traces with expected calls.

    Args:
        paths: one file or several; `-` is standard input.
        settings: how calls are compared.
        show: which cases to keep in the results.
        limit: use only the first cases, at most this many; None for all.
        max_shown: the maximum number of them; None for all.
        skip_bad: count and skip unreadable records instead of raising.
        fields: the paths of the fields of a case: `{"id": "$.metadata.task_id"}`.
        format: the format of the files; detected by default.
        read_options: which calls to read from a document with several choices.
        tools: the tool definitions, in any form that `read_tools` accepts, instead of those in the
            cases or traces.
        metrics: metrics of other tools to compute for each case, by name or as `Metric` values.
        hooks: callbacks.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a case in it, cannot be read.
        InvalidSettings: a format, field or metric is unknown, or a path is not valid.
        InvalidCall: the tool definitions cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    collector = Collector(settings, show, max_shown, hooks, tools=tools, metrics=metrics)
    inputs = input_options_for(
        fields, format, read_options, top_k=settings.top_k, keeps_tools=tools is None
    )
    run = _FileScoring(collector, inputs, limit=limit, skip_bad=skip_bad, hooks=hooks)
    with _attach_results(collector):
        for path in _paths(paths):
            run.score(path)
            if limit is None:
                collector.note_if_empty(path)
    return collector.results()


def score_joined(  # noqa: PLR0913  (all are options)
    expected: str | PathLike[str] | Iterable[str | PathLike[str]],
    actual: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = None,
    max_shown: int | None = 10,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    metrics: Metrics = (),
    hooks: ScoreHooks = _NO_HOOKS,
) -> Results:
    """Score traces against references, joined on `id`.

    A reference may have many traces, one per trial. References without a trace, and traces without a
    reference, are counted and named in the results. The files may be of different dialects; where
    each holds one run, they need no ids. The options are those of `score_files`, as are the errors;
    `fields` and `format` hold for both sides.
    """
    collector = Collector(settings, show, max_shown, hooks, tools=tools, metrics=metrics)
    inputs = input_options_for(
        fields, format, read_options, top_k=settings.top_k, keeps_tools=tools is None
    )
    run = _FileScoring(collector, inputs, limit=limit, skip_bad=skip_bad, hooks=hooks)
    with _attach_results(collector):
        run.join(_paths(expected), _paths(actual))
    return collector.results()


@contextmanager
def _attach_results(collector: Collector) -> Iterator[None]:
    """Attach the results so far to an error that ends the scoring."""
    try:
        yield
    except UnreadableInput as error:
        stopped = Noted(1, (str(error),))
        error.results = structs.replace(collector.results(), stopped=stopped)
        raise
    except ModelFailed as error:
        error.results = collector.results()
        raise


def _paths(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[str]:
    if isinstance(paths, str | PathLike):
        return [fspath(paths)]
    return [fspath(path) for path in paths]


class _FileScoring:
    """One pass over the input."""

    def __init__(
        self,
        collector: Collector,
        inputs: InputOptions,
        *,
        limit: int | None,
        skip_bad: bool,
        hooks: ScoreHooks,
    ) -> None:
        self._collector = collector
        self._inputs = inputs
        self._limit = CaseLimit(limit)
        self._skip_bad = skip_bad
        self._hooks = hooks

    def score(self, path: str) -> None:
        self._limit.begin_file()
        if self._hooks.on_file is not None:
            self._hooks.on_file(path)
        self._collector.file = path
        takes_plain = self._collector.takes_plain and self._inputs.says_nothing
        reader = CaseReader(path, CASES, self._inputs)
        for batch in self._batches(path):
            if not isinstance(batch, Lines):
                self._take(reader.take(batch))
                continue
            is_large = len(batch.data) >= _MANY_BYTES
            is_plain = is_large and not (
                batch.offset < _CHECKED_BYTES and batch.may_have_duplicates
            )
            if takes_plain and is_plain and self._take_plain(batch, reader):
                continue
            for record in batch.records(checked_bytes=_CHECKED_BYTES):
                self._take(reader.take(record))
                if self._limit.ends_file:
                    return
        self._take(reader.finish())

    def _batches(self, path: str) -> Iterator[Lines | Record | BadRecord | Array]:
        for batch in read_batches(path, on_bytes=self._hooks.on_bytes):
            yield batch
            if self._limit.ends_file:
                return

    def join(self, expected: list[str], actual: list[str]) -> None:
        references = self._read(expected, REFERENCES)
        traces = self._read(actual, TRACES)
        for place, case, has_reference in join_traces(references, traces, self._refuse):
            if not has_reference:
                if self._limit.is_full:
                    self._limit.see_other()
                else:
                    self._collector.without_reference.add(case.id)
            elif case.actual is None:
                if not self._limit.is_full:
                    self._score(place, case)
            elif self._limit.takes_case(case):
                self._score(place, case)

    def _take_plain(self, lines: Lines, reader: CaseReader) -> bool:
        """Count cases without decoding them; returns False if these lines must be decoded."""
        try:
            cases = decode_plain_cases(lines.data)
        except (ValueError, RecursionError):
            return False
        is_checked = lines.offset < _CHECKED_BYTES
        if not is_checked and has_duplicate_sides(lines.data, len(cases)):
            return False

        used: Sequence[int] = range(len(cases))
        if self._limit.is_set:
            used = self._used_positions(cases)
            cases = [cases[position] for position in used]
        places: dict[int, str] = {}

        def read(position: int) -> Case | None:
            found = self._cases(reader.take(lines.record(used[position])))
            for places[position], case in found:
                return case
            return None

        def score(position: int, case: Case) -> None:
            self._score(places[position], case)

        self._collector.take_plain(cases, read, score)
        return True

    def _used_positions(self, cases: list[PlainCase]) -> list[int]:
        """The positions of the cases within the limit."""
        used: list[int] = []
        for position, case in enumerate(cases):
            if self._limit.takes(str(case.id), case.trial):
                used.append(position)
            if self._limit.ends_file:
                break
        return used

    def _take(self, found: Iterator[Found]) -> None:
        if self._limit.is_set:
            found = self._limit.select(found)
        for place, case in self._cases(found):
            self._score(place, case)

    def _score(self, place: str, case: Case) -> None:
        try:
            _score_at(place, case, self._collector)
        except UnreadableInput as error:
            self._refuse(error.place, error.problem)
        except ModelFailed as error:
            if self._hooks.on_unjudged is None:
                raise
            self._hooks.on_unjudged(place, case, error)

    def _read(self, paths: list[str], part: FileContent) -> Iterator[tuple[str, Case]]:
        # Calls are checked against the tools of the trace, not of its reference.
        keeps_tools = self._inputs.keeps_tools and part is not REFERENCES
        inputs = structs.replace(self._inputs, keeps_tools=keeps_tools)
        for path in paths:
            self._collector.file = path
            found = read_cases(path, part, inputs, on_bytes=self._hooks.on_bytes)
            if part is TRACES and self._limit.is_set:
                self._limit.begin_file()
                found = self._limit.until_end(found)
            yield from self._cases(self._noting_empty(found, path))

    def _noting_empty(self, found: Iterator[Found], path: str) -> Iterator[Found]:
        is_empty = True
        for item in found:
            is_empty = False
            yield item
        if is_empty:
            self._collector.empty_files.append(path)

    def _cases(self, found: Iterator[Found]) -> Iterator[tuple[str, Case]]:
        """The cases whose tools can be read, with their places."""
        for item in found:
            if isinstance(item, BadRecord):
                self._refuse(item.place, item.problem)
                continue
            place, case = item
            try:
                self._collector.definitions.of(case.tools, place)
            except UnreadableInput as error:
                self._refuse(error.place, error.problem)
            else:
                yield item

    def _refuse(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            error = UnreadableInput(place, problem)
            error.is_one_record = True
            raise error
        self._collector.skipped.add(f"{place}: {problem}")
