"""How patient we are with a model, and how fast it may be asked."""

from __future__ import annotations

import re
import time
from contextvars import ContextVar
from threading import Lock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings

__all__ = ["DEFAULT", "Limits", "Rate", "limits_for", "limits_in_force", "rate_of"]

_PERIODS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_SLOWEST = 3600.0  # seconds between two; nobody waits longer for one answer
_RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:/\s*([smh]))?\s*", re.ASCII)


def _is_above_0(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < float("inf")


class Rate:
    """Paces what begins: so many in a period, evenly, whoever comes first goes first.

    Args:
        starts: how many may begin.
        seconds: in how much time.

    Raises:
        InvalidSettings: one of the two is not a positive number, or there is less than one an hour.
    """

    def __init__(self, starts: float, seconds: float = 1.0) -> None:
        if not (_is_above_0(starts) and _is_above_0(seconds)):
            raise InvalidSettings(f"rate: {starts!r} in {seconds!r} s is no rate; both are above 0")
        if seconds / starts > _SLOWEST:
            raise InvalidSettings(f"rate: {starts:g} in {seconds:g} s is less than one an hour")
        self.starts = starts
        self.seconds = seconds
        self._interval = seconds / starts
        self._next = 0.0
        self._lock = Lock()  # a judge is asked from many threads

    def reserve(self) -> float:
        """Take the next turn: for how many seconds to wait for it."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        return turn - now

    async def wait(self) -> None:
        """Wait for one's turn."""
        pause = self.reserve()
        if pause > 0:
            from asyncio import sleep

            await sleep(pause)

    def __repr__(self) -> str:
        return f"Rate({self.starts:g}, {self.seconds:g})"


class Limits(Struct, frozen=True, kw_only=True):
    """What one request may take.

    Attributes:
        retries: how often it is repeated after an error that may pass.
        timeout: for how many seconds it may run, each repetition anew; None for ever.
        rate: what paces the requests; None where nothing does.
    """

    retries: int = 2
    timeout: float | None = 60.0
    rate: Rate | None = None

    def __post_init__(self) -> None:
        if self.retries.__class__ is not int or self.retries < 0:
            raise InvalidSettings(f"retries: {self.retries!r} is not a number from 0 on")
        if self.timeout is not None and not _is_above_0(self.timeout):
            raise InvalidSettings(f"timeout: {self.timeout!r} is not a time above 0, in seconds")
        if self.rate is not None and not isinstance(self.rate, Rate):
            raise InvalidSettings(f"rate: {self.rate!r} is not made by callscore.models.Rate(...)")


DEFAULT = Limits()

# What a run asks for; a chat of its own limits keeps these.
limits_in_force: ContextVar[Limits | None] = ContextVar("limits_in_force", default=None)


def limits_for(own: Limits | None) -> Limits:
    """The limits of a chat: its own, those of the run, or the usual ones.

    The rate of a run holds for a chat of its own limits, too, unless these have one.
    """
    run = limits_in_force.get()
    if own is None:
        return run or DEFAULT
    if own.rate is None and run is not None and run.rate is not None:
        return replace(own, rate=run.rate)
    return own


def rate_of(text: str) -> Rate:
    """The rate that somebody wrote: `10` or `10/s`, `500/m`, `1000/h`.

    Raises:
        InvalidSettings: it is written otherwise, or is 0.
    """
    found = _RATE.fullmatch(text)
    if found is None:
        raise InvalidSettings(f"rate: {text!r} is not like '10/s', '500/m' or '1000/h'")
    return Rate(float(found[1]), _PERIODS[found[2] or "s"])
