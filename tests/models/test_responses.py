"""What a server answered, and what went wrong, in sentences without a key."""

from __future__ import annotations

from typing import Any

import httpx2
import msgspec
import pytest

from callscore import read_calls
from callscore.models.limits import is_transient
from callscore.models.responses import (
    EmptyAnswer,
    UnusableAnswer,
    assemble_stream,
    model_failure,
    never_connected,
    read_completion,
)

KEY = "ZxQqWmPl/Key+0123456789"
CHOICES = '{"choices": [{"message": {"role": "assistant", "content": %s}}]}'


def response(content: str | bytes) -> httpx2.Response:
    return httpx2.Response(200, content=content)


def failed(error: Exception, key: str = "hush-hush") -> Any:
    return model_failure(error, model="m", server="http://127.0.0.1:1/v1", key=key)


def said(content: str) -> Any:
    return read_completion(response(CHOICES % content), KEY)["choices"][0]["message"]["content"]


def test_lone_surrogates_and_nan_in_an_answer_become_plain_data() -> None:
    assert said(r'"half \ud83d"') == "half \\ud83d"
    assert said("NaN") == "NaN"
    assert str(said('[1e9999, NaN, -1e9400, "\\ud83d"]')) == "[1e9999, 'NaN', -1e9400, '\\\\ud83d']"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<html>Welcome</html>", "is not JSON: '<html>Welcome</html>'"),
        (b"\xff\xfe", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"choices": null}', "has no choices"),
        ('{"choices": ["a"]}', "has no message"),
        ('{"error": {"message": "no such model", "code": 404}}', "no such model"),
    ],
)
def test_anything_else_cannot_be_used_and_does_not_pass(content: Any, problem: str) -> None:
    with pytest.raises(UnusableAnswer, match=problem) as raised:
        read_completion(response(content), KEY)

    assert not is_transient(raised.value)


class APIConnectionError(Exception):
    """As the SDK calls it."""


class APITimeoutError(APIConnectionError):
    """Likewise."""


class StatusError(Exception):
    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize(
    ("error", "problem", "is_timeout"),
    [
        (
            StatusError(401, {"message": "Incorrect key hush-hush or sk-abcdefghijk1"}),
            "the server returned 401 Unauthorized: Incorrect key *** or ***",
            False,
        ),
        (
            StatusError(529, "so\nbusy"),
            "the server returned 529: so busy",
            False,
        ),
        (
            ConnectionError("the stream ended early"),
            "the connection to http://127.0.0.1:1/v1 failed: the stream ended early",
            False,
        ),
        (TimeoutError(), "no answer before the timeout", True),
        (
            UnusableAnswer("the server's answer is not JSON"),
            "the server's answer is not JSON",
            False,
        ),
        (KeyError("x"), "KeyError: 'x'", False),
    ],
)
def test_a_failed_request_is_described_in_a_sentence(
    error: Exception, problem: str, is_timeout: bool
) -> None:
    found = failed(error)

    assert found.problem.startswith(problem)
    assert str(found).startswith(f"m: {problem}")
    assert found.is_timeout is is_timeout
    assert found.attempts == 1


@pytest.mark.parametrize("content", ['{"choices": []}', "data: [DONE]\n\n"])
def test_an_answer_with_nothing_in_it_may_come_the_next_time(content: str) -> None:
    with pytest.raises(EmptyAnswer, match="answer is empty") as raised:
        read_completion(response(content), KEY)

    assert is_transient(raised.value)
    assert failed(raised.value).problem == "the server's answer is empty"


def test_half_a_key_is_not_shown_where_an_answer_is_cut() -> None:
    for content in (f"{'x' * 95}{KEY}", f'{{"pad": "{"x" * 85}{KEY}"}}'):
        with pytest.raises(UnusableAnswer) as raised:
            read_completion(response(content), KEY)
        assert "ZxQ" not in str(raised.value)


def test_a_stream_may_begin_with_any_field_and_with_a_mark() -> None:
    chunk = 'data: {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}\n\n'
    for beginning in ("retry: 1000\n\n", "id: 1\n", ": ping\n\n", "\ufeff", "\ufeffid: 1\n"):
        found = read_completion(response(beginning + chunk), KEY)
        assert found["choices"][0]["message"]["content"] == "hi"


def test_a_refused_connection_asks_whether_the_server_runs() -> None:
    library = type("ConnectError", (Exception,), {"__module__": "httpcore2"})
    error, inner, refused = (
        APIConnectionError(),
        library("failed"),
        ConnectionRefusedError(111, "no"),
    )
    error.__cause__, inner.__context__ = inner, refused
    refused.__context__ = RuntimeError("no running event loop")

    assert never_connected(error)
    assert (
        failed(error).problem
        == "connection refused. Is the server running at http://127.0.0.1:1/v1?"
    )


# Streamed answers put together, as if they had come at once.

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
    with pytest.raises(ConnectionError, match="ended early"):
        assemble_stream(text)


def test_an_error_in_a_stream_is_what_it_gives() -> None:
    text = events(chunk({"content": "a"}), {"error": {"message": "overloaded", "code": 529}})

    assert assemble_stream(text) == {"error": {"message": "overloaded", "code": 529}}


def test_malformed_parts_of_a_stream_chunk_are_ignored() -> None:
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
