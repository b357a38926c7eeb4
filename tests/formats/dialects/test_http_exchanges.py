"""Recorded HTTP traffic."""

from __future__ import annotations

import gzip
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.documents import traces_in
from callscore.errors import InvalidCall, UnknownFormat
from callscore.formats.dialects.http_exchanges import (
    joins_lines,
    read,
    read_tools,
    recognizes,
)
from callscore.formats.families.recorded_bodies import read_events, read_text
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.call import ToolCall


def call(id: Any = "a", name: str = "f", arguments: str = "{}") -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def message(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(content: str, id: str = "a") -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {"role": "tool", "tool_call_id": id, "content": content}


def answer(*calls: Any) -> dict[str, Any]:
    return {"object": "chat.completion", "choices": [{"message": message(*calls)}]}


def exchange(asked: Any, answered: Any, status: Any = 200) -> dict[str, Any]:
    return {
        "request": {"method": "POST", "uri": "https://example.com", "body": asked},
        "response": {"status": status, "body": answered},
    }


def calls_of(document: Any) -> tuple[ToolCall, ...]:
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def test_the_answers_make_one_run_and_the_requests_repeat_nothing() -> None:
    calls = calls_of(
        [
            exchange({"messages": []}, answer(call("a"), call("b"))),
            exchange("", answer()),
            exchange({"messages": [message(call("a"), call("b"))]}, answer(call("c"))),
        ]
    )

    assert [(found.id, found.step) for found in calls] == [("a", 0), ("b", 0), ("c", 1)]


def test_results_are_those_that_a_later_request_hands_in() -> None:
    history = [message(call("a"), call("b")), result("18C"), result("Error: no", "b")]

    first, second, third = calls_of(
        [
            exchange({"messages": []}, answer(call("a"), call("b"))),
            exchange({"messages": history}, answer(call("c"))),
        ]
    )

    assert (first.result, first.failed) == ("18C", False)
    assert (second.result, second.failed) == ("Error: no", True)
    assert (third.result, third.failed) == (None, None)


def test_a_result_that_is_known_stays() -> None:
    calls = calls_of(
        [
            exchange({"messages": []}, answer(call("a"))),
            exchange({"messages": [message(call("a")), result("first")]}, answer(call("b"))),
            exchange({"messages": [message(call("a")), result("second")]}, answer()),
        ]
    )

    assert [found.result for found in calls] == ["first", None]


def test_calls_without_ids_are_found_by_name_and_arguments_from_the_end_on() -> None:
    made_up = [message(call("x")), result("made up", "x")]
    handed_in = [message(call("y"), call("z", "g")), result("18C", "y")]

    (found,) = calls_of(
        [
            exchange({"messages": made_up}, answer(call(None))),
            exchange({"messages": [*made_up, *handed_in]}, answer()),
        ]
    )

    assert found.result == "18C"


def test_a_request_that_goes_on_from_a_response_need_not_repeat_it() -> None:
    made = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    handed_in = [{"type": "function_call_output", "call_id": "a", "output": "18C"}]
    response = {"object": "response", "id": "resp_1", "output": [made]}

    for before, known in (("resp_1", "18C"), ("resp_0", None)):
        (found,) = calls_of(
            [
                exchange({"input": "w", "model": "m"}, response),
                exchange(
                    {"input": handed_in, "previous_response_id": before},
                    {"object": "response", "id": "resp_2", "output": []},
                ),
            ]
        )
        assert found.result == known


def test_an_error_is_no_call_unless_it_shows_one() -> None:
    lost = {"code": "tool_use_failed", "failed_generation": '{"name": "f", "arguments": {}}'}

    (found,) = calls_of(
        [
            exchange({"messages": []}, {"error": {"code": "rate_limit"}}, 429),
            exchange({"messages": []}, {"messages": []}, 500),
            exchange({"messages": []}, {"error": lost}, {"code": 400, "message": "Bad Request"}),
        ]
    )

    assert (found.name, found.failed) == ("f", True)


@pytest.mark.parametrize(
    "body",
    [
        answer(call()),
        text(answer(call())),
        {"string": text(answer(call())), "encoding": "UTF-8"},
        "data: "
        + text({"choices": [{"delta": {"tool_calls": [call()]}, "finish_reason": "x"}]})
        + "\n\ndata: [DONE]\n\n",
    ],
)
def test_a_body_may_be_wrapped_or_text_or_a_stream(body: Any) -> None:
    assert [found.name for found in calls_of([exchange(None, body)])] == ["f"]


def test_recorders_have_their_own_ways() -> None:
    one = exchange({"messages": [], "tools": [{"name": "f"}]}, answer(call()))
    parsed = {
        "request": {"method": "POST", "uri": "u", "parsed_body": one["request"]["body"]},
        "response": {"status": {"code": 200}, "parsed_body": answer(call())},
    }
    nock = {
        "scope": "https://example.com:443",
        "method": "POST",
        "path": "/v1",
        "body": one["request"]["body"],
        "status": 200,
        "response": answer(call()),
    }
    har = {
        "request": {
            "method": "POST",
            "url": "u",
            "postData": {"text": text(one["request"]["body"])},
        },
        "response": {"status": 200, "content": {"text": text(answer(call()))}},
    }
    for document in (
        one,
        [one],
        [parsed],
        [nock],
        {"version": 1, "interactions": [one]},
        {"http_interactions": [one]},
        {"log": {"entries": [har]}},
        [exchange(one["request"]["body"], answer(call()), {"status_code": "200"})],
    ):
        assert len(calls_of(document)) == 1
        assert [tool.name for tool in read_tools(document)] == ["f"]


def test_lines_of_exchanges_are_one_recording() -> None:
    assert joins_lines(exchange(None, None))
    assert not joins_lines(answer(call()))


def test_a_recording_without_a_known_answer_is_refused_with_the_reason() -> None:
    document = [exchange(None, "<html></html>"), exchange(None, "", 204), exchange(None, {"x": 1})]

    assert recognizes(document)
    with pytest.raises(UnknownFormat, match="none of the 3 recorded HTTP responses"):
        read(document, DEFAULT_READ_OPTIONS)
    assert read_tools(document) == []


@pytest.mark.parametrize(
    "document",
    [
        {"request": {"messages": []}, "response": answer()},
        {"request": {"method": "POST"}, "response": {"status": "completed"}},
        {"request": {"method": 1}, "response": {"status": 200}},
        {"interactions": []},
        {"log": {"entries": {}}},
        [exchange(None, None), {"request": {}}],
        [exchange(None, None), "text"],
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)


# Texts that a server sent piece by piece.


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('event: a\ndata: {"x": 1}\n\nevent: b\ndata: {"x": 2}\n\n', [{"x": 1}, {"x": 2}]),
        ('data: {"x": 1}\r\n\r\ndata: [DONE]\r\n\r\n', [{"x": 1}]),
        ('data: {"x":\ndata: 1}\n', [{"x": 1}]),
        ('data: {"x": 1}\ndata: {"x": 2}', [{"x": 1}, {"x": 2}]),
        ('data: {"x": "a\u2028b"}\n\n', [{"x": "a\u2028b"}]),
        ("data: \n\n", []),
        ("text", None),
        ("", None),
    ],
)
def test_the_values_of_a_stream_are_those_behind_data(text: str, events: Any) -> None:
    assert read_events(text) == events


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"x": 1}', {"x": 1}),
        ('data: {"x": 1}\n\n', [{"x": 1}]),
        ('{"x": 1}\n\n{"x": 2}\n', [{"x": 1}, {"x": 2}]),
        ("<html>\n</html>", "<html>\n</html>"),
        ('{"x": 1}\ntext', '{"x": 1}\ntext'),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_body_is_json_or_a_stream_or_lines_or_text(text: str, value: Any) -> None:
    assert read_text(text) == value


def packed(value: Any) -> str:
    return b64encode(gzip.compress(msgspec.json.encode(value))).decode()


def in_har(value: Any) -> dict[str, Any]:
    return {"text": b64encode(msgspec.json.encode(value)).decode(), "encoding": "base64"}


@pytest.mark.parametrize(
    "document",
    [
        # go-vcr
        [
            {
                "request": {"url": "https://example.com", "method": "POST", "body": ""},
                "response": {"body": text(answer(call())), "status": "200 OK", "code": 200},
            }
        ],
        # LangChain's tests, which redact every header
        {
            "requests": [{"method": "POST", "uri": "**REDACTED**", "body": "{}"}],
            "responses": [{"body": {"string": packed(answer(call()))}, "status": {"code": 200}}],
        },
        # vcrpy with httpx, as it was
        [
            {
                "request": {"method": "POST"},
                "response": {"content": text(answer(call())), "status_code": 200},
            }
        ],
        # betamax, and VCR with exact bytes
        {
            "http_interactions": [
                {
                    "request": {"method": "POST", "body": {"encoding": "utf-8", "string": ""}},
                    "response": {
                        "body": {"encoding": None, "base64_string": packed(answer(call()))},
                        "status": {"code": 200, "message": "OK"},
                    },
                }
            ]
        },
        # a browser, and Polly
        {
            "log": {
                "entries": [
                    {
                        "request": {"method": "POST"},
                        "response": {"status": 200, "content": in_har(answer(call()))},
                    }
                ]
            }
        },
        {
            "log": {
                "entries": [
                    {
                        "request": {"method": "POST"},
                        "response": {
                            "status": 200,
                            "content": {
                                "text": text([packed(answer(call()))]),
                                "encoding": "base64",
                            },
                        },
                    }
                ]
            }
        },
        # nock: chunks of compressed data, or one binary text
        [
            {
                "scope": "https://example.com:443",
                "path": "/",
                "status": 200,
                "response": [gzip.compress(msgspec.json.encode(answer(call()))).hex()],
            }
        ],
        [
            {
                "scope": "https://example.com:443",
                "path": "/",
                "status": 200,
                "response": b64encode(msgspec.json.encode(answer(call()))).decode(),
                "responseIsBinary": True,
            }
        ],
        # a response alone
        {"status": 200, "headers": {}, "body": text(answer(call()))},
        # gRPC of xAI, as JSON
        {
            "interactions": [
                {
                    "request_sample": {
                        "json": {"messages": [{"role": "ROLE_USER"}]},
                        "raw": "AA==",
                    },
                    "response_sample": {
                        "json": {
                            "outputs": [{"message": {**message(call()), "role": "ROLE_ASSISTANT"}}]
                        }
                    },
                }
            ]
        },
    ],
)
def test_every_recorder_has_its_own_names_and_encodings(document: Any) -> None:
    (found,) = calls_of(document)

    assert (found.name, found.arguments, found.id) == ("f", {}, "a")


def test_a_response_without_calls_of_any_known_recorder_is_not_recognized() -> None:
    assert not recognizes({"status": "done", "headers": {}, "body": ""})
    assert not recognizes([{"requestHeaders": {}, "method": "GET", "responseStatus": 200}])
    assert not recognizes({"requests": [{}], "responses": [{}]})


def mcp_entry(**changes: Any) -> dict[str, Any]:
    asked = {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "f", "arguments": {}},
    }
    answered = {"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": "hi"}]}}
    entry = {
        "id": "f-1",
        "method": "POST",
        "url": "http://localhost/mcp",
        "requestHeaders": {},
        "requestBody": text(asked),
        "responseStatus": 200,
        "responseBody": f"event: message\ndata: {text(answered)}\n\n",
        "category": "transport",
    }
    return {**entry, **changes}


def test_messages_of_mcp_are_calls_with_their_results() -> None:
    (found,) = calls_of([mcp_entry(), mcp_entry(category="auth")])

    assert (found.name, found.id, found.result) == ("f", "3", [{"type": "text", "text": "hi"}])


def test_messages_of_mcp_are_no_further_calls_of_a_model() -> None:
    sent = mcp_entry()
    below = exchange(sent["requestBody"], sent["responseBody"])

    calls = calls_of([exchange({"messages": []}, answer(call("a"))), below])

    assert [found.id for found in calls] == ["a"]


def test_bodies_that_unpack_to_too_much_are_an_error() -> None:
    bomb = b64encode(gzip.compress(b" " * (1 << 27))).decode()

    with pytest.raises(InvalidCall, match="larger than 64 MiB, unpacked"):
        read([exchange("", bomb)], DEFAULT_READ_OPTIONS)


CASSETTE = """\
interactions:
- request:
    body: !!binary |
      e30=
    headers:
      Authorization:
      - !!binary |
        QVdTNA==
    method: POST
    uri: https://example.com
  response:
    headers: {{}}
    status: {{code: 200, message: OK}}
    body:
      string: {tag} |
        {body}
version: 1
"""


@pytest.mark.parametrize("tag", ["!!binary", "!binary"])
def test_a_cassette_may_have_binary_bodies_and_headers(tmp_path: Path, tag: str) -> None:
    path = tmp_path / "cassette.yaml"
    path.write_text(CASSETTE.format(tag=tag, body=packed(answer(call()))))

    (trace,) = traces_in(path)

    assert [found.name for found in trace.calls or ()] == ["f"]


def test_the_steps_of_an_answer_of_xai_are_one_answer_if_it_ran_tools_itself() -> None:
    def output(id_: str, kind: str) -> dict[str, Any]:
        call = {"id": id_, "type": f"TOOL_CALL_TYPE_{kind}", "function": {"name": "f"}}
        return {"message": {"role": "ROLE_ASSISTANT", "tool_calls": [call]}}

    def ids(*outputs: dict[str, Any]) -> list[tuple[str | None, str | None]]:
        sample = {"request_sample": {}, "response_sample": {"json": {"outputs": [*outputs]}}}
        [trace] = read([sample], DEFAULT_READ_OPTIONS)
        return [(call.id, call.kind) for call in trace.calls or ()]

    steps = output("1", "ATTACHMENT_SEARCH_TOOL"), output("2", "CLIENT_SIDE_TOOL")
    answers = output("1", "CLIENT_SIDE_TOOL"), output("2", "CLIENT_SIDE_TOOL")

    assert ids(*steps) == [("1", "hosted"), ("2", None)]
    assert ids(*steps, steps[0]) == [("1", "hosted"), ("2", None)]
    assert ids(*answers) == [("1", None)]
