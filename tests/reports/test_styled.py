"""Text with styles: what is written without rich is what rich would write."""

from __future__ import annotations

import re
import sys
from io import StringIO
from typing import TYPE_CHECKING, Any

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as RichText

from callscore.reports.styled import _PLAIN, Indented, Text, diff_text, is_plain
from callscore.reports.tables import Column, column_table, wrapped_grid
from callscore.reports.terminal import PlainPage
from callscore.words.diff import COLOURS, rich_text

if TYPE_CHECKING:
    from callscore.reports.styled import Part

STYLES = ("", "bold", "red", "dim", "bold green")
CHARACTERS = "abc   \n.:[]\\-…→\u0416\u4e2d\u0301\u200b\U0001f600\u00a0\u00ad\t\r\x1b\x07"
texts = st.one_of(st.text("ab c", max_size=30), st.text(CHARACTERS, max_size=30))
styles = st.sampled_from(STYLES)
pieces = st.lists(st.tuples(texts, styles), max_size=5)


def built(kind: Any, parts: list[tuple[str, str]], style: str) -> Any:
    text = kind("", style)
    for content, each in parts:
        text.append(content, each)
    return text


styled = st.builds(lambda parts, style: built(Text, parts, style), pieces, styles)


def by_rich(part: object, width: int, *, soft_wrap: bool = False, coloured: bool = False) -> str:
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        color_system="standard" if coloured else None,
        force_terminal=coloured,
        legacy_windows=False,
    )
    console.print(part, width=width, soft_wrap=soft_wrap)
    return file.getvalue()


def plain(part: Part, width: int, *, soft_wrap: bool = False) -> str:
    page = PlainPage(width)
    page.print(part, width=width, soft_wrap=soft_wrap)
    return page.text


def stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@given(styled, st.integers(1, 40), st.booleans())
@example(Text("a b "), 2, False)
@example(Text("a\n"), 9, False)
@example(Text(), 9, True)
def test_a_text_is_written_as_rich_would(text: Text, width: int, soft_wrap: bool) -> None:
    assert plain(text, width, soft_wrap=soft_wrap) == stripped(
        by_rich(text, width, soft_wrap=soft_wrap)
    )


@given(styled, st.integers(4, 40), st.booleans())
@example(Text("\n"), 4, False)
def test_an_indented_text_is_written_as_rich_would(text: Text, width: int, expands: bool) -> None:
    part = Indented(text, 2, expands=expands)

    assert plain(part, width) == stripped(by_rich(part, width))


@given(
    st.lists(st.lists(st.tuples(texts, st.sampled_from([*COLOURS])), max_size=3), max_size=4),
    st.integers(1, 40),
)
def test_a_diff_is_written_as_rich_would(lines: list[Any], width: int) -> None:
    text = diff_text(lines)

    assert plain(text, width) == stripped(by_rich(text, width))
    assert by_rich(text, 60, coloured=True) == by_rich(rich_text(lines), 60, coloured=True)


@given(
    st.lists(st.tuples(texts, st.booleans()), min_size=1, max_size=4),
    st.lists(st.lists(styled, min_size=4, max_size=4), max_size=4),
    st.integers(1, 4),
    st.integers(1, 80),
)
def test_a_table_is_written_as_rich_would(
    headers: list[tuple[str, bool]], rows: list[list[Text]], space: int, width: int
) -> None:
    columns = [
        Column(header, [row[place] for row in rows], is_left=is_left)
        for place, (header, is_left) in enumerate(headers)
    ]
    table = column_table(columns, space=space)

    assert plain(table, width) == stripped(by_rich(table, width))


@given(
    st.lists(st.lists(st.one_of(styled, texts), min_size=3, max_size=3), min_size=1, max_size=4),
    st.integers(1, 3),
    st.one_of(st.just(()), st.tuples(st.integers(1, 20), st.integers(1, 20))),
    st.booleans(),
    st.integers(1, 80),
)
def test_a_grid_is_written_as_rich_would(
    cells: list[list[str | Text]],
    count: int,
    widths: tuple[int, ...],
    wraps_labels: bool,
    width: int,
) -> None:
    rows = [row[:count] for row in cells]
    grid = wrapped_grid(rows, widths=widths[: count - 1], wraps_labels=wraps_labels)

    assert plain(grid, width) == stripped(by_rich(grid, width))


@given(pieces, pieces, styles, styles, st.integers(0, 20))
def test_a_text_becomes_that_of_rich(
    first: list[tuple[str, str]], second: list[tuple[str, str]], one: str, two: str, cut: int
) -> None:
    found: list[str] = []
    for kind in (Text, RichText):
        text = built(kind, first, one)
        text.append_text(built(kind, second, two))
        text.stylize("red", 1, cut)
        joined = kind(", ", two).join([text, built(kind, second, one)])
        joined.rstrip()
        found.append(by_rich(joined, 60, coloured=True))
        found.append(f"{joined.plain} {joined.cell_len} {len(joined)} {bool(joined)}")

    assert found[:2] == found[2:]


@given(styled, st.integers(1, 30))
def test_a_text_is_cut_as_rich_would(text: Text, width: int) -> None:
    same = text.__rich__()

    text.truncate(width)
    same.truncate(width, overflow="ellipsis")

    assert text.plain == same.plain
    assert by_rich(text, 60, coloured=True) == by_rich(same, 60, coloured=True)


def test_plain_characters_take_one_column_and_only_the_blank_is_a_space() -> None:
    found = [each for each in map(chr, range(0x11000)) if re.fullmatch(_PLAIN, each)]

    assert len(found) > 500
    assert [each for each in found if cell_len(each) != 1 or (each.isspace() and each != " ")] == []
    assert not {"\t", "\n", "\r", "\u2028"} & {*found}


def test_plain_characters_take_one_column() -> None:
    plain = [char for char in map(chr, range(sys.maxunicode + 1)) if is_plain(char)]

    assert all(cell_len(char) == 1 for char in plain)
    assert is_plain("◆ main ▲▼ ▁▂▃▄▅▆▇█")
