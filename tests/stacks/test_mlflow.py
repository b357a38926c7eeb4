"""The scorer inside MLflow: evaluations with `mlflow.genai.evaluate` in a database of the test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mlflow
import msgspec
import pytest
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.mlflow import tool_calls
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True, scope="module")
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MLFLOW_GENAI_EVAL_MAX_WORKERS", "2")
        mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
        mlflow.create_experiment("weather", artifact_location=(folder / "artifacts").as_uri())
        mlflow.set_experiment("weather")
        yield


def _assessments(result: Any) -> dict[str, dict[str, Any]]:
    """The assessments of each row by name."""
    found = {}
    for text in result.result_df["trace"]:
        trace = mlflow.entities.Trace.from_json(text)
        asked = msgspec.json.decode(trace.data.request)["case"]
        found[asked] = {each.name: each for each in trace.info.assessments}
    return found


def _rows(**columns: Any) -> list[Any]:
    return [
        {
            "inputs": {"case": name},
            "expectations": {"expected_tool_calls": expected},
            **{key: value(name) for key, value in columns.items()},
        }
        for name, (expected, _) in CASES.items()
    ]


def _returned(name: str) -> Any:
    return {"answer": WORDS, "messages": messages(CASES[name][1])}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_row_with_outputs_has_the_score_of_score(options: Any) -> None:
    result = mlflow.genai.evaluate(data=_rows(outputs=_returned), scorers=[tool_calls(**options)])

    found = _assessments(result)
    assert set(found) == set(CASES)
    values = []
    for name, assessments in found.items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls), **options)
        feedback = assessments["tool_calls"]
        assert (feedback.value, feedback.rationale) == (alone.f1, str(alone)), name
        values.append(alone.f1)
    assert result.metrics["tool_calls/mean"] == pytest.approx(sum(values) / len(values))


# --- functions that answer in words -----------------------------------------------------------------


@mlflow.trace(span_type="TOOL")
def get_weather(city: str, unit: str) -> str:
    return f"18 {unit} in {city}"


@mlflow.trace(span_type="TOOL")
def save() -> str:
    return "saved"


@mlflow.trace(span_type="TOOL")
def translate(text: str) -> str:
    return text


@mlflow.trace(span_type="CHAT_MODEL")
def _ask(conversation: Any) -> Any:
    return {"choices": [{"index": 0, "message": conversation[-1], "finish_reason": "stop"}]}


@mlflow.trace(span_type="AGENT")
def _agent(case: str) -> str:
    """An agent that makes the calls of a case, and then asks its model for an answer in words."""
    for name, arguments in CASES[case][1]:
        globals()[name](**msgspec.json.decode(arguments))
    _ask(messages([]))
    return WORDS


@pytest.mark.parametrize("calls_from", [None, "trace"])
def test_the_calls_of_a_function_that_answers_in_words_are_in_its_trace(calls_from: Any) -> None:
    rows = [row for row in _rows() if row["inputs"]["case"] != "malformed arguments"]

    result = mlflow.genai.evaluate(
        data=rows, predict_fn=_agent, scorers=[tool_calls(calls_from=calls_from)]
    )

    for name, assessments in _assessments(result).items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls))
        assert assessments["tool_calls"].value == alone.f1, name


def test_the_place_of_the_calls_can_be_chosen() -> None:
    @mlflow.trace
    def predict(case: str) -> Any:
        _agent(case)
        return {"messages": messages([])}

    rows = [{"inputs": {"case": "correct"}, "expectations": {"expected": EXPECTED}}]
    both = [tool_calls(), tool_calls(name="output", calls_from="output")]

    result = mlflow.genai.evaluate(data=rows, predict_fn=predict, scorers=both)

    found = _assessments(result)["correct"]
    assert (found["tool_calls"].value, found["output"].value) == (1, 0)


def test_a_row_passes_if_the_score_reaches_the_pass_mark() -> None:
    rows = [row for row in _rows(outputs=_returned) if row["inputs"]["case"] == "one missed"]

    strict = mlflow.genai.evaluate(data=rows, scorers=[tool_calls()])
    lenient = mlflow.genai.evaluate(data=rows, scorers=[tool_calls(pass_mark=0.5)])

    assert (strict.passed, lenient.passed) == (False, True)


# --- references and errors --------------------------------------------------------------------------


def test_the_key_of_the_expected_calls_can_be_named() -> None:
    rows = [
        {
            "inputs": {"case": "correct"},
            "outputs": _returned("correct"),
            "expectations": {"expected": [], "gold": EXPECTED},
        }
    ]

    result = mlflow.genai.evaluate(data=rows, scorers=[tool_calls(expected_key="gold")])

    assert _assessments(result)["correct"]["tool_calls"].value == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"outputs": WORDS}, "does not say .* Let the function return"),
        ({"outputs": {"answer": WORDS}}, "key 'answer'. Let the function return"),
        ({"outputs": _returned("correct"), "expectations": {"answer": WORDS}}, "expected: "),
        ({"outputs": _returned("correct"), "expectations": {}}, "no reference"),
    ],
    ids=["words", "an object", "another reference", "no reference"],
)
def test_a_row_that_cannot_be_scored_has_an_assessment_with_an_error(
    row: Any, problem: str
) -> None:
    rows = [{"inputs": {"case": "correct"}, "expectations": {"expected": EXPECTED}, **row}]

    result = mlflow.genai.evaluate(data=rows, scorers=[tool_calls()])

    feedback = _assessments(result)["correct"]["tool_calls"]
    assert feedback.value is None
    assert re.search(problem, feedback.error.error_message)


def test_a_row_that_cannot_be_scored_is_not_in_the_mean() -> None:
    """As the page warns."""
    row = {"inputs": {"case": "correct"}, "outputs": _returned("correct")}
    rows = [{**row, "expectations": {"expected": EXPECTED}}, {**row, "expectations": {}}]

    result = mlflow.genai.evaluate(data=rows, scorers=[tool_calls()])

    assert result.metrics["tool_calls/mean"] == 1


def test_a_tool_outside_of_a_traced_function_is_an_error() -> None:
    # MLflow takes the trace of the last call for that of the whole row.
    def predict(case: str) -> str:
        for name, arguments in CASES[case][1]:
            globals()[name](**msgspec.json.decode(arguments))
        return WORDS

    rows = [
        {"inputs": {"case": name}, "expectations": {"expected": EXPECTED}}
        for name in ("one missed", "correct")
    ]

    result = mlflow.genai.evaluate(data=rows, predict_fn=predict, scorers=[tool_calls()])

    assert "tool_calls/mean" not in result.metrics
    for trace in result.result_df["assessments"]:
        (feedback,) = [each for each in trace if each["assessment_name"] == "tool_calls"]
        assert "Trace the function" in str(feedback)


@pytest.mark.parametrize("options", [{"treshold": 1}, {"calls_from": "spans"}])
def test_options_are_checked_before_a_row_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)
