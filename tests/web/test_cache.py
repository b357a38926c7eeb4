"""Values that take long are made once, and the last few are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from callscore.web.cache import Remembered


def test_a_value_is_made_once() -> None:
    known: Remembered[list[int]] = Remembered(2)

    assert known.get("a", lambda: [1]) is known.get("a", lambda: [2])


def test_the_value_that_was_used_longest_ago_is_forgotten() -> None:
    known: Remembered[int] = Remembered(2)
    known.get("a", lambda: 1)
    known.get("b", lambda: 1)
    known.get("a", lambda: 1)

    known.get("c", lambda: 1)

    assert [known.get(key, lambda: 2) for key in "acb"] == [1, 1, 2]


def test_threads_wait_for_the_one_that_makes_it() -> None:
    known: Remembered[int] = Remembered(2)
    made: list[int] = []
    start = Barrier(4)

    def make() -> int:
        made.append(1)
        return len(made)

    def work(_: int) -> int:
        start.wait()
        return known.get("a", make)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))

    assert (found, made) == ([1, 1, 1, 1], [1])


def test_after_an_error_it_is_tried_again() -> None:
    known: Remembered[int] = Remembered(2)

    with pytest.raises(ZeroDivisionError):
        known.get("a", lambda: 1 // 0)

    assert known.get("a", lambda: 7) == 7
