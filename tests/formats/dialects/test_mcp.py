"""What is read of the messages between MCP clients and servers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import mcp
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

LISTING = {"tools": [{"name": "f", "description": "d", "inputSchema": {"type": "object"}}]}


def request(id_: Any, name: str = "f", method: str = "tools/call", **more: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": {"x": id_}, **more}
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def answer(id_: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}], **more}


def only(document: Any) -> Trace:
    [trace] = mcp.read(document, DEFAULT_READ_OPTIONS)
    return trace


def results_in(document: Any) -> list[tuple[Any, bool | None]]:
    return [(call.result, call.failed) for call in only(document).calls or ()]


def test_results_and_both_kinds_of_failure_are_attached() -> None:
    error = {"code": -32602, "message": "no such tool"}
    log = [
        request(1),
        request(2),
        request(3),
        request(4),
        answer(2, text("Error", isError=False)),
        answer(1, text("oh", isError=True)),
        {"jsonrpc": "2.0", "id": 3, "error": error},
    ]

    assert results_in(log) == [
        ([{"type": "text", "text": "oh"}], True),
        ([{"type": "text", "text": "Error"}], False),
        (error, True),
        (None, None),
    ]


def test_a_result_without_content_is_kept_whole() -> None:
    assert results_in([request(1), answer(1, {"structured_content": 3, "is_error": True})]) == [
        ({"structured_content": 3, "is_error": True}, True)
    ]


def test_a_log_has_what_was_run_and_every_request_is_a_step() -> None:
    trace = only([request(1), request("two"), request(None)])

    assert trace.view == "executed"
    assert [(call.id, call.step) for call in trace.calls or ()] == [
        ("1", 0),
        ("two", 1),
        (None, 2),
    ]


def test_an_answer_belongs_to_the_nearest_request_before_it() -> None:
    asked_back = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}
    log = [request(1), request(1), answer(1, "b"), asked_back, answer(1, "c"), answer(1, "a")]

    assert [result for result, _ in results_in(log)] == ["a", "b"]


def test_an_answer_to_nothing_is_passed_over() -> None:
    assert results_in([answer(1, "x"), request(1), answer(None, "x"), answer([], "x")]) == [
        (None, None)
    ]


def test_clients_that_the_log_tells_apart_are_runs_of_their_own() -> None:
    traces = mcp.read(
        [
            {"sessionId": "a", "message": request(1)},
            {"sessionId": "b", "message": request(1)},
            {"sessionId": "a", "message": answer(1, "for a")},
            {"sessionId": "b", "message": answer(1, "for b")},
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert [(trace.id, [call.result for call in trace.calls or ()]) for trace in traces] == [
        ("a", ["for a"]),
        ("b", ["for b"]),
    ]


def test_servers_that_the_log_tells_apart_are_one_run() -> None:
    log = [
        {"server": "x", "message": request(1)},
        {"server": "y", "message": request(1)},
        {"server": "x", "message": answer(1, "from x")},
        {"server": "y", "message": answer(1, "from y")},
    ]

    assert [result for result, _ in results_in(log)] == ["from x", "from y"]


def test_a_call_that_is_sent_again_with_what_was_asked_for_is_one_call() -> None:
    log = [
        request(1),
        answer(1, {"resultType": "input_required", "requestState": "s"}),
        request(2, "other"),
        request(3, requestState="s"),
        answer(3, "done"),
        request(4, requestState="s"),
    ]

    assert [result for result, _ in results_in(log)] == ["done", None, None]


def test_the_result_of_a_task_is_the_result_of_the_call() -> None:
    log = [
        request(1),
        answer(1, {"task": {"taskId": "t"}}),
        {"jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": {"taskId": "t"}},
        answer(2, "done"),
        {"jsonrpc": "2.0", "id": 3, "method": "tasks/result", "params": None},
        answer(3, "x"),
    ]

    assert results_in(log) == [("done", False)]


def test_a_message_may_be_text_in_its_wrapper() -> None:
    log = [{"payload": msgspec.json.encode(request(1)).decode(), "data": '"jsonrpc"'}]

    assert mcp.recognizes(log)
    assert len(only(log).calls or ()) == 1


def test_no_arguments_are_an_empty_object_and_wrong_ones_are_malformed() -> None:
    calls = only(
        [
            {"method": "tools/call", "params": {"name": "f"}},
            {"method": "tools/call", "params": {"name": "f", "arguments": [1]}},
            {"method": "tools/call", "params": None},
        ]
    ).calls

    assert [(call.name, call.arguments, call.error) for call in calls or ()] == [
        ("f", {}, None),
        ("f", None, "not_an_object"),
        ("", {}, None),
    ]


def test_a_list_of_tools_has_no_calls_but_definitions_with_their_effects() -> None:
    hints = {"name": "g", "inputSchema": {}, "annotations": {"readOnlyHint": True}}
    listing = {"tools": [*LISTING["tools"], hints], "nextCursor": None}

    assert mcp.recognizes(listing)
    assert only(listing).calls == ()
    assert mcp.read_tools(listing) == [
        Tool("f", "d", {"type": "object"}),
        Tool("g", None, {}, "read"),
    ]


def test_tools_are_found_in_a_log() -> None:
    assert mcp.read_tools([request(1), [answer(2, LISTING)]]) == [
        Tool("f", "d", {"type": "object"})
    ]
    assert mcp.read_tools(answer(2, LISTING)) == [Tool("f", "d", {"type": "object"})]


@pytest.mark.parametrize(
    "document",
    [
        request(1),
        answer(1, LISTING),
        [[request(1)]],
        [3, "x", {"jsonrpc": "2.0", "method": "notifications/initialized"}],
        {"jsonrpc": "2.0", "id": 0, "method": "initialize"},
        {"tools": [{"name": "f", "input_schema": {}}], "next_cursor": None},
        {"method": "tools/call", "params": {"name": "f"}},
    ],
)
def test_it_claims_what_only_mcp_says(document: Any) -> None:
    assert mcp.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        # Others speak JSON-RPC, too.
        [{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}}],
        {"jsonrpc": "2.0", "id": 1, "result": {"kind": "task"}},
        # Requests to models have tools as well.
        {"model": "m", "messages": [], "tools": [{"name": "f", "input_schema": {}}]},
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"tools": [{"name": "f", "input_schema": {}}]},
        {"tools": [3]},
        {"tools": []},
        {"method": "tools/call", "params": "x"},
        {"message": "tools/call"},
    ],
)
def test_it_leaves_look_alikes_to_others(document: Any) -> None:
    assert not mcp.recognizes(document)


def test_lines_with_messages_are_one_log() -> None:
    assert mcp.joins_lines({"direction": "in", "message": request(1)})
    assert not mcp.joins_lines(LISTING)


def test_a_document_without_a_message_is_a_run_without_calls() -> None:
    assert only(3).calls == ()


def logged(prefix: str, message: dict[str, Any]) -> dict[str, Any]:
    return {"prefix": prefix, "message": message}


def test_a_log_may_have_a_message_several_times() -> None:
    log = [
        logged("Received JSON: ", request(1)),
        logged("Sending message to writer: ", request(1)),
        logged("Received JSON: ", request(2)),
        logged("Sending: ", answer(1, text("one"))),
        logged("Sending: ", answer(2, text("two"))),
        logged("in: ", request(1)),  # the server has not started again
        logged("in: ", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        logged("in: ", request(1)),
    ]

    assert [call.id for call in only(log).calls or ()] == ["1", "2", "1"]
    assert [failed for _, failed in results_in(log)] == [False, False, None]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[info] [one] Message from client: ", "[info] [the other] Message from client: "),
        ("[one] [info] Message from client: ", "[the other] [info] Message from client: "),
        ("SSE (session 1): ", "SSE (session 2): "),
    ],
)
def test_servers_in_one_log_count_for_themselves(one: str, other: str) -> None:
    log = [
        logged(one, request(1)),
        logged(other, request(1)),
        logged(one.replace("client", "server"), answer(1, text("one"))),
        logged(other.replace("client", "server"), answer(1, text("other"))),
    ]

    assert [at[0]["text"] for at, _ in results_in(log)] == ["one", "other"]


def test_a_proxy_may_log_the_parameters_as_text_and_cut_it_off() -> None:
    params = msgspec.json.encode({"name": "f", "arguments": {"x": 1}}).decode()
    log = [
        logged("", {"method": "tools/call", "id": 1, "params": params}),
        logged("", {"method": "tools/call", "id": 2, "params": params[:-4]}),
        logged("", {"method": "tools/call", "id": 3, "params": params[:6]}),
    ]

    assert mcp.recognizes(log)
    whole, cut, nameless = only(log).calls or ()
    assert (whole.name, whole.arguments) == ("f", {"x": 1})
    assert (cut.name, cut.arguments, cut.raw) == ("f", None, params[:-4])
    assert cut.error is not None
    assert (nameless.arguments, nameless.raw) == (None, params[:6])


@pytest.mark.parametrize("part", ["[", "(session "])
def test_a_prefix_of_many_brackets_is_read(part: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}}
    trace = only([{"prefix": 100_000 * part, "message": message}])
    assert [call.name for call in trace.calls or ()] == ["f"]
