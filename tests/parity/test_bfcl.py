"""BFCL's check of calls against possible answers."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import ToolCall, expect
from callscore.core.call import NOT_CAPTURED, TRUNCATED, Tool
from callscore.errors import InvalidSettings, NotScorable
from callscore.formats.dialects.bfcl import read
from callscore.formats.trace import DEFAULT_READ_OPTIONS
from callscore.metrics.metric import Metric
from callscore.metrics.registry import metric_named
from callscore.parity.bfcl import (
    METRICS,
    Check,
    _answers_for_calls,
    _argument_problem,
    _function_documents,
    ast_check,
    check,
    valid,
)

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


def test_an_argument_is_required_if_every_expected_call_of_the_tool_has_it() -> None:
    expected = [f(a=1), f(a=1, b=2)]

    assert valid(expected, expected)
    assert not valid(expected, [f(a=1), f(b=2)])
    assert not valid(expected, [f(a=1), f(a=1)])
    assert check([f(a=1, b=2)], [f(a=1)], test_category="simple").error_type == (
        "simple_function_checker:missing_required"
    )


# Rules, as BFCL's possible answers are read.


def answers_read(*answers: Any) -> tuple[Any, ...]:
    (trace,) = read({"id": "parallel_0", "ground_truth": list(answers)}, DEFAULT_READ_OPTIONS)
    return trace.expected or ()


@pytest.mark.parametrize(
    ("arguments", "is_valid"),
    [
        ({"city": "Paris"}, True),
        ({"city": "paris france", "days": 1}, True),
        ({"city": "Paris", "days": 2}, False),
        ({"city": "Rome"}, False),
        ({"days": 1}, False),
        ({"city": "Paris", "unit": "C"}, False),
    ],
)
def test_possible_answers_that_were_read_are_rules(arguments: Any, is_valid: bool) -> None:
    expected = answers_read(ANSWER)

    assert valid(expected, [weather(**arguments)]) is is_valid
    assert metric_named("bfcl.valid").of(expected, [ToolCall("get_weather", arguments)]) == is_valid


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        {"f": {"a": [1, 2.5], "b": [""], "c": ["", "x", "y"], "d": []}},
        {
            "f": {
                "o": [{"x": [1, ""], "y": [{"z": [1]}]}, ""],
                "l": [[{"x": ["a", "b"]}, {"y": [2]}]],
            }
        },
        {"f": {"l": [[], [1, 2], ""]}},
    ],
)
def test_reading_answers_loses_nothing(answer: Any) -> None:
    calls = [(call.name, call.arguments) for call in answers_read(answer)]

    (found,) = _answers_for_calls(calls, may_be_left_out=False)

    def ordered(values: list[Any]) -> list[Any]:
        given = [value for value in values if value != ""]
        return given + [""] * (len(given) < len(values))

    (name,) = answer
    assert {key: ordered(values) for key, values in found[name].items()} == {
        key: ordered(values) for key, values in answer[name].items()
    }


def test_bfcl_has_no_other_rules() -> None:
    with pytest.raises(NotScorable, match=r"no rule \$regex"):
        valid([f(a=expect.regex("x"))], [f(a="x")])


def test_integers_and_floats_among_the_answers_are_floats() -> None:
    expected = [f(a=expect.one_of(5, 2.5))]

    assert valid(expected, [f(a=5)])
    assert valid(expected, [f(a=5.0)])
    assert not valid([f(a=5)], [f(a=5.0)])


def test_a_call_that_cannot_be_decoded_is_refused() -> None:
    broken = ToolCall("f", raw="{", error=TRUNCATED)

    assert check([f(a=1)], [broken]) == Check(valid=False, error_type="ast_decoder:decoder_failed")
    with pytest.raises(NotScorable):
        check([f(a=1)], [ToolCall("f", error=NOT_CAPTURED)])


# Names with dots.

GCD = {"name": "math.gcd", "arguments": {"a": 1}}
UNDERSCORE_GCD = {"name": "math_gcd", "arguments": {"a": 1}}


@pytest.mark.parametrize(
    ("option", "dotted", "underscored"),
    [(None, True, True), (True, False, True), (False, True, False)],
)
def test_a_model_may_write_underscores_for_dots(
    option: bool | None, dotted: bool, underscored: bool
) -> None:
    assert valid([GCD], [GCD], underscore_to_dot=option) is dotted
    assert valid([GCD], [UNDERSCORE_GCD], underscore_to_dot=option) is underscored
    assert not valid([UNDERSCORE_GCD], [GCD], underscore_to_dot=option)
    assert valid([UNDERSCORE_GCD], [UNDERSCORE_GCD], underscore_to_dot=option)


def test_a_name_that_is_expected_as_it_is_stands_for_no_other() -> None:
    expected = [GCD, UNDERSCORE_GCD]

    assert valid(expected, expected)
    assert not valid(expected, [UNDERSCORE_GCD, UNDERSCORE_GCD])


@pytest.mark.parametrize("name", ["math.gcd", "math_gcd"])
def test_a_tool_is_found_by_either_name(name: str) -> None:
    schema = {"properties": {"a": {"type": "number"}}, "required": ["a"]}
    tools = {name: Tool(name, parameters=schema)}
    actual = [{"name": "math_gcd", "arguments": {"a": 1.0}}]

    assert valid([GCD], actual, tools=tools)
    assert not valid([GCD], actual)


# Definitions that differ from task to task.


def test_of_several_definitions_the_one_that_fits_the_answers_counts() -> None:
    other = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
    strict = {"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]}
    loose = {"properties": {"a": {"type": "number"}, "b": {}}, "required": []}
    options = [other, {"not": "a schema"}, strict, loose]
    tools = {"f": Tool("f", parameters={"properties": {}, "anyOf": options})}
    expected = [f(a=1.5, b=expect.optional("x"))]

    assert valid(expected, [f(a=1.5)], tools=tools)
    assert not valid(expected, [f(b="x")], tools=tools)


def test_a_definition_that_cannot_be_checked_fits_nothing() -> None:
    array = {"type": "array", "items": {"type": "integer"}}
    options = [{"properties": {"a": array}}, {"properties": {"a": {"type": "integer"}}}]
    tools = {"f": Tool("f", parameters={"anyOf": options})}

    assert valid([f(a=expect.one_of([1], 5))], [f(a=5)], tools=tools)


def test_the_members_of_answers_tell_which_definition_fits() -> None:
    objects = {"type": "array", "items": {"type": "object"}}
    options = [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": objects}}]
    several = {"f": Tool("f", parameters={"anyOf": options})}
    one = {"f": Tool("f", parameters={"anyOf": 5, "properties": {"a": objects}})}
    expected = [f(a=[{"x": expect.one_of(1, 2), "y": "z"}])]

    for tools in (several, one):
        assert valid(expected, [f(a=[{"x": 2, "y": "z"}])], tools=tools)
        assert not valid(expected, [f(a=[{"x": 3, "y": "z"}])], tools=tools)
    object_tools = {
        "f": Tool(
            "f", parameters={"anyOf": [options[0], {"properties": {"a": {"type": "object"}}}]}
        )
    }
    assert valid([f(a={"x": 1})], [f(a={"x": 1})], tools=object_tools)


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
        ([], [ANSWER], "simple", "not in its format .IndexError"),
        ([], [ANSWER], "parallel", "get_weather against its definition, which is missing"),
        ([], [ANSWER], "multiple", "get_weather against its definition, which is missing"),
        (
            [{"name": "get_weather"}],
            [ANSWER],
            "simple",
            "not in its format .KeyError: 'parameters'",
        ),
        ([WEATHER], [{}], "parallel", "not in its format .StopIteration"),
        ([WEATHER], [{"get_weather": {"city": 1}}], "simple", "not in its format .TypeError"),
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

    with pytest.raises(InvalidSettings, match="expected callscore tools"):
        valid([call], [call], tools={"f": {"name": "f"}})  # type: ignore[dict-item]  # on purpose
    with pytest.raises(InvalidSettings, match="by name"):
        valid([call], [call], tools=[call])  # type: ignore[arg-type]  # on purpose


def test_the_first_expected_call_has_to_be_there() -> None:
    with pytest.raises(NotScorable, match="at least one expected call"):
        valid([], [], test_category="multiple")


# What BFCL is told of plain calls.


def document(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"name": "f", "parameters": {"properties": properties, "required": required}}


@pytest.mark.parametrize(
    ("value", "described"),
    [
        ("x", {"type": "string"}),
        (1, {"type": "integer"}),
        (1.0, {"type": "float"}),
        (True, {"type": "boolean"}),
        (None, {"type": "any"}),
        ({}, {"type": "dict"}),
        ([], {"type": "array", "items": {"type": "any"}}),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}),
        ([None], {"type": "array", "items": {"type": "any"}}),
    ],
)
def test_a_parameter_has_the_type_of_its_first_value(value: Any, described: Any) -> None:
    answers: Any = [{"f": {"a": ["", value]}}, {"f": {"a": [object()], "b": ["x"]}}]

    assert _function_documents(answers, {"f": ["b"]}, {}) == [
        document({"a": described, "b": {"type": "string"}}, ["b"])
    ]


def test_an_argument_without_a_value_is_text() -> None:
    assert _function_documents([{"f": {"a": [""], "b": []}}], {"f": []}, {}) == [
        document({"a": {"type": "string"}, "b": {"type": "string"}}, [])
    ]


def test_an_empty_text_may_not_be_left_out_where_it_is_expected() -> None:
    assert valid([f(a="")], [f(a="")])
    assert not valid([f(a="")], [f()])
    assert valid([f(a=expect.optional(""))], [f()])


def test_every_function_has_one_document() -> None:
    functions = _function_documents(
        [{"g": {}}, {"f": {}}, {"g": {"a": [1]}}], {"f": [], "g": []}, {}
    )

    assert [function["name"] for function in functions] == ["g", "f"]


@pytest.mark.parametrize(
    ("schema", "described"),
    [
        ({"type": "object"}, {"type": "dict"}),
        ({"type": "number"}, {"type": "float"}),
        ({"type": "boolean"}, {"type": "boolean"}),
        ({"type": ["null", "integer", "string"]}, {"type": "integer"}),
        ({"type": "null"}, {"type": "any"}),
        ({"enum": [1]}, {"type": "any"}),
        (True, {"type": "any"}),
        (
            {"type": "array", "items": {"type": "number"}},
            {"type": "array", "items": {"type": "float"}},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "any"}}),
    ],
)
def test_a_definition_gives_the_types_in_bfcls_words(schema: Any, described: Any) -> None:
    tool = Tool("f", parameters={"properties": {"a": schema}, "required": ["a"]})

    assert _function_documents([{"f": {"a": [1]}}], {}, {"f": tool}) == [
        document({"a": described}, ["a"])
    ]


@pytest.mark.parametrize("parameters", [None, {}, {"properties": [], "required": True}])
def test_a_definition_may_say_nothing(parameters: Any) -> None:
    assert _function_documents(
        [{"f": {"a": [1]}}], {}, {"f": Tool("f", parameters=parameters)}
    ) == [document({}, [])]


def test_every_value_is_the_only_possible_answer() -> None:
    calls: Any = [("f", {"a": 1, "o": {"b": {"c": 2}}, "l": [{"d": 3}, 4], "m": [5, {"e": 6}]})]

    assert _answers_for_calls(calls, may_be_left_out=False) == [
        {"f": {"a": [1], "o": [{"b": [{"c": 2}]}], "l": [[{"d": [3]}, 4]], "m": [[5, {"e": 6}]]}}
    ]


def test_it_may_be_left_out_where_that_is_said() -> None:
    calls: Any = [("f", {"a": 1}), ("g", None)]

    assert _answers_for_calls(calls, may_be_left_out=True) == [{"f": {"a": [1, ""]}}, {"g": {}}]


# Which arguments BFCL accepts, and what it calls the errors in the others.

INTEGERS = {"type": "array", "items": {"type": "integer"}}
STRINGS = {"type": "array", "items": {"type": "string"}}
OBJECTS = {"type": "array", "items": {"type": "dict"}}
OBJECT = {"type": "dict"}


@pytest.mark.parametrize("text", ["april 1 2024", "April-1,2024", "APRIL/1.2024", "A_p*r^il 12024"])
def test_texts_are_compared_without_case_spaces_and_some_characters(text: str) -> None:
    assert _argument_problem(text, ["April 1, 2024"], {"type": "string"}) is None
    assert _argument_problem([text], [["April 1, 2024"]], STRINGS) is None
    assert _argument_problem({"day": text}, [{"day": ["April 1, 2024"]}], OBJECT) is None


def test_one_kind_of_quotes_is_as_good_as_the_other() -> None:
    assert _argument_problem("it's", ['it"s'], {"type": "string"}) is None
    assert _argument_problem("its", ['it"s', 1], {"type": "string"}) == "value_error:string"


@pytest.mark.parametrize(
    ("value", "answers", "word", "problem"),
    [
        (1, [1], "integer", None),
        (1, [1.0], "float", None),
        (1, [1], "float", None),
        (1.0, [1], "integer", "type_error:simple"),
        (True, [1], "integer", "type_error:simple"),
        (True, [True], "boolean", None),
        (False, [True], "boolean", "value_error:others"),
        (2.5, [1.0, 2.5], "float", None),
        (2, [1], "integer", "value_error:others"),
        ("x", [""], "string", "value_error:string"),
        ("", [""], "string", None),
        (1, [], "integer", "value_error:others"),
        (1, [], "string", "type_error:simple"),
        (1, [""], "string", "type_error:simple"),
    ],
)
def test_an_argument_has_the_type_of_its_document(
    value: Any, answers: list[Any], word: str, problem: str | None
) -> None:
    assert _argument_problem(value, answers, {"type": word}) == problem


def test_answers_of_another_type_are_compared_as_they_are() -> None:
    assert _argument_problem("x", ["x"], {"type": "integer"}) is None
    assert _argument_problem("X", ["x"], {"type": "integer"}) == "value_error:others"
    assert _argument_problem(None, [None], {"type": "any"}) is None
    assert _argument_problem(1, [True, 1], {"type": "integer"}) is None
    assert _argument_problem({"a": 1}, [[1]], OBJECT) == "value_error:others"


def test_the_items_of_an_array_have_the_type_of_the_document_or_of_the_first_answer() -> None:
    assert _argument_problem([1, 2], [[1, 2]], INTEGERS) is None
    assert _argument_problem(["x"], [["x"]], INTEGERS) is None
    assert _argument_problem([1.0], [[1]], INTEGERS) == "type_error:nested"
    assert _argument_problem([1.0], [[2], [1.0]], INTEGERS) is None
    assert _argument_problem([1], [], INTEGERS) == "type_error:simple"
    assert _argument_problem([2, 1], [[1, 2]], INTEGERS) == "value_error:list/tuple"


def test_what_may_be_left_out_may_have_items_of_any_type() -> None:
    assert _argument_problem([1.0], [[1], ""], INTEGERS) is None
    assert _argument_problem([], [""], INTEGERS) is None


def test_a_tuple_is_a_list_where_the_document_says_tuple() -> None:
    document = {"type": "tuple", "items": {"type": "integer"}}

    assert _argument_problem((1, 2), [[1, 2]], document) is None
    assert _argument_problem((1, 2), [[1, 2]], INTEGERS) == "type_error:simple"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": 1}, None),
        ({"a": 2, "b": "X"}, None),
        ({"a": 3}, "value_error:dict_value"),
        ({"a": 1, "c": 1}, "value_error:dict_key"),
        ({}, "value_error:dict_key"),
        ({"b": "y"}, "value_error:dict_key"),
    ],
)
def test_the_members_of_an_object_have_answers_of_their_own(
    value: Any, problem: str | None
) -> None:
    assert _argument_problem(value, ["", {"a": [1, 2], "b": ["x", ""]}], OBJECT) == problem


def test_one_possible_object_of_several_is_enough() -> None:
    answers = [{"a": [1]}, {"b": [2]}]

    assert _argument_problem({"a": 1}, answers, OBJECT) is None
    assert _argument_problem({"b": 2}, answers, OBJECT) is None
    assert _argument_problem({"b": 1}, answers, OBJECT) == "value_error:dict_value"
    assert _argument_problem({"b": 1}, [""], OBJECT) == "dict_checker:unclear"


def test_what_is_nested_deeper_has_to_be_equal_as_it_is() -> None:
    answers = [{"a": [{"b": "x"}]}]

    assert _argument_problem({"a": {"b": "x"}}, answers, OBJECT) is None
    assert _argument_problem({"a": {"b": "X"}}, answers, OBJECT) == "value_error:dict_value"


def test_an_array_of_objects_has_them_in_order() -> None:
    answers = [[{"a": [1]}, {"a": [2]}]]

    assert _argument_problem([{"a": 1}, {"a": 2}], answers, OBJECTS) is None
    assert _argument_problem([{"a": 2}, {"a": 1}], answers, OBJECTS) == "value_error:dict_value"
    assert _argument_problem([{"a": 1}], answers, OBJECTS) == "value_error:list_dict_count"
    assert _argument_problem([{"a": 1}], [*answers, [{"a": [1]}]], OBJECTS) is None
