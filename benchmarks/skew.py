"""Checks what large local runs promise, on input that is as uneven as input gets.

    python benchmarks/skew.py [--scale 1] [--only kills]

Every check writes its data, runs `callscore score --results`, and compares the rows with the lines of the
input, one by one: the id, the trial, the file and the offset. It prints a table, and exits with 1 if a
promise is broken; times are only shown. The default is a tenth of the full size, and needs 1 GB of disk
and five minutes. The full size needs 8 GB and an hour.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import scale_data
from msgspec import Struct
from process_tree import MemoryWatch, process_levels

from callscore.engines.row_files import parts_folder
from callscore.engines.splits import plan_splits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Finding", "Place", "differing_row", "input_places", "main"]

ROOT = Path(__file__).parents[1]
MOST_MEGABYTES = 300
_JOBS = 2
_SEED = 7
_GIGABYTE = 10**9
_FULL_KILLS = 100
_KILLED = re.compile(r"(\d+) process(?:es were| was) ended")
_SPACES = b" \t\r\n"


class Finding(NamedTuple):
    """What came of a check.

    Attributes:
        what: the input, and what is promised.
        measured: the numbers.
        problems: the promises that are broken.
    """

    what: str
    measured: str
    problems: list[str]


class Sizes(NamedTuple):
    """How large the input of each check is, and where it is written.

    Attributes:
        scale: the share of the full size.
        folder: where the data is written.
        kills: how many workers are killed.
        seed: of the moments at which they are, and of other random places.
    """

    scale: float
    folder: Path
    kills: int
    seed: int

    def of(self, full: float, least: int = 1) -> int:
        """A size, and not less than this."""
        return max(int(full * self.scale), least)


def main(words: Sequence[str]) -> int:
    """Run the checks, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", metavar="SHARE", type=float, default=0.1)
    parser.add_argument("--only", metavar="PATTERN", default="", help="Checks whose names match.")
    parser.add_argument("--folder", metavar="FOLDER", help="Where to write the data.")
    parser.add_argument("--seed", metavar="NUMBER", type=int, default=_SEED)
    parser.add_argument("--kills", metavar="COUNT", type=int, help="Workers to kill.")
    options = parser.parse_args(words)
    kills = options.kills or max(int(_FULL_KILLS * options.scale), 1)
    is_broken = False
    for name, check in _CHECKS.items():
        if not re.search(options.only, name):
            continue
        with TemporaryDirectory(dir=options.folder, ignore_cleanup_errors=True) as folder:
            found = check(Sizes(options.scale, Path(folder), kills, options.seed))
        is_broken = is_broken or bool(found.problems)
        print(f"{'BROKEN' if found.problems else 'ok':7} {name:12} {found.what}")
        for line in (found.measured, *found.problems):
            print(f"{'':20} {line}")
        sys.stdout.flush()
    return int(is_broken)


# --- the checks -----------------------------------------------------------------------------------


def _large_case(sizes: Sizes) -> Finding:
    """One case with very many calls among many small ones."""
    small, calls = sizes.of(1_000_000), 10_000
    path = sizes.folder / "cases.jsonl"
    with path.open("wb") as file:
        file.writelines(scale_data.counted_blocks(small // 2, "before"))
        file.write(scale_data.shuffled_case("large", calls))
        file.writelines(scale_data.counted_blocks(small - small // 2, "after"))
    run = _score([path], sizes.folder)
    problems = [*run.problems, *_compare([path], run.rows)]
    found = _row_of(run.rows, "large")
    if found != (calls, calls, calls - 1):
        problems.append(f"the large case has {found} expected, actual and correct calls")
    return Finding(f"a case with {calls:,} calls, and {small:,} small ones", run.text, problems)


def _large_file(sizes: Sizes) -> Finding:
    """One very large file among many small ones."""
    small = sizes.of(10_000)
    folder = sizes.folder / "files"
    folder.mkdir()
    _write_size(folder / "large.jsonl", sizes.of(4 * _GIGABYTE))
    blocks = scale_data.blocks("small")
    lines: list[bytes] = []
    for number in range(small):
        if not lines:
            lines = next(blocks).splitlines(keepends=True)
        (folder / f"small-{number:05}.jsonl").write_bytes(b"".join(lines[:50]))
        del lines[:50]
    files = sorted(folder.iterdir())
    run = _score([folder / "*.jsonl"], sizes.folder)
    size = (folder / "large.jsonl").stat().st_size / _GIGABYTE
    return Finding(
        f"a file of {size:.2g} GB, and {small:,} small ones",
        run.text,
        [*run.problems, *_compare(files, run.rows)],
    )


def _bad_lines(sizes: Sizes) -> Finding:
    """Lines that cannot be read, at random places."""
    path, random = sizes.folder / "cases.jsonl", Random(sizes.seed)
    bad: set[int] = set()
    with path.open("wb") as file:
        for block in scale_data.counted_blocks(sizes.of(1_000_000, 20_000)):
            lines = block.splitlines(keepends=True)
            for each in _BAD_LINES:
                lines.insert(random.randrange(len(lines)), each + b"\n")
            for line in lines:
                if line.rstrip(b"\n") in _BAD_LINES:
                    bad.add(file.tell())
                file.write(line)
    run = _score([path], sizes.folder)
    problems = [*run.problems, *_compare([path], run.rows, bad), *_uncounted(run, len(bad))]
    return Finding(f"{len(bad)} unreadable lines in the middle of a file", run.text, problems)


_BAD_LINES = (
    b"not JSON",
    b'{"id": "cut off", "expected": [{"name": "f", "argum',
    b'{"id": "other types", "expected": {"name": 3}, "actual": []}',
    b"\xff\xfe\x00\x01",
    b"\x00" * 100,
    b'"text"',
    b"[" * 50_000,
    b'{"id": "long", "expected": [' + b" " * 3_000_000,
)


def _bad_cells(sizes: Sizes) -> Finding:
    """Cells of a Parquet file that cannot be read."""
    import pyarrow as pa
    from pyarrow import parquet

    path = sizes.folder / "cases.parquet"
    scale_data.write_parquet(path, sizes.of(200_000, 20_000))
    table = parquet.read_table(path)
    bad = {*Random(sizes.seed).sample(range(table.num_rows), 50)}
    texts = table["expected"].to_pylist()
    for number in bad:
        texts[number] = texts[number][:-20]
    place = table.schema.get_field_index("expected")
    parquet.write_table(table.set_column(place, "expected", pa.array(texts)), path)
    run = _score([path], sizes.folder)
    names = zip(table["id"].to_pylist(), _trials(table["trial"].to_pylist()), strict=True)
    places = (
        Place(None, None, str(path), number, is_bad=True)
        if number in bad
        else Place(*name, str(path), number)
        for number, name in enumerate(names)
    )
    problems = [*run.problems, *differing_row(places, _row_places(run.rows))]
    problems += _uncounted(run, len(bad))
    return Finding(f"{len(bad)} unreadable cells in a Parquet file", run.text, problems)


def _memory(sizes: Sizes) -> Finding:
    """A file that is much larger than the memory that may be used."""
    path = sizes.folder / "cases.jsonl"
    _write_size(path, sizes.of(5 * _GIGABYTE))
    run = _score([path], sizes.folder)
    what = f"{path.stat().st_size / _GIGABYTE:.2g} GB in at most {MOST_MEGABYTES} MB per process"
    return Finding(what, run.text, [*run.problems, *_compare([path], run.rows)])


_NOTICED = 0.8  # of the kills, at least


def _kills(sizes: Sizes) -> Finding:
    """Random workers are killed at random moments of the run.

    A part is given up only if its processes end at the same position, so that random kills lose none. The
    number of kills is scaled with the input: a check of another rate is `--kills`.
    """
    path, kills = sizes.folder / "cases.jsonl", sizes.kills
    _write_size(path, sizes.of(5 * _GIGABYTE))
    run = _score([path], sizes.folder, kills=kills, seed=sizes.seed)
    problems = [*run.problems, *_compare([path], run.rows)]
    lost = run.notes.count("not scored, because")
    if lost:
        problems.append(f"{lost} parts were given up")
    noticed = sum(map(int, _KILLED.findall(run.notes)))
    # A kill may hit a process that is ending, or one that has no task. Nearly all must have been noticed.
    if not lost and not _NOTICED * kills <= noticed <= kills:
        problems.append(f"{kills} workers were killed, and {noticed} were replaced: {run.notes}")
    size = path.stat().st_size / _GIGABYTE
    return Finding(f"{kills} workers killed over {size:.2g} GB, nothing lost", run.text, problems)


def _two_processes(sizes: Sizes) -> Finding:
    """Two processes against one, in turns; the best of three rounds counts."""
    path = sizes.folder / "cases.jsonl"
    cases = sizes.of(1_000_000, 300_000)
    scale_data.write_lines(path, cases)
    ones, twos = [], []
    for _ in range(3):
        ones.append(_score([path], sizes.folder, jobs=1))
        twos.append(_score([path], sizes.folder, jobs=2))
    clock = min(run.seconds for run in ones) / min(run.seconds for run in twos)
    processor = min(run.processor for run in twos) / min(run.processor for run in ones)
    load, *_ = os.getloadavg()
    problems = [problem for run in (*ones, *twos) for problem in run.problems]
    return Finding(
        f"{cases:,} cases with two processes and with one, best of 3 each",
        f"{clock:.2f} times as fast by the clock, start included; {processor:.2f} times the"
        f" processor time; load {load:.1f} on {os.cpu_count()} processors",
        problems,
    )


_CHECKS: dict[str, Callable[[Sizes], Finding]] = {
    "large-case": _large_case,
    "large-file": _large_file,
    "bad-lines": _bad_lines,
    "bad-cells": _bad_cells,
    "memory": _memory,
    "kills": _kills,
    "processes": _two_processes,
}


# --- the input ------------------------------------------------------------------------------------


def _write_size(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for block in scale_data.blocks():
            file.write(block)
            if file.tell() >= size:
                return


# --- the run --------------------------------------------------------------------------------------


class Run(NamedTuple):
    """A run of the command: what it cost, and what it printed."""

    rows: Path
    report: bytes
    notes: str
    seconds: float
    processor: float
    parent: float
    worker: float
    code: int

    @property
    def text(self) -> str:
        """What it cost."""
        return (
            f"{self.seconds:.0f} s by the clock, {self.processor:.0f} s of the processor;"
            f" at most {self.parent:.0f} MB in the parent, {self.worker:.0f} MB in a worker"
        )

    @property
    def problems(self) -> list[str]:
        """The promises that every run must keep."""
        found = [f"exit code {self.code}: {self.notes[-500:]}"] if self.code else []
        for name, megabytes in (("the parent", self.parent), ("a worker", self.worker)):
            if megabytes > MOST_MEGABYTES:
                found.append(f"{name} needed {megabytes:.0f} MB, allowed {MOST_MEGABYTES} MB")
        return found


def _score(
    files: Sequence[Path], folder: Path, *, jobs: int = _JOBS, kills: int = 0, seed: int = _SEED
) -> Run:
    """Score files with `callscore score --results`, and kill that many workers meanwhile."""
    rows = folder / "rows.parquet"
    words = ["score", *map(str, files), "--jobs", str(jobs), "--results", str(rows)]
    words += ["--show", "none", "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    report, notes = folder / "report.json", folder / "notes.txt"
    start = monotonic()
    with report.open("wb") as output, notes.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "callscore", *words],
            stdout=output,
            stderr=errors,
            env=environment,
        )
        random = Random(seed)
        parts = len([*plan_splits([*map(str, files)])]) if kills else 0
        moments = sorted([random.random() * parts for _ in range(kills)])
        killer = _Killer(process.pid, rows, moments, random)
        with MemoryWatch(process.pid) as memory, killer:
            _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(
        rows=rows,
        report=report.read_bytes(),
        notes=notes.read_text(encoding="utf-8", errors="replace"),
        seconds=monotonic() - start,
        processor=used.ru_utime + used.ru_stime,
        parent=memory.parent,
        worker=memory.largest.megabytes,
        code=process.returncode,
    )


class _Killer:
    """Kills a random worker of a run at each of the moments: when so many parts of the input are done."""

    def __init__(self, root: int, rows: Path, moments: Sequence[float], random: Random) -> None:
        self._root = root
        self._parts = parts_folder(str(rows))
        self._moments, self._random = moments, random
        self._end = Event()
        self._thread = Thread(target=self._kill_all, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _kill_all(self) -> None:
        for moment in self._moments:
            while self._done() < moment:
                if self._end.wait(0.01):
                    return
            # Somewhere within the work on a part.
            if self._end.wait(self._random.random() / 10):
                return
            self._kill_one()

    def _done(self) -> int:
        """The parts of the input that are done."""
        return len([*self._parts.glob("part-*.parquet")])

    def _kill_one(self) -> None:
        while not self._end.is_set():
            levels = process_levels(self._root).items()
            workers = [pid for pid, level in levels if level > 0]
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(self._random.choice(workers), signal.SIGKILL)
                    return
            self._end.wait(0.01)


# --- the rows against the input -------------------------------------------------------------------


class Place(NamedTuple):
    """A record of the input, or a row of the result."""

    id: str | None
    trial: str | None
    source: str
    offset: int
    is_bad: bool = False


class _Named(Struct):
    id: str
    trial: int | None = None


def input_places(
    files: Iterable[Path], bad: frozenset[int] | set[int] = frozenset()
) -> Iterator[Place]:
    """The records of files of JSON lines, in their order; those at bad offsets have no id."""
    decode = msgspec.json.Decoder(_Named).decode
    for path in files:
        offset, source = 0, str(path)
        with path.open("rb") as lines:
            for line in lines:
                if offset in bad:
                    yield Place(None, None, source, offset, is_bad=True)
                elif line.strip(_SPACES):
                    found = decode(line)
                    trial = None if found.trial is None else str(found.trial)
                    yield Place(found.id, trial, source, offset)
                offset += len(line)


def _row_places(rows: Path) -> Iterator[Place]:
    """The places of result rows, in their order."""
    from pyarrow import parquet

    names = ["id", "trial", "source", "offset", "status"]
    with parquet.ParquetFile(rows) as file:
        for batch in file.iter_batches(columns=names):
            columns = [batch[name].to_pylist() for name in names]
            for name, trial, source, offset, status in zip(*columns, strict=True):
                if status == "unreadable":
                    yield Place(None, None, source, offset, is_bad=True)
                else:
                    yield Place(name, trial, source, offset)


def differing_row(expected: Iterator[Place], actual: Iterator[Place]) -> list[str]:
    """The first place at which the rows are not exactly the records, in the same order."""
    number = 0
    end: object = None
    while True:
        record, row = next(expected, end), next(actual, end)
        if record != row:
            return [f"row {number}: expected {record}, found {row}"]
        if record is end:
            return []
        number += 1


def _compare(files: Sequence[Path], rows: Path, bad: set[int] | None = None) -> list[str]:
    return differing_row(input_places(files, bad or set()), _row_places(rows))


def _trials(numbers: Iterable[int | None]) -> list[str | None]:
    return [None if number is None else str(number) for number in numbers]


def _row_of(rows: Path, name: str) -> tuple[int, int, int] | None:
    """The expected, actual and correct calls of a case."""
    from pyarrow import parquet

    found = parquet.read_table(
        rows, columns=["expected", "actual", "correct"], filters=[("id", "=", name)]
    ).to_pylist()
    return None if len(found) != 1 else tuple(found[0].values())


class _Counted(Struct):
    count: int = 0


class _Report(Struct):
    skipped: _Counted


def _uncounted(run: Run, bad: int) -> list[str]:
    """Whether the report counts the unreadable records."""
    skipped = msgspec.json.decode(run.report, type=_Report).skipped.count
    return [] if skipped == bad else [f"the report counts {skipped} of {bad} unreadable records"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
