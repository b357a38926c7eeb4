"""Text of gpt-oss models."""

from __future__ import annotations

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects.text_harmony import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

CALL = "<|start|>assistant<|channel|>commentary to=functions.{name} json<|message|>{text}<|call|>"
RESULT = "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{text}<|end|>"


def calls_of(text: str) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_each_call_is_a_message_and_gets_the_result_that_names_its_tool() -> None:
    first, second = calls_of(
        CALL.format(name="f", text='{"a": 1}')
        + CALL.format(name="g", text="{}")
        + RESULT.format(name="g", text="Error: no")
        + RESULT.format(name="f", text='"fine"')
    )

    assert first == ToolCall("f", {"a": 1}, step=0, result="fine", failed=False)
    assert second == ToolCall("g", {}, step=1, result="Error: no", failed=True)


def test_a_result_that_is_no_text_in_json_stays_as_it_stands() -> None:
    (call,) = calls_of(CALL.format(name="f", text="{}") + RESULT.format(name="f", text='{"a": 1}'))

    assert call.result == '{"a": 1}'


def test_a_result_without_an_author_goes_to_the_last_call() -> None:
    (call,) = calls_of(
        CALL.format(name="f", text="{}") + "<|channel|>commentary to=assistant<|message|>ok<|end|>"
    )

    assert call.result == "ok"


def test_tools_outside_of_the_namespace_are_the_server_s() -> None:
    text = "<|channel|>analysis to={name} code<|message|>{text}<|call|>"

    (python,) = calls_of(text.format(name="python", text="print(1)"))
    (browser,) = calls_of(text.format(name="browser.open", text='{"id": 3}'))

    assert python == ToolCall("python", {"input": "print(1)"}, step=0, kind="hosted")
    assert browser == ToolCall("browser.open", {"id": 3}, step=0, kind="hosted")


@pytest.mark.parametrize("recipient", ["user", "all"])
def test_a_message_to_people_is_no_call(recipient: str) -> None:
    assert calls_of(f"<|channel|>final to={recipient}<|message|>Hello<|end|>") == ()


def test_what_is_said_of_recipients_in_a_message_is_no_call() -> None:
    assert calls_of("<|channel|>analysis<|message|>write to=functions.f<|end|>") == ()


def test_other_text_is_not_harmony() -> None:
    assert not recognizes("<|im_start|>assistant\n<tool_call>{}</tool_call>")
    assert not recognizes(["<|channel|><|message|>"])
