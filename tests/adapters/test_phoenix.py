"""The evaluator for Phoenix evals: what it reads from a row, and the score that it returns."""

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
    def create_evaluator(*, name: str, kind: str) -> Any:
        return lambda function: Recorded(function=function, name=name, kind=kind)

    names = {"Score": Recorded, "create_evaluator": create_evaluator}
    return imported(monkeypatch, "phoenix", {"phoenix.evals": names})


class Array:
    """An array of numpy."""

    def __init__(self, *values: Any) -> None:
        self._values = list(values)

    def tolist(self) -> list[Any]:
        return self._values


def test_a_row_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")
    evaluator = adapter.tool_calls(name="calls", preset="flexible")

    found = evaluator.function(output=ACTUAL, expected=EXPECTED)

    assert (evaluator.name, evaluator.kind) == ("calls", "code")
    assert (found.name, found.score, found.explanation) == ("calls", alone.f1, str(alone))
    assert (found.label, found.metadata["missed"]) == ("fail", 1)


def test_the_types_of_the_inputs_are_known_at_run_time(adapter: Any) -> None:
    assert adapter.tool_calls().function.__annotations__ == {"output": Any, "expected": Any}


def test_arrays_and_objects_are_read(adapter: Any) -> None:
    evaluate = adapter.tool_calls(expected_key="gold").function

    assert evaluate(output=Array(*ACTUAL), expected={"gold": ACTUAL}).score == 1


@pytest.mark.parametrize(
    ("output", "expected", "problem"),
    [
        (WORDS, EXPECTED, "Let 'output' be"),
        (float("nan"), EXPECTED, "actual: "),
        ([], None, "no reference"),
        ([], float("nan"), "no reference"),
    ],
)
def test_an_unreadable_output_or_a_missing_reference_is_an_error(
    adapter: Any, output: Any, expected: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls().function(output=output, expected=expected)
