"""Scores data frames and files on Spark: the same rows and the same results as on one machine.

from callscore.engines import spark

rows = spark.score(df)
print(spark.results(rows))
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from callscore.core.settings import DEFAULT, Settings
from callscore.engines.batches import (
    SIDE_KEYS,
    RowOptions,
    row_options,
    side_schema,
)
from callscore.engines.cluster_files import LINES, kind_of, refused_kind
from callscore.engines.engine_errors import (
    not_started,
    require_reachable,
    short_reason,
    translated,
)
from callscore.engines.partitions import (
    ClusterRun,
    PartTotals,
    join_part,
    merge_parts,
    require_kind,
    results_of_totals,
    score_part,
    side_part,
    sum_part,
)
from callscore.engines.record_reading import (
    LINE_COLUMN,
    OFFSET_COLUMN,
    ORDER_COLUMN,
    SOURCE_COLUMN,
)
from callscore.engines.result_rows import read_case_text, row_schema
from callscore.errors import EngineFailed, InvalidSettings, MissingExtra, UnreadableInput
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions
from callscore.sources.paths import expand_paths
from callscore.sources.remote import is_url, without_credentials

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.results import Results

ENGINE = "Spark"
EXTRA = "spark"
DEFAULT_CLUSTER = "local[*,4]"  # a task that fails is tried four times
_BATCH_ROWS = 1000  # handed to a worker at once: ten thousand, as usual, may be gigabytes of traces
_TOTALS = "totals"
_IS_FAILING = "status = 'no_answer' or (status = 'scored' and not passed)"
_UNUSED = ("pairs", "tags", "failures", "precision", "recall", "f1", "incorrect", "missed", "extra")


def _require_spark() -> Any:
    """The module `pyspark`.

    Raises:
        MissingExtra: it is not installed, or what it needs for Arrow data is not.
    """
    try:
        import_module("pandas")  # Spark needs it, and pyarrow, to hand over Arrow data
        import_module("pyarrow")
        import pyspark
    except ImportError:
        raise MissingExtra("Scoring on Spark", EXTRA) from None
    return pyspark


# --- data frames ----------------------------------------------------------------------------------


def score(  # noqa: PLR0913  (all are options)
    df: Any,
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
) -> Any:
    """Score the cases of a data frame, and return a data frame with a result row for each case.

    Nothing is computed until an action needs the rows, and each action computes them again. Write
    the rows, or call `.cache()` on them, if more than one action needs them.

    Args:
        df: a case per row, with the same columns as for `score_batches`. With `references`, a trace
            per row.
        settings: how calls are compared.
        references: a data frame with a reference per row, joined with the traces on the id. A
            reference without a trace has no answer; a trace without a reference is counted.
        fields: the paths of the fields in a row: `{"id": "$.metadata.task_id"}`.
        format: the format of the traces; recognized by default.
        read_options: which calls to read from a document with several choices.
        tools: the tool definitions, instead of those in the rows.
        pairs: add the column `pairs`: the case as in the JSON report, with the aligned pairs.
        cases: add the column `case` with the case itself: of all cases, of the `failing` ones, or of
            `none`.
        skip_bad: whether an unreadable row becomes a row with the status `unreadable`. Otherwise it
            fails the action.

    Raises:
        InvalidSettings: an option is invalid.
        InvalidCall: the tool definitions cannot be read.
        MissingExtra: pyspark is not installed.
    """
    _require_spark()
    require_kind("a DataFrame of Spark", "mapInArrow", df, references)
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
    return _rows([df], None if references is None else [references], options)


def results(
    rows: Any, settings: Settings = DEFAULT, *, tools: Any = None, max_shown: int | None = 10
) -> Results:
    """The results of result rows, which print and report like those of `score_files`.

    The rows are read once: each part is added up where it is, and only totals come to the driver. If
    the rows are neither cached nor written, this action scores the cases.

    Args:
        rows: what `score` returns, or the same rows from files. The cases that failed are shown if
            the rows have them: `score(..., cases="failing")`. Those with the smallest ids are shown.
        settings: those with which the cases were scored.
        tools: the definitions of the tools, as for the scoring.
        max_shown: the maximum number of cases to show; None for all, which the driver then holds.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
        UnreadableInput: a row cannot be read, and is not to be skipped.
        EngineFailed: Spark did not finish.
    """
    _require_spark()
    totals = _totals(rows, settings, max_shown)
    return results_of_totals(totals, settings, tools)


def failing(rows: Any) -> Iterator[Case]:
    """The failing cases of result rows, and those without an answer, one part at a time.

    Args:
        rows: what `score(..., cases="failing")` returns, or the same rows from files.

    Raises:
        InvalidSettings: the rows have no cases.
        EngineFailed: Spark did not finish.
    """
    _require_spark()
    if "case" not in rows.columns:
        raise InvalidSettings("the rows have no column 'case'. Score with cases='failing'")
    found = rows.filter(_IS_FAILING).filter("case is not null").select("case")
    with _our_errors():
        for row in found.toLocalIterator(prefetchPartitions=True):
            yield read_case_text(row[0])


def _rows(frames: Sequence[Any], references: Sequence[Any] | None, options: RowOptions) -> Any:
    """The result rows of data frames, or of traces and references."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(row_schema(options.columns))
    if references is None:
        work = partial(score_part, options=options, version=_version())
        return _union([frame.mapInArrow(work, schema) for frame in frames])
    sides = _union(
        [
            *_sides(references, options, "expected"),
            *_sides(frames, options, "actual"),
        ]
    )
    from pyspark.sql import functions

    # Rows without an id cannot be read. They are spread, because there may be many.
    texts = [functions.col(name).cast("string") for name in ("source", "offset", "record")]
    key = functions.coalesce(functions.col("id"), functions.concat_ws("\0", *texts))
    together = sides.repartition(key).sortWithinPartitions(*SIDE_KEYS)
    return together.mapInArrow(partial(join_part, options=options, version=_version()), schema)


def _sides(
    frames: Sequence[Any], options: RowOptions, side: Literal["expected", "actual"]
) -> list[Any]:
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(side_schema())
    work = partial(side_part, options=options, version=_version(), side=side)
    return [frame.mapInArrow(work, schema) for frame in frames]


def _union(frames: Sequence[Any]) -> Any:
    first, *others = frames
    for other in others:
        first = first.unionAll(other)
    return first


def _version() -> str:
    from callscore import __version__

    return __version__


def _totals(rows: Any, settings: Settings, max_shown: int | None) -> PartTotals:
    unused = [name for name in _UNUSED if name in rows.columns]
    work = partial(_sum_partition, settings=settings, max_shown=max_shown, version=_version())
    merge = partial(_merge_partitions, settings=settings, max_shown=max_shown)
    schema = f"{_TOTALS} binary"
    # A worker merges the totals of all parts, so that the driver gets one row however many there are.
    parts = rows.drop(*unused).mapInArrow(work, schema)
    with _our_errors():
        found = parts.repartition(1).mapInArrow(merge, schema).collect()
    return merge_parts([bytes(row[0]) for row in found], settings, max_shown)


def _sum_partition(
    batches: Iterable[Any], settings: Settings, max_shown: int | None, version: str
) -> Iterator[Any]:
    yield _totals_batch(sum_part(batches, settings, max_shown, version))


def _merge_partitions(
    batches: Iterable[Any], settings: Settings, max_shown: int | None
) -> Iterator[Any]:
    encoded = (data for batch in batches for data in batch[_TOTALS].to_pylist())
    yield _totals_batch(merge_parts(encoded, settings, max_shown).encode())


def _totals_batch(encoded: bytes) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([encoded], pa.binary())], names=[_TOTALS])


@contextmanager
def _our_errors() -> Iterator[None]:
    """Turn errors of Spark into ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translated(ENGINE, EXTRA, error) from error


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

    Folders are read with all files in them. Paths, patterns and addresses such as `s3a://` are those
    that Spark understands, on the machines of the cluster.

    Args:
        paths: case files, or traces if there are references.
        options: how rows are read and scored. The failing cases are shown if
            `options.columns.cases` has them.
        references: files with references, joined with the traces on the id.
        cluster: the master: `spark://host:7077`, `local[2,4]`. By default the active session, or else
            all processors of this machine.
        results: the folder to which the result rows are written as Parquet.
        max_shown: how many failing cases the results have.
        keeps_failing: whether `failing` is needed: without `results`, the rows are then kept on the
            disks of the cluster.

    Raises:
        InvalidSettings: the folder exists, or another session is active.
        UnreadableInput: a file is missing or of another kind; without `skips_bad`, a row cannot be
            read.
        EngineFailed: Spark cannot be started, or did not finish.
        MissingExtra: pyspark is not installed.
    """
    _require_spark()
    paths, references = _expanded(paths), _expanded(references)
    session, close = _session(cluster)
    try:
        with _our_errors():
            frames = _frames(session, paths)
            others = _frames(session, references) if references else None
            scored = _rows(frames, others, options)
            rows, forget = _kept(session, scored, results, keeps_failing=keeps_failing)
        totals = _totals(rows, options.settings, max_shown)
        found = results_of_totals(totals, options.settings, options.tools)
    except BaseException:
        close()
        raise

    def end() -> None:
        forget()
        close()

    can_yield = options.columns.cases != "none" and (keeps_failing or results is not None)
    return ClusterRun(
        results=found,
        rows=totals.totals.records,
        failing=partial(failing, rows) if can_yield else lambda: iter(()),
        close=end,
    )


def _kept(
    session: Any, rows: Any, results: str | None, *, keeps_failing: bool
) -> tuple[Any, Callable[[], object]]:
    """The rows where they can be read again without scoring again, and what frees them."""
    if results is not None:
        from pyspark.errors import AnalysisException

        try:
            rows.write.parquet(results)
        except AnalysisException as error:
            if "PATH_ALREADY_EXISTS" in str(error):
                raise InvalidSettings(
                    f"{results}: the folder already exists. Delete it, or specify another one"
                ) from error
            raise
        return session.read.parquet(results), lambda: None
    if keeps_failing:
        from pyspark import StorageLevel

        kept = rows.persist(StorageLevel.DISK_ONLY)
        return kept, kept.unpersist
    return rows, lambda: None


_DIFFERENT_TYPES = (
    "a column has different types in files of this path. Pass files with the same types as one path, and"
    " the others as another."
)
_SUFFIX = r"(\.[^./]+)?(\.(gz|zst|bz2|lz4|deflate|snappy))?$"


_ANY_FOLDERS = "**"
_NO_ANY_FOLDERS = (
    "Spark takes `**` for one folder. Pass the folder itself: it is read with all folders in it."
)


def _expanded(paths: Sequence[str]) -> list[str]:
    """The paths, with the files in place of patterns that Spark understands in another way.

    Raises:
        UnreadableInput: no file matches, or `**` is in the address of another place.
    """
    found: list[str] = []
    for path in paths:
        if _ANY_FOLDERS in path and is_url(path):
            raise UnreadableInput(without_credentials(path), _NO_ANY_FOLDERS)
        found += expand_paths([path]) if _ANY_FOLDERS in path else [path]
    return found


def _frames(session: Any, paths: Sequence[str]) -> list[Any]:
    """The data frames of files, one of each kind, with the file of each row.

    Raises:
        UnreadableInput: there are no files, or some of another kind.
    """
    kinds = _kinds(session, paths)
    frames = []
    for kind, suffixes in kinds.items():
        reader = session.read.option("recursiveFileLookup", "true")
        if len(kinds) > 1:
            names = ",".join(f"*{suffix}" for suffix in sorted(suffixes))
            reader = reader.option("pathGlobFilter", f"{{{names}}}")
        frame = _lines(reader, paths) if kind == LINES else _parquet(reader, paths)
        if frame is None and len(paths) == 1:
            raise UnreadableInput(paths[0], _DIFFERENT_TYPES)
        if frame is None:
            return [found for path in paths for found in _frames(session, [path])]
        frames.append(frame)
    return frames


def _kinds(session: Any, paths: Sequence[str]) -> dict[str, list[str]]:
    """The kinds of the files, each with the endings of their names."""
    suffixes = _suffixes(session, paths)
    if not suffixes:
        raise UnreadableInput(paths[0], "there are no files. Check the path.")
    kinds: dict[str, list[str]] = {}
    for suffix, example in suffixes:
        kind = kind_of(example)
        if kind is None:
            raise refused_kind(ENGINE, _path_text(example))
        kinds.setdefault(kind, []).append(suffix)
    return kinds


def _suffixes(session: Any, paths: Sequence[str]) -> list[tuple[str, str]]:
    """The different endings of the files, each with one of the files; Spark lists them."""
    from pyspark.sql import functions

    files = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    suffix = functions.regexp_extract("path", _SUFFIX, 0)
    found = files.load([*paths]).groupBy(suffix.alias("suffix")).agg(functions.min("path"))
    return [(row[0], row[1]) for row in found.collect()]


def _parquet(reader: Any, paths: Sequence[str]) -> Any:
    """The rows of Parquet files; None if a column has different types in them."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql import functions

    try:
        # Without this, columns that are not in the first file would be lost.
        frame = reader.option("mergeSchema", "true").parquet(*paths)
    except (PySparkException, Py4JJavaError) as error:
        if "CANNOT_MERGE_SCHEMAS" in str(error):
            return None
        raise
    offset = functions.col("_metadata.row_index").alias(OFFSET_COLUMN)
    return frame.select("*", _file_column(), offset)


def _lines(reader: Any, paths: Sequence[str]) -> Any:
    from pyspark.sql import functions

    lines = reader.option("lineSep", "\n").text([*paths])
    # Spark does not tell where a line is, but it reads the lines of a file in their order.
    order = functions.monotonically_increasing_id().alias(ORDER_COLUMN)
    return lines.filter(functions.col("value").rlike(r"\S")).select(
        functions.col("value").alias(LINE_COLUMN), _file_column(), order
    )


def _file_column() -> Any:
    from pyspark.sql import functions

    # A path on a disk is shown without its scheme; in other places, % stays as it is.
    path = functions.col("_metadata.file_path")
    plain = functions.url_decode(
        functions.replace(
            functions.regexp_replace(path, "^file:(//)?", ""),
            functions.lit("+"),
            functions.lit("%2B"),
        )
    )
    return functions.when(path.startswith("file:"), plain).otherwise(path).alias(SOURCE_COLUMN)


def _path_text(path: str) -> str:
    return unquote(re.sub("^file:(//)?", "", path)) if path.startswith("file:") else path


# --- the session ----------------------------------------------------------------------------------


def _session(cluster: str | None) -> tuple[Any, Callable[[], None]]:
    """The active session, or a new one; and what ends it, if it is new."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        if cluster is not None and active.sparkContext.master != cluster:
            raise InvalidSettings(
                f"cluster: a session of {active.sparkContext.master!r} is active, and {cluster!r} is"
                " specified. Stop the session, or do not specify a cluster"
            )
        return active, lambda: None
    session = _start(cluster or DEFAULT_CLUSTER)
    return session, session.stop


def _start(cluster: str) -> Any:
    """A new session on a cluster, or on this machine; what Spark logs is not shown.

    Raises:
        EngineFailed: there is no Java, or the cluster cannot be reached.
        InvalidSettings: it is the address of Spark Connect.
    """
    if cluster.startswith("sc://"):
        raise InvalidSettings(
            f"cluster: {cluster!r} is an address of Spark Connect. In Python, create a session there,"
            " and call callscore.engines.spark.score"
        )
    _require_java()
    if cluster.startswith("spark://"):
        require_reachable(ENGINE, cluster)
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    conf = SparkConf().setMaster(cluster).setAppName("callscore")
    for name, value in {
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(is_terminal).lower(),
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(_BATCH_ROWS),
    }.items():
        conf.setIfMissing(name, value)
    gateway = SparkContext._gateway  # noqa: SLF001  (that of an earlier session in this process)
    try:
        if gateway is None:
            # What the Java process writes is of no use to a reader of a report.
            gateway = launch_gateway(conf, {} if is_terminal else {"stderr": DEVNULL})
        return SparkSession(SparkContext(conf=conf, gateway=gateway))
    except (PySparkException, Py4JError) as error:
        raise EngineFailed(ENGINE, not_started(cluster, short_reason(error))) from error


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    is_there = Path(home, "bin", "java").exists() if home else shutil.which("java") is not None
    if not is_there:
        where = f"JAVA_HOME is {home}, which has no Java" if home else "Java was not found"
        raise EngineFailed(
            ENGINE,
            f"{where}. Install a Java runtime, version 17 or newer (Debian:"
            " apt-get install default-jre-headless)",
        )
