"""What is read of Anthropic messages beyond the names and the arguments of the calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import anthropic
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def use(id_: str, name: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments, **more}


def result(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def says(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), **more}


def answers(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = anthropic.read(document, options)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached_to_their_calls() -> None:
    first, second, third = calls_in(
        [
            says(use("a", "read", {}), use("b", "write", {})),
            answers(result("b", "no space", is_error=True), result("a", [{"text": "x"}])),
            says(use("c", "stop", {})),
            answers(result("c", "Error: still running")),
        ]
    )

    assert (first.result, first.failed) == ([{"text": "x"}], False)
    assert (second.result, second.failed) == ("no space", True)
    assert third.failed is True


def test_a_flag_that_is_down_is_believed_whatever_the_text() -> None:
    [call] = calls_in([says(use("a", "grep", {})), answers(result("a", "Error", is_error=False))])

    assert call.failed is False


def test_the_pattern_of_a_failed_result_is_the_users() -> None:
    document = [says(use("a", "grep", {})), answers(result("a", "oh no"))]

    [call] = calls_in(document, ReadOptions(failure=re.compile("oh no")))

    assert call.failed is True


def test_the_calls_of_one_message_share_a_step() -> None:
    document = [
        answers({"type": "text", "text": "hi"}),
        says(use("a", "f", {}), use("b", "f", {})),
        answers(result("a", "")),
        says(use("c", "f", {})),
    ]

    assert [call.step for call in calls_in(document)] == [0, 0, 1]


def test_the_same_block_twice_is_one_call_and_another_block_with_its_id_is_another() -> None:
    document = says(use("a", "f", {"x": 1}), use("a", "f", {"x": 1}), use("a", "f", {"x": 2}))

    assert [call.arguments for call in calls_in(document)] == [{"x": 1}, {"x": 2}]


def test_server_and_mcp_tools_are_told_by_their_kind() -> None:
    document = says(
        use("a", "f", {}),
        use("b", "web_search", {}, type="server_tool_use"),
        use("c", "create_issue", {}, type="mcp_tool_use", server_name="tracker"),
    )

    assert [call.kind for call in calls_in(document)] == [None, "hosted", "mcp"]


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ({"type": "direct"}, None),
        ({"type": "code_execution_20260120", "tool_id": "s"}, "code"),
        (None, None),
        ({"type": 3}, None),
    ],
)
def test_a_call_from_code_is_marked(caller: Any, expected: str | None) -> None:
    [call] = calls_in(says(use("a", "f", {}, caller=caller)))

    assert call.caller == expected


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ([], False),
        ({"type": "web_search_tool_result_error", "error_code": "unavailable"}, True),
        ({"type": "code_execution_result", "return_code": 0}, False),
        ({"type": "code_execution_result", "return_code": 2}, True),
        (None, False),
    ],
)
def test_a_result_of_the_provider_says_whether_it_failed(content: Any, failed: bool) -> None:
    [call] = calls_in(
        says(
            use("a", "web_search", {}, type="server_tool_use"),
            {"type": "web_search_tool_result", "tool_use_id": "a", "content": content},
        )
    )

    assert call.failed is failed


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_last_block_at_the_limit_of_tokens_is_cut_off(reason: str) -> None:
    document = says(use("a", "f", {"x": 1}), use("b", "g", {"y": 1}), stop_reason=reason)

    whole, cut = calls_in(document)

    assert whole.error is None
    assert (cut.arguments, cut.raw, cut.error) == (None, '{"y":1}', "truncated_json")


def test_a_call_before_the_text_that_was_cut_off_is_whole() -> None:
    [call] = calls_in(says(use("a", "f", {}), {"type": "text"}, stop_reason="max_tokens"))

    assert call.error is None


def test_a_text_in_place_of_arguments_tells_by_itself_whether_it_is_whole() -> None:
    [call] = calls_in(says(use("a", "f", '{"x": 1}'), stop_reason="max_tokens"))

    assert call.arguments == {"x": 1}


def test_arguments_that_are_no_object_make_a_malformed_call() -> None:
    first, second = calls_in(says(use("a", "f", [1]), use("b", None, None)))

    assert (first.arguments, first.error) == (None, "not_an_object")
    assert (second.name, second.arguments) == ("", {})


def test_a_line_of_a_batch_is_named_by_its_custom_id() -> None:
    message = says(use("a", "f", {}), type="message")
    [trace] = anthropic.read(
        {"custom_id": "t-1", "result": {"type": "succeeded", "message": message}},
        DEFAULT_READ_OPTIONS,
    )

    assert trace.id == "t-1"
    assert trace.calls is not None
    assert len(trace.calls) == 1


@pytest.mark.parametrize("outcome", ["errored", "canceled", "expired"])
def test_a_line_of_a_batch_without_an_answer_was_not_run(outcome: str) -> None:
    document = {"custom_id": "t-1", "result": {"type": outcome}}

    assert anthropic.recognizes(document)
    [trace] = anthropic.read(document, DEFAULT_READ_OPTIONS)
    assert (trace.id, trace.calls) == ("t-1", None)


def test_a_single_block_is_a_call() -> None:
    block = use("a", "f", {"x": 1})

    assert anthropic.recognizes(block)
    assert [call.arguments for call in calls_in(block)] == [{"x": 1}]


def test_what_is_no_block_is_passed_over() -> None:
    assert calls_in({"content": [None, 3, {"type": "text"}, {"type": ["x"]}]}) == ()
    assert calls_in({"content": "text"}) == ()
    assert calls_in(3) == ()
    assert calls_in({"result": {"message": "x"}}) == ()


def test_tools_come_from_the_request_and_from_listings() -> None:
    document = {
        "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
        "messages": [
            says(
                {"type": "mcp_tool_listing", "tools": [{"name": "g", "input_schema": {}}]},
                {"type": "text", "text": "x"},
            )
        ],
    }

    assert anthropic.read_tools(document) == [
        Tool("f", "d", {"type": "object"}),
        Tool("g", None, {}),
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"},
        {"type": "message", "role": "assistant", "content": [use("a", "f", {})]},
        says(use("a", "f", {})),
        answers(result("a", "x")),
        {"messages": [{"role": "user", "content": "x"}], "tools": [{"input_schema": {}}]},
        {"messages": [says(use("a", "f", {}))]},
        {"custom_id": "a", "params": {"messages": []}},
        [{"type": "text", "text": "x"}, use("a", "f", {})],
    ],
)
def test_it_claims_what_only_anthropic_writes(document: Any) -> None:
    assert anthropic.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        # Text alone is everybody's.
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}],
        {"messages": [says({"type": "text", "text": "x"})]},
        # An item of OpenAI's Responses API.
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "x"}],
        },
        # A message with the calls beside its content.
        [says(use("a", "f", {}), tool_calls=[{"id": "a", "function": {"name": "f"}}])],
        # A message of LangChain, and one of Vercel's.
        {"type": "ai", "content": [use("a", "f", {})], "tool_calls": []},
        [{"role": "assistant", "content": [{"type": "tool-call", "toolName": "f", "input": {}}]}],
        # Gemini's command line.
        [{"type": "tool_use", "tool_name": "f", "tool_id": "a", "parameters": {}}],
        # A line of an OpenAI batch.
        {"custom_id": "a", "response": {"status_code": 200, "body": {}}},
        {"custom_id": 3, "result": {"type": "succeeded"}},
        {"tools": [{"name": "f", "input_schema": {}}]},
    ],
)
def test_it_leaves_look_alikes_to_others(document: Any) -> None:
    assert not anthropic.recognizes(document)


def test_lines_with_messages_are_one_conversation_and_lines_with_responses_are_many() -> None:
    assert anthropic.joins_lines(says(use("a", "f", {})))
    assert not anthropic.joins_lines(says(use("a", "f", {}), type="message"))
    assert not anthropic.joins_lines({"custom_id": "a", "params": {"messages": []}})
