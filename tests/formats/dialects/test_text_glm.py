"""Text of GLM models."""

from __future__ import annotations

from callscore.core.call import TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.text_glm import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

CALL = "<tool_call>f\n<arg_key>n</arg_key>\n<arg_value>3</arg_value>\n</tool_call>"
TOOL = Tool("f", parameters={"properties": {"n": {"type": "number"}}})


def calls_of(text: str, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, options)
    assert trace.calls is not None
    return trace.calls


def test_arguments_are_text_unless_the_tools_are_known() -> None:
    assert calls_of(CALL) == (ToolCall("f", {"n": "3"}, step=0),)
    assert calls_of(CALL, ReadOptions(tools={"f": TOOL})) == (ToolCall("f", {"n": 3}, step=0),)


def test_the_tools_in_the_prompt_type_the_arguments() -> None:
    prompt = (
        '<|system|>\n<tools>\n{"name": "f", "parameters": {"properties": {"n": '
        '{"type": "integer"}}}}\n</tools>\n<tool_call>{function-name}</tool_call><|user|>hi'
    )

    assert calls_of(f"{prompt}<|assistant|>{CALL}") == (ToolCall("f", {"n": 3}, step=0),)
    assert [tool.name for tool in read_tools(prompt)] == ["f"]


def test_results_follow_the_calls() -> None:
    (call,) = calls_of(f"{CALL}<|observation|>\n<tool_response>\nError: no\n</tool_response>")

    assert (call.result, call.failed) == ("Error: no", True)


def test_what_breaks_off_is_malformed() -> None:
    first, second = calls_of(f"{CALL}<tool_call>g\n<arg_key>a</arg_key>\n<arg_value>x")

    assert first.error is None
    assert second.raw == "<arg_key>a</arg_key>\n<arg_value>x"
    assert second.error == TRUNCATED


def test_look_alikes_are_not_claimed() -> None:
    assert not recognizes('<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert not recognizes("<tool_call>\n<function=f>\n</function>\n</tool_call>")
    assert not recognizes("<tool_call> is the tag of a call")
    assert not recognizes([CALL])
