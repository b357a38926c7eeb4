"""Evaluations of one name are told apart, and each has a key of its own."""

from __future__ import annotations

from callscore.evaluations.discovery import require_unique_names, with_unique_names
from callscore.evaluations.evaluation import Evaluation


def made(name: str, home: str = "") -> Evaluation:
    place = f"{home or '<stdin>'}:1"
    return Evaluation(
        name=name, task=print, cases=["Hi"], place=place, home=home, key=f"{home}::{name}"
    )


def test_those_of_one_file_that_python_hands_over_are_numbered() -> None:
    found = with_unique_names([made("a"), made("a"), made("a-2"), made("a")])

    assert [each.name for each in found] == ["a", "a-3", "a-2", "a-4"]
    assert [each.key for each in found] == ["::a", "::a-3", "::a-2", "::a-4"]


def test_the_key_is_the_same_whatever_else_is_there() -> None:
    one, other = made("a", "/x/eval_a.py"), made("a", "/x/eval_b.py")

    (alone,) = with_unique_names([one])
    first, second = with_unique_names([one, other])

    assert alone.name == "a"
    assert (first.name, second.name) == ("eval_a.a", "eval_b.a")
    assert first.key == alone.key != second.key


def test_those_that_a_file_takes_from_elsewhere_may_be_called_alike() -> None:
    both = [made("a", "/x/eval_a.py"), made("a", "/x/shared.py")]

    assert require_unique_names(both) == both
