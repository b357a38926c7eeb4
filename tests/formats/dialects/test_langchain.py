"""What is read of LangChain messages beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import langchain
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str | None, name: Any = "get_weather", args: Any = None) -> dict[str, Any]:
    return {"name": name, "args": args or {}, "id": id_, "type": "tool_call"}


def invalid(id_: str | None, args: str, name: str = "get_weather") -> dict[str, Any]:
    return {"name": name, "args": args, "id": id_, "error": "no JSON", "type": "invalid_tool_call"}


def says(*calls: Any, **more: Any) -> dict[str, Any]:
    return {"type": "ai", "content": "", "tool_calls": list(calls), **more}


def result(id_: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool", "content": content, "tool_call_id": id_, **more}


def chunk(*pieces: tuple[Any, Any, Any, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "AIMessageChunk",
        "content": "",
        "tool_call_chunks": [
            {"name": name, "args": args, "id": id_, "index": index}
            for name, args, id_, index in pieces
        ],
        **more,
    }


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = langchain.read(document, options)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached_to_their_calls() -> None:
    first, second, third = calls_in(
        [
            says(call("a"), call("b")),
            result("b", "timeout", status="error"),
            result("a", [{"type": "text", "text": "18C"}], status="success"),
            says(call("c")),
            result("c", "Error: no such city", status="success"),
        ]
    )

    assert (first.result, first.failed) == ([{"type": "text", "text": "18C"}], False)
    assert (second.result, second.failed) == ("timeout", True)
    assert third.failed is True


def test_calls_of_one_message_share_a_step() -> None:
    found = calls_in({"messages": [says(call("a"), call("b")), says(), says(call("c"))]})

    assert [item.step for item in found] == [0, 0, 1]
    assert [item.id for item in found] == ["a", "b", "c"]


def test_results_of_functions_are_attached_by_name() -> None:
    legacy = says(additional_kwargs={"function_call": {"name": "ping", "arguments": "{}"}})
    answer = {"type": "function", "name": "ping", "content": "pong"}
    unnamed = {"type": "tool", "name": "ping", "content": "ping"}

    [first] = calls_in([legacy, answer])
    [second] = calls_in([legacy, unnamed])

    assert (first.result, second.result) == ("pong", "ping")


def test_calls_that_could_not_be_parsed_stand_where_the_model_made_them() -> None:
    copies = [{"id": "b", "function": {"name": "ping"}}, {"id": "a", "function": {}}]
    message = says(call("a"), additional_kwargs={"tool_calls": copies})
    message["invalid_tool_calls"] = [invalid("b", '{"city": '), invalid("z", "[1]")]

    found = calls_in(message)

    assert [item.id for item in found] == ["b", "a", "z"]
    assert [item.error for item in found] == ["truncated_json", None, "not_an_object"]
    assert found[0].raw == '{"city": '


def test_without_copies_the_calls_that_could_not_be_parsed_come_last() -> None:
    found = calls_in(says(call("a"), invalid_tool_calls=[invalid("b", "{")]))

    assert [item.id for item in found] == ["a", "b"]


def test_only_calls_that_could_not_be_parsed_count_as_well() -> None:
    [found] = calls_in(says(invalid_tool_calls=[invalid("b", "{'a': 1}")]))

    assert (found.arguments, found.error) == (None, "invalid_json")


def test_copies_are_no_further_calls() -> None:
    blocks = [{"type": "tool_use", "id": "a", "name": "get_weather", "input": {}}]
    copies = [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}]

    found = calls_in(says(call("a"), content=blocks, additional_kwargs={"tool_calls": copies}))
    none = calls_in(says(content=blocks, additional_kwargs={"tool_calls": copies}))

    assert [item.name for item in found] == ["get_weather"]
    assert none == ()


def test_where_there_is_no_list_of_calls_its_copies_are_read() -> None:
    blocks = [{"type": "tool_use", "id": "a", "name": "ping", "input": {"n": 1}}]
    custom = [{"id": "b", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}]

    [first] = calls_in({"type": "ai", "content": blocks})
    [second] = calls_in({"type": "ai", "content": "", "additional_kwargs": {"tool_calls": custom}})

    assert (first.name, first.arguments) == ("ping", {"n": 1})
    assert (second.name, second.arguments) == ("sql", {"input": "select 1"})


def test_tools_of_the_provider_are_marked_and_answered() -> None:
    blocks = [
        {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {"q": "x"}},
        {"type": "server_tool_result", "tool_call_id": "s", "status": "error", "output": "down"},
        {"type": "server_tool_use", "id": "t", "name": "bash", "input": {}},
        {"type": "bash_tool_result", "tool_use_id": "t", "content": "ok"},
        {"type": "mcp_tool_use", "id": "m", "name": "echo", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "m", "content": "no", "is_error": True},
        {"type": "odd_tool_result"},
        {"type": 3},
    ]

    server, bash, mcp, own = calls_in(says(call("a"), content=blocks))

    assert (server.kind, server.result, server.failed) == ("hosted", "down", True)
    assert (bash.kind, bash.result, bash.failed) == ("hosted", "ok", False)
    assert (mcp.kind, mcp.failed) == ("mcp", True)
    assert own.kind is None


@pytest.mark.parametrize("is_beside", [False, True])
def test_the_items_of_openai_are_calls_of_the_provider(*, is_beside: bool) -> None:
    items = [
        {"type": "web_search_call", "id": "w", "action": {"type": "search", "query": "x"}},
        {"type": "mcp_call", "id": "m", "name": "ask", "arguments": "{}", "server_label": "s"},
        {"type": "text", "text": "18C"},
    ]
    extra = {"tool_outputs": items[:2]} if is_beside else {}
    content = items[2:] if is_beside else items
    message = {"type": "ai", "content": content, "additional_kwargs": extra, "tool_calls": []}

    (trace,) = langchain.read([message], DEFAULT_READ_OPTIONS)

    assert [(call.name, call.kind, call.step) for call in trace.calls or ()] == [
        ("web_search", "hosted", 0),
        ("ask", "mcp", 0),
    ]


def test_chunks_are_put_together_and_never_completed() -> None:
    found = calls_in(
        [
            chunk(("ping", '{"n"', "a", 0), id="1", tool_calls=[call("a", "ping", {"n": 0})]),
            chunk((None, ": 1}", None, 0)),
            chunk(("ping", "", "b", 1), ("ping", None, "c", 2)),
            chunk((None, '{"n": ', None, 1), chunk_position="last"),
            chunk(("pong", "{}", "d", 0), id="1"),
            result("a", "one"),
            chunk(("pong", "{}", None, None), ("pong", "{}", None, None)),
        ]
    )

    assert [item.id for item in found] == ["a", "b", "c", "d", None, None]
    assert found[0].arguments == {"n": 1}
    assert found[0].result == "one"
    assert found[1].error == "truncated_json"
    assert [item.step for item in found] == [0, 0, 0, 1, 2, 2]


def test_chunks_of_two_answers_at_a_time_are_kept_apart() -> None:
    found = calls_in(
        [
            chunk(("ping", '{"n": ', "a", 0), id="1"),
            chunk(("pong", '{"m": ', "b", 0), id="2"),
            chunk((None, "1}", None, 0), id="1"),
            chunk((None, "2}", None, 0), id="2"),
        ]
    )

    assert [item.arguments for item in found] == [{"n": 1}, {"m": 2}]


def test_the_chosen_generation_is_read() -> None:
    flat = {"generations": [{"message": says(call("a"))}, {"message": says(call("b"))}]}
    nested = {"generations": [flat["generations"]]}

    for document in (flat, nested):
        assert langchain.recognizes(document)
        assert [item.id for item in calls_in(document)] == ["a"]
        assert [item.id for item in calls_in(document, ReadOptions(candidate=1))] == ["b"]
        assert calls_in(document, ReadOptions(candidate=7)) == ()


def test_a_generation_by_itself_is_read() -> None:
    message = says(call("a"))
    dumped = {"text": "", "type": "ChatGeneration", "message": message}
    made = {"lc": 1, "type": "constructor", "id": ["langchain", "ChatGeneration"]}

    for document in (dumped, {**made, "kwargs": {"message": message}}):
        assert langchain.recognizes(document)
        assert [item.id for item in calls_in(document)] == ["a"]
    assert not langchain.recognizes({"type": "ChatGeneration", "message": "words"})


def test_an_answer_that_was_dumped_without_its_type_keeps_its_invalid_calls() -> None:
    wrong = {"name": "g", "args": "{'a'", "id": "b", "error": "no JSON"}
    message = {"content": "", "tool_calls": [call("a")], "invalid_tool_calls": [wrong]}

    for document in (message, [message], {"messages": [message]}):
        assert langchain.recognizes(document)
        assert [(item.id, item.error) for item in calls_in(document)] == [
            ("a", None),
            ("b", "invalid_json"),
        ]
    assert not langchain.recognizes({"invalid_tool_calls": [wrong]})


def test_the_text_of_a_model_that_does_not_chat_has_no_calls() -> None:
    document = {"generations": [[{"text": "hello", "type": "Generation"}]]}

    assert langchain.recognizes(document)
    assert calls_in(document) == ()
    assert not langchain.recognizes({"generations": [{"id": "1", "text": "of Cohere"}]})


@pytest.mark.parametrize(
    ("given", "arguments", "error"),
    [
        ({"city": "Paris"}, {"city": "Paris"}, None),
        ("Paris", {"input": "Paris"}, None),
        (' {"city": "Paris"}', {"city": "Paris"}, None),
        ('{"city": ', None, "truncated_json"),
        (None, {}, None),
    ],
)
def test_the_input_of_an_action_is_an_object_or_a_text(
    given: Any, arguments: Any, error: str | None
) -> None:
    action = {"tool": "get_weather", "tool_input": given, "log": "..."}

    [found] = calls_in(action)

    assert (found.arguments, found.error) == (arguments, error)


def test_actions_are_steps_with_what_was_observed() -> None:
    steps = [
        [{"tool": "a", "tool_input": {}, "log": "", "tool_call_id": "1"}, "Error: no"],
        [{"tool": "b", "tool_input": {}, "log": ""}, {"t": 18}],
    ]

    first, second = calls_in({"input": "x", "output": "y", "intermediate_steps": steps})

    assert (first.id, first.step, first.result, first.failed) == ("1", 0, "Error: no", True)
    assert (second.id, second.step, second.result) == (None, 1, {"t": 18})


def test_tools_beside_the_messages_are_read() -> None:
    function = {"name": "ping", "description": "Ping", "parameters": {"type": "object"}}
    document = {"messages": [says()], "tools": [{"type": "function", "function": function}]}

    [tool] = langchain.read_tools(document)

    assert (tool.name, tool.description) == ("ping", "Ping")


def test_lines_of_messages_and_of_chunks_are_one_document() -> None:
    assert langchain.joins_lines(says(call("a")))
    assert langchain.joins_lines(chunk(("ping", "", "a", 0)))
    assert langchain.joins_lines({"type": "human", "data": {"content": "Hello"}})
    assert not langchain.joins_lines({"type": "system", "content": "of another format"})
    assert not langchain.joins_lines({"messages": [says()]})


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "assistant", "content": "", "tool_calls": []}],
        {"messages": [{"role": "user", "content": "Hello"}]},
        [{"type": "system", "content": "of another format"}],
        [{"type": "tool", "content": "no call is named"}],
        [{"type": "ai", "content": "x"}, {"type": "assistant", "message": {}}],
        [{"type": "text", "text": "a block alone"}],
        [{"type": "tool_call", "id": "1", "name": "of OTel", "arguments": {}}],
        [{"type": "tool_use", "id": "1", "name": "of Anthropic", "input": {}}],
        [{"type": "message", "role": "assistant", "content": []}],
        {"lc": 1, "type": "constructor", "id": ["langchain", "PromptTemplate"], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": None},
        {"lc": 1, "type": "not_implemented", "id": ["AIMessage"], "repr": "AIMessage()"},
        {"user_input": [{"type": "ai", "content": "", "tool_calls": []}], "reference": "r"},
        {"output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn"},
        {"output": "text", "input": "x"},
        {"messages": []},
        {"tool": "ping", "tool_input": {}},
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not langchain.recognizes(document)


def test_a_constructor_without_a_known_class_is_told_by_its_type() -> None:
    kwargs = {"type": "ai", "content": "", "tool_calls": [call("a")]}
    document = {"lc": 1, "type": "constructor", "id": ["mine", "MyMessage"], "kwargs": kwargs}

    assert langchain.recognizes(document)
    assert [item.id for item in calls_in(document)] == ["a"]


def test_wrappers_are_opened_but_not_for_ever() -> None:
    inner = {"output": {"messages": [says(call("a"))]}}

    assert [item.id for item in calls_in(inner)] == ["a"]
    assert not langchain.recognizes({"output": {"output": {"output": inner}}})
