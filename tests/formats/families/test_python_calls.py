"""Calls that a model wrote in Python."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.families.python_calls import (
    PythonCall,
    is_prose,
    is_python_call_list,
    lacks_brackets,
    parse_calls,
    read_plain_calls,
    take_python,
)
from callscore.formats.transcript import Transcript

HYPOT = Tool("hypot", parameters={"properties": {"x": {}, "y": {}}})


def calls_of(text: str, *tools: Tool) -> tuple[ToolCall, ...]:
    transcript = Transcript()
    take_python(text, transcript, {tool.name: tool for tool in tools})
    return transcript.calls()


def argument(text: str) -> Any:
    (call,) = calls_of(f"[f(x={text})]")
    assert call.arguments is not None
    return call.arguments["x"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'a'", "a"),
        ("'a' 'b'", "ab"),
        ("1_000", 1000),
        ("-1.5", -1.5),
        ("+2", 2),
        ("True", True),
        ("true", True),
        ("null", None),
        ("None", None),
        ("[1, 'a']", [1, "a"]),
        ("(1, 2)", [1, 2]),
        ("{1, 2}", [1, 2]),
        ("{'a': {'b': None}}", {"a": {"b": None}}),
        ("{1: 2, None: 3, -4: 5}", {"1": 2, "None": 3, "-4": 5}),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_a_literal_is_its_value(text: str, value: Any) -> None:
    assert argument(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "g(y=1)",
        "g(\n  'é')",
        "Color.RED",
        "a + b",
        "2 ** 10",
        "-x",
        "not x",
        "-1e999",
        "1e999",
        "b'x'",
        "...",
        "1j",
        "f'{x}'",
        "{**x}",
        "[y for y in z]",
        "x[0]",
        "lambda: 0",
        "__import__('os').system('true')",
    ],
)
def test_what_is_no_literal_is_its_text_and_is_never_run(text: str) -> None:
    assert argument(text) == text


def test_a_bare_name_is_a_string() -> None:
    assert argument("celsius") == "celsius"


def test_a_function_may_stand_in_modules() -> None:
    assert calls_of("[a.b.c(x=1)]") == (ToolCall("a.b.c", {"x": 1}),)


def test_calls_may_stand_in_a_list_or_one_by_one() -> None:
    two = (ToolCall("f", {}), ToolCall("g", {"x": 1}))

    assert calls_of("[f(), g(x=1)]") == two
    assert calls_of("f()\ng(x=1)") == two
    assert calls_of("f(), g(x=1)") == two
    assert calls_of("[f()]\r\n[g(x=1)]") == two


def test_an_argument_without_a_name_has_that_of_its_place_in_the_schema() -> None:
    (call,) = calls_of("[hypot(3, y=4)]", HYPOT)

    assert (call.arguments, call.positional) == ({"x": 3, "y": 4}, False)


@pytest.mark.parametrize("text", ["hypot(3, x=4)", "hypot(1, 2, 3)"])
def test_arguments_that_the_schema_has_no_place_for_are_named_by_their_positions(
    text: str,
) -> None:
    (call,) = calls_of(text, HYPOT)

    assert call.positional
    assert "0" in (call.arguments or {})


@pytest.mark.parametrize("tool", [Tool("sort"), Tool("sort", parameters={"properties": 5})])
def test_a_tool_without_properties_names_nothing(tool: Tool) -> None:
    assert calls_of("sort('a')", tool) == (ToolCall("sort", {"0": "a"}, positional=True),)


@pytest.mark.parametrize(
    ("text", "raw"),
    [("f(*a)", "(*a)"), ("f(**a)", "(**a)"), ("[f(x=1, x=2)]", "(x=1, x=2)"), ("f(x=)", "(x=)")],
)
def test_arguments_that_no_text_can_tell_are_malformed(text: str, raw: str) -> None:
    assert calls_of(text) == (ToolCall("f", raw=raw, error=INVALID),)


def test_the_calls_before_one_that_breaks_off_are_read() -> None:
    first, second = calls_of("[f(x='a, b', y=[1, 2]), g(x=[1, 'c")

    assert first == ToolCall("f", {"x": "a, b", "y": [1, 2]})
    assert second == ToolCall("g", raw="(x=[1, 'c", error=TRUNCATED)


def test_the_calls_around_one_that_cannot_be_parsed_are_read() -> None:
    calls = calls_of("[f(x=1), g(x==), h(x=2)]")

    assert [(call.name, call.error) for call in calls] == [("f", None), ("g", INVALID), ("h", None)]


@pytest.mark.parametrize("text", ["[x = 1]", "[f()(x=1)]", "[f()[0](x=1)]"])
def test_what_has_no_name_that_can_be_seen_is_still_a_call(text: str) -> None:
    (call,) = calls_of(text)

    assert call.error == INVALID
    assert call.arguments is None


def test_nothing_is_no_call() -> None:
    assert calls_of("") == ()
    assert calls_of("[]") == ()


@pytest.mark.parametrize("text", ["x = f()", "f", "[f(), 5]", "f(", "if", "\x00", "\ud800", "'a'"])
def test_text_that_is_not_calls_alone_is_none(text: str) -> None:
    assert parse_calls(text) is None


def test_an_escape_that_is_none_warns_nobody() -> None:
    assert parse_calls(r"f(x='\d')") is not None


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("[f(x=1)]", True),
        (" [ f(x=1), g() ] \n", True),
        ("[f(x=1), g(x='a", True),
        ("[f(x=]", True),
        ("[a.b(']', 1)]", True),
        ("[see(this)] for more", False),
        ("[note (1)]", False),
        ("f(x=1)", False),
        ("[1, 2]", False),
        ("", False),
    ],
)
def test_a_list_of_calls_is_told_from_other_text(text: str, is_it: bool) -> None:
    assert is_python_call_list(text) is is_it


@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        "-" * 300_000 + "1",
        "f(" + "a." * 100_000 + "b)",
        "f(" + "1+" * 100_000 + "1)",
        "[f(x='" + "\\'" * 200_000,
        "[f(x='" + "a" * 600_000 + "')]",
        "f" + "()" * 100_000,
    ],
    ids=["brackets", "signs", "dots", "sums", "escapes", "length", "calls"],
)
def test_hostile_text_breaks_nothing(text: str) -> None:
    # Long enough that a reader of quadratic time would seem to hang.
    (call,) = calls_of(text)

    assert call.error is not None


# Calls in plain Python, which must come out as Python's own parser sees them.

COMMENT = "# what is not plain, and left to Python's own parser"
TEXTS = st.text(max_size=5) | st.sampled_from(["it's", 'a "b"', "\\", "[1, 2", "k=v)", "é", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["f", "get_weather", "math.sqrt", "_x", "class", "a.if"])
KEYS = st.sampled_from(["q", "limit", "city", "lambda", "True"])
GAPS = st.sampled_from(["", "", " ", "\n  "])


@st.composite
def spelled_calls(draw: st.DrawFn) -> str:
    gap = draw(GAPS)
    values = [repr(value) for value in draw(st.lists(VALUES, max_size=2))]
    values += [f"{draw(KEYS)}{gap}={gap}{value!r}" for value in draw(st.lists(VALUES, max_size=2))]
    return f"{draw(NAMES)}({gap}{f'{gap},{gap}'.join(values)}{gap})"


def by_the_parser(text: str) -> list[PythonCall] | None:
    return parse_calls(f"{text} {COMMENT}")


@given(st.lists(spelled_calls(), min_size=1, max_size=3), GAPS)
def test_a_list_is_read_as_the_parser_reads_it_or_not_at_all(calls: list[str], gap: str) -> None:
    text = f"[{gap}{f'{gap},{gap}'.join(calls)}{gap}]"
    found = read_plain_calls(text)

    assert found is None or repr(found) == repr(by_the_parser(text))
    assert repr(parse_calls(text)) == repr(by_the_parser(text))


@given(spelled_calls(), st.text(alphabet="[](){}=,:'\"f1. \n#-", max_size=4), st.integers(0, 40))
def test_a_garbled_call_is_none_to_either(call: str, more: str, place: int) -> None:
    text = (call[:place] + more + call[place:]).strip()
    found = read_plain_calls(text)

    assert found is None or repr(found) == repr(by_the_parser(text))


@pytest.mark.parametrize(
    ("text", "named", "unnamed"),
    [
        ("f()", {}, []),
        ("f( )", {}, []),
        ("f('a', 2)", {}, ["a", 2]),
        ("f(1, x='a')", {"x": "a"}, [1]),
        ('f(x="it\'s", y=-1.5)', {"x": "it's", "y": -1.5}, []),
        ("f(x=True, y=False, z=None)", {"x": True, "y": False, "z": None}, []),
        ("f(x=[], y={})", {"x": [], "y": {}}, []),
        ("f(x=[1, [2], {'a': [3]}], y=4)", {"x": [1, [2], {"a": [3]}], "y": 4}, []),
        ("f(\n  x = { 'a' : 1 , \"b\" : 2 }\n)", {"x": {"a": 1, "b": 2}}, []),
        ("f(x={'a': 1, 'a': 2})", {"x": {"a": 2}}, []),
    ],
)
def test_plain_values_are_read(text: str, named: dict[str, Any], unnamed: list[Any]) -> None:
    assert read_plain_calls(text) == [PythonCall("f", named, unnamed, text)]
    assert read_plain_calls(f"[{text} ]") == [PythonCall("f", named, unnamed, text)]
    assert by_the_parser(text) == [PythonCall("f", named, unnamed, text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "f",
        "f(",
        "f(x=1",
        "f(x=1]",
        "f(x=1,)",
        "f(x=1) g(y=2)",
        "[f(x=1)",
        "[f(x=1))",
        "[f(x=1) g(y=2)]",
        "[f(x=1),]",
        "f(x=1, 2)",
        "f(x=1, x=2)",
        "f(if=1)",
        "if(x=1)",
        "a.if(x=1)",
        "f(x=y)",
        "f(x='a' 'b')",
        "f(x='''a''')",
        "f(x='\\n')",
        "f(x=r'a')",
        "f(x=01)",
        "f(x=1e5)",
        "f(x=1_000)",
        "f(x=1234567890123456)",
        "f(x=(1, 2))",
        "f(x={1: 2})",
        "f(x={'a': b=1})",
        "f(x={'a': 1])",
        "f(x={'a'})",
        "f(x=[y=1])",
        "f(x=[1)",
        "f(x=[1,])",
        "f(x=[1] + [2])",
        "f(x=" + "[" * 11 + "1" + "]" * 11 + ")",
        "f(*x)",
        "f(x='\ud800')",
    ],
)
def test_the_rest_is_left_to_the_parser(text: str) -> None:
    assert read_plain_calls(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "None of these can be used.",
        "Done.",
        "Done. \nAnything else?",
        "I'm sorry (really).",
        "Sorry, f(x=1) is not for me.",
        "Note: f(x=1)",
        "ok",
        "not f(x=1)",
        "await f(x=1)",
        "return f(x=1)",
        "f\n(x)",
        "f ; g(x)",
        "u'a'.join(x)",
    ],
)
def test_words_are_told_by_their_beginning(text: str) -> None:
    assert is_prose(text)
    assert parse_calls(text) is None
    assert parse_calls(f"{COMMENT}\n{text}") is None


@pytest.mark.parametrize(
    "text", ["f(x=1)", "f (x=1)", "a.b (x=1)", "a. b(x=1)", "f\\\n(x=1)", "[f(x=1)]", "(f)(x=1)"]
)
def test_calls_are_no_words(text: str) -> None:
    assert not is_prose(text)
    assert parse_calls(text)


PIECES = (
    *("f", "(", ")", "[", "]", "{", "}", ",", "=", ":", "a=", "1", " ", "\n", "\\", "#", "*", "x"),
    *("'", '"', "'''", '"""', "r'", "f'", 'b"', "'x'", "'('", "f\"{x['(']}\""),
)


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join), st.booleans())
def test_the_parser_refuses_what_lacks_brackets(text: str, is_call: bool) -> None:
    text = f"f({text})" if is_call else text

    if lacks_brackets(text):
        with pytest.raises((SyntaxError, ValueError)), warnings.catch_warnings(action="ignore"):
            ast.parse(text)


@pytest.mark.parametrize("text", ["f(a=", "[f(a=1]", "f(a=1))", "f(a='(', b={1: 2)", "f('x' ')'"])
def test_a_text_that_lacks_brackets_is_known_without_the_parser(text: str) -> None:
    assert lacks_brackets(text)
    assert parse_calls(text) is None


@pytest.mark.parametrize(
    "text", ["f(a=1)", "f(a='(')", "f(a=r'(')", "f(a='''(''')", "f(a=1  # (\n)", "f(a=1 2)"]
)
def test_other_texts_are_left_to_the_parser(text: str) -> None:
    assert not lacks_brackets(text)
