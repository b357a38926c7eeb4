"""One side of a comparison, whatever it is given as."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import callscore
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.errors import InvalidCall, UnknownFormat
from callscore.formats.case_sides import (
    actual_calls_in,
    expected_calls_in,
    read_expected_side,
    read_side,
)
from callscore.formats.dialect import dialect_named
from callscore.formats.expectations import read_rules
from callscore.formats.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESPONSE = {"choices": [{"message": MESSAGE}]}
GOLDEN = {"input": "x", "tools_called": [], "expected_tools": [{"name": "f"}]}


def actual(value: Any) -> list[tuple[str, Any]]:
    calls = read_side(value, side="actual", where="actual")
    return [(call.name, call.arguments) for call in calls]


def expected(value: Any) -> list[tuple[str, Any]]:
    calls = read_side(value, side="expected", where="expected")
    return [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "f", "arguments": {"a": 1}}],
        ({"name": "f", "arguments": {"a": 1}},),
        iter([{"tool": "f", "args": {"a": 1}}]),
        [{"name": "f", "arguments": '{"a": 1}', "id": "1"}],
        [("f", {"a": 1})],
        ToolCall("f", {"a": 1}),
        {"name": "f", "arguments": {"a": 1}},
        '[{"name": "f", "arguments": {"a": 1}}]',
        [CALL],
        MESSAGE,
        [{"role": "user", "content": "x"}, MESSAGE],
        {"messages": [MESSAGE]},
        RESPONSE,
        [RESPONSE],
        SimpleNamespace(choices=[SimpleNamespace(message=MESSAGE)]),
        [SimpleNamespace(**MESSAGE)],
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
    ],
)
def test_calls_and_documents_are_read_on_both_sides(value: Any) -> None:
    value = list(value) if hasattr(value, "__next__") else value

    assert actual(value) == [("f", {"a": 1})]
    assert expected(value) == [("f", {"a": 1})]


@pytest.mark.parametrize(
    "value",
    [None, [], {"choices": [{"message": {"role": "assistant", "content": "x"}}]}, {"messages": []}],
)
def test_no_calls_are_an_answer(value: Any) -> None:
    assert actual(value) == []


def test_several_answers_of_one_run_follow_one_another() -> None:
    assert actual([RESPONSE, RESPONSE]) == [("f", {"a": 1})] * 2


def test_runs_that_have_names_are_not_one() -> None:
    runs = [{"id": name, "messages": [MESSAGE]} for name in "ab"]

    with pytest.raises(InvalidCall, match="actual: the document has 2 runs"):
        actual(runs)


def test_names_alone_stand_for_any_arguments_where_they_are_expected() -> None:
    assert expected(["f", {"name": "g"}]) == [("f", None), ("g", None)]
    assert actual(["f"]) == [("f", {})]


def test_a_trace_that_gives_no_arguments_expects_none() -> None:
    bare = {"id": "1", "type": "function", "function": {"name": "f"}}

    assert expected([{**MESSAGE, "tool_calls": [bare]}]) == [("f", {})]


def test_expected_calls_whose_arguments_cannot_be_read_are_a_mistake() -> None:
    broken = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}

    assert actual([broken]) == [("f", None)]
    with pytest.raises(InvalidCall, match=r"expected: the arguments of 'f' cannot be read: .*'{'"):
        expected([broken])


def test_a_document_with_both_sides_gives_each_its_own() -> None:
    assert expected(GOLDEN) == [("f", None)]
    assert actual(GOLDEN) == []


def test_a_trace_with_only_expected_calls_is_refused_as_the_actual_side() -> None:
    trace = Trace(expected=(ToolCall("f", {}),))

    with pytest.raises(InvalidCall, match="actual: the document has expected calls, but no actual"):
        actual_calls_in(trace, where="actual")


def test_expected_calls_that_were_not_captured_stand_for_any_arguments() -> None:
    trace = Trace(calls=(ToolCall("f", error=NOT_CAPTURED), ToolCall("g", {})))

    assert expected_calls_in(trace, where="e") == (ToolCall("f"), ToolCall("g", {}))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("get_weather", "the text does not say which tools were called"),
        ({"colour": "red"}, "a call needs a name"),
        ([{"colour": "red"}], r"actual\[0\]: a call needs a name"),
    ],
)
def test_a_value_of_unknown_format_is_refused_with_what_is_missing(
    value: Any, problem: str
) -> None:
    with pytest.raises(UnknownFormat, match=problem):
        actual(value)


def test_a_misspelled_field_of_a_call_is_reported_instead_of_an_unknown_format() -> None:
    with pytest.raises(InvalidCall, match=r"unknown field 'argumnts' of a call.*'arguments'\.$"):
        actual([{"name": "f", "argumnts": {"a": 1}}])


def test_a_result_that_begins_like_an_error_says_that_the_call_failed() -> None:
    made: list[Any] = [
        {"name": "f", "arguments": {}, "result": text} for text in ("Error: x", "ok")
    ]

    calls = read_side(made, side="actual", where="actual")

    assert [call.failed for call in calls] == [True, None]


@pytest.mark.parametrize(
    ("flag", "failed"), [(1, True), ("false", False), ("perhaps", None), ([], None)]
)
def test_whether_a_call_failed_may_be_said_in_several_ways(flag: Any, failed: Any) -> None:
    made = [{"name": "f", "arguments": {}, "failed": flag, "result": "Error"}]

    (call,) = read_side(made, side="actual", where="actual")

    assert call.failed == (True if failed is None else failed)


def test_a_number_in_place_of_actual_calls_is_refused() -> None:
    with pytest.raises(InvalidCall, match=r"actual: must be a list of calls; got 7\."):
        actual(7)


def test_an_object_that_cannot_be_read_is_refused() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> None:
            raise RuntimeError("closed")

    with pytest.raises(InvalidCall, match="Broken cannot be read: closed"):
        callscore.score([], Broken())


@pytest.mark.parametrize(
    "value",
    [
        {"object": "chat.completion", "choices": []},
        [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    ],
)
def test_a_document_without_an_answer_is_refused_on_both_sides(value: Any) -> None:
    for read in (actual, expected):
        with pytest.raises(InvalidCall, match="the document has no answer"):
            read(value)


def test_a_side_in_a_named_format_that_it_is_not_in_is_refused() -> None:
    for named, problem in (
        ("gemini", "actual: the document is not in the format 'gemini'"),
        ("bfcl", "actual: "),
    ):
        with pytest.raises(InvalidCall, match=problem):
            read_side(RESPONSE, side="actual", where="actual", dialect=dialect_named(named))


def test_a_document_that_cannot_be_read_is_refused_with_its_side() -> None:
    in_words = {"id": "memory_0", "ground_truth": ["Michael"]}

    with pytest.raises(InvalidCall, match=r"^expected: "):
        expected(in_words)


def test_text_can_be_a_whole_case_with_groups() -> None:
    case = """{"expected": [{"forbid": "rm"}, {"in_order": ["c", "d"]},
        {"name": "e", "arguments": {"a": {"$gt": 1}}}], "actual": []}"""
    actual = ["c", "d", {"name": "e", "arguments": {"a": 2}}]

    assert callscore.score(case, actual).f1 == 1
    assert callscore.score(case, [*actual, "rm"]).forbidden


RULE_VALUES = st.recursive(
    st.sampled_from([1, "$any", "costs $5", '"$', None, 2**70, "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "$gt", 'b"$', "a$", 1]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(arguments=st.dictionaries(st.sampled_from(["x", "y"]), RULE_VALUES))
def test_rules_are_read_wherever_a_key_begins_with_a_dollar(arguments: dict[str, Any]) -> None:
    items: list[dict[str, Any]] = [
        {"name": "f", "arguments": {}},
        {"name": "f", "arguments": arguments},
    ]

    def outcome(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except InvalidCall as error:
            return str(error)

    simply = outcome(lambda: read_expected_side(items, where="expected", spelled=True))
    one_by_one = outcome(
        lambda: tuple(
            read_rules(ToolCall(item["name"], item["arguments"]), f"expected[{place}]")
            for place, item in enumerate(items)
        )
    )

    assert repr(simply) == repr(one_by_one)


def test_the_name_of_a_function_may_be_the_key_of_its_arguments() -> None:
    given = [{"get_weather": {"city": "Paris"}}]

    assert actual(given) == expected(given) == [("get_weather", {"city": "Paris"})]
    with pytest.raises(InvalidCall, match="a call needs a name"):
        actual([{"weather": {"city": "Paris"}}])
