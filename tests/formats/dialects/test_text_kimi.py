"""Text of Kimi models."""

from __future__ import annotations

import pytest

from callscore.core.call import TRUNCATED, ToolCall
from callscore.formats.dialects.text_kimi import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

CALL = "<|tool_call_begin|>{id}<|tool_call_argument_begin|>{text}<|tool_call_end|>"
RESULT = "<|im_end|><|im_system|>tool<|im_middle|>## Return of {id}\n{text}"


def calls_of(text: str) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("functions.f:0", "f"),
        ("functions.a.b:12", "a.b"),
        ("f:0", "f"),
        ("functions.f", "f"),
        (" f ", "f"),
    ],
)
def test_the_id_tells_the_tool(given: str, name: str) -> None:
    (call,) = calls_of(CALL.format(id=given, text="{}"))

    assert (call.name, call.id) == (name, given.strip())


def test_results_name_the_call() -> None:
    first, second = calls_of(
        CALL.format(id="functions.f:0", text="{}")
        + CALL.format(id="functions.f:1", text='{"a": 1}')
        + RESULT.format(id="functions.f:1", text="Error: no")
        + RESULT.format(id="functions.f:0", text="two\nlines")
    )

    assert (first.result, first.failed, first.step) == ("two\nlines", False, 0)
    assert (second.result, second.failed, second.step) == ("Error: no", True, 0)


def test_a_heading_in_an_answer_is_no_result() -> None:
    (call,) = calls_of("Some text.\n## Return of x\n" + CALL.format(id="f:0", text="{}"))

    assert (call.name, call.result) == ("f", None)


def test_what_breaks_off_is_malformed() -> None:
    (call,) = calls_of("<|tool_call_begin|>functions.f:0")

    assert call == ToolCall("f", id="functions.f:0", step=0, raw="", error=TRUNCATED)


def test_other_text_is_not_kimi_s() -> None:
    assert not recognizes("<|tool_call_start|>[f()]")
    assert not recognizes(["<|tool_call_begin|>"])
