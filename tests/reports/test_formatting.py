"""Text from the data as Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.rendering import escape
from callscore.reports.formatting import code, fenced, html_entities, table, xml_safe


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("get_weather", "`get_weather`"),
        ("a`b", "<code>a&#96;b</code>"),
        ("a|b", "<code>a&#124;b</code>"),
        ("<b>", "<code>&#60;b&#62;</code>"),
        ("", "`''`"),
        ("a\nb", "<code>a&#92;nb</code>"),
    ],
)
def test_text_is_code_that_cannot_end_early(text: str, written: str) -> None:
    assert code(text) == written


def test_long_text_is_cut_in_the_middle() -> None:
    assert code("a" * 100 + "b", width=9) == "`aaaa…aaab`"


def test_columns_of_numbers_are_set_to_the_right() -> None:
    assert table(["x", "n"], [("a", 1), ("b", 22)]) == (
        "| x | n |\n| --- | ---: |\n| a | 1 |\n| b | 22 |"
    )


@pytest.mark.parametrize(
    ("text", "block"),
    [("a", "```diff\na\n```"), ("a ```` b", "`````diff\na ```` b\n`````")],
)
def test_a_block_of_code_cannot_end_early(text: str, block: str) -> None:
    assert fenced(text, "diff") == block


@given(st.text(st.characters(max_codepoint=127) | st.sampled_from("é…世\u200b\x85"), max_size=8))
def test_quick_ways_of_escaping_give_the_same_text(text: str) -> None:
    assert xml_safe(text) == "\n".join(map(escape, text.split("\n")))
    # The text with another letter in it goes the long way.
    assert html_entities(text) == html_entities(f"{text}é").removesuffix("é")
