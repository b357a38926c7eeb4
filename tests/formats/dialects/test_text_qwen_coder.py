"""Text of Qwen3-Coder."""

from __future__ import annotations

import pytest

from callscore.core.call import TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.text_qwen_coder import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

TOOL = Tool("f", parameters={"properties": {"n": {"type": "integer"}, "on": {"type": "boolean"}}})


def calls_of(text: str, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, options)
    assert trace.calls is not None
    return trace.calls


def test_arguments_are_text_unless_the_tools_are_known() -> None:
    text = "<function=f>\n<parameter=n>\n3\n</parameter>\n<parameter=on>\ntrue\n</parameter>\n</function>"

    assert calls_of(text)[0].arguments == {"n": "3", "on": "true"}
    assert calls_of(text, ReadOptions(tools={"f": TOOL}))[0].arguments == {"n": 3, "on": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<parameter=a>\n  x\n\ny\n</parameter>", "  x\n\ny"),
        ("<parameter=a>x</parameter>", "x"),
        ("<parameter=a>\n</parameter>", ""),
        ("<parameter=a>\nx\n<parameter=b>\ny\n</parameter>", "x"),
    ],
)
def test_only_the_line_breaks_of_the_format_are_taken_off(text: str, value: str) -> None:
    (call,) = calls_of(f"<tool_call>\n<function=f>\n{text}\n</function>\n</tool_call>")

    assert (call.arguments or {})["a"] == value


def test_calls_without_arguments_and_without_an_outer_tag_count() -> None:
    assert [
        call.name for call in calls_of("<function=f>\n</function>\n<function=g></tool_call>")
    ] == [
        "f",
        "g",
    ]


def test_results_and_steps_follow_the_turns() -> None:
    call = "<tool_call>\n<function=f>\n</function>\n</tool_call>"
    first, second = calls_of(
        f"<|im_start|>assistant\n{call}<|im_end|>\n<|im_start|>user\n<tool_response>\nError: no\n"
        f"</tool_response><|im_end|>\n<|im_start|>assistant\n{call}<|im_end|>"
    )

    assert (first.step, first.result, first.failed) == (0, "Error: no", True)
    assert (second.step, second.result) == (1, None)


def test_an_example_in_the_prompt_is_no_call() -> None:
    text = "<|im_start|>system\n<function=f>\n</function><|im_end|>\n<|im_start|>assistant\nHello"

    assert calls_of(text) == ()


def test_what_breaks_off_is_malformed() -> None:
    first, second = calls_of("<function=f>\n<function=g>\n<parameter=a>\nx")

    assert first == ToolCall("f", step=0, raw="", error=TRUNCATED)
    assert second == ToolCall("g", step=0, raw="<parameter=a>\nx", error=TRUNCATED)


def test_tools_in_the_prompt_are_read() -> None:
    assert [tool.name for tool in read_tools('<tools>\n{"name": "f"}\n</tools>')] == ["f"]


def test_look_alikes_are_not_claimed() -> None:
    assert not recognizes('<function=f>{"a": 1}</function>')
    assert not recognizes('<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert not recognizes("the tag <function=f> begins a call")
    assert not recognizes(["<function=f></function>"])
