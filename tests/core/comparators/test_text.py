"""`$text`: equal when folded, or alike enough."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.comparators import text as module
from callscore.core.comparators.text import IGNORABLE, fold
from callscore.core.rules import Matcher, Verdict, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidSettings

CONTEXT = make_context(Settings(), Budget(10**12))


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

    context = make_context(Settings(similarity=similarity), Budget())
    found = compare_value(Matcher("$text", "Big Apple", {"similarity": 0.7}), "New-York", context)

    assert found == Verdict(matched=True, value=0.75)
    assert asked == [("big apple", "new york")]


@pytest.mark.parametrize("answer", [1.5, "much", None])
def test_an_answer_that_is_no_share_is_an_error(answer: Any) -> None:
    context = make_context(Settings(similarity=lambda _left, _right: answer), Budget())

    with pytest.raises(
        InvalidSettings, match="similarity: the function must return a number from 0 to 1, got "
    ):
        compare_value(Matcher("$text", "a", {"similarity": 0.7}), "b", context)


def test_equal_texts_are_alike_whatever_a_function_says() -> None:
    context = make_context(Settings(similarity=lambda _left, _right: 0.0), Budget())

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
        (5, {}, "expected text, got 5."),
        ("a", {"similarity": 2}, "'similarity': expected a number from 0 to 1, got 2."),
        (
            "a",
            {"ignore": ["cas"]},
            """'ignore': expected a list of case, space, punctuation, width, got ["cas"].""",
        ),
        (
            "a",
            {"ignore": "case"},
            """'ignore': expected a list of case, space, punctuation, width, got "case".""",
        ),
    ],
)
def test_options_are_checked(value: Any, options: dict[str, Any], problem: str) -> None:
    assert check_matcher(Matcher("$text", value, options)) == problem


def test_it_is_described_with_its_options() -> None:
    matcher = Matcher("$text", "New York", {"similarity": 0.9})

    assert describe_value(matcher) == '$text "New York", similarity 0.9'


# Folding: which texts are the same once something is ignored.


@pytest.mark.parametrize(
    ("ignored", "left", "right"),
    [
        ("case", "СТРАННО ß", "странно SS"),
        ("space", " New \t\u00a0York\n", "New York"),
        ("punctuation", "«St. John's!»", "St Johns"),
        ("punctuation", "New-York/New_York", "New York New York"),
        ("punctuation", "a\u2014b\uff0fc", "a b c"),
        ("punctuation", "(5), 'six'", "5 six"),
        ("punctuation", "a (\u22125)", "a -5"),
        ("punctuation", "a(-5)", "a -5"),
        ("punctuation", "tel. 555-12\u201334", "tel 555 12 34"),
        ("width", "\uff28\uff2f\uff34\uff25\uff2c \u2460", "HOTEL 1"),
    ],
)
def test_what_is_ignored_makes_no_difference(ignored: str, left: str, right: str) -> None:
    others = tuple(name for name in IGNORABLE if name != ignored)

    assert fold(left, (ignored,)) == fold(right, (ignored,))
    assert fold(left, others) != fold(right, others)


def test_accents_are_composed_whatever_is_ignored() -> None:
    assert fold("caf\u00e9", ()) == fold("cafe\u0301", ())


def test_nothing_else_is_touched_where_nothing_is_ignored() -> None:
    assert fold(" New-York! \uff11", ()) == " New-York! \uff11"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("3.14", "314"),
        ("v1.2", "v12"),
        ("C++", "C"),
        ("C#", "C"),
        ("-5", "5"),
        ("from -5 to 5", "from 5 to 5"),
        ("(-5)", "(5)"),
        ("-$5", "$5"),
        (".5", "5"),
        ("-.5", "-5"),
        ("3,14", "314"),
        ("1,5", "15"),
        ("12:30", "1230"),
        ("1/2", "12"),
        ("1/2", "1 2"),
        ("10%", "10"),
        ("5\u2030", "5"),
        ("R&D", "RD"),
        ("@anna", "anna"),
        ("2*3", "23"),
        ("\u20ac5", "5"),
    ],
)
def test_what_makes_another_number_or_name_is_no_punctuation(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@pytest.mark.parametrize(
    ("left", "right"), [("\u22125", "-5"), ("\u20135", "-5"), ("\u00bd", "1/2")]
)
def test_a_sign_is_the_same_however_it_is_drawn(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize("dashed", ["UA-123", "UA - 123", "UA/123", "UA_123", "UA\u2212123"])
def test_a_dash_that_is_no_sign_is_a_space(dashed: str) -> None:
    assert fold(dashed) == "ua 123"


@pytest.mark.parametrize(("left", "right"), [("...", ""), ("!", "?"), ("-", "/"), ("( )", " ")])
def test_a_text_of_nothing_but_marks_is_not_the_same_as_another(left: str, right: str) -> None:
    assert fold(left) != fold(right)
    assert fold(left) == fold(f" {left} ")


def test_an_accent_behind_a_dropped_mark_joins_its_letter() -> None:
    assert fold("caf e!\u0301") == "caf \u00e9"


def test_a_full_stop_is() -> None:
    assert fold("No. 5.") == fold("no 5")


MARKS = st.text(st.sampled_from(" \t-\u2212\u2013.,:/%#($5a1'\"_)\u0301\uff0e\uff11\u00bd"))


@given(st.text() | MARKS, st.lists(st.sampled_from(IGNORABLE)).map(tuple))
def test_a_folded_text_has_nothing_left_to_fold(text: str, ignore: tuple[str, ...]) -> None:
    once = fold(text, ignore)

    assert fold(once, ignore) == once


def test_a_hundred_thousand_accents_on_one_letter_take_no_time() -> None:
    hostile = "a" + "\u0301\u0316" * 100_000

    assert fold(hostile) == hostile
    assert fold("e\u0301 " + "b" * 1000) == "\u00e9 " + "b" * 1000
