"""OpenAI chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects.openai_chat import joins_lines, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def entry(id: str | None, name: str, arguments: Any = "{}") -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(*calls: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def response(*messages: Any, finish: str = "tool_calls") -> dict[str, Any]:
    choices = [{"message": message, "finish_reason": finish} for message in messages]
    return {"object": "chat.completion", "choices": choices}


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, options)
    return trace


def calls_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    trace = trace_of(document, options)
    assert trace.calls is not None
    return trace.calls


def test_results_are_attached_by_id_and_an_error_is_a_failure() -> None:
    first, second = calls_of(
        [
            answer(entry("a", "f"), entry("b", "g")),
            {"role": "tool", "tool_call_id": "b", "content": "Error: timeout"},
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "18C"}]},
        ]
    )

    assert (first.result, first.failed) == ([{"type": "text", "text": "18C"}], False)
    assert (second.result, second.failed) == ("Error: timeout", True)


def test_a_tool_message_without_an_id_goes_by_the_name_of_the_tool() -> None:
    first, second = calls_of(
        [
            answer(entry("null", "f"), entry("null", "g")),
            {"role": "tool", "tool_call_id": "null", "name": "g", "content": "2"},
            {"role": "tool", "name": "f", "content": "1"},
        ]
    )

    assert (first.id, first.result) == (None, "1")
    assert (second.id, second.result) == (None, "2")


@pytest.mark.parametrize(
    ("mark", "failed"),
    [({"is_error": True}, True), ({"is_error": False}, False), ({"status": "error"}, True)],
)
def test_what_a_stack_says_of_a_tool_message_counts_more_than_its_text(
    mark: dict[str, Any], failed: bool
) -> None:
    (call,) = calls_of(
        [
            answer(entry("a", "f")),
            {"role": "tool", "tool_call_id": "a", "content": "Error or not", **mark},
        ]
    )

    assert call.failed is failed


def test_the_result_of_a_legacy_function_call_is_found_by_its_name() -> None:
    first, second = calls_of(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f"}},
            {"role": "function", "name": "f", "content": "1"},
            {"role": "assistant", "function_call": {"name": "f", "arguments": '{"x": 1}'}},
            {"role": "function", "name": "f", "content": "Error"},
        ]
    )

    assert (first.arguments, first.result, first.failed, first.step) == ({}, "1", False, 0)
    assert (second.arguments, second.failed, second.step) == ({"x": 1}, True, 1)


def test_the_calls_of_one_message_share_a_step() -> None:
    calls = calls_of([answer(entry("a", "f"), entry("b", "f")), answer(entry("c", "f"))])

    assert [call.step for call in calls] == [0, 0, 1]


def test_the_record_of_a_conversation_has_a_name_and_a_question() -> None:
    question = {"role": "user", "content": [{"type": "text", "text": "Weather?"}]}

    trace = trace_of({"task_id": 7, "messages": [question, question]})

    assert (trace.id, trace.input) == ("7", "Weather?")


@pytest.mark.parametrize("document", [{"messages": [], "id": {}}, {**answer(), "id": "msg_1"}])
def test_the_id_of_a_message_is_no_task(document: Any) -> None:
    assert trace_of(document).id is None


def test_another_candidate_is_found_by_its_index_or_by_its_place() -> None:
    messages = [answer(entry("a", "f")), answer(entry("b", "g"))]
    numbered = response(*messages)
    numbered["choices"][0]["index"] = 1
    numbered["choices"][1]["index"] = 0

    assert calls_of(numbered)[0].name == "g"
    assert calls_of(response(*messages), ReadOptions(candidate=1))[0].name == "g"


@pytest.mark.parametrize("candidate", [2, 99])
def test_a_candidate_that_there_is_not_is_no_answer_without_calls(candidate: int) -> None:
    assert trace_of(response(answer()), ReadOptions(candidate=candidate)).calls is None


def test_no_choices_are_no_answer() -> None:
    assert trace_of({"object": "chat.completion", "choices": []}).calls is None


@pytest.mark.parametrize("calls", [None, [], {}])
def test_no_calls_are_an_answer(calls: Any) -> None:
    message = {"role": "assistant", "content": "Hello", "tool_calls": calls}

    assert calls_of(response(message, finish="stop")) == ()


def test_what_the_server_has_run_itself_is_marked_and_comes_first() -> None:
    ran = [
        {"index": 0, "type": "search", "arguments": '{"query": "x"}', "output": "y"},
        {"index": 1, "type": "python", "arguments": '{"code": "1"}'},
    ]

    search, code, own = calls_of(response(answer(entry("a", "f"), executed_tools=ran)))

    assert (search.name, search.arguments, search.result) == ("search", {"query": "x"}, "y")
    assert (code.name, code.arguments, code.result) == ("python", {"code": "1"}, None)
    assert [call.kind for call in (search, code, own)] == ["hosted", "hosted", None]
    assert [call.step for call in (search, code, own)] == [0, 0, 1]


def test_an_answer_that_was_too_long_is_cut_in_its_last_call() -> None:
    whole, cut = calls_of(
        response(answer(entry("a", "f", ""), entry("b", "g", "")), finish="length")
    )

    assert (whole.arguments, whole.error) == ({}, None)
    assert (cut.arguments, cut.error) == (None, "truncated_json")


def test_a_call_that_was_written_to_its_end_is_not_cut() -> None:
    (call,) = calls_of(response(answer(entry("a", "f", '{"x": 1}')), finish="length"))

    assert (call.arguments, call.error) == ({"x": 1}, None)


def test_free_text_does_not_tell_its_end() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}

    assert calls_of(response(answer(custom)))[0].arguments == {"input": "SELECT"}
    assert calls_of(response(answer(custom), finish="length"))[0].error == "truncated_json"


def test_an_entry_that_is_not_as_it_should_be_is_still_a_call() -> None:
    flat = {"id": "a", "name": "f", "args": {"x": 1}}
    named = {"id": "b", "function": "g", "arguments": {}}
    nameless = {"id": "c", "type": "function", "function": None}

    calls = calls_of(response(answer(flat, named, nameless, "no call at all")))

    assert [(call.name, call.arguments) for call in calls] == [
        ("f", {"x": 1}),
        ("g", {}),
        ("", {}),
    ]


def test_a_message_that_is_none_has_no_calls() -> None:
    document = response(answer())
    document["choices"][0]["message"] = None

    assert read(document, DEFAULT_READ_OPTIONS)[0].calls == ()


def test_a_call_that_the_server_threw_away_has_failed() -> None:
    (call,) = calls_of(
        {
            "error": {
                "code": "tool_use_failed",
                "message": "did not match schema",
                "failed_generation": '{"name": "f", "parameters": {"x": 1}}',
            }
        }
    )

    assert (call.name, call.arguments) == ("f", {"x": 1})
    assert (call.failed, call.result) == (True, "did not match schema")


def test_a_model_that_had_to_call_a_tool_and_did_not_made_no_call() -> None:
    error = {
        "message": "Tool choice is required, but model did not call a tool",
        "code": "tool_use_failed",
        "failed_generation": "maybe",
    }

    assert calls_of({"error": error}) == ()


def test_a_call_that_was_thrown_away_unseen_is_one_of_no_tool() -> None:
    (call,) = calls_of({"error": {"code": "tool_use_failed", "failed_generation": ""}})

    assert (call.name, call.arguments, call.error) == ("", None, "tool_use_failed")
    assert call.failed


def test_a_response_beside_its_request_gives_what_was_answered() -> None:
    document = {
        "request": {"messages": [answer(entry("a", "f"))], "tools": [{"name": "g"}]},
        "response": response(answer(entry("b", "g"))),
    }

    assert [call.name for call in calls_of(document)] == ["g"]
    assert [tool.name for tool in read_tools(document)] == ["g"]


def test_messages_beside_choices_are_what_was_asked() -> None:
    document = {"messages": [answer(entry("a", "f"))], **response(answer(entry("b", "g")))}

    assert [call.name for call in calls_of(document)] == ["g"]


def test_a_page_of_responses_gives_a_run_for_each() -> None:
    page = {"object": "list", "data": [response(answer(entry("a", "f"))), response(answer())]}

    assert recognizes(page)
    assert [len(trace.calls or ()) for trace in read(page, DEFAULT_READ_OPTIONS)] == [1, 0]


def test_a_document_without_definitions_has_no_tools() -> None:
    assert read_tools({"messages": []}) == []
    assert read_tools([]) == []


def test_lines_of_messages_are_one_conversation() -> None:
    assert joins_lines({"role": "user", "content": "w"})
    assert not joins_lines({"messages": []})


def test_a_bare_list_of_calls_is_read() -> None:
    assert [call.id for call in calls_of([entry("a", "f"), entry("b", "g")])] == ["a", "b"]
    assert [call.step for call in calls_of(entry("a", "f"))] == [None]


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        [{"type": "custom", "custom": {"name": "f", "format": {}}}],
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}]},
        {"messages": [{"role": "assistant", "content": [{"toolUse": {"name": "f"}}]}]},
        {"messages": [{"role": "assistant", "content": ["text"]}]},
        {"messages": [{"role": "assistant", "items": []}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "args": {}}]}]},
        {"messages": [{"type": "ai", "content": ""}]},
        {"choices": []},
        {"choices": [{"delta": {}}]},
        {"error": {"code": "rate_limit_exceeded"}},
        {"object": "list", "data": []},
        {"object": "list", "data": [{"object": "thread.run"}]},
        {"response": response(answer())},
        {"role": ["assistant"], "content": ""},
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)
