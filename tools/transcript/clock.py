"""A clock that stands still while a command runs, so that reports of times are the same every time.

Every interpreter of a recording gets a copy of this file as `sitecustomize`, before it imports
anything else.
"""

import os
import time

__all__ = ["VARIABLE"]

VARIABLE = "CALLSCORE_TRANSCRIPT_NOW"
_DEFAULT = "1800000000"


def _seconds() -> float:
    return float(os.environ.get(VARIABLE, _DEFAULT))


def _nanoseconds() -> int:
    return int(_seconds() * 1_000_000_000)


# `monotonic` goes on: event loops and time limits need it.
vars(time).update(
    time=_seconds,
    time_ns=_nanoseconds,
    perf_counter=_seconds,
    perf_counter_ns=_nanoseconds,
)
