"""Advised settings, for people."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from tests.reports.test_advise import advice_of

from callscore.core.rendering import display_width
from callscore.reports.advise_terminal import render
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language


def test_the_recommendation_comes_first_and_the_chart_needs_no_colour() -> None:
    text = printed_text(render, advice_of("argument"))

    lines = text.splitlines()
    assert lines[0].startswith("120 runs, 40 tasks, ")
    assert lines[2] == "Recommended: strict, save.note ignored"
    assert '  "save.note" = "ignore"  # advise' in lines
    assert any(line.startswith("1 ") and line.endswith("100%  " + "█" * 40) for line in lines)
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 60, 200])
@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("kind", ["read", "random"])
def test_no_line_is_wider_than_the_terminal(width: int, lang: Language, kind: str) -> None:
    file = StringIO()
    console = Console(file=file, width=width, color_system=None, legacy_windows=False)

    render(advice_of(kind), console=console, lang=lang)

    assert max(display_width(line) for line in file.getvalue().splitlines()) <= width


def test_few_disagreements_are_shown_and_the_others_are_counted() -> None:
    text = printed_text(render, advice_of("random"), max_shown=2)

    assert text.count("passes, but failed:") + text.count("succeeded, but scores") == 2
    assert "runs not shown; --max-shown shows more" in text
