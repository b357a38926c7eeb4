"""Gemini generateContent: answers, streams, requests and contents."""

from __future__ import annotations

from typing import Any

from callscore.core.call import ToolCall
from callscore.formats.dialects import gemini
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions


def part(name: str, **arguments: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": arguments}}


def answer(*parts: Any, finish: Any = None, index: int | None = None, **fields: Any) -> Any:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finishReason"] = finish
    if index is not None:
        candidate["index"] = index
    return {"candidates": [candidate], **fields}


def names_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[list[str]]:
    traces = gemini.read(document, options)
    return [[call.name for call in trace.calls or ()] for trace in traces]


def test_look_alikes_are_not_claimed() -> None:
    assert not gemini.recognizes({"candidates": [{"output": "palm"}]})
    assert not gemini.recognizes({"candidates": ["a"]})
    assert not gemini.recognizes({"contents": [{"uri": "file:///x", "text": "x"}]})
    assert not gemini.recognizes([{"role": "user", "parts": [{"type": "text", "text": "x"}]}])
    assert not gemini.recognizes([{"role": "assistant", "parts": [{"text": "x"}]}])
    assert not gemini.recognizes([{"parts": [{"text": "x"}]}])
    assert not gemini.recognizes([{"usageMetadata": {"totalTokenCount": 1}}])
    assert not gemini.recognizes([answer(part("f")), {"other": 1}])
    assert not gemini.recognizes({"request": {"method": "POST"}, "response": {"body": {}}})


def test_an_answer_without_content_is_claimed() -> None:
    assert gemini.recognizes({"candidates": [{"finishReason": "SAFETY"}]})
    assert gemini.recognizes({"candidates": None, "automatic_function_calling_history": None})
    assert gemini.recognizes({"promptFeedback": {"blockReason": "SAFETY"}})
    assert names_in({"promptFeedback": {"blockReason": "SAFETY"}}) == [[]]


def test_a_single_content_is_a_conversation() -> None:
    document = {"role": "model", "parts": [part("f")]}

    assert gemini.recognizes(document)
    assert names_in(document) == [["f"]]


def test_the_first_candidate_is_taken_unless_another_is_asked_for() -> None:
    document = {
        "candidates": [
            answer(part("a"))["candidates"][0],
            answer(part("b"), index=1)["candidates"][0],
        ]
    }

    assert names_in(document) == [["a"]]
    assert names_in(document, ReadOptions(candidate=1)) == [["b"]]
    assert gemini.read(document, ReadOptions(candidate=2))[0].calls is None


def test_candidates_without_numbers_go_by_their_places() -> None:
    document = {"candidates": [answer(part(name))["candidates"][0] for name in "ab"]}

    assert names_in(document, ReadOptions(candidate=1)) == [["b"]]


def test_the_pieces_of_a_stream_are_one_message() -> None:
    document = [answer(part("f")), answer(part("g")), answer(finish="STOP"), {"usageMetadata": {}}]

    (trace,) = gemini.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("f", {}, step=0), ToolCall("g", {}, step=0))


def test_the_candidates_of_a_stream_come_one_at_a_time() -> None:
    document = [answer(part("a"), index=0), answer(part("b"), index=1), answer(part("c"), index=0)]

    assert names_in(document) == [["a", "c"]]
    assert names_in(document, ReadOptions(candidate=1)) == [["b"]]


def test_answers_in_one_list_are_told_apart_by_id_or_by_their_ends() -> None:
    by_end = [answer(part("a")), answer(part("b"), finish="STOP"), answer(part("c"))]
    by_id = [answer(part(name), finish="STOP", responseId=id_) for name, id_ in ("a1", "b1", "c2")]

    assert names_in(by_end) == [["a", "b"], ["c"]]
    assert names_in(by_id) == [["a", "b"], ["c"]]


def test_only_what_goes_on_in_the_next_line_is_joined() -> None:
    assert gemini.joins_lines(answer(part("f")))
    assert not gemini.joins_lines(answer(part("f"), finish="STOP"))
    assert not gemini.joins_lines({"contents": [{"role": "user", "parts": [{"text": "x"}]}]})


def test_what_the_sdk_has_called_by_itself_comes_before_the_answer() -> None:
    history = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [part("f", a=1)]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "f", "response": {"error": "x"}}}],
        },
    ]

    (trace,) = gemini.read(
        answer(part("g"), automatic_function_calling_history=history), DEFAULT_READ_OPTIONS
    )

    assert trace.calls == (
        ToolCall("f", {"a": 1}, step=0, result={"error": "x"}, failed=True),
        ToolCall("g", {}, step=1),
    )


def test_an_answer_that_is_the_last_of_the_history_is_not_taken_again() -> None:
    content = {"role": "model", "parts": [part("f")]}
    response = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
    document = {
        "candidates": [{"content": content}],
        "automaticFunctionCallingHistory": [content, response],
    }

    assert names_in(document) == [["f"]]


def test_the_history_in_a_stream_of_several_answers_is_in_the_stream_itself() -> None:
    history = [{"role": "model", "parts": [part("f")]}]
    document = [
        answer(part("f"), finish="STOP"),
        answer({"text": "x"}, finish="STOP", automatic_function_calling_history=history),
    ]

    assert names_in(document) == [["f"], []]


def test_a_malformed_call_is_no_answer_without_calls() -> None:
    document = [answer(part("f")), answer(finish="MALFORMED_FUNCTION_CALL")]

    (trace,) = gemini.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (
        ToolCall("f", {}, step=0),
        ToolCall("", None, step=0, error="MALFORMED_FUNCTION_CALL"),
    )


def test_a_line_of_a_batch_has_its_key_for_a_name() -> None:
    document = {"key": "k", "response": answer(part("f"), finish="STOP")}

    (trace,) = gemini.read(document, DEFAULT_READ_OPTIONS)

    assert gemini.recognizes(document)
    assert trace.id == "k"
    assert [call.name for call in trace.calls or ()] == ["f"]


def test_a_conversation_says_what_was_asked() -> None:
    document = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}

    (trace,) = gemini.read(document, DEFAULT_READ_OPTIONS)

    assert trace.input == "q"
    assert trace.calls == ()


def test_tools_stand_in_a_request_or_in_its_configuration() -> None:
    tools = [{"function_declarations": [{"name": "f"}]}]

    for document in ({"tools": tools}, {"config": {"tools": tools}}, {"request": {"tools": tools}}):
        assert [tool.name for tool in gemini.read_tools(document)] == ["f"]
    assert gemini.read_tools([]) == []


def test_what_is_no_document_at_all_has_no_calls() -> None:
    assert names_in(None) == [[]]
