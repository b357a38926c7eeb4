"""Streamed answers put together, as if they had come at once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore import read_calls
from callscore.models.responses import assemble_stream

END = "data: [DONE]\n\n"


def events(*chunks: Any, end: str = END) -> str:
    return "".join(f"data: {msgspec.json.encode(each).decode()}\n\n" for each in chunks) + end


def chunk(delta: Any, finish: str | None = None, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "model": "m", "object": "chat.completion.chunk", "choices": [choice]}


def piece(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"tool_calls": [{"index": index, "function": {**name, "arguments": arguments}, **more}]}


def test_words_and_arguments_are_put_together() -> None:
    document = assemble_stream(
        events(
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "Let me "}),
            chunk({"content": "see.", "reasoning_content": "hm"}),
            chunk(piece(0, '{"ci', id="a", name="weather")),
            chunk(piece(1, "{}", id="b", name="news")),
            chunk(piece(0, 'ty": 1}')),
            chunk({}, "tool_calls"),
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        )
    )

    message = document["choices"][0]["message"]
    assert message["content"] == "Let me see."
    assert message["reasoning_content"] == "hm"
    assert [call["id"] for call in message["tool_calls"]] == ["a", "b"]
    assert (document["model"], document["choices"][0]["finish_reason"]) == ("m", "tool_calls")
    assert document["usage"] == {"prompt_tokens": 1, "completion_tokens": 2}
    assert [(call.name, call.arguments) for call in read_calls(document)] == [
        ("weather", {"city": 1}),
        ("news", {}),
    ]


def test_several_answers_are_kept_apart_in_order() -> None:
    document = assemble_stream(
        events(chunk({"content": "b"}, "stop", 1), chunk({"content": "a"}, "stop", 0))
    )

    said = [choice["message"]["content"] for choice in document["choices"]]
    assert said == ["a", "b"]
    assert document["usage"] is None


def test_an_answer_of_calls_alone_says_nothing() -> None:
    delta = {"content": "", "tool_calls": [{"index": 0, "custom": {"name": "sql", "input": "x"}}]}

    message = assemble_stream(events(chunk(delta, "tool_calls")))["choices"][0]["message"]

    assert message["content"] is None
    assert message["tool_calls"][0]["type"] == "custom"


@pytest.mark.parametrize(
    "text",
    [
        events(chunk({"content": "half a"}), end=""),
        events(chunk({"content": "data: [DONE]"}), end=""),
        events(chunk({"content": "a"}, "stop", 0), chunk({"content": "half"}, None, 1), end=""),
        'data: {"choices": [{"delta": {"cont',
        ": nothing but a comment\n\n",
    ],
)
def test_half_a_stream_is_a_lost_connection(text: str) -> None:
    with pytest.raises(ConnectionError, match="ended in the middle"):
        assemble_stream(text)


def test_a_stream_is_whole_by_its_end_or_by_what_the_model_says() -> None:
    assert assemble_stream(events(chunk({"content": "a"}, "stop"), end=""))["choices"]
    assert assemble_stream(events(chunk({"content": "a"})))["choices"]


def test_an_error_in_a_stream_is_what_it_gives() -> None:
    text = events(chunk({"content": "a"}), {"error": {"message": "overloaded", "code": 529}})

    assert assemble_stream(text) == {"error": {"message": "overloaded", "code": 529}}


def test_what_makes_no_sense_in_a_chunk_is_passed_over() -> None:
    odd = {"object": "chat.completion.chunk", "choices": [None, {"delta": None}]}

    document = assemble_stream(events(odd, chunk({"content": 5}), chunk({"content": "a"}, "stop")))

    assert document["choices"][0]["message"]["content"] == "a"


def test_calls_stand_by_their_index_however_it_is_written() -> None:
    document = assemble_stream(
        events(
            chunk({"tool_calls": [{"index": "1", "id": "b", "function": {"name": "news"}}]}),
            chunk({"tool_calls": [{"index": "0", "id": "a", "function": {"name": "get_"}}]}),
            chunk({"tool_calls": [{"index": "0", "function": {"name": "weather"}}]}),
            chunk(piece(1, "{}")),
            chunk({"content": [{"type": "text", "text": "hm"}]}, "tool_calls"),
        )
    )

    assert [call.name for call in read_calls(document)] == ["get_weather", "news"]
    assert document["choices"][0]["message"]["content"] == "hm"


def test_a_whole_message_may_stand_for_a_piece() -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
    message = {"role": "assistant", "content": "hm", "tool_calls": calls}
    document = assemble_stream(
        events({"choices": [{"index": "0", "message": message, "finish_reason": "tool_calls"}]})
    )

    assert [call.name for call in read_calls(document)] == ["weather"]
