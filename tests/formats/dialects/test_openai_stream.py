"""OpenAI chat completions, streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects.openai_stream import joins_lines, read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def chunk(delta: Any, finish: str | None = None, index: Any = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def fragment(index: Any, id: Any = None, name: Any = None, text: Any = None) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    part = {"index": index, "id": id, "function": {"name": name, "arguments": text}}
    return {"tool_calls": [part]}


def calls_of(*chunks: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    document = list(chunks)
    assert recognizes(document)
    (trace,) = read(document, options)
    assert trace.calls is not None
    return trace.calls


def test_fragments_belong_together_by_their_index() -> None:
    first, second = calls_of(
        chunk({"role": "assistant", "content": None}),
        chunk(fragment(0, "a", "f", "")),
        chunk(fragment(1, "b", "g", '{"y"')),
        chunk(fragment(0, text='{"x": ')),
        chunk(fragment(1, text=": 2}")),
        chunk(fragment(0, text="1}")),
        chunk({}, "tool_calls"),
    )

    assert (first.name, first.arguments, first.id, first.step) == ("f", {"x": 1}, "a", 0)
    assert (second.name, second.arguments, second.id, second.step) == ("g", {"y": 2}, "b", 0)


def test_the_events_of_the_sdk_wrap_the_chunks() -> None:
    chunks = [chunk(fragment(0, "a", "f", '{"x": ')), chunk(fragment(0, text="1}"), "tool_calls")]
    done = {"type": "tool_calls.function.arguments.done", "name": "f", "arguments": '{"x": 1}'}
    events = [{"type": "chunk", "chunk": item, "snapshot": {"choices": []}} for item in chunks]

    (call,) = calls_of(*events, done)

    assert (call.name, call.arguments, call.id) == ("f", {"x": 1}, "a")
    assert joins_lines(events[0])
    assert not joins_lines({"type": "chunk", "chunk": "text"})


def test_a_new_id_at_the_same_index_is_a_new_call() -> None:
    calls = calls_of(
        chunk(fragment(0, "a", "f", '{"x": 1}')),
        chunk(fragment(0, "a", "f", "")),
        chunk(fragment(0, "b", "f", '{"x": ')),
        chunk(fragment(0, None, None, "2}")),
        chunk({}, "tool_calls"),
    )

    assert [(call.id, call.arguments) for call in calls] == [("a", {"x": 1}), ("b", {"x": 2})]


def test_an_id_may_come_late() -> None:
    (call,) = calls_of(chunk(fragment(0, "", "f", "{")), chunk(fragment(0, "a", None, "}"), "stop"))

    assert (call.id, call.arguments) == ("a", {})


def test_without_ids_a_second_name_is_a_new_call() -> None:
    calls = calls_of(
        chunk(fragment(0, None, "f", "{}")), chunk(fragment(0, None, "f", "{}"), "tool_calls")
    )

    assert [call.name for call in calls] == ["f", "f"]


def test_a_fragment_without_an_index_goes_on_with_the_last_call() -> None:
    first, second = calls_of(
        chunk(fragment(None, "a", "f", "{}")),
        chunk(fragment(None, "b", "g", '{"x":')),
        chunk(fragment(None, None, None, " 1}"), "tool_calls"),
    )

    assert (first.name, first.arguments) == ("f", {})
    assert (second.name, second.arguments) == ("g", {"x": 1})


def test_arguments_may_be_sent_as_an_object() -> None:
    (call,) = calls_of(chunk(fragment(0, "a", "f", {"x": 1}), "tool_calls"))

    assert call.arguments == {"x": 1}


def test_what_was_cut_off_is_not_completed() -> None:
    first, second = calls_of(chunk(fragment(0, "a", "f", "")), chunk(fragment(1, "b", "g", "{")))

    assert (first.arguments, first.error) == ({}, None)
    assert (second.arguments, second.error, second.raw) == (None, "truncated_json", "{")


def test_a_call_that_was_announced_and_never_sent_is_cut() -> None:
    (call,) = calls_of(chunk(fragment(0, "a", "f", "")))

    assert (call.arguments, call.error) == (None, "truncated_json")


def test_the_answers_of_several_requests_are_steps_of_one_run() -> None:
    calls = calls_of(
        chunk(fragment(0, "a", "f", "{}")),
        chunk({}, "tool_calls"),
        {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}},
        chunk(fragment(0, "b", "f", "{}")),
        chunk({}, "tool_calls"),
    )

    assert [call.step for call in calls] == [0, 1]


def test_another_candidate_is_taken_by_its_index() -> None:
    chunks = [
        chunk(fragment(0, "a", "f", "{}"), "stop"),
        chunk(fragment(0, "b", "g", "{}"), "stop", 1),
    ]

    assert calls_of(*chunks)[0].name == "f"
    assert calls_of(*chunks, options=ReadOptions(candidate=1))[0].name == "g"
    assert calls_of(chunk(fragment(0, "a", "f", "{}"), "stop", None))[0].name == "f"


def test_one_chunk_is_a_stream_too() -> None:
    document = chunk(fragment(0, "a", "f", "{}"), "tool_calls")

    assert recognizes(document)
    assert len(read(document, DEFAULT_READ_OPTIONS)[0].calls or ()) == 1


def test_lines_of_chunks_are_one_answer() -> None:
    assert joins_lines(chunk({}))
    assert joins_lines({"choices": [{"delta": {}}]})
    assert joins_lines({"object": "", "choices": [], "prompt_filter_results": []})
    assert not joins_lines({"choices": [{"message": {}}]})


def test_a_legacy_function_call_has_neither_index_nor_id() -> None:
    (call,) = calls_of(
        chunk({"function_call": {"name": "f", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"x": 1}'}}, "function_call"),
    )

    assert (call.name, call.arguments, call.id) == ("f", {"x": 1}, None)


def test_the_input_of_a_custom_tool_is_put_together() -> None:
    parts = [{"index": 0, "id": "a", "custom": {"name": "sql", "input": "SELECT "}}]
    rest = [{"index": 0, "custom": {"input": "1"}}, {"index": 0, "custom": {}}]

    (call,) = calls_of(chunk({"tool_calls": parts}), chunk({"tool_calls": rest}, "tool_calls"))

    assert (call.name, call.arguments) == ("sql", {"input": "SELECT 1"})


def test_calls_stand_by_their_index_and_the_last_one_sent_is_the_one_that_is_cut() -> None:
    first, second = calls_of(
        chunk(fragment("1", "b", "g", "{}"), index="0"),
        chunk(fragment("0", "a", "f", ""), "length", index="0"),
    )

    assert (first.name, first.error) == ("f", "truncated_json")
    assert (second.name, second.error) == ("g", None)


def test_one_without_an_index_comes_after_the_one_before_it() -> None:
    calls = calls_of(
        chunk(fragment(1, "b", "g", "{}")),
        chunk(fragment(None, "c", "h", "{}")),
        chunk(fragment(0, "a", "f", "{}"), "tool_calls"),
    )

    assert [call.name for call in calls] == ["f", "g", "h"]


@pytest.mark.parametrize(
    "names", [("get_", "weather"), ("get_", "get_weather"), ("get_weather", "get_weather")]
)
def test_a_name_may_come_in_pieces_or_again(names: tuple[str, str]) -> None:
    (call,) = calls_of(
        *(chunk(fragment(0, "a", name)) for name in names), chunk(fragment(0, text="{}"), "stop")
    )

    assert call.name == "get_weather"


def test_a_whole_message_may_stand_for_a_fragment() -> None:
    message = {"role": "assistant", **fragment(0, "a", "f", "{}")}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}

    (call,) = calls_of({"object": "chat.completion.chunk", "choices": [choice]})

    assert (call.name, call.arguments) == ("f", {})


@pytest.mark.parametrize(
    "document",
    [
        [{"choices": [{"message": {"role": "assistant"}}]}],
        [chunk({}), {"choices": [{"message": {}}]}],
        [chunk({}), "text"],
        [{"choices": []}],
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)


def test_what_the_server_runs_is_reported_in_pieces() -> None:
    begun = {"index": 0, "type": "search", "arguments": '{"q": "x"}', "output": ""}
    ended = {"index": 0, "type": "search", "arguments": "", "output": "y"}

    (search,) = calls_of(
        chunk({"executed_tools": [begun]}), chunk({"executed_tools": [ended]}, "stop")
    )

    assert (search.name, search.arguments, search.result) == ("search", {"q": "x"}, "y")
    assert search.kind == "hosted"
