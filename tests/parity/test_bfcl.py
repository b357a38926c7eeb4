"""BFCL's check of calls against possible answers."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import ToolCall
from callscore.core.call import Tool
from callscore.errors import InvalidSettings, NotScorable
from callscore.metrics.metric import Metric
from callscore.parity.bfcl import METRICS, Check, ast_check, check, valid

WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "dict",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
ANSWER: dict[str, Any] = {"get_weather": {"city": ["Paris", "Paris, France"], "days": ["", 1]}}


def weather(**arguments: Any) -> dict[str, Any]:
    return {"name": "get_weather", "arguments": arguments}


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ([weather(city="Paris")], None),
        ([weather(city="paris France", days=1)], None),
        ([], "simple_function_checker:wrong_count"),
        ([weather(city="Paris")] * 2, "simple_function_checker:wrong_count"),
        ([{"name": "weather", "arguments": {}}], "simple_function_checker:wrong_func_name"),
        ([weather(days=1)], "simple_function_checker:missing_required"),
        ([weather(city="Paris", unit="C")], "simple_function_checker:unexpected_param"),
        ([weather(city="Rome")], "value_error:string"),
        ([weather(city="Paris", days=2)], "value_error:others"),
        ([weather(city="Paris", days=1.0)], "type_error:simple"),
        ([weather(city=["Paris"])], "type_error:simple"),
    ],
)
def test_a_call_is_checked_against_its_possible_answers(calls: Any, error: str | None) -> None:
    assert ast_check([WEATHER], calls, [ANSWER]) == Check(valid=error is None, error_type=error)


def test_a_parameter_that_may_not_be_left_out_has_to_be_there() -> None:
    answer = {"get_weather": {"city": ["Paris"], "days": [1]}}

    assert ast_check([WEATHER], [weather(city="Paris")], [answer]) == Check(
        valid=False, error_type="simple_function_checker:missing_optional"
    )


def test_a_parameter_without_answers_is_unexpected() -> None:
    answer: dict[str, Any] = {"get_weather": {"city": ["Paris"]}}

    found = ast_check([WEATHER], [weather(city="Paris", days=1)], [answer])

    assert found.error_type == "simple_function_checker:unexpected_param"


def test_simple_ignores_the_name_in_the_answer() -> None:
    answer = {"other": {"city": ["Paris"]}}

    assert ast_check([WEATHER], [weather(city="Paris")], [answer]).valid


def test_multiple_checks_the_first_call_alone() -> None:
    expected = [weather(city="Paris"), f(a=1)]
    actual = [weather(city="Paris"), f(a=2)]

    assert valid(expected, actual, test_category="multiple")
    assert not valid(expected, actual, test_category="parallel")
    assert check(expected, actual[:1], test_category="multiple") == Check(
        valid=False, error_type="multiple_function_checker:wrong_count"
    )


def test_parallel_takes_calls_in_any_order_but_all_of_them() -> None:
    expected = [weather(city="Paris"), f(a=1)]

    assert check(expected, expected[::-1]) == Check(valid=True)
    assert check(expected, [f(a=1)] * 2) == Check(
        valid=False, error_type="parallel_function_checker_no_order:cannot_find_match"
    )
    assert check(expected, [f(a=1)]) == Check(
        valid=False, error_type="parallel_function_checker_no_order:wrong_count"
    )


def test_parallel_is_greedy() -> None:
    document = {
        "name": "f",
        "parameters": {"properties": {"a": {"type": "integer"}}, "required": []},
    }
    answers = [{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}]

    assert ast_check([document], [f(a=2), f(a=1)], answers, test_category="parallel").valid
    assert not ast_check([document], [f(a=1), f(a=2)], answers, test_category="parallel").valid


def test_a_category_counts_as_the_word_in_it() -> None:
    both = [ANSWER, {"get_weather": {"city": ["Rome"]}}]
    calls = [weather(city="Rome"), weather(city="Paris")]

    assert ast_check([WEATHER], calls, both, test_category="live_parallel_multiple").valid
    assert not ast_check([WEATHER], calls, both, test_category="live_multiple").valid


def test_a_mixed_array_is_refused_unless_it_may_be_left_out() -> None:
    mixed = [f(v=[1, "1", None, True])]

    assert check(mixed, mixed).error_type == (
        "parallel_function_checker_no_order:cannot_find_match"
    )
    assert check(mixed, mixed, test_category="simple").error_type == "type_error:nested"
    assert valid(mixed, mixed, optional=True)


def test_nothing_inside_an_object_is_checked_for_its_type() -> None:
    assert valid([f(o={"a": 1})], [f(o={"a": 1.0})])
    assert not valid([f(a=1)], [f(a=1.0)])


def test_an_argument_of_one_call_is_required_of_all_calls_of_the_tool() -> None:
    expected = [f(a=1), f(a=1, b=2)]

    assert not valid(expected, expected)
    assert valid(expected, expected, optional=True)


def test_definitions_say_what_is_required_and_of_which_type() -> None:
    schema = {"properties": {"a": {"type": "number"}, "b": {}}, "required": ["a"]}
    tools = {"f": Tool("f", parameters=schema)}
    expected = [f(a=1), f(a=1, b=2)]

    assert valid(expected, expected, tools=tools)
    assert valid([f(a=1)], [f(a=1.0)], tools=tools)
    assert check([f()], [f()], test_category="simple", tools=tools).error_type == (
        "simple_function_checker:missing_required"
    )
    assert valid([f()], [f()], optional=True, tools=tools)


def test_a_call_without_arguments_is_a_call_with_none() -> None:
    assert valid([{"name": "f"}], [{"name": "f", "arguments": None}])
    assert valid([], [])


def test_the_metric_takes_cases_and_their_tools() -> None:
    call = ToolCall("f", {"a": 1})
    tools = {"f": Tool("f", parameters={"properties": {"a": {"type": "string"}}})}

    (metric,) = METRICS
    assert Metric("m", metric, {}).of([call], [call]) == 1.0
    assert Metric("m", metric, {}, takes_tools=True).of([call], [call], tools) == 1.0


@pytest.mark.parametrize(
    ("functions", "answers", "category", "problem"),
    [
        ([], [ANSWER], "simple", "not of its form .IndexError"),
        ([], [ANSWER], "parallel", "get_weather by its document, and there is none"),
        ([], [ANSWER], "multiple", "get_weather by its document, and there is none"),
        ([{"name": "get_weather"}], [ANSWER], "simple", "not of its form .KeyError: 'parameters'"),
        ([WEATHER], [{}], "parallel", "not of its form .StopIteration"),
        ([WEATHER], [{"get_weather": {"city": 1}}], "simple", "not of its form .TypeError"),
    ],
)
def test_what_is_not_of_bfcls_form_cannot_be_checked(
    functions: Any, answers: Any, category: str, problem: str
) -> None:
    with pytest.raises(NotScorable, match=problem):
        ast_check(functions, [weather(city="Paris")], answers, test_category=category)


def test_nothing_expected_is_not_scored_but_in_parallel() -> None:
    with pytest.raises(NotScorable):
        check([], [], test_category="multiple")
    with pytest.raises(NotScorable):
        check([], [f()], test_category="simple")


def test_what_is_nested_too_deeply_is_not_scored() -> None:
    values: list[Any] = []
    for _ in range(2):
        value: list[Any] = []
        for _ in range(100_000):
            value = [value]
        values.append(value)

    with pytest.raises(NotScorable, match="RecursionError"):
        valid([f(a=values[0])], [f(a=values[1])])


def test_tools_are_definitions_by_name() -> None:
    call = {"name": "f", "arguments": {}}

    with pytest.raises(InvalidSettings, match="read_tools"):
        valid([call], [call], tools={"f": {"name": "f"}})  # type: ignore[dict-item]  # on purpose
    with pytest.raises(InvalidSettings, match="by their names"):
        valid([call], [call], tools=[call])  # type: ignore[arg-type]  # on purpose


def test_the_first_expected_call_has_to_be_there() -> None:
    with pytest.raises(NotScorable, match="at least one expected call"):
        valid([], [], test_category="multiple")
