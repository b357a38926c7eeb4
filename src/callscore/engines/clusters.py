"""Scores data on many machines: what Spark and Ray have in common.

A part of the data is scored, and its rows are added up, on the machine that has it. What comes back is
small, and adding it up gives the same in any order, because a cluster finishes its parts in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec
from msgspec import structs

from callscore.core.settings import DEFAULT, Settings
from callscore.engines.batches import RowOptions, RowScorer, score_items
from callscore.engines.cluster_errors import translated
from callscore.engines.cluster_files import (
    cluster_splits,
    has_files,
    list_files,
    open_cluster_file,
)
from callscore.engines.inputs import CASES, NO_JOIN, REFERENCES, TRACES
from callscore.engines.record_reading import RecordReader, batch_items, split_items
from callscore.engines.result_rows import case_text, read_case_text, require_pyarrow
from callscore.engines.row_totals import (
    RowRun,
    RowTotals,
    failing_rows,
    place_text,
    unreadable,
)
from callscore.engines.splits import Split
from callscore.errors import InvalidSettings
from callscore.formats.cases import NO_ID
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.results import Results
    from callscore.engines.record_reading import Item

    Work = Callable[[Iterable[Any]], Iterator[Any]]  # from record batches to record batches

SPLIT = "callscore_split"  # a column with splits of files, instead of cases
TOTALS = "totals"  # a column with totals


class Cluster:
    """An engine; what it does in a way of its own is in the modules `spark` and `ray`.

    Attributes:
        name: as in messages.
        extra: the extra of callscore that it needs.
        data: what it calls its data, and a method of this data.
    """

    name: str
    extra: str
    data: tuple[str, str]

    # --- what users call ---

    def score(
        self,
        data: Any,
        settings: Settings = DEFAULT,
        *,
        references: Any = None,
        partitions: int | None = None,
        **options: Any,
    ) -> Any:
        """Score the cases of a data frame or data set, and return one with a result row for each case.

        Nothing is computed until the rows are needed, and each time they are computed again. Write the
        rows, or keep them (`.cache()` on Spark, `.materialize()` on Ray), to use them more than once.

        Args:
            data: a case per row, with the same columns as for `score_batches`. With `references`, a
                trace per row.
            settings: how calls are compared.
            references: data with a reference per row, joined with the traces on the id. A reference
                without a trace has no answer; a trace without a reference is counted.
            partitions: on Ray, into how many parts the ids of a join are divided; each must fit into the
                memory of a worker. By default as many as Ray uses for a shuffle.
            options: the other options of `score_batches`. Without `skip_bad`, an unreadable row fails
                what needs the rows.

        Raises:
            InvalidSettings: an option is invalid.
            InvalidCall: the tool definitions cannot be read.
            MissingExtra: the engine is not installed.
        """
        self.require()
        kind, method = self.data
        for given in (data, references):
            if given is not None and not hasattr(given, method):
                raise InvalidSettings(
                    f"expected {kind}, got {type(given).__name__}. Read the files with the engine first,"
                    " or score them with `callscore score --engine`"
                )
        parts = partitions or self.partitions(None)
        return self._rows(data, references, RowOptions(settings=settings, **options), parts)

    def results(
        self,
        rows: Any,
        settings: Settings = DEFAULT,
        *,
        tools: Any = None,
        max_shown: int | None = 10,
    ) -> Results:
        """The results of result rows, which print and report like those of `score_files`.

        The rows are read once: each part is added up where it is, and only totals come to the driver. If
        the rows are neither kept nor written, this scores the cases.

        Args:
            rows: what `score` returns, or the same rows from files. The cases that failed are shown if
                the rows have them: `score(..., cases="failing")`. Those with the smallest ids are shown.
            settings: those with which the cases were scored.
            tools: the definitions of the tools, as for the scoring.
            max_shown: the maximum number of cases to show; None for all, which the driver then holds.

        Raises:
            InvalidSettings: they are not result rows, or of other settings.
            UnreadableInput: a row cannot be read, and is not to be skipped.
            EngineFailed: the engine did not finish.
        """
        self.require()
        return self._totals(rows, settings, max_shown).results(tools)

    def failing(self, rows: Any) -> Iterator[Case]:
        """The failing cases of result rows, and those without an answer, one part at a time.

        Args:
            rows: what `score(..., cases="failing")` returns, or the same rows from files.

        Raises:
            InvalidSettings: the rows have no cases.
            EngineFailed: the engine did not finish.
        """
        self.require()
        arrow = require_pyarrow("Reading cases")
        with self._our_errors():
            texts = self._mapped(rows, failing_part, arrow.schema([("case", arrow.string())]))
            for text in self.values(texts):
                yield read_case_text(text)

    def score_paths(  # noqa: PLR0913  (all are options)
        self,
        paths: Sequence[str],
        options: RowOptions,
        *,
        references: Sequence[str] = (),
        cluster: str | None = None,
        results: str | None = None,
        max_shown: int = 10,
        keeps_failing: bool = False,
    ) -> RowRun:
        """Score files of Parquet or JSON lines; each case is scored once. Call `close` at the end.

        Folders are read with all files in them. Patterns have `*`, `?`, `[...]` and `**`. Addresses such
        as `s3://` are read by pyarrow, on the machines of the cluster.

        Args:
            paths: case files, or traces if there are references.
            options: how rows are read and scored. The failing cases are shown if
                `options.cases` has them.
            references: files with references, joined with the traces on the id.
            cluster: the address. By default what is connected already, or else this machine.
            results: the folder to which the result rows are written as Parquet.
            max_shown: how many failing cases the results have.
            keeps_failing: whether `failing` is needed: without `results`, the rows are then kept on the
                machines of the cluster.

        Raises:
            InvalidSettings: the folder exists, or there is a connection to another cluster.
            UnreadableInput: a file is missing or of another kind; without `skip_bad`, a row cannot be
                read.
            EngineFailed: the engine cannot be started, or did not finish.
            MissingExtra: the engine is not installed.
        """
        self.require()
        files, others = list_files(paths, self.name), list_files(references, self.name)
        if results is not None and has_files(results):
            raise InvalidSettings(
                f"{results}: the folder already exists. Delete it, or specify another one"
            )
        with ExitStack() as ends:
            self.connect(cluster, ends)
            with self._our_errors():
                size = sum(files.values()) + sum(others.values())
                sides = self._splits(files), self._splits(others) if others else None
                rows = self._rows(*sides, options, self.partitions(size))
                if results is not None:
                    self.write(rows, results)
                    rows = self.read(results) if has_files(results) else rows
                elif keeps_failing:
                    rows = self.kept(rows, ends)
            found = self._totals(rows, options.settings, max_shown)
            shown = found.results(options.tools)
            close = ends.pop_all().close
        can_yield = options.cases != "none" and (keeps_failing or results is not None)
        return RowRun(
            results=shown,
            rows=found.totals.records,
            failing=partial(self.failing, rows) if can_yield else lambda: iter(()),
            close=close,
        )

    # --- the plan ---

    def _splits(self, sizes: Mapping[str, int]) -> Any:
        splits = cluster_splits(sizes, processors=self.processors())
        return self.of_splits([msgspec.json.encode(split).decode() for split in splits])

    def _rows(self, data: Any, references: Any, options: RowOptions, parts: int) -> Any:
        """The result rows of data, or of traces and references."""
        schema = options.schema
        if references is None:
            return self._mapped(data, partial(score_part, options=options), schema)
        sides = [
            self._mapped(
                each, partial(side_part, options=options, side=side, parts=parts), side_schema()
            )
            for each, side in ((references, REFERENCE), (data, TRACE))
        ]
        return self.joined(sides, _on_worker(partial(join_part, options=options)), schema, parts)

    def _totals(self, rows: Any, settings: Settings, max_shown: int | None) -> RowTotals:
        arrow = require_pyarrow("Reading result rows")
        schema = arrow.schema([(TOTALS, arrow.binary())])
        work = _on_worker(partial(sum_part, settings=settings, max_shown=max_shown))
        found = RowTotals(settings=settings, max_shown=max_shown, by_name=True)
        with self._our_errors():
            for data in self.values(self.summed(rows, work, schema)):
                found.add_encoded(bytes(data))
        return found

    def _mapped(self, data: Any, work: Work, schema: Any) -> Any:
        return self.mapped(data, _on_worker(work), schema)

    @contextmanager
    def _our_errors(self) -> Iterator[None]:
        try:
            yield
        except self.errors() as error:
            raise translated(self.name, self.extra, error) from error

    # --- what each engine does in its own way ---

    def require(self) -> Any:
        """The library.

        Raises:
            MissingExtra: it is not installed.
        """
        raise NotImplementedError

    def errors(self) -> tuple[type[BaseException], ...]:
        """What the library raises."""
        raise NotImplementedError

    def connect(self, cluster: str | None, ends: ExitStack) -> None:
        """Use the connection that there is, or start one, which `ends` then ends.

        Raises:
            InvalidSettings: there is a connection to another cluster.
            EngineFailed: the cluster cannot be reached, or the engine not started.
        """
        raise NotImplementedError

    def processors(self) -> int:
        """How many tasks run at once."""
        raise NotImplementedError

    def partitions(self, size: int | None) -> int:
        """Into how many parts ids are divided for a join: of files of this size, or of other data."""
        raise NotImplementedError

    def of_splits(self, splits: Sequence[str]) -> Any:
        """Data with the column `SPLIT`; each split is a part of its own."""
        raise NotImplementedError

    def mapped(self, data: Any, work: Work, schema: Any) -> Any:
        """The data with the work done on each part of it."""
        raise NotImplementedError

    def joined(self, sides: Sequence[Any], work: Work, schema: Any, partitions: int) -> Any:
        """The work done on both sides: all rows of an id are together, sorted by `SIDE_KEYS`."""
        raise NotImplementedError

    def summed(self, rows: Any, work: Work, schema: Any) -> Any:
        """The totals of result rows, in few parts; the work makes totals of rows, or of totals."""
        raise NotImplementedError

    def values(self, data: Any) -> Iterator[Any]:
        """The values of data with one column, on the driver."""
        raise NotImplementedError

    def kept(self, data: Any, ends: ExitStack) -> Any:
        """The data where it can be read again without computing it again, until `ends`."""
        raise NotImplementedError

    def write(self, data: Any, folder: str) -> None:
        """Write the data as files of Parquet."""
        raise NotImplementedError

    def read(self, folder: str) -> Any:
        """The data that was written."""
        raise NotImplementedError


# --- what workers do with a part of the data ------------------------------------------------------


def _on_worker(work: Work) -> Work:
    from callscore import __version__

    return partial(do_work, work, __version__)


def do_work(work: Work, version: str, batches: Iterable[Any]) -> Iterator[Any]:
    """Do the work of a part, unless this machine has another version: its rows might differ.

    Raises:
        InvalidSettings: it has.
    """
    from callscore import __version__

    if __version__ != version:
        raise InvalidSettings(
            f"a worker has callscore {__version__}, and the driver has {version}. Install the same"
            " version on all machines of the cluster"
        )
    return work(batches)


def _items(batches: Iterable[Any], reader: RecordReader) -> Iterator[Item]:
    """What is in rows, or in splits of files. The number of a row in an arbitrary part says nothing."""
    for batch in batches:
        if SPLIT not in batch.schema.names:
            yield from batch_items([batch], reader, numbered=False)
            continue
        for text in batch[SPLIT].to_pylist():
            split = msgspec.json.decode(text, type=Split)
            yield from split_items(split, reader, open_cluster_file)


def score_part(batches: Iterable[Any], options: RowOptions) -> Iterator[Any]:
    """The result rows of cases."""
    scorer = RowScorer(options, hides_cases=True)
    return score_items(_items(batches, RecordReader(options, CASES)), scorer)


def sum_part(batches: Iterable[Any], settings: Settings, max_shown: int | None) -> Iterator[Any]:
    """The totals of result rows, or of totals."""
    arrow = require_pyarrow("Reading result rows")
    found = RowTotals(settings=settings, max_shown=max_shown, by_name=True)
    for batch in batches:
        if batch.schema.names == [TOTALS]:
            for data in batch[TOTALS].to_pylist():
                found.add_encoded(data)
        elif batch.num_rows:
            found.add(batch)
    yield arrow.RecordBatch.from_pydict({TOTALS: arrow.array([found.encode()], arrow.binary())})


def failing_part(batches: Iterable[Any]) -> Iterator[Any]:
    """The failing cases of result rows, and those without an answer.

    Raises:
        InvalidSettings: the rows have no cases.
    """
    for batch in batches:
        if "case" not in batch.schema.names:
            raise InvalidSettings("the rows have no column 'case'. Score with cases='failing'")
        yield failing_rows(batch, unanswered=True).select(["case"])


# --- two data sets, joined on the id --------------------------------------------------------------

REFERENCE, TRACE, UNREADABLE = 0, 1, 2
# By these, rows of both sides are sorted: equal ids are together, and of the references the first counts.
SIDE_KEYS = ("id", "side", "source", "offset", "record")
BUCKET = "bucket"
_ROWS_PER_BATCH = 512


def side_schema() -> Any:
    """The schema of one side of cases: the case, or why it cannot be read, under `record`."""
    arrow = require_pyarrow("Joining Arrow data")
    text, whole = arrow.string(), arrow.int64()
    kinds = (text, whole, text, whole, text, whole)
    return arrow.schema([*zip((*SIDE_KEYS, BUCKET), kinds, strict=True)])


def side_part(batches: Iterable[Any], options: RowOptions, side: int, parts: int) -> Iterator[Any]:
    """References or traces, each with the number of the part of its id.

    Raises:
        UnreadableInput: one cannot be read, and is not to be skipped.
    """
    arrow = require_pyarrow("Joining Arrow data")
    schema = side_schema()
    items = _items(batches, RecordReader(options, REFERENCES if side == REFERENCE else TRACES))
    while rows := [side_of(item, options, side, parts) for item in islice(items, _ROWS_PER_BATCH)]:
        columns = zip(*rows, strict=True)
        arrays = [arrow.array(*each) for each in zip(columns, schema.types, strict=True)]
        yield arrow.RecordBatch.from_arrays(arrays, schema=schema)


def side_of(item: Item, options: RowOptions, side: int, parts: int) -> tuple[Any, ...]:
    """The row of one side of a case."""
    found, source, offset = item
    if not isinstance(found, BadRecord) and found[1].id != NO_ID:
        name = found[1].id
        return name, side, source, offset, case_text(found[1]), crc32(name.encode()) % parts
    problem = found.problem if isinstance(found, BadRecord) else NO_JOIN
    if not options.skip_bad:
        raise unreadable(place_text(source, offset), problem)
    # Rows without an id are spread, because there may be many.
    bucket = crc32(f"{source} {offset} {problem}".encode()) % parts
    return None, UNREADABLE, source, offset, problem, bucket


def join_part(batches: Iterable[Any], options: RowOptions) -> Iterator[Any]:
    """The result rows of both sides of some cases, sorted by `SIDE_KEYS`."""
    references: dict[str, Case] = {}
    scorer = RowScorer(options, references=references, hides_cases=True)
    return score_items(_joined_items(batches, references), scorer)


def _joined_items(batches: Iterable[Any], references: dict[str, Case]) -> Iterator[Item]:
    """The traces, each while its reference is the only one; and references without a trace as such."""
    columns = ([batch[name].to_pylist() for name in SIDE_KEYS] for batch in batches)
    rows = (row for each in columns for row in zip(*each, strict=True))
    for name, same in groupby(rows, itemgetter(0)):
        references.clear()
        is_run, first = False, (None, None)
        for _, side, source, offset, record in same:
            if side == UNREADABLE:
                yield BadRecord("", record), source, offset
            elif side == TRACE:
                is_run = True
                yield ("", read_case_text(record)), source, offset
            elif references:
                problem = f"duplicate reference id {name!r}, first used at {place_text(*first)}."
                yield BadRecord("", f"{problem} Keep one of them."), source, offset
            else:
                case, first = read_case_text(record), (source, offset)
                references[case.id] = case
        for case in [] if is_run else references.values():
            yield ("", structs.replace(case, actual=None)), *first
