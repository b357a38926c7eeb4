"""Arguments."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import (
    TOO_MUCH,
    count_matched_arguments,
    differences,
    overlap_ratio,
)
from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.equality import differing_keys, equal
from callscore.core.phrases import Note
from callscore.core.rules import Matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.core.value_comparison import make_context

if TYPE_CHECKING:
    from callscore.core.settings import ExtraArguments

VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, "1", "", nan]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c d"]), VALUES)


def overlap(
    expected: dict[str, Any], actual: dict[str, Any], extra_arguments: ExtraArguments = "ignore"
) -> tuple[int, int]:
    return overlap_ratio(
        count_matched_arguments(expected, actual),
        expected=len(expected),
        actual=len(actual),
        shared=len(expected.keys() & actual.keys()),
        extra_arguments=extra_arguments,
    )


def test_differences_of_a_hundred_thousand_nested_arrays_are_found() -> None:
    left: Any = 1
    right: Any = 2
    for _ in range(100_000):
        left, right = [left], [right]

    (difference,) = differences({"a": left}, {"a": right})

    assert difference.path == "$.a" + "[0]" * 100_000
    assert (difference.kind, difference.expected, difference.actual) == ("value", 1, 2)


@given(OBJECTS, OBJECTS)
def test_there_are_differences_exactly_where_the_objects_differ(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    found = differences(expected, actual)

    assert (not found) is equal(expected, actual)
    assert list(dict.fromkeys(difference.argument for difference in found)) == differing_keys(
        expected, actual
    )


@given(OBJECTS, OBJECTS)
def test_an_overlap_is_a_fraction_and_whole_for_equal_objects(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    ignoring, counting = overlap(expected, actual), overlap(expected, actual, "count")

    assert 0 <= counting[0] / counting[1] <= ignoring[0] / ignoring[1] <= 1
    assert overlap(expected, expected)[0] == overlap(expected, expected)[1]


def test_in_python_a_key_may_be_anything() -> None:
    found = differences({"a": {None: 1, 2.5: 1, "b c": 1}}, {"a": {None: 2, 2.5: 2, "b c": 2}})

    assert [difference.path for difference in found] == ["$.a[None]", "$.a[2.5]", "$.a['b c']"]


# What the settings make of an expected call.

LOOSE = Settings(arrays="unordered", nested_objects="subset")
RULES = Settings(
    arguments={  # type: ignore[arg-type]  # a mapping is turned into rules
        "book.date": "date",
        "*.query": {"text": {"similarity": 0.8}},
        "*.request_id": "ignore",
    }
)


def call(**arguments: Any) -> ToolCall:
    return ToolCall("book", arguments)


def passes(expected: ToolCall, actual: ToolCall, settings: Settings) -> bool:
    return score_calls((expected,), (actual,), settings).passed


def test_equal_arrays_nested_too_deep_for_loose_settings_still_match() -> None:
    deep: Any = [1, 2]
    for _ in range(150):
        deep = [deep]

    assert passes(call(a=deep, b=[1, 2]), call(a=deep, b=[2, 1]), LOOSE)


DEMANDS_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)
DEMANDS_OBJECTS = st.dictionaries(st.sampled_from("abc"), DEMANDS_VALUES, max_size=3)


@given(DEMANDS_OBJECTS, DEMANDS_OBJECTS, st.sampled_from(["strict", "flexible"]))
def test_looser_settings_never_lose_a_correct_pair(
    expected: dict[str, Any], actual: dict[str, Any], mode: str
) -> None:
    plain, loose = (
        Settings(mode=mode),
        Settings(mode=mode, arrays="unordered", nested_objects="subset"),
    )
    before = score_calls((call(**expected),), (call(**actual),), plain)
    after = score_calls((call(**expected),), (call(**actual),), loose)

    assert after.f1 >= before.f1
    for pair in (*after.correct, *after.incorrect):
        assert bool(pair.differences) == (pair.matched_arguments < pair.expected_arguments) or (
            pair.differences[-1].kind == "unexpected"
        )


@pytest.mark.parametrize(
    "settings",
    [
        LOOSE,
        RULES,
        Settings(arguments={"*.b": "text"}),  # type: ignore[arg-type]  # as above
        Settings(arguments={"*.b": "optional"}),  # type: ignore[arg-type]  # as above
    ],
)
def test_a_thousand_calls_under_rules_take_little_time(settings: Settings) -> None:
    calls = tuple([call(a=number, b="x") for number in range(1000)])

    assert score_calls(calls, calls[::-1], settings).f1 == 1


RULED = st.recursive(
    DEMANDS_VALUES
    | st.sampled_from(
        [Matcher("$any"), Matcher("$absent"), Matcher("$gte", 0), Matcher("$type", "string")]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
        | st.builds(Matcher, st.just("$optional"), inner)
        | st.builds(Matcher, st.just("$one_of"), st.lists(inner, min_size=1, max_size=2))
        | st.builds(Matcher, st.just("$unordered"), st.lists(inner, max_size=3))
        | st.builds(Matcher, st.just("$subset"), st.dictionaries(st.sampled_from("abc"), inner))
    ),
    max_leaves=6,
)
ANY_SETTINGS = st.builds(
    Settings,
    arrays=st.sampled_from(["ordered", "unordered"]),
    nested_objects=st.sampled_from(["equal", "subset"]),
    arguments=st.dictionaries(
        st.sampled_from(["*.a", "*.b", "book.c", "*.*"]),
        st.sampled_from(["ignore", "optional", "text", "unordered", "subset", "approx"]),
        max_size=2,
    ),
)


@given(st.dictionaries(st.sampled_from("abc"), RULED, max_size=3), DEMANDS_OBJECTS, ANY_SETTINGS)
def test_a_pair_is_correct_exactly_where_it_has_no_differences(
    expected: dict[str, Any], actual: dict[str, Any], settings: Settings
) -> None:
    score = score_calls((call(**expected),), (call(**actual),), settings)

    for pair in score.correct:
        assert not pair.differences
        assert pair.matched_arguments == pair.expected_arguments
    for pair in score.incorrect:
        assert pair.differences
        assert pair.differing_arguments


def test_a_difference_that_takes_too_long_to_explain_says_so() -> None:
    rule = Matcher(key="$regex", value="a+")

    (found,) = differences({"text": rule}, {"text": "b"}, make_context(DEFAULT, Budget(0)))

    assert (found.path, found.note) == ("$.text", Note(TOO_MUCH))
