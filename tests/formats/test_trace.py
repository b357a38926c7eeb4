"""What a run is, and what can be asked of a document."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group
from callscore.errors import InvalidSettings
from callscore.formats.trace import (
    DEFAULT_READ_OPTIONS,
    ReadOptions,
    Trace,
    join_exchanges,
    read_options_for,
)

CALL = ToolCall("f", {})


@pytest.mark.parametrize(
    ("trace", "calls"),
    [
        (Trace(calls=(CALL,)), (CALL,)),
        (Trace(calls=(), expected=(CALL,)), ()),
        (Trace(expected=(CALL,)), (CALL,)),
        (Trace(), ()),
    ],
)
def test_actual_calls_of_a_trace_come_before_expected_calls(trace: Trace, calls: Any) -> None:
    assert trace.any_calls == calls


def test_the_options_have_defaults() -> None:
    assert read_options_for() == DEFAULT_READ_OPTIONS


def test_every_option_can_be_set() -> None:
    read_options = read_options_for(
        view="executed", candidate=2, tools=[Tool("f")], failure="oops", leave_out="hosted"
    )

    assert (read_options.view, read_options.candidate, read_options.leave_out) == (
        "executed",
        2,
        ("hosted",),
    )
    assert read_options.tools == {"f": Tool("f")}
    assert read_options.failure.search("an oops")


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ({"view": "both"}, "view: unknown value 'both'. Choose from: requested, executed"),
        ({"candidate": -1}, "candidate: expected an integer ≥ 0, got -1"),
        ({"candidate": True}, "candidate: expected an integer ≥ 0, got True"),
        (
            {"leave_out": ["me"]},
            "leave_out: unknown value 'me'. Choose from: user, subagent, code, hosted",
        ),
        ({"failure": "("}, r"failure: '\(' is not a regular expression"),
        ({"failure": 5}, "failure: expected a regular expression, got 5"),
        ({"failure": {}}, "failure: expected a regular expression, got {}"),
        ({"failure": "(" * 9999}, "is not a regular expression"),
        ({"failure": "a{99999999999}"}, "is not a regular expression"),
        ({"leave_out": 7}, "leave_out: expected a tuple of texts, got 7"),
        (
            {"callers": ["me"]},
            "callers: unknown value 'me'. Choose from: agent, user, subagent, code.",
        ),
    ],
)
def test_an_invalid_option_is_refused(wish: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        read_options_for(**wish)


def test_a_wish_that_is_made_by_hand_is_checked_as_well() -> None:
    wishes: list[dict[str, Any]] = [
        *({"leave_out": "user"}, {"leave_out": ("me",)}, {"view": "x"}, {"candidate": -1})
    ]
    for wish in wishes:
        with pytest.raises(InvalidSettings):
            ReadOptions(**wish)


def test_nobody_may_be_left_out() -> None:
    assert read_options_for(leave_out=None).leave_out == ()


def test_a_run_may_say_nothing_at_all() -> None:
    assert not Trace().says_anything
    assert Trace(calls=()).says_anything
    assert Trace(expected=()).says_anything


def test_a_pattern_that_python_warns_about_is_used_without_a_warning() -> None:
    assert read_options_for(failure="[[a]").failure.search("[")


def made(*names: str, turn: int | None = None) -> tuple[ToolCall, ...]:
    return tuple([ToolCall(name, step=place, turn=turn) for place, name in enumerate(names)])


def turns_of(trace: Trace) -> list[tuple[str, int | None, int | None]]:
    return [(call.name, call.step, call.turn) for call in trace.calls or ()]


def test_exchanges_with_other_questions_are_turns() -> None:
    joined = join_exchanges(
        [
            Trace(calls=made("f", "g"), input="q"),
            Trace(calls=(), input="r"),
            Trace(calls=made("h"), input="s"),
        ]
    )

    assert turns_of(joined) == [("f", 0, 0), ("g", 1, 0), ("h", 2, 2)]
    assert joined.input == ["q", "r", "s"]


@pytest.mark.parametrize("asked", ["q", None, {"messages": []}])
def test_answers_to_the_same_question_are_of_one_turn(asked: Any) -> None:
    joined = join_exchanges([Trace(calls=made("f"), input=asked)] * 2)

    assert turns_of(joined) == [("f", 0, None), ("f", 1, None)]
    assert joined.input == asked


def test_the_turns_of_a_document_are_counted_on_in_the_next() -> None:
    earlier = Trace(calls=(*made("f", turn=0), *made("g", turn=1)), input="q")

    assert turns_of(join_exchanges([earlier, Trace(calls=made("h"), input="r")])) == [
        ("f", 0, 0),
        ("g", 0, 1),
        ("h", 1, 2),
    ]


def test_expected_calls_of_a_document_beside_one_with_turns_become_a_turn() -> None:
    calls = made("f")
    joined = join_exchanges(
        [Trace(expected=(Group("turn", calls), Group("turn", ()))), Trace(expected=calls), Trace()]
    )

    assert joined.calls is None
    assert joined.expected == (Group("turn", calls), Group("turn", ()), Group("turn", calls))
