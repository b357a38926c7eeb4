"""Scores files of any size on all processors of this machine, and writes a row for each case.

The input is split at the borders of lines. Each process scores one split at a time and writes its rows
to a file of their own; a split that was done is never done again, and one that was not is done whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from callscore.core.case import Case
from callscore.core.results import Results
from callscore.core.totals import NameCounter, Totals
from callscore.engines.batches import RowOptions, RowScorer, few_collections, score_split
from callscore.engines.inputs import (
    CASES,
    NO_JOIN,
    REFERENCES,
    TRACES,
    Found,
    read_cases,
)
from callscore.engines.payloads import settings_payload, tools_payload
from callscore.engines.pool import Done, Pool, process_count
from callscore.engines.record_reading import RecordReader, skipped_places, source_name
from callscore.engines.result_rows import ROW_VERSION, read_case_text, row_schema
from callscore.engines.row_files import (
    Fingerprint,
    PartFiles,
    RowFile,
    begin_parts,
    fingerprint_of,
    kept_cases,
    parts_folder,
    read_rows,
    with_fingerprint,
    write_results,
)
from callscore.engines.row_totals import (
    failing_cases,
    results_with,
    scored_case,
    totals_of_batch,
    unreadable,
)
from callscore.engines.splits import (
    Split,
    is_stream,
    one_by_one,
    plan_splits,
    size_of,
    split_place,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings, UnreadableInput, WorkerEnded
from callscore.formats.cases import CONTENT_ID_PREFIX, NO_ID, join_case
from callscore.sources import BadRecord, Lines

_MAX_REMEMBERED = 600_000  # hashes of ids, as in a `Collector`
_JOINED = ("scored", "unreadable")  # of a case that has both sides
_LOST = (
    "{place} ended {deaths} processes, perhaps because memory is short. Look at these lines, or use fewer"
    " processes: --jobs 1."
)
_NOT_WRITTEN = (
    "{deaths} processes that wrote the results were ended from outside, perhaps because memory is short. Free some of"
    " it, and continue with --resume."
)


class RowRun(Struct, frozen=True, kw_only=True):
    """The outcome of a large local run.

    Attributes:
        results: the totals, and the failing cases to show.
        rows: the number of rows that were written.
        lost: the places of splits that could not be scored.
        deaths: how many processes were killed, and replaced.
        resumed: how many splits were done before, by a run that this one continues.
        failing: yields the failing cases and those without an answer, or all cases, if they were kept;
            then call `close`.
        close: removes what is not needed any more.
    """

    results: Results
    rows: int
    lost: tuple[str, ...] = ()
    deaths: int = 0
    resumed: int = 0
    failing: Callable[[], Iterator[Case]] = lambda: iter(())
    close: Callable[[], None] = lambda: None


def score_to_rows(  # noqa: PLR0913  (all are options)
    files: Sequence[str],
    results: str,
    options: RowOptions,
    *,
    references: Sequence[str] = (),
    jobs: int = 1,
    resume: bool = False,
    max_shown: int = 10,
    keeps_failing: bool = False,
    on_bytes: Callable[[int], None] | None = None,
) -> RowRun:
    """Score files of any size, and write a result row for each case to a Parquet file.

    Args:
        files: case files, or traces; `-` is standard input.
        results: the Parquet file to write; if it ends with `/`, a folder of such files.
        options: how records are read and scored. An unreadable record is a row, too, unless
            `skips_bad` is off.
        references: files of references, to which the files are the traces, joined on the id. The
            references are kept in memory.
        jobs: the number of processes.
        resume: whether to continue a run that did not end.
        max_shown: how many failing cases the results have.
        keeps_failing: whether to keep the cases that `options.columns.cases` names, such as all that
            failed, until `RowRun.close`.
        on_bytes: called with the number of bytes that are done since the last call.

    Raises:
        UnreadableInput: without `skips_bad`, a record or a file cannot be read.
        InvalidSettings: an unfinished run is in the way, or cannot be continued.
        MissingExtra: pyarrow, or what a file needs, is not installed.
        WorkerEnded: no process can be started, or each that writes the results is ended.
    """
    schema = row_schema(structs.replace(options.columns, cases="none"))
    _require_repeatable((*references, *files), resume=resume)
    known = _References(references, options) if references else None
    kept = options.columns.cases if keeps_failing else max_shown
    fingerprint = _fingerprint(files, references, options, kept)
    parts = begin_parts(parts_folder(results), fingerprint, resume=resume)
    scorer = _SplitScorer(
        options,
        parts,
        known,
        max_shown=max_shown,
        keeps_failing=keeps_failing,
    )
    run = _LocalRun(files, scorer, max_shown=max_shown)
    try:
        run.go(process_count(jobs), on_bytes or (lambda _: None))
        if run.rows:  # else earlier results stay
            _apart(partial(write_results, run.paths, results, schema))
    except UnreadableInput:
        parts.remove()  # it would be the same again
        raise
    if not keeps_failing:
        parts.remove()
    return run.outcome()


def _apart(work: Callable[[], None]) -> None:
    """Do some work in a process of its own, whose memory is then free; what it cannot do raises its error here.

    Raises:
        WorkerEnded: every process that did it was ended.
    """
    pool: Pool[int, bool] = Pool(partial(_done, work), 1)
    try:
        found = list(pool.results(iter([0])))
    finally:
        pool.close()
    for done in found:
        if done.deaths:
            raise WorkerEnded(_NOT_WRITTEN.format(deaths=done.deaths))
        if not done.result:
            work()


def _done(work: Callable[[], None], _: int) -> bool:
    work()
    return True


def _require_repeatable(files: Iterable[str], *, resume: bool) -> None:
    stream = next(filter(is_stream, files), None) if resume else None
    if stream is not None:
        raise InvalidSettings(
            f"{source_name(stream)}: what is read from a pipe cannot be read again, so that its run cannot"
            " be continued. Save it as a file, or start again without --resume"
        )


def _fingerprint(
    files: Sequence[str], references: Sequence[str], options: RowOptions, kept: str | int
) -> Fingerprint:
    from callscore import __version__

    read_options = repr(structs.replace(options.read_options, tools={}))
    given = [
        *(__version__, ROW_VERSION, kept, settings_payload(options.settings), options.skips_bad),
        *(dict(options.fields or {}), options.format, read_options, tools_payload(options.tools)),
        *(options.columns, options.redaction),
    ]
    return Fingerprint(
        input=_digest([[_file_state(path) for path in each] for each in (references, files)]),
        options=_digest(given),
    )


def _file_state(path: str) -> tuple[str, int, int]:
    """What shows that a file has changed."""
    try:
        changed = Path(path).stat().st_mtime_ns
    except (OSError, ValueError):  # standard input, a URL, or a file that is missing
        changed = 0
    return source_name(path), size_of(path) or 0, changed


def _digest(value: Any) -> str:
    return sha256(msgspec.json.encode(value)).hexdigest()


class _Scored(Struct, frozen=True, kw_only=True):
    """What a process made of a split; its rows are in a file.

    Attributes:
        names: the ids and trials of the scored cases, to find those that are repeated.
        joined: in a joined run, the ids of the traces that have a reference.
        shown: the first failing cases, as text.
        lost: the places of what ended every process.
    """

    totals: Totals
    names: list[tuple[str, str | None]]
    joined: set[str]
    shown: list[str]
    lost: tuple[str, ...]


class _LocalRun:
    """One pass over the files."""

    def __init__(self, files: Sequence[str], scorer: _SplitScorer, *, max_shown: int) -> None:
        self._files = files
        self._scorer = scorer
        self._max_shown = max_shown
        self._settings = scorer.options.settings
        self._totals = Totals.of(self._settings)
        self._shown: list[str] = []
        self._repeated = NameCounter(each_once=True)
        self._remembered: set[int] = set()
        self._joined: set[str] = set()
        self._lost: list[str] = []
        self._deaths = 0
        self.paths: list[Path] = []  # of the parts

    @property
    def rows(self) -> int:
        """The number of rows of all parts."""
        return self._totals.records

    def go(self, jobs: int, on_bytes: Callable[[int], None]) -> None:
        """Score all splits that are not done; those that are done are only counted."""
        # Here, so that not every process does it.
        from pyarrow import acero, compute, parquet  # noqa: F401  (for what they import)

        scorer = self._scorer
        pool: Pool[Split, _Scored] = Pool(scorer.work, jobs)
        try:
            for done in pool.results(self._splits()):
                for split, scored in self._scored(pool, done):
                    self._add(split, scored)
                on_bytes(done.task.size)
        finally:
            self._deaths = pool.deaths
            pool.close()
        self._remembered.clear()  # it is large, and all ids were seen
        if scorer.references is not None:
            unanswered = Split(index=len(self._files), files=("references",))
            self._add(unanswered, scorer.score_unanswered(unanswered, self._joined))

    def _splits(self) -> Iterator[Split]:
        """The splits; a group of files that were done one by one is not done as a group."""
        done = self._scorer.parts.done
        for split in plan_splits(self._files, may_split=self._scorer.may_split):
            apart = one_by_one(split)
            is_apart = split.name not in done and done & {each.name for each in apart}
            yield from apart if is_apart else [split]

    def _scored(
        self, pool: Pool[Split, _Scored], done: Done[Split, _Scored]
    ) -> Iterator[tuple[Split, _Scored]]:
        """What was made of a split, or of its files one by one if it ends every process."""
        split, scored, deaths = done
        if not deaths:
            # What a process cannot do raises its error here.
            yield split, scored or self._scorer.work(split)
        elif len(split.files) > 1:
            for each in one_by_one(split):
                yield from self._scored(pool, pool.alone(each))
        else:
            yield split, self._scorer.lose(split, deaths)

    def _add(self, split: Split, scored: _Scored) -> None:
        self.paths.append(self._scorer.parts.path(split.name))
        self._totals.merge(scored.totals)
        self._lost += scored.lost
        self._joined |= scored.joined
        self._shown += scored.shown[: self._max_shown - len(self._shown)]
        for name, trial in scored.names:
            key = hash((name, trial))
            if key in self._remembered:
                self._repeated.add(name if trial is None else f"{name} #{trial}")
            elif len(self._remembered) < _MAX_REMEMBERED:
                self._remembered.add(key)

    def outcome(self) -> RowRun:
        """The outcome of the run, once all splits are done."""
        settings, parts, paths = self._settings, self._scorer.parts, self.paths
        definitions = ToolDefinitions(self._scorer.options.tools)
        shown = [scored_case(read_case_text(text), settings, definitions) for text in self._shown]
        results = results_with(self._totals, settings, shown)
        return RowRun(
            results=structs.replace(results, repeated=self._repeated.noted()),
            rows=self.rows,
            lost=tuple(self._lost),
            deaths=self._deaths,
            resumed=len(parts.done),
            failing=lambda: map(read_case_text, kept_cases(paths)),
            close=parts.remove,
        )


class _SplitScorer:
    """Scores one split after another, in one of the processes."""

    def __init__(
        self,
        options: RowOptions,
        parts: PartFiles,
        references: _References | None,
        *,
        max_shown: int,
        keeps_failing: bool,
    ) -> None:
        cases = options.columns.cases if keeps_failing else "none"
        if cases == "none" and max_shown > 0:
            cases = "failing"
        columns = structs.replace(options.columns, cases=cases)
        self.options = structs.replace(options, columns=columns)
        self.parts = parts
        self.references = references
        self._max_shown = max_shown
        self._most_kept = None if keeps_failing else max_shown
        self._reader = RecordReader(options, CASES if references is None else TRACES)

    def may_split(self, head: Lines) -> bool:
        """Whether the lines of a file that begins with these can be read one by one."""
        return not self._reader.joins(head)

    def work(self, split: Split) -> _Scored:
        """Score a split, and write its rows; if that was done before, read them.

        Raises:
            UnreadableInput: something in it cannot be read, and is not to be skipped.
        """
        counted = self._counted(split) if split.name in self.parts.done else None
        if counted is not None:
            return counted
        references = None if self.references is None else self.references.cases
        scorer = RowScorer(self.options, references=references, max_cases=self._most_kept)
        with few_collections():
            return self._written(split, score_split(split, self._reader, scorer))

    def lose(self, split: Split, deaths: int) -> _Scored:
        """Write a row about a split that cannot be scored, because it ended that many processes."""
        scorer = RowScorer(structs.replace(self.options, skips_bad=True))
        place = split_place(split)
        start = None if split.end is None else split.start
        problem = _LOST.format(place=place, deaths=deaths)
        scorer.refuse(problem, source_name(split.files[0]), start)
        return self._written(split, scorer.rest(), lost=(place,))

    def score_unanswered(self, split: Split, joined: set[str]) -> _Scored:
        """Write the rows of the references without a trace."""
        return self._written(split, self._unanswered_batches(joined))

    def _unanswered_batches(self, joined: set[str]) -> Iterator[Any]:
        scorer = RowScorer(self.options, max_cases=None if self._most_kept is None else 0)
        references = self.references
        if references is not None:
            for place, problem in references.problems:
                scorer.refuse(problem, place, None)
            for name, case in references.cases.items():
                if name not in joined:
                    scorer.take_case(join_case(case, structs.replace(case, actual=None)))
                    yield from scorer.full_batches()
        yield from scorer.rest()

    def _written(
        self, split: Split, batches: Iterable[Any], *, lost: tuple[str, ...] = ()
    ) -> _Scored:
        """Write the rows of a split, and count them."""
        lost = (*skipped_places(split), *lost)
        fingerprint = structs.replace(self.parts.fingerprint, lost=lost)
        schema = with_fingerprint(row_schema(self.options.columns), fingerprint)
        with RowFile(self.parts.path(split.name), schema) as rows:
            return self._count(map(rows.written, batches), lost)

    def _counted(self, split: Split) -> _Scored | None:
        """Count the rows of a split that was done before; None if its file is damaged."""
        from pyarrow import ArrowException

        path = self.parts.path(split.name)
        try:
            fingerprint = fingerprint_of(path)
            return None if fingerprint is None else self._count(read_rows(path), fingerprint.lost)
        except (OSError, ArrowException):
            return None

    def _count(self, batches: Iterable[Any], lost: tuple[str, ...]) -> _Scored:
        """Add up the rows of a split; `lost` are the places of what was lost."""
        is_joined = self.references is not None
        totals = Totals.of(self.options.settings)
        found = _Scored(totals=totals, names=[], joined=set(), shown=[], lost=lost)
        for batch in batches:
            totals.merge(totals_of_batch(batch, self.options.settings))
            columns = [batch[name].to_pylist() for name in ("id", "trial", "status")]
            for name, trial, status in zip(*columns, strict=True):
                if status == "scored" and not name.startswith(CONTENT_ID_PREFIX):
                    found.names.append((name, trial))
                if is_joined and name and status in _JOINED:
                    found.joined.add(name)
            found.shown.extend(failing_cases(batch, self._max_shown - len(found.shown)))
        return found


class _References:
    """The references of a joined run, by id; every process has them."""

    def __init__(self, files: Sequence[str], options: RowOptions) -> None:
        self.cases: dict[str, Case] = {}
        self.problems: list[tuple[str, str]] = []
        inputs = RecordReader(options, REFERENCES).inputs
        for path in files:
            for found in read_cases(path, REFERENCES, inputs):
                self._take(found, skips_bad=options.skips_bad)

    def _take(self, found: Found, *, skips_bad: bool) -> None:
        place, problem = "", ""
        if isinstance(found, BadRecord):
            place, problem = found.place, found.problem
        elif found[1].id == NO_ID:
            place, problem = found[0], NO_JOIN
        elif found[1].id in self.cases:
            place = found[0]
            problem = f"duplicate reference id {found[1].id!r}. Keep one of them."
        else:
            self.cases[found[1].id] = found[1]
        if problem and not skips_bad:
            raise unreadable(place, problem)
        if problem:
            self.problems.append((place, problem))
