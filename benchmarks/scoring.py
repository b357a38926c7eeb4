"""What `score()` costs on calls in memory: small cases, and one case with thousands of calls."""

from __future__ import annotations

import json  # noqa: TID251  (the baseline)
import tracemalloc
from collections import Counter
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import data
import timing
from rows import Row

import callscore
from callscore import expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rows import Inputs

__all__ = ["rows"]

# How many values each of the three arguments has: from hardly any ties to nothing but ties.
VALUES = ((1_000, 1_000, 1_000), (40, 40, 40), (2, 40, 1_000), (14, 14, 14))
DISTINCT_RULES = 100
_Sides = tuple[list[data.Call], list[data.Call]]


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    effort = inputs.effort
    against = "/ Counter over name and json.dumps"
    yield Row(
        "score-dicts-reused",
        f"score() from dictionaries scored before {against}",
        0.27,
        lambda rounds: score_dicts(effort.few_cases, 4 * rounds, is_fresh=False),
    )
    yield Row(
        "score-dicts-fresh",
        f"score() from new dictionaries {against}",
        0.27,
        lambda rounds: score_dicts(effort.few_cases, 4 * rounds, is_fresh=True),
    )
    many = f"{effort.calls:,} x {effort.calls:,} unequal calls"
    for tools, of_tools, bar in ((1, "one tool", 2.5), (40, "40 tools", 0.5)):
        yield Row(
            f"in-order-{tools}-tools",
            f"score(order='in_order'), {many} of {of_tools}",
            bar,
            partial(in_order, effort.calls, tools),
            "s",
        )
    yield Row(
        "in-order-memory",
        f"memory of the same, {effort.calls:,} calls of one tool / {effort.calls // 3:,}",
        3.3,
        lambda _: memory_growth(effort.calls),
    )
    count = effort.calls // 3
    yield Row(
        "rules",
        f"{count:,} rules with {DISTINCT_RULES} regular expressions x {count:,} calls",
        1.0,
        partial(rules, count),
        "s",
    )
    for count in (effort.calls // 10, effort.calls // 3):
        yield Row(
            f"flexible-{'few' if count < effort.calls // 3 else 'many'}",
            f"mode='flexible', {count:,} x {count:,} unequal calls of one tool / double loop",
            1.0,
            partial(flexible, count),
        )
    yield Row(
        "shuffled",
        f"{10 * count:,} equal calls in another order / {count:,}",
        15.0,
        lambda rounds: shuffled(count, 2 * rounds),
    )


def score_dicts(count: int, rounds: int, *, is_fresh: bool) -> timing.Measured:
    """Strict scores of cases in memory, against the quickest thing that anyone would write."""
    kept = list(data.make_cases(count, data.SUITE))
    text = json.dumps(kept)

    def job(work: Callable[[list[data.Case]], None]) -> Callable[[], float]:
        def run() -> float:
            cases = json.loads(text) if is_fresh else kept
            return timing.cpu(lambda: work(cases))()

        return run

    return timing.compare(job(_score_all), job(_count_all), rounds)


def _score_all(cases: list[data.Case]) -> None:
    for case in cases:
        callscore.score(case["expected"], case["actual"])


def _count_all(cases: list[data.Case]) -> None:
    for case in cases:
        expected, actual = _texts(case["expected"]), _texts(case["actual"])
        _ = 2 * (expected & actual).total() / (expected.total() + actual.total() or 1)


def _texts(calls: list[data.Call]) -> Counter[str]:
    return Counter(call["name"] + json.dumps(call["arguments"], sort_keys=True) for call in calls)


def in_order(count: int, tools: int, rounds: int) -> timing.Measured:
    """One case with that many calls a side, paired in order."""
    return _seconds(unequal_calls(count, tools), rounds, order="in_order")


def rules(count: int, rounds: int) -> timing.Measured:
    """One case with that many rules, few of them distinct, and as many calls."""
    return _seconds(regular_expressions(count), rounds)


def _seconds(sides: tuple[Any, Any], rounds: int, **settings: Any) -> timing.Measured:
    """A score of one large case; its baseline is `json.loads` of a fixed text."""
    ours = timing.cpu(lambda: callscore.score(*sides, **settings))
    return timing.compare(ours, timing.cpu(calibrate), rounds, scale=1.0)


_TEXT = json.dumps(list(data.make_cases(2_000, data.SUITE)))


def calibrate() -> None:
    """What any machine takes some milliseconds for: times are committed as multiples of this."""
    for _ in range(10):
        json.loads(_TEXT)


def unequal_calls(count: int, tools: int) -> _Sides:
    """That many calls a side, none of which is equal to one of the other side."""
    random = Random(1)

    def call(side: int) -> data.Call:
        a, b, c = (random.randrange(14) for _ in range(3))
        arguments = {"a": a, "b": b, "c": c, "side": side}
        return {"name": f"tool_{random.randrange(tools)}", "arguments": arguments}

    return [call(0) for _ in range(count)], [call(1) for _ in range(count)]


def memory_growth(count: int) -> timing.Measured:
    """The memory of a case in terms of that of one with a third of its calls."""
    peaks = []
    for calls in (count, count // 3):
        sides = unequal_calls(calls, tools=1)
        tracemalloc.start()
        callscore.score(*sides, order="in_order")
        peaks.append(float(tracemalloc.get_traced_memory()[1]))
        tracemalloc.stop()
    return timing.measure(peaks[:1], peaks[1:])


def regular_expressions(count: int) -> tuple[Sequence[Any], list[data.Call]]:
    """Rules that hardly accept a value, each of them several times, and as many values."""
    random = Random(7)
    expected = [
        {"name": "tool", "arguments": {"q": {"$regex": f"^value \\d*{rule}x|q{rule}$"}}}
        for rule in (number % DISTINCT_RULES for number in range(count))
    ]
    actual: list[data.Call] = [
        {"name": "tool", "arguments": {"q": f"value {number} {random.getrandbits(40):x}"}}
        for number in range(count)
    ]
    return expect.from_json(expected), actual


def flexible(count: int, rounds: int) -> timing.Measured:
    """The best pairing of near misses, against only counting what all pairs have in common."""
    found = [_flexible(data.unequal_calls(count, values), rounds) for values in VALUES]
    return max(found, key=lambda one: one.ratio)


def _flexible(sides: _Sides, rounds: int) -> timing.Measured:
    ours = timing.cpu(lambda: callscore.score(*sides, mode="flexible"))
    theirs = timing.cpu(lambda: _count_equal_arguments(*sides))
    return timing.compare(ours, theirs, rounds)


def _count_equal_arguments(expected: list[data.Call], actual: list[data.Call]) -> int:
    equal = 0
    for one in expected:
        for other in actual:
            arguments = other["arguments"]
            for name, value in one["arguments"].items():
                if name in arguments and arguments[name] == value:
                    equal += 1
    return equal


def shuffled(count: int, rounds: int) -> timing.Measured:
    """Ten times as many equal calls in one case, in another order."""
    many, few = data.shuffled_calls(10 * count), data.shuffled_calls(count)
    ours = timing.cpu(lambda: callscore.score(*many))
    return timing.compare(ours, timing.cpu(lambda: callscore.score(*few)), rounds)
