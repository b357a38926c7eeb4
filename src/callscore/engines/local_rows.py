"""Scores files of any size on all processors of this machine, and writes a row for each case.

The input is split at the borders of lines. Each process scores one split at a time and writes its rows
to a file of their own; a split that was done is never done again, and one that was not is done whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import chain
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
    read_cases,
)
from callscore.engines.payloads import settings_payload, tools_payload
from callscore.engines.pool import Pool, process_count
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
    # Here, so that not every process does it.
    from pyarrow import acero, compute, parquet  # noqa: F401  (for what they import)

    _require_repeatable((*references, *files), resume=resume)
    known, problems = _read_references(references, options)
    kept = options.cases if keeps_failing else max_shown
    fingerprint = _fingerprint(files, references, options, kept)
    parts = begin_parts(parts_folder(results), fingerprint, resume=resume)
    scorer = _SplitScorer(
        options,
        parts,
        known if references else None,
        max_shown=max_shown,
        keeps_failing=keeps_failing,
    )
    found = RowTotals(settings=options.settings, max_shown=max_shown)
    repeated = RepeatedIds()
    lost: list[str] = []
    paths: list[Path] = []
    pool: Pool[Split, _Scored] = Pool(scorer.work, process_count(jobs))
    try:
        with closing(pool):
            for split, scored in _scored_splits(files, problems, scorer, pool):
                paths.append(parts.path(split.name))
                found.add_totals(scored.totals, scored.shown)
                lost += scored.lost
                repeated.take(scored.names)
                if on_bytes is not None:
                    on_bytes(split.size)
        if found.totals.records:  # else earlier results stay
            write_results(paths, results, schema)
    except UnreadableInput:
        parts.remove()  # it would be the same again
        raise
    if not keeps_failing:
        parts.remove()
    return RowRun(
        results=structs.replace(found.results(options.tools), repeated=repeated.found.noted()),
        rows=found.totals.records,
        lost=tuple(lost),
        deaths=pool.deaths,
        resumed=len(parts.done),
        failing=lambda: map(read_case_text, kept_cases(paths)),
        close=parts.remove,
    )


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


def _scored_splits(
    files: Sequence[str], problems: list[Item], scorer: _SplitScorer, pool: Pool[Split, _Scored]
) -> Iterator[tuple[Split, _Scored]]:
    """What was made of each split; the last one are the references without a trace, or with a problem."""
    joined: set[str] = set()
    for split, scored, deaths in pool.results(plan_splits(files, may_split=scorer.may_split)):
        # What a process cannot do raises its error here.
        result = scored or scorer.work(split, deaths)
        joined |= result.joined
        yield split, result
    if scorer.references is not None:
        last = Split(index=len(files), files=("references",))
        cases = [case for name, case in scorer.references.items() if name not in joined]
        yield last, scorer.work_on(last, chain(problems, map(_without_answer, cases)))


class _SplitScorer:
    """Scores one split after another, in one of the processes."""

    def __init__(
        self,
        options: RowOptions,
        parts: PartFiles,
        references: Mapping[str, Case] | None,
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

    def work(self, split: Split, deaths: int = 0) -> _Scored:
        """Score a split, and write its rows; if that was done before, read them.

        A split that ended processes, `deaths` of them, is lost: its only row says so.

        Raises:
            UnreadableInput: something in it cannot be read, and is not to be skipped.
        """
        done = self._counted(split) if split.name in self.parts.done else None
        if done is not None:
            return done
        if not deaths:
            return self._written(
                split, score_split(split, self._reader, self._scorer(self.options))
            )
        place = split_place(split)
        lost = structs.replace(split, problem=_LOST.format(place=place, deaths=deaths))
        scorer = self._scorer(structs.replace(self.options, skip_bad=True))
        return self._written(split, score_split(lost, self._reader, scorer), lost=(place,))

    def work_on(self, split: Split, items: Iterable[Item]) -> _Scored:
        """Score what was found, and write its rows as those of a split."""
        return self._written(split, score_items(items, self._scorer(self.options)))

    def _scorer(self, options: RowOptions) -> RowScorer:
        return RowScorer(options, references=self.references, max_cases=self._most_kept)

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


def _read_references(
    files: Iterable[str], options: RowOptions
) -> tuple[dict[str, Case], list[Item]]:
    """The references of a joined run, by id, and those that cannot be read."""
    cases: dict[str, Case] = {}
    problems: list[Item] = []
    inputs = RecordReader(options, REFERENCES).inputs
    for found in chain.from_iterable(read_cases(path, REFERENCES, inputs) for path in files):
        if isinstance(found, BadRecord):
            bad = found
        elif found[1].id == NO_ID:
            bad = BadRecord(found[0], NO_JOIN)
        elif found[1].id in cases:
            bad = BadRecord(found[0], f"duplicate reference id {found[1].id!r}. Keep one of them.")
        else:
            cases[found[1].id] = found[1]
            continue
        if not options.skip_bad:
            raise unreadable(bad.place, bad.problem)
        problems.append((bad, bad.place, None))
    return cases, problems


def _without_answer(reference: Case) -> Item:
    """A reference without a trace: no call was made."""
    return ("", structs.replace(reference, actual=None)), None, None
