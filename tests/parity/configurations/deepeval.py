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
_COMPARED = {"names": None, "args": "input_parameters", "outputs": "output", "output": "output"}
_ORDERS = {
    "unordered": None,
    "ordering": "should_consider_ordering",
    "exact": "should_exact_match",
}
_OPTION = re.compile(r"(strict_mode|should_consider_ordering|should_exact_match)=(True|False)")
_WORDS = {"strict": "strict_mode=True"}
_WITHOUT_EFFECT = re.compile(r"default|threshold=.*")


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    parts = _NAME.fullmatch(configuration)
    if parts is None or parts[2] not in _ORDERS:
        return None
    compared = parts[1].split("+")
    given = [_OPTION.fullmatch(part) for part in _with_effect(parts[3] or "")]
    if not _COMPARED.keys() >= set(compared) or None in given:
        return None
    switched_on = filter(None, [*map(_COMPARED.get, compared), _ORDERS[parts[2]]])
    options: dict[str, Any] = dict.fromkeys(switched_on, True)
    options |= {option[1]: option[2] == "True" for option in given if option}
    measure: Measure = partial(deepeval.tool_correctness, **options)
    if parts[4] is None:
        return measure
    return lambda expected, actual: measure(varied(expected), varied(actual))


def _with_effect(options: str) -> list[str]:
    given = [_WORDS.get(part, part) for part in re.split(r",\s*", options) if part]
    return [part for part in given if not _WITHOUT_EFFECT.fullmatch(part)]


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
