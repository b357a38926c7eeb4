"""Names of cases from what is asked."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.case_fields import name_from_input


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("What is the weather in Paris?", "what-is-the-weather-in-paris"),
        ("  Какая погода? ", "какая-погода"),
        ([{"role": "system", "content": "x"}, {"role": "user", "content": "Hi!"}], "hi"),
        ([{"role": "user", "content": [{"type": "text"}]}], ""),
        ({"question": "x"}, ""),
        ([], ""),
        (None, ""),
        ("?!", ""),
        ("a" * 100, "a" * 48),
        ("word " * 30, "-".join(["word"] * 9)),
    ],
)
def test_a_name_is_the_first_words(asked: Any, name: str) -> None:
    assert name_from_input(asked) == name
