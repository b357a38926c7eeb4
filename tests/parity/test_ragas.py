"""Ragas."""

from __future__ import annotations

from typing import Any

import pytest
from tests.parity.configurations.ragas import measure_for

from callscore import NotScorable, ToolCall
from callscore.parity import ragas

TOO_LONG = 10**5000


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_nothing_expected_and_nothing_done_is_right_for_accuracy_and_wrong_for_f1() -> None:
    assert ragas.tool_call_accuracy([], []) == 1.0
    assert ragas.tool_call_f1([], []) == 0.0


def test_one_empty_side_scores_nothing() -> None:
    assert ragas.tool_call_accuracy([f()], []) == 0.0
    assert ragas.tool_call_accuracy([], [f()], strict_order=False) == 0.0
    assert ragas.tool_call_f1([f()], []) == 0.0


def test_one_call_too_many_or_too_few_makes_all_others_worth_nothing() -> None:
    assert ragas.tool_call_accuracy([f(a=1), f(a=2)], [f(a=1)]) == 0.0
    assert ragas.tool_call_accuracy([f(a=1)], [f(a=1), g()], strict_order=False) == 0.0


def test_order_matters_unless_it_is_not_strict() -> None:
    assert ragas.tool_call_accuracy([f(a=1), g()], [g(), f(a=1)]) == 0.0
    assert ragas.tool_call_accuracy([f(a=1), g()], [g(), f(a=1)], strict_order=False) == 1.0


def test_any_order_sorts_by_the_text_of_the_arguments_and_pairs_nothing() -> None:
    assert ragas.tool_call_accuracy([f(a=1), f(a=2)], [f(a=2), f(a=3)], strict_order=False) == 0.0
    # As text, 10 comes before 9.
    assert ragas.tool_call_accuracy([f(a=9), f(a=10)], [f(a=9), f(a=5)], strict_order=False) == 0.5


def test_arguments_beyond_the_expected_ones_are_free_unless_none_is_expected() -> None:
    assert ragas.tool_call_accuracy([f(a=1)], [f(a=1, b=2)]) == 1.0
    assert ragas.tool_call_accuracy([f()], [f(b=2)]) == 0.0
    assert ragas.tool_call_accuracy([f()], [f()]) == 1.0


def test_a_missing_argument_costs_its_share() -> None:
    assert ragas.tool_call_accuracy([f(a=1, b=2, c=3)], [f(a=1, c=3)]) == 2 / 3


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        (1, "1", 1.0),
        (None, "None", 1.0),
        (float("nan"), float("nan"), 1.0),
        (1, 1.0, 0.0),
        (True, 1, 0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 0.0),
    ],
)
def test_values_are_compared_as_text(expected: Any, actual: Any, score: float) -> None:
    assert ragas.tool_call_accuracy([f(a=expected)], [f(a=actual)]) == score


def test_arguments_can_be_compared_by_another_metric() -> None:
    expected, actual = [f(a="kitten", b="x")], [f(a="a kitten", b=["x"])]

    def score(metric: Any) -> float:
        return ragas.tool_call_accuracy(expected, actual, arg_comparison_metric=metric)

    assert score(ragas.exact_match) == 0.0
    assert score(ragas.string_presence) == 1.0
    assert score(ragas.string_similarity) == (0.75 + 0.19999999999999996) / 2


def test_the_other_metric_is_given_the_expected_text_first() -> None:
    seen: list[tuple[str, str]] = []

    def note(expected: str, actual: str) -> float:
        seen.append((expected, actual))
        return float("nan")

    score = ragas.tool_call_accuracy([f(a=1), g()], [f(a=2.0)], arg_comparison_metric=note)

    assert seen == [("1", "2.0")]
    assert score != score  # noqa: PLR0124  (it is not a number, although the calls do not align)


@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("levenshtein", 0.5714285714285714),
        ("hamming", 0.2857142857142857),
        ("jaro", 0.8968253968253969),
        ("jaro_winkler", 0.9071428571428571),
    ],
)
def test_similarity_knows_four_distances(measure: Any, score: float) -> None:
    assert ragas.string_similarity("martha", "mmarhta", distance_measure=measure) == score


def test_a_number_too_long_to_be_written_is_an_error_where_it_is_compared() -> None:
    with pytest.raises(NotScorable, match="as text"):
        ragas.tool_call_accuracy([f(a=TOO_LONG)], [f(a=1)])
    assert ragas.tool_call_accuracy([f(b=1)], [f(a=TOO_LONG)]) == 0.0
    with pytest.raises(NotScorable, match="as text"):
        ragas.tool_call_accuracy([f(b=1)], [f(a=TOO_LONG)], strict_order=False)


def test_such_a_number_is_an_error_even_where_other_calls_do_not_align() -> None:
    with pytest.raises(NotScorable, match="as text"):
        ragas.tool_call_accuracy([f(a=TOO_LONG), f()], [f(a=TOO_LONG), g()])


def test_values_that_are_too_deep_are_an_error() -> None:
    with pytest.raises(NotScorable, match="too deep"):
        ragas.tool_call_accuracy([f(a=deep(100_000))], [f(a=1)])
    with pytest.raises(NotScorable, match="hash"):
        ragas.tool_call_f1([f(a=deep(100_000))], [f(a=1)])


def test_a_call_without_arguments_is_an_error() -> None:
    bare = {"name": "f"}

    for metric in ragas.METRICS:
        with pytest.raises(NotScorable, match="without arguments"):
            metric([bare], [])


def test_repeated_calls_cost_f1_nothing() -> None:
    assert ragas.tool_call_f1([f(a=1)], [f(a=1), f(a=1)]) == 1.0
    assert ragas.tool_call_f1([f(a=1), f(a=1)], [f(a=1)]) == 1.0


def test_f1_is_rounded_and_knows_no_half_right_call() -> None:
    assert ragas.tool_call_f1([f(a=1)], [f(a=1), g()]) == 0.6667
    assert ragas.tool_call_f1([f(a=1, b=2)], [f(a=1, b=3)]) == 0.0


def test_f1_takes_values_for_equal_that_python_takes_for_equal() -> None:
    value = {"x": [1, {"y": True}], "z": None}
    same = {"z": None, "x": [1.0, {"y": 1}]}

    assert ragas.tool_call_f1([f(a=value)], [f(a=same)]) == 1.0
    assert ragas.tool_call_f1([f(a=value)], [f(a={"z": None, "x": [{"y": 1}, 1]})]) == 0.0
    assert ragas.tool_call_f1([f(a=[])], [f(a={})]) == 0.0


def test_a_value_that_has_no_hash_is_an_error() -> None:
    with pytest.raises(NotScorable, match="hash"):
        ragas.tool_call_f1([f(a=bytearray())], [])


def test_calls_may_be_tool_calls() -> None:
    call = ToolCall("f", {"a": 1}, id="7")

    assert ragas.tool_call_accuracy([f(a=1)], [call]) == 1.0
    assert ragas.tool_call_f1([f(a=1)], [call]) == 1.0


def test_configurations_are_read() -> None:
    swapped = [f(a=1), g()], [g(), f(a="1")]

    def answer(name: str) -> Any:
        measure = measure_for(name)
        return measure and measure(*swapped)

    assert answer("legacy.ToolCallAccuracy") == 0.0
    assert answer("legacy.ToolCallAccuracy(strict_order=False)") == 1.0
    assert (
        answer("legacy.ToolCallAccuracy(arg_comparison_metric=ExactMatch, strict_order=False)")
        == 1.0
    )
    assert answer("collections.ToolCallF1") == 0.5
    for unknown in ("legacy.AspectCritic", "ToolCallF1", "legacy.ToolCallF1(x=1)"):
        assert measure_for(unknown) is None
    for unknown in ("strict_order=maybe", "arg_comparison_metric=RougeScore", "x=1"):
        assert measure_for(f"legacy.ToolCallAccuracy({unknown})") is None
