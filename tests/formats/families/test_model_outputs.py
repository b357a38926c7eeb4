"""What a model answered, as observers pass it on."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ToolResult
from callscore.formats.reading import Recognizer
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

PARIS = {"city": "Paris"}
TEXT = '{"city": "Paris"}'
OPENAI = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": TEXT}}
LANGCHAIN = {
    "type": "ai",
    "content": "",
    "tool_calls": [{"name": "weather", "args": PARIS, "id": "c1", "type": "tool_call"}],
    "invalid_tool_calls": [],
}


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize(
    "given",
    [
        {"role": "assistant", "content": None, "tool_calls": [OPENAI]},
        [{"role": "assistant", "tool_calls": [OPENAI]}],
        {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [OPENAI]}}]},
        {"tool_calls": [OPENAI]},
        [OPENAI],
        {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [OPENAI]}},
        [{"role": "assistant", "content": as_json([OPENAI]), "finish_reason": "tool_calls"}],
        LANGCHAIN,
        {"generations": [[{"text": "", "message": LANGCHAIN}]], "llm_output": {}},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": PARIS}],
        },
        {
            "object": "response",
            "output": [
                {
                    "type": "function_call",
                    "id": "fc",
                    "call_id": "c1",
                    "name": "weather",
                    "arguments": TEXT,
                }
            ],
        },
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c1", "name": "weather", "input": PARIS}}],
        },
        [{"toolCallId": "c1", "toolName": "weather", "input": TEXT}],
        [{"toolCallId": "c1", "toolName": "weather", "args": PARIS}],
        [
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": PARIS}],
            }
        ],
        {"message": {"role": "assistant", "content": None, "tool_calls": [OPENAI]}, "usage": {}},
    ],
    ids=str,
)
def test_an_answer_of_any_dialect_has_its_calls(given: Any) -> None:
    for value in (given, as_json(given)):
        [call] = ModelOutputs(DEFAULT_READ_OPTIONS).calls(value)

        assert (call.name, call.arguments, call.id) == ("weather", PARIS, "c1")


def test_gemini_gives_no_id() -> None:
    part = {"function_call": {"name": "weather", "args": PARIS}}

    [call] = ModelOutputs(DEFAULT_READ_OPTIONS).calls(
        {"content": {"role": "model", "parts": [part]}}
    )

    assert (call.name, call.arguments) == ("weather", PARIS)


def test_a_legacy_call_among_the_extras_is_one() -> None:
    extra = {"function_call": {"name": "weather", "arguments": TEXT}, "tool_calls": None}

    [call] = ModelOutputs(DEFAULT_READ_OPTIONS).calls(
        {"role": "assistant", "content": "", "additional_kwargs": extra}
    )

    assert call.arguments == PARIS


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "It is 18 degrees.",
        '"18"',
        3,
        {},
        [],
        [3],
        ["x"],
        {"role": "assistant", "content": "It is 18 degrees."},
        {"role": "assistant", "content": "x", "additional_kwargs": {"refusal": None}},
        [{"role": "assistant", "content": '[{"name": "Ana", "input": 3}]'}],
        [{"role": "assistant", "content": "[{broken"}],
        {"name": "Ana", "input": {"age": 3}},
        {"steps": 2, "output": "done"},
        {"message": "done"},
        {"generations": [[]]},
        {"tool_calls": [3]},
    ],
    ids=str,
)
def test_an_answer_without_calls_has_none(given: Any) -> None:
    assert ModelOutputs(DEFAULT_READ_OPTIONS).calls(given) == ()


def test_the_chosen_one_of_several_answers_is_taken() -> None:
    other = LANGCHAIN | {"tool_calls": [{"name": "mail", "args": {}, "id": "c2"}]}
    given = {"generations": [[{"message": LANGCHAIN}, {"message": other}]]}

    assert [call.name for call in ModelOutputs(ReadOptions(candidate=1)).calls(given)] == ["mail"]


def test_answers_of_several_dialects_are_read_one_after_another() -> None:
    outputs = ModelOutputs(DEFAULT_READ_OPTIONS)
    openai = {"role": "assistant", "content": None, "tool_calls": [OPENAI]}

    given = (openai, LANGCHAIN, openai, openai)

    assert [outputs.calls(answer)[0].id for answer in given] == ["c1"] * 4


def test_results_are_found_in_messages_and_in_requests() -> None:
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "tool", "tool_call_id": "c1", "content": "18"},
        {"role": "tool", "content": "of no call"},
    ]

    outputs = ModelOutputs(DEFAULT_READ_OPTIONS)

    assert outputs.answers(messages) == [ToolResult("18", "c1")]
    assert outputs.answers({"messages": messages, "tools": []}) == [ToolResult("18", "c1")]


def test_results_are_found_in_the_messages_of_otel() -> None:
    part = {"type": "tool_call_response", "id": "c1", "response": "18"}

    assert ModelOutputs(DEFAULT_READ_OPTIONS).answers([{"role": "tool", "parts": [part]}]) == [
        ToolResult("18", "c1")
    ]


def test_results_are_found_in_a_conversation_of_another_dialect() -> None:
    contents = [
        {"role": "model", "parts": [{"function_call": {"name": "weather", "args": PARIS}}]},
        {"role": "user", "parts": [{"function_response": {"name": "weather", "response": {}}}]},
        {"role": "model", "parts": [{"function_call": {"name": "mail", "args": {}}}]},
    ]

    [answer] = ModelOutputs(DEFAULT_READ_OPTIONS).answers({"contents": contents})

    assert (answer.name, answer.arguments, answer.id) == ("weather", PARIS, None)


@pytest.mark.parametrize("given", [None, "Hi", [], {}, [3], {"messages": 3}])
def test_what_a_model_was_given_can_have_no_results(given: Any) -> None:
    assert ModelOutputs(DEFAULT_READ_OPTIONS).answers(given) == []


@pytest.mark.parametrize(
    "given",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "It is 18 degrees."}]},
        {"role": "assistant", "content": [{"text": "It is 18 degrees."}]},
        {"text": "It is 18 degrees.", "finish_reason": "stop"},
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi"}],
        {"role": "assistant", "content": [{"type": "function", "text": "no call"}]},
        {"message": {"role": "assistant", "content": "Hi"}, "usage": {}},
        {"text": {"no": "text"}},
    ],
    ids=str,
)
def test_what_is_only_said_has_no_calls(given: Any) -> None:
    assert ModelOutputs(DEFAULT_READ_OPTIONS).calls(given) == ()
    assert ModelOutputs(DEFAULT_READ_OPTIONS).calls(as_json(given)) == ()


def test_letters_that_are_escaped_do_not_hide_a_call() -> None:
    text = as_json([{"toolName": "weather", "input": TEXT}]).replace("o", "\\u006f")

    assert [call.name for call in ModelOutputs(DEFAULT_READ_OPTIONS).calls(text)] == ["weather"]


def test_the_dialect_of_answers_is_remembered_for_a_whole_file() -> None:
    asked: list[Any] = []
    find = Recognizer().find

    def inner(document: Any, among: Any) -> Any:
        asked.append(document)
        return find(document, among)

    options = ReadOptions(inner=inner)

    assert [ModelOutputs(options).calls(LANGCHAIN)[0].id for _ in range(2)] == ["c1", "c1"]
    assert asked == [LANGCHAIN, LANGCHAIN]


USE = {"type": "tool_use", "id": "c1", "name": "ping", "input": {"n": 1}}
FLAT = {"id": "c1", "name": "ping", "args": {"n": 1}}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": "", "tool_calls": [FLAT]},
        {"role": "ai", "content": "", "tool_calls": [FLAT]},
        {"tool_calls": [FLAT]},
        {"role": "assistant", "toolCalls": [{**FLAT, "arguments": '{"n": 1}', "args": None}]},
        {
            "role": "assistant",
            "toolCalls": [{"toolCallId": "c1", "toolName": "ping", "input": {"n": 1}}],
        },
        {"content": [{"type": "text", "text": "Wait."}, USE]},
        {"name": "ping", "arguments": '{"n": 1}'},
        [{"functionCall": {"name": "ping", "args": {"n": 1}}}],
        [{"text": "Wait."}, {"function_call": {"name": "ping", "args": {"n": 1}}}],
        {"completion": {"role": "assistant", "tool_calls": [FUNCTION]}},
        {"role": "assistant", "content": msgspec.json.encode([FUNCTION]).decode()},
    ],
)
def test_answers_are_stored_in_many_forms(answer: Any) -> None:
    for stored in (answer, msgspec.json.encode(answer).decode()):
        [call] = ModelOutputs(DEFAULT_READ_OPTIONS).calls(stored)

        assert (call.name, call.arguments, call.id in ("c1", None)) == ("ping", {"n": 1}, True)


@pytest.mark.parametrize(
    "answer",
    [
        {"name": "ping", "arguments": "{}", "description": "A tool."},
        {"role": "user", "tool_calls": [FLAT]},
        {"role": "assistant", "tool_calls": []},
    ],
)
def test_what_only_looks_like_an_answer_with_calls_has_none(answer: Any) -> None:
    assert ModelOutputs(DEFAULT_READ_OPTIONS).calls(answer) == ()
