"""The evaluator for agentevals and openevals: a function with keyword arguments."""

from __future__ import annotations

from typing import Any

import pytest

import callscore
from callscore.adapters.agentevals import tool_calls
from callscore.errors import InvalidCall

EXPECTED = [{"name": "search", "arguments": {"query": "AI news"}}, {"name": "save"}]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


@pytest.mark.parametrize("reference", [EXPECTED, {"tool_calls": EXPECTED}, {"expected": EXPECTED}])
def test_the_result_has_the_keys_of_openevals(reference: Any) -> None:
    result = tool_calls(name="calls")(outputs=ACTUAL, reference_outputs=reference, inputs="?")

    alone = callscore.score(EXPECTED, ACTUAL)
    assert result == {
        "key": "calls",
        "score": alone.f1,
        "comment": str(alone),
        "metadata": {
            "precision": alone.precision,
            "recall": alone.recall,
            "f1": alone.f1,
            "correct": 1,
            "incorrect": 0,
            "missed": 1,
            "extra": 1,
            "passed": False,
        },
    }


@pytest.mark.parametrize(
    ("outputs", "reference", "problem"),
    [
        ("It is sunny.", EXPECTED, "Pass the messages of the agent"),
        ({"answer": "It is sunny."}, EXPECTED, "Pass the messages of the agent"),
        (ACTUAL, None, "no reference"),
        (ACTUAL, {"answer": "x"}, "expected"),
    ],
)
def test_an_unreadable_output_or_an_invalid_reference_is_an_error(
    outputs: Any, reference: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        tool_calls()(outputs=outputs, reference_outputs=reference)
