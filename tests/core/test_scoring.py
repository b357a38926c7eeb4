"""The worked examples, and what other scorers get wrong."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.rules import Matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.score import Score


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


# What other scorers get wrong.


def test_nan_is_a_value_and_never_a_score() -> None:
    same = score([("f", {"a": nan})], [("f", {"a": float("nan")})])
    other = score([("f", {"a": nan})], [("f", {"a": None})])

    assert (same.f1, other.f1) == (1, 0)


@pytest.mark.slow
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


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def test_rules_nested_beyond_all_sense_are_refused() -> None:
    rule = Matcher("$any")
    for _ in range(10_000):
        rule = Matcher("$optional", rule)

    with pytest.raises(InvalidCall, match="nested too deeply"):
        score_calls((call("f", a=rule),), (call("f", a=1),), DEFAULT)


USER_CALL, AGENT_CALL = ToolCall("pay", {"n": 1}, caller="user"), ToolCall("pay", {"n": 1})
