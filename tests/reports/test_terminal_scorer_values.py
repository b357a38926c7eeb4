"""What the scorers say of one case."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from io import StringIO

from rich.console import Console

from callscore.core.results import MetricValue
from callscore.reports.terminal import scorer_value_lines

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
