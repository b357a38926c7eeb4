"""Names for runs: they sort by time, can be typed, and are given once."""

from __future__ import annotations

import secrets
from threading import Lock
from time import gmtime, strftime

__all__ = ["new_run_id"]

# Without vowels, so that they make no words, and without what looks like something else.
_LETTERS = "23456789bcdfghjkmnpqrstvwxz"
_LENGTH = 4

_lock = Lock()
_second = ""
_given: set[str] = set()


def new_run_id(now: float) -> str:
    """A name for a run that starts now, such as `20261115-184354-k3f9`.

    The time is UTC. A process never gives the same name twice; that two processes do is unlikely,
    and a store notices it.

    Args:
        now: seconds since 1970.
    """
    global _second  # noqa: PLW0603  (the names of one second are forgotten in the next)
    second = strftime("%Y%m%d-%H%M%S", gmtime(now))
    with _lock:
        if second != _second:
            _second = second
            _given.clear()
        ending = _ending(len(_given))
        while ending in _given:
            ending = _ending(len(_given))
        _given.add(ending)
    return f"{second}-{ending}"


def _ending(given: int) -> str:
    # Longer where so many were given that four letters could run out.
    length = _LENGTH if given < len(_LETTERS) ** _LENGTH // 2 else _LENGTH * 2
    return "".join(secrets.choice(_LETTERS) for _ in range(length))
