"""Scores where more than plain calls is expected."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Order, Settings
from callscore.errors import InvalidCall, InvalidSettings

PARIS = Matcher("$contains", "Paris")


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def test_rules_are_paired_so_that_most_calls_are_correct() -> None:
    expected = (call("f", q=Matcher("$any")), call("f", q=1))
    actual = (call("f", q=1), call("f", q=2))

    score = score_calls(expected, actual, DEFAULT)

    assert [(pair.expected_index, pair.actual_index) for pair in score.correct] == [(0, 1), (1, 0)]
    assert score.expectation is None


@pytest.mark.parametrize("order", ["any", "in_order", "exact"])
def test_rules_hold_in_every_order(order: Order) -> None:
    expected = (call("f", q=PARIS), call("g"))
    settings = Settings(order=order)

    assert score_calls(expected, (call("f", q="to Paris"), call("g")), settings).passed
    assert not score_calls(expected, (call("f", q="to Rome"), call("g")), settings).passed


def test_many_calls_with_rules_are_paired_as_well_as_few() -> None:
    expected = tuple(call("f", q=Matcher("$approx", n, {"abs": 0.25})) for n in range(30))
    actual = tuple(call("f", q=n + 0.2) for n in reversed(range(30)))

    assert score_calls(expected, actual, DEFAULT).is_exact


def test_every_difference_names_the_rule_that_failed() -> None:
    expected = call(
        "f", q=PARIS, n=Matcher("$optional", 1), x=Matcher("$absent"), y=Matcher("$any")
    )

    score = score_calls((expected,), (call("f", q="Rome", n=2, x=0),), DEFAULT)

    found = [(item.path, item.kind, item.matcher) for item in score.incorrect[0].differences]
    assert found == [
        ("$.q", "matcher", "$contains"),
        ("$.n", "matcher", "$optional"),
        ("$.x", "matcher", "$absent"),
        ("$.y", "missing", "$any"),
    ]
    assert score.incorrect[0].differences[0].reason == 'q: $contains "Paris", got "Rome"'
    assert score.incorrect[0].differing_arguments == ["q", "n", "x", "y"]


def test_a_difference_inside_an_array_says_which_item_had_no_partner() -> None:
    expected = call("f", tags=Matcher("$unordered", ["a", "b"]))

    score = score_calls((expected,), (call("f", tags=["b", "c"]),), DEFAULT)

    assert [item.reason for item in score.incorrect[0].differences] == [
        'tags[0]: $unordered: expected "a", but not given',
        'tags[1]: $unordered: given, but not expected (value "c")',
    ]


def test_the_numbers_of_a_pair_leave_out_what_may_be_absent_and_is() -> None:
    expected = call("f", a=1, b=Matcher("$optional", 2), c=3)
    settings = Settings(mode="flexible", argument_match_threshold=0.5)

    score = score_calls((expected,), (call("f", a=1),), settings)

    assert score.passed
    assert score.correct[0].overlap == 0.5
    assert score.correct[0].overlap_parts == (1, 2)
    assert score.argument_accuracy == 0.5


def test_a_call_that_cannot_be_read_wants_all_its_arguments() -> None:
    expected = call("f", a=Matcher("$any"), b=Matcher("$optional", 2))

    score = score_calls((expected,), (ToolCall("f", None, raw="{", error="x"),), DEFAULT)

    assert score.argument_accuracy == 0
    assert score.incorrect[0].differing_arguments == []


def test_groups_become_the_calls_that_count() -> None:
    expected = (
        Group("one_of", (call("a"), call("b"))),
        Group("optional", (call("c"),)),
        Times(call("d"), 1, 3),
    )

    score = score_calls(expected, (call("b"), call("d"), call("d")), DEFAULT)

    assert score.expected == (call("b"), call("d"), call("d"))
    assert score.is_exact
    assert score.expectation == expected


def test_rules_and_settings_hold_inside_groups() -> None:
    group = Group("in_order", (call("f", q=PARIS), call("g", items=[1, 2])))
    actual = (call("f", q="Paris"), call("g", items=[2, 1]))

    assert not score_calls((group,), actual, DEFAULT).passed
    assert score_calls((group,), actual, Settings(arrays="unordered")).passed


def test_what_is_expected_but_was_not_called_is_missed_also_where_nothing_was_called() -> None:
    score = score_calls((call("a"), Group("optional", (call("b"),))), (), DEFAULT)

    assert score.missed == (call("a"),)
    assert score_calls((Group("optional", (call("b"),)),), (), DEFAULT).is_exact


def test_a_forbidden_call_is_extra_and_fails_the_case() -> None:
    expected = (call("a"), Forbidden("delete_*"))
    actual = (call("a"), call("delete_all"))

    score = score_calls(expected, actual, Settings(at_least=0))

    assert score.forbidden == (1,)
    assert score.extra == (call("delete_all"),)
    assert (score.f1, score.score, score.passed) == (0, 0, False)
    assert (score.precision, score.recall) == (0.5, 1)
    assert score_calls(expected, (call("a"),), DEFAULT).is_exact


def test_names_are_normalised_before_anything_is_forbidden() -> None:
    settings = Settings(strip_prefix=("mcp__*__",), normalise_name=("case",))
    expected = (Group("any_order", (call("mcp__x__Get"),)), Forbidden("mcp__*__Delete_*"))

    score = score_calls(expected, (call("get"), call("mcp__y__DELETE_all")), settings)

    assert score.forbidden == (1,)
    assert score.recall == 1


def test_a_call_cannot_be_expected_and_forbidden() -> None:
    expected = (Group("optional", (call("delete_one"),)), Forbidden("delete_*"))

    with pytest.raises(
        InvalidCall, match=r"'delete_one' is expected, and forbidden by 'delete_\*'"
    ):
        score_calls(expected, (call("x"),), DEFAULT)


def test_groups_have_no_position() -> None:
    with pytest.raises(InvalidSettings, match="a group has no position"):
        score_calls((Group("optional", (call("a"),)),), (call("a"),), Settings(order="exact"))


def test_what_is_forbidden_needs_no_position() -> None:
    settings = Settings(order="exact")

    assert score_calls((call("a"), Forbidden("b")), (call("a"),), settings).passed
    assert score_calls((Forbidden("b"), call("a")), (call("b"), call("a")), settings).forbidden


def test_rules_nested_beyond_all_sense_are_refused() -> None:
    rule = Matcher("$any")
    for _ in range(10_000):
        rule = Matcher("$optional", rule)

    with pytest.raises(InvalidCall, match="nested too deeply"):
        score_calls((call("f", a=rule),), (call("f", a=1),), DEFAULT)


def test_what_is_missing_is_shown_without_the_rules_for_its_parts() -> None:
    expected = call("f", a=[{"b": [1]}], c=Matcher("$any"))
    settings = Settings(arrays="unordered", nested_objects="subset")

    (pair,) = score_calls((expected,), (call("f", a=[]),), settings).incorrect

    assert [(found.path, found.expected, found.matcher) for found in pair.differences] == [
        ("$.a[0]", {"b": [1]}, "$unordered"),
        ("$.c", Matcher("$any"), "$any"),
    ]


def test_a_value_of_any_depth_may_be_missing() -> None:
    deep: Any = []
    for _ in range(480):
        deep = [deep]

    score = score_calls((call("f", a=deep),), (call("f"),), Settings(arrays="unordered"))

    assert score.incorrect[0].differences[0].kind == "missing"
    assert str(score)
