"""Sections of a report, printed."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.text import Text

from callscore.reports.terminal import Section, print_sections, printed_text, report_width


def test_there_is_an_empty_line_between_sections_and_no_blank_at_the_end_of_a_line() -> None:
    sections: list[Section] = [[Text("a  "), Text("[bold]b")], [Text("c")]]

    assert printed_text(lambda console: print_sections(sections, console)) == "a\n[bold]b\n\nc\n"


def test_a_report_is_as_wide_as_the_terminal_unless_that_is_too_wide() -> None:
    assert report_width(Console(file=StringIO(), width=80)) == 80
    assert report_width(Console(file=StringIO(), width=500)) == 140
