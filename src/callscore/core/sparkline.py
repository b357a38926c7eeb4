"""A few numbers as a line of small bars, which shows where they go at a glance."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bars"]

_BARS = "▁▂▃▄▅▆▇█"
# Shares that are less than this apart are drawn as if they were: noise should not look like a fall.
_LEAST_RANGE = 0.1
_SLIP = 1e-9


def bars(shares: Sequence[float], *, least: float = _LEAST_RANGE) -> str:
    """One bar a share, from the lowest of them to the highest.

    Args:
        shares: numbers from 0 to 1.
        least: how far apart the lowest and the highest bar are at the least.
    """
    if not shares:
        return ""
    low, high = min(shares), max(shares)
    spare = max(least - (high - low), 0.0)
    low = max(low - spare / 2, 0.0)
    high = min(max(high, low + least), 1.0)
    low = min(low, high - least)
    last = len(_BARS) - 1
    steps = [(share - low) / (high - low) if high > low else 1.0 for share in shares]
    # Half a bar is a whole one; what is left of rounding does not decide.
    return "".join([_BARS[min(max(floor(step * last + 0.5 + _SLIP), 0), last)] for step in steps])
