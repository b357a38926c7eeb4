"""What is read of the messages of Strands Agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import strands
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

SPEC = {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}


def says(*ids: str) -> dict[str, Any]:
    uses = [{"toolUse": {"toolUseId": id_, "name": "f", "input": {"x": id_}}} for id_ in ids]
    return {"role": "assistant", "content": [{"text": "hm"}, *uses]}


def answers(id_: str, status: str) -> dict[str, Any]:
    content = [{"text": "18"}]
    block = {"toolResult": {"toolUseId": id_, "status": status, "content": content}}
    return {"role": "user", "content": [block]}


def kept(number: Any, message: Any, **more: Any) -> dict[str, Any]:
    return {"message": message, "message_id": number, "redact_message": None, **more}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = strands.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached() -> None:
    first, second, third = calls_in(
        [says("a", "b"), answers("a", "success"), answers("b", "error"), says("c")]
    )

    assert (first.result, first.failed, second.failed) == ([{"text": "18"}], False, True)
    assert [call.step for call in (first, second, third)] == [0, 0, 1]


def test_the_files_of_a_session_are_put_in_order() -> None:
    files = [kept(10, says("b")), kept(2, says("a")), kept(11, answers("b", "error"))]

    assert [(call.id, call.failed) for call in calls_in(files)] == [("a", None), ("b", True)]


def test_files_without_a_number_stay_in_the_order_they_have() -> None:
    assert [call.id for call in calls_in([kept("x", says("b")), kept(1, says("a"))])] == ["b", "a"]


def test_a_redacted_message_is_what_it_was_replaced_by() -> None:
    hidden = kept(1, says("a"), redact_message={"role": "assistant", "content": []})

    assert calls_in([hidden]) == ()


def test_events_of_a_run_have_the_messages_among_them() -> None:
    events = [
        {"init_event_loop": True},
        {"event": {"messageStart": {"role": "assistant"}}},
        {"current_tool_use": {"toolUseId": "a", "name": "f", "input": {}}},
        {"message": says("a")},
        {"message": answers("a", "success")},
    ]

    assert strands.recognizes(events)
    assert [(call.id, call.failed) for call in calls_in(events)] == [("a", False)]


def test_a_snapshot_holds_the_messages() -> None:
    snapshot = {"scope": "agent", "schema_version": "1.0", "data": {"messages": [says("a")]}}

    assert strands.recognizes(snapshot)
    assert len(calls_in(snapshot)) == 1


@pytest.mark.parametrize("document", [[SPEC], {"f": SPEC}])
def test_specifications_have_no_calls_but_definitions(document: Any) -> None:
    assert strands.recognizes(document)
    assert calls_in(document) == ()
    assert strands.read_tools(document) == [Tool("f", "d", {"type": "object"})]


def test_messages_define_no_tools() -> None:
    assert strands.read_tools([says("a")]) == []
    assert strands.read_tools(3) == []


@pytest.mark.parametrize(
    "document",
    [
        [says("a")],
        [answers("a", "success")],
        [kept(0, {"role": "user", "content": [{"text": "x"}]}), kept(1, says("a"))],
        kept(0, {"role": "user", "content": [{"text": "x"}]}),
    ],
)
def test_it_claims_messages(document: Any) -> None:
    assert strands.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": [{"text": "x"}]}],
        [says("a"), 3],
        {"message": says("a")},
        {"type": "agent_result", "message": {"role": "assistant", "content": []}},
        {"scope": "agent", "data": {"messages": []}},
        {"scope": "agent", "schema_version": "1.0", "data": {}},
        [{"name": "f", "inputSchema": {"type": "object"}}],
        {"f": SPEC, "g": 3},
    ],
)
def test_it_leaves_look_alikes_to_others(document: Any) -> None:
    assert not strands.recognizes(document)


def test_files_of_one_session_are_one_document() -> None:
    assert strands.joins_lines(kept(0, says("a")))
    assert strands.joins_lines({"init_event_loop": True})
    assert not strands.joins_lines(says("a"))
