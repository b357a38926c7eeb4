"""Numbers in texts: never rounded to what they are not, and with nouns in the right form."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore import score

_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")


@settings(max_examples=40)
@given(st.integers(0, 40), st.integers(0, 40))
def test_a_percentage_is_near_and_all_and_nothing_are_said_only_where_they_are_true(
    right: int, wrong: int
) -> None:
    found = score(["f"] * (right + wrong), ["f"] * right + ["g"] * wrong)

    shown = _SHARE.search(found.summary)

    assert shown is not None
    assert abs(float(shown[1]) - 100 * found.f1) <= 0.1
    assert (shown[1] == "100.0") == (found.f1 == 1)
    assert (shown[1] == "0.0") == (found.f1 == 0)


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(1, 60), st.floats(0.01, 0.99))
def test_a_score_is_shown_on_its_side_of_the_pass_mark(
    right: int, wrong: int, pass_mark: float
) -> None:
    found = score(["f"] * (right + wrong), ["f"] * right + ["g"] * wrong, pass_mark=pass_mark)

    shown = _SHARE.search(str(found))

    assert shown is not None
    # The last digit of the mark itself may be a rounded one.
    assert (float(shown[1]) / 100 >= pass_mark - 1e-12) == found.passed


@pytest.mark.parametrize(
    ("rating", "lowest"), [("Excellent", 0.9), ("Good", 0.7), ("Moderate", 0.5), ("Poor", 0.0)]
)
def test_a_rating_holds_from_its_lowest_score_on(rating: str, lowest: float) -> None:
    ratings = set()
    for right in range(41):
        found = score(["f"] * 40, ["f"] * right + ["g"] * (40 - right))
        ratings.add((found.rating, round(found.f1, 6)))

    assert min(f1 for word, f1 in ratings if word == rating) >= lowest - 1e-9


_FORMS = {
    **dict.fromkeys((1, 21, 101), "ожидаемый вызов"),
    **dict.fromkeys((2, 3, 4, 22, 34, 102), "ожидаемых вызова"),
    **dict.fromkeys((0, 5, 10, 11, 12, 13, 14, 15, 20, 25, 111, 112), "ожидаемых вызовов"),
}


def test_a_noun_follows_its_number_in_the_right_form() -> None:
    wrong = {
        count: text
        for count, form in _FORMS.items()
        if f"{count} {form}" not in (text := score(["f"] * count, []).explain(lang="ru"))
    }

    assert not wrong
    assert "1 expected call, 0 actual calls" in score(["f"], []).explain()
    assert "2 expected calls, 1 actual call." in score(["f", "f"], ["f"]).explain()
