"""Calls that were not expected may be free; forbidden ones never are."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import NO_CALLS, Forbidden, Group
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings

FREE = Settings(extra_calls="free")
READS_FREE = Settings(extra_calls="reads_free")


def calls(*names: str, **fields: Any) -> tuple[ToolCall, ...]:
    return tuple([ToolCall(name, {}, **fields) for name in names])


def test_extra_calls_are_free_and_listed_with_the_reason() -> None:
    score = score_calls(calls("a", "b"), calls("x", "a", "y"), FREE)

    assert (score.precision, score.recall, score.f1) == (1.0, 0.5, 2 / 3)
    assert score.extra == ()
    assert [(each.call.name, each.side, each.why) for each in score.ignored] == [
        ("x", "actual", "free"),
        ("y", "actual", "free"),
    ]
    assert score.correct_places == ((0, 0),)


def test_a_wrong_call_is_shown_and_costs_only_the_expected_one() -> None:
    expected = (ToolCall("a", {"n": 1}), *calls("b"))

    score = score_calls(expected, (ToolCall("a", {"n": 2}), *calls("b", "x")), FREE)

    assert [pair.actual_index for pair in score.incorrect] == [0]
    assert (score.precision, score.recall, score.f1, score.total_actual) == (1.0, 0.5, 2 / 3, 1)
    assert not score.is_exact


def test_a_forbidden_call_is_never_free() -> None:
    score = score_calls((*calls("a"), Forbidden("x*")), calls("y", "x1", "a"), FREE)

    assert (score.f1, score.forbidden) == (0.0, (0,))
    assert [call.name for call in score.actual] == ["x1", "a"]


def test_only_reads_are_free_if_the_setting_says_so() -> None:
    score = score_calls(calls("a"), calls("get_x", "a", "pay"), READS_FREE)

    assert [call.name for call in score.extra] == ["pay"]
    assert score.f1 == 2 / 3
    assert [each.call.name for each in score.ignored] == ["get_x"]


def test_what_reads_is_known_from_settings_and_definitions() -> None:
    tools = {"peek": Tool("peek", effect="read"), "get_x": Tool("get_x", effect="write")}
    settings = Settings(extra_calls="reads_free", effects=(("srv__*", "read"),))

    score = score_calls((), calls("peek", "get_x", "srv__pay"), settings, tools)

    assert [call.name for call in score.extra] == ["get_x"]


def test_an_effect_may_name_a_tool_as_the_trace_does() -> None:
    settings = Settings(
        extra_calls="reads_free", strip_prefix=("srv__",), effects=(("srv__look*", "read"),)
    )

    score = score_calls(calls("pay"), calls("srv__look", "srv__pay"), settings)

    assert score.f1 == 1.0
    assert [each.call.name for each in score.ignored] == ["srv__look"]


def test_calls_that_do_not_count_keep_their_own_reason() -> None:
    settings = Settings(extra_calls="free", count_calls="writes", failed_calls="ignore")
    actual = (*calls("get_x"), *calls("x", failed=True), *calls("x", "a"))

    score = score_calls(calls("a", "get_y"), actual, settings)

    assert [(each.call.name, each.side, each.why) for each in score.ignored] == [
        ("get_y", "expected", "read"),
        ("get_x", "actual", "read"),
        ("x", "actual", "failed"),
        ("x", "actual", "free"),
    ]
    assert score.f1 == 1.0


def test_nothing_changes_where_no_call_is_extra() -> None:
    assert score_calls(calls("a"), calls("a"), FREE).ignored == ()
    assert score_calls((), (), FREE).f1 == 1.0


def test_no_expected_calls_and_only_free_ones_is_a_full_score() -> None:
    score = score_calls((), calls("a"), FREE)

    assert (score.f1, score.passed, len(score.ignored)) == (1.0, True, 1)


def test_groups_work_with_free_calls() -> None:
    expected = (Group("one_of", (*calls("a"), Group("in_order", calls("b", "c")))),)

    assert score_calls(expected, calls("x", "b", "y", "c"), FREE).f1 == 1.0


def test_extra_calls_are_free_in_every_turn() -> None:
    expected = (Group("turn", calls("a")), Group("turn", ()), Group("turn", calls("b", "c")))
    actual = (*calls("x", "a", turn=0), *calls("y", turn=1), *calls("c", "b", "z", turn=2))

    score = score_calls(expected, actual, Settings.preset("coverage"))

    assert [each.f1 for each in score.turns] == [1.0, 1.0, 2 / 3]
    assert [each.call.name for each in score.ignored] == ["x", "y", "c", "z"]


def test_a_wrong_call_is_free_in_its_turn() -> None:
    expected = (Group("turn", (ToolCall("a", {"n": 1}), *calls("b"))),)
    actual = (ToolCall("a", {"n": 2}, turn=0), *calls("b", turn=0))

    (turn,) = score_calls(expected, actual, FREE).turns

    assert (turn.correct, turn.expected, turn.actual, turn.f1) == (1, 2, 1, 2 / 3)


# --- the state at the end ---------------------------------------------------------------------

STATE = ToolCall("end_state", {"a": {"b": 1}}, kind="state")
OTHER = ToolCall("end_state", {"a": {"b": 2}}, kind="state")


def test_a_state_counts_as_one_more_call_after_all_others() -> None:
    score = score_calls((*calls("a"), STATE), (*calls("x", "a"), OTHER), DEFAULT)

    assert (len(score.correct), len(score.incorrect), len(score.extra)) == (1, 1, 1)
    assert score.state is not None
    assert score.state.differences[0].path == "$.a.b"
    assert score.expected[-1] == STATE
    assert score.tool_selection == 2 / 3


@pytest.mark.parametrize("order", ["any", "in_order", "exact", "in_turns"])
def test_a_state_is_paired_whatever_the_order(order: Any) -> None:
    score = score_calls((*calls("a"), STATE), (*calls("a", "b"), STATE), Settings(order=order))

    assert score.state is not None
    assert score.state.is_correct
    assert len(score.correct) == 2


def test_a_state_is_in_no_turn() -> None:
    expected = (Group("turn", calls("a")), Group("turn", ()), STATE)

    score = score_calls(expected, (*calls("a", turn=0), OTHER), DEFAULT)

    assert ([each.f1 for each in score.turns], score.f1) == ([1.0, 1.0], 0.5)
    assert (score.first_wrong_turn, score.passed) == (None, False)


def test_a_state_that_was_not_found_is_missed() -> None:
    for settings in (DEFAULT, Settings(pass_mark=0.5), FREE):
        score = score_calls((*calls("a"), STATE), calls("a"), settings)

        assert (score.missed, score.state) == ((STATE,), None)


def test_a_state_that_nobody_expects_is_not_compared() -> None:
    score = score_calls(calls("a"), (*calls("a"), OTHER), DEFAULT)

    assert (score.is_exact, score.actual) == (True, calls("a"))


def test_a_tool_with_the_same_name_is_a_tool() -> None:
    tool = ToolCall("end_state", {"a": {"b": 1}})

    for settings in (DEFAULT, Settings(pass_mark=0.5)):
        assert score_calls((STATE,), (tool,), settings).missed == (STATE,)
        both = score_calls((tool, STATE), (tool, OTHER), settings)
        assert ([pair.actual for pair in both.correct], len(both.incorrect)) == ([tool], 1)
        assert score_calls((tool,), (STATE,), settings).missed == (tool,)


def test_if_only_a_state_is_expected_calls_are_free_unless_forbidden() -> None:
    score = score_calls((STATE,), (*calls("a", "b"), STATE), DEFAULT)

    assert (score.f1, [each.why for each in score.ignored]) == (1.0, ["free", "free"])
    assert score_calls((Forbidden("b"), STATE), (*calls("a", "b"), STATE), DEFAULT).f1 == 0
    assert score_calls((*NO_CALLS, STATE), (*calls("a", "b"), STATE), DEFAULT).f1 == 0.5


def test_the_settings_apply_to_a_state_as_to_arguments() -> None:
    wide = ToolCall("end_state", {"a": {"b": 1, "c": 2}}, kind="state")
    list_ = ToolCall("end_state", {"a": [1, 2]}, kind="state")
    back = ToolCall("end_state", {"a": [2, 1]}, kind="state")

    assert score_calls((STATE,), (wide,), Settings(nested_objects="subset")).f1 == 1.0
    assert score_calls((list_,), (back,), Settings(arrays="unordered")).f1 == 1.0
    ignoring = Settings.preset("strict", arguments={"end_state.a": "ignore"})
    assert score_calls((STATE,), (OTHER,), ignoring).f1 == 1.0


def test_a_state_is_not_a_called_tool() -> None:
    score = score_calls((*calls("a"), STATE), (*calls("b"), STATE), DEFAULT)

    assert (score.tool_called, score.tool_selection) == (0, 0)
    assert score_calls((STATE,), (STATE,), DEFAULT).tool_called == 1
    assert score_calls((STATE,), (STATE,), DEFAULT).tool_selection == 1
    in_turns = Settings(order="in_turns")
    assert score_calls((*calls("a"), STATE), (*calls("a"), STATE), in_turns).tool_selection == 1
