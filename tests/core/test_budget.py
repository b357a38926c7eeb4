"""One budget of work per case, and that nothing works without drawing from it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core import budget as module
from callscore.core.budget import Budget, OverBudget
from callscore.core.settings import settings_from
from callscore.engines.local import score_cases
from callscore.errors import UnreadableInput
from callscore.formats.cases import read_case

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_budget_remembers_no_more_answers_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_REMEMBERED", 0)
    budget, numbers, value = Budget(), iter(range(9)), [1]

    assert [budget.once("a", lambda: next(numbers)) for _ in range(2)] == [0, 1]
    assert [budget.about(value, lambda _: next(numbers)) for _ in range(2)] == [2, 3]
    assert [budget.verdict(value, 1, lambda: next(numbers)) for _ in range(2)] == [4, 5]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A clock that the test moves: the time that passes, and that of this thread."""
    times = {"all": 0.0, "own": 0.0}
    monkeypatch.setattr(module, "perf_counter", lambda: times["all"])
    monkeypatch.setattr(module, "thread_time", lambda: times["own"])
    return times


def test_all_searches_share_their_time(clock: dict[str, float]) -> None:
    budget, given = Budget(), []

    def search(seconds: float) -> bool:
        given.append(seconds)
        clock["all"] += 0.4
        clock["own"] += 0.4
        return True

    assert budget.search(0, "$regex", search)
    assert budget.search(0, "$regex", search)
    with pytest.raises(OverBudget, match="1 s for searches"):
        budget.search(0, "$regex", search)
    assert given == [1, pytest.approx(0.6), pytest.approx(0.2)]


def test_time_that_other_processes_used_does_not_count(clock: dict[str, float]) -> None:
    budget = Budget()

    def search(_seconds: float) -> bool:
        clock["all"] += 5.0
        clock["own"] += 0.01
        return True

    assert [budget.search(0, "$regex", search) for _ in range(9)] == [True] * 9


@pytest.mark.parametrize("error", [TimeoutError, MemoryError])
def test_a_search_that_is_given_up_refuses_the_case(error: type[Exception]) -> None:
    def search(_seconds: float) -> None:
        raise error

    with pytest.raises(OverBudget, match=r"'\$regex'. Simplify the regular expression"):
        Budget().search(0, "$regex", search)


@pytest.mark.parametrize(
    ("expected", "actual", "advice"),
    [
        (
            [{"name": "f", "arguments": {"a": {"$contains": f"item {i}"}}} for i in range(200)],
            [{"name": "f", "arguments": {"a": f"item {i}"}} for i in range(100)],
            r"Use fewer calls per case than 200 expected and 100 actual\.",
        ),
        (
            [{"any_order": [{"name": "f", "arguments": {"a": i}}] * 2} for i in range(150)],
            [{"name": "f", "arguments": {"a": i}} for i in range(100)],
            r"Use fewer calls per case than 150 expected and 100 actual",
        ),
        (
            [{"name": "f", "arguments": {"a": [{"$contains": f"x{i}"} for i in range(99)]}}],
            [{"name": "f", "arguments": {"a": [f"y{i}" for i in range(99)]}}],
            r"Use fewer or shorter arrays, or compare their items in order\.",
        ),
    ],
)
def test_a_refusal_knows_what_makes_the_case_large(
    monkeypatch: pytest.MonkeyPatch, expected: Any, actual: Any, advice: str
) -> None:
    monkeypatch.setattr(Budget.__init__, "__defaults__", (500,))

    with pytest.raises(UnreadableInput, match=advice):
        score_cases(
            [{"id": "large", "expected": expected, "actual": actual}],
            settings=settings_from({"arrays": "unordered"}),
        )


def test_a_refusal_names_the_case_and_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget.__init__, "__defaults__", (50,))
    case = {
        "id": "refund",
        "expected": [{"name": "f", "arguments": {"a": {"$unordered": [{"$gt": 1}] * 9}}}],
        "actual": [{"name": "f", "arguments": {"a": [2] * 9}}],
    }

    with pytest.raises(UnreadableInput, match=r"cases\[0\]: case 'refund': .*'\$unordered'"):
        score_cases([case])


# --- nothing works without drawing from the budget ----------------------------------------------
#
# Worst cases, small, with a budget that is smaller still. How much is done is measured by what is
# called, which is the same on every machine: a part that does not draw from the budget shows.

_STEPS = 20_000
_CALLS_PER_STEP = 3
_CALLS_BESIDE = 100_000  # to read and prepare the case, and to write the score


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


RULES: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "plain": (lambda i: i, lambda i: -i),
    "regex": (lambda i: {"$regex": f"^a{i}.*z$"}, lambda i: f"a{i + 1}bcz"),
    "contains": (lambda i: {"$contains": "a" * 60 + str(i)}, lambda i: "a" * 99 + str(-i)),
    "text": (lambda i: {"$text": f"b c {i}"}, lambda i: f"B, c! {-i}"),
    "similar": (
        lambda i: {"$text": "abcdefghij" * 9 + str(i), "similarity": 0.9},
        lambda i: "abdcefgijh" * 9 + str(i),
    ),
    "date": (lambda i: {"$date": f"2024-01-15T10:00:00.{i:06}"}, lambda i: f"2024-01-15 {i}"),
    "approx": (lambda i: {"$approx": i + 0.5}, lambda i: -i - 0.25),
    "bounds": (lambda i: {"$gt": i}, lambda i: i),
    "type": (lambda _: {"$type": "string"}, lambda i: i),
    "schema": (lambda i: {"$schema": {"minimum": i % 9}}, lambda i: -i),
    "subset": (lambda i: {"$subset": {"a": i}}, lambda i: {"a": -i, "b": 1}),
    "optional": (lambda i: {"$optional": i}, lambda i: -i),
    "one_of": (lambda i: {"$one_of": [i, i + 1, i + 2]}, lambda i: -i),
    "unordered": (lambda i: {"$unordered": [{"$gt": i}, i]}, lambda i: [-i, i]),
    "nested": (lambda i: [[i, 1], [[i], 2]], lambda i: [[2, [-i]], [1, i]]),
}
SHAPES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "calls": lambda rules: [f(a=rule) for rule in rules],
    "two arguments": lambda rules: [f(a=rule, b=n % 3) for n, rule in enumerate(rules)],
    "one array": lambda rules: [f(a={"$unordered": rules})],
    "alternatives": lambda rules: [f(a={"$one_of": rules})],
    "any_order": lambda rules: [{"any_order": [f(a=rule) for rule in rules]}, f(a=1)],
    "in_order": lambda rules: [{"in_order": [f(a=rule), f(a=1)]} for rule in rules],
    "one_of": lambda rules: [
        {"one_of": [f(a=rule), {"in_order": [f(), f(a=1)]}]} for rule in rules
    ],
    "optional": lambda rules: [{"optional": {"any_order": [f(a=rule), f()]}} for rule in rules],
    "times": lambda rules: [f(a=rule) | {"times": {"min": 0, "max": 99}} for rule in rules],
}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"mode": "flexible", "order": "in_order"},
    {"arrays": "unordered", "nested_objects": "subset", "extra_arguments": "count"},
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_for_a_case_is_bounded_whatever_it_expects(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget.__init__, "__defaults__", (_STEPS,))
    most = _CALLS_PER_STEP * _STEPS + _CALLS_BESIDE
    too_much: list[Any] = []
    for name, (rule, value) in RULES.items():
        record = {
            "expected": SHAPES[shape]([rule(number) for number in range(50)]),
            "actual": [f(a=value(number), b=number % 5) for number in range(50)]
            + [f(a=[value(number) for number in range(50)])],
        }
        case = read_case(record, place="case")
        for options in SETTINGS:
            calls = _count_calls(case, settings_from(options))
            if calls > most:
                too_much.append((name, options, calls))

    assert too_much == []


def _count_calls(case: Any, settings: Any) -> int:
    """How many functions are called to score a case, and to say how it was scored."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    from callscore.api import score_case

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        score_case(case.expected, case.actual, settings)
    except OverBudget:
        pass
    finally:
        sys.setprofile(before)
    return calls
