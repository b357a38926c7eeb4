"""DeepEval."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from tests.parity.configurations.deepeval import measure_for

from callscore import NotScorable, ToolCall
from callscore.parity import deepeval

by_names = deepeval.tool_correctness
by_arguments = partial(deepeval.tool_correctness, input_parameters=True)
by_outputs = partial(deepeval.tool_correctness, output=True)

TOO_LONG = 10**5000


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


def gave(output: Any, name: str = "f") -> dict[str, Any]:
    return {"name": name, "arguments": {}, "output": output}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "order", [{}, {"should_consider_ordering": True}, {"should_exact_match": True}], ids=str
)
def test_where_nothing_is_expected_nothing_has_to_be_done(order: Any) -> None:
    assert by_names([], [], **order) == 1.0
    assert by_names([], [f()], **order) == 0.0
    assert by_names([f()], [], **order) == 0.0


def test_only_names_count_unless_more_is_asked_for() -> None:
    assert by_names([f(a=1), g()], [g(b=2), f(a=2)]) == 1.0
    assert by_arguments([f(a=1), g()], [g(), f(a=2)]) == 0.5


def test_calls_beyond_the_expected_ones_cost_nothing_unless_exact() -> None:
    assert by_names([f()], [g(), f(), g(a=1)]) == 1.0
    assert by_names([f()], [g(), f(), g(a=1)], should_consider_ordering=True) == 1.0
    assert by_names([f()], [f(), g()], should_exact_match=True) == 0.0


def test_the_same_call_twice_in_both_is_half() -> None:
    assert by_names([f(a=1), f(a=1)], [f(a=1), f(a=1)]) == 0.5
    assert by_names([f(a=1), f(a=1)], [f(a=1), f(a=1)], should_consider_ordering=True) == 1.0
    assert by_names([f(a=1), f(a=1)], [f(a=1), f(a=2)]) == 1.0


def test_calls_are_gone_that_equal_the_chosen_one_in_python() -> None:
    assert by_names([f(), f()], [f(a=1), f(a=True)]) == 0.5
    assert by_names([f(), f()], [f(), {"name": "f"}]) == 1.0
    assert by_names([f(), f()], [gave(1), gave(2)]) == 1.0


def test_an_output_that_does_not_equal_itself_takes_no_other_away() -> None:
    nan = float("nan")

    assert by_names([f(), f()], [gave(nan), gave(nan)]) == 1.0
    assert by_names([f(), f()], [gave([nan]), gave([nan])]) == 0.5


def test_expected_calls_choose_one_after_the_other() -> None:
    first, second = f(a=1, b=1, c=1), f(a=1, b=1, c=2)
    actual = [f(a=1, b=1, c=2), f(a=1, b=5, c=5)]

    assert by_arguments([first, second], actual) == 0.5
    assert by_arguments([second, first], actual) == 0.6666666666666666


def test_the_first_of_equally_good_calls_is_chosen() -> None:
    expected = [f(a=1, b=1), f(a=1, b=2)]

    assert by_arguments(expected, [f(a=1, b=2), f(a=1, b=3)]) == 0.5
    assert by_arguments(expected, [f(a=1, b=3), f(a=1, b=2)]) == 0.75


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ({"a": 1}, {"a": 1.0}, 1.0),
        ({"a": 1}, {"a": "1"}, 0.0),
        ({"a": 1}, {"a": 1, "b": 2}, 0.5),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, 1 / 3),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1, "y": 3}}, 0.5),
        ({"a": [1, 2]}, {"a": [1, 3]}, 0.0),
        ({}, {"a": 1}, 0.0),
        ({"a": float("nan")}, {"a": float("nan")}, 0.0),
    ],
)
def test_arguments_are_worth_the_share_of_keys_in_common(
    expected: dict[str, Any], actual: dict[str, Any], score: float
) -> None:
    assert by_arguments([f(**expected)], [f(**actual)]) == score
    assert by_arguments([f(**expected)], [f(**actual)], should_consider_ordering=True) == score
    assert by_arguments([f(**expected)], [f(**actual)], should_exact_match=True) == (score == 1)


def test_in_order_finds_the_best_way() -> None:
    assert by_names([f(), g()], [g(), f()], should_consider_ordering=True) == 0.5
    expected = [f(a=1, b=1), f(a=2, b=2)]
    assert by_arguments(expected, [f(a=2, b=2), f(a=1, b=1)], should_consider_ordering=True) == 0.5
    assert by_arguments(expected, [f(a=1, b=5), f(a=2, b=2)], should_consider_ordering=True) == 0.75


def test_in_order_adds_up_the_steps_and_not_the_shares() -> None:
    expected = [
        {"name": "f", "arguments": dict.fromkeys("abc", 1)},
        {"name": "g", "arguments": dict.fromkeys("ab", 1)},
        {"name": "h", "arguments": dict.fromkeys("abcdef", 1)},
    ]
    actual = [{**call, "arguments": {"a": 1}} for call in expected]

    assert by_arguments(expected, actual) == 0.3333333333333333
    assert by_arguments(expected, actual, should_consider_ordering=True) == 0.33333333333333326


def test_no_sum_of_shares_is_more_than_one() -> None:
    def nested(levels: int, last: int) -> dict[str, Any]:
        inner = nested(levels - 1, last) if levels else last
        return {**dict.fromkeys("abcdefgh", 0), "i": inner}

    # Nine times a ninth, added up, is more than one.
    assert by_arguments([f(**nested(20, 1))], [f(**nested(20, 2))]) == 1.0


def test_exact_wants_the_same_at_the_same_place() -> None:
    assert by_names([f(a=1), g()], [f(a=2), g()], should_exact_match=True) == 1.0
    assert by_names([f(), g()], [g(), f()], should_exact_match=True) == 0.0
    assert by_arguments([f(a=1), g()], [f(a=1), g()], should_exact_match=True) == 1.0
    assert by_outputs([gave(1)], [gave(1.0)], should_exact_match=True) == 1.0
    assert by_outputs([gave(1)], [gave(2)], should_exact_match=True) == 0.0


def test_exact_decides_alone_where_the_order_is_asked_for_too() -> None:
    both = partial(by_names, should_exact_match=True, should_consider_ordering=True)

    assert both([f()], [f(), g()]) == 0.0
    assert both([f(), g()], [f()]) == 0.0
    assert both([f(), g()], [f(), g()]) == 1.0


def test_another_output_makes_a_call_worth_nothing() -> None:
    both = partial(deepeval.tool_correctness, input_parameters=True, output=True)

    assert by_outputs([gave("x")], [gave("y"), gave("x")]) == 1.0
    assert by_outputs([gave("x")], [gave("y")], should_consider_ordering=True) == 0.0
    assert both([f(a=1) | {"output": {"x": 1}}], [f(a=1) | {"output": {"x": 1}}]) == 1.0
    assert both([f(a=1) | {"output": 1}], [f(a=1) | {"output": 2}]) == 0.0
    assert both([f(a=1) | {"output": 1}], [f(a=2) | {"output": 1}]) == 0.0


def test_an_output_may_be_called_a_result() -> None:
    done = ToolCall("f", {}, result="x")

    assert by_outputs([gave("x")], [done]) == 1.0
    assert by_outputs([gave("y")], [done]) == 0.0
    assert by_outputs([{"name": "f", "arguments": {}, "result": "x"}], [done]) == 1.0
    assert by_outputs([("f", {})], [("f", {})]) == 1.0  # of which no output is known


def test_strict_makes_everything_below_one_nothing() -> None:
    assert by_names([f(), g()], [f()], strict_mode=True) == 0.0
    assert by_names([f(), g()], [g(), f()], strict_mode=True) == 1.0


@pytest.mark.parametrize("order", [{}, {"should_consider_ordering": True}], ids=str)
def test_arguments_on_one_side_alone_are_an_error_where_they_are_compared(order: Any) -> None:
    bare = {"name": "f"}

    for sides in (([bare], [f()]), ([f(a=1)], [bare])):
        with pytest.raises(NotScorable, match="with one without"):
            by_arguments(*sides, **order)
        assert by_arguments(*sides, should_exact_match=True) == 0.0
        assert by_names(*sides, **order) == 1.0
    assert by_arguments([bare], [bare], **order) == 1.0
    assert by_arguments([bare], [g()], **order) == 0.0


@pytest.mark.parametrize("call", [f(a=[TOO_LONG]), gave(TOO_LONG), gave({"x": TOO_LONG})])
def test_what_cannot_be_written_is_an_error_even_where_only_names_count(call: Any) -> None:
    with pytest.raises(NotScorable, match="cannot be written"):
        by_names([call], [])
    with pytest.raises(NotScorable, match="cannot be written"):
        by_names([], [call])


def test_values_that_are_too_deep_are_an_error() -> None:
    with pytest.raises(NotScorable, match="recursion"):
        by_names([f(a=deep(100_000))], [f()])
    with pytest.raises(NotScorable, match="recursion"):
        by_names([gave(deep(100_000))], [f()])


def test_values_too_deep_to_be_compared_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nearly all of them are too deep to be written, and so do not get that far.
    monkeypatch.setattr(deepeval, "repr", lambda _: "", raising=False)

    with pytest.raises(NotScorable, match="nested too deeply"):
        by_arguments([f(a=deep(10_000))], [f(a=deep(10_000))])


def test_configurations_are_read() -> None:
    half = [f(a=1), g()], [g(), f(a=1, b=2)]

    def answer(name: str) -> Any:
        measure = measure_for(name)
        return measure and measure(*half)

    assert answer("names_unordered(default)") == 1.0
    assert answer("args_unordered") == 0.75
    assert answer("args_unordered(threshold=0.9)") == 0.75
    assert answer("args_unordered(threshold=0.9, strict_mode=True)") == 0.0
    assert answer("names_ordering") == 0.5
    assert answer("args+outputs_exact") == 0.0
    assert answer("names_unordered(strict)") == 1.0
    assert answer("args_unordered(should_consider_ordering=True)") == 0.5
    assert answer("names_exact(should_consider_ordering=True)") == 0.0
    for unknown in (
        *("names", "types_exact", "args+types_exact", "names_backwards"),
        *("names_exact(include_reason=True)", "names_exact(strict_mode=maybe)"),
    ):
        assert measure_for(unknown) is None
