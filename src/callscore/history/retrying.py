"""Does again what failed for a reason that passes: others came in between, or a line was cut.

Everything that a history is asked to keep may be kept twice without harm, so that it does not matter
whether the first time came to its end after all.
"""

from __future__ import annotations

from functools import wraps
from time import sleep
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from callscore.errors import UnusableStore
from callscore.history.troubles import is_conflict, is_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["patient"]

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")

# How long to wait before each further try, in seconds.
_AFTER_CONFLICT = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_AFTER_LOSS = (0.0, 0.5, 1.5)


def patient(work: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Do it again where that may help."""

    @wraps(work)
    def again(*given: _Given.args, **named: _Given.kwargs) -> _Found:
        tried = 0
        while True:
            try:
                return work(*given, **named)
            except UnusableStore as error:
                pauses = _pauses(error.__cause__)
                if tried >= len(pauses):
                    raise
                sleep(pauses[tried])
            tried += 1

    return again


def _pauses(cause: BaseException | None) -> Sequence[float]:
    if cause is None:
        return ()
    if is_conflict(cause):
        return _AFTER_CONFLICT
    return _AFTER_LOSS if is_lost(cause) else ()
