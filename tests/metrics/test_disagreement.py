"""What metrics say of a case, and what of its faults each of them sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Forbidden
from callscore.core.results import CaseScore
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
EXACT = metric(lambda e, a: float(list(e) == list(a)), "exact")
NAMES = metric(lambda e, a: float({c.name for c in e} <= {c.name for c in a}), "names")
ONE = metric(lambda *_: 1.0, "one")
ZERO = metric(lambda *_: 0.0, "zero")


def about(
    expected: Sequence[Expected], actual: Sequence[ToolCall], *metrics: Metric, tools: Any = None
) -> Disagreement:
    score = score_calls(tuple(expected), tuple(actual), DEFAULT)
    return disagreement_about(CaseScore(id="case", score=score), metrics, tools)


def test_the_spread_is_from_the_least_number_to_the_greatest() -> None:
    found = about([A, B], [A], ONE, OWN, ZERO)

    assert (found.spread, found.faults) == (1.0, ("missed",))
    assert [opinion.value for opinion in found.opinions] == [1.0, 2 / 3, 0.0]
    assert found.variance is not None
    assert round(found.variance, 9) == round((16 / 81 + 1 / 81 + 25 / 81) / 3, 9)


def test_what_changes_the_number_is_seen_and_what_does_not_is_not() -> None:
    own_opinion, names = about([A, B], [B, A, X], OWN, NAMES).opinions

    assert own_opinion.effects == (
        Effect("order", "blind", 0.0),
        Effect("extra", "seen", 1.0 - 0.8),
    )
    assert names.effects == (Effect("order", "blind", 0.0), Effect("extra", "blind", 0.0))
    assert own_opinion.perfect == 1.0


def test_a_repair_may_cost_something() -> None:
    busy = metric(lambda _, a: min(len(a) / 4, 1.0), "busy")

    _, opinion = about([A], [A, X], OWN, busy).opinions

    assert opinion.effects == (Effect("extra", "seen", -0.25),)


def test_a_fault_that_other_faults_hide_is_masked_and_not_overlooked() -> None:
    exact, _ = about([A, B], [B, A, X], EXACT, OWN).opinions

    assert exact.effects == (Effect("order", "masked", 0.0), Effect("extra", "masked", 0.0))
    assert (exact.together, exact.needed) == (1.0, ("order", "extra"))


def test_a_call_that_is_made_twice_is_one_fault_and_not_two() -> None:
    exact, own_opinion = about([F, B], [OTHER, B, B], EXACT, OWN).opinions

    assert exact.effects == (Effect("extra", "masked", 0.0), Effect("arguments", "masked", 0.0))
    assert [effect.kind for effect in own_opinion.effects] == ["extra", "arguments"]


def test_where_other_repairs_take_a_fault_with_them_nothing_is_known_of_it() -> None:
    first, other = ToolCall("f", {"a": 1.0}), ToolCall("g", {"a": 1})
    exact, _ = about([first, other, F], [ToolCall("g", {"a": 3}), OTHER], EXACT, OWN).opinions

    assert [effect.kind for effect in exact.effects] == ["order", "missed", "arguments"]
    # All others repaired, the two calls of f are the same but for how 1 is written.
    assert exact.effects[0] == Effect("order", "unknown", 0.0)


def test_what_does_not_help_is_not_needed() -> None:
    unordered = metric(
        lambda e, a: float(sorted(map(repr, e)) == sorted(map(repr, a))), "unordered"
    )
    found, _ = about([F, B], [B, OTHER, X], unordered, OWN).opinions

    assert [effect.sight for effect in found.effects] == ["blind", "masked", "masked"]
    assert found.needed == ("extra", "arguments")


def test_a_full_number_does_not_make_a_metric_blind() -> None:
    lenient = metric(lambda e, a: float(len(a) > len(e) or list(e) == list(a)), "lenient")
    found, _ = about([A, B], [B, A, X], lenient, OWN).opinions

    assert found.value == 1.0
    assert found.effects == (Effect("order", "masked", 0.0), Effect("extra", "seen", -1.0))


def test_repeats_are_judged_where_nothing_else_is_wrong() -> None:
    own_opinion, _ = about([F, F, B], [F, F], OWN, EXACT).opinions

    assert own_opinion.effects[-1] == Effect("repeats", "blind", 0.0)


def test_a_wrong_call_that_is_made_twice_is_no_repeat() -> None:
    own_opinion, _ = about([F, F, B], [OTHER, OTHER, B], OWN, EXACT).opinions

    assert [effect.kind for effect in own_opinion.effects] == ["arguments"]


def test_where_one_repair_is_enough_not_all_are_needed() -> None:
    exact, _ = about([A], [A, X], EXACT, OWN).opinions

    assert exact.effects == (Effect("extra", "seen", 1.0),)
    assert exact.needed == ()


def test_a_number_that_never_changes_needs_nothing() -> None:
    zero, _ = about([A], [A, X], ZERO, OWN).opinions

    assert (zero.together, zero.needed, zero.perfect) == (0.0, (), 0.0)


def test_a_number_that_is_0_even_where_all_is_right_tells_nothing() -> None:
    zero, _ = about([A], [A, X], ZERO, OWN).opinions

    assert zero.effects == (Effect("extra", "unknown", 0.0),)


def test_what_has_no_number_without_a_fault_is_unknown() -> None:
    def wants_a_call(_: Any, actual: Any) -> float:
        if not actual:
            raise NotScorable("there is none.")
        return 0.5

    _, opinion = about([], [X], OWN, metric(wants_a_call)).opinions

    assert opinion == MetricOpinion("it", 0.5, effects=(Effect("extra", "unknown"),))


def test_what_has_no_number_with_one_fault_alone_is_unknown() -> None:
    def wants_two(_: Any, actual: Any) -> float:
        if len(actual) < 2:
            raise NotScorable("there is one.")
        return 0.5

    _, opinion = about([F, B], [OTHER, X], OWN, metric(wants_two)).opinions

    by_kind = {effect.kind: effect.sight for effect in opinion.effects}
    assert by_kind == {"extra": "unknown", "missed": "unknown", "arguments": "blind"}


def test_a_perfect_case_has_nothing_to_repair() -> None:
    found = about([], [], OWN, ZERO)

    assert (found.faults, found.spread) == ((), 1.0)
    assert found.opinions[1] == MetricOpinion("zero", 0.0, perfect=0.0, together=0.0)


def test_a_number_below_1_may_remain_where_every_call_is_as_expected() -> None:
    as_sets = metric(lambda e, _: len({c.name for c in e}) / len(e), "sets")

    _, opinion = about([A, A], [A, A], OWN, as_sets).opinions

    assert opinion.perfect == 0.5
    assert opinion.effects == (Effect("repeats", "seen", 0.5),)


def test_it_takes_two_to_disagree() -> None:
    def breaks(*_: Any) -> float:
        raise NotScorable("not this one.")

    found = about([A], [], OWN, metric(breaks))

    assert (found.spread, found.variance, found.faults) == (None, None, ())
    assert found.opinions == (MetricOpinion("own", 0.0), MetricOpinion("it", None, "not this one."))


def test_one_without_a_number_says_why_among_the_others() -> None:
    def breaks(*_: Any) -> float:
        raise NotScorable("not this one.")

    found = about([A], [], OWN, ONE, metric(breaks))

    assert found.opinions[2] == MetricOpinion("it", None, "not this one.")


def test_what_other_tools_have_no_word_for_is_compared_with_nobody() -> None:
    knows = Metric("knows", f1, {}, knows_rules=True)
    found = about([A, Forbidden("x")], [A], OWN, ONE, knows, structs.replace(knows, name="too"))

    assert found.spread is None
    assert {opinion.reason for opinion in found.opinions} == {
        "the expectation contains groups, which other tools do not support."
    }


def test_the_definitions_of_the_tools_are_handed_on() -> None:
    asked = []

    def notes(*_: Any, tools: Any) -> float:
        asked.append(tools)
        return 0.0

    tools = {"a": Tool("a")}
    about([A], [], OWN, Metric("it", notes, {}, takes_tools=True), tools=tools)

    assert all(given is tools for given in asked)
    assert len(asked) > 1
