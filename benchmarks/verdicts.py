"""How often verdicts and rules of the gate are right, in suites of which the truth is known.

    python benchmarks/verdicts.py [--quick] [--write]

Two runs of a suite are made up, 2,000 times a row, with a difference that is known, and compared as
`callscore compare` does. `--write` keeps the table in benchmarks/verdicts.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from callscore.comparing.comparison import compare_sides
from callscore.comparing.differences import difference_between
from callscore.comparing.gating import FailOn, gate
from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Side,
    TrialOutcome,
    paired_values,
)
from callscore.core.statistics import Cluster, Interval, bootstrap_mean, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.comparing.differences import Difference

    Pair = tuple[float, float]

__all__ = ["main"]

SUITES = 2_000
QUICK = 200
TABLE = Path(__file__).with_suffix(".md")
COVERAGE = (0.92, 0.98)
MOST_FALSE = 0.05
FEWEST_FOUND = 0.8
BAR_CASES, BAR_CHANGE, BAR_FLIPPING = 200, -0.1, 0.2


class Suite(NamedTuple):
    """A kind of suite, and how its numbers fall.

    Attributes:
        kind: in words.
        cases: how many there are.
        draw: the numbers of one case, before and after.
        truth: the difference between their means.
        flipping: the share of cases that go otherwise; 1 where any may.
    """

    kind: str
    cases: int
    draw: Callable[[Random], Pair]
    truth: float = 0.0
    flipping: float = 1.0


class Row(NamedTuple):
    """What many suites of a kind came to, each as a share of them.

    Attributes:
        suite: the kind.
        verdicts: how often each was said.
        covered: how often the interval holds the truth.
        smallest: the mean of the smallest difference that could have been seen; None for none.
    """

    suite: Suite
    verdicts: dict[str, float]
    covered: float
    smallest: float | None


def flips(cases: int, flipping: float, change: float = 0.0) -> Suite:
    """One trial a case, of which so many flip, and so many more down than up."""
    down = (flipping - change) / 2

    def draw(random: Random) -> Pair:
        found = random.random()
        if found < down:
            return (1.0, 0.0)
        return (0.0, 1.0) if found < flipping else (1.0, 1.0)

    return Suite(f"one trial, {100 * flipping:.0f} % flip", cases, draw, change, flipping)


SIZES = (0.2, 1 / 3, 0.5, 2 / 3, 1.0)


def graded(cases: int, moving: float, change: float = 0.0) -> Suite:
    """F1 of one trial, which stays the same in most cases, and moves by very different amounts."""
    size = sum(SIZES) / len(SIZES)
    down = (moving - change / size) / 2

    def draw(random: Random) -> Pair:
        found = random.random()
        if found >= moving:
            return (1.0, 1.0)
        step = random.choice(SIZES)
        return (1.0, 1.0 - step) if found < down else (1.0 - step, 1.0)

    return Suite(f"F1, {100 * moving:.0f} % move", cases, draw, change, moving)


def lopsided(cases: int) -> Suite:
    """F1 that falls a little in a quarter of the cases and rises far in few, and on the whole stays."""
    little, far, falling = 0.1, 0.6, 0.24
    moving = falling + falling * little / far

    def draw(random: Random) -> Pair:
        found = random.random()
        if found >= moving:
            return (0.5, 0.5)
        return (0.5, 0.4) if found < falling else (0.2, 0.8)

    return Suite("F1, 24 % fall by 0.1 and 4 % rise by 0.6", cases, draw)


def continuous(cases: int) -> Suite:
    """A judge's numbers, which are never twice the same."""

    def draw(random: Random) -> Pair:
        level = random.betavariate(5, 2)
        before, after = (min(1.0, max(0.0, random.gauss(level, 0.1))) for _ in range(2))
        return (before, after)

    return Suite("a judge, all move", cases, draw)


def repeated(cases: int, trials: int, change: float = 0.0) -> Suite:
    """Several trials a case: most cases pass always or never, some now and then."""

    def draw(random: Random) -> Pair:
        # Most chances are near 0.1 or 0.95, so that taking some off is possible for most.
        chance = 0.1 + 0.85 * random.betavariate(0.6, 0.25)
        after = chance + change
        return (share(random, chance), share(random, min(1.0, max(0.0, after))))

    def share(random: Random, chance: float) -> float:
        return sum(random.random() < chance for _ in range(trials)) / trials

    return Suite(f"{trials} trials", cases, draw, change)


PASSES, FAILS = TrialOutcome(passed=True), TrialOutcome(passed=False)


def uneven(cases: int, before: int, after: int, *, passing: float | None = None) -> Suite:
    """A case is tried more often in the second run, and passes as often as before.

    By default as in `repeated`; else all cases pass with the same chance.
    """

    def draw(random: Random) -> Pair:
        chance = 0.1 + 0.85 * random.betavariate(0.6, 0.25) if passing is None else passing
        first, second = (
            CaseOutcome(
                id="case",
                trials=tuple(PASSES if random.random() < chance else FAILS for _ in range(trials)),
            )
            for trials in (before, after)
        )
        found = paired_values([MatchedCase("suite", first, second)], "passed")[0]
        return (0.0, 0.0) if found is None else found

    kind = f"{before} and {after} trials"
    return Suite(kind if passing is None else f"{kind}, {100 * passing:.0f} % pass", cases, draw)


def nothing_changed() -> Iterator[Suite]:
    """Suites in which the two runs differ by chance alone."""
    for cases in (20, 50, 200, 1000):
        for flipping in (0.02, 0.05, 0.1, 0.2, 0.4):
            yield flips(cases, flipping)
        for moving in (0.05, 0.2, 0.6):
            yield graded(cases, moving)
        yield continuous(cases)
        for trials in (3, 10):
            yield repeated(cases, trials)
    for cases in (50, 200, 1000):
        for before, after in ((1, 3), (1, 10), (3, 20)):
            yield uneven(cases, before, after)
            yield uneven(cases, before, after, passing=0.99)


def something_changed() -> Iterator[Suite]:
    """Suites in which the second run is worse, or better."""
    for cases in (50, 100, 200, 500):
        for flipping in (0.1, 0.15, 0.2):
            yield flips(cases, flipping, -0.1)
    yield flips(200, 0.2, 0.1)
    yield flips(200, 0.05, -0.03)
    yield flips(200, 0.1, -0.05)
    yield flips(200, 0.4, -0.1)
    yield flips(1000, 0.1, -0.03)
    yield graded(200, 0.2, -0.1)
    yield graded(200, 0.1, -0.05)
    yield graded(200, 0.08, -0.04)
    yield graded(1000, 0.1, -0.03)
    for trials in (3, 10):
        yield repeated(200, trials, -0.1)
        yield repeated(1000, trials, -0.03)


def hard_to_see() -> Iterator[Suite]:
    """Suites in which the mean stays, and few cases make up for many."""
    for cases in (20, 50, 200, 1000):
        yield lopsided(cases)


def simulate(suite: Suite, suites: int) -> Row:
    """Compare so many made-up pairs of runs."""
    random = Random(f"{suite.kind} {suite.cases} {suite.truth}")
    found = [compared(suite, random) for _ in range(suites)]
    said = Counter(difference.verdict for difference in found)
    covered = sum(
        difference.interval is not None and holds(difference.interval, suite.truth)
        for difference in found
    )
    seen = [each.smallest for each in found if each.smallest is not None]
    return Row(
        suite,
        {verdict: count / suites for verdict, count in said.items()},
        covered / suites,
        sum(seen) / len(seen) if seen else None,
    )


def compared(suite: Suite, random: Random) -> Difference:
    """One pair of runs."""
    return difference_between("f1", [suite.draw(random) for _ in range(suite.cases)])


def holds(interval: Interval, truth: float) -> bool:
    """Whether an interval holds a number, but for rounding."""
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9


class Own(NamedTuple):
    """An interval of one run alone, and how its cases fall.

    Attributes:
        kind: which interval, and of what.
        cases: how many there are.
        find: one run, and its interval.
        truth: the true share or mean.
    """

    kind: str
    cases: int
    find: Callable[[Random], Interval]
    truth: float


def passing(cases: int, share: float) -> Own:
    """The share of cases that pass, with Wilson's interval."""

    def find(random: Random) -> Interval:
        return wilson(sum(random.random() < share for _ in range(cases)), cases)

    return Own(f"passed, {100 * share:.0f} % do", cases, find, share)


def scored(cases: int, exact: float) -> Own:
    """The macro F1, with the bootstrap's interval."""
    others = (0.0, 0.4, 0.5, 2 / 3, 0.8)

    def find(random: Random) -> Interval:
        found = Counter(
            1.0 if random.random() < exact else random.choice(others) for _ in range(cases)
        )
        return bootstrap_mean([Cluster(value, 1, times) for value, times in found.items()])

    truth = exact + (1 - exact) * sum(others) / len(others)
    return Own(f"macro F1, {100 * exact:.0f} % exact", cases, find, truth)


def own_intervals() -> Iterator[Own]:
    """The intervals that a run has by itself."""
    for cases in (200, 1000):
        for share in (0.5, 0.8, 0.95):
            yield passing(cases, share)
        for exact in (0.2, 0.5, 0.8, 0.9, 0.95, 0.98):
            yield scored(cases, exact)


# --- the rules of the gate --------------------------------------------------------------------

RULES: tuple[FailOn, ...] = ("default", "broken", "regressed")
MOST_FALSE_ALARMS = 0.1
CHANGES = (("nothing", 0.0), ("one case", 0.0), ("10 %", 0.1))


class Noisy(NamedTuple):
    """A suite whose cases flip by chance.

    Attributes:
        kind: which cases do.
        cases: how many there are.
        trials: how often each is tried.
        flipping: the share of cases that go otherwise in two single trials.
        draw: the chance of a case to pass.
    """

    kind: str
    cases: int
    trials: int
    flipping: float
    draw: Callable[[Random], float]


def noisy_suites() -> Iterator[Noisy]:
    """Suites in which all cases flip now and then, or a few in every second trial."""
    for cases in (30, 200):
        for trials in (1, 5):
            for flipping in (0.02, 0.2):
                chance = (1 + (1 - 2 * flipping) ** 0.5) / 2
                yield Noisy("all", cases, trials, flipping, lambda _, chance=chance: chance)  # type: ignore[misc]
                if trials > 1:  # with one trial it is the same

                    def draw(random: Random, flipping: float = flipping) -> float:
                        return 0.5 if random.random() < 2 * flipping else 1.0

                    yield Noisy("few", cases, trials, flipping, draw)


def failures(suite: Noisy, change: str, share: float, suites: int) -> list[float]:
    """How often each rule fails the gate if nothing changed, one case broke, or a share of them."""
    random = Random(f"{suite[:4]} {change}")
    counts = Counter[FailOn]()
    for _ in range(suites):
        sides: tuple[list[CaseOutcome], list[CaseOutcome]] = [], []
        for number in range(suite.cases):
            chance = suite.draw(random)
            is_broken = random.random() < share or (change == "one case" and not number)
            chances = (1.0, 0.0) if is_broken else (chance, chance)
            for side, each in zip(sides, chances, strict=True):
                trials = [PASSES if random.random() < each else FAILS for _ in range(suite.trials)]
                side.append(CaseOutcome(id=f"{number}", trials=tuple(trials)))
        before, after = (
            Side(label="run", evaluations=(EvaluationSide(name="suite", cases=tuple(side)),))
            for side in sides
        )
        comparison = compare_sides(before, after)
        counts.update(rule for rule in RULES if not gate(comparison, rule).is_open)
    return [counts[rule] / suites for rule in RULES]


def _gate_table(suites: int) -> Iterator[str]:
    words = f"""\
How often each rule of `--fail-on` fails the gate, in percent: if nothing changed, if one case that always
passed never passes now, and if this happened to 10 % of the cases. {suites:,} pairs of runs per number.
`2 %` of flips means that of two single trials of a case 2 in 100 differ: `all` cases are alike, or a `few` pass
every second time and the others always. Required: by default at most 10 % if nothing changed. With one
trial no rule can do that and close for the one case that broke: among 30 cases of which 2 % flip, exactly one
breaks and none is fixed in 17 of 100 comparisons."""
    yield from ("", "## The rules of the gate", "", words, "")
    heads = [f"{change}: {rule}" for change, _ in CHANGES for rule in RULES]
    yield f"| cases | trials | flips | which | {' | '.join(heads)} | |"
    yield "|---:|---:|---:|---|" + "---:|" * len(heads) + "---|"
    for suite in noisy_suites():
        found = [failures(suite, change, share, suites) for change, share in CHANGES]
        shares = [f"{100 * share:.1f}" for shares in found for share in shares]
        fields = [f"{suite.cases}", f"{suite.trials}", f"{100 * suite.flipping:.0f} %", suite.kind]
        verdict = "yes" if found[0][0] <= MOST_FALSE_ALARMS else "NO"
        yield "| " + " | ".join([*fields, *shares, verdict]) + " |"


def main(arguments: list[str]) -> None:
    """Simulate, print, and keep the table where that is asked for."""
    suites = QUICK if "--quick" in arguments else SUITES
    lines: list[str] = []
    for line in report(suites):
        print(line, flush=True)
        lines.append(line)
    if "--write" in arguments:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(suites: int) -> Iterator[str]:
    """The page, line by line."""
    yield "# How often verdicts are right"
    yield ""
    yield f"Written by `make verdicts`: {suites:,} simulated pairs of runs per row, whose true"
    yield "difference is known. Shares are in percent, differences in points."
    yield from _table("Nothing changed", _NOTHING, nothing_changed(), suites)
    yield from _table("Something changed", _SOMETHING, something_changed(), suites)
    yield from _table("A few cases offset many", _LIMIT, hard_to_see(), suites)
    yield from _own_table(suites)
    yield from _gate_table(suites // 2)


_NOTHING = """\
Required: `regressed` in at most 5 %, and from 200 cases on, an interval that covers the true difference in
92 to 98 %. `over` means that it covers in more than 98 %: if very few cases flip, the exact test detects
little, and the interval, which follows the test, is wider than necessary."""
_SOMETHING = """\
Required: a drop of 10 points on 200 cases, of which at most 20 % flip, is found in at least 80 %. Intervals
as above."""
_LIMIT = """\
Nothing is required here, because no test on the available cases can do better: many cases get slightly
worse, a few get much better, and the mean stays the same. A small suite often contains none of the few."""
_HEAD = (
    "| suite | cases | true | regressed | improved | no evidence | not enough data | covered "
    "| could see | |"
)


def _table(title: str, words: str, suites_of: Iterator[Suite], suites: int) -> Iterator[str]:
    yield from ("", f"## {title}", "", words, "", _HEAD, "|---|" + "---:|" * 8 + "---|")
    for suite in suites_of:
        row = simulate(suite, suites)
        said = [
            f"{100 * row.verdicts.get(verdict, 0.0):.1f}"
            for verdict in ("regressed", "improved", "no evidence", "not enough data")
        ]
        smallest = "" if row.smallest is None else f"{100 * row.smallest:.1f}"
        fields = [
            suite.kind,
            f"{suite.cases:,}",
            f"{100 * suite.truth:+.0f}" if suite.truth else "0",
        ]
        fields += [*said, f"{100 * row.covered:.1f}", smallest]
        fields.append("" if words == _LIMIT else _meets(row))
        yield "| " + " | ".join(fields) + " |"


def _meets(row: Row) -> str:
    """Whether a row meets its bars."""
    suite, said = row.suite, row.verdicts
    is_kept = suite.truth or said.get("regressed", 0.0) <= MOST_FALSE
    if suite.cases == BAR_CASES and suite.truth == BAR_CHANGE and suite.flipping <= BAR_FLIPPING:
        is_kept = is_kept and said.get("regressed", 0.0) >= FEWEST_FOUND
    if suite.cases >= BAR_CASES:
        is_kept = is_kept and row.covered >= COVERAGE[0]
    if not is_kept:
        return "NO"
    return "over" if suite.cases >= BAR_CASES and row.covered > COVERAGE[1] else "yes"


def _own_table(suites: int) -> Iterator[str]:
    words = f"The same is required. {suites // 4:,} runs per row, each with its own bootstrap."
    yield from ("", "## The intervals of one run", "", words, "")
    yield from ("| what | cases | covered | |", "|---|---:|---:|---|")
    for own in own_intervals():
        random = Random(f"{own.kind} {own.cases}")
        found = [holds(own.find(random), own.truth) for _ in range(suites // 4)]
        covered = sum(found) / len(found)
        verdict = "yes" if COVERAGE[0] <= covered <= COVERAGE[1] else "NO"
        yield f"| {own.kind} | {own.cases:,} | {100 * covered:.1f} | {verdict} |"


if __name__ == "__main__":
    main(sys.argv[1:])
