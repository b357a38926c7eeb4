"""Measure callscore against its bars: python benchmarks/run.py [--quick] prints one table.

Ratios, taken in one run: a slower machine is slower for both sides. Nothing is asserted.
"""

from __future__ import annotations

import json  # noqa: TID251  (the rival)
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import data
import dialects
import history
import keeping
import plugin
import running
import timing

import callscore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["main"]


class Row(NamedTuple):
    """One line of the table: what was measured, and what it should be at the most."""

    what: str
    measured: float
    bar: float
    unit: str = "x"


class Effort(NamedTuple):
    """How much is measured."""

    rounds: int
    few_cases: int
    many_cases: int
    large_file: int
    imports: int
    runs: int


# A thousand cases in memory are what a suite has; many more would measure the processor's cache.
FULL = Effort(
    rounds=5, few_cases=1_000, many_cases=200_000, large_file=1_000_000_000, imports=40, runs=60
)
QUICK = Effort(
    rounds=2, few_cases=500, many_cases=20_000, large_file=50_000_000, imports=5, runs=10
)

# How many values each of the three arguments has: from hardly any ties to nothing but ties.
VALUES = ((1_000, 1_000, 1_000), (40, 40, 40), (2, 40, 1_000), (14, 14, 14))
WIDTH = 76
DIALECT_BAR = 3.0


def main(arguments: list[str]) -> None:
    """Print the table, row by row as it is measured."""
    effort = QUICK if "--quick" in arguments else FULL
    print(f"{'what':{WIDTH}} measured       bar  ok?")
    for row in measure(effort):
        verdict = "yes" if row.measured <= row.bar else "NO"
        measured, bar = f"{row.measured:.2f}{row.unit}", f"{row.bar:.2f}{row.unit}"
        print(f"{row.what:{WIDTH}} {measured:>8} {bar:>9}  {verdict}", flush=True)


def measure(effort: Effort) -> Iterator[Row]:
    """Every row, one after the other."""
    yield score_dicts(effort)
    with TemporaryDirectory() as folder:
        for shape in (data.SUITE, data.TRAJECTORY):
            path = Path(folder) / "cases.jsonl"
            data.write_cases(path, effort.many_cases, shape)
            yield from score_file(path, shape, effort)
        yield shuffle(effort)
        yield from assign_flexibly(effort)
        path = Path(folder) / "large.jsonl"
        data.write_large(path, effort.large_file)
        yield score_large(path)
    yield from read_traces(effort)
    yield from keep_answers(effort)
    yield from look_back(effort)
    yield from run_evaluations(effort)
    yield from import_package(effort)
    what = "2,000 tests that do not use the pytest plugin, with it / without it"
    yield Row(what, plugin.unused_cost(2 * effort.rounds), 1.05)


def read_traces(effort: Effort) -> Iterator[Row]:
    """Records of every dialect, decoded and read, against decoding alone; see dialects.py."""
    found = list(dialects.costs(effort.rounds))
    by_json = sorted(cost.by_json for cost in found)
    by_msgspec = sorted(cost.by_msgspec for cost in found)
    share = sum(cost <= DIALECT_BAR for cost in by_json) / len(found)
    what = f"a record of any dialect / json.loads, median of {len(found)} samples"
    yield Row(what, by_json[len(by_json) // 2], DIALECT_BAR)
    yield Row(
        f"the same, 9 of 10 ({share:.0%} are within)", by_json[len(by_json) * 9 // 10], DIALECT_BAR
    )
    yield Row("the same / msgspec, median", by_msgspec[len(by_msgspec) // 2], DIALECT_BAR)
    yield Row(
        "the recorded files / json.loads, all together",
        dialects.recorded(effort.rounds),
        DIALECT_BAR,
    )


def run_evaluations(effort: Effort) -> Iterator[Row]:
    """A run against a real server on this machine, against the bare SDK; see running.py."""
    by_chat, by_own = running.best_ratios(effort.few_cases, effort.rounds)
    what = f"run {effort.few_cases:,} cases, 20 ms latency, 100 in flight"
    yield Row(f"{what}, models.chat / bare SDK", by_chat, 1.3)
    yield Row(f"{what}, one's own task / bare SDK", by_own, 1.3)
    few, many = running.memory((effort.few_cases, 5 * effort.few_cases))
    yield Row(
        f"peak memory, {5 * effort.few_cases:,} cases / {effort.few_cases:,}", many / few, 1.3
    )


def keep_answers(effort: Effort) -> Iterator[Row]:
    """Answers with their results into the history, against bare inserts; see keeping.py."""
    microseconds, ratio = keeping.cost_of_keeping(5 * effort.few_cases, effort.rounds)
    yield Row("keep an answer and its result, one of many", microseconds, 200, " us")
    yield Row("the same / two bare inserts of their JSON", ratio, 4)


def look_back(effort: Effort) -> Iterator[Row]:
    """What a history takes, and what it costs to look at it; see history.py, also for a long one."""
    runs, cases = effort.runs, effort.few_cases
    with TemporaryDirectory() as folder:
        path = Path(folder) / "history.db"
        history.fill(path, runs, cases)
        for cost in history.costs(path, runs, cases):
            yield Row(*cost)


def score_dicts(effort: Effort) -> Row:
    """Strict scores of cases in memory, against the quickest thing that anyone would write."""
    cases = list(data.make_cases(effort.few_cases, data.SUITE))

    def ours() -> None:
        for case in cases:
            callscore.score(case["expected"], case["actual"])

    def theirs() -> None:
        for case in cases:
            wanted, given = count_texts(case["expected"]), count_texts(case["actual"])
            _ = 2 * (wanted & given).total() / (wanted.total() + given.total() or 1)

    our_time, their_time = timing.best_times([ours, theirs], rounds=2 * effort.rounds)
    return Row("strict score() / Counter over name and json.dumps", our_time / their_time, 0.30)


def count_texts(calls: list[data.Call]) -> Counter[str]:
    """How often each call is there, where a call is its name and its arguments as sorted JSON."""
    return Counter(call["name"] + json.dumps(call["arguments"], sort_keys=True) for call in calls)


def score_file(path: Path, shape: data.Shape, effort: Effort) -> Iterator[Row]:
    """A file to a summary with per-case outcomes, against only decoding its lines."""
    jobs = [["score", str(path)], ["loads", str(path)], ["typed", str(path)]]
    score, loads, typed = timing.best_in_children(jobs, rounds=effort.rounds)
    what = f"score {effort.many_cases:,} cases of a file, {shape.name}"
    yield Row(f"{what} / json.loads", score / loads, 0.75)
    yield Row(f"{what} / msgspec into structs", score / typed, 3)


def shuffle(effort: Effort) -> Row:
    """Ten times as many equal calls in one case, in another order."""
    many, few = data.shuffled_calls(10_000), data.shuffled_calls(1_000)
    jobs = [lambda: callscore.score(*many), lambda: callscore.score(*few)]
    many_time, few_time = timing.best_times(jobs, rounds=2 * effort.rounds)
    return Row("10,000 equal calls in one case, shuffled / 1,000", many_time / few_time, 15)


def assign_flexibly(effort: Effort) -> Iterator[Row]:
    """The best pairing of many near misses, against only counting what all pairs have in common."""
    for count in (300, 1_000):
        worst = max(flexible_ratio(*data.unequal_calls(count, values), effort) for values in VALUES)
        yield Row(f"{count:,} unequal calls of one tool, flexible / double loop, worst", worst, 1)


def flexible_ratio(expected: list[data.Call], actual: list[data.Call], effort: Effort) -> float:
    """The time of a flexible score in terms of that of the double loop."""
    jobs: list[Callable[[], object]] = [
        lambda: callscore.score(expected, actual, mode="flexible"),
        lambda: count_equal_arguments(expected, actual),
    ]
    ours, theirs = timing.best_times(jobs, rounds=effort.rounds)
    return ours / theirs


def count_equal_arguments(expected: list[data.Call], actual: list[data.Call]) -> int:
    """The double loop."""
    equal = 0
    for wanted in expected:
        for given in actual:
            arguments = given["arguments"]
            for name, value in wanted["arguments"].items():
                if name in arguments and arguments[name] == value:
                    equal += 1
    return equal


def score_large(path: Path) -> Row:
    """The memory that a file needs which does not fit into it."""
    what = f"peak memory over a file of {path.stat().st_size / 1e9:.2f} GB"
    return Row(what, timing.child_number(["memory", str(path)]), 200, " MB")


def import_package(effort: Effort) -> Iterator[Row]:
    """What a program pays for the import; the names behind it are loaded when first used."""
    statements = ["pass", "import asyncio", "import callscore", "from callscore import score"]
    bare, rival, *ours = timing.import_times(statements, rounds=effort.imports)
    for statement, taken in zip(statements[2:], ours, strict=True):
        yield Row(f"{statement} / import asyncio", (taken - bare) / (rival - bare), 1.2)


if __name__ == "__main__":
    main(sys.argv[1:])
