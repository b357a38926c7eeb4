"""What Toolscore counts by names alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.parity.tool_scorer import (
    SequenceScores,
    _efficiency,
    _folded_name,
    _found_share,
    _invoked_share,
    _placed_share,
    _redundant_share,
    _selected_share,
    _sequence_scores,
    _tools_share,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("share", [_found_share, _invoked_share, _placed_share, _tools_share])
def test_nothing_expected_is_right_if_nothing_is_given(
    share: Callable[[list[str], list[str]], float],
) -> None:
    assert share([], []) == 1.0
    assert share([], ["a"]) == 0.0


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("a", "", 0.0), ("", "a", 0.0), ("ab", "a", 1.0), ("ab", "aac", 2 / 3)],
)
def test_selected(expected: str, actual: str, share: float) -> None:
    assert _selected_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [
        ("", "", 1.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("ab", "aab", 1.0),
        ("ab", "a", 0.25),
        ("abcd", "abx", 0.125),
        ("abc", "abxx", 0.3333333333333333),
        ("abc", "abcxy", 0.6666666666666666),
        ("ab", "cd", 0.0),
    ],
)
def test_invoked(expected: str, actual: str, share: float) -> None:
    assert _invoked_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("", "a", 0.0), ("a", "", 0.0), ("aab", "ax", 0.5), ("ab", "xba", 1.0)],
)
def test_tools(expected: str, actual: str, share: float) -> None:
    assert _tools_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "scores"),
    [
        ("", "", (0.0, 0.0, 1.0)),
        ("ab", "ab", (0.0, 0.0, 1.0)),
        ("ab", "", (2.0, 1.0, 0.0)),
        ("", "abc", (3.0, 1.0, 0.0)),
        ("ab", "aac", (2.0, 0.6666666666666666, 0.33333333333333337)),
        ("ab", "ba", (2.0, 1.0, 0.0)),
        ("abcd", "bcd", (1.0, 0.25, 0.75)),
    ],
)
def test_sequences(expected: str, actual: str, scores: tuple[float, float, float]) -> None:
    assert _sequence_scores(list(expected), list(actual)) == SequenceScores(*scores)


def test_names_of_several_letters_are_compared_whole() -> None:
    found = _sequence_scores(["search", "book"], ["search", "books", "погода"])

    assert found.edit_distance == 2.0


def test_a_name_stands_at_its_position_or_not() -> None:
    assert _placed_share(list("abc"), list("abx")) == 2 / 3
    assert _placed_share(list("abc"), list("xabc")) == 0.0


def test_names_are_shared_as_often_as_both_have_them() -> None:
    assert _found_share(list("aab"), list("abbx")) == 2 / 3
    assert _redundant_share(list("aab"), list("abbx")) == 0.5
    assert _redundant_share(["a"], []) == 0.0


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("", "a", 1.0), ("a", "", 0.0), ("ab", "abc", 2 / 3), ("ab", "a", 1.0)],
)
def test_efficiency(expected: str, actual: str, share: float) -> None:
    assert _efficiency(expected, actual) == share


def test_a_name_without_what_may_vary() -> None:
    assert _folded_name("Get_Wea-ther") == "getweather"
    assert _folded_name("web search") == "web search"
    assert _folded_name("ẞ") == "ß"
