"""Calls in plain Python, which must come out as Python's own parser sees them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.formats.families.python_calls import (
    PythonCall,
    is_prose,
    parse_calls,
    read_plain_calls,
)

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
