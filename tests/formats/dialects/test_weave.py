"""What is read of Weave calls beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.dialects import weave
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return weave.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def record(id_: str, op: str, **more: Any) -> dict[str, Any]:
    name = f"weave:///me/it/op/{op}:Xy9"
    return {"id": id_, "op_name": name, "trace_id": "t", "inputs": {}, "output": None, **more}


FUNCTION = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
ANSWER = {"choices": [{"message": {"role": "assistant", "tool_calls": [FUNCTION]}}]}
MODEL = record("m", "openai.chat.completions.create", output=ANSWER)
TOOL = {"weave": {"kind": "tool"}}


def test_the_result_of_a_function_of_the_agents_sdk_is_attached() -> None:
    done = record("f", "openai_agent_function", inputs={"name": "ping"}, output={"output": "pong"})
    failed = {**done, "output": {"output": None, "error": "gone"}}

    for tool, result in ((done, ("pong", False)), (failed, ("gone", True))):
        [call] = calls_in([MODEL, tool])
        assert (call.id, call.arguments, call.result, call.failed) == ("c1", {"n": 1}, *result)


def test_the_arguments_of_a_function_of_the_agents_sdk_are_not_recorded() -> None:
    [call] = calls_in(record("f", "openai_agent_function", display_name="ping"))

    assert (call.name, call.error) == ("ping", NOT_CAPTURED)


def test_a_request_of_claude_is_in_the_record_of_its_tool() -> None:
    block = {"type": "tool_use", "id": "u1", "name": "Bash", "input": {"command": "ls"}}
    tool = record(
        "f",
        "claude_agent_sdk.tool_use.Bash",
        inputs={"message": {"content": [block, {**block, "id": "u2", "name": "Read"}]}},
        output={"tool_use_id": "u1", "content": "no", "is_error": True},
    )
    running = {**tool, "output": None}
    unknown = {**tool, "inputs": {}, "output": None, "exception": "gone"}

    [call] = calls_in([tool])
    assert (call.id, call.name, call.result, call.failed) == ("u1", "Bash", "no", True)
    [call] = calls_in([running])
    assert (call.id, call.name, call.result) == ("u1", "Bash", None)
    [call] = calls_in([unknown])
    assert (call.name, call.error, call.result, call.failed) == ("Bash", NOT_CAPTURED, "gone", True)


def test_the_object_of_a_method_is_no_argument() -> None:
    tool = record("f", "Box.ping", attributes=TOOL, inputs={"self": {}, "n": 1}, output="pong")

    [call] = calls_in([tool, tool])

    assert (call.name, call.arguments, call.result) == ("Box.ping", {"n": 1}, "pong")


def test_a_function_without_a_kind_can_be_a_model_if_no_other_is() -> None:
    plain = record("p", "ask", output=ANSWER)

    assert len(calls_in([plain])) == 1
    assert [call.id for call in calls_in([plain, MODEL])] == ["c1"]
    assert traces_in([record("p", "ask", output="Done."), MODEL])[0].calls


def test_traces_are_runs_and_a_start_is_an_order() -> None:
    late = {**MODEL, "started_at": "2026-01-02T00:00:00Z"}
    soon = record("f", "x", attributes=TOOL, started_at="2026-01-01T00:00:00Z")
    later = {**soon, "id": "g", "op_name": "y", "started_at": "2026-01-03T00:00:00Z"}
    executed = ReadOptions(view="executed")

    assert len(traces_in([late, {**late, "id": "n", "trace_id": "v"}])) == 2
    assert [call.name for call in calls_in([later, late, soon], executed)] == ["x", "y"]


@pytest.mark.parametrize(
    "document",
    [{"op_name": "x", "inputs": {}}, {"op_name": "x", "inputs": [], "trace_id": "t"}, {"data": []}],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not weave.recognizes(document)
    assert weave.recognizes({**MODEL, "op_name": "ask"})
