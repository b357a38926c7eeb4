"""`$one_of`: the best of the alternatives."""

from __future__ import annotations

from callscore.core.budget import Budget
from callscore.core.rules import ABSENT, Matcher, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))
NAMES = [
    Matcher("$text", "New York", {"similarity": 0.8}),
    Matcher("$text", "Newark", {"similarity": 0.8}),
]


def test_the_value_is_that_of_the_alternative_that_fits_best() -> None:
    verdict = compare_value(Matcher("$one_of", NAMES), "Newarkk", CONTEXT)

    assert verdict.matched
    assert 0.9 < verdict.value < 1


def test_a_full_match_ends_the_search() -> None:
    def never(_question: str, _value: object) -> bool:
        raise AssertionError

    context = make_context(Settings(judge=never), Budget())

    assert compare_value(Matcher("$one_of", [1, Matcher("$judge", "why?")]), 1, context).matched


def test_where_none_fits_the_nearest_says_why() -> None:
    verdict = compare_value(Matcher("$one_of", NAMES), "New Y", CONTEXT)

    assert not verdict.matched
    assert verdict.note is not None
    assert verdict.note.text("en") == "similarity 0.76 < 0.8"


def test_a_match_counts_for_more_than_a_nearer_miss() -> None:
    near = Matcher("$text", "abcdefghij", {"similarity": 0.99})
    far = Matcher("$text", "abcd", {"similarity": 0.1})

    assert compare_value(Matcher("$one_of", [near, far]), "abcdefghi", CONTEXT).matched


def test_the_places_of_one_alternative_are_not_shown() -> None:
    verdict = compare_value(
        Matcher("$one_of", [Matcher("$subset", {"a": 1, "b": 2})]), {"a": 1}, CONTEXT
    )

    assert (verdict.matched, verdict.value, verdict.parts) == (False, 0.5, ())


def test_no_alternatives_are_refused() -> None:
    assert check_matcher(Matcher("$one_of", [])) == "expected a list of at least one value, got []."
    assert check_matcher(Matcher("$one_of", "abc")) is not None


def test_alternatives_are_described_in_a_row() -> None:
    matcher = Matcher("$one_of", ["a", None, Matcher("$gt", 1, {"$lt": 3}), [1]])

    assert describe_value(matcher) == '$one_of "a", null, ($gt 1, $lt 3), [1]'


def test_nothing_will_do_where_one_alternative_says_so() -> None:
    or_nothing = Matcher("$one_of", [Matcher("$absent"), 5])
    or_default = Matcher("$one_of", [Matcher("$optional", 1), Matcher("$any")])

    assert compare_value(or_nothing, ABSENT, CONTEXT).matched
    assert compare_value(or_nothing, 5, CONTEXT).matched
    assert not compare_value(or_nothing, 6, CONTEXT).matched
    assert compare_value(or_default, ABSENT, CONTEXT).matched
    assert not compare_value(Matcher("$one_of", [Matcher("$any"), None]), ABSENT, CONTEXT).matched
