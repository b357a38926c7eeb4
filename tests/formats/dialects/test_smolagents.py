"""What is read of the memory of smolagents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import smolagents
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str | None, name: str = "f", arguments: Any = None) -> dict[str, Any]:
    return {
        "id": id_,
        "type": "function",
        "function": {"name": name, "arguments": {"x": 1} if arguments is None else arguments},
    }


def step(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"step_number": 1, "tool_calls": list(calls), "observations": "seen", **more}


def calls(*steps: Any) -> tuple[ToolCall, ...]:
    [trace] = smolagents.read(list(steps), DEFAULT_READ_OPTIONS)
    return trace.calls or ()


def test_the_observations_are_the_result_of_the_one_call() -> None:
    [one] = calls(step(call("a")))

    assert (one.result, one.failed, one.step) == ("seen", False, 0)


def test_the_observations_of_several_calls_are_not_taken_apart() -> None:
    found = calls(step(call("a"), call("b")), step(call("c")))

    assert [(one.result, one.failed, one.step) for one in found] == [
        (None, False, 0),
        (None, False, 0),
        ("seen", False, 1),
    ]


def test_an_error_is_the_result_of_every_call_of_a_step() -> None:
    error = {"type": "AgentExecutionError", "message": "oh"}

    found = calls(step(call(None), call(None), error=error), step(call("c"), error="odd"))

    assert [(one.result, one.failed) for one in found] == [
        ("oh", True),
        ("oh", True),
        ("odd", True),
    ]


def test_a_step_that_failed_has_its_calls_in_the_message_of_the_model() -> None:
    message = {"role": "assistant", "tool_calls": [call("a"), call("b")]}

    found = calls(step(model_output_message=message, error={"message": "oh"}))

    assert [one.id for one in found] == ["a", "b"]


def test_a_call_is_not_counted_once_more_in_the_message_of_the_model() -> None:
    message = {"role": "assistant", "tool_calls": [call("a")]}

    assert len(calls(step(call("a"), model_output_message=message))) == 1


def test_code_is_the_input_of_the_interpreter() -> None:
    code = "[1, 2]"

    # A list is what the memory makes of code that happens to be JSON.
    found = calls(
        step(call("a", "python_interpreter", [1, 2]), code_action=code),
        step(call("b", "python_interpreter", {"code": code}), code_action=None),
        step(call("c", "python_interpreter", code), code_action=None),
        step(call("d", "f", code), code_action=code),
    )

    assert [(one.arguments, one.error) for one in found] == [
        ({"input": code}, None),
        ({"code": code}, None),
        (None, "not_an_object"),
        (None, "not_an_object"),
    ]


def test_the_task_is_the_input() -> None:
    [trace] = smolagents.read(
        [{"task": "go"}, step(call("a")), {"task": "on"}], DEFAULT_READ_OPTIONS
    )

    assert trace.input == "go"


def test_a_step_without_calls_is_none() -> None:
    assert calls(step(), {"plan": "think"}, step(call("a")))[0].step == 0


@pytest.mark.parametrize(
    "document",
    [[{"task": "go"}, step(call("a"))], {"output": 1, "steps": [step(call("a"))]}, step(call("a"))],
)
def test_steps_are_read_bare_and_as_a_result(document: Any) -> None:
    [trace] = smolagents.read(document, DEFAULT_READ_OPTIONS)

    assert smolagents.recognizes(document)
    assert [one.id for one in trace.calls or ()] == ["a"]


def test_lines_of_steps_are_one_document() -> None:
    assert smolagents.joins_lines(step())
    assert smolagents.joins_lines({"task": "go", "task_images": None})
    assert smolagents.joins_lines({"plan": "think", "model_output_message": {}})
    assert not smolagents.joins_lines({"task": "go"})


@pytest.mark.parametrize(
    "document",
    [
        {"steps": [{"step_id": 1, "source": "agent", "tool_calls": []}]},
        {"steps": [{"stepType": "initial", "toolCalls": []}]},
        [{"step_number": 1, "tool_calls": []}],
        [{"task": "go"}],
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not smolagents.recognizes(document)


def test_a_step_of_an_older_version_and_one_that_failed() -> None:
    function = {"name": "ping", "arguments": {"n": 1}}
    asked = [{"id": "c1", "type": "function", "function": function}]
    old = {"step": 1, "tool_calls": asked, "observations": "pong", "action_output": None}
    failed = {
        "step_number": 2,
        "tool_calls": [],
        "observations": None,
        "model_output_message": {"role": "assistant", "tool_calls": asked},
        "error": {"type": "AgentToolExecutionError", "message": "gone"},
    }

    assert smolagents.recognizes([old])
    [trace] = smolagents.read([old, failed], DEFAULT_READ_OPTIONS)

    assert [(call.result, call.failed, call.step) for call in trace.calls or ()] == [
        ("pong", False, 0),
        ("gone", True, 1),
    ]
