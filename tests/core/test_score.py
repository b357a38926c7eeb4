"""Counting what is wrong with calls."""

from __future__ import annotations

from io import StringIO
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace
from rich.console import Console

from callscore.core.arguments import Difference, apply_settings, grade_calls
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Case
from callscore.core.counted_calls import Ignored
from callscore.core.rules import Matcher
from callscore.core.score import (
    Fault,
    Outcome,
    Pair,
    Score,
    count_faulty_calls,
    f1_of,
    has_no_counted_calls,
    is_passing,
    outcome_f1,
    outcome_of,
    parameters_valid,
    total_calls,
)
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, ArgumentRule, Mode, Order, Settings
from callscore.core.tool_names import count_same_names

MISSING = Fault("missing_argument", "f", 0)


def test_a_call_with_two_faults_is_one_faulty_call() -> None:
    faults = [MISSING, Fault("wrong_type", "f", 0), Fault("malformed", "g", 2)]

    assert count_faulty_calls(faults) == 2


def test_repeats_loops_and_retries_leave_the_parameters_valid() -> None:
    faults = [Fault("repeat", "f", 1), Fault("loop", "f", 2), Fault("retry_unchanged", "f", 3)]

    assert parameters_valid(faults, calls=4, expected=0) == 1


@pytest.mark.parametrize(("calls", "expected", "share"), [(4, 9, 0.75), (0, 0, 1.0), (0, 2, 0.0)])
def test_the_share_of_valid_calls(calls: int, expected: int, share: float) -> None:
    faults = [MISSING] if calls else []

    assert parameters_valid(faults, calls=calls, expected=expected) == share


def test_calls_that_do_not_count_are_calls() -> None:
    ignored = [Ignored(ToolCall("f"), side, "read") for side in ("actual", "expected", "actual")]

    counted = (ToolCall("f"),)
    assert total_calls("actual", counted, ignored) == 3
    assert total_calls("expected", counted, ignored) == 2
    assert total_calls("expected", (*counted, ToolCall("f", kind="state")), ignored) == 2


UNREADABLE = ToolCall("f", raw="{oops", error="unexpected end")


def pair(expected: dict[str, Any] | None, actual: ToolCall) -> Pair:
    return Pair(ToolCall("f", expected), actual, 0, 0, is_correct=False)


def score(expected: str, actual: str, settings: Settings = DEFAULT) -> Score:
    """One call without arguments for each letter."""
    return score_calls(
        tuple(ToolCall(name, {}) for name in expected),
        tuple(ToolCall(name, {}) for name in actual),
        settings,
    )


def example() -> Score:
    return score_calls(
        (ToolCall("searchWeb", {"query": "AI", "limit": 5}), ToolCall("summarize", {"text": "x"})),
        (ToolCall("searchWeb", {"query": "AI", "limit": 9}), ToolCall("translateText", {})),
        DEFAULT,
    )


def test_calls_cases_and_scores_are_frozen() -> None:
    for value, name in ((ToolCall("f"), "name"), (Case(id="1"), "id"), (example(), "correct")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_what_is_asked_needs_no_name_and_all_else_does() -> None:
    case = Case("What is 2 + 2?", expected=[], tags=["sums"], skip="too easy")

    assert (case.input, case.id, case.expected, case.skip) == ("What is 2 + 2?", "", [], "too easy")
    with pytest.raises(TypeError):
        Case("What is 2 + 2?", "sum")  # type: ignore[call-arg]  # that is the point


def test_equal_calls_are_equal_values() -> None:
    assert ToolCall("f", {"a": 1}) == ToolCall("f", {"a": 1})
    assert ToolCall("f", {}) != ToolCall("f")
    assert score("ab", "ac") == score("ab", "ac")


def test_a_pair_lists_its_differences() -> None:
    differing = pair({"a": 1, "b": 2, "c": 3}, ToolCall("f", {"a": 1, "b": 0, "d": 4}))

    assert differing.differences == (
        Difference("$.b", "value", 2, 0, "b"),
        Difference("$.c", "missing", 3, None, "c"),
        Difference("$.d", "unexpected", None, 4, "d"),
    )
    assert differing.differing_arguments == ["b", "c", "d"]
    assert differing.matched_arguments == 1
    assert differing.overlap == 1 / 3


def test_a_pair_that_accepts_any_arguments_has_no_differences() -> None:
    accepting = pair(None, ToolCall("f", {"a": 1}))

    assert accepting.differences == ()
    assert accepting.differing_arguments == []
    assert accepting.matched_arguments == 0
    assert accepting.overlap == 1


def test_a_pair_that_cannot_be_read_says_so() -> None:
    unreadable = pair({"a": 1}, UNREADABLE)

    (difference,) = unreadable.differences
    assert (difference.path, difference.kind) == ("$", "malformed")
    assert (difference.expected, difference.actual) == ({"a": 1}, "{oops")
    assert unreadable.differing_arguments == []
    assert unreadable.matched_arguments == 0
    assert unreadable.overlap == 0


def test_missing_arguments_of_an_actual_call_are_no_arguments() -> None:
    bare = pair({"a": 1}, ToolCall("f"))

    assert [found.kind for found in bare.differences] == ["missing"]
    assert bare.differing_arguments == ["a"]
    assert (bare.matched_arguments, bare.overlap) == (0, 0)


@pytest.mark.parametrize(
    ("correct", "expected", "actual", "f1"),
    [
        (0, 0, 0, 1.0),
        (0, 0, 1, 0.0),
        (0, 1, 0, 0.0),
        (2, 3, 2, 0.8),
        (1, 2, 3, 0.4),
        (7, 7, 7, 1.0),
    ],
)
def test_f1_comes_out_without_rounding(correct: int, expected: int, actual: int, f1: float) -> None:
    assert f1_of(correct, expected, actual) == f1


def test_a_score_counts_both_sides() -> None:
    result = score("aab", "abcd")

    assert (result.total_expected, result.total_actual) == (3, 4)
    assert (result.precision, result.recall) == (2 / 4, 2 / 3)
    assert result.score == result.f1 == 4 / 7


@pytest.mark.parametrize(
    ("expected", "actual", "is_exact"),
    [("", "", True), ("ab", "ba", True), ("ab", "a", False), ("a", "ab", False), ("a", "b", False)],
)
def test_exact_means_all_correct_and_nothing_extra(
    expected: str, actual: str, is_exact: bool
) -> None:
    assert score(expected, actual).is_exact is is_exact


@pytest.mark.parametrize(("pass_mark", "passed"), [(1.0, False), (0.8, True), (0.81, False)])
def test_a_case_passes_when_its_score_reaches_what_is_asked(pass_mark: float, passed: bool) -> None:
    result = score("abc", "ab", Settings(pass_mark=pass_mark))

    assert result.f1 == 0.8
    assert result.passed is passed


def test_tool_selection_is_the_f1_of_the_names_alone() -> None:
    result = example()

    assert (result.f1, result.tool_selection) == (0, 0.5)
    assert score("", "").tool_selection == 1
    assert score("", "a").tool_selection == 0


def test_tool_selection_obeys_the_order() -> None:
    assert score("abc", "cab").tool_selection == 1
    assert score("abc", "cab", Settings(order="in_order")).tool_selection == 2 / 3
    assert score("abc", "cab", Settings(order="exact")).tool_selection == 0


def test_argument_accuracy_is_over_the_expected_arguments_of_all_pairs() -> None:
    assert example().argument_accuracy == 0.5
    assert score("a", "a").argument_accuracy is None
    assert score("a", "b").argument_accuracy is None


def test_argument_accuracy_counts_correct_pairs_and_unreadable_ones() -> None:
    result = score_calls(
        (ToolCall("f", {"a": 1}), ToolCall("g", {"a": 1, "b": 2, "c": 3}), ToolCall("h")),
        (UNREADABLE, ToolCall("g", {"a": 1, "b": 2, "c": 3}), ToolCall("h", {"x": 1})),
        Settings(mode=Mode.FLEXIBLE),
    )

    assert result.argument_accuracy == 3 / 4


@pytest.mark.parametrize(
    ("expected", "actual", "tool_called"),
    [("", "", 1), ("", "a", 0), ("a", "", 0), ("ab", "cb", 1), ("ab", "cd", 0)],
)
def test_tool_called_asks_for_any_expected_tool(
    expected: str, actual: str, tool_called: int
) -> None:
    assert score(expected, actual).tool_called == tool_called


def test_a_score_between_two_bands_belongs_to_the_lower_one() -> None:
    result = score("a" * 19, "a" * 17 + "b" * 2)  # 2 * 17 / 38 = 0.8947...

    assert 0.89 < result.f1 < 0.9
    assert result.rating == "Good"
    assert score("a", "a").rating == "Perfect match"


def test_the_summary_is_one_line() -> None:
    assert example().summary == (
        "Accuracy Score: 0.0% | Correct: 0/2 | Incorrect: 1 | Missed: 1 | Extra: 1"
    )


def test_a_score_tells_about_itself() -> None:
    result = example()

    assert "searchWeb" in str(result)
    assert "limit: 9" in str(result)
    assert result.explain() != result.explain(lang="ru")
    assert result.to_dict()["f1"] == 0


def test_a_score_is_printed_in_colour_by_rich() -> None:
    console = Console(width=80, file=StringIO(), record=True)

    console.print(example())

    assert "limit: 9" in console.export_text()


def test_arguments_that_nobody_wrote_down_will_do_where_any_will() -> None:
    call = ToolCall("f", error=NOT_CAPTURED)

    for settings in (Settings(), Settings(mode="flexible"), Settings(order="in_order")):
        any_will_do = score_calls((ToolCall("f"),), (call,), settings)
        assert any_will_do.f1 == 1
        assert any_will_do.correct[0].differences == ()
        assert score_calls((ToolCall("f", {}),), (call,), settings).f1 == 0
        many = score_calls((ToolCall("f"), ToolCall("f", {})) * 20, (call,) * 40, settings)
        assert len(many.correct) == 20


def test_arguments_that_nobody_wrote_down_say_so() -> None:
    score = score_calls((ToolCall("f", {"a": 1}),), (ToolCall("f", error=NOT_CAPTURED),), DEFAULT)

    (difference,) = score.incorrect[0].differences
    assert difference.reason == "the trace does not contain the arguments"
    assert "~ f" in str(score)
    assert "the trace does not contain the arguments" in str(score)
    assert "the trace does not contain" in score.explain()
    extra = score_calls((), (ToolCall("f", error=NOT_CAPTURED),), DEFAULT)
    assert "+ " in str(extra)
    assert "f(?)" in str(extra)


def test_a_forbidden_call_makes_the_score_0_and_leaves_precision_and_recall_as_counted() -> None:
    calls = (ToolCall("a", {}), ToolCall("delete", {}))
    lenient = Settings(pass_mark=0.0)

    fine = Score(calls[:1], calls, 1, settings=lenient)
    forbidden = Score(calls[:1], calls, 1, settings=lenient, forbidden=(1,))

    assert (fine.f1, fine.passed) == (2 / 3, True)
    assert (forbidden.f1, forbidden.score, forbidden.passed) == (0, 0, False)
    assert (forbidden.precision, forbidden.recall) == (fine.precision, fine.recall) == (0.5, 1)
    assert forbidden.extra == calls[1:]
    assert not forbidden.is_exact
    assert forbidden.rating == "Poor"


@pytest.mark.parametrize(
    ("expected", "actual", "faulty", "share"),
    [("a", "abc", 1, 2 / 3), ("a", "", 0, 0.0), ("", "", 0, 1.0), ("", "a", 0, 1.0)],
)
def test_parameters_are_valid_where_the_schemas_accept_them(
    expected: str, actual: str, faulty: int, share: float
) -> None:
    result = score(expected, actual)
    faults = (Fault("wrong_type", "b", 1), Fault("malformed", "b", 1))[: 2 * faulty]

    assert result.parameters_valid is None
    assert structs.replace(result, faults=faults).parameters_valid == share


# The four counts of a case, and what follows of them.

A, B, C = (ToolCall(name, {}) for name in "abc")


@pytest.mark.parametrize(
    ("score", "outcome"),
    [
        (Score((), (), 0), (0, 0, 0, 0)),
        (Score((A, B), (A, C, B), 1, ((1, 2),)), (2, 2, 3, 0)),
        (Score((A,), (A, B, C), 1, forbidden=(1, 2)), (1, 1, 3, 2)),
    ],
)
def test_an_outcome_counts_correct_expected_actual_and_forbidden_calls(
    score: Score, outcome: Outcome
) -> None:
    assert outcome_of(score) == outcome


@pytest.mark.parametrize(
    ("outcome", "f1"),
    [((0, 0, 0, 0), 1), ((2, 3, 2, 0), 0.8), ((1, 1, 2, 1), 0), ((0, 0, 1, 1), 0)],
)
def test_the_score_of_an_outcome_is_its_f1_unless_a_call_was_forbidden(
    outcome: Outcome, f1: float
) -> None:
    assert outcome_f1(outcome) == f1


def test_a_case_with_a_forbidden_call_passes_from_no_score_at_all() -> None:
    assert is_passing((2, 3, 2, 0), 0.8)
    assert not is_passing((2, 3, 2, 0), 0.81)
    assert is_passing((0, 1, 1, 0), 0.0)
    assert not is_passing((1, 1, 2, 1), 0.0)


def test_an_outcome_says_what_the_score_says() -> None:
    fine = Score((A,), (A, B), 1)

    for score in (fine, replace(fine, forbidden=(1,))):
        outcome = outcome_of(score)
        assert outcome_f1(outcome) == score.f1
        assert is_passing(outcome, 0.5) == replace_pass_mark(score, 0.5).passed
        assert is_passing(outcome, 0.0) == replace_pass_mark(score, 0.0).passed


def replace_pass_mark(score: Score, pass_mark: float) -> Score:
    return replace(score, settings=replace(score.settings, pass_mark=pass_mark))


def test_a_case_counts_nothing_where_every_call_of_it_was_ignored() -> None:
    ignored = (Ignored(A, "actual", "read"),)

    assert has_no_counted_calls(Score((), (), 0, ignored=ignored))
    assert not has_no_counted_calls(Score((), (), 0))
    assert not has_no_counted_calls(Score((B,), (), 0, ignored=ignored))
    assert not has_no_counted_calls(Score((), (B,), 0, ignored=ignored))


SMALL = st.sampled_from([0, 1, 1.0, True, "x", None, [1], {"a": 1}, {}])
SMALL_ARGUMENTS = st.dictionaries(
    st.sampled_from("ab"), SMALL | st.just(Matcher("$any")), max_size=2
)
CALLS = st.lists(
    st.builds(ToolCall, st.sampled_from("fg"), st.none() | SMALL_ARGUMENTS), max_size=4
)
MADE = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from("fg"),
        st.none() | st.dictionaries(st.sampled_from("ab"), SMALL, max_size=2),
        error=st.sampled_from([None, None, None, NOT_CAPTURED, "invalid_json"]),
    ),
    max_size=4,
)
VARIED = st.sampled_from(
    [
        DEFAULT,
        Settings(order="in_order"),
        Settings(mode="flexible", argument_match_threshold=0.5),
        Settings(extra_arguments="count"),
        Settings(arrays="unordered"),
    ]
)


@given(CALLS, MADE, VARIED)
def test_what_is_known_of_correct_pairs_is_what_comparing_them_finds(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    pairs = found.correct + found.incorrect
    wanted = sum(pair.expected_arguments for pair in pairs)
    matched = sum(pair.matched_arguments for pair in pairs)

    assert found.argument_accuracy == (matched / wanted if wanted else None)
    if found.has_equal_pairs:
        for each in found.correct:
            assert each.differences == ()
            assert each.overlap == 1
            assert each.matched_arguments == len(each.expected.arguments or ())


@given(CALLS, MADE, VARIED)
def test_the_overlap_of_a_pair_is_the_one_it_was_graded_with(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    for each in found.correct + found.incorrect:
        demands = apply_settings(each.expected, settings)
        _, _, *parts = grade_calls(demands, each.actual, settings)

        assert list(each.overlap_parts) == parts


@given(CALLS, MADE, VARIED)
def test_every_call_is_in_a_pair_or_missed_or_extra(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    pairs = len(found.correct) + len(found.incorrect)

    assert [(each.expected_index, each.actual_index) for each in found.correct] == list(
        found.correct_places
    )
    assert len(found.missed) == len(expected) - pairs
    assert len(found.extra) == len(actual) - pairs


def test_an_ignored_argument_does_not_count_where_no_other_is_expected() -> None:
    settings = Settings(arguments=(ArgumentRule("*.amount", "ignore"),))
    calls = ToolCall("f", {"amount": 1}), ToolCall("f", {"amount": 2})

    (pair,) = score_calls(calls[:1], calls[1:], settings).correct

    assert (pair.overlap, pair.expected_arguments) == (1.0, 0)


@given(
    st.text("abc", max_size=5),
    st.text("abc", max_size=5),
    st.sampled_from(get_args(Order)),
)
def test_tool_selection_is_that_of_all_names(one: str, other: str, order: Order) -> None:
    # Every second call has another argument, so that some of the pairs are incorrect.
    expected = tuple([ToolCall(name, {"x": 1}) for name in one])
    actual = tuple([ToolCall(name, {"x": at % 2}) for at, name in enumerate(other)])
    score = score_calls(expected, actual, Settings(order=order))

    compared = "any" if order == "in_turns" else order  # without turns
    same = count_same_names(list(one), list(other), compared)
    assert score.tool_selection == f1_of(same, len(one), len(other))
