"""What a failed assertion says: the score on one line, and the calls of both sides below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.model import Score

__all__ = ["ANSWER", "failure_text", "text_width"]

# What an answer is, for those who give none.
ANSWER = "the response, the messages or the calls; `[]` where nothing was called"
_WIDTH = 100
_NARROWEST = 60
_WIDEST = 140
_MARGIN = 8  # pytest sets an E and some blanks in front of every line


def failure_text(score: Score) -> str:
    """The score on one line, and the calls of both sides below."""
    from callscore.core.diff import call_lines, plain_text
    from callscore.core.wording import percent

    least = score.settings.at_least
    wanted = f" | At least: {percent(least)}" if least < 1 and not score.forbidden else ""
    calls = plain_text(call_lines(score, width=text_width()))
    return f"{score.summary}{wanted}\n\n{calls}"


def text_width() -> int:
    """How many columns pytest leaves for what a failure says."""
    from shutil import get_terminal_size

    return min(max(get_terminal_size((_WIDTH, 0)).columns, _NARROWEST), _WIDEST) - _MARGIN
