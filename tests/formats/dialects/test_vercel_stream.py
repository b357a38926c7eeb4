"""What is read of Vercel AI SDK streams beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import vercel_stream
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def chunk(kind: str, id_: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "toolCallId": id_, **more}


def given(id_: str, **more: Any) -> dict[str, Any]:
    return chunk("tool-input-available", id_, **{"toolName": "ping", "input": {}, **more})


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = vercel_stream.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached_to_their_calls() -> None:
    found = calls_in(
        [
            given("a"),
            given("b"),
            given("c"),
            chunk("tool-output-available", "c", output="not yet", preliminary=True),
            chunk("tool-output-available", "c", output="Error: no"),
            chunk("tool-output-error", "a", errorText="down"),
            chunk("tool-output-available", "b", output={"t": 18}),
        ]
    )

    assert [item.result for item in found] == ["down", {"t": 18}, "Error: no"]
    assert [item.failed for item in found] == [True, False, True]


def test_calls_with_input_that_is_no_json_have_failed() -> None:
    bad = given("a", type="tool-input-error", input='{"n": ', errorText="no JSON")

    [found] = calls_in([bad, chunk("tool-output-error", "a", errorText="again")])

    assert (found.raw, found.error) == ('{"n": ', "truncated_json")
    assert (found.result, found.failed) == ("no JSON", True)


def test_input_that_is_not_complete_is_no_call() -> None:
    stream = [
        chunk("tool-input-start", "a", toolName="ping"),
        chunk("tool-input-delta", "a", inputTextDelta='{"n'),
        {"type": "abort"},
    ]

    assert vercel_stream.recognizes(stream)
    assert calls_in(stream) == ()


def test_steps_begin_and_end() -> None:
    stream = [
        {"type": "start"},
        {"type": "start-step"},
        given("a"),
        given("b"),
        {"type": "finish-step"},
        {"type": "start-step"},
        given("c"),
    ]

    assert [item.step for item in calls_in(stream)] == [0, 0, 1]


def test_tools_that_the_provider_has_run_are_marked() -> None:
    [found] = calls_in([given("a", providerExecuted=True)])

    assert found.kind == "hosted"


def test_parts_of_the_full_stream_are_read() -> None:
    stream = [
        {"type": "start-step"},
        {"type": "tool-input-start", "id": "a", "toolName": "ping"},
        chunk("tool-call", "a", toolName="ping", input={"n": 1}),
        chunk("tool-result", "a", toolName="ping", input={"n": 1}, output="ok"),
        chunk("tool-call", "b", toolName="ping", args={}),
        chunk("tool-error", "b", toolName="ping", args={}, error={"message": "down"}),
        {"type": "finish-step"},
    ]

    first, second = calls_in(stream)

    assert vercel_stream.recognizes(stream)
    assert (first.arguments, first.result, first.failed) == ({"n": 1}, "ok", False)
    assert (second.result, second.failed) == ({"message": "down"}, True)


def test_calls_that_version_4_throws_away_are_errors_in_the_stream() -> None:
    def error(**fields: Any) -> dict[str, Any]:
        return {"type": "error", "error": fields}

    first, second = calls_in(
        [
            {"type": "step-start", "messageId": "m"},
            error(name="AI_InvalidToolArgumentsError", toolName="ping", toolArgs='{"n": '),
            error(name="AI_NoSuchToolError", toolName="pong"),
            error(name="AI_APICallError", url="https://example.com"),
            {"type": "error", "error": "text"},
        ]
    )

    assert (first.name, first.raw, first.error) == ("ping", '{"n": ', "truncated_json")
    assert (second.name, second.arguments, second.error) == ("pong", None, "not_captured")


def test_lines_of_version_4_are_read() -> None:
    text = (
        'f:{"messageId":"m"}\r\n'
        '9:{"toolCallId":"a","toolName":"ping","args":{"n":1}}\r\n'
        'a:{"toolCallId":"a","result":"ok"}\n'
        'e:{"finishReason":"tool-calls"}\n'
        '9:{"toolCallId":"b","toolName":"ping","args":{}}\n'
        '0:"Done"\n'
        "9:[1]\n"
        "\n"
        'd:{"finishReason":"stop"}\n'
    )

    first, second = calls_in(text)

    assert vercel_stream.recognizes(text)
    assert (first.arguments, first.result, first.step) == ({"n": 1}, "ok", 0)
    assert (second.id, second.step) == ("b", 1)


@pytest.mark.parametrize(
    "text", ["", "\n", "Hello", '0:"a"\nHello', "12:30 is the time", '{"a": 1}', "f: {}", 'x:"a"']
)
def test_other_text_is_not_claimed(text: str) -> None:
    assert not vercel_stream.recognizes(text)


def test_a_chunk_alone_is_recognized_and_lines_of_them_are_one_document() -> None:
    for line in ({"type": "start", "messageId": "m"}, {"type": "start-step"}, given("a")):
        assert vercel_stream.recognizes(line)
        assert vercel_stream.joins_lines(line)
    assert [item.id for item in calls_in(given("a"))] == ["a"]


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "text-start", "id": "1"}, {"type": "finish"}],
        [{"type": "tool-call-start", "index": 0}, {"type": "tool-call-delta", "index": 0}],
        [{"type": "tool-call-delta", "index": 0, "delta": {"message": {}}}],
        [{"type": "start-step"}, {"type": "message_start"}],
        [{"type": "start-step"}, "text"],
        [{"type": "tool_call", "id": "1"}],
        {"type": "start", "event": "of something else"},
        {"type": ["start-step"]},
        {"type": "data-progress", "data": 1},
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not vercel_stream.recognizes(document)


def test_data_of_the_application_is_passed_over() -> None:
    stream = [{"type": "data-progress", "data": {"done": 1}}, given("a"), {"type": "finish"}]

    assert vercel_stream.recognizes(stream)
    assert [item.id for item in calls_in(stream)] == ["a"]
