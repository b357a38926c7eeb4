"""What a score or a result shows of itself, without the secrets of the environment.

`print(score)` and a notebook write into logs and files. The attributes and `to_dict()` keep the real values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.hiding.hider import Hider, hide_for_report

if TYPE_CHECKING:
    from callscore.core.score import Score


def score_without_secrets(score: Score) -> Score:
    """The score with markers in place of secrets; its numbers are those of the real values."""
    return hide_for_report(score, is_live=True)


def text_without_secrets(text: str, value: Any) -> str:
    """A text that a value shows of itself, with markers in place of secrets."""
    return Hider().text_of(text, value)
