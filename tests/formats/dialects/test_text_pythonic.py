"""Text with a list of calls in Python."""

from __future__ import annotations

import pytest

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.text_pythonic import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions


def calls_of(text: str, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, options)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    "text",
    [
        "[f(a=1)]",
        "<think>[g()]</think>\n[f(a=1)]<|eot_id|>",
        "<|python_start|>[f(a=1)]<|python_end|><|eom|>",
        "I call <|tool_call_start|>[f(a=1)]<|tool_call_end|> now.",
        "<|tool_call_start|>f(a=1)",
        '<|tool_call_start|>[{"name": "f", "arguments": {"a": 1}}]<|tool_call_end|>',
        '<|tool_call_start|>{"name": "f", "arguments": {"a": 1}}<|tool_call_end|>',
    ],
)
def test_a_call_is_written_with_and_without_tokens(text: str) -> None:
    assert calls_of(text) == (ToolCall("f", {"a": 1}, step=0),)


def test_an_argument_without_a_name_has_its_position_or_the_name_in_the_schema() -> None:
    tools = {"sort": Tool("sort", parameters={"properties": {"file": {}}})}

    assert calls_of("[sort('a')]")[0] == ToolCall("sort", {"0": "a"}, step=0, positional=True)
    assert calls_of("[sort('a')]", ReadOptions(tools=tools))[0] == ToolCall(
        "sort", {"file": "a"}, step=0
    )


def test_results_come_from_the_tools_role() -> None:
    header = "<|header_start|>{}<|header_end|>\n\n"
    first, second = calls_of(
        f"{header.format('assistant')}[f()]<|eot|>{header.format('ipython')}Error: no<|eot|>"
        f"{header.format('assistant')}[g()]<|eot|>{header.format('assistant')}Done.<|eot|>"
    )

    assert (first.step, first.result, first.failed) == (0, "Error: no", True)
    assert (second.step, second.result) == (1, None)


def test_what_cannot_be_read_is_malformed() -> None:
    (cut,) = calls_of("[f(a='x")
    (wrong,) = calls_of("[f(a=)]")

    assert cut == ToolCall("f", step=0, raw="(a='x", error=TRUNCATED)
    assert wrong == ToolCall("f", step=0, raw="(a=)", error=INVALID)


def test_look_alikes_are_not_claimed() -> None:
    assert not recognizes("Hello!")
    assert not recognizes("[see(this)] and that")
    assert not recognizes("f(a=1)")
    assert not recognizes("[1, 2]")
    assert not recognizes(["[f(a=1)]"])


@pytest.mark.parametrize(
    "text",
    [
        "[HumanMessage(content='Hi'), AIMessage(content='', tool_calls=[{'name': 'f', 'args': {}}])]",
        "[ChatMessage(role=<MessageRole.USER: 'user'>, content='Hi')]",
        "[ToolUseBlock(id='toolu_1', input={'a': 1}, name='f', type='tool_use')]",
        "[ModelRequest(parts=[UserPromptPart(content='Hi')])]",
        "[ResponseFunctionToolCall(arguments='{}', call_id='call_1', name='f')]",
        "[Document(page_content='Paris')]",
    ],
)
def test_messages_that_python_has_printed_are_not_calls(text: str) -> None:
    assert not recognizes(text)


def test_a_tool_may_be_named_like_a_class() -> None:
    assert recognizes("[SendMessage(to='Ada')]")
