"""`$text`: equal when folded, or alike enough."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.comparators import text as module
from callscore.core.rules import Matcher, Verdict, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidSettings

CONTEXT = make_context(Settings())


def verdict(wanted: str, given: Any, **options: Any) -> Verdict:
    return compare_value(Matcher("$text", wanted, options), given, CONTEXT)


def test_without_options_everything_is_folded_and_nothing_is_fuzzy() -> None:
    assert verdict("New York", " NEW-YORK!").matched
    assert verdict("New York", "New Yrok") == Verdict(matched=False, value=0.0)


def test_nothing_can_be_ignored_too() -> None:
    assert not verdict("New York", "new york", ignore=[]).matched


def test_similarity_is_of_the_folded_texts() -> None:
    assert verdict("New York", "NEW YORKK", similarity=0.9).value == pytest.approx(16 / 17)
    assert verdict("", "", similarity=1).matched
    assert verdict("abc", "xyz", similarity=0) == Verdict(matched=True, value=0.0)


def test_too_little_of_it_is_shown_and_never_rounded_up() -> None:
    found = verdict("a" * 999, "a" * 899 + "b" * 100, similarity=0.9)

    assert found.note is not None
    assert found.value == pytest.approx(899 / 999)
    assert found.note.text("en") == "similarity 0.89 < 0.9"
    assert found.note.text("ru") == "сходство 0.89 < 0.9"


@pytest.mark.parametrize("given", [5, None, ["New York"], True])
def test_only_text_is_like_text(given: Any) -> None:
    assert not verdict("5", given, similarity=0).matched


def test_a_function_of_the_user_takes_the_place_of_our_measure() -> None:
    asked: list[tuple[str, str]] = []

    def similarity(left: str, right: str) -> float:
        asked.append((left, right))
        return 0.75

    context = make_context(Settings(similarity=similarity))
    found = compare_value(Matcher("$text", "Big Apple", {"similarity": 0.7}), "New-York", context)

    assert found == Verdict(matched=True, value=0.75)
    assert asked == [("big apple", "new york")]


@pytest.mark.parametrize("answer", [1.5, "much", None])
def test_an_answer_that_is_no_share_is_an_error(answer: Any) -> None:
    context = make_context(Settings(similarity=lambda _left, _right: answer))

    with pytest.raises(InvalidSettings, match="similarity: the function answered "):
        compare_value(Matcher("$text", "a", {"similarity": 0.7}), "b", context)


def test_equal_texts_are_alike_whatever_a_function_says() -> None:
    context = make_context(Settings(similarity=lambda _left, _right: 0.0))

    assert compare_value(Matcher("$text", "a", {"similarity": 1}), "A", context).value == 1


def test_long_texts_are_measured_only_as_far_as_they_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MAX_FULLY_MEASURED", 10)

    assert verdict("abcd", "abxy", similarity=0.9).value == 0
    assert verdict("abcd", "abcx", similarity=0.7).value == 0.75


def test_texts_that_are_too_long_are_told_so_unless_they_are_equal() -> None:
    long = "ab" * 100_000
    found = verdict(long, "c" + long, similarity=0.5)

    assert not found.matched
    assert found.note is not None
    assert found.note.text("en") == "the texts are too long to compare"
    assert verdict(long, long.upper(), similarity=0.5).matched


@pytest.mark.parametrize(
    ("value", "options", "problem"),
    [
        (5, {}, "text is wanted, not 5."),
        ("a", {"similarity": 2}, "`similarity`: a number from 0 to 1 is wanted, not 2."),
        (
            "a",
            {"ignore": ["cas"]},
            '`ignore`: a list of case, space, punctuation, width is wanted, not ["cas"].',
        ),
        (
            "a",
            {"ignore": "case"},
            '`ignore`: a list of case, space, punctuation, width is wanted, not "case".',
        ),
    ],
)
def test_options_are_checked(value: Any, options: dict[str, Any], problem: str) -> None:
    assert check_matcher(Matcher("$text", value, options)) == problem


def test_it_is_described_with_its_options() -> None:
    matcher = Matcher("$text", "New York", {"similarity": 0.9})

    assert describe_value(matcher) == '$text "New York", similarity 0.9'
