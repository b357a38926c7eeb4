"""Scores cases and files of cases on this machine and in bounded memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.case import Case
from callscore.core.results import OWN_FORMAT, Noted, Results
from callscore.core.settings import DEFAULT, Settings
from callscore.core.unused_rules import unused_rules
from callscore.engines.collector import NO_HOOKS, Collector, ScoredPart, ScoreHooks
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
    read_batch,
    read_cases,
)
from callscore.engines.joining import join_traces
from callscore.engines.pool import Done, LineTask, is_suspected, process_count, spread
from callscore.errors import (
    ModelFailed,
    UnreadableInput,
)
from callscore.formats.callers import Caller, read_callers
from callscore.formats.cases import (
    case_record,
    read_case,
)
from callscore.formats.plain_cases import decode_plain
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
    collector = Collector(settings, show, max_shown, tools=tools, metrics=metrics)
    for position, given in enumerate(cases):
        place = f"cases[{position}]"
        collector.take_found((place, read_case_value(given, place, settings.top_k)))
    _note_unused(collector, NO_HOOKS)
    return collector.results()


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
    hooks: ScoreHooks = NO_HOOKS,
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
    collector = Collector(
        settings, show, max_shown, hooks, tools=tools, metrics=metrics, skip_bad=skip_bad
    )
    chosen = CaseLimit(limit)
    may_split = settings.judge is None and hooks.may_split
    with _attach_results(collector):
        for path in _paths(paths):
            name = collector.file = without_credentials(path)
            if hooks.on_file is not None:
                hooks.on_file(name)
            if limit is None:
                _score_file(path, collector, inputs, hooks, process_count(jobs) if may_split else 1)
                collector.note_if_empty(name)
                continue
            for found in chosen.select(_found_in(path, CASES, collector, inputs, hooks)):
                collector.take_found(found)
    if not collector.has_parts:  # what other processes have found is not known here
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
    hooks: ScoreHooks = NO_HOOKS,
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
    collector = Collector(
        settings, show, max_shown, hooks, tools=tools, metrics=metrics, skip_bad=skip_bad
    )
    chosen = CaseLimit(limit)

    def read(paths: list[str], part: FileContent) -> Iterator[tuple[str, Case]]:
        # Calls are checked against the tools of the trace, not of its reference.
        keeps_tools = inputs.keeps_tools and part is not REFERENCES
        options = structs.replace(inputs, keeps_tools=keeps_tools)
        for path in paths:
            collector.file = without_credentials(path)
            found = _found_in(path, part, collector, options, hooks)
            yield from _readable(
                found if part is REFERENCES else chosen.until_end(found), collector
            )

    with _attach_results(collector):
        sides = read(_paths(expected), REFERENCES), read(_paths(actual), TRACES)
        for place, case, has_reference in join_traces(*sides, collector.refuse):
            if not has_reference:
                if not chosen.is_full:
                    collector.totals.without_reference.add(case.id)
                chosen.see_other()
            elif not chosen.is_full if case.actual is None else chosen.takes(case):
                collector.take_found((place, case))
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
    elif unused and hooks is NO_HOOKS:
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


def _found_in(
    path: str, part: FileContent, collector: Collector, inputs: InputOptions, hooks: ScoreHooks
) -> Iterator[Found]:
    return read_cases(
        path,
        part,
        inputs,
        on_bytes=hooks.on_bytes,
        on_formats=collector.inputs.add,
        allow_remote=True,
    )


def _readable(found: Iterable[Found], collector: Collector) -> Iterator[tuple[str, Case]]:
    """The cases, without those that cannot be read; a file without a record is noted."""
    is_empty = True
    for item in found:
        is_empty = False
        try:
            if isinstance(item, BadRecord):
                raise UnreadableInput(item.place, item.problem)  # noqa: TRY301  (handled in one place)
            collector.definitions.of(item[1].tools, item[0])
        except UnreadableInput as error:
            collector.refuse(error.place, error.problem)
        else:
            yield item
    if is_empty:
        collector.empty_files.append(collector.file)


def _score_file(
    path: str, collector: Collector, inputs: InputOptions, hooks: ScoreHooks, jobs: int
) -> None:
    """Score the cases of a file, if it is large in several processes."""
    reader = CaseReader(collector.file, CASES, inputs)
    batches = read_batches(path, on_bytes=hooks.on_bytes, allow_remote=True)
    try:
        for item in spread(batches, partial(_score_part, collector.new_part(), reader), jobs):
            if not isinstance(item, Done):
                _score_batch(item, collector, reader)
            elif item.result is None:
                collector.skipped.add_noted(item.task.lost(item.deaths))
            else:
                collector.add_part(item.result)
                reader.note_formats(item.result.formats)
        for found in reader.finish():
            collector.take_found(found)
    finally:
        collector.inputs.add(collector.file, reader.formats)


def _score_part(collector: Collector, reader: CaseReader, task: LineTask) -> ScoredPart | None:
    """Score some lines of a file, in another process; None if they change how the others are read."""
    part, state = collector.new_part(), reader.state
    for batch in task.lines:
        _score_batch(batch, part, reader, task.skipped)
    return part.part(reader.formats) if reader.state == state else None


def _score_batch(
    batch: Batch, collector: Collector, reader: CaseReader, skipped: Sequence[int] = ()
) -> None:
    is_plain = collector.takes_plain and reader.inputs.says_nothing and not reader.is_joining
    if is_plain and isinstance(batch, Lines) and not is_suspected():
        cases = decoded_lines(decode_plain, batch)
        if cases is not None and len(cases) > 1:  # the report is about a single one
            collector.take_plain(cases, lambda at: next(reader.take(batch.record(at))))
            reader.note_formats([OWN_FORMAT])
            return
    for _, _, found in read_batch(batch, reader, skipped=skipped):
        collector.take_found(found)
