from __future__ import annotations

from datetime import date
from fractions import Fraction
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import Grade, apply_settings, grade_calls
from callscore.core.assignment import columns_in
from callscore.core.budget import Budget
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.call_index import CallIndex, PairWeights, weigh_pairs
from callscore.core.equality import fingerprint
from callscore.core.rules import Matcher
from callscore.core.settings import DEFAULT, Mode, Settings

FLEXIBLE = Settings(mode=Mode.FLEXIBLE)
COUNTING = Settings(mode=Mode.FLEXIBLE, extra_arguments="count")
STRICT = Settings()
UNREADABLE = ToolCall("f", raw="{oops", error="unexpected end")

VALUES = st.sampled_from(
    [
        *(None, True, 1, 1.0, "1", 0, False, -0.0, [1], [1.0], (1,), [True], {"x": 1}, {"x": nan}),
        *(fingerprint([1]), fingerprint(True)),  # strings that look like what is looked up
    ]
) | st.builds(float, st.just("nan"))  # no two of them the same object
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES)
NAMES = st.sampled_from("fg")
EXPECTED = st.builds(ToolCall, NAMES, st.none() | ARGUMENTS)
ACTUAL = st.builds(ToolCall, NAMES, ARGUMENTS) | st.sampled_from(
    [
        UNREADABLE,
        ToolCall("g", raw="[]", error="an array"),
        ToolCall("f"),
        ToolCall("f", error=NOT_CAPTURED),
    ]
)
SETTINGS = st.builds(
    Settings,
    mode=st.sampled_from(Mode),
    argument_match_threshold=st.sampled_from([0, 0.3, 0.5, 0.8, 1]),
    extra_arguments=st.sampled_from(["ignore", "count"]),
)


@pytest.mark.parametrize(
    ("expected", "actual", "ignoring", "counting"),
    [
        ({}, {}, (True, True, 1, 1), (True, True, 1, 1)),
        ({"a": None}, {"a": None}, (True, True, 1, 1), (True, True, 1, 1)),
        ({"a": 1}, {"a": 1, "b": 2}, (True, False, 1, 1), (False, False, 1, 2)),
        ({}, {"a": 1}, (False, False, 1, 2), (False, False, 0, 1)),
        ({"a": None}, {}, (False, False, 0, 1), (False, False, 0, 1)),
        (None, {"a": 1}, (True, False, 1, 1), (True, False, 1, 1)),
        (None, {}, (True, False, 1, 1), (True, False, 1, 1)),
        (
            {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},
            {"a": 1, "b": 2, "c": 3, "d": 4, "e": 0},
            (True, False, 4, 5),
            (True, False, 4, 5),
        ),
    ],
)
def test_flexible_pairs_are_graded_by_their_overlap(
    expected: dict[str, Any] | None,
    actual: dict[str, Any],
    ignoring: tuple[bool, bool, int, int],
    counting: tuple[bool, bool, int, int],
) -> None:
    pair = ToolCall("f", expected), ToolCall("f", actual)

    assert grade_calls(*pair, FLEXIBLE) == ignoring
    assert grade_calls(*pair, COUNTING) == counting


def test_strict_wants_equal_arguments_and_nothing_less() -> None:
    assert grade_calls(ToolCall("f", {"a": 1}), ToolCall("f", {"a": 1.0}), STRICT)[0]
    assert not grade_calls(ToolCall("f", {"a": 1}), ToolCall("f", {"a": 1, "b": 2}), STRICT)[0]


@pytest.mark.parametrize("settings", [STRICT, FLEXIBLE, COUNTING])
def test_arguments_that_could_not_be_parsed_are_never_correct(settings: Settings) -> None:
    assert grade_calls(ToolCall("f", {}), UNREADABLE, settings) == (False, False, 0, 1)
    assert grade_calls(ToolCall("f"), UNREADABLE, settings) == (False, False, 0, 1)


def test_missing_arguments_of_an_actual_call_are_no_arguments() -> None:
    assert grade_calls(ToolCall("f", {}), ToolCall("f"), STRICT) == (True, True, 1, 1)
    assert grade_calls(ToolCall("f", {"a": 1}), ToolCall("f"), STRICT) == (False, False, 0, 1)


def test_a_threshold_counts_as_reached_when_it_is_met_exactly() -> None:
    tenths = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.7)
    expected = ToolCall("f", dict.fromkeys("abcdefghij", 1))
    seven = ToolCall("f", dict.fromkeys("abcdefg", 1))

    assert grade_calls(expected, seven, tenths) == (True, False, 7, 10)


def by_column(grades: dict[Grade, int]) -> dict[int, tuple[bool, bool, Fraction]]:
    """What a pair is, by column, where it is anything at all: the index leaves the others out."""
    return {
        column: (is_correct, is_equal, Fraction(part, whole))
        for (is_correct, is_equal, part, whole), columns in grades.items()
        for column in columns_in(columns)
        if is_correct or part
    }


@given(st.lists(EXPECTED, max_size=7), st.lists(ACTUAL, max_size=7), SETTINGS)
def test_all_pairs_at_once_are_graded_as_one_by_one(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    index = CallIndex(actual, settings, Budget())
    rows = [index.graded(call) for call in expected]

    assert len(rows) == len(expected)
    for call, (same_tool, grades) in zip(expected, rows, strict=True):
        columns = [column for column, other in enumerate(actual) if other.name == call.name]
        singles = {1 << column: grade_calls(call, actual[column], settings) for column in columns}
        assert columns_in(same_tool) == columns
        assert by_column(grades) == {
            column: found
            for bit, single in singles.items()
            for column, found in by_column({single: bit}).items()
        }


def worths(row: PairWeights) -> dict[int, int]:
    return {column: worth for worth, columns in row.levels for column in columns_in(columns)}


@pytest.mark.parametrize("settings", [STRICT, FLEXIBLE, COUNTING])
@pytest.mark.parametrize("size", [2, 6])
def test_many_pairs_weigh_what_their_grades_say(settings: Settings, size: int) -> None:
    wanted: list[dict[str, Any] | None] = [
        {"a": 1, "b": [2]},
        {"a": 1.0},
        {},
        None,
        {"a": True, "d": date(2024, 1, 15)},
        {"c": nan},
    ]
    made: list[dict[str, Any]] = [
        {"b": [2.0], "a": 1},
        {"a": 1, "c": 0},
        {"x": 1},
        {},
        {"a": fingerprint(True), "d": date(2024, 1, 15)},
        {"c": float("nan")},  # another object than the expected one
    ]
    expected = [ToolCall("f", arguments) for arguments in wanted[:size]]
    actual = [ToolCall("f", arguments) for arguments in made[:size]]
    actual[1] = UNREADABLE

    rows = weigh_pairs(expected, actual, settings, Budget())

    for call, row in zip(expected, rows, strict=True):
        grades = [grade_calls(call, other, settings) for other in actual]
        worth = worths(row)
        assert row.same_tool == (1 << size) - 1
        assert columns_in(row.correct) == [c for c, (correct, *_) in enumerate(grades) if correct]
        assert sorted(worth) == [
            c for c, (correct, _, part, _) in enumerate(grades) if correct or part
        ]
        by_worth = [grades[column] for column in sorted(worth, key=worth.__getitem__)]
        ranks = [(correct, equal, part / whole) for correct, equal, part, whole in by_worth]
        assert ranks == sorted(ranks)


def test_one_correct_pair_outweighs_any_number_of_overlaps() -> None:
    arguments = dict.fromkeys("abcdefghij", 1)
    expected = [ToolCall("f", arguments)] * 5
    actual = [ToolCall("f", arguments), *[ToolCall("f", arguments | {"j": 0})] * 4]

    found = worths(weigh_pairs(expected, actual, STRICT, Budget())[0])

    assert found[0] > 5 * found[1]


def test_other_tools_weigh_nothing() -> None:
    expected, actual = [ToolCall("f", {}), ToolCall("g", {})], [ToolCall("g", {})]

    rows = weigh_pairs(expected, actual, STRICT, Budget())

    assert rows[0] == PairWeights([], 0, 0)
    assert (rows[1].correct, rows[1].same_tool) == (1, 1)


def test_keys_that_do_not_sort_are_no_obstacle() -> None:
    arguments: Any = {1: 1, "a": 2}
    calls = [ToolCall("f", arguments)] * 5

    assert [row.correct for row in weigh_pairs(calls, calls, DEFAULT, Budget())] == [0b11111] * 5


RULED = st.sampled_from(
    [
        *(1, "A", "a!", [1, 2], Matcher("$gte", 1), Matcher("$optional", 1), Matcher("$absent")),
        *(Matcher("$one_of", [1, "A"]), [1, Matcher("$any")]),
    ]
)
SIMPLE = st.sampled_from([1, 1.0, 2, "A", "a", [1, 2], [2, 1], [1], True])
DEMANDING = st.builds(
    Settings,
    mode=st.sampled_from(Mode),
    extra_arguments=st.sampled_from(["ignore", "count"]),
    arrays=st.sampled_from(["ordered", "unordered"]),
    arguments=st.dictionaries(
        st.sampled_from(["*.a", "f.b", "g.*"]), st.sampled_from(["ignore", "text", "optional"])
    ),
)


@given(
    st.lists(
        st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("abc"), RULED)), max_size=5
    ),
    st.lists(
        st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("abc"), SIMPLE)), max_size=5
    ),
    DEMANDING,
)
def test_demands_on_all_calls_at_once_are_graded_as_one_by_one(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    demands = [apply_settings(call, settings) for call in expected]
    actual = [*actual, UNREADABLE]

    index = CallIndex(actual, settings, Budget())
    rows = [index.graded(call) for call in demands]

    for call, (same_tool, grades) in zip(demands, rows, strict=True):
        columns = [column for column, other in enumerate(actual) if other.name == call.name]
        one_by_one: dict[int, tuple[bool, bool, Fraction]] = {}
        for column in columns:
            one_by_one |= by_column({grade_calls(call, actual[column], settings): 1 << column})
        assert columns_in(same_tool) == columns
        assert by_column(grades) == one_by_one


def test_a_rule_is_asked_once_about_each_value() -> None:
    asked: list[Any] = []

    def similarity(_left: str, right: str) -> float:
        asked.append(right)
        return 0.5

    settings = Settings(similarity=similarity)
    wanted = {"a": Matcher("$text", "x", {"similarity": 0.4}), "b": 1}
    expected = [apply_settings(ToolCall("f", wanted), settings)] * 10
    actual = [ToolCall("f", {"a": "yz"[n % 2], "b": n}) for n in range(10)]

    rows = weigh_pairs(expected, actual, settings, Budget())

    assert asked == ["y", "z"]
    assert [row.correct for row in rows] == [0b10] * 10
