"""Text of Hermes and Qwen models."""

from __future__ import annotations

from callscore.core.call import INVALID, TRUNCATED, ToolCall
from callscore.formats.dialects.text_hermes import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


def calls_of(text: str) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_several_tags_are_several_calls_of_one_step() -> None:
    assert calls_of(f"Both:\n{CALL}\n{CALL}") == (ToolCall("f", {"a": 1}, step=0),) * 2


def test_a_tag_need_not_be_closed() -> None:
    text = CALL.removesuffix("</tool_call>")

    assert calls_of(text + text) == (ToolCall("f", {"a": 1}, step=0),) * 2


def test_a_call_within_a_thought_was_only_thought_of() -> None:
    assert calls_of(f"<think>{CALL}</think>Hello") == ()
    assert calls_of(f"<think>{CALL}") == ()
    assert calls_of(f"{CALL}</think>Hello") == ()
    assert len(calls_of(f"<think>x</think>{CALL}<think>{CALL}</think>{CALL}")) == 2


def test_a_thought_within_a_call_is_an_argument() -> None:
    (call,) = calls_of(
        '<tool_call>{"name": "f", "arguments": {"text": "<think>x</think>"}}</tool_call>'
    )

    assert call.arguments == {"text": "<think>x</think>"}


def test_results_and_steps_follow_the_turns_or_the_text() -> None:
    answer = "<tool_response>\nError: no\n</tool_response>"
    turns = f"<|im_start|>assistant\n{CALL}<|im_end|><|im_start|>tool\n{answer}<|im_end|>"

    for text in (f"{turns}<|im_start|>assistant\n{CALL}", f"{CALL}{answer}{CALL}"):
        first, second = calls_of(text)

        assert (first.step, first.result, first.failed) == (0, "Error: no", True)
        assert (second.step, second.result) == (1, None)


def test_an_example_in_the_prompt_is_no_call() -> None:
    assert calls_of(f"<|im_start|>system\n{CALL}<|im_end|>\n<|im_start|>assistant\nHello") == ()


def test_what_cannot_be_read_is_malformed() -> None:
    first, second = calls_of("<tool_call>\n{'name': 'f', 'arguments': {}}\n</tool_call><tool_call>")

    assert first == ToolCall("f", step=0, raw="{}", error=INVALID)
    assert second == ToolCall("", step=0, raw="", error=TRUNCATED)


def test_tools_in_the_prompt_are_read() -> None:
    assert [tool.name for tool in read_tools('<tools>[{"name": "f"}]</tools>')] == ["f"]


def test_other_text_is_not_claimed() -> None:
    assert not recognizes("Hello!")
    assert not recognizes([CALL])
