"""Text of Mistral models."""

from __future__ import annotations

import pytest

from callscore.core.call import INVALID, TRUNCATED, ToolCall
from callscore.formats.dialects.text_mistral import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def calls_of(text: str) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "c"}]</s>',
        '[TOOL_CALLS][{"name": "f", "arguments": "{\\"a\\": 1}", "id": "c"}] and so on',
        '[TOOL_CALLS]f[CALL_ID]c[ARGS]{"a": 1}</s>',
        '[TOOL_CALLS] f [CALL_ID] c [ARGS] {"a": 1}',
        '[TOOL_CALLS]f[CALL_ID]c{"a": 1}',
    ],
)
def test_every_version_writes_the_same_call(text: str) -> None:
    assert calls_of(text) == (ToolCall("f", {"a": 1}, id="c", step=0),)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"content": 18, "call_id": "c"}', 18),
        ('[{"name": "f", "content": "18"}]', "18"),
        ("c[TOOL_CONTENT] 18", "18"),
        ("18", "18"),
        ('{"temperature": 18}', '{"temperature": 18}'),
    ],
)
def test_every_version_writes_the_same_result(text: str, result: object) -> None:
    (call,) = calls_of(f"[TOOL_CALLS]f[CALL_ID]c[ARGS]{{}}</s>[TOOL_RESULTS]{text}[/TOOL_RESULTS]")

    assert call.result == result


def test_a_result_that_says_so_is_a_failure_and_ends_the_step() -> None:
    first, second = calls_of(
        "[TOOL_CALLS]f[ARGS]{}[TOOL_RESULTS]Error: no[/TOOL_RESULTS][TOOL_CALLS]g[ARGS]{}"
    )

    assert (first.failed, first.step) == (True, 0)
    assert (second.failed, second.step) == (None, 1)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("[TOOL_CALLS]f", ToolCall("f", step=0, raw="", error=TRUNCATED)),
        ("[TOOL_CALLS]f[ARGS]", ToolCall("f", {}, step=0)),
        ("[TOOL_CALLS]", ToolCall("", step=0, raw="", error=TRUNCATED)),
        (
            '[TOOL_CALLS][{"name": "f", "arguments": {"a',
            ToolCall("f", step=0, raw='{"a', error=TRUNCATED),
        ),
        (
            "[TOOL_CALLS]f[ARGS]{'a': 1}",
            ToolCall("f", step=0, raw="{'a': 1}", error=INVALID),
        ),
    ],
)
def test_what_cannot_be_read_is_malformed(text: str, call: ToolCall) -> None:
    assert calls_of(text) == (call,)


def test_a_prompt_defines_tools() -> None:
    text = '[AVAILABLE_TOOLS] [{"type": "function", "function": {"name": "f"}}][/AVAILABLE_TOOLS]'

    assert [tool.name for tool in read_tools(text)] == ["f"]
    assert read_tools(5) == []


def test_other_text_is_not_mistral_s() -> None:
    assert not recognizes("[f()]")
    assert not recognizes(["[TOOL_CALLS]"])
