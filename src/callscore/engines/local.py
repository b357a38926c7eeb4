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
from callscore.errors import UnreadableInput
from callscore.formats.cases import join_case, read_case, read_reference, read_trace
from callscore.formats.plain import decode_plain
from callscore.sources import BadRecord, Lines, Record, read_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from callscore.core.results import Results

__all__ = ["score_cases", "score_files", "score_joined"]

_NO_HOOKS = Hooks()


def score_cases(
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
) -> Results:
    """Score many cases, given as `Case` values or as the objects that a case file holds.

    Args:
        cases: the cases.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.

    Raises:
        UnreadableInput: a case cannot be read.
    """
    collector = Collector(settings, show, limit, _NO_HOOKS)
    for position, case in enumerate(cases):
        record = _record_of(case) if isinstance(case, Case) else case
        collector.take(read_case(record, place=f"cases[{position}]"))
    return collector.results()


def score_files(  # noqa: PLR0913  (each is something to say about a run)
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
    skip_bad: bool = False,
    hooks: Hooks = _NO_HOOKS,
) -> Results:
    """Score the cases of files: JSONL, JSON or YAML, or gzip or zstd of these.

    Args:
        paths: a file or several; `-` is standard input.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.
        skip_bad: count and skip what cannot be read, rather than stop.
        hooks: what wants to be told on the way.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a case in it, cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    collector = Collector(settings, show, limit, hooks)
    run = _Run(collector, skip_bad=skip_bad, hooks=hooks)
    with _keeping_results(collector):
        for path in _paths(paths):
            run.score(path)
    return collector.results()


def score_joined(  # noqa: PLR0913  (likewise)
    expected: str | PathLike[str],
    actual: str | PathLike[str],
    *,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    limit: int | None = 10,
    skip_bad: bool = False,
    hooks: Hooks = _NO_HOOKS,
) -> Results:
    """Score the traces of one file against the references of another, joined on `id`.

    A reference may have many traces, one a trial. References without a trace, and traces without a
    reference, are counted and named in the results.

    Args:
        expected: the file of references.
        actual: the file of traces.
        settings: what decides the scores.
        show: which cases to keep in the results.
        limit: how many of them at the most; None for all.
        skip_bad: count and skip what cannot be read, rather than stop.
        hooks: what wants to be told on the way.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    collector = Collector(settings, show, limit, hooks)
    run = _Run(collector, skip_bad=skip_bad, hooks=hooks)
    with _keeping_results(collector):
        run.join(fspath(expected), fspath(actual))
    return collector.results()


def _record_of(case: Case) -> dict[str, Any]:
    """A case as a file has it, where null would mean no calls: what is None is left out."""
    return {field: value for field, value in structs.asdict(case).items() if value is not None}


@contextmanager
def _keeping_results(collector: Collector) -> Iterator[None]:
    """Where the input breaks off, the error carries what was scored before."""
    try:
        yield
    except UnreadableInput as error:
        stopped = Noted(1, (str(error),))
        error.results = structs.replace(collector.results(), stopped=stopped)
        raise


def _paths(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[str]:
    if isinstance(paths, str | PathLike):
        return [fspath(paths)]
    return [fspath(path) for path in paths]


class _Run:
    """One pass over the input."""

    def __init__(self, collector: Collector, *, skip_bad: bool, hooks: Hooks) -> None:
        self._collector = collector
        self._skip_bad = skip_bad
        self._hooks = hooks

    def score(self, path: str) -> None:
        """Score the cases of one file."""
        takes_plain = self._collector.takes_plain
        for batch in read_batches(path, on_bytes=self._hooks.on_bytes):
            if not isinstance(batch, Lines):
                self._take(batch)
            elif not (takes_plain and self._take_plain(batch)):
                for record in batch.records():
                    self._take(record)

    def join(self, expected: str, actual: str) -> None:
        """Score the traces of one file against the references of another."""
        references: dict[str, Case] = {}
        places: dict[str, str] = {}
        for place, case in self._read(expected, read_reference):
            if case.id in references:
                first = places[case.id]
                problem = f"there is a reference with the id {case.id!r} already, at {first}."
                self._refuse(place, f"{problem} Keep one of them.")
                continue
            references[case.id] = case
            places[case.id] = place
        run: set[str] = set()
        for _, trace in self._read(actual, read_trace):
            reference = references.get(trace.id)
            if reference is None:
                self._collector.without_reference.add(trace.id)
            else:
                run.add(trace.id)
                self._collector.take(join_case(reference, trace))
        for name, reference in references.items():
            if name not in run:
                self._collector.take(reference)

    def _take_plain(self, lines: Lines) -> bool:
        """Count cases without decoding them; False where these lines need to be read with care."""
        try:
            cases = decode_plain(lines.data)
        except (ValueError, RecursionError):
            return False
        self._collector.take_plain(cases, lambda at: self._parse(lines.record(at), read_case))
        return True

    def _take(self, record: Record | BadRecord) -> None:
        case = self._parse(record, read_case)
        if case is not None:
            self._collector.take(case)

    def _read(self, path: str, parse: Callable[..., Case]) -> Iterator[tuple[str, Case]]:
        for batch in read_batches(path, on_bytes=self._hooks.on_bytes):
            for record in batch.records() if isinstance(batch, Lines) else (batch,):
                case = self._parse(record, parse)
                if case is not None:
                    yield record.place, case

    def _parse(self, record: Record | BadRecord, parse: Callable[..., Case]) -> Case | None:
        if isinstance(record, BadRecord):
            self._refuse(record.place, record.problem)
            return None
        try:
            return parse(record.value, place=record.place)
        except UnreadableInput as error:
            self._refuse(error.place, error.problem)
            return None

    def _refuse(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            raise UnreadableInput(place, problem)
        self._collector.skipped.add(f"{place}: {problem}")
