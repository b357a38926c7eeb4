"""Answers of models in results of the Berkeley Function Calling Leaderboard, in all spellings."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.dialects.bfcl import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

F = ("f", {"a": 1})
G = ("g.h", {"b": "x"})
JSON_F = '{"name": "f", "arguments": {"a": 1}}'
JSON_G = '{"name": "g.h", "arguments": {"b": "x"}}'
LIST = f"[{JSON_F}, {JSON_G}]"


def calls_in(text: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    document = {"id": "parallel_0", "result": text, "latency": 0.5}
    assert recognizes(document)
    (trace,) = read(document, options)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    "text",
    [
        # calls in Python
        "[f(a=1), g.h(b='x')]",
        "[\n    f(a=1),\n    g.h(b='x'),\n]",
        "f(a=1), g.h(b='x')",
        "f(a=1); g.h(b='x');",
        "f(a=1)\ng.h(b='x')",
        "Call: f(a=1); g.h(b='x')<bot_end>\nThought: I call `f(a=1)`.",
        "f(a=1), g.h(b='x')]",
        "[f(a=1), g.h(b='x')",
        "'[f(a=1), g.h(b=\"x\")]'",
        "['f(a=1)', 'g.h(b=\"x\")']",
        "['f(a=1)', 'g.h(b='x')']",
        '["f(a=1)", "g.h(b=\'x\')"]',
        "`[f(a=1), g.h(b='x')]`",
        "```[f(a=1), g.h(b='x')]```",
        "```json\n[f(a=1), g.h(b='x')]\n```",
        "```python\n[f(a=1), g.h(b='x')]\n```",
        "```tool_code\nf(a=1), g.h(b='x')\n```",
        "ASSISTANT: [f(a=1), g.h(b='x')]",
        "<think>\nMaybe [z(c=1)]?\n</think>\n\n[f(a=1), g.h(b='x')]",
        "Maybe [z(c=1)]?</think>[f(a=1), g.h(b='x')]",
        "<TOOLCALL>[f(a=1), g.h(b='x')]</TOOLCALL>",
        (
            "<|thought_start|>\n[z()]\n<|thought_end|>\n<|tool_call_start|>\n```python\nf(a=1)\ng.h(b='x')\n```"
            "\n<|tool_call_end|>"
        ),
        "[`f(a=1)`, `g.h(b='x')`]",
        "[{'f(a=1)'}, {'g.h(b=\"x\")'}]",
        "[{'f(a=1)}, {'g.h(b=\"x\")}]",
        "[f(a=1), g.h(b='x')],",
        "['f(a=1)'],\n['g.h(b=\"x\")']",
        "These are the calls:\n\n['f(a=1)', 'g.h(b=\"x\")']\n\nThey need [numbers].",
        "<|start_header_id|>assistant<|end_header_id|>\n\nf(a=1), g.h(b='x')",
        # names with their arguments
        "[{'f': {'a': 1}}, {'g.h': {'b': 'x'}}]",
        '[["f", {"a": 1}], ["g.h", {"b": "x"}]]',
        '["f", {"a": 1}]\n["g.h", {"b": "x"}]',
        # calls in JSON
        LIST,
        f"I call them:\n<|im_start|>\n{JSON_F}\n<|im_start|>\n{JSON_G}\n<|im_start|>assistant",
        f"[control] [{JSON_F},\n{JSON_G}] That is all.",
        '{"tools_call": ["f(a=1)", "g.h(b=\'x\')"]}',
        f"{JSON_F}; {JSON_G}",
        f"{JSON_F}\n{JSON_G}",
        f'\n{{"tool_calls": {LIST}}}',
        f'{{"thought": "", "tool_calls": {LIST}}}',
        f"```json\n{LIST}\n```",
        f"```\n{LIST}```",
        '[{"function": "f", "parameters": {"a": 1}}, {"function": "g.h", "parameters": {"b": "x"}}]',
        "[{'name': 'f', 'arguments': {'a': 1}}, {'name': 'g.h', 'arguments': {'b': 'x'}}]",
        LIST.replace("arguments", "parameters"),
        "<|python_tag|>" + f"{JSON_F}; {JSON_G}".replace("arguments", "parameters"),
        f"[TOOL_CALLS] {LIST}",
        f"<tool_call>\n{JSON_F}\n</tool_call>\n<tool_call>\n{JSON_G}\n</tool_call>\n",
        f"I will look.\n<tool_call>\n{JSON_F}\n</tool_call>\n<tool_call>\n{JSON_G}",
        f"<tool_call>\n```json\n{LIST}\n```\n</tool_call>",
        f"<tool_call>{LIST}",
        f"<|tool_call|>{LIST}",
        f"<|tool_call|>{LIST}<|/tool_call|>",
        f"<|tool_call|>{JSON_F},{JSON_G}<|/tool_call|>",
        f"<tool_calls>\n{LIST}\n</tool_calls>",
        f"<function_call> {JSON_F} <function_call> {JSON_G}",
        (
            '<functioncall> {"name": "f", "arguments": \'{"a": 1}\'} <functioncall> '
            '{"name": "g.h", "arguments": \'{"b": "x"}\'}'
        ),
        # with a tag for each argument
        (
            '<functions><function name="f"><params><param name="a" value="1" type="integer"/></params>'
            '</function><function name="g.h"><params><param name="b" value="x" type="string"/></params>'
            "</function></functions>"
        ),
        (
            '<functions>\n<function name="f"><param name="a" type="integer">1</param></function>\n'
            '<function name="g.h"><param name="b" type="string">x</param></function>\n</functions>'
        ),
        (
            "<start_function_call>call:f{a:1}<end_function_call>"
            "<start_function_call>call:g.h{b:<escape>x<escape>}<end_function_call>"
        ),
        # in formats of their own
        (
            "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
            "<tool_call>g.h\n<arg_key>b</arg_key>\n<arg_value>x</arg_value>\n</tool_call>"
        ),
        (
            "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
            "\n<tool_call>\n<function=g.h>\n<parameter=b>\nx\n</parameter>\n</function>\n</tool_call>"
        ),
        # among other text
        "Here are the calls: [f(a=1), g.h(b='x')] They do it.",
        f"Sure!\n```json\n{LIST}\n```\nDone.",
        "Sure!\n```python\n[f(a=1), g.h(b='x')]\n```\nDone.",
        "Sure!\n```tool_code\nf(a=1)\n```\nand\n```tool_code\ng.h(b='x')\n```",
    ],
)
def test_two_calls_are_read_in_every_spelling(text: str) -> None:
    schema = {"properties": {"a": {"type": "integer"}}}
    found = calls_in(text, ReadOptions(tools={"f": Tool("f", parameters=schema)}))

    assert [(call.name, call.arguments) for call in found] == [F, G]
    assert {call.step for call in found} == {0}


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('math_hypot\n{"x": 4, "y": 5}', "math_hypot", {"x": 4, "y": 5}),
        ('f\n{"a": 1}\nI called it.', "f", {"a": 1}),
        ('f\n{\n  "a": 1\n}', "f", {"a": 1}),
        ("[calc\\_density(mass=0.5)]", "calc_density", {"mass": 0.5}),
        ('{"name": "f", "arguments": "{\\"a\\": 1}"}', "f", {"a": 1}),
        ('<function name="now"/>', "now", {}),
        (
            (
                '<function name="f"><param name="a" value="[1, \'x\']" type="array"/>'
                '<param name="b" value="True" type="boolean"/><param name="c" value="2" type="float"/>'
                '<param name="d" value="&lt;3" type="string"/><param name="e" value="" type="null"/>'
                '<param name="g" value="soon" type="integer"/></function>'
            ),
            "f",
            {"a": [1, "x"], "b": True, "c": 2.0, "d": "<3", "e": None, "g": "soon"},
        ),
        (
            (
                "<start_function_call>call:f{l:[<escape>a, b:c<escape>,2],t:true,o:{k:null}}"
                "<end_function_call>"
            ),
            "f",
            {"l": ["a, b:c", 2], "t": True, "o": {"k": None}},
        ),
    ],
)
def test_one_call_is_read_with_its_values(text: str, name: str, arguments: Any) -> None:
    assert [(call.name, call.arguments) for call in calls_in(text)] == [(name, arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that.",
        "The name and arguments of a call are missing.",
        "[]",
        "\n[]",
        '{"tool_calls": []}',
        "<tool_call>[]</tool_call>",
        "<tool_call></tool_call>",
        '<function_call> {"name": "no_function", "arguments": {}}',
        "out_of_domain(user_query='Hello');",
        '{"answer": 42}',
        '["Paris", "Rome"]',
        '["Paris", {"population": 2}, {"rivers": 1}]',
        '{"f": {"a": 1}}',
        '[{"parameters": {"a": 1}}]',
        '{"name": "Ada", "age": 36}',
        (
            '[{"name": "f", "description": "Does it.",'
            ' "parameters": {"type": "dict", "properties": {"a": {"type": "integer"}}}}]'
        ),
        "<think>I could call [f(a=1)].</think> No.",
        "<think>[f(a=1)]",
        "You can compute it:\n```python\nprint(sum([1, 2]))\n```",
        'You can write\n```json\n{"a": 1}\n```',
        "See [1] and [the page](https://example.com).",
        "f\n\ng",
    ],
)
def test_other_text_calls_nothing(text: str) -> None:
    assert calls_in(text) == ()


@pytest.mark.parametrize(
    ("text", "name", "error"),
    [
        ("[f(a='x", "f", TRUNCATED),
        ("['f(a=1', ", "f", TRUNCATED),
        ("[f(a=1=2)]", "f", INVALID),
        ('{"name": "f", "arguments": {"a": ', "f", TRUNCATED),
        ('[{"name": "f", "arguments": {"a": 1', "f", TRUNCATED),
        ('<tool_call>\n{"name": "f", "arguments": {"a": }}\n</tool_call>', "f", INVALID),
        ("<tool_call>search for it</tool_call>", "", INVALID),
        ('f\n{"a": ', "f", TRUNCATED),
        ('<function name="f"><param name="a" value="1"', "f", TRUNCATED),
        ('<function name="f"><param value="1"/></function>', "f", INVALID),
        ("<start_function_call>call:f{a:", "f", TRUNCATED),
    ],
)
def test_a_call_that_cannot_be_read_is_kept_with_the_reason(
    text: str, name: str, error: str
) -> None:
    (call,) = calls_in(text)

    assert (call.name, call.arguments, call.error) == (name, None, error)


def test_a_call_in_a_format_of_its_own_keeps_its_error() -> None:
    (call,) = calls_in("<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1")

    assert (call.name, call.error) == ("f", TRUNCATED)


@pytest.mark.parametrize(
    "record",
    [
        {"f": {"a": 1}},
        {"f": '{"a": 1}'},
        {"name": "f", "arguments": {"a": 1}},
        {"name": "f", "arguments": '{"a": 1}'},
        {"tool_name": "f", "parameters": {"a": 1}},
    ],
)
def test_a_record_of_a_call_is_read_in_every_notation(record: Any) -> None:
    assert calls_in([record]) == (ToolCall("f", {"a": 1}, step=0),)
    assert calls_in([[[record], "done"]]) == (ToolCall("f", {"a": 1}, step=0),)


@pytest.mark.parametrize(
    "text",
    [
        "You can call f(a=1).",
        "You can call\n```python\nresult = f(data)\n```",
        "f(**{'a': 1}) is the call.",
        'f({"a": 1})["b"]',
        '[{"name": "f", "a": 1}]',
        ["You can call f(a=1)."],
    ],
)
def test_a_call_that_is_not_the_answer_is_noted(text: Any) -> None:
    noted: list[str] = []

    assert calls_in(text, ReadOptions(on_unread=noted.append)) == ()
    (note,) = noted
    assert note.endswith("at $.result looks like a call.")


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that (see below).",
        "```python\nprint(sum([1, 2]))\n```",
        "```python\ndef f(a=1):\n    return a\n```",
        "Error during inference: f(a=1)",
    ],
)
def test_text_without_a_call_is_not_noted(text: str) -> None:
    noted: list[str] = []

    read({"id": "parallel_0", "result": text}, ReadOptions(on_unread=noted.append))

    assert noted == []


@pytest.mark.parametrize("part", ['See {"name": ', "See [f(a= "])
def test_much_that_only_begins_like_a_call_is_read_to_its_end(part: str) -> None:
    assert calls_in(part * 5_000) == ()


def test_every_answer_in_text_is_a_step() -> None:
    result = [["[f(a=1)]", f"<tool_call>{JSON_G}</tool_call>", "Done."], ["[f(a=1)]"]]

    assert [(call.name, call.step) for call in calls_in(result)] == [("f", 0), ("g.h", 1), ("f", 2)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (20_000 * '<function name="', []),
        ('<function name="f">' + 15_000 * '<param name="x">' + "</function>", ["f"]),
        (f'<function name="f"><param {30_000 * "a"}></param></function>', ["f"]),
        (f'<function name="f"><param{2_000 * " "}</function>', ["f"]),
        (10_000 * "<start_function_call>call:", []),
        (f"<start_function_call>call:f{{{30_000 * 'a'}}}<end_function_call>", ["f"]),
    ],
    ids=["calls", "arguments", "fields", "spaces", "gemma", "gemma keys"],
)
def test_many_tags_that_do_not_end_are_read(text: str, names: list[str]) -> None:
    assert [call.name for call in calls_in(text)] == names
