"""Scores a file with one engine, in a process of its own, and prints what it cost as JSON.

    python benchmarks/scale_job.py ENGINE PROCESSES START FEW FILE RESULTS

The engine scores a few cases first: what that takes, since START on the monotonic clock, is its start-up.
Spark and Ray keep running meanwhile, so that the second score does not start them again.
"""

from __future__ import annotations

import json  # noqa: TID251  (what a plain loop would use)
import os
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from process_tree import most_memory, processor_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cost", "main"]


class Cost(Struct, frozen=True):
    """What it cost to score a file, and what came of it.

    Attributes:
        startup: seconds by the clock until a few cases were scored.
        seconds: by the clock, for the file alone.
        processor: seconds of all processes, for the file alone.
        parent: megabytes of this process when it was largest.
        child: megabytes of the largest process that it started and waited for.
        cases: the cases that were scored.
        passed: those that passed.
        result_bytes: the size of the result rows; 0 if none were written.
    """

    startup: float
    seconds: float
    processor: float
    parent: float
    child: float
    cases: int
    passed: int
    result_bytes: int


_Counts = tuple[int, int]
_Job = tuple["Callable[[str, str], _Counts]", "Callable[[], None]"]


def main(words: list[str]) -> None:
    """Score the few cases, then the file, and print the cost."""
    engine, processes, start, few, file, results = words
    score, close = _ENGINES[engine](int(processes))
    score(few, f"{results}-few{_suffix(engine)}")
    startup = monotonic() - float(start)
    target = f"{results}{_suffix(engine)}"
    processor, clock = processor_seconds(os.getpid()), monotonic()
    cases, passed = score(file, target)
    seconds = monotonic() - clock
    processor = processor_seconds(os.getpid()) - processor
    size = _size(Path(target))
    close()
    # Of this process, the system would return at least the memory of the one that started it.
    parent = most_memory(os.getpid()).megabytes
    child = getrusage(RUSAGE_CHILDREN).ru_maxrss / (1 << 10)
    cost = Cost(startup, seconds, processor, parent, child, cases, passed, size)
    print(msgspec.json.encode(cost).decode())


def _suffix(engine: str) -> str:
    return ".parquet" if engine == "local" else "/"


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum([file.stat().st_size for file in path.rglob("*.parquet")])


def _plain(_: int) -> _Job:
    """A loop over the lines, as most people would write it; it writes no rows."""
    from callscore import score

    def run(file: str, _: str) -> _Counts:
        cases = passed = 0
        with open(file, "rb") as lines:  # noqa: PTH123  (likewise)
            for line in lines:
                case = json.loads(line)
                cases += 1
                passed += score(case["expected"], case["actual"]).passed
        return cases, passed

    return run, _nothing


def _batches(_: int) -> _Job:
    """Arrow data in this process: the rows are added up, and not written."""
    from pyarrow import RecordBatchReader, parquet

    from callscore.engines import score_batches, summary_of

    def run(file: str, _: str) -> _Counts:
        with parquet.ParquetFile(file) as data:
            reader = RecordBatchReader.from_batches(data.schema_arrow, data.iter_batches())
            summary = summary_of(score_batches(reader))
        return summary.cases, summary.passed

    return run, _nothing


def _local(processes: int) -> _Job:
    """What `callscore score --results` does."""
    from callscore.engines.batches import RowOptions
    from callscore.engines.local_rows import score_to_rows

    def run(file: str, results: str) -> _Counts:
        options = RowOptions(cases="failing")
        found = score_to_rows([file], results, options, jobs=processes)
        found.close()
        return found.results.summary.cases, found.results.summary.passed

    return run, _nothing


def _spark(processes: int) -> _Job:
    """What `callscore score --engine spark --results` does, twice in one session."""
    from callscore.engines import spark

    return _on_cluster(spark, f"local[{processes},4]")


def _ray(processes: int) -> _Job:
    """What `callscore score --engine ray --results` does, twice in one Ray."""
    import logging

    import ray
    import ray.data  # sets the level of its logger

    from callscore.engines import ray as engine

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.init(
        num_cpus=processes,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    run, close = _on_cluster(engine, None)

    def end() -> None:
        close()
        ray.shutdown()

    return run, end


def _on_cluster(engine: Any, cluster: str | None) -> _Job:
    from callscore.engines.batches import RowOptions

    runs: list[Any] = []  # the first one has started the engine, and ends it

    def run(file: str, results: str) -> _Counts:
        options = RowOptions(cases="failing")
        found = engine.score_paths([file], options, cluster=cluster, results=results)
        runs.append(found)
        return found.results.summary.cases, found.results.summary.passed

    def close() -> None:
        for each in reversed(runs):
            each.close()

    return run, close


def _nothing() -> None:
    """There is nothing to end."""


_ENGINES: dict[str, Callable[[int], _Job]] = {
    "plain": _plain,
    "batches": _batches,
    "local": _local,
    "spark": _spark,
    "ray": _ray,
}

if __name__ == "__main__":
    main(sys.argv[1:])
