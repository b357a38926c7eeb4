"""A clock that stands still while a command runs, so that reports of times are the same every time.

The recorder imports this before callscore. New interpreters get a copy of the file as
`sitecustomize`, so that it imports nothing of this package.
"""

import os
import time

__all__ = ["VARIABLE", "set_clock"]

VARIABLE = "CALLSCORE_TRANSCRIPT_NOW"
_DEFAULT = 1_800_000_000.0
_now = _DEFAULT


def set_clock() -> None:
    """Set the clock to what the environment says, in seconds since 1970."""
    global _now  # noqa: PLW0603  (there is one clock)
    _now = float(os.environ.get(VARIABLE, _DEFAULT))


def _seconds() -> float:
    return _now


def _nanoseconds() -> int:
    return int(_now * 1_000_000_000)


# `monotonic` goes on: event loops and time limits need it.
vars(time).update(
    time=_seconds,
    time_ns=_nanoseconds,
    perf_counter=_seconds,
    perf_counter_ns=_nanoseconds,
)
set_clock()
