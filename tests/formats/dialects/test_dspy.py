"""What is read of predictions of DSPy beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import dspy
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return dspy.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def step(number: int, name: Any, args: Any = None, seen: Any = None) -> dict[str, Any]:
    return {
        f"tool_name_{number}": name,
        f"tool_args_{number}": args,
        f"observation_{number}": seen,
    }


def test_results_and_failures_are_attached() -> None:
    trajectory = {
        **step(10, "ping", {"n": 2}, "Failed to execute: gone"),
        **step(9, "ping", {"n": 1}, "pong"),
        **step(11, "ping"),
        **step(12, "finish", {}),
    }

    first, second, third = calls_in({"trajectory": trajectory})

    assert (first.arguments, first.step, first.result, first.failed) == ({"n": 1}, 0, "pong", False)
    assert (second.arguments, second.step, second.failed) == ({"n": 2}, 1, True)
    assert (third.result, third.failed) == (None, None)


def entry(output: Any) -> dict[str, Any]:
    return {"outputs": [output], "messages": [], "kwargs": {}, "model_type": "chat"}


def test_one_entry_of_a_history_is_a_document() -> None:
    text = "[[ ## next_tool_name ## ]]\nping\n\n[[ ## next_tool_args ## ]]\n{'n': 1}"

    [call] = calls_in(entry(text))

    assert (call.name, call.arguments, call.raw) == ("ping", None, "{'n': 1}")
    assert calls_in(entry({"text": "Done."})) == ()
    assert calls_in(entry(None)) == ()


def test_calls_of_a_prediction_can_be_nested() -> None:
    function = {"name": "ping", "arguments": {"n": 1}}
    document = {"outputs": {"tool_calls": [{"type": "function", "function": function}]}}

    assert dspy.recognizes(document)
    assert [(call.name, call.arguments) for call in calls_in(document)] == [("ping", {"n": 1})]


def test_calls_of_a_message_can_be_flat() -> None:
    [call] = calls_in([entry({"text": None, "tool_calls": [{"name": "ping", "args": {"n": 1}}]})])

    assert (call.name, call.arguments) == ("ping", {"n": 1})


@pytest.mark.parametrize(
    "document",
    [
        {"outputs": {"tool_calls": []}},
        {"outputs": {"tool_calls": [{"name": "ping", "args": "{}"}]}},
        {"outputs": {"tool_calls": [{"name": "ping", "args": {}, "type": "tool_call"}]}},
        {"outputs": {"content": "", "tool_calls": [{"name": "ping", "args": {}}]}},
        {"trajectory": {"thought_0": "x"}},
        {"outputs": [], "messages": []},
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not dspy.recognizes(document)
    assert dspy.recognizes({"calls": {"tool_calls": [{"name": "ping", "args": {}}]}})
