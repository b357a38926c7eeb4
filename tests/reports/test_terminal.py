"""Sections of a report, printed."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from callscore.core.results import MetricValue
from callscore.reports.styled import Text
from callscore.reports.terminal import (
    Section,
    heading_line,
    note_line,
    print_sections,
    printed_text,
    report_width,
    scorer_value_lines,
)


def test_there_is_an_empty_line_between_sections_and_no_blank_at_the_end_of_a_line() -> None:
    sections: list[Section] = [[Text("a  "), Text("[bold]b")], [Text("c")]]

    assert printed_text(lambda console: print_sections(sections, console)) == "a\n[bold]b\n\nc\n"


def test_a_report_is_as_wide_as_the_terminal_unless_that_is_too_wide() -> None:
    assert report_width(Console(file=StringIO(), width=80)) == 80
    assert report_width(Console(file=StringIO(), width=500)) == 140


PARTS = [Text("failed", "red"), Text("1 forbidden call"), Text("orders [small]", "dim")]


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("refund", 60, ["refund   failed   1 forbidden call   orders [small]"]),
        ("refund", 30, ["refund   failed", "  1 forbidden call", "  orders [small]"]),
        (
            "status-of-the-order-after-the-refund",
            40,
            [
                "status-of-the-order-after-the-refund",
                "  failed   1 forbidden call",
                "  orders [small]",
            ],
        ),
        ("a" * 25, 20, ["a" * 20, "a" * 5 + "   failed", "  1 forbidden call", "  orders [small]"]),
        (
            "refund",
            14,
            ["refund", "  failed", "  1 forbidden", "  call", "  orders", "  [small]"],
        ),
    ],
)
def test_a_heading_shows_the_whole_name_and_every_part(
    name: str, width: int, lines: list[str]
) -> None:
    assert heading_line(name, PARTS, width).plain.split("\n") == lines


# What the scorers say of one case.

VALUES = (
    MetricValue("accuracy", 0.5),
    MetricValue("polite", None, "nobody asked"),
    MetricValue("brief", 1.0),
)


def shown(width: int, *, colour: bool = False) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
    )
    with console.capture() as capture:
        for part in scorer_value_lines(VALUES, 1.0, width):
            console.print(part)
    return capture.get()


def test_numbers_stand_beside_their_names_and_reasons_below() -> None:
    assert shown(80) == "  0.500 accuracy       – polite   1.000 brief\n  polite: nobody asked\n"


def test_a_number_that_is_not_enough_is_red() -> None:
    assert "\x1b[31m0.500\x1b[0m" in shown(80, colour=True)
    assert "\x1b[31m1.000" not in shown(80, colour=True)


def test_scorers_that_say_nothing_have_no_lines() -> None:
    assert scorer_value_lines((), 1.0, 80) == []


@pytest.mark.parametrize(
    ("columns", "width"), [("60", 60), ("20", 40), ("0", 100), ("wide", 100), (None, 100)]
)
def test_a_report_in_a_pipe_is_as_wide_as_columns_says(
    columns: str | None, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)

    text = printed_text(lambda console: print_sections([[Text("word " * 100)]], console))

    assert width - len("word ") <= max(map(len, text.splitlines())) <= width


def test_later_lines_of_a_note_are_indented() -> None:
    console = Console(file=StringIO(), width=20, color_system=None)
    with console.capture() as capture:
        print_sections([[note_line("1 forbidden call, scored 0", "f")]], console)

    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert lines == ["! 1 forbidden call,", "  scored 0 (f)"]
