"""Text of DeepSeek models."""

from __future__ import annotations

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.text_deepseek import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

BAR = "\uff5c"
BEGIN, SEP, END = (f"<{BAR}tool▁{name}{BAR}>" for name in ("call▁begin", "sep", "call▁end"))
OUT, DONE = f"<{BAR}tool▁output▁begin{BAR}>", f"<{BAR}tool▁output▁end{BAR}>"
INVOKE, CLOSE = f"<{BAR}DSML{BAR}invoke name=", f"</{BAR}DSML{BAR}invoke>"
PARAMETER, CLOSED = f"<{BAR}DSML{BAR}parameter name=", f"</{BAR}DSML{BAR}parameter>"


def calls_of(text: str, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    assert recognizes(text)
    (trace,) = read(text, options)
    assert trace.calls is not None
    return trace.calls


def test_outputs_belong_to_the_calls_in_their_order() -> None:
    first, second, third = calls_of(
        f"{BEGIN}f{SEP}{{}}{END}{BEGIN}g{SEP}{{}}{END}{OUT}1{DONE}{OUT}Error: 2{DONE}"
        f"{BEGIN}h{SEP}{{}}{END}"
    )

    assert (first.step, first.result, first.failed) == (0, "1", False)
    assert (second.step, second.result, second.failed) == (0, "Error: 2", True)
    assert (third.step, third.result) == (1, None)


def test_v3_names_the_function_after_saying_that_it_is_one() -> None:
    expected = (ToolCall("f", {"a": 1}, step=0),)

    assert calls_of(f'{BEGIN}function{SEP}f\n```json\n{{"a": 1}}\n```{END}') == expected
    assert calls_of(f'{BEGIN}function{SEP}f\n{{"a": 1}}{END}') == expected
    assert calls_of(f'{BEGIN}f{SEP}```json\n{{"a": 1}}\n```{END}') == expected


def test_a_tool_may_be_called_function() -> None:
    assert calls_of(f"{BEGIN}function{SEP}{{}}{END}") == (ToolCall("function", {}, step=0),)


def test_what_breaks_off_is_malformed() -> None:
    (without_arguments,) = calls_of(f"{BEGIN}f")
    (within,) = calls_of(f'{BEGIN}f{SEP}{{"a": "b')

    assert without_arguments == ToolCall("f", step=0, raw="", error=TRUNCATED)
    assert within == ToolCall("f", step=0, raw='{"a": "b', error=TRUNCATED)


def test_arguments_that_are_no_json_are_kept() -> None:
    (call,) = calls_of(f"{BEGIN}f{SEP}{{'a': 1}}{END}")

    assert (call.raw, call.error) == ("{'a': 1}", INVALID)


def test_dsml_says_which_arguments_are_text() -> None:
    (call,) = calls_of(
        f'{INVOKE}"f">\n{PARAMETER}"a" string="true">1{CLOSED}\n'
        f'{PARAMETER}"b" string="false">[1]{CLOSED}\n{CLOSE}'
    )

    assert call.arguments == {"a": "1", "b": [1]}


def test_dsml_that_does_not_say_so_is_typed_by_the_schema() -> None:
    text = f'{INVOKE}"f">{PARAMETER}"a">1{CLOSED}{CLOSE}'
    tools = {"f": Tool("f", parameters={"properties": {"a": {"type": "integer"}}})}

    assert calls_of(text)[0].arguments == {"a": "1"}
    assert calls_of(text, ReadOptions(tools=tools))[0].arguments == {"a": 1}


def test_dsml_may_hold_json_and_may_break_off() -> None:
    first, second = calls_of(f'{INVOKE}"f">{{"a": 1}}{CLOSE}{INVOKE}"g">\n{PARAMETER}"a">x')

    assert first == ToolCall("f", {"a": 1}, step=0)
    assert second == ToolCall("g", step=0, raw=f'{PARAMETER}"a">x', error=TRUNCATED)


def test_other_text_is_not_deepseek_s() -> None:
    assert not recognizes("<|tool_call_begin|>functions.f:0")
    assert not recognizes({BEGIN: 1})
