"""Which cases with hidden values can be scored again."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Case, Tool, expect
from callscore.core.call import ToolCall
from callscore.core.settings import Settings
from callscore.evaluations.scorers import scorers_from
from callscore.runner.hidden_values import hidden_value_problem

MARKER = "[hidden 5f2c91ab90c4]"
NUMBER = "[hidden 5f2c91ab90c4 number]"
CALLS = (ToolCall("f", {"k": f"Bearer {MARKER}", "n": 1}),)
TOOL = Tool("f", parameters={"properties": {"k": {"type": "string"}, "n": {"minimum": 1}}})


def problem(
    *expected: Any,
    calls: tuple[ToolCall, ...] = CALLS,
    tools: dict[str, Tool] | None = None,
    scorers: Any = ("accuracy",),
    **settings: Any,
) -> str | None:
    case = Case("q", id="a", expected=expected)
    return hidden_value_problem(case, calls, Settings(**settings), tools, scorers_from(scorers))


def judged(output: Any) -> float:
    return float(bool(output))


@pytest.mark.parametrize(
    "expected",
    [
        expect.call("f", k=MARKER, n=1),
        expect.call("f", k=expect.any(), n=expect.approx(1)),
        expect.call("f", k=expect.one_of(MARKER, "x")),
        expect.any_order(expect.call("f", k=MARKER), expect.call("g")),
    ],
)
def test_equality_can_be_decided(expected: Any) -> None:
    assert problem(expected, arguments={"*.k": "ignore", "f.n": "approx"}) is None
    assert problem(expected, mode="flexible", arrays="unordered", tools={"f": TOOL}) is None


@pytest.mark.parametrize(
    ("expected", "settings", "said"),
    [
        (expect.call("f", k=expect.regex("^Bearer")), {}, "$regex cannot be applied"),
        (expect.call("f", k=[{"a": expect.contains(MARKER)}]), {}, "$contains cannot be applied"),
        (expect.call("f", k="x"), {"arguments": {"*.k": "text"}}, "$text cannot be applied"),
        (expect.call("f", k="x"), {"top_k": 2}, "only the calls of the first answer"),
        (expect.call("f"), {"scorers": [judged]}, "the scorer judged would see a marker"),
        (
            expect.call("f"),
            {"tools": {"f": Tool("f", parameters={"properties": {"k": {"maxLength": 9}}})}},
            "the schema of f cannot check a hidden value",
        ),
        (
            expect.call("f"),
            {"calls": (ToolCall("f", {"k": NUMBER}),), "tools": {"f": TOOL}},
            "the schema of f cannot check a hidden value",
        ),
        (
            expect.forbid("delete_*"),
            {"calls": (ToolCall(MARKER, {}),)},
            "patterns cannot be applied to a hidden value",
        ),
        (
            expect.call("f"),
            {"calls": (ToolCall(MARKER, {}),), "normalize_name": ("case",)},
            "patterns cannot be applied to a hidden value",
        ),
    ],
)
def test_what_needs_the_value_is_refused(expected: Any, settings: Any, said: str) -> None:
    found = problem(expected, **settings)

    assert found is not None
    assert found.startswith(("a secret is hidden in the", "a secret is hidden in an"))
    assert said in found
    assert found.endswith("Run it again, or score its file again.")
