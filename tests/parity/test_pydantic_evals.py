"""Pydantic Evals."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, NotScorable, ToolCall
from callscore.parity import pydantic_evals

NAN = float("nan")


def calls(names: str) -> list[ToolCall]:
    return [ToolCall(name, {}) for name in names]


def call(**arguments: Any) -> ToolCall:
    return ToolCall("x", arguments)


def test_exact_is_all_or_nothing() -> None:
    assert pydantic_evals.trajectory_match(calls("ab"), calls("ab"), order="exact") == 1.0
    assert pydantic_evals.trajectory_match(calls("ab"), calls("ba"), order="exact") == 0.0


def test_in_order_is_the_f1_of_the_longest_common_subsequence() -> None:
    assert pydantic_evals.trajectory_match(calls("ab"), calls("ba")) == 0.5
    assert pydantic_evals.trajectory_match(calls("aba"), calls("aab")) == 0.6666666666666666
    assert pydantic_evals.trajectory_match(calls("abcd"), calls("xaxbxdx")) == 0.5454545454545454
    assert pydantic_evals.trajectory_match(calls("a"), calls("b")) == 0.0


def test_any_order_is_the_f1_of_the_common_multiset() -> None:
    assert pydantic_evals.trajectory_match(calls("ab"), calls("ba"), order="any_order") == 1.0
    assert pydantic_evals.trajectory_match(calls("aab"), calls("abb"), order="any_order") == (
        0.6666666666666666
    )
    assert pydantic_evals.trajectory_match(calls("a"), calls("b"), order="any_order") == 0.0


@pytest.mark.parametrize("order", ["exact", "in_order", "any_order"])
def test_nothing_matches_nothing_and_nothing_else(order: pydantic_evals.Order) -> None:
    assert pydantic_evals.trajectory_match([], [], order=order) == 1.0
    assert pydantic_evals.trajectory_match(calls("a"), [], order=order) == 0.0
    assert pydantic_evals.trajectory_match([], calls("a"), order=order) == 0.0


def test_the_common_subsequence_is_that_of_the_usual_table() -> None:
    random = Random(5)
    for _ in range(50):
        wanted = "".join(random.choices("abc", k=random.randrange(1, 90)))
        made = "".join(random.choices("abcd", k=random.randrange(1, 90)))
        row = [0] * (len(made) + 1)
        for name in wanted:
            above = row.copy()
            for place, other in enumerate(made):
                row[place + 1] = (
                    above[place] + 1 if name == other else max(above[place + 1], row[place])
                )
        precision, recall = row[-1] / len(made), row[-1] / len(wanted)
        f1 = 2 * precision * recall / (precision + recall) if row[-1] else 0.0
        assert pydantic_evals.trajectory_match(calls(wanted), calls(made)) == f1


def test_arguments_count_for_nothing_in_a_trajectory() -> None:
    assert pydantic_evals.trajectory_match([call(a=1)], [call(a=2)]) == 1.0
    assert pydantic_evals.tool_correctness([call(a=1)], [call(a=2)]) is True


def test_tools_are_a_multiset() -> None:
    assert pydantic_evals.tool_correctness(calls("aab"), calls("aba")) is True
    assert pydantic_evals.tool_correctness(calls("aab"), calls("abb")) is False
    assert pydantic_evals.tool_correctness(calls("a"), calls("aa")) is False
    assert pydantic_evals.tool_correctness([], []) is True


def test_extra_tools_can_be_allowed_but_missing_ones_cannot() -> None:
    assert pydantic_evals.tool_correctness(calls("ab"), calls("cbaa"), allow_extra=True) is True
    assert pydantic_evals.tool_correctness(calls("aa"), calls("ab"), allow_extra=True) is False


def test_a_call_that_failed_is_left_out_unless_asked_for() -> None:
    made = [ToolCall("x", {"a": 1}, failed=True), ToolCall("x", {"a": 2}, failed=False)]

    assert pydantic_evals.trajectory_match(calls("x"), made) == 1.0
    assert pydantic_evals.trajectory_match(calls("xx"), made, include_failed=True) == 1.0
    assert pydantic_evals.tool_correctness(calls("x"), made) is True
    assert pydantic_evals.tool_correctness(calls("x"), made, include_failed=True) is False
    assert pydantic_evals.argument_correctness(call(a=2), made) is True
    assert pydantic_evals.argument_correctness(call(a=2), made, include_failed=True) is False
    assert pydantic_evals.argument_correctness_by_call([call(a=2)], made) == (True,)
    assert pydantic_evals.argument_correctness_by_call(
        [call(a=1), call(a=2)], made, include_failed=True
    ) == (True, True)


def test_one_of_several_calls_is_looked_at() -> None:
    made = [call(a=1), ToolCall("y", {"a": 9}), call(a=2), call(a=3)]

    assert pydantic_evals.argument_correctness(call(a=1), made) is True
    assert pydantic_evals.argument_correctness(call(a=3), made, occurrence="last") is True
    assert pydantic_evals.argument_correctness(call(a=2), made, occurrence=1) is True
    assert pydantic_evals.argument_correctness(call(a=1), made, occurrence=1) is False
    assert pydantic_evals.argument_correctness(call(a=3), made, occurrence=3) is False
    assert pydantic_evals.argument_correctness(call(a=3), made, occurrence=-1) is False
    assert pydantic_evals.argument_correctness(ToolCall("z", {}), made) is False
    assert pydantic_evals.argument_correctness(ToolCall("z", {}), made, occurrence="last") is False


def test_each_expected_call_meets_the_call_of_its_tool_with_the_same_number() -> None:
    expected = [call(a=1), ToolCall("y", {}), call(a=2), call(a=3)]
    made = [ToolCall("y", {"b": 0}), call(a=1), call(a=3)]

    assert pydantic_evals.argument_correctness_by_call(expected, made) == (
        *(True, True, False, False),
    )
    assert pydantic_evals.argument_correctness_by_call(expected, made, match_mode="exact") == (
        *(True, False, False, False),
    )
    assert pydantic_evals.argument_correctness_by_call([], made) == ()


def test_a_subset_is_one_of_the_arguments_and_not_of_what_is_in_them() -> None:
    assert pydantic_evals.argument_correctness(call(a=1), [call(a=True, b=2)]) is True
    assert pydantic_evals.argument_correctness(call(a=1), [call(b=2)]) is False
    assert pydantic_evals.argument_correctness(call(a={}), [call(a={"b": 1})]) is False
    assert (
        pydantic_evals.argument_correctness(call(a=1), [call(a=1, b=2)], match_mode="exact")
        is False
    )
    assert pydantic_evals.argument_correctness(call(a=1), [call(a=1.0)], match_mode="exact") is True


def test_nan_is_not_even_itself() -> None:
    assert pydantic_evals.argument_correctness(call(a=NAN), [call(a=NAN)]) is False


def test_arguments_that_were_not_recorded_are_wrong() -> None:
    assert pydantic_evals.argument_correctness(call(), [ToolCall("x")]) is False
    assert pydantic_evals.argument_correctness(ToolCall("x"), [ToolCall("x")]) is False


def test_without_expected_arguments_there_is_nothing_to_compare() -> None:
    assert pydantic_evals.argument_correctness(ToolCall("x"), []) is False
    with pytest.raises(NotScorable, match="no arguments"):
        pydantic_evals.argument_correctness(ToolCall("x"), [call()])
    with pytest.raises(NotScorable, match="no arguments"):
        pydantic_evals.argument_correctness_by_call([{"name": "x"}], [call()])


def test_values_that_are_nested_too_deep_are_an_error() -> None:
    with pytest.raises(NotScorable, match="too deep"):
        pydantic_evals.argument_correctness(call(a=nested()), [call(a=nested())])


def test_words_that_do_not_exist_are_named() -> None:
    with pytest.raises(InvalidSettings, match="exact, in_order, any_order"):
        pydantic_evals.trajectory_match([], [], order="same")  # type: ignore[arg-type]  # the mistake
    with pytest.raises(InvalidSettings, match="subset, exact"):
        pydantic_evals.argument_correctness(call(), [], match_mode="all")  # type: ignore[arg-type]  # the mistake
