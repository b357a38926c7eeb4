"""The measured parts of docs/explanation/scale.md: the tables, the arithmetic on paper, and the chart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import growth_chart
import scale
from growth import Growth
from growth import Point as ChartPoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scale import Point, Scale

__all__ = ["PAGE", "PICTURE", "chart", "cost_table", "paper_table", "speed_table", "update"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/scale.md"
PICTURE = ROOT / "docs/images/scale.svg"
PAPER_CASES = 10**10
MACHINES, CORES = 100, 16
_PART = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_TITLE = "Time of each engine by the number of cases"
_NOTE = "seconds by the clock, start included; no case repeated"
_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
_STEP = 1000


def update() -> None:
    """Draw what was measured last, and write it into the page."""
    found = scale.load()
    PICTURE.write_text(chart(found), encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def with_tables(page: str, found: Scale) -> str:
    """The page with the tables of what was measured."""
    tables = {"cost": cost_table(found), "speed": speed_table(found), "paper": paper_table(found)}
    return _PART.sub(lambda part: part[1] + tables[part[2]] + part[3], page)


def chart(found: Scale) -> str:
    """The chart, with a line for each engine."""
    lines = {
        name: [ChartPoint(each.cases, each.startup + each.seconds, each.parent) for each in points]
        for name, points in found.engines.items()
    }
    return growth_chart.draw(Growth(found.machine, lines), _TITLE, _NOTE)


def cost_table(found: Scale) -> str:
    """What each engine costs on the largest number of cases that all of them scored."""
    size = _common_size(found)
    points = _points(found, size)
    plain = points[scale.PLAIN].processor
    head = ("engine", "cases per second", "per core", "processor time per case", "/ plain loop")
    rest = ("start-up", "memory, parent", "largest other process")
    lines = [
        f"{size:,} cases, on {found.machine}, {_load_text([*points.values()])}:",
        "",
        _line(head + rest),
        "| --- |" + " ---: |" * 7,
    ]
    cores = {engine.name: engine.cores for engine in scale.ENGINES}
    for name, point in points.items():
        rate = point.cases / point.seconds
        cells = (
            name,
            f"{_two_digits(rate):,.0f}",
            f"{_two_digits(rate / cores[name]):,.0f}",
            f"{point.processor / point.cases * 1e6:.0f} µs",
            f"{point.processor / plain:.1f}\N{MULTIPLICATION SIGN}",
            f"{point.startup:.1f} s",
            f"{point.parent:.0f} MB",
            f"{point.worker:.0f} MB ({_process_name(point)})" if point.worker else "",
        )
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def speed_table(found: Scale) -> str:
    """Cases per second of each engine at each size, without the start-up."""
    sizes = sorted({point.cases for points in found.engines.values() for point in points})
    lines = [
        _line(["cases per second", *[f"{size:,} cases" for size in sizes]]),
        "| --- |" + " ---: |" * len(sizes),
    ]
    for name, points in found.engines.items():
        rates = {each.cases: f"{_two_digits(each.cases / each.seconds):,.0f}" for each in points}
        lines.append(_line([name, *[rates.get(size, "") for size in sizes]]))
    return "\n".join(lines) + "\n"


def paper_table(found: Scale) -> str:
    """What ten billion cases would take, if the cost per case of the largest measurement stays."""
    machines = f"{MACHINES} machines of {CORES} cores"
    head = ("engine", "measured on", "input", "processor time", machines, "result rows")
    lines = [_line(head), "| --- |" + " ---: |" * 5, *_paper_lines(found)]
    return "\n".join(lines) + "\n"


def _paper_lines(found: Scale) -> Iterator[str]:
    cores = {engine.name: engine.cores for engine in scale.ENGINES}
    for name, points in found.engines.items():
        point = points[-1]
        if not point.result_bytes or ", 1 process" in name:
            continue
        times = PAPER_CASES / point.cases
        hours = point.processor * times / 3600
        minutes = point.seconds * cores[name] * times / (MACHINES * CORES) / 60
        yield _line(
            (
                name,
                f"{point.cases:,} cases",
                _bytes(point.input_bytes * times),
                f"{_two_digits(hours):,.0f} core hours",
                f"{minutes:.0f} min",
                _bytes(point.result_bytes * times),
            )
        )


def _load_text(points: Sequence[Point]) -> str:
    """How busy the machine was: with other programs running, times by the clock are too long."""
    loads = [point.load for point in points if point.load is not None]
    if len(loads) < len(points):
        return "load of the machine not recorded"
    return f"load {min(loads)} to {max(loads)}"


def _common_size(found: Scale) -> int:
    sizes = [{point.cases for point in points} for points in found.engines.values()]
    return max(set.intersection(*sizes))


def _points(found: Scale, size: int) -> dict[str, Point]:
    return {
        name: point
        for name, points in found.engines.items()
        for point in points
        if point.cases == size
    }


def _process_name(point: Point) -> str:
    """The kind of a process: workers of Ray have the names of their tasks."""
    if point.worker_name.startswith("ray::"):
        return "worker"
    return {"java": "Java"}.get(point.worker_name, "worker")


def _two_digits(number: float) -> float:
    return float(f"{number:.2g}")


def _bytes(size: float) -> str:
    power = 0
    while size >= _STEP and power < len(_UNITS) - 1:
        size /= _STEP
        power += 1
    return f"{_two_digits(size):.3g} {_UNITS[power]}"


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"
