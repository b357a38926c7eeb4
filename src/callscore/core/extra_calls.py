"""Calls that were not expected and cost nothing, by the setting `extra_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.counted_calls import Ignored, effect_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.call import Tool, ToolCall
    from callscore.core.score import Score
    from callscore.core.settings import ExtraCalls

__all__ = ["without_free_calls"]


def without_free_calls(
    score: Score, given: Sequence[ToolCall], free: ExtraCalls, tools: Mapping[str, Tool]
) -> Score:
    """The score without the extra calls that are free; these are in `ignored`.

    `given` are its actual calls with their names as written. A call with wrong arguments is paired,
    and not extra; a forbidden call is never free.
    """
    settings = score.settings
    paired = {column for _, column in (*score.correct_places, *score.other_pairs)}
    kept = []
    for at, call in enumerate(given):
        is_extra = at not in paired and at not in score.forbidden
        is_free = is_extra and (free == "free" or effect_of(call.name, settings, tools) == "read")
        if not is_free:
            kept.append(at)
    if len(kept) == len(given):
        return score
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
        ignored=(*score.ignored, *[Ignored(call, "actual", "free") for call in left_out]),
    )
