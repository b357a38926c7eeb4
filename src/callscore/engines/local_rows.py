"""Scores files of any size on all processors of this machine, and writes a row for each case.

The input is split at the borders of lines. Each process scores one split at a time and writes its rows
to a file of their own; a split that was done is never done again, and one that was not is done whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import structs

from callscore.engines.batches import RowOptions, RowScorer, score_items, score_split
from callscore.engines.collector import RepeatedIds
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
    begin_parts,
    fingerprint_of,
    kept_cases,
    parts_folder,
    read_rows,
    with_fingerprint,
    write_results,
    written_rows,
)
from callscore.engines.row_totals import RowRun, RowTotals, unreadable
from callscore.engines.splits import (
    Split,
    is_stream,
    one_by_one,
    plan_splits,
    size_of,
    split_place,
)
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.cases import CONTENT_ID_PREFIX, NO_ID
from callscore.sources import BadRecord, Lines

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.totals import Totals
    from callscore.engines.record_reading import Item

_JOINED = ("scored", "unreadable")  # of a case that has both sides
_LOST = (
    "{place} ended {deaths} processes, perhaps because memory is short. Look at these lines, or use fewer"
    " processes: --jobs 1."
)


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
            `skip_bad` is off.
        references: files of references, to which the files are the traces, joined on the id. The
            references are kept in memory.
        jobs: the number of processes.
        resume: whether to continue a run that did not end.
        max_shown: how many failing cases the results have.
        keeps_failing: whether to keep the cases that `options.cases` names, such as all that
            failed, until `RowRun.close`.
        on_bytes: called with the number of bytes that are done since the last call.

    Raises:
        UnreadableInput: without `skip_bad`, a record or a file cannot be read.
        InvalidSettings: an unfinished run is in the way, or cannot be continued.
        MissingExtra: pyarrow, or what a file needs, is not installed.
        WorkerEnded: no process can be started.
    """
    schema = row_schema(pairs=options.pairs)
    _require_repeatable((*references, *files), resume=resume)
    known = _References(references, options) if references else None
    kept = options.cases if keeps_failing else max_shown
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
        if run.totals.totals.records:  # else earlier results stay
            write_results(run.paths, results, schema)
    except UnreadableInput:
        parts.remove()  # it would be the same again
        raise
    if not keeps_failing:
        parts.remove()
    return run.outcome()


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
        *(__version__, ROW_VERSION, kept, settings_payload(options.settings), options.skip_bad),
        *(dict(options.fields or {}), options.format, read_options, tools_payload(options.tools)),
        *(options.pairs, options.cases, options.redaction),
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


class _Scored(NamedTuple):
    """What a process made of a split; its rows are in a file.

    Attributes:
        shown: the first failing cases.
        names: the ids and trials of the scored cases, to find those that are repeated.
        joined: in a joined run, the ids of the traces that have a reference.
        lost: the places of what ended every process.
    """

    totals: Totals
    shown: list[Any]
    names: list[tuple[str, str | None]]
    joined: set[str]
    lost: tuple[str, ...]


class _LocalRun:
    """One pass over the files."""

    def __init__(self, files: Sequence[str], scorer: _SplitScorer, *, max_shown: int) -> None:
        self._files = files
        self._scorer = scorer
        self._repeated = RepeatedIds()
        self._joined: set[str] = set()
        self._lost: list[str] = []
        self._deaths = 0
        self.totals = RowTotals(settings=scorer.options.settings, max_shown=max_shown)
        self.paths: list[Path] = []  # of the parts

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
        self.totals.add_totals(scored.totals, scored.shown)
        self._lost += scored.lost
        self._joined |= scored.joined
        self._repeated.take(scored.names)

    def outcome(self) -> RowRun:
        """The outcome of the run, once all splits are done."""
        parts, paths = self._scorer.parts, self.paths
        results = self.totals.results(self._scorer.options.tools)
        return RowRun(
            results=structs.replace(results, repeated=self._repeated.found.noted()),
            rows=self.totals.totals.records,
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
        cases = options.cases if keeps_failing else "none"
        if cases == "none" and max_shown > 0:
            cases = "failing"
        self.options = structs.replace(options, cases=cases)
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
        done = self._counted(split) if split.name in self.parts.done else None
        if done is not None:
            return done
        references = None if self.references is None else self.references.cases
        scorer = RowScorer(self.options, references=references, max_cases=self._most_kept)
        return self._written(split, score_split(split, self._reader, scorer))

    def lose(self, split: Split, deaths: int) -> _Scored:
        """Write a row about a split that cannot be scored, because it ended that many processes."""
        place = split_place(split)
        start = None if split.end is None else split.start
        lost = BadRecord("", _LOST.format(place=place, deaths=deaths))
        scorer = RowScorer(structs.replace(self.options, skip_bad=True))
        rows = score_items([(lost, source_name(split.files[0]), start)], scorer)
        return self._written(split, rows, lost=(place,))

    def score_unanswered(self, split: Split, joined: set[str]) -> _Scored:
        """Write the rows of the references without a trace, and of those that cannot be read."""
        references = self.references or _References((), self.options)
        most = None if self._most_kept is None else 0
        scorer = RowScorer(self.options, references=references.cases, max_cases=most)
        return self._written(split, score_items(references.items(without=joined), scorer))

    def _written(
        self, split: Split, batches: Iterable[Any], *, lost: tuple[str, ...] = ()
    ) -> _Scored:
        """Write the rows of a split, and count them."""
        lost = (*skipped_places(split), *lost)
        fingerprint = structs.replace(self.parts.fingerprint, lost=lost)
        schema = with_fingerprint(self.options.schema, fingerprint)
        return self._count(written_rows(self.parts.path(split.name), schema, batches), lost)

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
        found = RowTotals(settings=self.options.settings, max_shown=self._max_shown)
        names: list[tuple[str, str | None]] = []
        joined: set[str] = set()
        for batch in batches:
            found.add(batch)
            columns = [batch[name].to_pylist() for name in ("id", "trial", "status")]
            for name, trial, status in zip(*columns, strict=True):
                if status == "scored" and not name.startswith(CONTENT_ID_PREFIX):
                    names.append((name, trial))
                if self.references is not None and name and status in _JOINED:
                    joined.add(name)
        return _Scored(found.totals, found.shown, names, joined, lost)


class _References:
    """The references of a joined run, by id; every process has them."""

    def __init__(self, files: Sequence[str], options: RowOptions) -> None:
        self.cases: dict[str, Case] = {}
        self._problems: list[BadRecord] = []
        inputs = RecordReader(options, REFERENCES).inputs
        for path in files:
            for found in read_cases(path, REFERENCES, inputs):
                self._take(found, skip_bad=options.skip_bad)

    def _take(self, found: Found, *, skip_bad: bool) -> None:
        if not isinstance(found, BadRecord):
            place, case = found
            problem = f"duplicate reference id {case.id!r}. Keep one of them."
            if case.id == NO_ID:
                problem = NO_JOIN
            elif case.id not in self.cases:
                self.cases[case.id] = case
                return
            found = BadRecord(place, problem)
        if not skip_bad:
            raise unreadable(found.place, found.problem)
        self._problems.append(found)

    def items(self, *, without: set[str]) -> Iterator[Item]:
        """Those that cannot be read, and the others but for those with these ids: no call was made."""
        for problem in self._problems:
            yield problem, problem.place, None
        for name, case in self.cases.items():
            if name not in without:
                yield ("", structs.replace(case, actual=None)), None, None
