"""The call that the span of a tool stands for."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.families.spans import Event, Span
from callscore.formats.families.tool_executions import exception_in, executed_call, requested_call
from callscore.formats.trace import DEFAULT_WANTED
from callscore.formats.transcript import NAMELESS


def done(given: Any, *, result: Any = None, failed: bool = False, names: Any = None) -> ToolCall:
    return executed_call(
        "get_weather", given, "c1", result=result, failed=failed, wanted=DEFAULT_WANTED, names=names
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
    executed = executed_call(None, {}, 7, result=None, failed=False, wanted=DEFAULT_WANTED)
    requested = requested_call("", "{}", ["x"])

    assert (executed.name, executed.id) == (NAMELESS, "7")
    assert (requested.name, requested.id) == (NAMELESS, None)


def test_a_requested_call_is_of_the_first_message() -> None:
    assert requested_call("add", '{"a": 1}', "c1") == ToolCall("add", {"a": 1}, "c1", step=0)
    assert requested_call("add", "{broken", "c1").raw == "{broken"
