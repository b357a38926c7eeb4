"""What is read of Amazon Bedrock's Converse, and of what is logged of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import bedrock
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

SPEC = {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}


def use(id_: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id_, "name": "f", "input": arguments, **more}}


def result(id_: str, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id_, **more}}


def response(*blocks: Any, stop: Any = "tool_use") -> dict[str, Any]:
    message = {"role": "assistant", "content": list(blocks)}
    return {"output": {"message": message}, "stopReason": stop}


def says(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def answers(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def begin(index: Any, **start: Any) -> dict[str, Any]:
    return {"contentBlockStart": {"start": start, "contentBlockIndex": index}}


def piece(index: Any, **delta: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = bedrock.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached() -> None:
    messages = [
        says(use("a"), use("b")),
        answers(
            result("b", content=[{"text": "timeout"}], status="error"),
            result("a", content=[{"json": {"t": 18}}], status="success"),
        ),
        says(use("c"), use("d")),
        answers(result("c", content=[{"text": "Error"}]), result("d", status=["x"])),
    ]

    calls = calls_in({"messages": messages})

    assert [call.failed for call in calls] == [False, True, True, None]
    assert calls[0].result == [{"json": {"t": 18}}]
    assert [call.step for call in calls] == [0, 0, 1, 1]


def test_tools_of_the_provider_are_marked() -> None:
    document = response(use("a", type="server_tool_use"), use("b"))

    assert [call.kind for call in calls_in(document)] == ["hosted", None]


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_last_call_at_the_limit_of_tokens_is_cut_off(reason: str) -> None:
    whole, cut = calls_in(response(use("a", {"x": 1}), use("b", {}), stop=reason))

    assert (whole.error, cut.error) == (None, "truncated_json")


def test_a_call_before_the_text_that_was_cut_off_is_whole() -> None:
    assert calls_in(response(use("a"), {"text": "x"}, stop="max_tokens"))[0].error is None
    assert calls_in(response({"text": "x"}, stop="max_tokens")) == ()


def test_a_malformed_call_is_a_call() -> None:
    [lost] = calls_in(response({"text": "hm"}, stop="malformed_tool_use"))
    whole, broken = calls_in(response(use("a"), use("b", "<x>"), stop="malformed_tool_use"))

    assert (lost.name, lost.arguments, lost.error) == ("", None, "malformed_tool_use")
    assert whole.error is None
    assert (broken.raw, broken.error) == ("<x>", "invalid_json")


def test_a_stream_is_put_together() -> None:
    events = [
        {"messageStart": {"role": "assistant"}},
        piece(0, text="hm"),
        begin(1, toolUse={"toolUseId": "a", "name": "f"}),
        begin(2, toolUse={"toolUseId": "b", "name": "g"}),
        piece(1, toolUse={"input": '{"x": '}),
        piece(2, text="x"),
        piece(1, toolUse={"input": "1}"}),
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {}},
        {"messageStart": {"role": "assistant"}},
        begin(0, toolUse={"toolUseId": "c", "name": "f", "type": "server_tool_use"}),
        begin(1, toolResult={"toolUseId": "c", "status": "error"}),
        piece(1, toolResult=[{"text": "oh"}]),
    ]

    first, second, third = calls_in(events)

    assert (first.arguments, second.arguments) == ({"x": 1}, {})
    assert (third.kind, third.result, third.failed) == ("hosted", [{"text": "oh"}], True)
    assert [call.step for call in (first, second, third)] == [0, 0, 1]


def test_a_stream_at_the_limit_of_tokens_has_a_malformed_call() -> None:
    begun = begin(0, toolUse={"toolUseId": "a", "name": "f"})
    stop = {"messageStop": {"stopReason": "max_tokens"}}

    [alone] = calls_in(begun)
    [nothing] = calls_in({"stream": [begun, stop]})
    [half] = calls_in([begun, piece(0, toolUse={"input": '{"x'}), stop])
    [whole] = calls_in([begun, piece(0, toolUse={"input": '{"x": 1}'}), stop])

    assert alone.error is None
    assert (nothing.error, half.error, whole.error) == ("truncated_json", "truncated_json", None)


def test_a_stream_without_indices_is_read_in_order() -> None:
    events = [
        begin(None, toolUse={"toolUseId": "a", "name": "f"}),
        piece(None, toolUse={"input": '{"x": 1}'}),
        begin(None, toolUse={"toolUseId": "b", "name": "f"}),
        piece(None, toolUse={"input": '{"x": 2}'}),
    ]

    assert [call.arguments for call in calls_in(events)] == [{"x": 1}, {"x": 2}]


def test_a_line_of_a_batch_is_named_by_its_record() -> None:
    answered = {"recordId": "r1", "modelInput": {}, "modelOutput": response(use("a"))}
    failed = {"recordId": "r2", "modelInput": {}, "error": {"errorCode": 400}}

    [first] = bedrock.read(answered, DEFAULT_READ_OPTIONS)
    [second] = bedrock.read(failed, DEFAULT_READ_OPTIONS)

    assert (first.id, len(first.calls or ())) == ("r1", 1)
    assert (second.id, second.calls) == ("r2", None)


@pytest.mark.parametrize(
    "answer",
    [
        response(use("a")),
        [begin(0, toolUse={"toolUseId": "a", "name": "f"})],
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use"}],
            "stop_reason": "",
        },
        [
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            }
        ],
    ],
)
def test_a_log_holds_answers_of_every_kind(answer: Any) -> None:
    log = {"schemaType": "ModelInvocationLog", "output": {"outputBodyJson": answer}}

    assert bedrock.recognizes(log)
    assert len(calls_in(log)) == 1


@pytest.mark.parametrize("output", [{}, {"outputTokenCount": 8}, {"outputBodyJson": {"text": "x"}}])
def test_a_log_without_an_answer_that_can_be_read_is_not_claimed(output: Any) -> None:
    assert not bedrock.recognizes({"schemaType": "ModelInvocationLog", "output": output})


def test_tools_are_those_of_the_request() -> None:
    tool = Tool("f", None, {"type": "object"})
    body = {"toolConfig": {"tools": [SPEC, {"systemTool": {"name": "nova_grounding"}}]}}
    other = {"tools": [{"name": "f", "input_schema": {"type": "object"}}]}

    assert bedrock.read_tools(body) == [tool]
    assert bedrock.read_tools({"modelInput": body}) == [tool]
    assert bedrock.read_tools({"input": {"inputBodyJson": other}}) == [tool]
    assert bedrock.read_tools(other) == []


@pytest.mark.parametrize(
    "document",
    [
        response({"text": "x"}, stop="end_turn"),
        response(use("a", {}), stop=None),
        {"messages": [says(use("a"))]},
        {"messages": [], "toolConfig": {"tools": []}},
        says(use("a")),
        answers(result("a")),
        {"modelInput": {}, "modelOutput": response(use("a"))},
        {"stream": [begin(0)]},
        begin(0),
        [{"messageStart": {"role": "assistant"}}],
    ],
)
def test_it_claims_what_only_converse_has(document: Any) -> None:
    assert bedrock.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        [says(use("a"))],  # a bare list of messages is what Strands keeps
        response({"text": "x"}, stop=None),
        {"messages": [says({"text": "x"})]},
        {"output": {"message": {"content": "x"}}, "stopReason": "x"},
        {"modelInput": {}, "modelOutput": {"generation": "x"}},
        {"modelInput": "x", "error": {}},
        {"stream": True},
        [{"metadata": {}}],
        "toolUse",
    ],
)
def test_it_leaves_look_alikes_to_others(document: Any) -> None:
    assert not bedrock.recognizes(document)


def test_lines_with_events_are_one_stream_and_lines_with_messages_one_conversation() -> None:
    assert bedrock.joins_lines(begin(0))
    assert bedrock.joins_lines(says(use("a")))
    assert not bedrock.joins_lines({"messageStart": "x"})
    assert not bedrock.joins_lines(response(use("a")))
    assert [
        call.failed for call in calls_in([says(use("a")), answers(result("a", status="error"))])
    ] == [True]


def test_what_is_no_document_has_no_calls() -> None:
    assert calls_in(3) == ()
    assert calls_in([3, begin(0, toolUse="x"), piece(0, toolUse={"input": 3})]) == ()


def test_blocks_of_a_message_are_calls_without_the_message() -> None:
    block = use("a")

    assert bedrock.recognizes(block)
    assert bedrock.recognizes([{"text": "x"}, block])
    assert calls_in(block) == calls_in([{"text": "x"}, block]) == calls_in(says(block))
    assert not bedrock.recognizes({**block, "id": "1"})
    assert not bedrock.recognizes({"toolUse": {"name": None}})
