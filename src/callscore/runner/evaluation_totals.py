"""Adds up the results of an evaluation, as they come in or read back from the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.totals import Show, Totals

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Evaluation

__all__ = ["about", "totals_for"]


def totals_for(
    evaluation: Evaluation,
    fail_under: float | None,
    *,
    show: Show = "failing",
    most: int | None = 10,
) -> Totals:
    """An empty `Totals` for an evaluation.

    Args:
        evaluation: the evaluation.
        fail_under: the mean that each scorer without its own threshold must reach.
        show: which cases to keep, to be shown.
        most: the maximum number of them; None for all.
    """
    thresholds = {
        **{scorer.name: fail_under for scorer in evaluation.scorers},
        **evaluation.thresholds,
    }
    return Totals(evaluation.settings, thresholds, show=show, most=most)


def about(evaluation: Evaluation, variant: str | None) -> dict[str, Any]:
    """The fields of `EvaluationResults` that identify the evaluation."""
    return {"name": evaluation.name, "place": evaluation.place, "variant": variant}
