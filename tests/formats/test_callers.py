"""Whose calls count."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import expect
from callscore.core.call import ToolCall
from callscore.core.case import END_STATE, STATE_KIND, Expected
from callscore.errors import InvalidSettings
from callscore.formats.callers import caller_named, calls_of, read_callers

AGENTS, USERS = ToolCall("a"), ToolCall("u", caller="user")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("user", ("user",)),
        (["agent", "user", "agent"], ("agent", "user")),
        (("code",), ("code",)),
        (iter(["subagent"]), ("subagent",)),
    ],
)
def test_callers_are_one_or_several(given: Any, found: tuple[str, ...]) -> None:
    assert read_callers(given) == found


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("me", "callers: unknown value 'me'. Choose from: agent, user, subagent, code."),
        (["agent", 7], "callers: unknown value 7. Choose from: agent, user, subagent, code."),
        ([["agent"]], "callers: unknown value"),
        ([], "callers: the list is empty. Choose from: agent, user, subagent, code."),
        (7, "callers: expected a list of texts, got 7. Choose from: agent"),
        ({"agent": 1}, "callers: expected a list of texts"),
    ],
)
def test_other_callers_are_refused_with_the_choices(given: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as raised:
        read_callers(given)

    assert str(raised.value).startswith(problem)


def test_a_call_may_name_any_caller_or_none() -> None:
    assert [caller_named(name) for name in (None, "agent", "user")] == [None, "agent", "user"]
    with pytest.raises(InvalidSettings, match=r"unknown caller 'me'\. Choose from: agent, user"):
        caller_named("me")


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([AGENTS, USERS], [AGENTS]),
        ([expect.in_order(AGENTS, USERS)], [expect.in_order(AGENTS)]),
        ([expect.in_order(USERS)], []),
        ([expect.optional(USERS), expect.forbid("x")], [expect.forbid("x")]),
        ([expect.turn(USERS), expect.turn(AGENTS)], [expect.turn(), expect.turn(AGENTS)]),
        # What the user may do instead is not demanded of the agent.
        ([expect.one_of(AGENTS, USERS)], []),
        ([expect.one_of(AGENTS, ToolCall("b"))], [expect.one_of(AGENTS, ToolCall("b"))]),
    ],
)
def test_the_calls_of_others_are_left_out_of_groups_too(
    items: list[Expected], found: list[Expected]
) -> None:
    assert calls_of(items, ("agent",)) == tuple(found)


def test_the_state_at_the_end_is_kept() -> None:
    state = ToolCall(END_STATE, {"paid": True}, kind=STATE_KIND)

    assert calls_of((AGENTS, USERS, state), ("user",)) == (USERS, state)
