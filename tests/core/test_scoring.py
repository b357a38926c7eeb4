"""The worked examples, and what other scorers get wrong."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Mode, Order, Settings, settings_from
from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from callscore.core.score import Score

FLEXIBLE = Settings(mode=Mode.FLEXIBLE)
COUNTING = Settings(mode=Mode.FLEXIBLE, extra_arguments="count")

# A call is written as its name and its arguments.
Spelled = tuple[str, dict[str, Any] | None]


def score(
    expected: list[Spelled], actual: list[Spelled | ToolCall], settings: Settings = DEFAULT
) -> Score:
    made = tuple(call if isinstance(call, ToolCall) else ToolCall(*call) for call in actual)
    return score_calls(tuple(ToolCall(*call) for call in expected), made, settings)


def counts(result: Score) -> tuple[int, int, int, int]:
    """Correct, incorrect, missed, extra."""
    return len(result.correct), len(result.incorrect), len(result.missed), len(result.extra)


def test_worked_example_a_has_one_call_of_each_kind_but_missed() -> None:
    result = score(
        [("searchWeb", {"query": "AI news"}), ("summarize", {"text": "long"})],
        [
            ("searchWeb", {"query": "AI news"}),
            ("summarize", {"text": "other"}),
            ("translateText", {"to": "ru"}),
        ],
    )

    assert counts(result) == (1, 1, 0, 1)
    assert (result.precision, result.recall, result.f1) == (1 / 3, 1 / 2, 0.4)
    assert (
        result.summary
        == "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )


def test_worked_example_b_makes_two_of_three() -> None:
    expected: list[Spelled] = [("a", {}), ("b", {}), ("c", {})]

    result = score(expected, [*expected[:2]])

    assert (result.precision, result.recall, result.f1) == (1, 2 / 3, 0.8)
    assert [call.name for call in result.missed] == ["c"]


@pytest.mark.parametrize(
    ("expected", "actual", "rates"),
    [
        ([], [], (1, 1, 1)),
        ([], [("f", {})], (0, 1, 0)),
        ([("f", {})], [], (1, 0, 0)),
        ([("f", {})], [("g", {})], (0, 0, 0)),
    ],
)
@pytest.mark.parametrize("order", ["any", "in_order", "exact"])
def test_an_empty_side_has_numbers_and_not_nan(
    expected: list[Spelled],
    actual: list[Spelled | ToolCall],
    rates: tuple[float, float, float],
    order: Any,
) -> None:
    result = score(expected, actual, Settings(order=order))

    assert (result.precision, result.recall, result.f1) == rates


def test_flexible_has_two_correct_pairs_where_equal_calls_first_would_have_one() -> None:
    def call(*values: int) -> Spelled:
        return "f", dict(zip("abcde", values, strict=True))

    result = score(
        [call(1, 2, 3, 4, 5), call(1, 2, 3, 4, 9)],
        [call(1, 2, 3, 4, 5), call(8, 2, 3, 4, 5)],
        FLEXIBLE,
    )

    assert counts(result) == (2, 0, 0, 0)
    assert [(pair.expected_index, pair.actual_index) for pair in result.correct] == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("expected", "actual", "ignoring", "counting"),
    [
        ({}, {}, (1, True), (1, True)),
        ({}, {"a": 1}, (0.5, False), (0, False)),
        ({"a": 1}, {"a": 1, "b": 2}, (1, True), (0.5, False)),
        ({"a": None}, {"a": None}, (1, True), (1, True)),
        ({"a": None}, {}, (0, False), (0, False)),
        (None, {"a": 1}, (1, True), (1, True)),
        (dict.fromkeys("abcde", 1), dict.fromkeys("abcd", 1), (0.8, True), (0.8, True)),
        (dict.fromkeys("abcd", 1), dict.fromkeys("abc", 1), (0.75, False), (0.75, False)),
    ],
)
def test_flexible_wants_enough_of_the_expected_arguments(
    expected: dict[str, Any] | None,
    actual: dict[str, Any],
    ignoring: tuple[float, bool],
    counting: tuple[float, bool],
) -> None:
    for settings, (overlap, is_correct) in ((FLEXIBLE, ignoring), (COUNTING, counting)):
        result = score([("f", expected)], [("f", actual)], settings)

        (pair,) = result.correct + result.incorrect
        assert (pair.overlap, pair.is_correct) == (overlap, is_correct)
        assert result.f1 == is_correct


def test_none_expected_but_some_given_is_half_an_overlap() -> None:
    half = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5)

    assert score([("f", {})], [("f", {"a": 1})], half).is_exact
    assert not score([("f", {})], [("f", {"a": 1})], FLEXIBLE).is_exact


def test_an_expectation_without_arguments_accepts_any_and_empty_ones_accept_none() -> None:
    assert score([("search", None)], [("search", {"q": 1})]).is_exact
    assert not score([("search", {})], [("search", {"q": 1})]).is_exact
    assert score([("search", {})], [("search", None)]).is_exact


def test_leading_equal_calls_are_given_up_where_the_rest_needs_them() -> None:
    # The same five arguments as above, with the near pairs in front and a third tool behind.
    near = {"a": 1, "b": 2, "c": 3, "d": 4}

    result = score(
        [("f", near | {"e": 5}), ("f", near | {"e": 9}), ("g", {})],
        [("f", near | {"e": 5}), ("f", near | {"e": 5, "a": 8}), ("h", {})],
        FLEXIBLE,
    )

    assert counts(result) == (2, 0, 1, 1)


def test_each_call_keeps_its_position_after_equal_calls_in_front() -> None:
    result = score(
        [("a", {}), ("b", {"n": 1}), ("c", {}), ("d", {})],
        [("a", {}), ("d", {}), ("b", {"n": 2}), ("e", {})],
    )

    positions = [(p.expected_index, p.actual_index) for p in result.correct + result.incorrect]
    assert positions == [(0, 0), (3, 1), (1, 2)]
    assert [call.name for call in result.missed] == ["c"]
    assert [call.name for call in result.extra] == ["e"]


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ("fg", "gh", (1, 0, 1, 1)),
        ("ff", "f", (1, 0, 1, 0)),
        ("ffg", "gf", (2, 0, 1, 0)),
        ("gf", "ffh", (1, 0, 1, 2)),
        ("ffg", "hff", (2, 0, 1, 1)),
    ],
)
@pytest.mark.parametrize("settings", [DEFAULT, FLEXIBLE])
def test_a_tool_may_be_called_more_than_once_on_either_side(
    expected: str, actual: str, found: tuple[int, int, int, int], settings: Settings
) -> None:
    assert counts(score([(n, {}) for n in expected], [(n, {}) for n in actual], settings)) == found


# What other scorers get wrong.


def test_the_order_of_the_expectations_does_not_change_the_score() -> None:
    # A greedy matcher gives the first expectation what only the second could have used.
    expected: list[Spelled] = [("f", None), ("f", {"a": 1})]
    actual: list[Spelled | ToolCall] = [("f", {"a": 1}), ("f", {"a": 2})]

    assert score(expected, actual).f1 == score(expected[::-1], actual).f1 == 1


@pytest.mark.parametrize(("expected", "actual"), [(1, "1"), (None, "None"), (True, 1), (0, None)])
def test_values_that_print_alike_are_not_the_same(expected: Any, actual: Any) -> None:
    assert score([("f", {"a": expected})], [("f", {"a": actual})]).f1 == 0


def test_nested_objects_in_another_key_order_are_the_same() -> None:
    expected = {"filter": {"from": "SFO", "to": {"city": "NYC", "code": "JFK"}}}
    actual = {"filter": {"to": {"code": "JFK", "city": "NYC"}, "from": "SFO"}}

    assert score([("search", expected)], [("search", actual)]).is_exact


def test_twenty_unexpected_calls_lower_the_score() -> None:
    result = score([("f", {})], [("f", {}), *[("g", {"n": n}) for n in range(20)]])

    assert counts(result) == (1, 0, 0, 20)
    assert result.f1 == 2 / 22
    assert score([], [("g", {"n": n}) for n in range(20)]).f1 == 0


def test_one_retry_does_not_change_recall() -> None:
    result = score([("f", {"a": 1}), ("g", {})], [("f", {"a": 1}), ("f", {"a": 1}), ("g", {})])

    assert (result.recall, result.precision, result.f1) == (1, 2 / 3, 0.8)


def test_repeated_calls_are_counted_and_not_collapsed() -> None:
    result = score([("f", {}), ("f", {})], [("f", {})])

    assert counts(result) == (1, 0, 1, 0)


def test_an_extra_argument_is_a_difference() -> None:
    expected: list[Spelled] = [("run", {"command": "ls"})]
    actual: list[Spelled | ToolCall] = [("run", {"command": "ls", "rm": "-rf /"})]

    strict, flexible = score(expected, actual), score(expected, actual, FLEXIBLE)

    assert strict.f1 == 0
    assert flexible.f1 == 1  # it costs nothing there, and is shown all the same
    for pair in strict.incorrect + flexible.correct:
        assert [(found.path, found.kind) for found in pair.differences] == [("$.rm", "unexpected")]


def test_wrong_arguments_are_not_a_correct_call() -> None:
    result = score([("book", {"flight": "UA1"})], [("book", {"flight": "UA2"})])

    assert (result.f1, result.tool_selection) == (0, 1)


@pytest.mark.parametrize("order", ["any", "in_order", "exact"])
@pytest.mark.parametrize("mode", list(Mode))
def test_malformed_arguments_are_a_wrong_call_and_not_a_crash(mode: Mode, order: Any) -> None:
    unreadable = ToolCall("f", raw='{"a": 1', error="unexpected end")
    settings = Settings(mode=mode, order=order, argument_match_threshold=0)

    result = score([("f", {"a": 1}), ("g", {})], [unreadable, ("g", {})], settings)

    assert counts(result) == (1, 1, 0, 0)
    assert result.incorrect[0].actual is unreadable
    assert result.incorrect[0].differences[0].kind == "malformed"


def test_nan_is_a_value_and_never_a_score() -> None:
    same = score([("f", {"a": nan})], [("f", {"a": float("nan")})])
    other = score([("f", {"a": nan})], [("f", {"a": None})])

    assert (same.f1, other.f1) == (1, 0)


def test_scoring_changes_neither_side() -> None:
    expected, actual = ToolCall("f", {"a": [1, {"b": 2}]}), ToolCall("f", {"a": [1, {"b": 3}]})

    score_calls((expected,), (actual,), FLEXIBLE)

    assert expected == ToolCall("f", {"a": [1, {"b": 2}]})
    assert actual == ToolCall("f", {"a": [1, {"b": 3}]})


def test_a_hundred_thousand_nested_arrays_are_scored() -> None:
    def deep(innermost: int) -> dict[str, Any]:
        value: Any = innermost
        for _ in range(100_000):
            value = [value]
        return {"deep": value}

    result = score([("f", deep(1)), ("g", deep(1))], [("f", deep(1)), ("g", deep(2))])

    assert counts(result) == (1, 1, 0, 0)
    assert len(result.incorrect[0].differences) == 1


# Scores where more than plain calls is expected.

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

    score = score_calls(expected, actual, Settings(pass_mark=0))

    assert score.forbidden == (1,)
    assert score.extra == (call("delete_all"),)
    assert (score.f1, score.score, score.passed) == (0, 0, False)
    assert (score.precision, score.recall) == (0.5, 1)
    assert score_calls(expected, (call("a"),), DEFAULT).is_exact


def test_names_are_normalized_before_anything_is_forbidden() -> None:
    settings = Settings(strip_prefix=("mcp__*__",), normalize_name=("case",))
    expected = (Group("any_order", (call("mcp__x__Get"),)), Forbidden("mcp__*__Delete_*"))

    score = score_calls(expected, (call("get"), call("mcp__y__DELETE_all")), settings)

    assert score.forbidden == (1,)
    assert score.recall == 1


def test_a_call_cannot_be_expected_and_forbidden() -> None:
    expected = (Group("optional", (call("delete_one"),)), Forbidden("delete_*"))

    with pytest.raises(
        InvalidCall, match=r"'delete_one' is both expected and forbidden by 'delete_\*'"
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


USER_CALL, AGENT_CALL = ToolCall("pay", {"n": 1}, caller="user"), ToolCall("pay", {"n": 1})


def test_a_call_that_says_who_makes_it_is_paired_with_theirs_only() -> None:
    assert score_calls((USER_CALL,), (USER_CALL,), DEFAULT).is_exact
    assert score_calls((USER_CALL,), (AGENT_CALL,), DEFAULT).f1 == 0
    assert score_calls((AGENT_CALL,), (USER_CALL,), DEFAULT).is_exact  # if no call says it


def test_beside_a_call_of_the_user_another_one_is_the_agents() -> None:
    expected = (ToolCall("a", {}), USER_CALL)

    assert score_calls(expected, (ToolCall("a", {}, caller="user"),), DEFAULT).f1 == 0
    assert score_calls(expected, (USER_CALL, ToolCall("a", {})), DEFAULT).is_exact
    assert score_calls(expected, (USER_CALL, ToolCall("a", {})), Settings(order="in_order")).f1 < 1
    group = (Group("one_of", (USER_CALL, ToolCall("a", {}))),)
    assert score_calls(group, (AGENT_CALL,), DEFAULT).f1 == 0
    assert [call.caller for call in score_calls(group, (USER_CALL,), DEFAULT).expected] == ["user"]


def test_the_rules_for_an_argument_apply_whoever_makes_the_call() -> None:
    settings = settings_from({"arguments": {"pay.at": "date", "pay.id": "ignore"}})
    expected = (ToolCall("pay", {"at": "2024-01-15"}, caller="user"),)
    actual = (ToolCall("pay", {"at": "15 Jan 2024", "id": 7}, caller="user"),)

    assert score_calls(expected, actual, settings).is_exact
