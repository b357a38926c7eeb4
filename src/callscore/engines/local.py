"""Scores cases and files of cases on this machine and in bounded memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import structs

from callscore.core.budget import OverBudget
from callscore.core.case import Case
from callscore.core.results import OWN_FORMAT, Noted, Results
from callscore.core.settings import DEFAULT, Settings
from callscore.core.unused_rules import unused_rules
from callscore.engines.collector import Collector, ScoredPart, ScoreHooks
from callscore.engines.inputs import (
    CASES,
    REFERENCES,
    TRACES,
    CaseLimit,
    CaseReader,
    FileContent,
    Found,
    InputOptions,
    decoded_lines,
    input_options_for,
    join_traces,
    read_batch,
    read_cases,
)
from callscore.engines.pool import LineWork, left_by_pool, lost_lines, mark_position, process_count
from callscore.errors import (
    CallscoreError,
    InvalidCall,
    InvalidOption,
    InvalidSettings,
    ModelFailed,
    UnreadableInput,
)
from callscore.formats.callers import Caller, read_callers
from callscore.formats.cases import (
    case_record,
    has_own_id,
    read_case,
)
from callscore.formats.plain_cases import PlainCase, decode_plain
from callscore.formats.reading import read_candidates
from callscore.formats.shape import describe
from callscore.formats.trace import DEFAULT_READ_OPTIONS, IdSource, ReadOptions
from callscore.sources import BadRecord, Batch, Lines, read_batches
from callscore.sources.paths import files_in_folder
from callscore.sources.remote import without_credentials
from callscore.words.value_text import unused_rules_text

if TYPE_CHECKING:
    from callscore.core.totals import Show
    from callscore.engines.collector import Metrics


_NO_HOOKS = ScoreHooks()


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
        case = read_case_value(given, place, settings.top_k)
        collector.definitions.of(case.tools, place)  # refused here, where the place is known
        try:
            collector.take(case, place)
        except CallscoreError as error:
            raise_at(place, case, error)
    _note_unused(collector, _NO_HOOKS)
    return collector.results()


def raise_at(place: str, case: Case, error: CallscoreError) -> NoReturn:
    """Raise an error of scoring a case; if the cause is in what the case expects, it names the place."""
    if isinstance(error, OverBudget):
        named = f"case {case.id!r}: " if has_own_id(case) else ""
        raise UnreadableInput(place, f"{named}{error}") from error
    if isinstance(error, InvalidCall):
        raise UnreadableInput(place, str(error)) from error
    if isinstance(error, InvalidSettings) and not isinstance(error, InvalidOption):
        raise InvalidSettings(f"{place}: {error}") from error
    raise error  # of a metric or a model, not of the case


def read_case_value(given: Case | Mapping[str, Any], place: str, top_k: int) -> Case:
    """The given case, with the other answers that may count."""
    is_value = isinstance(given, Case)
    unread: dict[str, None] = {}
    record = case_record(given) if isinstance(given, Case) else given
    case, *further = read_candidates(
        lambda read_options: read_case(
            record,
            place=place,
            read_options=read_options,
            spelled=not is_value,
            takes_trace=not is_value,
        ),
        ReadOptions(on_unread=unread.setdefault),
        top_k,
    )
    if unread:
        case = structs.replace(case, unread=" ".join(unread))
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
    id_from: IdSource | None = None,
    callers: Iterable[Caller] | None = None,
    tools: Any = None,
    metrics: Metrics = (),
    jobs: int = 1,
    hooks: ScoreHooks = _NO_HOOKS,
) -> Results:
    """Score the cases of files: case files, or traces with expected calls.

    Args:
        paths: one file or several, or folders or archives (tar or zip) of them, or URLs of files (with
            the extra `remote`); `-` is standard input.
        settings: how calls are compared.
        show: which cases to keep in the results.
        limit: use only the first cases, at most this many; None for all.
        max_shown: the maximum number of them; None for all.
        skip_bad: count and skip unreadable records instead of raising.
        fields: the paths of the fields of a case: `{"id": "$.metadata.task_id"}`.
        format: the format of the files; detected by default.
        read_options: which calls to read from a document with several choices.
        id_from: `filename` to use the name of each file, without its suffix, as the id of the runs in
            it.
        callers: whose calls count, on both sides: `agent`, `user`, `subagent`, `code`. By default what
            the cases or traces say; if they say nothing, all but those of a simulated user.
        tools: the tool definitions, in any form that `read_tools` accepts, instead of those in the
            cases or traces.
        metrics: metrics of other tools to compute for each case, by name or as `Metric` values.
        jobs: how many processes score the cases of a large file of JSON lines. The results are the
            same. One process is used with a `limit`, a judge, or hooks that need every case.
        hooks: callbacks.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a case in it, cannot be read.
        InvalidSettings: a format, field or metric is unknown, or a path is not valid.
        InvalidCall: the tool definitions cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    read_options = _with_options(read_options, id_from, callers)
    inputs = input_options_for(
        fields, format, read_options, top_k=settings.top_k, keeps_tools=tools is None
    )
    collector_options = settings, show, max_shown, tools, metrics
    run = _FileScoring(collector_options, hooks, inputs, limit=limit, skip_bad=skip_bad)
    collector = run.collector
    if limit is None and settings.judge is None and hooks.may_split:
        run.jobs = process_count(jobs)
    with _attach_results(collector):
        for path in _paths(paths):
            run.score(path)
            if limit is None:
                collector.note_if_empty(without_credentials(path))
    if not run.has_parts:  # what other processes have found is not known here
        _note_unfound(inputs, hooks)
    if limit is None:
        _note_unused(collector, hooks)
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
    id_from: IdSource | None = None,
    callers: Iterable[Caller] | None = None,
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
    read_options = _with_options(read_options, id_from, callers)
    inputs = input_options_for(
        fields, format, read_options, top_k=settings.top_k, keeps_tools=tools is None
    )
    collector_options = settings, show, max_shown, tools, metrics
    run = _FileScoring(collector_options, hooks, inputs, limit=limit, skip_bad=skip_bad)
    collector = run.collector
    with _attach_results(collector):
        run.join(_paths(expected), _paths(actual))
    _note_unfound(inputs, hooks)
    if limit is None:
        _note_unused(collector, hooks)
    return collector.results()


def _with_options(
    read_options: ReadOptions, id_from: IdSource | None, callers: Iterable[Caller] | None
) -> ReadOptions:
    """The options of reading, with those that have an argument of their own."""
    if id_from is not None:
        read_options = structs.replace(read_options, id_from=id_from)
    if callers is not None:
        read_options = structs.replace(read_options, callers=read_callers(callers))
    return read_options


def _note_unfound(inputs: InputOptions, hooks: ScoreHooks) -> None:
    """Say which paths of the user lead nowhere: the fields of the records themselves were used."""
    for field, path in [] if inputs.fields is None else inputs.fields.unfound:
        if hooks.on_unfound is not None:
            hooks.on_unfound(field, path)
        else:
            problem = f"fields: the path {path!r} of '{field}' leads nowhere in any record"
            warnings.warn(problem, stacklevel=3)


def _note_unused(collector: Collector, hooks: ScoreHooks) -> None:
    """Say which rules of the settings match nothing."""
    unused = unused_rules(collector.seen)
    if unused and hooks.on_unused is not None:
        hooks.on_unused(unused)
    elif unused and hooks is _NO_HOOKS:
        warnings.warn(f"settings: {unused_rules_text(unused, 'en')}", stacklevel=3)


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
    given = [paths] if isinstance(paths, str | PathLike) else paths
    return [file for path in given for file in files_in_folder(fspath(path))]


class _ScoringOfLines:
    """Scores some lines of a file, in another process."""

    def __init__(self, new_scoring: Callable[[], _FileScoring], reader: CaseReader) -> None:
        self._new_scoring = new_scoring
        self._reader = reader
        self._scoring: _FileScoring | None = None

    @property
    def state(self) -> Hashable:
        return self._reader.state

    def __call__(self, lines: list[Lines], already_shown: int) -> ScoredPart:
        self._scoring = self._scoring or self._new_scoring()
        return self._scoring.score_part(lines, already_shown, self._reader)


class _FileScoring:
    """One pass over the input."""

    def __init__(
        self,
        options: tuple[Settings, Show, int | None, Any, Metrics],
        hooks: ScoreHooks,
        inputs: InputOptions,
        *,
        limit: int | None = None,
        skip_bad: bool,
    ) -> None:
        settings, show, max_shown, tools, metrics = options
        self.collector = Collector(settings, show, max_shown, hooks, tools=tools, metrics=metrics)
        self.jobs = 1
        self.has_parts = False  # scored in other processes
        self._options = options
        self._inputs = inputs
        self._limit = CaseLimit(limit)
        self._skip_bad = skip_bad
        self._hooks = hooks

    def score_part(self, lines: list[Lines], already_shown: int, reader: CaseReader) -> ScoredPart:
        """Score some lines of a file, in another process."""
        self.collector.begin_part(already_shown)
        for batch in lines:
            mark_position(batch.offset)
            self._take_batch(batch, reader)
        return self.collector.end_part(already_shown, reader.formats)

    def score(self, path: str) -> None:
        self._limit.begin_file()
        name = without_credentials(path)
        if self._hooks.on_file is not None:
            self._hooks.on_file(name)
        self.collector.file = name
        reader = CaseReader(name, CASES, self._inputs)
        try:
            self._score_batches(self._batches(path), reader)
        finally:
            self.collector.inputs.add(name, reader.formats)

    def _score_batches(self, batches: Iterator[Batch], reader: CaseReader) -> None:
        for batch in self._left_by_pool(batches, reader):
            self._take_batch(batch, reader)
            if self._limit.ends_file:
                return
        self._take(reader.finish())

    def _take_batch(self, batch: Batch, reader: CaseReader) -> None:
        is_plain = (
            self._inputs.says_nothing and not reader.is_joining and self.collector.takes_plain
        )
        if is_plain and isinstance(batch, Lines) and self._take_plain(batch, reader):
            reader.note_formats([OWN_FORMAT])
        else:
            self._take(found for *_, found in read_batch(batch, reader))

    def _left_by_pool(self, batches: Iterator[Batch], reader: CaseReader) -> Iterator[Batch]:
        """Let other processes score the batches of a large file, and yield those left to this one."""
        collector, hooks = self.collector, self._hooks
        in_parts = ScoreHooks(
            on_case=hooks.on_case, takes_unanswered=hooks.takes_unanswered, parts=hooks.parts
        )
        new_scoring = partial(
            _FileScoring, self._options, in_parts, self._inputs, skip_bad=self._skip_bad
        )

        def add(part: ScoredPart) -> bool:
            self.has_parts = True
            reader.note_formats(part.formats)
            return collector.add_part(part)

        work = LineWork(
            work=_ScoringOfLines(new_scoring, reader),
            add=add,
            state=lambda: reader.state,
            context=lambda: collector.shown,
            lose=lambda *lost: collector.skipped.add_noted(lost_lines(*lost)),
        )
        return left_by_pool(batches, work, self.jobs)

    def _batches(self, path: str) -> Iterator[Batch]:
        for batch in read_batches(path, on_bytes=self._hooks.on_bytes, allow_remote=True):
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
                    self.collector.without_reference.add(case.id)
            elif case.actual is None:
                if not self._limit.is_full:
                    self._score(place, case)
            elif self._limit.takes_case(case):
                self._score(place, case)

    def _take_plain(self, lines: Lines, reader: CaseReader) -> bool:
        """Count cases without decoding them; returns False if these lines must be decoded."""
        cases = decoded_lines(decode_plain, lines)
        if cases is None:
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

        self.collector.take_plain(cases, read, score)
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
            self.collector.take(case, place)
        except CallscoreError as error:
            self._refuse_scored(place, case, error)

    def _refuse_scored(self, place: str, case: Case, error: CallscoreError) -> None:
        """Refuse a case that could not be scored, or leave it out if it could not be judged."""
        try:
            raise_at(place, case, error)
        except UnreadableInput as placed:
            self._refuse(placed.place, placed.problem)
        except ModelFailed as unjudged:
            if self._hooks.on_unjudged is None:
                raise
            self._hooks.on_unjudged(place, case, unjudged)

    def _read(self, paths: list[str], part: FileContent) -> Iterator[tuple[str, Case]]:
        # Calls are checked against the tools of the trace, not of its reference.
        keeps_tools = self._inputs.keeps_tools and part is not REFERENCES
        inputs = structs.replace(self._inputs, keeps_tools=keeps_tools)
        for path in paths:
            self.collector.file = without_credentials(path)
            found: Iterator[Found] = read_cases(
                path,
                part,
                inputs,
                on_bytes=self._hooks.on_bytes,
                on_formats=self.collector.inputs.add,
                allow_remote=True,
            )
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
            self.collector.empty_files.append(without_credentials(path))

    def _cases(self, found: Iterator[Found]) -> Iterator[tuple[str, Case]]:
        """The cases whose tools can be read, with their places."""
        for item in found:
            if isinstance(item, BadRecord):
                self._refuse(item.place, item.problem)
                continue
            place, case = item
            try:
                self.collector.definitions.of(case.tools, place)
            except UnreadableInput as error:
                self._refuse(error.place, error.problem)
            else:
                yield item

    def _refuse(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            error = UnreadableInput(place, problem)
            error.is_one_record = True
            raise error
        self.collector.skipped.add(f"{place}: {problem}")
