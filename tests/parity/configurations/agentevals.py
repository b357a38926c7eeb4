"""Configurations of agentevals: `unordered/exact`, `strict/subset/message_per_call` ...

A third part says what each tool's arguments are held against:
`unordered/exact/overrides{get_weather:[city],book:[opt.a,id],search:ignore}`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from callscore.parity import agentevals

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

    from callscore.parity.agentevals import Override

__all__ = ["measure_for", "overrides_of"]

_NAME = re.compile(
    r"(strict|unordered|subset|superset)/(exact|ignore|subset|superset)"
    r"(?:/(one_message|message_per_call))?(?:/overrides\{(.*)\})?"
)
_OVERRIDE = re.compile(r"([^\[\],]+?):(?:\[([^\[\]]*)\]|([^\[\],]+))(?:,|$)")


def measure_for(configuration: str) -> Measure | None:
    """What gives the verdict of this configuration; None where it is not known."""
    found = _NAME.fullmatch(configuration)
    if found is None:
        return None
    mode, arguments, messages, overrides = found.groups()
    return partial(
        agentevals.trajectory_match,
        trajectory_match_mode=mode,  # type: ignore[arg-type]  # one of the words
        tool_args_match_mode=arguments,  # type: ignore[arg-type]  # one of the words
        tool_args_match_overrides=overrides_of(overrides or ""),
        one_message=messages != "message_per_call",
    )


def overrides_of(text: str) -> dict[str, Override]:
    """What the tools' arguments are held against: words, or lists of paths."""
    overrides: dict[str, Override] = {}
    for name, paths, word in _OVERRIDE.findall(text):
        overrides[name] = word or [path.strip() for path in paths.split(",") if path]
    return overrides
