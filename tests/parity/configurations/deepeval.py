"""Configurations of DeepEval: `names_unordered(default)`, `args_ordering`, `outputs_exact` ...

In brackets stand `default`, or options of the metric that do not say what is compared, such as
`strict_mode=True`. A trailing `/varied` gives outputs to some calls, and takes the arguments of some
away.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.parity import deepeval

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for", "varied"]

_NAME = re.compile(r"([a-z+]+)_([a-z]+)(?:\((.*)\))?(/varied)?")
_COMPARED: dict[str, Any] = {
    "names": "names",
    "args": "arguments",
    "outputs": "outputs",
    "output": "outputs",
    "args+outputs": "arguments+outputs",
    "args+output": "arguments+outputs",
}
_ORDERS: dict[str, Any] = {"unordered": "any", "ordering": "in_order", "exact": "exact"}
_STRICT = {"strict": True, "strict_mode=True": True, "strict_mode=False": False}
_WITHOUT_EFFECT = re.compile(r"default|threshold=.*")


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    parts = _NAME.fullmatch(configuration)
    if parts is None or parts[1] not in _COMPARED or parts[2] not in _ORDERS:
        return None
    given = [part for part in re.split(r",\s*", parts[3] or "") if part]
    named = [part for part in given if not _WITHOUT_EFFECT.fullmatch(part)]
    if not _STRICT.keys() >= set(named):
        return None
    measure = partial(
        deepeval.tool_correctness,
        compare=_COMPARED[parts[1]],
        order=_ORDERS[parts[2]],
        strict=any(_STRICT[part] for part in named),
    )
    if parts[4] is None:
        return measure
    return lambda expected, actual: measure(varied(expected), varied(actual))


def varied(calls: Calls) -> Calls:
    """The calls, some of them without arguments, and some with an output."""
    return [
        {
            "name": call["name"],
            "arguments": call["arguments"] or (None, {})[place % 2],
            "output": next(iter(call["arguments"].values()), None),
        }
        for place, call in enumerate(calls)
    ]
