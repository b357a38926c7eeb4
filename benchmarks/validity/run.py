"""Measure how well each metric tells success from failure, and hold the best against its bars.

Usage: PYTHONPATH=benchmarks python -m validity.run [--write]

With --write the tables go into the pages that show them, and the picture is drawn again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from validity.drawing import draw
from validity.evidence import Evidence, evidence, intervals
from validity.metrics import METRICS, RECOMMENDED, TOOLS, Metric
from validity.trajectories import load

if TYPE_CHECKING:
    from validity.trajectories import Trajectory

__all__ = ["main", "measure", "written"]

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/images/validity.svg"
PAGES = (Path(__file__).with_name("README.md"), ROOT / "docs/explanation/calls-that-matter.md")
BEGIN, END = "<!-- measured -->\n", "<!-- /measured -->\n"
BARS = Evidence(area=0.96, agreement=0.95)


class Row(NamedTuple):
    """What was found for one metric."""

    metric: Metric
    overall: Evidence
    interval: tuple[float, float]
    by_model: dict[str, Evidence]
    scored: int  # trajectories: a metric may refuse some


def main(arguments: list[str]) -> int:
    """Print the tables and hold the recommended preset against its bars."""
    trajectories = load()
    rows = measure(trajectories)
    print(_tables(rows))
    if "--write" in arguments:
        for file, text in written(rows, trajectories).items():
            file.write_text(text, encoding="utf-8")
    return _check(next(row.overall for row in rows if row.metric is RECOMMENDED))


def written(rows: list[Row], trajectories: list[Trajectory]) -> dict[Path, str]:
    """The pages with the tables, and the picture, as they should be."""
    tables = _tables(rows)
    pages = {page: _with_tables(page.read_text(encoding="utf-8"), tables) for page in PAGES}
    found = [(row.metric, row.overall, row.interval) for row in _drawn(rows)]
    return {**pages, PICTURE: draw(found, BARS, _extent(trajectories))}


def _tables(rows: list[Row]) -> str:
    return f"{overall_table(rows)}\n{model_table(rows)}"


def _drawn(rows: list[Row]) -> list[Row]:
    """The rows to draw: of another tool, the one of its best metric."""
    best: dict[str, float] = {}
    for row in rows:
        tool = row.metric.tool
        best[tool] = max(best.get(tool, 0), row.overall.area)
    drawn = [
        row
        for row in rows
        if row.metric.section != TOOLS or row.overall.area == best[row.metric.tool]
    ]
    most = max(row.scored for row in rows)
    return [row if row.scored == most else _marked(row) for row in drawn]


def _marked(row: Row) -> Row:
    """A row with the mark of those that are not about all trajectories."""
    return row._replace(metric=row.metric._replace(name=f"{row.metric.name} *"))


def _extent(trajectories: list[Trajectory]) -> str:
    tasks = len({one.task for one in trajectories})
    models = len({one.model for one in trajectories})
    return f"{len(trajectories)} trajectories, {tasks} tasks, {models} models"


def measure(trajectories: list[Trajectory]) -> list[Row]:
    """Every metric over every trajectory."""
    columns = [[metric.measure(one) for one in trajectories] for metric in METRICS]
    rows = []
    for metric, values, interval in zip(
        METRICS, columns, intervals(columns, trajectories), strict=True
    ):
        by_model = {
            model: _of_model(model, values, trajectories)
            for model in sorted({one.model for one in trajectories})
        }
        scored = len(values) - values.count(None)
        rows.append(Row(metric, evidence(values, trajectories), interval, by_model, scored))
    return rows


def _of_model(model: str, values: list[float | None], trajectories: list[Trajectory]) -> Evidence:
    own = [position for position, one in enumerate(trajectories) if one.model == model]
    return evidence([values[at] for at in own], [trajectories[at] for at in own])


def overall_table(rows: list[Row]) -> str:
    """The metrics over all trajectories, in Markdown."""
    lines = [
        "| metric | AUC | 95 % interval | agreement | trajectories |",
        "| --- | --- | --- | --- | --- |",
    ]
    section = None
    for row in rows:
        if row.metric.section != section:
            section = row.metric.section
            lines.append(f"| *{section}* | | | | |")
        low, high = row.interval
        numbers = f"{row.overall.area:.3f} | {low:.3f} to {high:.3f} | {row.overall.agreement:.3f}"
        lines.append(f"| {_name(row.metric)} | {numbers} | {row.scored} |")
    return "\n".join(lines) + "\n"


def model_table(rows: list[Row]) -> str:
    """AUC and agreement of our own metrics by model, in Markdown."""
    models = list(rows[0].by_model)
    lines = [
        f"| AUC / agreement | {' | '.join(models)} |",
        f"| --- |{' --- |' * len(models)}",
    ]
    for row in rows:
        if row.metric.section == TOOLS:
            continue
        cells = [f"{found.area:.2f} / {found.agreement:.2f}" for found in row.by_model.values()]
        lines.append(f"| {_name(row.metric)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _name(metric: Metric) -> str:
    return f"**{metric.name}**" if metric is RECOMMENDED else metric.name


def _with_tables(page: str, tables: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables}\n{END}{after}"


def _check(found: Evidence) -> int:
    """Say whether the bars hold; the exit code is 1 where one does not."""
    missed = 0
    for what, measured, bar in zip(("AUC", "agreement"), found, BARS, strict=True):
        verdict = "yes" if measured >= bar else "NO"
        missed |= measured < bar
        print(f"outcome {what:10} {measured:.3f}  bar {bar:.2f}  {verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
