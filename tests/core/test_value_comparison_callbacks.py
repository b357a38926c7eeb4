"""Functions of the user: their answers, and what is said where they make no sense."""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from math import nan
from typing import Any

import pytest

from callscore.core import value_comparison as asking
from callscore.core.value_comparison import (
    ask_once_about,
    call_user_function,
    require_fraction,
    shortened,
)
from callscore.errors import InvalidSettings, MissingExtra, MissingKey, ModelFailed


def test_an_answer_is_handed_on() -> None:
    assert call_user_function("judge", lambda left, right: left + right, 1, 2) == 3


def test_a_function_that_raises_is_named_with_what_it_raised() -> None:
    with pytest.raises(InvalidSettings, match="judge: the function raised KeyError: 'x'") as raised:
        call_user_function("judge", {}.__getitem__, "x")

    assert isinstance(raised.value.__cause__, KeyError)


@pytest.mark.parametrize("answer", [0, 1, 0.25, Fraction(1, 4)])
def test_any_kind_of_number_from_0_to_1_is_an_answer(answer: Any) -> None:
    assert require_fraction("similarity", answer) == float(answer)


@pytest.mark.parametrize("answer", [1.01, -0.1, nan, True, None, "0.5", (0.5, "so"), 1j])
def test_anything_else_is_none(answer: Any) -> None:
    with pytest.raises(
        InvalidSettings, match=r"^similarity: the function must return a number from 0 to 1, got "
    ):
        require_fraction("similarity", answer)


def test_what_somebody_says_stays_on_one_short_line() -> None:
    said = shortened("red\x1b[31m\n" * 1000)

    assert said.isprintable()
    assert len(said) <= 200


class Judge:
    """Somebody who never says the same twice."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, _question: str, _value: Any) -> int:
        self.asked += 1
        return self.asked


def test_the_same_question_about_the_same_value_is_asked_once() -> None:
    judge = Judge()

    def ask_judge(question: str, value: Any) -> int:
        return judge(question, value)

    assert ask_once_about("judge", ask_judge, "polite?", {"a": 1, "b": 2}) == 1
    assert ask_once_about("judge", ask_judge, "polite?", {"b": 2.0, "a": 1}) == 1
    assert ask_once_about("judge", ask_judge, "polite?", "hello") == 2
    assert ask_once_about("judge", ask_judge, "short?", "hello") == 3
    assert ask_once_about("judge", ask_judge, "polite?", "hello") == 2


def test_each_is_asked_himself() -> None:
    judges = [Judge() for _ in range(100)]  # none of which can be referred to weakly

    for judge in judges:
        assert ask_once_about("judge", judge, "polite?", "hello") == 1
        assert ask_once_about("judge", judge, "polite?", "hello") == 1


def test_one_who_is_gone_is_not_taken_for_his_successor() -> None:
    for number in range(100):
        answer = ask_once_about("judge", lambda _question, _value, n=number: n, "polite?", "hello")

        assert answer == number


def test_an_error_is_not_remembered() -> None:
    asked: list[Any] = []

    def judge(_question: str, value: Any) -> bool:
        asked.append(value)
        if len(asked) == 1:
            raise TimeoutError
        return True

    with pytest.raises(InvalidSettings, match="judge: the function raised TimeoutError"):
        ask_once_about("judge", judge, "polite?", "hello")

    assert ask_once_about("judge", judge, "polite?", "hello") is True


def test_the_oldest_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_MAX_ANSWERS", 2)
    monkeypatch.setattr(asking, "_answers", OrderedDict())
    judge = Judge()

    answers = [ask_once_about("judge", judge, "q", value) for value in (1, 2, 3, 3, 1)]

    assert answers == [1, 2, 3, 3, 4]


@pytest.mark.parametrize(
    "error",
    [ModelFailed("m", "no answer"), MissingKey("MY_KEY"), MissingExtra("Asking a model", "openai")],
)
def test_a_model_that_cannot_be_asked_says_so_itself(error: Exception) -> None:
    def judge(*_: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as raised:
        call_user_function("judge", judge, "polite?", "hello")
    assert raised.value is error
