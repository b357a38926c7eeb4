"""Lines that are written without the layout of `rich`, which would write the same."""

from __future__ import annotations

from io import StringIO
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from callscore.core.rendering import is_narrow
from callscore.reports.direct_writing import DirectWriter
from callscore.reports.styled import Part, StyledLines, Text
from callscore.reports.terminal import print_sections
from callscore.words.diff import COLOURS

CONSOLES: list[dict[str, Any]] = [
    {"color_system": None},
    {"color_system": "standard", "force_terminal": True},
    {"color_system": "256", "force_terminal": True},
    {"color_system": "truecolor", "force_terminal": True},
    {"color_system": "truecolor", "force_terminal": True, "no_color": True},
]
_TEXTS = st.text(st.sampled_from("ab Z日…é[]/я"), max_size=14)
_DIFFS = st.lists(st.lists(st.tuples(_TEXTS, st.sampled_from([*COLOURS]))).map(tuple)).map(
    StyledLines
)
_STYLES = st.sampled_from(["", "bold", "dim", "red", "bold green", "cyan", "#ff8800", "on blue"])


@st.composite
def texts(draw: st.DrawFn) -> Text:
    text = Text(draw(_TEXTS), draw(_STYLES))
    for content, style in draw(st.lists(st.tuples(_TEXTS | st.just("\n"), _STYLES))):
        text.append(content, style)
    return text


def console(options: dict[str, Any], **others: Any) -> Console:
    return Console(file=StringIO(), width=40, legacy_windows=False, **options, **others)


def printed(part: Part, shown: Console) -> str:
    shown.print(part, width=40)
    return str(shown.file.getvalue())  # type: ignore[attr-defined]  # (it is a StringIO)


@given(_DIFFS | texts(), st.sampled_from(CONSOLES))
def test_what_is_written_is_what_rich_would_print(part: Part, options: dict[str, Any]) -> None:
    shown = console(options)

    print_sections([[part]], shown)

    assert shown.file.getvalue() == printed(part, console(options))  # type: ignore[attr-defined]


def test_a_line_without_room_is_left_to_rich() -> None:
    writer = DirectWriter(console(CONSOLES[1]), 40)

    assert writer.written(Text("x" * 41)) is None
    assert writer.written(Text("日" * 21)) is None
    assert writer.written(StyledLines([(("x" * 41, "muted"),)])) is None
    assert writer.written(Text("x" * 40)) == "x" * 40 + "\n"


def test_a_style_on_top_of_another_is_left_to_rich() -> None:
    overlapping = Text("abc")
    overlapping.stylize("red", 0, 2)
    overlapping.stylize("bold", 1, 3)
    writer = DirectWriter(console(CONSOLES[1]), 40)

    assert writer.written(overlapping) is None
    assert writer.written(Text("a", "dim").append("b", "red")) is None


def test_what_is_recorded_is_left_to_rich() -> None:
    shown = console(CONSOLES[1], record=True)

    print_sections([[Text("red", "red")]], shown)

    assert "red" in shown.export_html()
    assert DirectWriter(shown, 40).written(Text("a")) is None


def test_captured_lines_stay_in_order() -> None:
    shown = console(CONSOLES[0])

    with shown.capture() as capture:
        print_sections([[Text("a"), Text("x" * 41), Text("b")], [], [Text("c")]], shown)

    assert capture.get() == f"a\n{'x' * 40}\nx\nb\n\nc\n"


def test_many_lines_are_written_in_blocks() -> None:
    sizes: list[int] = []

    class File(StringIO):
        def write(self, text: str) -> int:
            sizes.append(len(text))
            return super().write(text)

    shown = Console(file=File(), width=40)

    print_sections([[Text("x" * 39)] for _ in range(1000)], shown)

    assert max(sizes) < 10_000
    assert len(sizes) < 20


def test_a_narrow_character_takes_one_column_for_rich_too() -> None:
    narrow = [chr(code) for code in range(0x3000) if is_narrow(chr(code))]

    assert [each for each in narrow if each.isprintable() and cell_len(each) != 1] == []
