"""Calls that a model wrote in Python."""

from __future__ import annotations

import time
from typing import Any

import pytest

from callscore.core.call import INVALID, TRUNCATED, Tool, ToolCall
from callscore.formats.families.python_calls import is_python_call_list, parse_calls, take_python
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
def test_hostile_text_takes_no_time_and_breaks_nothing(text: str) -> None:
    start = time.perf_counter()

    (call,) = calls_of(text)

    assert call.error is not None
    assert time.perf_counter() - start < 5
