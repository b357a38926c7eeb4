"""Calls in plain Python come out as Python's own parser sees them, which a comment calls in."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.samples.door import read_once

TEXTS = st.text(max_size=5) | st.sampled_from(["it's", 'a "b"', "\\", "[1, 2", "k=v)", "é", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["f", "get_weather", "math.sqrt", "_x"])
KEYS = st.sampled_from(["q", "limit", "city"])
GAPS = st.sampled_from(["", "", " ", "\n  "])


@st.composite
def spelled_calls(draw: st.DrawFn) -> str:
    gap = draw(GAPS)
    values = [repr(value) for value in draw(st.lists(VALUES, max_size=2))]
    named = draw(st.dictionaries(KEYS, VALUES, max_size=2))
    values += [f"{key}{gap}={gap}{value!r}" for key, value in named.items()]
    return f"{draw(NAMES)}({gap}{f'{gap},{gap}'.join(values)}{gap})"


def calls_in(text: str) -> Any:
    (trace,) = read_once({"id": "simple_python_0", "result": text}, "bfcl")["traces"]
    return [(call["name"], repr(call.get("arguments"))) for call in trace["calls"]]


@given(st.lists(spelled_calls(), min_size=1, max_size=3), GAPS)
def test_a_list_is_read_as_the_parser_reads_it(calls: list[str], gap: str) -> None:
    text = f"[{gap}{f'{gap},{gap}'.join(calls)}{gap}]"

    found = calls_in(text)

    assert found == calls_in(f"{text} # for the parser")
    assert [name for name, _ in found] == [call.partition("(")[0] for call in calls]
