"""Configurations of Autoevals: `JSONDiff(list of calls)`, `ListContains(JSONDiff,allow_extra)` ...

One that ends in `/texts` is asked about the same cases with some arguments as texts that hold JSON.
"""

from __future__ import annotations

import json  # noqa: TID251  (texts as Python's own encoder writes them, NaN included)
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.parity import autoevals

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for", "with_texts"]

_FORM = re.compile(r"(\w+)(?:\((.*)\))?")
_LISTS = ("list of calls", "")
_PAIRWISE = {
    "JSONDiff": "json_diff",
    "Levenshtein": "levenshtein",
    "ExactMatch": "exact_match",
}
_EXTRA = "allow_extra"
_TEXTS = "/texts"


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    if configuration.endswith(_TEXTS):
        measure = measure_for(configuration.removesuffix(_TEXTS))
        return None if measure is None else with_texts(measure)
    match = _FORM.fullmatch(configuration)
    if match is None:
        return None
    scorer, details = match[1], [part.strip() for part in (match[2] or "").split(",")]
    if scorer == "ListContains":
        return _list_contains(*details)
    return _whole_list(scorer, details)


def with_texts(measure: Measure) -> Measure:
    """The same measure, of calls with every second argument as a text that holds its JSON."""

    def with_some(calls: Calls) -> Calls:
        return [
            {
                "name": call["name"],
                "arguments": {
                    key: json.dumps(value) if (place + len(calls)) % 2 else value
                    for place, (key, value) in enumerate(call["arguments"].items())
                },
            }
            for call in calls
        ]

    def measured(expected: Calls, actual: Calls) -> Any:
        return measure(with_some(expected), with_some(actual))

    return measured


def _whole_list(scorer: str, details: list[str]) -> Measure | None:
    if details[0] not in _LISTS:
        return None
    if scorer == "JSONDiff":
        return partial(autoevals.json_diff, preserve_strings="preserve_strings" in details)
    return autoevals.exact_match if scorer == "ExactMatch" else None


def _list_contains(pairwise: str, *more: str) -> Measure | None:
    if not pairwise:
        return autoevals.list_contains
    if pairwise not in _PAIRWISE or any(not word.startswith(_EXTRA) for word in more):
        return None
    return partial(
        autoevals.list_contains,
        pairwise_scorer=_PAIRWISE[pairwise],  # type: ignore[arg-type]  # one of the words
        allow_extra_entities=bool(more),
    )
