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
    read_lost_call,
)

KEY = "ZxQqWmPl/Key+0123456789"
CHOICES = '{"choices": [{"message": {"role": "assistant", "content": %s}}]}'


def response(content: str | bytes) -> httpx2.Response:
    return httpx2.Response(200, content=content)


def failed(error: Exception, key: str = "hush-hush") -> Any:
    return model_failure(error, model="m", server="http://127.0.0.1:1/v1", key=key)


def said(content: str) -> Any:
    return read_completion(response(CHOICES % content), KEY)["choices"][0]["message"]["content"]


def test_a_completion_is_given_as_it_is() -> None:
    assert said('"hi"') == "hi"


def test_what_only_a_lenient_reader_takes_becomes_plain_data() -> None:
    assert said(r'"half \ud83d"') == "half \\ud83d"
    assert said("NaN") == "NaN"
    assert str(said('[1e9999, NaN, -1e9400, "\\ud83d"]')) == "[1e9999, 'NaN', -1e9400, '\\\\ud83d']"


def test_numbers_of_any_size_stay_numbers() -> None:
    assert str(said("[1e9999, 1e1000000000000000000]")) == "[1e9999, 1e1000000000000000000]"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<html>Welcome</html>", "is not JSON: '<html>Welcome</html>'"),
        ("", "is not JSON: ''"),
        (b"\xff\xfe", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", r"has no choices: '\[\]'"),
        ('{"choices": null}', "has no choices"),
        ('{"choices": [null]}', "has no message"),
        ('{"choices": ["a"]}', "has no message"),
        ('{"error": "no such model"}', "returned an error: no such model"),
        ('{"error": {"message": "no such model", "code": 404}}', "no such model"),
        ('{"error": {"reason": "?"}}', "reason"),
    ],
)
def test_anything_else_cannot_be_used_and_does_not_pass(content: Any, problem: str) -> None:
    with pytest.raises(UnusableAnswer, match=problem) as raised:
        read_completion(response(content), KEY)

    assert not is_transient(raised.value)


def test_an_error_with_the_status_of_success_may_pass() -> None:
    with pytest.raises(UnusableAnswer) as raised:
        read_completion(response('{"error": {"message": "slow down", "code": 429}}'), KEY)

    assert is_transient(raised.value)
    assert failed(raised.value).status == 429


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
            StatusError(500, None),
            "the server returned 500 Internal Server Error: Error code",
            False,
        ),
        (
            ConnectionError("the stream ended early"),
            "the connection to http://127.0.0.1:1/v1 failed: the stream ended early",
            False,
        ),
        (APIConnectionError(), "the connection to http://127.0.0.1:1/v1 failed: API", False),
        (TimeoutError("no answer within 1 s"), "no answer within 1 s", True),
        (TimeoutError(), "no answer before the timeout", True),
        (APITimeoutError("Request timed out."), "the connection to", True),
        (
            UnusableAnswer("the server's answer is not JSON"),
            "the server's answer is not JSON",
            False,
        ),
        (KeyError("x"), "KeyError: 'x'", False),
    ],
)
def test_what_went_wrong_is_a_sentence(error: Exception, problem: str, is_timeout: bool) -> None:
    found = failed(error)

    assert found.problem.startswith(problem)
    assert str(found).startswith(f"m: {problem}")
    assert found.is_timeout is is_timeout
    assert found.attempts == 1


def test_a_long_answer_is_cut() -> None:
    assert len(failed(StatusError(500, "x" * 10_000)).problem) <= 300


def test_a_call_that_the_server_threw_away_is_an_answer() -> None:
    body = {"code": "tool_use_failed", "message": "no", "failed_generation": "<f>{"}

    assert read_lost_call(StatusError(400, body)) == {"error": body}
    assert read_lost_call(StatusError(400, {"code": "other"})) is None
    assert read_lost_call(ValueError()) is None


@pytest.mark.parametrize("content", ['{"choices": []}', "data: [DONE]\n\n"])
def test_an_answer_with_nothing_in_it_may_come_the_next_time(content: str) -> None:
    with pytest.raises(EmptyAnswer, match="answer is empty") as raised:
        read_completion(response(content), KEY)

    assert is_transient(raised.value)
    assert failed(raised.value).problem == "the server's answer is empty"


@pytest.mark.parametrize(
    "content",
    [
        CHOICES % f'"you sent {KEY}"',
        CHOICES % '"you sent {}"'.format(KEY.replace("/", "\\/")),
        "".join(
            f'data: {{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}\n\n'
            for piece in (KEY[:9], KEY[9:])
        )
        + "data: [DONE]\n\n",
    ],
    ids=["as it is", "escaped", "in pieces"],
)
def test_a_key_that_an_answer_repeats_is_scored_as_it_is(content: str) -> None:
    assert KEY in str(read_completion(response(content), KEY))


def test_a_word_that_is_a_short_key_stays_in_an_answer() -> None:
    found = read_completion(response(CHOICES % '"ollama runs here"'), "ollama")

    assert "ollama" in str(found)


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


def test_another_trouble_of_the_connection_is_said_in_the_words_of_the_system() -> None:
    error = APIConnectionError()
    error.__cause__ = OSError(113, "whatever")

    assert failed(error).problem.endswith("failed: No route to host")


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
    with pytest.raises(ConnectionError, match="ended early"):
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
