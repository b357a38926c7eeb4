"""Counts how often models are asked, for those who want to know."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Asked", "count_request", "count_waiting", "counted"]


class Asked:
    """How often models were asked.

    Attributes:
        requests: the number of requests, repetitions after errors included.
        waited: the seconds that they waited for their turn.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.waited = 0.0


_counting: ContextVar[Asked | None] = ContextVar("_counting", default=None)


@contextmanager
def counted() -> Iterator[Asked]:
    """Count how often chats ask models in the block, and in the tasks that begin in it."""
    asked = Asked()
    token = _counting.set(asked)
    try:
        yield asked
    finally:
        _counting.reset(token)


def count_request() -> None:
    """Count one request, where somebody wants to know."""
    asked = _counting.get()
    if asked is not None:
        asked.requests += 1


def count_waiting(seconds: float) -> None:
    """Count that a request waited for its turn, which is no fault of the model."""
    asked = _counting.get()
    if asked is not None:
        asked.waited += seconds
