"""Text with calls in fenced blocks."""

from __future__ import annotations

import pytest

from callscore.core.call import INVALID, TRUNCATED, ToolCall
from callscore.formats.dialects.text_fenced import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

F = '{"name": "f", "arguments": {"a": 1}}'


def calls_of(text: str) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{F}\n```",
        f"```json\n[{F}]\n```",
        f"```\n{F}\n```",
        f"```tool_call\n{F}\n```",
        f'```json\n{{"tool_calls": [{F}]}}\n```',
        f"Text.\n```json \n{F}\n``` More.",
        f"```json\n{F}",
        "```tool_code\nf(a=1)\n```",
        "```tool_code\nprint(f(a=1))\n```",
        "```tool_code\n[f(a=1)]\n```",
    ],
)
def test_a_call_is_written_in_several_kinds_of_blocks(text: str) -> None:
    assert calls_of(text) == (ToolCall("f", {"a": 1}, step=0),)


def test_several_blocks_are_several_calls_and_others_are_none() -> None:
    text = (
        f'```json\n{F}\n```\n```json\n{{"answer": 42}}\n```\n```python\nf()\n```\n```json\n{F}\n```'
    )

    assert len(calls_of(text)) == 2


def test_what_is_printed_and_no_call_is_a_call_of_print() -> None:
    assert calls_of("```tool_code\nprint('f(a=1)')\n```") == (
        ToolCall("print", {"0": "f(a=1)"}, step=0, positional=True),
    )


def test_an_output_block_is_a_result() -> None:
    first, second = calls_of(
        "```tool_code\nf()\n```\n```tool_output\nError: no\n```\n```tool_code\ng()\n```"
    )

    assert (first.step, first.result, first.failed) == (0, "Error: no", True)
    assert (second.step, second.result) == (1, None)


def test_what_cannot_be_read_is_malformed() -> None:
    (cut,) = calls_of('```json\n{"name": "f", "arguments": {"a')
    (wrong,) = calls_of("```json\n{'name': 'f', 'arguments': {'a': 1}}\n```")

    assert cut == ToolCall("f", step=0, raw='{"a', error=TRUNCATED)
    assert wrong == ToolCall("f", step=0, raw="{'a': 1}", error=INVALID)


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        '```json\n{"answer": 42}\n```',
        '```json\n{"name": "Ana"}\n```',
        '```json\n{"name": "f", "parameters": {"type": "object", "properties": {}}}\n```',
        "```json\nnot JSON\n```",
        "```tool_code\nx = f()\n```",
        f"```python\n{F}\n```",
        f"```yaml\n{F}\n```",
    ],
)
def test_look_alikes_are_not_claimed(text: str) -> None:
    assert not recognizes(text)
    assert not recognizes([text])
