"""Calls that were not expected and cost nothing, by the setting `extra_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.counted_calls import Ignored, effect_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import Tool
    from callscore.core.score import Score

__all__ = ["without_free_calls"]


def without_free_calls(score: Score, tools: Mapping[str, Tool]) -> Score:
    """The score without the extra calls that are free; these are in `ignored`.

    A call with wrong arguments is paired, and not extra; a forbidden call is never free.
    """
    settings = score.settings
    paired = {column for _, column in (*score.correct_places, *score.other_pairs)}
    kept = []
    for at, call in enumerate(score.actual):
        is_extra = at not in paired and at not in score.forbidden
        is_free = is_extra and (
            settings.extra_calls == "free" or effect_of(call.name, settings, tools) == "read"
        )
        if not is_free:
            kept.append(at)
    if len(kept) == len(score.actual):
        return score
    position = {at: new for new, at in enumerate(kept)}
    free = [call for at, call in enumerate(score.actual) if at not in position]
    return structs.replace(
        score,
        actual=tuple([score.actual[at] for at in kept]),
        other_correct=tuple([(row, position[column]) for row, column in score.other_correct]),
        incorrect=tuple(
            [
                structs.replace(pair, actual_index=position[pair.actual_index])
                for pair in score.incorrect
            ]
        ),
        forbidden=tuple([position[at] for at in score.forbidden]),
        ignored=(*score.ignored, *[Ignored(call, "actual", "free") for call in free]),
    )
