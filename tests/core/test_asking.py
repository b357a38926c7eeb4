"""Functions of the user: their answers, and what is said where they make no sense."""

from __future__ import annotations

from fractions import Fraction
from math import nan
from typing import Any

import pytest

from callscore.core.asking import ask, share_answered, shown
from callscore.errors import InvalidSettings


def test_an_answer_is_handed_on() -> None:
    assert ask("judge", lambda left, right: left + right, 1, 2) == 3


def test_a_function_that_raises_is_named_with_what_it_raised() -> None:
    with pytest.raises(InvalidSettings, match="judge: the function raised KeyError: 'x'") as raised:
        ask("judge", {}.__getitem__, "x")

    assert isinstance(raised.value.__cause__, KeyError)


@pytest.mark.parametrize("answer", [0, 1, 0.25, Fraction(1, 4)])
def test_any_kind_of_number_from_0_to_1_is_an_answer(answer: Any) -> None:
    assert share_answered("similarity", answer) == float(answer)


@pytest.mark.parametrize("answer", [1.01, -0.1, nan, True, None, "0.5", (0.5, "so"), 1j])
def test_anything_else_is_none(answer: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"^similarity: the function answered "):
        share_answered("similarity", answer)


def test_what_somebody_says_stays_on_one_short_line() -> None:
    said = shown("red\x1b[31m\n" * 1000)

    assert said.isprintable()
    assert len(said) <= 200
