"""Calls are paired within their turn, and the turns add up to the score of the case."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.case import Group
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings

CUMULATIVE = Settings(turns="cumulative")


def turn(*members: Any) -> Group:
    return Group("turn", tuple([ToolCall(m, {}) if isinstance(m, str) else m for m in members]))


# --- against all pairings ---------------------------------------------------------------------

ANY = st.builds(ToolCall, st.sampled_from("ab"))  # accepts any arguments
CALL = st.builds(
    ToolCall, st.sampled_from("ab"), st.dictionaries(st.just("n"), st.integers(0, 1), max_size=1)
)
EXPECTED_TURNS = st.lists(st.lists(CALL | ANY, max_size=3), min_size=1, max_size=3)
ACTUAL_TURNS = st.lists(st.lists(CALL, max_size=3), min_size=1, max_size=4)


def most_correct(expected: list[ToolCall], actual: list[ToolCall], *, is_ordered: bool) -> int:
    """The most correct pairs of all pairings, tried one by one."""
    size = max(len(expected), len(actual))
    best = 0
    for order in permutations(range(size)):
        pairs = [(at, to) for at, to in enumerate(order) if at < len(expected) and to < len(actual)]
        right = [(at, to) for at, to in pairs if _accepts(expected[at], actual[to])]
        if is_ordered:
            right = max(_rising(right), key=len)
        best = max(best, len(right))
    return best


def _rising(pairs: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """All parts of the pairs in which none cross."""
    chains: list[list[tuple[int, int]]] = [[]]
    for pair in pairs:
        chains += [[*chain, pair] for chain in chains if not chain or chain[-1][1] < pair[1]]
    return chains


def _accepts(expected: ToolCall, actual: ToolCall) -> bool:
    same = expected.arguments is None or expected.arguments == actual.arguments
    return expected.name == actual.name and same


@given(EXPECTED_TURNS, ACTUAL_TURNS, st.booleans())
def test_within_each_turn_the_pairing_is_the_best_of_all(
    expected: list[list[ToolCall]], actual: list[list[ToolCall]], is_ordered: bool
) -> None:
    wanted = tuple([Group("turn", tuple(calls)) for calls in expected])
    calls = tuple(
        [
            ToolCall(call.name, call.arguments, turn=at)
            for at, group in enumerate(actual)
            for call in group
        ]
    )
    settings = Settings(order="in_turns" if is_ordered else "any")

    score = score_calls(wanted, calls, settings)

    best = [
        most_correct(
            expected[at] if at < len(expected) else [],
            actual[at] if at < len(actual) else [],
            is_ordered=is_ordered,
        )
        for at in range(max(len(expected), len(actual)))
    ]
    assert len(score.correct) == sum(best)
    assert [each.correct for each in score.turns] == [best[each.number - 1] for each in score.turns]
    assert sum(each.expected for each in score.turns) == len(score.expected)
    assert sum(each.actual for each in score.turns) == len(score.actual) == len(calls)


@given(EXPECTED_TURNS, ACTUAL_TURNS)
def test_cumulative_turns_pair_each_call_once_and_nothing_too_late(
    expected: list[list[ToolCall]], actual: list[list[ToolCall]]
) -> None:
    wanted = tuple([Group("turn", tuple(calls)) for calls in expected])
    calls = tuple(
        [
            ToolCall(call.name, call.arguments, turn=at)
            for at, group in enumerate(actual)
            for call in group
        ]
    )

    score = score_calls(wanted, calls, CUMULATIVE)

    assert score.actual == calls
    for pair in (*score.correct, *score.incorrect):
        assert (pair.actual.turn or 0) <= (pair.expected.turn or 0)
    columns = [pair.actual_index for pair in (*score.correct, *score.incorrect)]
    assert len(columns) == len(set(columns))
