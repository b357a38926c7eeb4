"""ShareGPT conversations: the notations of calls, results, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects.sharegpt import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def turn(role: str, value: str) -> dict[str, Any]:
    return {"from": role, "value": value}


def trace_of(*turns: Any, **more: Any) -> Trace:
    document = {"conversations": list(turns), **more}
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace


def calls_of(*turns: Any, **more: Any) -> tuple[ToolCall, ...]:
    return trace_of(*turns, **more).calls or ()


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("function_call", '{"name": "f", "arguments": {"x": 1}}'),
        ("function_call", '[{"name": "f", "arguments": {"x": 1}}]'),
        ("function_call", '<think>hm</think>\n{"name": "f", "arguments": {"x": 1}}'),
        ("function_call", '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'),
        ("gpt", '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'),
        ("gpt", "<tool_call>\n{'arguments': {'x': 1}, 'name': 'f'}\n</tool_call>"),
        ("gpt", """<functioncall> {"name": "f", "arguments": '{"x": 1}'} <|endoftext|>"""),
        ("assistant", '\nThought: t\nAction: f\nAction Input: {"x": 1}'),
        ("assistant", "[f(x=1)]"),
        ("assistant", '<TOOLCALL>[{"name": "f", "arguments": {"x": 1}}]</TOOLCALL>'),
        ("assistant", r'<TOOLCALL>["{\"name\": \"f\", \"arguments\": {\"x\": 1}}"]</TOOLCALL>'),
    ],
)
def test_a_call_has_many_notations(role: str, text: str) -> None:
    (call,) = calls_of(turn("human", "w"), turn(role, text))

    assert (call.name, call.arguments, call.step) == ("f", {"x": 1}, 0)


def test_the_names_of_functions_may_have_spaces() -> None:
    text = '[Market Trends API(kind="a, b(c)", n=2), f(), News.v2 Top(q="x")]'

    assert [(call.name, call.arguments) for call in calls_of(turn("assistant", text))] == [
        ("Market Trends API", {"kind": "a, b(c)", "n": 2}),
        ("f", {}),
        ("News.v2 Top", {"q": "x"}),
    ]


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (
            "system",
            "<tool_call>\n{'arguments': <args-dict>, 'name': <function-name>}\n</tool_call>",
        ),
        ("human", '<tool_call>{"name": "f", "arguments": {}}</tool_call>'),
        ("gpt", "It is 18C."),
        ("gpt", "[see (1)]"),
        ("gpt", "<think><tool_call>{'name': 'f'}</tool_call></think>18C"),
    ],
)
def test_what_is_said_by_others_or_in_words_is_no_call(role: str, text: str) -> None:
    assert calls_of(turn("human", "w"), turn(role, text)) == ()


def test_a_malformed_call_is_kept() -> None:
    (call,) = calls_of(turn("function_call", '{"name": "f", "arguments": {"x": '))

    assert (call.name, call.arguments) == ("f", None)
    assert call.error is not None


def test_results_go_by_name_or_order() -> None:
    calls = calls_of(
        turn("function_call", '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'),
        turn("tool", '[{"name": "g", "results": 2}, {"name": "f", "results": 1}]'),
        turn("gpt", '<tool_call>{"name": "h", "arguments": {}}</tool_call>'),
        turn("tool", '<tool_response>\n{"name": "h", "content": {\'a\': None}}\n</tool_response>'),
        turn("function_call", '{"name": "i", "arguments": {}}'),
        turn("observation", "Error: none"),
    )

    assert [(call.name, call.result, call.step) for call in calls] == [
        ("f", 1, 0),
        ("g", 2, 0),
        ("h", '{"name": "h", "content": {\'a\': None}}', 1),
        ("i", "Error: none", 2),
    ]
    assert calls[-1].failed


def test_the_preferred_answer_counts_and_the_rejected_one_does_not() -> None:
    chosen = turn("function_call", '{"name": "f", "arguments": {}}')
    rejected = turn("function_call", '{"name": "g", "arguments": {}}')

    calls = calls_of(turn("human", "w"), chosen=chosen, rejected=rejected)

    assert [call.name for call in calls] == ["f"]


def test_messages_may_have_parts_with_values() -> None:
    call = '{"name": "f", "arguments": {"x": 1}}'
    document = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "value": "w"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "value": "hm"},
                    {"type": "tool_call", "value": call},
                    {"type": "tool_call", "value": call},
                ],
            },
            {"role": "tool", "content": [{"type": "text", "value": r} for r in ("1", "2")]},
        ]
    }

    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    assert trace.input == "w"
    assert [(each.name, each.arguments, each.result) for each in trace.calls or ()] == [
        ("f", {"x": 1}, "1"),
        ("f", {"x": 1}, "2"),
    ]


def test_a_record_has_its_id_and_its_question() -> None:
    trace = trace_of(turn("human", "first"), turn("human", "second"), id=7)

    assert (trace.id, trace.input, trace.calls) == ("7", "first", ())


@pytest.mark.parametrize(
    "document",
    [
        {"conversations": []},
        {"conversations": [{"from": "a@example.com", "value": "x"}]},
        {"conversations": [{"from": "human"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "w"}]}]},
        {"messages": [{"role": "user", "content": []}]},
        [{"from": 1, "value": 2}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


TEXTS = [
    ("tools", '[{"name": "f", "parameters": {"x": {"type": "int"}}}]'),
    (
        "system",
        'Use {braces}. Functions:\n{"name": "f", "description": "d"}\n{"name": "g", "description": "e"}',
    ),
    (
        "system",
        "<tools> [{'type': 'function', 'function': {'name': 'f', 'strict': None}}] </tools>",
    ),
    ("system", '[{"name": "f", "parameters": {"type": "dict"}}]. Write [func1(a=b)].'),
    ("system", "You are helpful. {nothing} [{here}]"),
]


@pytest.mark.parametrize(
    ("text", "names"), [*zip(TEXTS, [["f"], ["f", "g"], ["f"], ["f"], []], strict=True)]
)
def test_tools_are_beside_the_conversation_or_in_its_prompt(text: Any, names: list[str]) -> None:
    key, value = text
    record = {key: value, "conversations": [turn("human", "w")]}
    prompted = {"conversations": [turn("system", value), turn("human", "w")]}

    assert [tool.name for tool in read_tools(record)] == names
    if key == "system":
        assert [tool.name for tool in read_tools(prompted)] == names


def test_the_types_of_parameters_are_those_of_json() -> None:
    parameters = {
        "a": {"type": "str", "description": "d"},
        "b": {"type": "List[int], optional"},
        "c": {"type": "int", "default": 1},
        "d": {"type": "Callable"},
    }

    (tool,) = read_tools({"tools": [{"name": "f", "parameters": parameters}]})

    assert tool.parameters == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "d"},
            "b": {"type": "array"},
            "c": {"type": "integer", "default": 1},
            "d": {},
        },
        "required": ["a", "d"],
    }


def test_the_types_within_a_schema_are_those_of_json() -> None:
    schema = {"type": "dict", "properties": {"a": {"type": "list", "items": {"type": "float"}}}}

    (tool,) = read_tools({"tools": [{"name": "f", "parameters": schema}]})

    items = {"type": "number"}
    assert tool.parameters == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": items}},
    }
