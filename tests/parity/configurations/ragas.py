"""Configurations of Ragas: `legacy.ToolCallF1`, `collections.ToolCallAccuracy(strict_order=True)` ...

A trailing `/bare` takes the arguments of some calls away.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.parity import ragas

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["bare", "measure_for"]

_NAME = re.compile(r"(?:legacy|collections)\.(ToolCallAccuracy|ToolCallF1)(?:\((.*)\))?(/bare)?")
_SIMILARITY = re.compile(r"NonLLMStringSimilarity(?:\(distance_measure=(\w+)\))?")
_TRUTHS = {"True": True, "False": False}
_METRICS = {"ExactMatch": ragas.exact_match, "StringPresence": ragas.string_presence}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    parts = _NAME.fullmatch(configuration)
    if parts is None:
        return None
    metric, given, is_bare = parts.groups()
    if metric == "ToolCallF1":
        return None if given else _measure(ragas.tool_call_f1, is_bare)
    options = dict(_option(part) for part in re.split(r",\s*", given or "") if part)
    if None in options.values():
        return None
    return _measure(partial(ragas.tool_call_accuracy, **options), is_bare)


def _option(text: str) -> tuple[str, Any]:
    """An option of ours and its value; None for a value where it is not known."""
    name, _, value = text.partition("=")
    if name == "strict_order":
        return name, _TRUTHS.get(value)
    if name == "arg_comparison_metric":
        return name, _argument_metric(value)
    return name, None


def _argument_metric(text: str) -> Any:
    similarity = _SIMILARITY.fullmatch(text)
    if similarity is None:
        return _METRICS.get(text)
    options: dict[str, Any] = {"distance_measure": similarity[1].lower()} if similarity[1] else {}
    return partial(ragas.string_similarity, **options)


def _measure(measure: Measure, is_bare: str | None) -> Measure:
    return (lambda expected, actual: measure(bare(expected), bare(actual))) if is_bare else measure


def bare(calls: Calls) -> Calls:
    """The calls, without arguments where there are none."""
    return [{**call, "arguments": call["arguments"] or None} for call in calls]
