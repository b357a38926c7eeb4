"""Judges and measures of similarity: what they are asked, how often, and what they may answer."""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from typing import Any

import pytest

from callscore import InvalidSettings, MissingExtra, MissingKey, ModelFailed, expect, score
from callscore.core import value_comparison

POLITE = [expect.call("say", text=expect.judge("polite?"))]
SIMILAR = [expect.call("say", text=expect.text("Big Apple", similarity=0.7))]


def say(text: Any) -> list[tuple[str, dict[str, Any]]]:
    return [("say", {"text": text})]


def test_a_judge_is_asked_the_question_about_the_value() -> None:
    asked: list[Any] = []

    def judge(question: str, value: Any) -> bool:
        asked.append((question, value))
        return True

    assert score(POLITE, say({"a": 1}), judge=judge).f1 == 1
    assert asked == [("polite?", {"a": 1})]


def test_a_measure_of_the_user_takes_the_place_of_ours() -> None:
    asked: list[tuple[str, str]] = []

    def similarity(left: str, right: str) -> float:
        asked.append((left, right))
        return 0.75

    assert score(SIMILAR, say("New-York"), similarity=similarity).f1 == 1
    assert asked == [("big apple", "new york")]


def test_equal_texts_are_alike_whatever_a_measure_says() -> None:
    assert score(SIMILAR, say("big apple"), similarity=lambda *_: 0).f1 == 1


@pytest.mark.parametrize("answer", [None, "yes", 1.5, (True, 5), (True, "a", "b"), ("x", "y")])
def test_an_invalid_answer_of_a_judge_or_similarity_measure_is_an_error(answer: Any) -> None:
    def answers(*_: Any) -> Any:
        return answer

    said = "the function must return a number from 0 to 1, got "
    with pytest.raises(InvalidSettings, match=f"judge: {said}"):
        score(POLITE, say("hello"), judge=answers)
    with pytest.raises(InvalidSettings, match=f"similarity: {said}"):
        score(SIMILAR, say("hello"), similarity=answers)


def test_any_kind_of_number_is_an_answer() -> None:
    answer: Any = Fraction(3, 4)

    assert score(SIMILAR, say("hello"), similarity=lambda *_: answer).f1 == 1


def test_a_function_that_raises_is_named_with_what_it_raised() -> None:
    nothing: dict[str, bool] = {}

    with pytest.raises(InvalidSettings, match="judge: the function raised KeyError: 'x'") as raised:
        score(POLITE, say("hello"), judge=lambda *_: nothing["x"])

    assert isinstance(raised.value.__cause__, KeyError)


@pytest.mark.parametrize(
    "error",
    [ModelFailed("m", "no answer"), MissingKey("MY_KEY"), MissingExtra("Asking a model", "openai")],
)
def test_a_model_that_cannot_be_asked_says_so_itself(error: Exception) -> None:
    def judge(*_: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as raised:
        score(POLITE, say("hello"), judge=judge)
    assert raised.value is error


def test_the_reason_of_a_judge_is_shortened_to_one_printable_line() -> None:
    found = score(POLITE, say("hello"), judge=lambda *_: (False, "red\x1b[31m\n" * 1000))

    (difference,) = found.incorrect[0].differences
    assert difference.reason.isprintable()
    assert len(difference.reason) < 300


def test_the_same_question_about_the_same_value_is_asked_once() -> None:
    asked: list[Any] = []

    def judge(question: str, value: Any) -> bool:
        asked.append((question, value))
        return True

    for text in ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, "hello", "hello"):
        assert score(POLITE, say(text), judge=judge).f1 == 1
    assert [value for _, value in asked] == [{"a": 1, "b": 2}, "hello"]


def test_the_oldest_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_comparison, "_MAX_ANSWERS", 2)
    monkeypatch.setattr(value_comparison, "_answers", OrderedDict())
    asked: list[Any] = []

    def judge(_question: str, value: Any) -> bool:
        asked.append(value)
        return True

    for text in (1, 2, 3, 3, 1):
        score(POLITE, say(text), judge=judge)
    assert asked == [1, 2, 3, 1]


def test_an_error_is_not_remembered() -> None:
    asked: list[Any] = []

    def judge(_question: str, value: Any) -> bool:
        asked.append(value)
        if len(asked) == 1:
            raise TimeoutError
        return True

    with pytest.raises(InvalidSettings, match="judge: the function raised TimeoutError"):
        score(POLITE, say("hello"), judge=judge)
    assert score(POLITE, say("hello"), judge=judge).f1 == 1


def test_each_judge_is_asked_even_where_another_is_gone() -> None:
    for number in range(100):
        found = score(POLITE, say("hello"), judge=lambda *_, n=number: n % 2 == 0)
        assert found.f1 == (1 if number % 2 == 0 else 0)


def test_a_score_and_its_differences_rest_on_one_answer() -> None:
    answers = iter([False, True, True, True, True])

    found = score(POLITE, say("go"), judge=lambda *_: next(answers))

    assert found.f1 == 0
    assert [each.kind for each in found.incorrect[0].differences] == ["matcher"]


def test_a_full_match_ends_the_search() -> None:
    def never(*_: Any) -> bool:
        raise AssertionError

    assert (
        score(
            [expect.call("f", a=expect.one_of(1, expect.judge("why?")))],
            [("f", {"a": 1})],
            judge=never,
        ).f1
        == 1
    )


class Strict:
    """A judge that nothing can refer to weakly."""

    __slots__ = ()

    def __call__(self, *_: Any) -> bool:
        return False


def test_any_object_that_can_be_called_may_be_a_judge() -> None:
    assert score(POLITE, say("hello"), judge=Strict()).f1 == 0
