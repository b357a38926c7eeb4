"""The whole path, from files to results, in this process and in bounded memory."""

from __future__ import annotations

from contextlib import contextmanager
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.model import Case
from callscore.core.results import Noted
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.collector import Collector, Hooks, Show
from callscore.engines.definitions import Definitions
from callscore.engines.inputs import (
    CASES,
    REFERENCES,
    TRACES,
    CaseReader,
    Inputs,
    cases_in,
    inputs_for,
)
from callscore.engines.joining import join
from callscore.errors import InvalidCall, InvalidSettings, ModelFailed, UnreadableInput
from callscore.formats.candidates import read_candidates
from callscore.formats.cases import read_case, record_of
from callscore.formats.plain import decode_plain
from callscore.formats.trace import DEFAULT as ALL
from callscore.metrics.invalid_option import InvalidOption
from callscore.sources import BadRecord, Lines, read_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from callscore.core.results import Results
    from callscore.engines.inputs import Found, Part
    from callscore.formats.trace import Wanted
    from callscore.metrics.metric import Metric

    Metrics = str | Metric | Iterable[str | Metric]

__all__ = ["score_cases", "score_files", "score_joined"]

_NO_HOOKS = Hooks()
# Fewer bytes at a time are read as quickly with care, and then each case is decoded once.
_MANY_BYTES = 1 << 14


def score_cases(  # noqa: PLR0913  (each is something to say about a run)
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
    tools: Any = None,
    metrics: Metrics = (),
) -> Results:
    """Score many cases, given as `Case` values or as the objects that a case file holds.

    Args:
        cases: the cases.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.
        tools: the tools' definitions, in any form that `read_tools` takes, in place of those that
            the cases bring themselves.
        metrics: metrics of other tools to ask about each case, by name or as `Metric` values.

    Raises:
        UnreadableInput: a case cannot be read, or contradicts itself.
        InvalidCall: the tools' definitions cannot be read.
        InvalidSettings: there is no such metric.
    """
    definitions = Definitions(tools)
    asked = _asked(metrics)
    collector = Collector(settings, show, limit, _NO_HOOKS, definitions, metrics=asked)
    for position, given in enumerate(cases):
        place = f"cases[{position}]"
        case = _read_given(given, place, settings.top_k)
        definitions.of(case.tools, place)  # to be refused here, where the place is known
        _take_at(place, case, collector)
    return collector.results()


def _take_at(place: str, case: Case, collector: Collector) -> None:
    """Score a case; what is wrong with what it expects is wrong at its place."""
    try:
        collector.take(case)
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error
    except InvalidOption:  # of a metric, which the case has no part in
        raise
    except InvalidSettings as error:
        raise InvalidSettings(f"{place}: {error}") from error


def _read_given(given: Case | Mapping[str, Any], place: str, top_k: int) -> Case:
    """The case that is handed over, with the other answers that may count."""
    is_value = isinstance(given, Case)
    record = record_of(given) if isinstance(given, Case) else given
    case, *further = read_candidates(
        lambda wanted: read_case(record, place=place, wanted=wanted, spelled=not is_value),
        ALL,
        top_k,
    )
    known = given.others if isinstance(given, Case) else ()
    others = [other.actual for other in further if other.actual is not None]
    return structs.replace(case, others=(*known, *others)) if known or others else case


def score_files(  # noqa: PLR0913  (likewise)
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    wanted: Wanted = ALL,
    tools: Any = None,
    metrics: Metrics = (),
    hooks: Hooks = _NO_HOOKS,
) -> Results:
    """Score the cases of files: of our own kind, or of any dialect that says what was expected.

    Args:
        paths: a file or several; `-` is standard input.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.
        skip_bad: count and skip what cannot be read, rather than stop.
        fields: where the fields of a case stand in a record: `{"id": "$.metadata.task_id"}`.
        format: what the files are written in; by default that is recognised.
        wanted: what to take from a document that offers a choice.
        tools: the tools' definitions, in any form that `read_tools` takes, in place of those that
            the cases, or the traces, bring themselves.
        metrics: metrics of other tools to ask about each case, by name or as `Metric` values.
        hooks: what wants to be told on the way.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a case in it, cannot be read.
        InvalidSettings: there is no such format, field or metric, or a path is none.
        InvalidCall: the tools' definitions cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    definitions = Definitions(tools)
    asked = _asked(metrics)
    collector = Collector(settings, show, limit, hooks, definitions, metrics=asked)
    inputs = inputs_for(fields, format, wanted, top_k=settings.top_k, keeps_tools=tools is None)
    run = _Run(collector, inputs, definitions, skip_bad=skip_bad, hooks=hooks)
    with _keeping_results(collector):
        for path in _paths(paths):
            run.score(path)
    return collector.results()


def score_joined(  # noqa: PLR0913  (likewise)
    expected: str | PathLike[str] | Iterable[str | PathLike[str]],
    actual: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    wanted: Wanted = ALL,
    tools: Any = None,
    metrics: Metrics = (),
    hooks: Hooks = _NO_HOOKS,
) -> Results:
    """Score traces against references, joined on `id`.

    A reference may have many traces, one a trial. References without a trace, and traces without a
    reference, are counted and named in the results. The files may be of different dialects; where
    each holds one run, they need no ids.

    Args:
        expected: the file of references, or several.
        actual: the file of traces, or several.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.
        skip_bad: count and skip what cannot be read, rather than stop.
        fields: where the fields of a case stand in a record of either file.
        format: what both files are written in; by default that is recognised for each.
        wanted: what to take from a document that offers a choice.
        tools: the tools' definitions, in any form that `read_tools` takes, in place of those that
            the cases, or the traces, bring themselves.
        metrics: metrics of other tools to ask about each case, by name or as `Metric` values.
        hooks: what wants to be told on the way.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read.
        InvalidSettings: there is no such format, field or metric, or a path is none.
        InvalidCall: the tools' definitions cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    definitions = Definitions(tools)
    asked = _asked(metrics)
    collector = Collector(settings, show, limit, hooks, definitions, metrics=asked)
    inputs = inputs_for(fields, format, wanted, top_k=settings.top_k, keeps_tools=tools is None)
    run = _Run(collector, inputs, definitions, skip_bad=skip_bad, hooks=hooks)
    with _keeping_results(collector):
        run.join(_paths(expected), _paths(actual))
    return collector.results()


def _asked(metrics: Metrics) -> tuple[Metric, ...]:
    """The metrics of other tools that are asked for; most people ask for none."""
    if not metrics:
        return ()
    from callscore.metrics.registry import metrics_from

    return metrics_from(metrics)


@contextmanager
def _keeping_results(collector: Collector) -> Iterator[None]:
    """Where the input breaks off, the error carries what was scored before."""
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


class _Run:
    """One pass over the input."""

    def __init__(
        self,
        collector: Collector,
        inputs: Inputs,
        definitions: Definitions,
        *,
        skip_bad: bool,
        hooks: Hooks,
    ) -> None:
        self._collector = collector
        self._inputs = inputs
        self._definitions = definitions
        self._skip_bad = skip_bad
        self._hooks = hooks

    def score(self, path: str) -> None:
        """Score the cases of one file."""
        if self._hooks.on_file is not None:
            self._hooks.on_file(path)
        takes_plain = self._collector.takes_plain and self._inputs.says_nothing
        reader = CaseReader(path, CASES, self._inputs)
        for batch in read_batches(path, on_bytes=self._hooks.on_bytes):
            if isinstance(batch, Lines):
                is_worth_it = takes_plain and len(batch.data) >= _MANY_BYTES
                if is_worth_it and self._take_plain(batch, reader):
                    continue
                for record in batch.records():
                    self._take(reader.take(record))
            else:
                self._take(reader.take(batch))
        self._take(reader.finish())

    def join(self, expected: list[str], actual: list[str]) -> None:
        """Score the traces of one file against the references of another."""
        references = self._read(expected, REFERENCES)
        traces = self._read(actual, TRACES)
        for case, has_reference in join(references, traces, self._refuse):
            if has_reference:
                self._score(f"case {case.id}", case)
            else:
                self._collector.without_reference.add(case.id)

    def _take_plain(self, lines: Lines, reader: CaseReader) -> bool:
        """Count cases without decoding them; False where these lines need to be read with care."""
        try:
            cases = decode_plain(lines.data)
        except (ValueError, RecursionError):
            return False
        self._collector.take_plain(cases, lambda at: self._first(reader.take(lines.record(at))))
        return True

    def _first(self, found: Iterator[Found]) -> Case | None:
        return next((case for _, case in self._cases(found)), None)

    def _take(self, found: Iterator[Found]) -> None:
        for place, case in self._cases(found):
            self._score(place, case)

    def _score(self, place: str, case: Case) -> None:
        try:
            _take_at(place, case, self._collector)
        except UnreadableInput as error:
            self._refuse(error.place, error.problem)
        except ModelFailed as error:
            if self._hooks.on_unjudged is None:
                raise
            self._hooks.on_unjudged(place, case, error)

    def _read(self, paths: list[str], part: Part) -> Iterator[tuple[str, Case]]:
        # What was called is held against the tools that the trace offers, not its reference.
        keeps_tools = self._inputs.keeps_tools and part is not REFERENCES
        inputs = structs.replace(self._inputs, keeps_tools=keeps_tools)
        for path in paths:
            found = cases_in(path, part, inputs, on_bytes=self._hooks.on_bytes)
            yield from self._cases(found)

    def _cases(self, found: Iterator[Found]) -> Iterator[tuple[str, Case]]:
        for item in found:
            if isinstance(item, BadRecord):
                self._refuse(item.place, item.problem)
            elif self._knows_tools(*item):
                yield item

    def _knows_tools(self, place: str, case: Case) -> bool:
        """Whether the definitions of tools that a case brings, if it does, can be read."""
        try:
            self._definitions.of(case.tools, place)
        except UnreadableInput as error:
            self._refuse(error.place, error.problem)
            return False
        return True

    def _refuse(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            raise UnreadableInput(place, problem)
        self._collector.skipped.add(f"{place}: {problem}")
