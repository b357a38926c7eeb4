"""The measured parts of docs/explanation/performance.md: the bars, and the growth of each command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import committed
import growth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from committed import Entry, Table
    from growth import Growth, Point

__all__ = ["PAGE", "bars_table", "growth_table", "update", "with_tables"]

PAGE = Path(__file__).parents[1] / "docs/explanation/performance.md"
_PART = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_DIGITS = 3


def update() -> None:
    """Write what was measured last into the page."""
    if PAGE.exists():
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(page: str) -> str:
    """The page with the tables of what was measured last."""
    tables = {"bars": bars_table(committed.load()), "growth": growth_table(growth.load())}
    return _PART.sub(lambda part: part[1] + tables[part[2]] + part[3], page)


def bars_table(table: Table) -> str:
    """One line per row of the benchmark."""
    lines = [
        f"Measured on {table.machine}. Every value is the best of its rounds.",
        "",
        "| what | measured | bar | noise |",
        "| --- | ---: | ---: | ---: |",
        *map(_bar_line, table.rows.values()),
    ]
    return "\n".join(lines) + "\n"


def _bar_line(row: Entry) -> str:
    what, _, baseline = row.what.partition(" / ")
    against = f" / {baseline}" if baseline else ""
    measured = _amount(row.value, row.unit)
    if row.value > row.bar:
        measured = f"**{measured}**"
    return f"| {what}{against} | {measured} | ≤ {_amount(row.bar, row.unit)} | ±{row.noise:.0%} |"


def _amount(number: float, unit: str) -> str:
    text = f"{number:,.0f}" if number >= 10**_DIGITS else f"{number:.{_DIGITS}g}"
    return f"{text}\N{MULTIPLICATION SIGN}" if unit == "x" else f"{text} {unit.replace('us', 'µs')}"


def growth_table(found: Growth) -> str:
    """Seconds and memory of each command at each size."""
    sizes = sorted({point.cases for points in found.commands.values() for point in points})
    largest = {name: points[-1].megabytes for name, points in found.commands.items()}
    lines = [
        "| seconds of the processor | "
        + " | ".join(f"{size:,} cases" for size in sizes)
        + " | memory |",
        "| --- |" + " ---: |" * (len(sizes) + 1),
        *_growth_lines(found.commands, sizes, largest),
    ]
    return "\n".join(lines) + "\n"


def _growth_lines(
    lines: Mapping[str, list[Point]], sizes: list[int], largest: Mapping[str, float]
) -> Iterator[str]:
    for name, points in lines.items():
        seconds = {point.cases: f"{point.seconds:.3g}" for point in points}
        cells = " | ".join(seconds.get(size, "") for size in sizes)
        memory = f"{largest[name]:.0f} MB" if largest[name] else ""
        yield f"| `{name}` | {cells} | {memory} |"
