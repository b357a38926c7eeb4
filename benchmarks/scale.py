"""How fast each engine scores, and how much memory it needs, from ten thousand cases on.

    python benchmarks/scale.py [--largest 7] [--only local] [--write]   # measures; then as below
    python benchmarks/scale.py --draw                                   # the chart and the tables again

Writes `scale.json`. With `--write`, it also draws docs/images/scale.svg and writes the tables of
docs/explanation/scale.md. Up to a million cases it takes about ten minutes and 2 GB of disk; ten million
take an hour and 12 GB. Spark and Ray are measured if they are installed.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import scale_data
from msgspec import Struct
from process_tree import MemoryWatch
from scale_job import Cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ENGINES", "PLAIN", "Engine", "Point", "Scale", "load", "main", "measure"]

ROOT = Path(__file__).parents[1]
MEASURED = Path(__file__).with_name("scale.json")
_JOB = Path(__file__).with_name("scale_job.py")
_FEW = 10
_SMALL = 100_000  # up to here the best of several rounds is taken
_ROUNDS = 3
_SMALLEST, _LARGEST = 4, 6


class Engine(NamedTuple):
    """What is measured.

    Attributes:
        name: in the tables.
        job: of `scale_job.py`.
        cores: the processors that it may use.
        format: of the file, as its name ends.
        needs: the library that its Python must have.
    """

    name: str
    job: str
    cores: int
    format: str
    needs: str = ""


ENGINES = (
    Engine("plain loop, JSON lines", "plain", 1, "jsonl"),
    Engine("score_batches, Parquet", "batches", 1, "parquet"),
    Engine("local, 1 process, JSON lines", "local", 1, "jsonl"),
    Engine("local, 2 processes, JSON lines", "local", 2, "jsonl"),
    Engine("local, 1 process, Parquet", "local", 1, "parquet"),
    Engine("local, 2 processes, Parquet", "local", 2, "parquet"),
    Engine("Spark, 2 cores, Parquet", "spark", 2, "parquet", "pyspark"),
    Engine("Ray, 2 cores, Parquet", "ray", 2, "parquet", "ray"),
)
PLAIN = ENGINES[0].name


class Point(Struct, frozen=True, kw_only=True):
    """What an engine cost on so many cases.

    Attributes:
        cases: the number of cases.
        startup: seconds by the clock until a few cases are scored, by a new process.
        seconds: by the clock, without the start-up.
        processor: seconds of the processor of all processes, without the start-up.
        parent: megabytes of the process that was started, when it was largest.
        worker: megabytes of the largest of its other processes, likewise; 0 if there is none.
        worker_name: which one that is.
        input_bytes: the size of the input.
        result_bytes: the size of the result rows; 0 if none were written.
        load: of the machine over the last minute, afterwards; with more than the cores of the engine,
            other programs made it slower by the clock. None if it was not recorded.
    """

    cases: int
    startup: float
    seconds: float
    processor: float
    parent: float
    worker: float
    worker_name: str
    input_bytes: int
    result_bytes: int
    load: float | None = None


class Scale(Struct, frozen=True):
    """What every engine cost, and the machine that it was measured on."""

    machine: str
    engines: dict[str, list[Point]]


def main(words: Sequence[str]) -> None:
    """Measure, or only write what was measured last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smallest", metavar="POWER", type=int, default=_SMALLEST)
    parser.add_argument("--largest", metavar="POWER", type=int, default=_LARGEST)
    parser.add_argument("--only", metavar="PATTERN", default="", help="Engines whose names match.")
    parser.add_argument("--write", action="store_true", help="Write the chart and the page.")
    parser.add_argument("--draw", action="store_true", help="Write them, and measure nothing.")
    for name in ("spark", "ray"):
        default = ROOT / f".venv-{name}/bin/python"
        parser.add_argument(f"--{name}-python", metavar="FILE", type=Path, default=default)
    options = parser.parse_args(words)
    pythons = {"pyspark": options.spark_python, "ray": options.ray_python}
    chosen = [engine for engine in ENGINES if re.search(options.only, engine.name)]
    engines = [] if options.draw else [*_installed(chosen, pythons)]
    for power in range(options.smallest, options.largest + 1) if engines else ():
        for engine, point in measure(10**power, engines, pythons):
            _print(engine, point)
            _save(engine.name, point)
    if options.write or options.draw:
        import scale_page

        scale_page.update()


def _installed(engines: Sequence[Engine], pythons: dict[str, Path]) -> Iterator[Engine]:
    """The engines that can be measured; the others are skipped with a line that says so."""
    for engine in engines:
        python = pythons.get(engine.needs)
        if python is None:
            yield engine
        elif not python.exists():
            print(f"{engine.name}: skipped, there is no {python}. Pass --{engine.job}-python.")
        elif subprocess.run([python, "-c", f"import {engine.needs}"], check=False).returncode:
            print(f"{engine.name}: skipped, {python} does not have {engine.needs}.")
        else:
            yield engine


def measure(
    size: int, engines: Sequence[Engine], pythons: dict[str, Path]
) -> Iterator[tuple[Engine, Point]]:
    """What each engine costs on so many cases, none of them twice.

    All engines must find the same number of cases, and the same number that passed.
    """
    found: set[tuple[int, int]] = set()
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for engine in engines:
            _write_data(folder, size, engine.format)
            run = partial(_run, engine, folder, pythons.get(engine.needs, Path(sys.executable)))
            rounds = [run() for _ in range(_ROUNDS if size <= _SMALL else 1)]
            found.update([(cost.cases, cost.passed) for cost, _ in rounds])
            if len(found) > 1 or min(found)[0] != size:
                sys.exit(f"{engine.name}: cases and passed cases are not those of {size}: {found}")
            yield engine, _point(folder / f"cases.{engine.format}", rounds)


def _write_data(folder: Path, size: int, suffix: str) -> None:
    write = scale_data.write_lines if suffix == "jsonl" else scale_data.write_parquet
    for path, count in ((folder / f"few.{suffix}", _FEW), (folder / f"cases.{suffix}", size)):
        if not path.exists():
            write(path, count)


def _run(engine: Engine, folder: Path, python: Path) -> tuple[Cost, MemoryWatch]:
    """Run the job of an engine, and look at its memory meanwhile."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    files = [str(folder / f"{name}.{engine.format}") for name in ("few", "cases")]
    with TemporaryDirectory(dir=folder) as results, (folder / "log").open("wb") as log:
        words = [engine.job, str(engine.cores), str(monotonic()), *files, f"{results}/rows"]
        with (
            subprocess.Popen(
                [python, _JOB, *words], env=environment, stdout=subprocess.PIPE, stderr=log
            ) as process,
            MemoryWatch(process.pid) as memory,
        ):
            printed, _ = process.communicate()
    if process.returncode:
        text = (folder / "log").read_text(encoding="utf-8", errors="replace")
        sys.exit(f"{engine.name}: exit code {process.returncode}\n{text[-2_000:]}")
    return msgspec.json.decode(printed.splitlines()[-1], type=Cost), memory


def _point(path: Path, rounds: Sequence[tuple[Cost, MemoryWatch]]) -> Point:
    """The least time of the rounds, and the most memory."""
    costs = [cost for cost, _ in rounds]
    worker = max([memory.largest for _, memory in rounds], key=lambda process: process.megabytes)
    child = max([cost.child for cost in costs])
    return Point(
        cases=costs[0].cases,
        startup=_rounded(min([cost.startup for cost in costs])),
        seconds=_rounded(min([cost.seconds for cost in costs])),
        processor=_rounded(min([cost.processor for cost in costs])),
        parent=round(max([*[cost.parent for cost in costs], *[each.parent for _, each in rounds]])),
        worker=round(max(worker.megabytes, child)),
        worker_name=worker.name,
        input_bytes=path.stat().st_size,
        result_bytes=max([cost.result_bytes for cost in costs]),
        load=round(os.getloadavg()[0], 1),
    )


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.3g}")


def _print(engine: Engine, point: Point) -> None:
    rate = point.cases / point.seconds
    print(
        f"{engine.name:32} {point.cases:12,} {rate:9,.0f}/s {rate / engine.cores:9,.0f}/s per core"
        f" {point.processor / point.cases * 1e6:6.1f} us {point.startup:6.2f} s to start"
        f" {point.parent:5.0f} MB {point.worker:5.0f} MB {point.worker_name}"
    )
    sys.stdout.flush()


def load() -> Scale:
    """What was measured last."""
    if not MEASURED.exists():
        return Scale(machine="", engines={})
    return msgspec.json.decode(MEASURED.read_bytes(), type=Scale)


def _save(name: str, point: Point) -> None:
    """Put a point in the place of what was measured before."""
    before = load().engines
    points = {one.cases: one for one in [*before.get(name, []), point]}
    merged = {**before, name: [points[cases] for cases in sorted(points)]}
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    ordered = {each.name: merged[each.name] for each in ENGINES if each.name in merged}
    text = msgspec.json.format(msgspec.json.encode(Scale(machine, ordered)), indent=1)
    MEASURED.write_bytes(text + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
