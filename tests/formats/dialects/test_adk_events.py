"""Google ADK events: who has called what, and what came of it."""

from __future__ import annotations

from typing import Any

from callscore.core.call import ToolCall
from callscore.formats.dialects import adk_events
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def event(*parts: Any, author: str = "agent", **fields: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": list(parts)}
    return {"author": author, "invocationId": "e-1", "content": content, **fields}


def call(name: str, id_: str | None = None, **arguments: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "id": id_, "args": arguments}}


def response(name: str, id_: str | None, value: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "id": id_, "response": value}}


def calls_in(*events: Any) -> tuple[ToolCall, ...] | None:
    return adk_events.read(list(events), DEFAULT_READ_OPTIONS)[0].calls


def test_look_alikes_are_not_claimed() -> None:
    assert not adk_events.recognizes([{"author": "agent", "content": {"parts": []}}])
    assert not adk_events.recognizes([{"invocation_id": "i", "user_content": {}}])
    assert not adk_events.recognizes([event(), {"role": "user"}])
    assert not adk_events.recognizes({"events": [{"event": "x"}], "appName": "a"})
    assert not adk_events.recognizes({"events": [event()]})


def test_an_event_alone_a_session_and_a_list_of_sessions_are_claimed() -> None:
    session = {"id": "s", "appName": "a", "userId": "u", "events": [event(call("f"))]}

    assert adk_events.recognizes(event())
    assert adk_events.recognizes({**session, "events": []})
    assert adk_events.recognizes([session, session])
    assert adk_events.joins_lines(event())
    assert not adk_events.joins_lines(session)


def test_each_session_is_a_run_with_its_name_and_its_question() -> None:
    asked = event({"text": "q"}, author="user")
    document = [
        {"id": "s1", "app_name": "a", "events": [asked, event(call("f"))]},
        {"id": "s2", "app_name": "a", "events": []},
    ]

    first, second = adk_events.read(document, DEFAULT_READ_OPTIONS)

    assert (first.id, first.input, first.calls) == ("s1", "q", (ToolCall("f", {}, step=0),))
    assert (second.id, second.input, second.calls) == ("s2", None, ())


def test_agents_on_a_branch_are_sub_agents() -> None:
    assert calls_in(event(call("f")), event(call("g"), branch="root.helper")) == (
        ToolCall("f", {}, step=0),
        ToolCall("g", {}, step=1, caller="subagent"),
    )


def test_the_pieces_of_a_streamed_answer_are_left_out() -> None:
    assert calls_in(event(call("f", "1"), partial=True), event(call("f", "1"), partial=False)) == (
        ToolCall("f", {}, id="1", step=0),
    )


def test_the_last_response_to_a_call_counts() -> None:
    calls = calls_in(
        event(call("f", "1"), call("g"), call("h")),
        event(response("f", "1", {"status": "pending"}), response("g", None, {"error": "x"})),
        event(response("h", "", {"result": "y"}), author="user"),
        event(response("f", "1", {"result": "done"})),
    )

    assert [(found.result, found.failed) for found in calls or ()] == [
        ({"result": "done"}, False),
        ({"error": "x"}, True),
        ({"result": "y"}, False),
    ]


def test_what_the_framework_asks_its_user_for_is_no_call() -> None:
    assert calls_in(event(call("adk_request_credential", "c")), event(call("f"))) == (
        ToolCall("f", {}, step=0),
    )


def test_a_lost_call_is_told_by_the_code_of_the_error() -> None:
    lost = {
        "author": "agent",
        "invocation_id": "e-1",
        "content": None,
        "error_code": "MALFORMED_FUNCTION_CALL",
        "error_message": "Malformed function call: f(",
    }

    assert calls_in(lost, event({"text": "x"}, errorCode="SAFETY")) == (
        ToolCall(
            "",
            None,
            step=0,
            raw="Malformed function call: f(",
            error="MALFORMED_FUNCTION_CALL",
        ),
    )


def test_code_that_was_run_is_a_call() -> None:
    code = {"executableCode": {"code": "1", "language": "PYTHON"}}
    outcome = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
    event = {
        "author": "a",
        "invocationId": "i",
        "content": {"role": "model", "parts": [code, outcome]},
    }

    (trace,) = adk_events.read([event], DEFAULT_READ_OPTIONS)

    (call,) = trace.calls or ()
    assert (call.name, call.kind, call.result) == ("code_execution", "hosted", "1")
