"""Measure how well every preset, score and metric separates success from failure.

Usage: PYTHONPATH=benchmarks python -m validity.run [--write] [--data FOLDER]

The tables are printed, and whether the bars hold. With --write they are also written into the pages
that show them, and the picture is drawn again. BFCL's trajectories are not in the repository: with
--data the folder `bfcl_multi_turn` in FOLDER is measured, and what was found is kept in
`bfcl_multi_turn.json`; otherwise that file is shown.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from validity import page
from validity.bars import bars
from validity.drawing import Line, Panel, Spot, draw
from validity.measuring import Measured, measure
from validity.metrics import PRESETS
from validity.trajectories import BFCL, TAU, TELECOM, TITLES, bfcl, tau_bench, telecom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validity.measuring import Row

    Found = dict[str, Measured]

__all__ = ["KEPT", "main", "measured", "written"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = HERE / f"{BFCL}.json"
PICTURE = ROOT / "docs/images/validity.svg"
PAGE = ROOT / "docs/explanation/validity.md"
DETAILS = HERE / "results.md"
_DATE = """\
BFCL multi-turn was measured on {date}. Its runs are not in the repository: these numbers stay until `make validity` is
given the runs. The other two are measured every time.
"""


def main(arguments: list[str]) -> int:
    """Print the tables and compare with the bars; the exit code is 1 if one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the pages and the picture")
    parser.add_argument("--data", type=Path, help="the folder with bfcl_multi_turn")
    options = parser.parse_args(arguments)
    if options.data is not None:
        today = datetime.now(tz=UTC).date().isoformat()
        kept = measure(bfcl(options.data / BFCL), today)
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    found = measured()
    print(page.metric_table(found))
    print(page.held_out_table(found))
    print(page.bar_table(bars(found)))
    if options.write:
        for file, text in written(found).items():
            file.write_text(text, encoding="utf-8")
    return int(not all(bar.holds for bar in bars(found)))


def measured() -> Found:
    """What is found on the trajectories of the repository, and what was found on BFCL's."""
    kept = msgspec.json.decode(KEPT.read_bytes(), type=Measured)
    return {TAU: measure(tau_bench()), TELECOM: measure(telecom()), BFCL: kept}


def written(found: Found) -> dict[Path, str]:
    """The pages with the tables, and the picture, as they should be."""
    blocks = {
        "benchmarks": page.benchmark_table(found),
        "metrics": page.metric_table(found),
        "agreement": page.agreement_table(found),
        "held out": page.held_out_table(found),
        "bars": page.bar_table(bars(found)),
        "turns": page.turn_table(found[BFCL]),
        "groups": "\n".join(page.group_table(one) for one in found.values()),
        "date": _DATE.format(date=found[BFCL].date),
        **{name: page.details(one) for name, one in found.items()},
    }
    pages = {file: _with(file.read_text(encoding="utf-8"), blocks) for file in (PAGE, DETAILS)}
    return {**pages, PICTURE: _picture(found)}


def _with(text: str, blocks: dict[str, str]) -> str:
    """A page with what is between its marks replaced."""
    for name, block in blocks.items():
        begin, end = f"<!-- measured: {name} -->\n", f"<!-- /measured: {name} -->\n"
        before, mark, rest = text.partition(begin)
        if mark:
            text = f"{before}{begin}\n{block}\n{end}{rest.partition(end)[2]}"
    return text


def _picture(found: Found) -> str:
    panels = [
        Panel(TITLES[name], f"{one.trajectories:,} runs, {sum(one.tasks)} tasks")
        for name, one in found.items()
    ]
    notes = (
        "* of the runs that it does not refuse to score",
        "† the benchmark's own check of the calls",
        "See docs/explanation/validity.md for what these benchmarks have in common with the scores.",
    )
    return draw(list(_lines(found)), panels, notes)


def _lines(found: Found) -> Iterator[Line]:
    names = dict.fromkeys(
        row.name for one in found.values() for row in one.rows if row.section == PRESETS
    )
    for name in names:
        spots = tuple(_spot(one.row(name), one) for one in found.values())
        yield Line("callscore's presets", name, is_ours=True, spots=spots)
    for tool, rows in page.best_by_tool(found).items():
        spots = tuple(_spot(rows[name], one) for name, one in found.items())
        title = page.title_of(tool)
        yield Line("other tools, the best metric of each", title, is_ours=False, spots=spots)


def _spot(row: Row, one: Measured) -> Spot:
    return Spot(row.area, row.low, row.high, page.marks_of(row, one))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
