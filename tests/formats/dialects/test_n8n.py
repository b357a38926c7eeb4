"""What is read of executions of n8n beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.dialects import n8n
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return n8n.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def ran(start: int | None, given: Any = None, output: Any = None, **more: Any) -> dict[str, Any]:
    data = {} if output is None else {"ai_tool": [[{"json": output}]]}
    override = {} if given is None else {"inputOverride": {"ai_tool": [[{"json": given}]]}}
    return {"startTime": start, "source": [None], "data": data, **override, **more}


def execution(**nodes: Any) -> dict[str, Any]:
    return {"data": {"resultData": {"runData": nodes}}}


def steps(*actions: Any) -> dict[str, Any]:
    found = [{"action": {"tool": "ping", **each}, "observation": "pong"} for each in actions]
    return {"output": ".", "intermediateSteps": found}


def test_results_and_failures_are_attached() -> None:
    gone = ran(3, {"n": 2}, executionStatus="error", error={"message": "gone"})
    first, second, third = calls_in(
        execution(b=[gone, ran(4, None, {"rows": 1})], a=[ran(1, {"n": 1}, {"response": "pong"})])
    )

    assert (first.name, first.step, first.result) == ("a", 0, "pong")
    assert (second.name, second.step, second.result, second.failed) == ("b", 1, "gone", True)
    assert (third.error, third.result) == (NOT_CAPTURED, {"rows": 1})


def test_without_a_start_the_order_is_that_of_the_nodes() -> None:
    document = execution(b=[ran(None, {"n": 1})], a=[ran(1, [3])], c="x")

    assert [call.name for call in calls_in(document)] == ["b", "a"]


def test_a_tool_of_a_server_has_its_own_name() -> None:
    nodes = [{"name": "srv", "type": "n8n-nodes-langchain.mcpClientTool"}]
    document = {**execution(srv=[ran(1, {"tool": {"name": "ping"}, "n": 1})])}

    [call] = calls_in({**document, "workflowData": {"nodes": nodes}})

    assert (call.name, call.arguments, call.kind) == ("ping", {"n": 1}, "mcp")


def test_steps_of_one_message_share_its_log() -> None:
    log: list[Any] = [{"tool_calls": []}]
    one, two = {"toolInput": {}, "messageLog": log, "toolCallId": "c1"}, {"tool_input": "{}"}

    calls = calls_in(steps(one, {**one, "toolCallId": "c2"}, two))

    assert [(call.id, call.step, call.result) for call in calls] == [
        ("c1", 0, "pong"),
        ("c2", 0, "pong"),
        (None, 1, "pong"),
    ]


def test_tools_of_an_unknown_agent_are_in_the_steps_of_one_that_tells() -> None:
    agent = {"startTime": 1, "data": {"main": [[{"json": steps({"toolInput": {}})}], None]}}

    [call] = calls_in(execution(agent=[agent], Ping=[ran(2, {"query": {}})]))

    assert call.name == "ping"


def test_an_agent_can_be_a_tool_with_tools_of_its_own() -> None:
    inner = ran(3, {"n": 1}, source=[{"previousNode": "helper"}])
    outer = ran(2, {"q": "?"}, source=[{"previousNode": "agent"}])

    calls = calls_in(execution(helper=[outer], ping=[inner]))

    assert [(call.name, call.caller) for call in calls] == [("helper", None), ("ping", "subagent")]


def test_several_executions_are_several_runs() -> None:
    one = execution(a=[ran(1, {"n": 1})])

    assert len(traces_in({"data": [one, {**one["data"]}], "nextCursor": None})) == 2
    assert n8n.recognizes({"data": [one]})


@pytest.mark.parametrize(
    "document",
    [
        {"data": {"resultData": {}}},
        {"intermediateSteps": [3]},
        {"intermediateSteps": [["action", "observation"]]},
        {"data": []},
        {"data": "x"},
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not n8n.recognizes(document)
