"""What other tools say of the cases, added up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from callscore.core.call import ToolCall
from callscore.core.case import Case, Forbidden
from callscore.core.results import MetricResult, MetricValue, Noted
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.totals import Column, ExactMean
from callscore.engines.metric_disagreement import DisagreementCollector
from callscore.errors import NotScorable
from callscore.metrics.disagreement import Disagreements, VisibilityCounts
from callscore.metrics.metric import Metric
from callscore.metrics.registry import f1

F = ToolCall("f", {})


def share(expected: Any, actual: Any) -> float:
    if not expected:
        raise NotScorable("nothing is expected.")
    return min(len(actual) / len(expected), 1.0)


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


# How far metrics disagree about many cases.

A, B, X = (ToolCall(name, {}) for name in "abx")
OWN = Metric("own", f1, {})


def called(expected: Any, actual: Any) -> float:
    """Whether all expected tools were called at all."""
    if not expected:
        raise NotScorable("nothing is expected.")
    return float({call.name for call in expected} <= {call.name for call in actual})


CALLED = Metric("called", called, {})


def gathered(*cases: Case, max_shown: int = 5) -> Disagreements:
    collector = DisagreementCollector([OWN, CALLED], max_shown)
    for case in cases:
        score = score_calls(tuple(case.expected or ()), case.actual or (), DEFAULT)
        collector.take(case, score, None)
    return collector.results()


def case(name: str, expected: tuple[Any, ...], actual: tuple[ToolCall, ...]) -> Case:
    return Case(id=name, expected=expected, actual=actual)


def test_the_widest_disagreement_comes_first_and_then_the_earliest() -> None:
    found = gathered(
        case("one extra", (A,), (A, X)),
        case("right", (A,), (A,)),
        case("three extra", (A,), (A, X, X, X)),
        case("as wide", (A,), (A, X, X, X)),
    )

    assert [shown.case.id for shown in found.shown] == ["three extra", "as wide", "one extra"]
    assert (found.cases, found.agreed) == (4, 1)
    assert found.mean_spread is not None
    assert round(found.mean_spread, 9) == round((1 / 3 + 0 + 0.6 + 0.6) / 4, 9)


def test_only_the_widest_are_kept() -> None:
    cases = [case(str(number), (A,), (A, *[X] * number)) for number in (1, 5, 2, 4, 3)]

    assert [shown.case.id for shown in gathered(*cases, max_shown=2).shown] == ["5", "4"]
    assert gathered(*cases, max_shown=0).shown == ()


def test_how_often_each_metric_was_blind_is_counted() -> None:
    found = gathered(
        case("extra", (A,), (A, X)),
        case("both", (A, B), (A, X)),
        case("repeated", (A,), (A, A)),
    )

    own_sights, called_sights = found.sights
    assert found.faults == {"extra": 3, "missed": 1}
    assert own_sights["extra"] == VisibilityCounts(3, 0, 0)
    assert called_sights["extra"] == VisibilityCounts(3, 3, 0)
    assert called_sights["missed"] == VisibilityCounts(1, 0, 0)


def test_what_only_one_metric_can_score_is_not_compared() -> None:
    found = gathered(
        case("nothing", (), (X,)),
        case("again", (), ()),
        case("rules", (A, Forbidden("x")), (A,)),
    )

    assert (found.cases, found.mean_spread, found.shown) == (0, None, ())
    assert found.not_compared == Noted(
        3,
        (
            "nothing is expected.",
            "the expectation contains groups, which other tools do not support.",
        ),
    )
    assert found.metrics[0] == MetricResult("own")


def test_what_each_metric_says_of_all_compared_cases_is_added_up() -> None:
    found = gathered(case("right", (A,), (A,)), case("wrong", (A,), ()))

    assert found.metrics == (MetricResult("own", 0.5, 2), MetricResult("called", 0.5, 2))
