"""Where metrics disagree, as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.export import call_to_dict, metric_to_dict, noted_to_dict
from callscore.core.plain import encode_json

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.core.results import MetricResult, Results
    from callscore.metrics.disagreement import Disagreement, Disagreements, Opinion, Sights
    from callscore.metrics.repairs import Kind

__all__ = ["write"]

_NOTES = ("not_scored", "not_run", "without_reference", "repeated", "skipped", "stopped")


def write(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """The document, indented; there are no sentences in it, so that the language changes nothing."""
    del lang
    document = {
        "cases": found.cases,
        "agreed": found.agreed,
        "mean_spread": found.mean_spread,
        "faults": found.faults,
        "metrics": [
            _metric(metric, sights)
            for metric, sights in zip(found.metrics, found.sights, strict=True)
        ],
        "disagreements": [_case(disagreement) for disagreement in found.shown],
        "not_shown": found.cases - found.agreed - len(found.shown),
        "not_compared": noted_to_dict(found.not_compared),
        **{field: noted_to_dict(getattr(results, field)) for field in _NOTES},
    }
    return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"


def _metric(metric: MetricResult, sights: dict[Kind, Sights]) -> dict[str, Any]:
    seen = {
        kind: {"cases": found.cases, "blind": found.blind, "masked": found.masked}
        for kind, found in sights.items()
    }
    return {**metric_to_dict(metric), "faults": seen}


def _case(found: Disagreement) -> dict[str, Any]:
    score = found.case.score
    return {
        "id": found.case.id,
        "trial": found.case.trial,
        "tags": found.case.tags,
        "spread": found.spread,
        "variance": found.variance,
        "faults": found.faults,
        "opinions": [_opinion(opinion) for opinion in found.opinions],
        "expected": [call_to_dict(call) for call in score.expected],
        "actual": [call_to_dict(call) for call in score.actual],
    }


def _opinion(opinion: Opinion) -> dict[str, Any]:
    return {
        "name": opinion.name,
        "value": opinion.value,
        "reason": opinion.reason,
        "effects": [
            {"kind": effect.kind, "sight": effect.sight, "gain": effect.gain}
            for effect in opinion.effects
        ],
        "together": opinion.together,
        "needed": list(opinion.needed),
        "perfect": opinion.perfect,
    }
