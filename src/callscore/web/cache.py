"""Values that take long to make: the last few are kept, and each is made once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Remembered(Generic[_Value]):
    """The values that were used last, by key; threads may share them.

    A thread that asks for a value that another one is making waits for it.

    Args:
        limit: how many are kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = Lock()
        self._values: OrderedDict[Hashable, _Value] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value of a key, made if it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            turn = self._making.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._values:
                    return self._values[key]
            try:
                value = make()
                with self._lock:
                    self._values[key] = value
                    while len(self._values) > self._limit:
                        self._values.popitem(last=False)
            finally:
                with self._lock:
                    self._making.pop(key, None)
            return value
