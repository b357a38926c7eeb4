"""The same metric by the tool itself and by callscore, from the same plain dictionaries.

`make bench-peers` runs each tool in the environment that `make parity` uses, in a process of its
own, where the tool, callscore and the baseline take turns. Times are multiples of the baseline of
the benchmark of the score: a Counter over each call's name and json.dumps of its arguments.
"""

from __future__ import annotations

import json  # noqa: TID251  (the baseline)
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import data
import timing

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the adapters stand among the tests

from tests.parity.agreement import answer_of  # noqa: E402  (it is found there)
from tests.parity.configuration import measure_for, recorded_as  # noqa: E402  (likewise)
from tests.parity.environments import NotInstalled, environment_of, is_npm, tools  # noqa: E402  (likewise)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.configuration import Measure

__all__ = ["main"]

_PAGE = ROOT / "docs" / "reference" / "parity.md"
_VECTORS = ROOT / "tests" / "parity" / "vectors"
_BEGIN, _END = "<!-- timed: begin -->\n", "<!-- timed: end -->\n"
_CASES = 500
_ROUNDS = 5
_HEAD = "| tool | configuration | the tool | callscore | callscore / the tool |\n| --- | --- | ---: | ---: | ---: |\n"


class Row(NamedTuple):
    """One configuration of a tool: both times, as multiples of the baseline."""

    tool: str
    configuration: str
    theirs: float
    ours: float

    def __str__(self) -> str:
        times = f"{self.theirs:.2f} | {self.ours:.3f} | {self.ours / self.theirs:.3f}"
        return f"| {self.tool} | `{self.configuration}` | {times} |\n"


def main(arguments: list[str]) -> None:
    """Time every tool, or those that are named, and print one row a configuration."""
    parser = ArgumentParser(prog="python benchmarks/peers.py")
    parser.add_argument("tools", nargs="*", default=_python_tools())
    parser.add_argument("--write", action="store_true", help="put the table into the documentation")
    parser.add_argument("--child", action="store_true", help="time one tool in this very process")
    options = parser.parse_args(arguments)
    if options.child:
        _time_here(options.tools[0])
        return
    print(_HEAD, end="")
    rows = [row for tool in options.tools for row in _time_in_child(tool)]
    if options.write:
        _write(rows)


def _python_tools() -> list[str]:
    """The tools that can be timed in one process with us; those of npm cannot."""
    return [tool for tool in tools() if not is_npm(tool)]


def _time_in_child(tool: str) -> list[Row]:
    try:
        python = environment_of(tool)
    except NotInstalled as reason:
        print(f"| {tool} | could not be installed: {reason} | | | |")
        return []
    command = [str(python), str(Path(__file__)), tool, "--child"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    rows = [Row(*row) for row in json.loads(done.stdout.splitlines()[-1])]
    print("".join(map(str, rows)), end="", flush=True)
    return rows


def _time_here(tool: str) -> None:
    cases = list(data.make_cases(_CASES, data.SUITE))
    with redirect_stdout(sys.stderr):  # whatever a tool prints
        rivals: dict[str, Measure] = import_module(f"tests.parity.rivals.{tool}").measures()
        rows = [_row(tool, name, rivals[name], cases) for name in _configurations(tool)]
    print(json.dumps([row for row in rows if row is not None]))


def _configurations(tool: str) -> list[str]:
    """Those that are recorded: what the tool offers, not what only random cases are made for."""
    recorded = json.loads((_VECTORS / f"{recorded_as(tool)}.json").read_text(encoding="utf-8"))
    return list(next(iter(recorded["results"].values())))


def _row(tool: str, configuration: str, rival: Measure, cases: list[Any]) -> Row | None:
    ours = measure_for(tool, configuration)
    if ours is None or not _gives_numbers(ours, cases):
        return None
    jobs = [_job(rival, cases), _job(ours, cases), _job(_baseline, cases)]
    theirs, our_time, baseline = timing.best_times(jobs, rounds=_ROUNDS)
    return Row(tool, configuration, theirs / baseline, our_time / baseline)


def _gives_numbers(measure: Measure, cases: list[Any]) -> bool:
    """Whether there is work to be timed: a configuration that only ever raises is none."""
    answers = [answer_of(measure, case["expected"], case["actual"]) for case in cases]
    return not any(isinstance(answer, dict) and "error" in answer for answer in answers)


def _job(measure: Measure, cases: list[Any]) -> Callable[[], None]:
    def job() -> None:
        for case in cases:
            measure(case["expected"], case["actual"])

    return job


def _baseline(expected: list[data.Call], actual: list[data.Call]) -> float:
    wanted, given = _texts(expected), _texts(actual)
    return 2 * (wanted & given).total() / (wanted.total() + given.total() or 1)


def _texts(calls: list[data.Call]) -> Counter[str]:
    return Counter(call["name"] + json.dumps(call["arguments"], sort_keys=True) for call in calls)


def _write(rows: list[Row]) -> None:
    before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    day = datetime.now(UTC).date().isoformat()
    note = f"{day}, Python {sys.version.split()[0]}, {_CASES} cases, best of {_ROUNDS} rounds.\n\n"
    table = _HEAD + "".join(map(str, rows))
    _PAGE.write_text(before + _BEGIN + note + table + _END + after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
