"""Text of Llama 3 models."""

from __future__ import annotations

import pytest

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.text_llama import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

F = '{"name": "f", "parameters": {"a": 1}}'


def calls_of(text: str, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, options)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    "text",
    [
        f"<|python_tag|>{F}<|eom_id|>",
        f"I will look.<|python_tag|>{F}",
        '<|python_tag|>{"name": "f", "arguments": {"a": 1}}',
        f"{F}<|eot_id|>",
        f"<think>g</think>\n{F}",
        f"{F}\n\nThis calls f.",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{F}<|eot_id|>",
        '<function=f>{"a": 1}</function>',
        'Sure. <function=f>{"a": 1}',
    ],
)
def test_a_call_is_written_in_several_ways(text: str) -> None:
    assert calls_of(text) == (ToolCall("f", {"a": 1}, step=0),)


def test_several_calls_are_joined_or_tagged() -> None:
    assert len(calls_of(f"{F}; {F}")) == 2
    assert len(calls_of(f"<|python_tag|>{F};{F}")) == 2
    assert len(calls_of(f"<|python_tag|>{F}<|python_tag|>{F}")) == 2


def test_built_in_tools_are_called_in_python() -> None:
    assert calls_of('<|python_tag|>brave_search.call(query="x")') == (
        ToolCall("brave_search", {"query": "x"}, step=0),
    )


def test_an_argument_of_a_built_in_tool_without_a_name_is_named_by_its_place() -> None:
    tools = {"wolfram": Tool("wolfram", parameters={"properties": {"query": {}}})}

    (call,) = calls_of("<|python_tag|>wolfram.call('x')", ReadOptions(tools=tools))

    assert (call.arguments, call.positional) == ({"query": "x"}, False)


@pytest.mark.parametrize("code", ["x = 1\nprint(x)", "print(1)", "not python ("])
def test_other_text_after_the_tag_is_code_to_be_run(code: str) -> None:
    assert calls_of(f"<|python_tag|>{code}<|eom_id|>") == (
        ToolCall("code_interpreter", {"code": code}, step=0),
    )


def test_nothing_after_the_tag_is_no_call() -> None:
    assert calls_of("<|python_tag|>") == ()


def test_results_come_from_the_tools_role() -> None:
    header = "<|start_header_id|>{}<|end_header_id|>\n\n"
    first, second = calls_of(
        f"{header.format('assistant')}{F}<|eot_id|>{header.format('ipython')}Error: no<|eot_id|>"
        f"{header.format('user')}Go on<|eot_id|>{header.format('assistant')}{F}<|eot_id|>"
    )

    assert (first.step, first.result, first.failed) == (0, "Error: no", True)
    assert (second.step, second.result) == (1, None)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (
            '<|python_tag|>{"name": "f", "parameters": {"a',
            ToolCall("f", step=0, raw='{"a', error=TRUNCATED),
        ),
        (
            '{"name": "f", "parameters": {a: 1}}',
            ToolCall("f", step=0, raw="{a: 1}", error=INVALID),
        ),
        ('<function=f>{"a', ToolCall("f", step=0, raw='{"a', error=TRUNCATED)),
    ],
)
def test_what_cannot_be_read_is_malformed(text: str, call: ToolCall) -> None:
    assert calls_of(text) == (call,)


def test_look_alikes_are_not_claimed() -> None:
    assert not recognizes("Hello!")
    assert not recognizes('The object {"name": "f", "parameters": {}} is a call.')
    assert not recognizes('{"name": "Ana", "age": 5}')
    assert not recognizes([F])
