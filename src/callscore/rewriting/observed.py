"""What was observed as a new expectation: which of the old calls stay, and which are new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.expectation import Forbidden
from callscore.core.plain import plain
from callscore.core.scoring import score_calls
from callscore.core.spelling import spell_expected
from callscore.errors import CallscoreError
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.expectation import Expected
    from callscore.core.model import Score
    from callscore.rewriting.change import Item

__all__ = ["observed_items", "spelled"]


def spelled(expected: Sequence[Expected]) -> list[Any] | None:
    """What is expected as a case file spells it; None where no file can say it."""
    try:
        return [spell_expected(item) for item in expected]
    except CallscoreError:
        return None


def observed_items(expected: Sequence[Expected], score: Score) -> tuple[Item, ...]:
    """What should be expected so that the calls that were made are just right.

    Calls that were right stay as they are written, with their rules; so does what is forbidden.

    Args:
        expected: what is expected now.
        score: how the calls compare with that.

    Raises:
        CannotRewrite: nothing that can be written makes these calls right.
    """
    if score.forbidden:
        name = score.actual[score.forbidden[0]].name
        raise CannotRewrite(f"{name} was called, which is forbidden.")
    kept = {pair.actual_index: pair.expected_index for pair in score.correct}
    if len(score.expected) != len(expected) or not all(
        isinstance(item, ToolCall) for item in expected
    ):
        kept = {}  # where groups stand, or calls that do not count, positions say nothing
    calls: list[Item] = [
        kept[index] if index in kept else _literal(call) for index, call in enumerate(score.actual)
    ]
    first = next((place for place, item in enumerate(expected) if not _forbids(item)), 0)
    forbidden = [place for place, item in enumerate(expected) if _forbids(item)]
    items = (
        *[place for place in forbidden if place < first],
        *calls,
        *[place for place in forbidden if place >= first],
    )
    _require_right(expected, items, score)
    return items


def _forbids(item: Expected) -> bool:
    return isinstance(item, Forbidden)


def _literal(call: ToolCall) -> dict[str, Any]:
    if call.error is not None:
        raise CannotRewrite(f"a call of {call.name} has arguments that are no JSON object.")
    written = {"name": call.name, "arguments": plain(call.arguments or {})}
    if not equal(written, {"name": call.name, "arguments": call.arguments or {}}):
        raise CannotRewrite(f"a call of {call.name} has arguments that no file can hold.")
    return written


def _require_right(expected: Sequence[Expected], items: Sequence[Item], score: Score) -> None:
    new = tuple(
        expected[item] if isinstance(item, int) else ToolCall(item["name"], item["arguments"])
        for item in items
    )
    try:
        is_right = score_calls(new, score.actual, score.settings).passed
    except CallscoreError:
        is_right = False
    if not is_right:
        raise CannotRewrite("under these settings the calls that were made would not be right.")
