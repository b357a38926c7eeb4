"""Values in a few words."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from callscore.core.call import Malformed
from callscore.formats.shape import describe


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (1.5, "1.5"),
        pytest.param(10**5000, "a very large integer", id="10**5000"),
        ("поиск", "'поиск'"),
        ("\x1b[31mred", "'\\x1b[31mred'"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ((1,), "a list of 1"),
        ({}, "an empty object"),
        ({"q": 1}, "an object with the key 'q'"),
        ({"q": 1, 2: 1}, "an object with the keys 'q', 2"),
        (dict.fromkeys("abcdef"), "an object with the keys 'a', 'b', 'c', 'd', 'e', …"),
        (date(2024, 1, 15), "a date"),
        (Malformed("NaN", "NaN is not a JSON number"), "NaN (NaN is not a JSON number)"),
    ],
)
def test_a_value_is_described_in_a_few_words(value: Any, words: str) -> None:
    assert describe(value) == words


def test_a_long_text_is_shortened() -> None:
    assert describe("x" * 10_000_000) == "'" + "x" * 59 + "…"


def test_nesting_is_not_followed() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    assert describe(value) == "a list of 1"
