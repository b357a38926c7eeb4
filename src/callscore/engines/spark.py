"""Scores data frames and files on Spark: the same rows and the same results as on one machine.

from callscore.engines import spark

rows = spark.score(df)
print(spark.results(rows))
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import reduce
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from callscore.engines.cluster_errors import not_started, require_reachable, short_reason
from callscore.engines.clusters import BUCKET, SIDE_KEYS, SPLIT, Cluster
from callscore.engines.row_totals import counted_schema
from callscore.errors import EngineFailed, InvalidSettings, MissingExtra

if TYPE_CHECKING:
    from contextlib import ExitStack

    from callscore.engines.clusters import Work

ENGINE = "Spark"
DEFAULT_CLUSTER = "local[*,4]"  # a task that fails is tried four times
_BATCH_ROWS = 1000  # handed to a worker at once: ten thousand, as usual, may be gigabytes of traces
_BUCKETS = 1 << 30


class _Spark(Cluster):
    name = ENGINE
    extra = "spark"
    data = ("a DataFrame of Spark", "mapInArrow")

    def require(self) -> Any:
        try:
            import_module("pandas")  # Spark needs it, and pyarrow, to hand over Arrow data
            import_module("pyarrow")
            import pyspark
        except ImportError:
            raise MissingExtra("Scoring on Spark", self.extra) from None
        return pyspark

    def errors(self) -> tuple[type[BaseException], ...]:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError

    def processors(self) -> int:
        return int(_session().sparkContext.defaultParallelism)

    def partitions(self, size: int | None) -> int:
        del size  # Spark divides the numbers itself
        return _BUCKETS

    def of_splits(self, splits: Sequence[str]) -> Any:
        rows = _session().sparkContext.parallelize([(split,) for split in splits], len(splits))
        return _session().createDataFrame(rows, f"{SPLIT} string")

    def mapped(self, data: Any, work: Work, schema: Any) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema

        return data.mapInArrow(work, from_arrow_schema(schema))

    def joined(self, sides: Sequence[Any], work: Work, schema: Any, partitions: int) -> Any:
        every = reduce(lambda first, other: first.unionAll(other), sides)
        del partitions
        together = every.repartition(BUCKET).sortWithinPartitions(*SIDE_KEYS)
        return self.mapped(together, work, schema)

    def summed(self, rows: Any, work: Work, schema: Any) -> Any:
        known = [name for name in (*counted_schema().names, "case") if name in rows.columns]
        parts = self.mapped(rows.select(*known) if known else rows, work, schema)
        return self.mapped(parts.repartition(1), work, schema)  # the driver gets one row

    def values(self, data: Any) -> Iterator[Any]:
        for row in data.toLocalIterator(prefetchPartitions=True):
            yield row[0]

    def kept(self, data: Any, ends: ExitStack) -> Any:
        from pyspark import StorageLevel

        found = data.persist(StorageLevel.DISK_ONLY)
        ends.callback(found.unpersist)
        return found

    def write(self, data: Any, folder: str) -> None:
        data.write.mode("append").parquet(folder)

    def read(self, folder: str) -> Any:
        return _session().read.parquet(folder)

    def connect(self, cluster: str | None, ends: ExitStack) -> None:
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        if active is None:
            ends.callback(_start(cluster or DEFAULT_CLUSTER).stop)
        elif not hasattr(active, "sparkContext"):  # which shares out the splits of files
            raise InvalidSettings(
                "a session of Spark Connect cannot score paths. Read the files with this session, and"
                " pass the data frame to callscore.engines.spark.score"
            )
        elif cluster is not None and active.sparkContext.master != cluster:
            raise InvalidSettings(
                f"cluster: a session of {active.sparkContext.master!r} is active, and {cluster!r} is"
                " specified. Stop the session, or do not specify a cluster"
            )


def _session() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _start(cluster: str) -> Any:
    """A new session on a cluster, or on this machine; what Spark logs is not shown."""
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


_SPARK = _Spark()
score = _SPARK.score
results = _SPARK.results
failing = _SPARK.failing
score_paths = _SPARK.score_paths
