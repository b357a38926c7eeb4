"""Arguments."""

from __future__ import annotations

from datetime import date
from math import nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import (
    TOO_MUCH,
    ArgumentCounts,
    Difference,
    ExpectedArguments,
    apply_settings,
    count_arguments,
    count_matched_arguments,
    differences,
    differences_at,
    overlap_ratio,
)
from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.equality import differing_keys, equal, json_type
from callscore.core.phrases import Note
from callscore.core.rules import Matcher
from callscore.core.score import Pair
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


@pytest.mark.parametrize(
    ("expected", "actual", "ignoring", "counting"),
    [
        ({}, {}, (1, 1), (1, 1)),
        ({}, {"a": 1}, (1, 2), (0, 1)),
        ({"a": 1}, {}, (0, 1), (0, 1)),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 2), (1, 2)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, (2, 2), (2, 2)),
        ({"a": 1}, {"a": 1, "rm": "-rf /"}, (1, 1), (1, 2)),
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, (1, 2), (1, 3)),
        ({"a": None}, {"a": None}, (1, 1), (1, 1)),
        ({"a": None}, {}, (0, 1), (0, 1)),
        ({"a": 1}, {"a": "1"}, (0, 1), (0, 1)),
    ],
)
def test_the_overlap_is_the_share_of_the_expected_arguments(
    expected: dict[str, Any],
    actual: dict[str, Any],
    ignoring: tuple[int, int],
    counting: tuple[int, int],
) -> None:
    assert overlap(expected, actual) == ignoring
    assert overlap(expected, actual, "count") == counting


def test_a_key_that_is_absent_does_not_match_an_expected_null() -> None:
    assert count_matched_arguments({"a": None, "b": None}, {"b": None}) == 1


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        ({"a": 1}, {}, Difference("$.a", "missing", 1, None, "a")),
        ({"a": None}, {}, Difference("$.a", "missing", None, None, "a")),
        ({}, {"rm": "-rf /"}, Difference("$.rm", "unexpected", None, "-rf /", "rm")),
        ({"a": 1}, {"a": 2}, Difference("$.a", "value", 1, 2, "a")),
        ({"a": 1}, {"a": "1"}, Difference("$.a", "type", 1, "1", "a")),
        ({"a": 1}, {"a": True}, Difference("$.a", "type", 1, True, "a")),
        ({"a": None}, {"a": "None"}, Difference("$.a", "type", None, "None", "a")),
        ({"a": {}}, {"a": []}, Difference("$.a", "type", {}, [], "a")),
        ({"a": [1, 2]}, {"a": [1, 3]}, Difference("$.a[1]", "value", 2, 3, "a")),
        ({"a": [1]}, {"a": [1, 2]}, Difference("$.a[1]", "unexpected", None, 2, "a")),
        ({"a": [1, 2]}, {"a": (1,)}, Difference("$.a[1]", "missing", 2, None, "a")),
        (
            {"people": [{"name": "Ann"}]},
            {"people": [{"name": "Bob"}]},
            Difference("$.people[0].name", "value", "Ann", "Bob", "people"),
        ),
        ({"a b": 1}, {"a b": 2}, Difference("$['a b']", "value", 1, 2, "a b")),
        ({"город": 1}, {"город": 2}, Difference("$.город", "value", 1, 2, "город")),
    ],
)
def test_a_difference_has_its_path_its_kind_and_both_values(
    expected: dict[str, Any], actual: dict[str, Any], difference: Difference
) -> None:
    assert differences(expected, actual) == (difference,)


def test_differences_come_in_the_order_of_the_expected_object_and_then_the_unexpected() -> None:
    expected = {"z": 1, "list": [1, {"deep": 2}, 3], "a": 1}
    actual = {"new": 0, "a": 2, "list": [0, {"deep": 0}], "z": 2}

    assert [found.path for found in differences(expected, actual)] == [
        *("$.z", "$.list[0]", "$.list[1].deep", "$.list[2]", "$.a", "$.new"),
    ]


def test_key_order_and_the_spelling_of_numbers_are_no_difference() -> None:
    assert differences({"a": 1, "b": {"x": 1, "y": nan}}, {"b": {"y": nan, "x": 1.0}, "a": 1}) == ()


def test_a_difference_can_say_what_is_wrong() -> None:
    (difference,) = differences({"city": "Paris"}, {"city": "London"})

    assert "Paris" in difference.reason
    assert "London" in difference.reason


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


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *[(True, "boolean"), (1, "number"), (1.5, "number"), ("", "string"), (None, "null")],
        *[({}, "object"), ([], "array"), ((), "array"), (date(2024, 1, 15), "date")],
    ],
)
def test_a_value_has_the_name_of_its_json_type(value: object, name: str) -> None:
    assert json_type(value) == name


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


def test_a_plain_call_under_plain_settings_stays_itself() -> None:
    plain = call(a=[1, {"b": 2}])

    assert apply_settings(plain, DEFAULT) is plain
    assert apply_settings(ToolCall("book"), LOOSE).arguments is None
    assert not DEFAULT.has_rules
    assert LOOSE.has_rules
    assert RULES.has_rules


def test_arrays_and_nested_objects_are_loosened_all_the_way_down() -> None:
    demands = apply_settings(call(a=[{"b": [1]}], c=1), LOOSE).arguments

    inner = Matcher("$subset", {"b": Matcher("$unordered", [1])})
    assert demands == {"a": Matcher("$unordered", [inner]), "c": 1}


def test_loosened_values_fit_what_came_in_another_order_with_more_keys() -> None:
    expected = call(items=[{"id": 1}, {"id": 2}])

    assert passes(expected, call(items=[{"id": 2, "x": 0}, {"id": 1}]), LOOSE)
    assert not passes(expected, call(items=[{"id": 2}, {"id": 1}], more=1), LOOSE)
    assert not passes(expected, call(items=[{"id": 2}]), LOOSE)


def test_each_of_the_two_loosens_alone() -> None:
    arrays, objects = Settings(arrays="unordered"), Settings(nested_objects="subset")

    assert passes(call(a=[1, 2]), call(a=[2, 1]), arrays)
    assert not passes(call(a={"b": 1}), call(a={"b": 1, "c": 2}), arrays)
    assert passes(call(a={"b": 1}), call(a={"b": 1, "c": 2}), objects)
    assert not passes(call(a=[1, 2]), call(a=[2, 1]), objects)


def test_what_lies_too_deep_is_compared_as_it_is() -> None:
    deep: Any = [1, 2]
    for _ in range(150):
        deep = [deep]

    assert passes(call(a=deep, b=[1, 2]), call(a=deep, b=[2, 1]), LOOSE)


def test_a_rule_compares_its_argument_and_no_other() -> None:
    expected = call(date="2024-01-15", query="hotels in Paris")

    assert passes(expected, call(date="2024-01-15T00:00:00", query="Hotels in paris!"), RULES)
    assert not passes(expected, call(date="2024-01-16", query="hotels in Paris"), RULES)
    assert not passes(call(when="2024-01-15"), call(when="2024-01-15T00:00:00"), RULES)


def test_an_ignored_argument_may_be_anything_on_either_side() -> None:
    with_id, without, other = call(a=1, request_id="x"), call(a=1), call(a=1, request_id="y")

    assert passes(with_id, other, RULES)
    assert passes(with_id, without, RULES)
    assert passes(without, with_id, RULES)
    assert not passes(call(a=2, request_id="x"), with_id, RULES)


def test_what_a_case_says_itself_counts_for_more_than_a_rule() -> None:
    expected = call(date=Matcher("$contains", "2024"))

    assert passes(expected, call(date="some day in 2024"), RULES)


def test_a_rule_leaves_a_value_alone_that_it_cannot_be_about() -> None:
    assert passes(call(date="tomorrow"), call(date="tomorrow"), RULES)
    assert not passes(call(date="tomorrow"), call(date="today"), RULES)
    assert passes(call(query=["a"]), call(query=["a"]), RULES)


def test_the_first_rule_that_fits_decides_and_a_tool_may_have_dots_in_its_name() -> None:
    rules = {"shop.orders.*.id": "ignore", "*.id": "date"}
    settings = Settings(arguments=rules)  # type: ignore[arg-type]  # as above
    expected = ToolCall("shop.orders.add", {"id": 1})

    assert passes(expected, ToolCall("shop.orders.add", {"id": 2}), settings)


def test_arguments_are_counted_without_those_that_may_be_absent_and_are() -> None:
    wanted = apply_settings(call(a=1, b=Matcher("$optional", 2), c=Matcher("$absent")), DEFAULT)
    demands = wanted.arguments or {}

    assert isinstance(demands, ExpectedArguments)
    assert count_arguments(demands, {"a": 1}) == ArgumentCounts(
        matched=1, wanted=1, given=1, shared=1
    )
    assert count_arguments(demands, {"a": 1, "b": 3}) == ArgumentCounts(1, 2, 2, 2)
    assert count_arguments(demands, {"c": 0, "d": 0}) == ArgumentCounts(0, 2, 2, 1)
    assert count_arguments({"a": 1, "b": 2}, {"a": 1, "c": 3}) == ArgumentCounts(1, 2, 2, 1)
    assert count_arguments(demands, {"a": 1}).is_equal
    assert not count_arguments(demands, {"a": 1, "d": 1}).is_equal


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


@pytest.mark.parametrize("rule", ["optional", "unordered", "subset"])
def test_a_rule_of_the_settings_does_not_switch_off_what_else_they_say(rule: str) -> None:
    settings = Settings(
        arrays="unordered",
        nested_objects="subset",
        arguments={"*.a": rule},  # type: ignore[arg-type]  # as above
    )

    assert passes(call(a=[1, 2]), call(a=[2, 1]), settings)
    assert passes(call(a=[{"b": 1}]), call(a=[{"b": 1, "c": 2}]), settings)
    assert passes(call(a={"b": [1, 2]}), call(a={"c": 0, "b": [2, 1]}), settings)


@pytest.mark.parametrize(
    "expected",
    [
        Matcher("$optional", [1, 2]),
        Matcher("$one_of", [[1, 2], [3, 4]]),
        Matcher("$one_of", ([3, 4], Matcher("$optional", (1, 2)))),
    ],
)
def test_what_stands_inside_a_rule_of_the_case_is_loosened_too(expected: Matcher) -> None:
    assert passes(call(a=expected), call(a=[2, 1]), LOOSE)
    assert not passes(call(a=expected), call(a=[2, 1]), DEFAULT)


def test_a_rule_of_the_case_means_what_it_says_at_its_own_level() -> None:
    unordered, subset = Matcher("$unordered", [{"b": [1]}]), Matcher("$subset", {"b": [1]})
    inner = Matcher("$subset", {"b": Matcher("$unordered", [1])})
    literal = Matcher("$schema", {"enum": [[1, 2]]})

    demands = apply_settings(call(a=unordered, b=subset, c=literal), LOOSE).arguments

    assert demands == {"a": Matcher("$unordered", [inner]), "b": inner, "c": literal}


def test_what_the_case_says_is_not_ignored() -> None:
    ignoring = Settings(arguments={"*.a": "ignore"})  # type: ignore[arg-type]  # as above
    above, inside, absent = Matcher("$gt", 1), {"b": Matcher("$gt", 1)}, Matcher("$absent")

    assert passes(call(a=above), call(a=2), ignoring)
    assert not passes(call(a=above), call(a=0), ignoring)
    assert not passes(call(a=above), call(), ignoring)
    assert not passes(call(a=inside), call(a={"b": 0}), ignoring)
    assert passes(call(a=absent), call(), ignoring)
    assert not passes(call(a=absent), call(a=1), ignoring)
    assert passes(call(a=1), call(a=2), ignoring)


def test_a_call_that_no_rule_is_about_stays_itself() -> None:
    plain, other = call(a=1, b="x"), ToolCall("search", {"query": 5, "a": [1]})

    assert apply_settings(plain, LOOSE) is plain
    assert apply_settings(other, Settings(arguments={"book.*": "ignore"})) is other  # type: ignore[arg-type]  # as above
    assert apply_settings(other, Settings(arguments={"*.query": "text"})) is other  # type: ignore[arg-type]  # as above
    assert apply_settings(other, LOOSE) is not other
    assert apply_settings(plain, RULES) is not plain  # its calls may have a request_id


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


@given(OBJECTS, OBJECTS)
def test_differences_are_the_same_if_the_differing_keys_are_known(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    keys = differing_keys(expected, actual)

    assert repr(differences_at(keys, expected, actual)) == repr(differences(expected, actual))


@given(OBJECTS, OBJECTS)
def test_a_pair_counts_what_it_has_compared(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    pair = Pair(ToolCall("f", expected), ToolCall("f", actual), 0, 0, is_correct=False)

    assert pair._counts == count_arguments(expected, actual)
