"""Values with rules in them, compared with plain values."""

from __future__ import annotations

from datetime import date
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.rules import ABSENT, FailedPart, Matcher, Verdict, contains_matchers
from callscore.core.settings import DEFAULT
from callscore.core.value_comparison import (
    compare_value,
    is_accepted,
    make_context,
    may_be_absent,
    wrong_type,
)

CONTEXT = make_context(DEFAULT, Budget(10**12))
ANY = Matcher("$any")
PARIS = Matcher("$contains", "Paris")


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [ANY, {"a": [1, {"b": ANY}]}, (1, ANY), nested(100_000, ANY)])
def test_a_rule_is_found_wherever_it_stands(value: Any) -> None:
    assert contains_matchers(value)


@pytest.mark.parametrize("value", [1, "x", None, {"$any": True}, [[], {"a": {}}], object()])
def test_a_plain_value_holds_no_rule(value: Any) -> None:
    assert not contains_matchers(value)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        ({"a": [1, 2]}, {"a": [1, 2]}),
        ({"a": PARIS, "b": 1}, {"b": 1, "a": "in Paris"}),
        ([1, PARIS], [1, "Paris"]),
        ((1, PARIS), [1, "Paris"]),
        ({"a": {"b": [PARIS]}}, {"a": {"b": ["Paris"]}}),
        ({"a": 1, "b": Matcher("$optional", 2)}, {"a": 1}),
    ],
)
def test_a_value_that_is_as_expected_matches(expected: Any, actual: Any) -> None:
    verdict = compare_value(expected, actual, CONTEXT)

    assert verdict.matched
    assert verdict.value == 1


def test_a_plain_value_that_differs_does_not_match_at_all() -> None:
    assert compare_value({"a": 1}, {"a": True}, CONTEXT)[:2] == (False, 0)


def test_the_members_that_fail_are_named_with_both_values() -> None:
    verdict = compare_value(
        {"a": PARIS, "b": 1, "c": ANY}, {"a": "London", "b": 1, "d": 2}, CONTEXT
    )

    assert not verdict.matched
    assert verdict.parts == (
        FailedPart("a", PARIS, "London"),
        FailedPart("c", ANY, ABSENT),
        FailedPart("d", ABSENT, 2),
    )
    assert verdict.value == 0


def test_the_items_that_fail_are_named_with_their_positions() -> None:
    verdict = compare_value([ANY, 1, PARIS], [0, 2, "Paris", 3], CONTEXT)

    assert verdict.parts == (FailedPart(1, 1, 2), FailedPart(3, ABSENT, 3))
    assert 0 < verdict.value < 1
    assert compare_value([1, PARIS], [1], CONTEXT).parts == (FailedPart(1, PARIS, ABSENT),)


@pytest.mark.parametrize(("expected", "actual"), [({"a": ANY}, [1]), ([ANY], {"a": 1})])
def test_another_kind_of_value_has_no_members_to_name(expected: Any, actual: Any) -> None:
    assert compare_value(expected, actual, CONTEXT) == (False, 0, None, ())


def test_only_what_may_be_absent_fits_what_was_not_given() -> None:
    assert is_accepted(Matcher("$optional", 1), ABSENT, CONTEXT)
    assert is_accepted(Matcher("$absent"), ABSENT, CONTEXT)
    assert not is_accepted(Matcher("$absent"), 1, CONTEXT)
    assert not is_accepted(ANY, ABSENT, CONTEXT)
    assert not is_accepted(1, ABSENT, CONTEXT)
    assert not may_be_absent("x")


# What is said of a value of another type.


@pytest.mark.parametrize(
    ("given", "english", "russian"),
    [
        ("350", "a string, not a number", "строка, а не число"),
        (True, "a boolean, not a number", "логическое значение, а не число"),
        (None, "null, not a number", "null, а не число"),
        ({}, "an object, not a number", "объект, а не число"),
        ([], "an array, not a number", "массив, а не число"),
        (date(2024, 1, 15), "date, not a number", "date, а не число"),
    ],
)
def test_the_type_is_named_and_the_one_that_is_wanted(
    given: Any, english: str, russian: str
) -> None:
    note = wrong_type(given, "number").note

    assert note is not None
    assert (note.text("en"), note.text("ru")) == (english, russian)


def test_a_number_that_json_cannot_spell_is_a_number_all_the_same() -> None:
    assert wrong_type(nan, "number") == Verdict(matched=False, value=0.0)


@pytest.mark.parametrize(
    ("matcher", "given", "note"),
    [
        (Matcher("$approx", 350), "350", "a string, not a number"),
        (Matcher("$gt", 1), "2", "a string, not a number"),
        (Matcher("$contains", "5"), 5, "a number, not a string"),
        (Matcher("$text", "5"), 5, "a number, not a string"),
        (Matcher("$regex", "5"), 5, "a number, not a string"),
    ],
)
def test_rules_about_numbers_and_text_say_so(matcher: Matcher, given: Any, note: str) -> None:
    verdict = compare_value(matcher, given, CONTEXT)

    assert not verdict.matched
    assert verdict.note is not None
    assert verdict.note.text("en") == note


SIMPLE = st.sampled_from([0, 1, 1.0, True, None, "a", "ab", "\ud800", nan, date(2024, 1, 2)])
VALUES = st.recursive(
    SIMPLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=6,
)
RULES = st.sampled_from(
    [
        *(ANY, Matcher("$regex", "a"), Matcher("$regex", "^b"), Matcher("$absent"), PARIS),
        *(Matcher("$schema", {"type": "string"}), Matcher("$schema", {"minimum": 1})),
        *(Matcher("$schema", {"pattern": "^a", "type": ["string", "null"]}), Matcher("$gte", 1)),
        Matcher("$text", "A", {"similarity": 0.5}),
    ]
)
EXPECTED = st.recursive(
    RULES | SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("ab"), inner)
        | st.builds(Matcher, st.just("$optional"), inner)
        | st.builds(Matcher, st.just("$one_of"), st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=6,
)


@given(EXPECTED, VALUES | st.just(ABSENT))
def test_a_value_is_accepted_exactly_if_its_verdict_matches(expected: Any, actual: Any) -> None:
    with_reasons, without = Budget(), Budget()

    verdict = compare_value(expected, actual, make_context(DEFAULT, with_reasons))

    assert is_accepted(expected, actual, make_context(DEFAULT, without)) == verdict.matched
    assert without.left == with_reasons.left


@pytest.mark.parametrize(
    ("expected", "actual", "is_right"),
    [
        ({"a": PARIS}, {"a": "Paris"}, True),
        ({"a": PARIS}, {"a": "Paris", "b": 1}, False),
        ({"a": PARIS}, ["Paris"], False),
        ([PARIS], ["Paris"], True),
        ([PARIS], ["Paris", "Paris"], False),
        ([PARIS, PARIS], ["Paris"], False),
        ([PARIS], "Paris", False),
        (Matcher("$optional", PARIS), ABSENT, True),
        (Matcher("$optional", PARIS), "Rome", False),
        (Matcher("$regex", "is$"), "Paris", True),
        (Matcher("$regex", "is$"), 1, False),
        (Matcher("$regex", "is$"), ABSENT, False),
        (Matcher("$schema", {"type": "string"}), "Paris", True),
        (Matcher("$schema", {"type": "string"}), 1, False),
        (Matcher("$schema", {"type": "string"}), "\ud800", True),
        (Matcher("$schema", {"type": "string"}), date(2024, 1, 15), False),
    ],
)
def test_whether_a_value_is_accepted_needs_no_verdict(
    expected: Any, actual: Any, is_right: bool
) -> None:
    assert is_accepted(expected, actual, CONTEXT) is is_right
    assert compare_value(expected, actual, CONTEXT).matched is is_right
