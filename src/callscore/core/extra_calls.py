"""Calls that were not expected and cost nothing, by the setting `extra_calls`.

A free call counts only if it is correct. Whether it is paired with an expected call or not, it costs
no more than the expected call that was not made, so that trying costs no more than not trying.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.counted_calls import Ignored, free_positions

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.core.score import Score


def without_free_calls(score: Score, given: Sequence[ToolCall], tools: Mapping[str, Tool]) -> Score:
    """The score without the extra calls that are free; these are in `ignored`.

    `given` are its actual calls with their names as written. A free call with wrong arguments is
    paired, and stays, but is not counted; a forbidden call is never free.
    """
    incorrect = {pair.actual_index for pair in score.incorrect}
    free = free_positions(given, score.forbidden, score.settings, tools)
    free.difference_update([column for _, column in score.correct_places])
    if not free:
        return score
    kept = [at for at in range(len(given)) if at in incorrect or at not in free]
    position = {at: new for new, at in enumerate(kept)}
    left_out = [call for at, call in enumerate(given) if at not in position]
    return structs.replace(
        score,
        actual=tuple([score.actual[at] for at in kept]),
        equal_start=0,
        other_correct=tuple([(row, position[column]) for row, column in score.correct_places]),
        incorrect=tuple(
            [
                structs.replace(pair, actual_index=position[pair.actual_index])
                for pair in score.incorrect
            ]
        ),
        forbidden=tuple([position[at] for at in score.forbidden]),
        free=tuple([position[at] for at in sorted(free & incorrect)]),
        ignored=(*score.ignored, *[Ignored(call, "actual", "free") for call in left_out]),
    )
