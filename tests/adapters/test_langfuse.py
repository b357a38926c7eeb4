"""The evaluator for Langfuse: where it finds both sides, and the evaluation that it returns."""

from __future__ import annotations

from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("get_weather", {"city": "Paris"}), ("save", {})]
ACTUAL = [("get_weather", {"city": "Paris"})]
WORDS = "It is 18 degrees."


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    return imported(monkeypatch, "langfuse", {"langfuse": {"Evaluation": Recorded}})


def test_an_item_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")
    evaluator = adapter.tool_calls(name="calls", preset="flexible")

    found = evaluator(input="?", output=ACTUAL, expected_output=EXPECTED, metadata=None)

    assert (found.name, found.value, found.comment) == ("calls", alone.f1, str(alone))
    assert (found.metadata["missed"], found.metadata["passed"]) == (1, False)
    assert evaluator.__name__ == "calls"


def test_the_expected_calls_can_be_in_the_metadata(adapter: Any) -> None:
    evaluator = adapter.tool_calls(expected_key="gold")

    found = evaluator(output=ACTUAL, expected_output=WORDS, metadata={"gold": ACTUAL})

    assert found.value == 1


@pytest.mark.parametrize(
    ("output", "expected", "problem"),
    [(WORDS, EXPECTED, "Let the task return"), ([], None, "no reference")],
)
def test_an_answer_in_words_or_a_missing_reference_is_an_error(
    adapter: Any, output: Any, expected: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls()(output=output, expected_output=expected)
