"""Scores data sets and files on Ray: the same rows and the same results as on one machine.

from callscore.engines import ray

rows = ray.score(dataset)
print(ray.results(rows))
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from callscore.core.settings import DEFAULT, Settings
from callscore.engines.batches import (
    SIDE_KEYS,
    RowOptions,
    row_options,
    side_schema,
)
from callscore.engines.cluster_files import cluster_splits, has_files, list_files
from callscore.engines.engine_errors import (
    not_started,
    require_reachable,
    short_reason,
    translated,
)
from callscore.engines.partitions import (
    ClusterRun,
    PartTotals,
    failing_texts,
    file_part_rows,
    join_part,
    merge_parts,
    require_kind,
    results_of_totals,
    score_file_part,
    score_part,
    side_file_part,
    side_part,
    sum_part,
)
from callscore.engines.result_rows import RowColumns, read_case_text, row_schema
from callscore.engines.splits import Split
from callscore.errors import EngineFailed, InvalidSettings, MissingExtra
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.results import Results

ENGINE = "Ray"
EXTRA = "ray"
_TOTALS = "totals"
_BUCKET = "callscore_bucket"
_BUCKET_BYTES = 1 << 25  # of the files, for each part of a join
_MOST_BUCKETS = 4096
_PICKLED = "ray.data.arrow_pickled_object"


def _require_ray() -> Any:
    """The module `ray`, with `ray.data`.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import pyarrow  # noqa: F401, ICN001  (Ray Data needs it)
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("Scoring on Ray", EXTRA) from None
    return ray


# --- data sets ------------------------------------------------------------------------------------


def score(  # noqa: PLR0913  (all are options)
    dataset: Any,
    settings: Settings = DEFAULT,
    *,
    references: Any = None,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    pairs: bool = False,
    cases: Literal["none", "failing", "all"] = "none",
    skip_bad: bool = True,
    partitions: int | None = None,
) -> Any:
    """Score the cases of a `ray.data.Dataset`, and return a data set with a result row for each case.

    Nothing is computed until the rows are consumed, and each time they are computed again. Write the
    rows, or call `.materialize()` on them, if they are needed more than once.

    Args:
        dataset: a case per row, with the same columns as for `score_batches`. With `references`, a
            trace per row.
        settings: how calls are compared.
        references: a data set with a reference per row, joined with the traces on the id. A reference
            without a trace has no answer; a trace without a reference is counted.
        fields: the paths of the fields in a row: `{"id": "$.metadata.task_id"}`.
        format: the format of the traces; recognized by default.
        read_options: which calls to read from a document with several choices.
        tools: the tool definitions, instead of those in the rows.
        pairs: add the column `pairs`: the case as in the JSON report, with the aligned pairs.
        cases: add the column `case` with the case itself: of all cases, of the `failing` ones, or of
            `none`.
        skip_bad: whether an unreadable row becomes a row with the status `unreadable`. Otherwise it
            fails the execution.
        partitions: into how many parts the ids of a join are divided; each part must fit into the
            memory of a worker. By default as many as Ray uses for a shuffle.

    Raises:
        InvalidSettings: an option is invalid.
        InvalidCall: the tool definitions cannot be read.
        MissingExtra: Ray is not installed.
    """
    library = _require_ray()
    require_kind("a Dataset of Ray", "map_batches", dataset, references)
    options = row_options(
        settings,
        fields=fields,
        format=format,
        read_options=read_options,
        tools=tools,
        pairs=pairs,
        cases=cases,
        skip_bad=skip_bad,
    )
    if references is None:
        return _mapped(dataset, score_table, options=options)
    count = partitions or library.data.DataContext.get_current().default_hash_shuffle_parallelism
    sides = [
        _mapped(each, side_table, options=options, side=side, buckets=count)
        for each, side in ((references, "expected"), (dataset, "actual"))
    ]
    return _joined(sides, options, count)


def results(
    rows: Any, settings: Settings = DEFAULT, *, tools: Any = None, max_shown: int | None = 10
) -> Results:
    """The results of result rows, which print and report like those of `score_files`.

    The rows are read once: each block is added up where it is, and only totals come to the driver. If
    the rows are neither materialized nor written, this scores the cases.

    Args:
        rows: what `score` returns, or the same rows from files. The cases that failed are shown if
            the rows have them: `score(..., cases="failing")`. Those with the smallest ids are shown.
        settings: those with which the cases were scored.
        tools: the definitions of the tools, as for the scoring.
        max_shown: the maximum number of cases to show; None for all, which the driver then holds.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
        UnreadableInput: a row cannot be read, and is not to be skipped.
        EngineFailed: Ray did not finish.
    """
    _require_ray()
    return results_of_totals(_totals(rows, settings, max_shown), settings, tools)


def failing(rows: Any) -> Iterator[Case]:
    """The failing cases of result rows, and those without an answer, one block at a time.

    Args:
        rows: what `score(..., cases="failing")` returns, or the same rows from files.

    Raises:
        InvalidSettings: the rows have no cases.
        EngineFailed: Ray did not finish.
    """
    _require_ray()
    with _our_errors():
        for batch in _mapped(rows, failing_table).iter_batches(
            batch_size=None, batch_format="pyarrow"
        ):
            for text in batch["case"].to_pylist() if batch.num_rows else ():
                yield read_case_text(text)


def _totals(rows: Any, settings: Settings, max_shown: int | None) -> PartTotals:
    parts = _mapped(rows, sum_table, settings=settings, max_shown=max_shown)
    with _our_errors():
        return merge_parts((row[_TOTALS] for row in parts.iter_rows()), settings, max_shown)


def _mapped(dataset: Any, work: Callable[..., Any], **options: Any) -> Any:
    """The data set with the work done on each of its blocks, by tasks that are retried."""
    return dataset.map_batches(
        work,
        batch_size=None,
        batch_format="pyarrow",
        zero_copy_batch=True,
        fn_kwargs={**options, "version": _version()},
    )


def _joined(sides: Sequence[Any], options: RowOptions, count: int) -> Any:
    """The result rows of both sides; all rows with the same id are in the same bucket."""
    first, *others = sides
    grouped = first.union(*others).groupby(_BUCKET, num_partitions=count)
    work = partial(join_table, options=options, version=_version())
    return grouped.map_groups(work, batch_format="pyarrow")


def _version() -> str:
    from callscore import __version__

    return __version__


@contextmanager
def _our_errors() -> Iterator[None]:
    """Turn errors of Ray into ours."""
    from ray.exceptions import RayError

    try:
        yield
    except RayError as error:
        raise translated(ENGINE, EXTRA, error) from error


# --- what tasks do with a block -------------------------------------------------------------------


def score_table(table: Any, options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of a block of cases."""
    rows = score_part(_batches(table), options, version)
    return _tables(rows, row_schema(options.columns))


def side_table(
    table: Any,
    options: RowOptions,
    version: str,
    side: Literal["expected", "actual"],
    buckets: int,
) -> Iterator[Any]:
    """The references or the traces of a block, each with the bucket of its id."""
    rows = side_part(_batches(table), options, version, side)
    return _tables(_in_buckets(rows, buckets), _bucket_schema())


def join_table(table: Any, options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of a bucket."""
    rows = table.select(list(SIDE_KEYS)).sort_by([(name, "ascending") for name in SIDE_KEYS])
    return _tables(join_part(rows.to_batches(), options, version), row_schema(options.columns))


def sum_table(table: Any, settings: Settings, max_shown: int | None, version: str) -> Iterator[Any]:
    """The totals of a block of result rows."""
    import pyarrow as pa

    data = sum_part(table.to_batches(), settings, max_shown, version)
    yield pa.table({_TOTALS: pa.array([data], pa.binary())})


def failing_table(table: Any, version: str) -> Iterator[Any]:  # noqa: ARG001  (as all of these)
    """The failing cases of a block of result rows."""
    import pyarrow as pa

    if "case" not in table.schema.names:
        raise InvalidSettings("the rows have no column 'case'. Score with cases='failing'")
    texts = [text for batch in table.to_batches() for text in failing_texts(batch)]
    yield pa.table({"case": pa.array(texts, pa.string())})


def score_splits(table: Any, options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of splits of files."""
    rows = score_file_part(_splits(table), options, version)
    return _tables(rows, row_schema(options.columns))


def side_splits(
    table: Any,
    options: RowOptions,
    version: str,
    side: Literal["expected", "actual"],
    buckets: int,
) -> Iterator[Any]:
    """The references or the traces of splits of files, each with the bucket of its id."""
    rows = side_file_part(_splits(table), options, version, side)
    return _tables(_in_buckets(rows, buckets), _bucket_schema())


def rows_of_splits(table: Any, columns: RowColumns, version: str) -> Iterator[Any]:  # noqa: ARG001  (as all of these)
    """The result rows in splits of files."""
    return _tables(file_part_rows(_splits(table)), row_schema(columns))


def _splits(table: Any) -> list[Split]:
    import msgspec

    return [msgspec.json.decode(data, type=Split) for data in table["split"].to_pylist()]


def _tables(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    """The batches as tables; without any, an empty one, because every block must have the columns."""
    import pyarrow as pa

    is_empty = True
    for batch in batches:
        is_empty = False
        yield pa.Table.from_batches([batch])
    if is_empty:
        yield schema.empty_table()


def _bucket_schema() -> Any:
    import pyarrow as pa

    return side_schema().append(pa.field(_BUCKET, pa.int32()))


def _in_buckets(batches: Iterable[Any], buckets: int) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        names, records = batch["id"].to_pylist(), batch["record"].to_pylist()
        # A row without an id cannot be read. Such rows are spread, because there may be many.
        numbers = [
            crc32((record if name is None else name).encode()) % buckets
            for name, record in zip(names, records, strict=True)
        ]
        yield batch.append_column(_BUCKET, pa.array(numbers, pa.int32()))


def _batches(table: Any) -> Iterator[Any]:
    """The record batches of a block; Python objects, which Ray pickles, become JSON text."""
    for position, field in enumerate(table.schema):
        if getattr(field.type, "extension_name", "") == _PICKLED:
            table = table.set_column(position, field.name, _texts(table[field.name].to_pylist()))
    yield from table.to_batches()


def _texts(values: list[Any]) -> Any:
    import msgspec
    import pyarrow as pa

    texts = [
        value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
        for value in values
    ]
    return pa.array(texts, pa.string())


# --- files ----------------------------------------------------------------------------------------


def score_paths(  # noqa: PLR0913  (all are options)
    paths: Sequence[str],
    options: RowOptions,
    *,
    references: Sequence[str] = (),
    cluster: str | None = None,
    results: str | None = None,
    max_shown: int = 10,
    keeps_failing: bool = False,
) -> ClusterRun:
    """Score files of Parquet or JSON lines; each case is scored once. Call `close` at the end.

    Folders are read with all files in them. Patterns have `*`, `?`, `[...]` and `**`. Addresses such as
    `s3://` are read by pyarrow, on the machines of the cluster.

    Args:
        paths: case files, or traces if there are references.
        options: how rows are read and scored. The failing cases are shown if
            `options.columns.cases` has them.
        references: files with references, joined with the traces on the id.
        cluster: the address: `ray://host:10001`, `host:6379`, `auto`. By default the connection that
            is open, the address in RAY_ADDRESS, or a new Ray on this machine.
        results: the folder to which the result rows are written as Parquet.
        max_shown: how many failing cases the results have.
        keeps_failing: whether `failing` is needed: without `results`, the rows are then kept in the
            object store of the cluster, which spills to its disks.

    Raises:
        InvalidSettings: the folder exists, or a connection to another cluster is open.
        UnreadableInput: a file is missing or of another kind; without `skips_bad`, a row cannot be
            read.
        EngineFailed: Ray cannot be started, or did not finish.
        MissingExtra: Ray is not installed.
    """
    library = _require_ray()
    files = list_files(paths, ENGINE)
    others = list_files(references, ENGINE) if references else []
    if results is not None:
        _require_new(results)
    close = _connect(library, cluster)
    try:
        with _our_errors():
            rows = _rows_of_files(library, files, others, options)
            rows = _kept(library, rows, results, options.columns, keeps_failing=keeps_failing)
        totals = _totals(rows, options.settings, max_shown)
        found = results_of_totals(totals, options.settings, options.tools)
    except BaseException:
        close()
        raise
    can_yield = options.columns.cases != "none" and (keeps_failing or results is not None)
    return ClusterRun(
        results=found,
        rows=totals.totals.records,
        failing=partial(failing, rows) if can_yield else lambda: iter(()),
        close=close,
    )


def _rows_of_files(
    library: Any, files: Sequence[Any], others: Sequence[Any], options: RowOptions
) -> Any:
    if not others:
        return _mapped(_groups(library, files), score_splits, options=options)
    size = sum(size for _, _, size in (*files, *others))
    count = min(max(size // _BUCKET_BYTES, _processors(library)), _MOST_BUCKETS)
    sides = [
        _mapped(_groups(library, each), side_splits, options=options, side=side, buckets=count)
        for each, side in ((others, "expected"), (files, "actual"))
    ]
    return _joined(sides, options, count)


def _groups(library: Any, files: Sequence[Any]) -> Any:
    """A data set with a block for each task: the split that it reads."""
    import msgspec
    import pyarrow as pa

    splits = cluster_splits(files, processors=_processors(library))
    return library.data.from_arrow(
        [pa.table({"split": [msgspec.json.encode(split).decode()]}) for split in splits]
    )


def _processors(library: Any) -> int:
    return max(int(library.cluster_resources().get("CPU", 1)), 1)


def _kept(
    library: Any, rows: Any, results: str | None, columns: RowColumns, *, keeps_failing: bool
) -> Any:
    """The rows where they can be read again without scoring again."""
    if results is not None:
        rows.write_parquet(results)
        if not has_files(results):
            return library.data.from_arrow(row_schema(columns).empty_table())
        return _mapped(
            _groups(library, list_files([results], ENGINE)), rows_of_splits, columns=columns
        )
    return rows.materialize() if keeps_failing else rows


def _require_new(folder: str) -> None:
    """Refuse a folder that has files.

    Raises:
        InvalidSettings: there are files in it.
    """
    if has_files(folder):
        raise InvalidSettings(
            f"{folder}: the folder already exists. Delete it, or specify another one"
        )


# --- the connection -------------------------------------------------------------------------------


def _connect(library: Any, cluster: str | None) -> Callable[[], None]:
    """Connect to a cluster, or start a Ray on this machine; returns what ends the connection.

    Raises:
        EngineFailed: it cannot be reached or started.
        InvalidSettings: there is a connection to another cluster.
    """
    if library.is_initialized():
        address = library.get_runtime_context().gcs_address
        if cluster not in (None, "auto", address):
            raise InvalidSettings(
                f"cluster: a connection to {address} is open, and {cluster!r} is specified. Call"
                " ray.shutdown(), or do not specify a cluster"
            )
        return lambda: None
    if cluster is not None:
        require_reachable(ENGINE, cluster)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # callscore sends nothing anywhere
    restore = _silence(library)
    address = cluster or (None if "RAY_ADDRESS" in os.environ else "local")
    local = {"include_dashboard": False} if address == "local" else {}
    try:
        library.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **local)
    except (OSError, RuntimeError, ValueError, ImportError, library.exceptions.RayError) as error:
        restore()
        place = address or os.environ["RAY_ADDRESS"]
        raise EngineFailed(ENGINE, not_started(place, short_reason(error))) from error

    def close() -> None:
        library.shutdown()
        restore()

    return close


def _silence(library: Any) -> Callable[[], None]:
    """Let Ray write nothing, but for a bar on a terminal; returns what restores its settings."""
    logger = logging.getLogger("ray.data")
    level = logger.level
    context = library.data.DataContext.get_current()
    has_bars = context.enable_progress_bars
    logger.setLevel(logging.CRITICAL + 1)
    context.enable_progress_bars = sys.stderr is not None and sys.stderr.isatty()

    def restore() -> None:
        logger.setLevel(level)
        context.enable_progress_bars = has_bars

    return restore
