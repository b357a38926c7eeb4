"""How the cost of each command grows with the number of cases.

    python benchmarks/growth.py [--sizes 1000 10000 100000 1000000]   # measures; then as below
    python benchmarks/growth.py --draw                                # the chart and its table again

Writes `growth.json`, one size after the other, and draws docs/images/growth.svg and the table of
docs/explanation/performance.md from it. A million cases take about half an hour and 5 GB of disk.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import commands
import data
import growth_chart
import msgspec
import performance_page
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["BASELINE", "Growth", "Point", "load", "main", "measure"]

MEASURED = Path(__file__).with_name("growth.json")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
SMALL = 10_000  # up to here the best of several rounds is taken
ROUNDS = 5
BASELINE = "json.loads"
SAVE = "score --save"


class Point(Struct, frozen=True):
    """What a command cost on so many cases."""

    cases: int
    seconds: float
    megabytes: float


class Growth(Struct, frozen=True):
    """What every command cost, and the machine that it was measured on."""

    machine: str
    commands: dict[str, list[Point]]


class Command(NamedTuple):
    """A command of the chart; FILE and STORE stand for the input and the history."""

    name: str
    words: str


COMMANDS = (
    Command("score --show none", "score FILE --show none"),
    Command("score --format json", "score FILE --format json"),
    Command("check", "check FILE"),
    Command("extract", "extract FILE"),
    Command(SAVE, "score FILE --show none --save NAME --store STORE"),
    # These look at the runs that were saved just before.
    Command("compare", "compare latest~1 latest --store STORE"),
    Command("show", "show latest --store STORE"),
    Command("history", "history --store STORE"),
)


def main(words: Sequence[str]) -> None:
    """Measure and write, or only draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", metavar="CASES", type=int, nargs="+", default=SIZES)
    parser.add_argument("--draw", action="store_true", help="Only draw what was measured.")
    options = parser.parse_args(words)
    if not options.draw:
        for size in options.sizes:
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                for name, point in measure(size, Path(folder)):
                    print(f"{name:32} {size:9,} {point.seconds:9.3f} s {point.megabytes:6.0f} MB")
                    sys.stdout.flush()
                    save(name, point)
    growth_chart.PICTURE.write_text(growth_chart.draw(load()), encoding="utf-8")
    performance_page.update()


def measure(size: int, folder: Path) -> Iterator[tuple[str, Point]]:
    """What each command costs on so many cases, none of them twice."""
    path, few = folder / "cases.jsonl", folder / "few.jsonl"
    data.write_cases(path, size, data.SUITE)
    data.write_cases(few, 10, data.SUITE)
    rounds = ROUNDS if size <= SMALL else 1
    yield BASELINE, Point(size, min(commands.job("loads", path)() for _ in range(rounds)), 0.0)
    for command in COMMANDS:
        if "FILE" in command.words:
            _run(command, few, folder)  # so that there is bytecode
        costs = [_run(command, path, folder) for _ in range(rounds)]
        least, most = min(one.seconds for one in costs), max(one.megabytes for one in costs)
        yield command.name, Point(size, least, most)
        if command.name == SAVE:
            _run(command, path, folder, is_new=False)  # two runs, to be compared


def _run(command: Command, path: Path, folder: Path, *, is_new: bool = True) -> commands.Cost:
    """Run a command; what is saved goes into a new history, unless it is to be added."""
    if command.name == SAVE and is_new:
        for file in folder.glob("history.db*"):
            file.unlink()
    given = {"FILE": str(path), "STORE": str(folder / "history.db")}
    words = [given.get(word, word) for word in command.words.split()]
    return commands.command(commands.callscore_command(*words), folder)


def load() -> Growth:
    """What was measured last."""
    if not MEASURED.exists():
        return Growth(machine="", commands={})
    return msgspec.json.decode(MEASURED.read_bytes(), type=Growth)


def save(name: str, point: Point) -> None:
    """Put a point in the place of what was measured before."""
    commands_before = load().commands
    points = {one.cases: one for one in [*commands_before.get(name, []), _rounded(point)]}
    merged = {**commands_before, name: [points[cases] for cases in sorted(points)]}
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    order = [BASELINE, *(command.name for command in COMMANDS)]
    found = Growth(machine, {each: merged[each] for each in order if each in merged})
    text = msgspec.json.format(msgspec.json.encode(found), indent=1)
    MEASURED.write_bytes(text + b"\n")


def _rounded(point: Point) -> Point:
    return Point(point.cases, float(f"{point.seconds:.3g}"), float(round(point.megabytes)))


if __name__ == "__main__":
    main(sys.argv[1:])
