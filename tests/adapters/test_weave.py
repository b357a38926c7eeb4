"""The scorer for Weave: an op of the output and the row of the dataset."""

from __future__ import annotations

from typing import Any

import pytest
from tests.adapters.libraries import imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("search", {"query": "AI news"}), ("save", {})]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


def op(name: str) -> Any:
    """Weave's decorator: it keeps the name."""

    def decorated(function: Any) -> Any:
        function.op_name = name
        return function

    return decorated


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    return imported(monkeypatch, "weave", {"weave": {"op": op}})


@pytest.mark.parametrize(
    ("key", "row"), [(None, {"expected": EXPECTED}), ("gold", {"gold": EXPECTED, "expected": []})]
)
def test_a_row_has_the_score_of_score(adapter: Any, key: str | None, row: Any) -> None:
    scorer = adapter.tool_calls(name="calls", expected_key=key)

    result = scorer(output=ACTUAL, question="?", **row)

    alone = callscore.score(EXPECTED, ACTUAL)
    assert (result["score"], result["passed"]) == (alone.f1, alone.passed)
    assert (result["explanation"], result["extra"]) == (str(alone), 1)
    assert scorer.op_name == "calls"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"output": ACTUAL}, "no reference"),
        ({"output": "It is sunny.", "expected": EXPECTED}, "from the model"),
        ({"output": None, "expected": EXPECTED}, "actual"),
    ],
)
def test_an_unreadable_output_or_a_missing_reference_is_an_error(
    adapter: Any, row: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls()(**row)
