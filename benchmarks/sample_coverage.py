"""How often the interval of a stratified sample holds the mean of a log that is known.

    python benchmarks/sample_coverage.py [--quick] [--write]

Each log is made up once. It is sampled 2,000 times as `callscore sample` does: the same number of cases of
each stratum, as far as it has them. `--write` keeps the table in benchmarks/sample_coverage.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.sample_estimate import MeanEstimate, SampledStratum, estimate_mean
from callscore.core.statistics import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Case = tuple[float, int]  # the sum of the scores of its trials, and their number

__all__ = ["main"]

SAMPLES = 2_000
QUICK = 200
LEAST_COVERED = 0.94
TABLE = Path(__file__).with_suffix(".md")
F1_VALUES = (0.0, 0.5, 2 / 3, 1.0)


class Log(NamedTuple):
    """A log whose mean is known, and how many of its cases are sampled.

    Attributes:
        kind: in words.
        strata: the cases of each stratum.
        sampled: the number of cases in the sample.
    """

    kind: str
    strata: list[list[Case]]
    sampled: int

    @property
    def truth(self) -> float:
        """The mean over all trials."""
        cases = [case for stratum in self.strata for case in stratum]
        return sum(total for total, _ in cases) / sum(trials for _, trials in cases)


class Row(NamedTuple):
    """What many samples of a log came to.

    Attributes:
        covered: the share of the intervals that hold the true mean.
        width: the mean width of the intervals.
        bias: the mean deviation of the estimates.
    """

    log: Log
    covered: float
    width: float
    bias: float


def graded(weights: Sequence[float]) -> Callable[[Random], float]:
    """An F1 of 0, 1/2, 2/3 or 1, with these weights."""
    return lambda random: random.choices(F1_VALUES, weights)[0]


def passing(share: float) -> Callable[[Random], float]:
    """A score of 1 in this share of the trials, else of 0."""
    return lambda random: float(random.random() < share)


def made_up(
    random: Random,
    sizes: Sequence[int],
    draws: Sequence[Callable[[Random], float]],
    trials: int = 1,
) -> list[list[Case]]:
    """Strata of these sizes; with trials, a case has from 1 to that many, and most of them agree."""
    return [
        [_case(random, draw, random.randint(1, trials)) for _ in range(size)]
        for size, draw in zip(sizes, draws, strict=True)
    ]


def _case(random: Random, draw: Callable[[Random], float], trials: int) -> Case:
    usual = draw(random)
    scores = [usual if random.random() < 3 / 4 else draw(random) for _ in range(trials)]
    return sum(scores), trials


def logs() -> Iterator[Log]:
    """The logs: skewed scores, successes near 1, rare strata, and trials."""
    random = Random("logs")
    f1 = graded((5, 10, 15, 70))
    good = graded((1, 1, 2, 96))
    rare = [20_000, 8_000, 2_000, 400, 60, 12, 5, 3, 2, 1]
    for trials in (1, 5):
        title = "" if trials == 1 else ", 1 to 5 trials"
        for sampled in (100, 1_000):
            yield Log(f"F1, one stratum{title}", made_up(random, [20_000], [f1], trials), sampled)
            yield Log(f"F1 of 1 in 96 %{title}", made_up(random, [20_000], [good], trials), sampled)
            for share in (0.9, 0.97, 0.99, 0.999, 1.0):
                yield Log(
                    f"{100 * share:g} % pass{title}",
                    made_up(random, [20_000], [passing(share)], trials),
                    sampled,
                )
            yield Log(
                f"F1, rare strata{title}", made_up(random, rare, [f1, good] * 5, trials), sampled
            )
            yield Log(
                f"99 % pass, rare strata{title}",
                made_up(random, rare, [passing(0.99)] * 10, trials),
                sampled,
            )
            yield Log(
                f"the largest stratum fails in 1 %, the others in 30 %{title}",
                made_up(random, rare, [passing(0.99), *[passing(0.7)] * 9], trials),
                sampled,
            )
            yield Log(
                f"the largest stratum fails in 30 %, the others never{title}",
                made_up(random, rare, [passing(0.7), *[passing(1.0)] * 9], trials),
                sampled,
            )
            many = [random.randint(1, 60) for _ in range(400)]
            yield Log(
                f"400 small strata{title}",
                made_up(random, many, [passing(random.betavariate(8, 1)) for _ in many], trials),
                sampled,
            )
        yield Log(f"half of all cases{title}", made_up(random, [500, 100], [f1, good], trials), 300)
        yield Log(
            f"two strata, 40 cases{title}",
            made_up(random, [5_000, 5_000], [f1, passing(0.95)], trials),
            40,
        )
    yield Log("trials rise with the score", correlated(random), 500)
    for sampled in (100, 1_000):
        yield Log(
            "F1 of 2/3 in 97 %, else 0", made_up(random, [20_000], [graded((3, 0, 97, 0))]), sampled
        )
    one_each = [passing(random.betavariate(8, 1)) for _ in range(300)]
    yield Log("300 strata, one sampled case each", made_up(random, [20] * 300, one_each), 300)
    yield Log("all but 20 cases", made_up(random, [1_000], [passing(0.97)]), 980)


def correlated(random: Random) -> list[list[Case]]:
    """Strata in which cases with more trials have higher scores."""
    strata = []
    for size in (6_000, 1_000, 200, 40):
        trials = [random.randint(1, 5) for _ in range(size)]
        strata.append(
            [
                (float(sum(random.random() < 0.4 + each / 10 for _ in range(each))), each)
                for each in trials
            ]
        )
    return strata


def allocation(sizes: Sequence[int], sampled: int) -> list[int]:
    """How many cases of each stratum are sampled: the same number, as far as it has them."""
    level, left = 0, sampled
    while (open_strata := sum(size > level for size in sizes)) and left >= open_strata:
        step = max(1, min(left // open_strata, min(size for size in sizes if size > level) - level))
        level, left = level + step, left - step * open_strata
    found = [min(size, level) for size in sizes]
    for place, size in enumerate(sizes):
        if left and size > level:
            found[place] += 1
            left -= 1
    return found


def sampled_estimate(log: Log, counts: Sequence[int], random: Random) -> MeanEstimate:
    """The estimate of one sample."""
    strata = [
        SampledStratum(
            len(cases),
            [Cluster(*case, times) for case, times in Counter(random.sample(cases, count)).items()],
        )
        for cases, count in zip(log.strata, counts, strict=True)
    ]
    found = estimate_mean(strata)
    assert found is not None  # noqa: S101  (every log has scores)
    return found


def simulate(log: Log, samples: int) -> Row:
    """Sample a log that many times."""
    random = Random(f"{log.kind} {log.sampled}")
    counts = allocation([len(cases) for cases in log.strata], log.sampled)
    found = [sampled_estimate(log, counts, random) for _ in range(samples)]
    truth = log.truth
    covered = sum(each.interval.low - 1e-9 <= truth <= each.interval.high + 1e-9 for each in found)
    width = sum(each.interval.high - each.interval.low for each in found)
    bias = sum(each.mean - truth for each in found)
    return Row(log, covered / samples, width / samples, bias / samples)


def report(samples: int) -> Iterator[str]:
    """The page, line by line."""
    yield "# How often the interval of a sample holds the mean of the log"
    yield ""
    yield f"Written by `python benchmarks/sample_coverage.py --write`: {samples:,} samples per row, of a log"
    yield f"whose mean is known. Required: at least {100 * LEAST_COVERED:.0f} % of the intervals hold it."
    yield "Means, widths and deviations are in points."
    yield ""
    yield "| log | strata | cases | sampled | mean | covered, % | width | deviation | |"
    yield "|---|" + "---:|" * 7 + "---|"
    for log in logs():
        row = simulate(log, samples)
        fields = [
            log.kind,
            f"{len(log.strata)}",
            f"{sum(map(len, log.strata)):,}",
            f"{log.sampled:,}",
            f"{100 * log.truth:.2f}",
            f"{100 * row.covered:.1f}",
            f"{100 * row.width:.2f}",
            f"{100 * row.bias:+.2f}",
            "yes" if row.covered >= LEAST_COVERED else "NO",
        ]
        yield f"| {' | '.join(fields)} |"


def main(arguments: list[str]) -> None:
    """Simulate, print, and keep the table where that is asked for."""
    lines: list[str] = []
    for line in report(QUICK if "--quick" in arguments else SAMPLES):
        print(line, flush=True)
        lines.append(line)
    if "--write" in arguments:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
