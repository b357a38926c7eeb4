"""The call that the span of a tool stands for."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.calls import NAMELESS
from callscore.formats.families.spans import Event, Span
from callscore.formats.families.tool_executions import (
    ToolInput,
    exception_in,
    executed_call,
    read_tool_input,
    requested_call,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def done(given: Any, *, result: Any = None, failed: bool = False, names: Any = None) -> ToolCall:
    return executed_call(
        "get_weather",
        given,
        "c1",
        result=result,
        failed=failed,
        options=DEFAULT_READ_OPTIONS,
        names=names,
    )


def test_a_call_has_its_result() -> None:
    call = done({"city": "Paris"}, result="18")

    assert call == ToolCall("get_weather", {"city": "Paris"}, "c1", result="18", failed=False)


def test_a_result_that_reads_like_an_error_is_one() -> None:
    assert done({}, result="Error: gone").failed is True


def test_a_span_that_failed_is_believed_whatever_the_result() -> None:
    assert done({}, result="18", failed=True).failed is True
    assert done({}, failed=True).failed is True


def test_a_call_without_a_result_has_none() -> None:
    assert done({}).failed is None


def test_what_is_odd_about_the_input_is_kept() -> None:
    assert done(None).error == NOT_CAPTURED
    assert done("{'a': 1}").warning == "python_repr"
    assert done({"args": [1], "kwargs": {}}).positional
    assert done({"kwargs": {}, "sanitize_inputs_outputs": False}).caller == "code"
    assert done({"args": [1], "kwargs": {}}, names={"a": {}}).arguments == {"a": 1}


def test_a_span_says_what_was_wrong() -> None:
    events = (Event("retry", {}), Event("exception", {"exception.message": "gone"}))

    assert exception_in(Span(name="x", attributes={}, events=events)) == "gone"
    assert exception_in(Span(name="x", attributes={})) is None


@pytest.mark.parametrize(
    ("given", "arguments", "warning", "error"),
    [
        ('{"city": "Paris"}', {"city": "Paris"}, None, None),
        ('{"city": "Paris", "now": True}', {"city": "Paris", "now": True}, "python_repr", None),
        ('{"kwargs": {"city": "Paris"}}', {"city": "Paris"}, None, None),
        ('{"city": ', None, None, "truncated_json"),
        ('{"a": 1, "a": 2}', {"a": 2}, "duplicate_keys", None),
    ],
)
def test_the_input_is_read_however_it_is_written(
    given: str, arguments: Any, warning: str | None, error: str | None
) -> None:
    call = done(given)

    assert (call.arguments, call.warning, call.error) == (arguments, warning, error)


def test_the_name_and_the_id_of_a_call_are_texts() -> None:
    executed = executed_call(None, {}, 7, result=None, failed=False, options=DEFAULT_READ_OPTIONS)
    requested = requested_call("", "{}", ["x"])

    assert (executed.name, executed.id) == (NAMELESS, "7")
    assert (requested.name, requested.id) == (NAMELESS, None)


def test_a_requested_call_is_of_the_first_message() -> None:
    assert requested_call("add", '{"a": 1}', "c1") == ToolCall("add", {"a": 1}, "c1", step=0)
    assert requested_call("add", "{broken", "c1").raw == "{broken"


# What a tool was given, however its span has it.

NAMES = {"path": {"type": "string"}, "deep": {"type": "boolean"}}


@pytest.mark.parametrize("given", [{"a": 1}, '{"a": 1}', "", "{broken", "text", [1], 3, '"x"'])
def test_what_is_no_wrapper_is_given_as_it_stands(given: Any) -> None:
    assert read_tool_input(given) == ToolInput(given)


@pytest.mark.parametrize("given", [None, "__REDACTED__"])
def test_what_nobody_wrote_down_is_not_captured(given: Any) -> None:
    assert read_tool_input(given) == ToolInput(None, NOT_CAPTURED)


def test_what_python_has_written_is_read_with_a_warning() -> None:
    found = read_tool_input(" {'city': 'Paris', 'unit': None, 'days': (1, 2)}")

    assert found.arguments == {"city": "Paris", "unit": None, "days": [1, 2]}
    assert found.warning == "python_repr"


@pytest.mark.parametrize(
    "given",
    [
        "{'a': open('x')}",
        "{'a': 1",
        "{1, 2}",
        "{'a': 1j}",
        "{'a': '\\d'}" + "x",
        "{" * 5000,
        "{'a': '" + "x" * 200_000 + "'}",
    ],
    ids=lambda given: given[:10],
)
def test_what_only_looks_like_that_stays_text(given: str) -> None:
    assert read_tool_input(given) == ToolInput(given)


def test_escapes_that_python_will_not_take_for_ever_are_taken() -> None:
    assert read_tool_input(r"{'a': '\d'}").arguments == {"a": r"\d"}


def test_arguments_by_position_get_their_names() -> None:
    given = {"args": ["docs"], "kwargs": {"deep": True}}

    assert read_tool_input(given, NAMES) == ToolInput({"path": "docs", "deep": True})


def test_arguments_without_a_known_name_are_named_by_their_positions() -> None:
    given = '{"args": ["docs", true, 3], "kwargs": {}}'

    assert read_tool_input(given, NAMES).arguments == {"path": "docs", "deep": True, "2": 3}
    assert read_tool_input(given, NAMES).positional
    assert read_tool_input(given).arguments == {"0": "docs", "1": True, "2": 3}


def test_a_tool_that_code_has_called_says_so() -> None:
    def caller(flag: Any) -> str | None:
        given = {"args": None, "kwargs": None, "sanitize_inputs_outputs": flag}
        return read_tool_input(given).caller

    assert caller(False) == "code"
    assert caller(True) is None


def test_an_object_with_other_members_is_no_wrapper() -> None:
    given: Any = {"args": [], "kwargs": {}, "tags": []}

    assert read_tool_input(given) == ToolInput(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{'a': [True, False, None], 'b': -1.5}", {"a": [True, False, None], "b": -1.5}),
        ("{'a': 'true, None'}", {"a": "true, None"}),
        ("{'a': 1e5}", {"a": 100000.0}),
        ("{'a': 'b' 'c'}", {"a": "bc"}),
        ("{'a': 'it\\'s'}", {"a": "it's"}),
        ("{'a': \"it's\"}", {"a": "it's"}),
    ],
)
def test_what_python_has_written_is_read_as_python_reads_it(given: str, expected: Any) -> None:
    assert read_tool_input(given) == ToolInput(expected, warning="python_repr")


@pytest.mark.parametrize("given", ["{'a': true}", "{'a': b}", "{'a': 'x\ny'}", "{'a': 'b\""])
def test_what_python_would_not_read_stays_text(given: str) -> None:
    assert read_tool_input(given) == ToolInput(given)
