"""What other tools say of the cases, added up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Case
from callscore.core.results import MetricResult, MetricValue, Noted
from callscore.core.totals import Column, ExactMean
from callscore.engines.columns import MetricColumns
from callscore.errors import NotScorable
from callscore.metrics.metric import Metric

F = ToolCall("f", {})


def share(expected: Any, actual: Any) -> float:
    if not expected:
        raise NotScorable("nothing is expected.")
    return min(len(actual) / len(expected), 1.0)


def test_each_metric_is_given_the_calls_of_a_case_as_they_are() -> None:
    columns = MetricColumns([Metric("a.share", share, {}), Metric("b.none", lambda *_: None, {})])

    values = columns.ask(Case(id="x", expected=(F, F), actual=(F,)), None)

    assert values == (
        MetricValue("a.share", 0.5),
        MetricValue("b.none", None, "the tool gives no number for such a case."),
    )


def test_the_mean_is_over_the_cases_that_have_a_number() -> None:
    columns = MetricColumns([Metric("a.share", share, {})])

    for expected, actual in (((F, F), (F,)), ((F,), (F,)), ((), (F,)), ((), ())):
        columns.ask(Case(id="x", expected=expected, actual=actual), None)

    assert columns.results() == (
        MetricResult("a.share", 0.75, 2, Noted(2, ("nothing is expected.",))),
    )


def test_without_a_number_there_is_no_mean() -> None:
    assert Column("a").metric("2") == MetricResult("a", None, 0, Noted(), "2")


def test_the_mean_does_not_depend_on_the_order_of_the_numbers() -> None:
    numbers = [0.1] * 10 + [1e15, 1 / 3, 5e-324, -1e15, 1.0, 0.7]
    found = set()
    for order in (numbers, numbers[::-1], sorted(numbers), sorted(numbers, key=abs)):
        mean = ExactMean()
        for number in order:
            mean.add(number)
        found.add(mean.value())

    assert found == {float(sum(map(Fraction, numbers)) / len(numbers))}


def test_a_number_that_is_always_the_same_is_its_own_mean() -> None:
    mean = ExactMean()
    for _ in range(1000):
        mean.add(0.1)

    assert (mean.value(), mean.count) == (0.1, 1000)
    assert ExactMean().value() is None


def test_of_many_reasons_the_first_are_kept() -> None:
    column = Column("a")

    for number in range(30):
        column.add(MetricValue("a", None, f"reason {number}"))

    noted = column.metric(None).not_scorable
    assert (noted.count, len(noted.names), noted.names[0]) == (30, 20, "reason 0")


def test_without_metrics_nothing_is_asked() -> None:
    columns = MetricColumns([])

    assert not columns
    assert columns.ask(Case(id="x", expected=(), actual=()), None) == ()
    assert columns.results() == ()


def test_the_definitions_of_the_tools_are_handed_on() -> None:
    known = Metric("a.known", lambda *_, tools: len(tools), {}, takes_tools=True)

    (value,) = MetricColumns([known]).ask(Case(id="x", expected=(), actual=()), {"f": Tool("f")})

    assert value.value == 1.0
