from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.rendering import display_width
from callscore.core.rules import Matcher
from callscore.words.value_text import arguments_text, call_text, name_text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ToolCall("f", {"city": "Oslo", "days": 2}), 'f(city="Oslo", days=2)'),
        (ToolCall("f", {}), "f()"),
        (ToolCall("f"), "f(…)"),
        (ToolCall("f", {"on": Matcher("$date", "2024-01-15")}), 'f(on=$date "2024-01-15")'),
        (ToolCall("f", raw="{oops", error="truncated_json"), 'f("{oops")'),
        (ToolCall("f", error=NOT_CAPTURED), "f(?)"),
        (ToolCall("\x1b[31m", {"a\n": "\x00"}), 'f(a\\n="\\u0000")'.replace("f", "\\u001b[31m")),
    ],
)
def test_a_call_is_written_as_one_would_write_it(call: ToolCall, text: str) -> None:
    assert call_text(call, limit=100) == text


@given(st.text(min_size=1), st.dictionaries(st.text(), st.text()), st.integers(1, 60))
def test_a_call_takes_no_more_room_than_there_is(
    name: str, arguments: dict[str, str], limit: int
) -> None:
    text = call_text(ToolCall(name, arguments), limit=limit)

    assert display_width(text) <= limit
    assert text.isprintable()


def test_long_names_and_arguments_are_cut() -> None:
    assert name_text("x" * 1000, limit=5) == "xxxx…"
    assert arguments_text(ToolCall("f", {"a": "x" * 1000}), limit=10) == '(a="xxxx…)'
