"""What is read of runs of Dify beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.dialects import dify
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return dify.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def thought(tools: str, given: str = "", seen: str = "", **more: Any) -> dict[str, Any]:
    return {"id": "t1", "tool": tools, "tool_input": given, "observation": seen, **more}


def message(*thoughts: Any) -> dict[str, Any]:
    return {"id": "m1", "query": "?", "agent_thoughts": list(thoughts)}


def test_the_only_tool_can_have_all_of_the_input() -> None:
    [call] = calls_in(message(thought("ping", '{"n": 1}', "pong")))
    [bad] = calls_in(message(thought("ping", '{"n": ', "tool invoke error: gone")))

    assert (call.arguments, call.result, call.failed) == ({"n": 1}, "pong", False)
    assert (bad.raw, bad.result, bad.failed) == ('{"n": ', "tool invoke error: gone", True)


def test_of_two_calls_of_one_tool_the_first_has_lost_its_arguments() -> None:
    first, second = calls_in(
        message(thought("ping;ping", '{"ping": {"n": 2}}', '{"ping": "pong"}'))
    )

    assert (first.error, first.result, first.step) == (NOT_CAPTURED, None, 0)
    assert (second.arguments, second.result, second.step) == ({"n": 2}, "pong", 0)


def test_a_message_is_a_run() -> None:
    document = {
        "data": [message(thought("ping", position=2), thought("pong", position=1)), message()]
    }

    first, second = traces_in(document)

    assert (first.input, [call.name for call in first.calls or ()]) == ("?", ["pong", "ping"])
    assert second.calls == ()


def entry(label: str, output: Any, **more: Any) -> dict[str, Any]:
    data = {"id": label, "label": label, "data": {"output": output}, **more}
    return {"event": "agent_log", "task_id": "k", "data": data}


def test_an_entry_of_a_log_is_a_call_with_its_result() -> None:
    first, second = calls_in(
        [
            entry(
                "CALL ping", {"tool_call_id": "c1", "tool_call_input": {}, "tool_response": "pong"}
            ),
            entry("CALL pong", {"tool_call_id": "c2", "tool_call_input": {}}, error="gone"),
            entry("ROUND 1", {"tool_responses": []}),
        ]
    )

    assert (first.name, first.id, first.result, first.failed) == ("ping", "c1", "pong", False)
    assert (second.name, second.id, second.result, second.failed) == ("pong", "c2", "gone", True)
    assert (first.step, second.step) == (0, 1)


def test_calls_of_an_iteration_are_made_together() -> None:
    done: dict[str, Any] = {
        "tool_name": "ping",
        "tool_input": {},
        "tool_output": "pong",
        "error": None,
    }
    failed = {**done, "tool_output": None, "error": "gone"}

    first, second = calls_in({"iterations": [{"tool_calls": [done, failed]}]})

    assert (first.step, first.result, first.failed) == (0, "pong", False)
    assert (second.step, second.result, second.failed) == (0, "gone", True)


@pytest.mark.parametrize(
    "document",
    [
        {"data": []},
        {"event": "ping"},
        {"event": "message", "data": {}},
        {"event": "other", "task_id": "k"},
        {"iterations": [{"tool_calls": None}]},
        {"node_type": "agent"},
        [{"event": "message", "task_id": "k"}, {"type": "x"}],
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not dify.recognizes(document)
    assert dify.recognizes({"data": [message()]})
    assert dify.recognizes([{"event": "ping"}, {"event": "message", "task_id": "k"}])
