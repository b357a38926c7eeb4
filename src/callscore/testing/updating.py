"""Says what is to be written where a test expects something other than what was called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.rewriting.applying import place_of, refusal_of
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.spots import Spot, change_at, expectation_at, key_of
from callscore.testing.failing import text_width

if TYPE_CHECKING:
    from types import FrameType

    from callscore.core.model import Score
    from callscore.testing.running_test import Updates

__all__ = ["spot_of_call", "update"]


def spot_of_call(label: str, frame: FrameType) -> Spot:
    """Where the function that runs in this frame is just calling another one."""
    code = frame.f_code
    line, end_line, _, end = list(code.co_positions())[frame.f_lasti // 2]
    # A call is known by its end, which no two share; it may begin where another one does.
    return Spot(
        label, "call", (code.co_filename,), line or frame.f_lineno, (end_line or 0, end or 0)
    )


def update(updates: Updates, spot: Spot, expected: Any, score: Score) -> str | None:
    """Note that an expectation holds, or what is to be written in its place.

    Args:
        updates: where it is noted.
        spot: where it stands.
        expected: what is expected, as it was given.
        score: how the calls that were made compare with it.

    Returns:
        Why nothing can be written, in a sentence; None where all is well.
    """
    try:
        change = (
            expectation_at(spot, expected)
            if score.passed
            else change_at(spot, expected, score, width=text_width())
        )
    except CannotRewrite as problem:
        return str(problem)
    change = structs.replace(change, place=place_of(change, updates.root))
    if score.passed:
        updates.confirmed.append(key_of(change))
        return None
    refusal = refusal_of(change, updates.root)
    if refusal is None:
        updates.changes.append(change)
    return refusal
