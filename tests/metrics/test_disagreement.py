"""What metrics say of a case, and what of its faults each of them sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import Result
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.errors import NotScorable
from callscore.metrics.disagreement import Effect, MetricOpinion, disagreement_about
from callscore.metrics.metric import Metric
from callscore.metrics.registry import f1

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.case import Expected
    from callscore.metrics.disagreement import Disagreement

A, B, X = (ToolCall(name, {}) for name in "abx")
F, OTHER = ToolCall("f", {"a": 1}), ToolCall("f", {"a": 2})


def metric(function: Callable[..., float | None], name: str = "it") -> Metric:
    return Metric(name, function, {})


OWN = metric(f1, "own")
NAMES = metric(lambda e, a: float({c.name for c in e} <= {c.name for c in a}), "names")
ONE = metric(lambda *_: 1.0, "one")
ZERO = metric(lambda *_: 0.0, "zero")


def about(
    expected: Sequence[Expected], actual: Sequence[ToolCall], *metrics: Metric, tools: Any = None
) -> Disagreement:
    score = score_calls(tuple(expected), tuple(actual), DEFAULT)
    return disagreement_about(Result(case=Case(id="case"), score=score), metrics, tools)


def test_the_spread_is_from_the_least_number_to_the_greatest() -> None:
    found = about([A, B], [A], ONE, OWN, ZERO)

    assert (found.spread, found.faults) == (1.0, ("missed",))
    assert [opinion.value for opinion in found.opinions] == [1.0, 2 / 3, 0.0]
    assert found.variance is not None
    assert round(found.variance, 9) == round((16 / 81 + 1 / 81 + 25 / 81) / 3, 9)


def test_a_metric_sees_a_fault_that_changes_its_number_and_is_blind_to_others() -> None:
    own_opinion, names = about([A, B], [B, A, X], OWN, NAMES).opinions

    assert own_opinion.effects == (
        Effect("order", "blind", 0.0),
        Effect("extra", "seen", 1.0 - 0.8),
    )
    assert names.effects == (Effect("order", "blind", 0.0), Effect("extra", "blind", 0.0))
    assert own_opinion.perfect == 1.0


def test_a_fault_whose_repair_leaves_a_metric_without_a_number_has_an_unknown_effect() -> None:
    def wants_a_call(_: Any, actual: Any) -> float:
        if not actual:
            raise NotScorable("there is none.")
        return 0.5

    _, opinion = about([], [X], OWN, metric(wants_a_call)).opinions

    assert opinion == MetricOpinion("it", 0.5, effects=(Effect("extra", "unknown"),))


def test_a_perfect_case_has_nothing_to_repair() -> None:
    found = about([], [], OWN, ZERO)

    assert (found.faults, found.spread) == ((), 1.0)
    assert found.opinions[1] == MetricOpinion("zero", 0.0, perfect=0.0, together=0.0)


def test_a_metric_without_a_number_says_why_among_the_others() -> None:
    def breaks(*_: Any) -> float:
        raise NotScorable("not this one.")

    found = about([A], [], OWN, ONE, metric(breaks))

    assert found.opinions[2] == MetricOpinion("it", None, "not this one.")
