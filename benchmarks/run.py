"""Measure callscore against its bars and against the committed table.

    python benchmarks/run.py [--only PATTERN] [--quick] [--write]

Prints one row after the other. A row that is more than 25 % worse than in `ratios.json` is measured
again with more rounds; if it still is, the exit code is 1. `--write` writes the table instead, and the
page that shows it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import committed
import documents
import keeping
import looking_back
import performance_page
import reporting
import running
import scoring
import starting
from rows import FULL, QUICK, Inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from committed import Entry, Table
    from rows import Row

__all__ = ["all_rows", "main", "measure", "measure_all"]

WIDTH = 92
HEAD = f"{'what':{WIDTH}} measured       bar  ok?   ratio  committed  change  noise"
SUBJECTS = (scoring, documents, reporting, keeping, starting, looking_back, running)


def main(words: Sequence[str], table: Path = committed.TABLE) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="PATTERN", default="", help="Rows whose names match.")
    parser.add_argument("--quick", action="store_true", help="Little data, once: to try it out.")
    parser.add_argument("--write", action="store_true", help="Write the table to compare with.")
    options = parser.parse_args(words)
    if options.quick and options.write:
        parser.error("--quick measures too little to be written.")
    effort = QUICK if options.quick else FULL
    before = committed.load(table)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        rows = all_rows(Inputs(Path(folder), effort))
        chosen = [row for row in rows if re.search(options.only, row.name)]
        compared = committed.Table("", {}) if options.quick else before
        found, worse = measure_all(chosen, effort.rounds, compared)
    if options.write:
        merged = {**before.rows, **found}
        committed.save({row.name: merged[row.name] for row in rows if row.name in merged}, table)
        performance_page.update()
    elif worse:
        print(f"more than {committed.TOLERANCE:.0%} worse than committed: {', '.join(worse)}")
    return 1 if worse and not options.write else 0


def all_rows(inputs: Inputs) -> list[Row]:
    """Every row of every subject; nothing is measured yet."""
    return [row for subject in SUBJECTS for row in subject.rows(inputs)]


def measure_all(
    rows: Iterable[Row], rounds: int, before: Table
) -> tuple[dict[str, Entry], list[str]]:
    """Measure these rows and print them; returns what was found, and the names of what is worse."""
    found: dict[str, Entry] = {}
    worse: list[str] = []
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(HEAD)
    for row in rows:
        _show_progress(row.name)
        committed_row = before.rows.get(row.name)
        found[row.name] = measure(row, rounds, committed_row)
        if committed.is_worse(found[row.name], committed_row):
            worse.append(row.name)
        _show_progress("")
        print(_line(found[row.name], committed_row), flush=True)
    return found, worse


def measure(row: Row, rounds: int, before: Entry | None) -> Entry:
    """Measure a row, and once more with more rounds if it is worse: perhaps it was the machine."""
    now = committed.entry(row, row.measure(rounds))
    if committed.is_worse(now, before):
        again = committed.entry(row, row.measure(3 * rounds))
        now = min(now, again, key=lambda one: one.ratio)
    return now


def _line(now: Entry, before: Entry | None) -> str:
    measured, bar = (f"{number:.3g}{now.unit:>2}" for number in (now.value, now.bar))
    verdict = "yes" if now.value <= now.bar else "NO"
    line = f"{now.what:{WIDTH}} {measured:>8} {bar:>9}  {verdict:3} {now.ratio:7.3g}"
    if before is None:
        return f"{line} {'-':>10} {'-':>7} {'±' + format(now.noise, '.0%'):>6}"
    change = now.ratio / before.ratio - 1
    note = "  WORSE" if committed.is_worse(now, before) else ""
    return f"{line} {before.ratio:10.3g} {change:+7.0%} {'±' + format(now.noise, '.0%'):>6}{note}"


def _show_progress(name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{name}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
