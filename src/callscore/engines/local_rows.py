"""Scores files of any size on all processors of this machine, and writes a row for each case.

The input is split at the borders of lines. Each process scores one split at a time and writes its rows
to a file of their own; a split that was done is never done again, and one that was not is done whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, structs

from callscore.core.case import Case
from callscore.core.results import Noted, Results
from callscore.core.summary import Summary
from callscore.core.totals import Totals
from callscore.engines.batches import RecordReader, RowOptions, RowScorer, few_collections
from callscore.engines.inputs import (
    CASES,
    NO_JOIN,
    REFERENCES,
    TRACES,
    CaseReader,
    read_cases,
)
from callscore.engines.local import CHECKED_BYTES, MANY_BYTES, decoded_lines
from callscore.engines.payloads import settings_payload, tools_payload
from callscore.engines.result_rows import ROW_VERSION, read_case_text, row_schema
from callscore.engines.row_files import (
    DonePart,
    LineFile,
    Manifest,
    RowFile,
    RunIdentity,
    merge_parts,
    move_parts,
    parts_folder,
    read_rows,
)
from callscore.engines.row_totals import (
    failing_cases,
    place_text,
    results_with,
    scored_case,
    totals_of_batch,
    unreadable,
)
from callscore.engines.splits import (
    FileSplit,
    first_lines,
    is_parquet,
    is_stream,
    plan_splits,
    read_file_lines,
    read_split,
    size_of,
    split_place,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.engines.workers import MOST_DEATHS, Workers, mark_position, process_count
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.cases import CONTENT_ID_PREFIX, NO_ID, join_case
from callscore.formats.plain_cases import decode_cases
from callscore.sources import BadRecord, Lines, Record, read_batches
from callscore.sources.files import display_path, open_seekable
from callscore.sources.tables import batch_rows, read_row_groups

if TYPE_CHECKING:
    from callscore.engines.inputs import Found

__all__ = ["RowRun", "score_to_rows"]

_MAX_REMEMBERED = 600_000  # hashes of ids, as in a `Collector`
_MOST_REPEATED = 10  # ids that are named
# What is merged in the order of the input, whichever split is done first.
_JOINED = ("scored", "unreadable")  # of a case that has both sides
_LOST = (
    "{place} ended {deaths} processes, perhaps because memory is short. Look at these lines, or use fewer"
    " processes: --jobs 1."
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
        WorkerEnded: no process can be started.
    """
    schema = row_schema(structs.replace(options.columns, cases="none"))
    _require_repeatable((*references, *files), resume=resume)
    known = _References(references, options) if references else None
    kept = options.columns.cases if keeps_failing else max_shown
    identity = _identity(files, references, options, kept)
    manifest = Manifest(parts_folder(results), identity, resume=resume)
    resumed = len(manifest.done)
    scorer = _SplitScorer(
        options,
        manifest,
        known,
        max_shown=max_shown,
        keeps_failing=keeps_failing,
    )
    run = _LocalRun(files, scorer, manifest, max_shown=max_shown)
    try:
        run.go(process_count(jobs), on_bytes or (lambda _: None))
        destination = Path(results)
        is_folder = results.endswith("/")
        if run.rows:  # else earlier results stay
            _apart(lambda: (move_parts if is_folder else _merge(schema))(manifest, destination))
    except UnreadableInput:
        manifest.remove()  # it would be the same again
        raise
    finally:
        manifest.close()
    if not keeps_failing:
        manifest.remove()
    return run.outcome(resumed=resumed, close=manifest.remove)


def _apart(work: Callable[[], None]) -> None:
    """Do some work in a process of its own, whose memory is then free; if that fails, in this one."""

    def is_done(_: int) -> bool:
        work()
        return True

    workers: Workers[int, bool] = Workers(is_done, 1)
    try:
        found = list(workers.results(iter([0])))
    finally:
        workers.close()
    if not all(done.result for done in found):
        work()


def _merge(schema: Any) -> Callable[[Manifest, Path], None]:
    return lambda manifest, destination: merge_parts(manifest, destination, schema)


def _require_repeatable(files: Iterable[str], *, resume: bool) -> None:
    stream = next(filter(is_stream, files), None) if resume else None
    if stream is not None:
        raise InvalidSettings(
            f"{_source(stream)}: what is read from a pipe cannot be read again, so that its run cannot"
            " be continued. Save it as a file, or start again without --resume"
        )


def _identity(
    files: Sequence[str], references: Sequence[str], options: RowOptions, kept: str | int
) -> RunIdentity:
    from callscore import __version__

    return RunIdentity(
        version=f"{__version__}, rows {ROW_VERSION}",
        options={
            "settings": settings_payload(options.settings),
            "--map": dict(options.fields or {}),
            "--input-format": options.format,
            "--view, --candidate, --leave-out, --failure-pattern or --id-from": repr(
                structs.replace(options.read_options, tools={})
            ),
            "--tools": tools_payload(options.tools),
            "--pairs": options.columns.pairs,
            "hidden values": options.hides_secrets,
            "--skip-bad": options.skips_bad,
            "--expected": bool(references),
            "--show, --max-shown or --save": kept,
        },
        files=[_file_identity(path) for path in (*references, *files)],
    )


def _file_identity(path: str) -> tuple[str, int, int]:
    try:
        changed = Path(path).stat().st_mtime_ns
    except (OSError, ValueError):  # standard input, a URL, or a file that is missing
        changed = 0
    return _source(path), size_of(path) or 0, changed


def _source(path: str) -> str:
    """The name of a file in rows; bytes of it that are not text are escaped."""
    return display_path(path).encode("utf-8", "backslashreplace").decode()


class _Scored(Struct, frozen=True, kw_only=True):
    """What a process made of a split; its rows are in a file.

    Attributes:
        names: the ids and trials of the scored cases, to find those that are repeated.
        joined: in a joined run, the ids of the traces that have a reference.
        shown: the first failing cases, as text.
    """

    rows: int
    totals: Totals
    names: list[tuple[str, str | None]]
    joined: set[str]
    shown: list[str]


class _LocalRun:
    """One pass over the files."""

    def __init__(
        self, files: Sequence[str], scorer: _SplitScorer, manifest: Manifest, *, max_shown: int
    ) -> None:
        self._files = files
        self._scorer = scorer
        self._manifest = manifest
        self._max_shown = max_shown
        self._settings = scorer.options.settings
        self._summary = Summary(pass_mark=self._settings.pass_mark)
        self._noted: list[tuple[tuple[int, int], Totals]] = []
        self._shown: list[tuple[tuple[int, int], list[str]]] = []
        self._repeated: set[str] = set()  # only the first of them, in alphabetical order
        self._repeats = 0
        self._remembered: set[int] = set()
        self._joined: set[str] = set()
        self._lost: list[tuple[tuple[int, int], str]] = []
        self._again: list[FileSplit] = []
        self.deaths = 0

    def go(self, jobs: int, on_bytes: Callable[[int], None]) -> None:
        """Score all splits that are not done; those that are done are only counted."""
        # Here, so that not every process does it.
        from pyarrow import acero, compute, parquet  # noqa: F401  (for what they import)

        scorer = self._scorer
        tasks = self._tasks()
        workers: Workers[FileSplit, _Scored] = Workers(scorer.work, jobs)
        try:
            while True:
                for done in workers.results(tasks, in_order=False):
                    if done.is_lost:
                        self._lose(done.task)
                    else:
                        # What a process cannot do raises its error here.
                        self._add(done.task, done.result or scorer.work(done.task))
                    on_bytes(done.task.size)
                if not self._again:
                    break
                tasks, self._again = iter(self._again), []
        finally:
            self.deaths = workers.deaths
            workers.close()
        self._remembered.clear()  # it is large, and all ids were seen
        if scorer.references is not None:
            unanswered = FileSplit(index=len(self._files), files=("references",))
            self._add(unanswered, scorer.score_unanswered(unanswered, self._joined))

    def _tasks(self) -> Iterator[FileSplit]:
        """The splits; a group of files that were done one by one is not done as a group."""
        done = self._manifest.done
        for split in plan_splits(self._files, may_split=self._scorer.may_split):
            is_apart = done.keys() & {each.name for each in _one_by_one(split)}
            if is_apart and split.name not in done:
                yield from _one_by_one(split)
            else:
                yield split

    def _add(self, split: FileSplit, scored: _Scored, *, lost: str = "") -> None:
        done = self._manifest.done.get(split.name)
        if done is None:
            done = DonePart(
                name=split.name,
                rows=scored.rows,
                size=split.size,
                index=split.index,
                start=split.start,
                end=split.end,
                lost=lost,
            )
            self._manifest.add(done)
        if done.lost:
            self._lost.append((split.key, done.lost))
        self._summary.merge(scored.totals.summary)
        self._noted.append((split.key, structs.replace(scored.totals, summary=Summary())))
        self._note_repeated(scored.names)
        self._joined |= scored.joined
        if scored.shown:
            self._shown.append((split.key, scored.shown))
            self._shown.sort()
            while sum(len(texts) for _, texts in self._shown[:-1]) >= self._max_shown > 0:
                self._shown.pop()

    def _note_repeated(self, names: list[tuple[str, str | None]]) -> None:
        for name, trial in names:
            key = hash((name, trial))
            if key in self._remembered:
                self._repeats += 1
                self._repeated.add(name if trial is None else f"{name} #{trial}")
                if len(self._repeated) > _MOST_REPEATED:
                    self._repeated.remove(max(self._repeated))
            elif len(self._remembered) < _MAX_REMEMBERED:
                self._remembered.add(key)

    def _lose(self, split: FileSplit) -> None:
        """Report a split that ends every process; of several files, each is tried alone first."""
        if len(split.files) > 1:
            self._again += _one_by_one(split)
        else:
            self._add(split, self._scorer.lose(split), lost=split_place(split))

    @property
    def rows(self) -> int:
        """The number of rows of all splits that are done."""
        return sum(part.rows for part in self._manifest.done.values())

    def outcome(self, *, resumed: int, close: Callable[[], None]) -> RowRun:
        """The outcome of the run, once all splits are done."""
        settings, manifest = self._settings, self._manifest
        definitions = ToolDefinitions(self._scorer.options.tools)
        texts = [text for _, found in self._shown for text in found][: self._max_shown]
        shown = [scored_case(read_case_text(text), settings, definitions) for text in texts]
        noted = Totals()
        for _, notes in sorted(self._noted, key=itemgetter(0)):
            noted.merge(notes)
        totals = structs.replace(noted, summary=self._summary)
        repeated = Noted(self._repeats, tuple(sorted(self._repeated)))
        return RowRun(
            results=structs.replace(results_with(totals, settings, shown), repeated=repeated),
            rows=totals.records,
            lost=tuple([place for _, place in sorted(self._lost)]),
            deaths=self.deaths,
            resumed=resumed,
            failing=lambda: map(read_case_text, manifest.cases()),
            close=close,
        )


def _one_by_one(split: FileSplit) -> list[FileSplit]:
    """The files of a split, each as a split of its own; none if it is only one file."""
    if len(split.files) == 1:
        return []
    return [
        FileSplit(index=split.index + number, files=(path,))
        for number, path in enumerate(split.files)
    ]


class _SplitScorer:
    """Scores one split after another, in one of the processes."""

    def __init__(
        self,
        options: RowOptions,
        manifest: Manifest,
        references: _References | None,
        *,
        max_shown: int,
        keeps_failing: bool,
    ) -> None:
        self.references = references
        cases = options.columns.cases if keeps_failing else "none"
        if cases == "none" and max_shown > 0:
            cases = "failing"
        columns = structs.replace(options.columns, cases=cases)
        self.options = structs.replace(options, columns=columns)
        self._manifest = manifest
        self._max_shown = max_shown
        self._keeps_failing = keeps_failing
        self._part = CASES if references is None else TRACES
        self._position = 0
        self._reader = RecordReader(options, self._part)
        self._definitions = ToolDefinitions(options.tools)

    def may_split(self, head: Lines) -> bool:
        """Whether the lines of a file that begins with these can be read one by one."""
        return not self._reader.joins(head)

    def work(self, split: FileSplit) -> _Scored:
        """Score a split, and write its rows; if that was done before, read them.

        Raises:
            UnreadableInput: something in it cannot be read, and is not to be skipped.
        """
        done = self._manifest.done.get(split.name)
        counted = None if done is None else self._counted(done)
        if counted is not None:
            return counted
        scorer = RowScorer(self.options, max_cases=None if self._keeps_failing else self._max_shown)
        self._position = 0
        if split.problem:
            found = self._problem_batches(split, scorer)
        elif split.end is not None:
            found = self._part_batches(split, scorer)
        else:
            found = self._file_batches(split, scorer)
        with few_collections():
            return self._written(split, found)

    def _go_on(self) -> None:
        """Mark that the next part of the split begins."""
        self._position += 1
        mark_position(self._position)

    def lose(self, split: FileSplit) -> _Scored:
        """Write a row about a split that cannot be scored."""
        scorer = RowScorer(structs.replace(self.options, skips_bad=True))
        problem = _LOST.format(place=split_place(split), deaths=MOST_DEATHS)
        scorer.refuse(problem, *_place(split))
        return self._written(split, scorer.rest())

    def score_unanswered(self, split: FileSplit, joined: set[str]) -> _Scored:
        """Write the rows of the references without a trace."""
        return self._written(split, self._unanswered_batches(joined))

    def _unanswered_batches(self, joined: set[str]) -> Iterator[Any]:
        scorer = RowScorer(self.options, max_cases=None if self._keeps_failing else 0)
        references = self.references
        if references is not None:
            for place, problem in references.problems:
                scorer.refuse(problem, place, None)
            for name, case in references.cases.items():
                if name not in joined:
                    scorer.take_case(join_case(case, structs.replace(case, actual=None)))
                    yield from scorer.full_batches()
        yield from scorer.rest()

    def _written(self, split: FileSplit, batches: Iterable[Any]) -> _Scored:
        """Write the rows of a split, and count them."""
        counting = _Counting(self.options, self._max_shown, is_joined=self.references is not None)
        schema = row_schema(structs.replace(self.options.columns, cases="none"))
        rows = RowFile(self._manifest.rows_path(split.name), schema)
        cases = LineFile(self._manifest.cases_path(split.name))
        try:
            for batch in batches:
                cases.write(counting.add(batch))
                rows.write(batch.select(schema.names))
            cases.finish()
            rows.finish()
        except BaseException:
            cases.discard()
            rows.discard()
            raise
        return counting.scored()

    def _counted(self, done: DonePart) -> _Scored | None:
        """Count the rows of a split that was done before; None if its file is missing or damaged."""
        from pyarrow import ArrowException

        counting = _Counting(self.options, self._max_shown, is_joined=self.references is not None)
        try:
            for batch in read_rows(self._manifest.rows_path(done.name)):
                counting.add(batch)
        except (OSError, ArrowException):
            return None
        failing = filter(self._is_failing, self._manifest.cases_of(done.name))
        scored = structs.replace(counting.scored(), shown=[*islice(failing, self._max_shown)])
        return scored if scored.rows == done.rows else None

    def _is_failing(self, text: str) -> bool:
        case = read_case_text(text)
        if case.expected is UNSET or case.actual is None:
            return False
        return not scored_case(case, self.options.settings, self._definitions).score.passed

    def _problem_batches(self, split: FileSplit, scorer: RowScorer) -> Iterator[Any]:
        """The row about a file that cannot be read, or not to its end."""
        (path,) = split.files
        scorer.refuse(split.problem, _source(path), split.start or None)
        yield from scorer.rest()

    def _part_batches(self, split: FileSplit, scorer: RowScorer) -> Iterator[Any]:
        """Score a part of a file; if it cannot be read to its end, this is a row."""
        (path,) = split.files
        source = _source(path)
        try:
            if split.groups is not None:
                yield from self._row_groups(path, scorer, range(*split.groups), split.start)
            else:
                for lines in read_split(split):
                    yield from self._lines(lines, source, scorer)
        except UnreadableInput as error:
            if error.is_one_record:
                raise
            scorer.refuse(error.problem, source, split.start)
        yield from scorer.rest()

    def _file_batches(self, split: FileSplit, scorer: RowScorer) -> Iterator[Any]:
        """Score whole files; one that cannot be read is a row."""
        for path in split.files:
            try:
                yield from self._file(path, scorer)
            except UnreadableInput as error:
                if error.is_one_record:
                    raise
                scorer.refuse(error.problem, _source(path), None)
        yield from scorer.rest()

    def _file(self, path: str, scorer: RowScorer) -> Iterator[Any]:
        self._go_on()
        if is_parquet(path):
            yield from self._row_groups(path, scorer)
            return
        source = _source(path)
        head = first_lines(path)
        if head is not None and self.may_split(head):
            for lines in read_file_lines(path):
                yield from self._lines(lines, source, scorer)
            return
        # As `score_files` does, because what one record means may depend on those before it.
        reader = CaseReader(source, self._part, self._reader.inputs)
        for batch in read_batches(path, allow_remote=True):
            records: Iterable[Any] = (
                batch.records(checked_bytes=CHECKED_BYTES) if isinstance(batch, Lines) else (batch,)
            )
            for record in records:
                self._take(reader.take(record), scorer, source, None)
            yield from scorer.full_batches()
        self._take(reader.finish(), scorer, source, None)

    def _row_groups(
        self, path: str, scorer: RowScorer, groups: range | None = None, offset: int = 0
    ) -> Iterator[Any]:
        """Score the rows of a Parquet file, each on its own."""
        source = _source(path)
        with open_seekable(path) as file:
            for batch in read_row_groups(file, source, groups):
                self._go_on()
                for row in batch_rows(batch):
                    self._take(self._reader.read(row, source, offset), scorer, source, offset)
                    offset += 1
                yield from scorer.full_batches()

    def _lines(self, lines: Lines, source: str, scorer: RowScorer) -> Iterator[Any]:
        """Score lines of JSON, each on its own."""
        self._go_on()
        is_plain = self._part is CASES and self._reader.inputs.says_nothing
        cases = self._plain_cases(lines) if is_plain else None
        offset = lines.offset
        if cases is None:
            for line in lines.data.split(b"\n"):
                if line.strip():
                    place = place_text(source, offset)
                    for record in Lines(place, 1, line, offset).records(
                        checked_bytes=CHECKED_BYTES
                    ):
                        self._take(self._read(record), scorer, source, offset)
                offset += len(line) + 1
        else:
            for case, line in zip(cases, lines.data.split(b"\n"), strict=False):
                scorer.take_case(case, source, offset)
                offset += len(line) + 1
        yield from scorer.full_batches()

    def _plain_cases(self, lines: Lines) -> list[Case] | None:
        """The cases of lines in the simplest notation; None if they are in another one."""
        if len(lines.data) < MANY_BYTES:
            return None
        if lines.offset < CHECKED_BYTES and lines.may_have_duplicates:
            return None
        return decoded_lines(decode_cases, lines)

    def _read(self, record: Record | BadRecord) -> Iterator[Found]:
        if isinstance(record, BadRecord):
            yield record
        else:
            yield from self._reader.read_record(record)

    def _take(
        self, found: Iterable[Found], scorer: RowScorer, source: str, offset: int | None
    ) -> None:
        """Score what was found in a record."""
        for item in found:
            if isinstance(item, BadRecord):
                # Without an offset, only the place of the record says which one it is.
                scorer.refuse(item.problem, source if offset is not None else item.place, offset)
            elif self.references is None:
                scorer.take_case(item[1], source, offset)
            else:
                self._join(item[1], self.references, scorer, (source, offset))

    def _join(
        self, trace: Case, references: _References, scorer: RowScorer, place: tuple[str, int | None]
    ) -> None:
        """Score a trace against the reference with its id."""
        if trace.id == NO_ID:
            scorer.refuse(NO_JOIN, *place)
        elif trace.id in references.cases:
            scorer.take_case(join_case(references.cases[trace.id], trace), *place)
        else:
            scorer.take_unreferenced(trace, *place)


class _Counting:
    """Adds up the rows of one split."""

    def __init__(self, options: RowOptions, max_shown: int, *, is_joined: bool) -> None:
        self._is_joined = is_joined
        self._joined: set[str] = set()
        self._settings = options.settings
        self._max_shown = max_shown
        self._totals = Totals.of(options.settings)
        self._names: list[tuple[str, str | None]] = []
        self._shown: list[str] = []

    def add(self, batch: Any) -> list[str]:
        """Count the rows of a batch; returns the cases in it, as text."""
        self._totals.merge(totals_of_batch(batch, self._settings))
        columns = [batch[name].to_pylist() for name in ("id", "trial", "status")]
        self._names += [
            (name, trial)
            for name, trial, status in zip(*columns, strict=True)
            if status == "scored" and not name.startswith(CONTENT_ID_PREFIX)
        ]
        if self._is_joined:
            found = zip(columns[0], columns[2], strict=True)
            self._joined.update([name for name, status in found if name and status in _JOINED])
        if "case" not in batch.schema.names:
            return []
        self._shown += failing_cases(batch, self._max_shown - len(self._shown))
        return [text for text in batch["case"].to_pylist() if text is not None]

    def scored(self) -> _Scored:
        """What was counted."""
        return _Scored(
            rows=self._totals.records,
            totals=self._totals,
            names=self._names,
            joined=self._joined,
            shown=self._shown,
        )


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


def _place(split: FileSplit) -> tuple[str, int | None]:
    return _source(split.files[0]), None if split.end is None else split.start
