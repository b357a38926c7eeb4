"""The scorer for MLflow: where it finds both sides, and the feedback that it returns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("get_weather", {"city": "Paris"}), ("save", {})]
ACTUAL = [("get_weather", {"city": "Paris"})]
REFERENCE = {"expected_tool_calls": EXPECTED}
WORDS = "It is 18 degrees."


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    def scorer(function: Any, **options: Any) -> Any:
        return Recorded(function=function, **options)

    modules: dict[str, dict[str, Any]] = {
        "mlflow.entities": {"Feedback": Recorded},
        "mlflow.genai.scorers": {"scorer": scorer},
    }
    return imported(monkeypatch, "mlflow", modules)


class Trace:
    """A trace of the spans of these kinds; the first is around the others."""

    def __init__(self, *kinds: str) -> None:
        self.data = SimpleNamespace(
            spans=[
                SimpleNamespace(span_type=kind, parent_id=None if number == 0 else "0")
                for number, kind in enumerate(kinds)
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        spans = [
            {
                "name": "get_weather" if span.span_type == "TOOL" else "step",
                "span_id": str(number),
                "parent_id": span.parent_id,
                "attributes": {
                    "mlflow.spanType": f'"{span.span_type}"',
                    "mlflow.spanInputs": '{"city": "Paris"}',
                },
            }
            for number, span in enumerate(self.data.spans)
        ]
        return {"info": {"trace_id": "tr-1"}, "data": {"spans": spans}}


def evaluated(adapter: Any, outputs: Any, expectations: Any, trace: Any, **options: Any) -> Any:
    return adapter.tool_calls(**options).function(outputs, expectations, trace)


def test_a_row_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")

    found = evaluated(adapter, ACTUAL, REFERENCE, None, name="calls", preset="flexible")

    assert (found.name, found.value, found.rationale) == ("calls", alone.f1, str(alone))
    assert found.metadata["missed"] == "1"


def test_a_row_passes_if_the_score_reaches_the_pass_mark(adapter: Any) -> None:
    scorer = adapter.tool_calls(name="calls", pass_mark=0.5)

    assert (scorer.name, scorer.pass_if(0.5), scorer.pass_if(0.4)) == ("calls", True, False)


@pytest.mark.parametrize("calls_from", [None, "trace"])
def test_spans_count_before_an_answer_in_words(adapter: Any, calls_from: Any) -> None:
    found = evaluated(adapter, WORDS, REFERENCE, Trace("CHAIN", "TOOL"), calls_from=calls_from)

    assert found.value == callscore.score(EXPECTED, ACTUAL).f1


@pytest.mark.parametrize(
    ("calls_from", "trace"),
    [("output", Trace("CHAIN", "TOOL")), (None, Trace("CHAIN")), (None, None)],
)
def test_the_outputs_count_if_they_are_chosen_or_no_span_is_of_an_agent(
    adapter: Any, calls_from: Any, trace: Any
) -> None:
    found = evaluated(adapter, EXPECTED, REFERENCE, trace, calls_from=calls_from)

    assert found.value == 1


@pytest.mark.parametrize(
    ("row", "options", "problem"),
    [
        ((WORDS, REFERENCE, Trace("CHAIN")), {}, "Let the function return"),
        ((WORDS, REFERENCE, None), {"calls_from": "trace"}, "the row has no trace"),
        ((WORDS, REFERENCE, Trace("TOOL")), {}, "Trace the function"),
        (([], {}, None), {}, "no reference"),
        (([], {"gold": 1}, None), {"expected_key": "calls"}, "no key 'calls'"),
    ],
    ids=["words", "no trace", "a tool alone", "no reference", "no such key"],
)
def test_a_row_without_readable_calls_or_a_reference_is_an_error(
    adapter: Any, row: Any, options: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        evaluated(adapter, *row, **options)
