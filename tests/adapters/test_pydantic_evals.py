"""The evaluator for Pydantic Evals: where it finds both sides, and what it returns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("get_weather", {"city": "Paris"}), ("save", {})]
ACTUAL = [("get_weather", {"city": "Paris"})]
WORDS = "It is 18 degrees."
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


class NoSpans(Exception):
    pass


class Evaluator:
    pass


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    modules: dict[str, dict[str, Any]] = {
        "pydantic_evals.evaluators": {
            "EvaluationReason": Recorded,
            "Evaluator": Evaluator,
            "EvaluatorContext": object,
        },
        "pydantic_evals.otel": {"SpanTreeRecordingError": NoSpans},
    }
    return imported(monkeypatch, "pydantic_evals", modules)


class Context:
    """A case that was run."""

    def __init__(self, output: Any, spans: list[Any] | None = None, **others: Any) -> None:
        self.output = output
        self.expected_output = others.get("expected")
        self.metadata = others.get("metadata")
        self._spans = spans

    @property
    def span_tree(self) -> list[Any]:
        if self._spans is None:
            raise NoSpans("install opentelemetry-sdk")
        return self._spans


def span(number: int, parent: int | None = 1, **attributes: Any) -> Any:
    start = NOON + timedelta(seconds=number)
    return SimpleNamespace(
        name="step",
        trace_id=1,
        span_id=number,
        parent_span_id=parent,
        start_timestamp=start,
        end_timestamp=start,
        status="ok",
        attributes={key.replace("__", "."): value for key, value in attributes.items()},
    )


def tool_span(number: int, name: str, arguments: str) -> Any:
    return span(
        number,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        gen_ai__tool__call__arguments=arguments,
    )


SPANS = [span(1, None, http__method="GET"), tool_span(2, "get_weather", '{"city": "Paris"}')]


def test_a_case_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")
    evaluator = adapter.tool_calls(name="calls", preset="flexible")

    found = evaluator.evaluate(Context(ACTUAL, expected=EXPECTED))

    assert (found.value, found.reason) == (alone.f1, str(alone))
    assert evaluator.get_default_evaluation_name() == "calls"
    assert evaluator == adapter.ToolCalls(name="calls", options={"preset": "flexible"})


@pytest.mark.parametrize("calls_from", [None, "trace"])
def test_spans_count_before_an_answer_in_words(adapter: Any, calls_from: Any) -> None:
    evaluator = adapter.tool_calls(calls_from=calls_from)

    found = evaluator.evaluate(Context(WORDS, SPANS, expected=EXPECTED))

    assert found.value == callscore.score(EXPECTED, ACTUAL).f1


@pytest.mark.parametrize(
    ("calls_from", "spans"), [("output", SPANS), (None, SPANS[:1]), (None, None)]
)
def test_the_output_counts_if_it_is_chosen_or_no_span_is_of_an_agent(
    adapter: Any, calls_from: Any, spans: Any
) -> None:
    evaluator = adapter.tool_calls(calls_from=calls_from)

    assert evaluator.evaluate(Context(EXPECTED, spans, expected=EXPECTED)).value == 1
    with pytest.raises(InvalidCall, match=r"does not say which tools.*Let the task return"):
        evaluator.evaluate(Context(WORDS, spans, expected=EXPECTED))


def test_spans_that_are_asked_for_must_be_there(adapter: Any) -> None:
    evaluator = adapter.tool_calls(calls_from="trace")

    assert evaluator.evaluate(Context(WORDS, [], expected=[])).value == 1
    with pytest.raises(InvalidCall, match=r"no spans\. install opentelemetry-sdk"):
        evaluator.evaluate(Context(WORDS, expected=[]))


@pytest.mark.parametrize(
    ("options", "metadata"),
    [
        ({}, {"expected_calls": ACTUAL}),
        ({}, SimpleNamespace(expected_calls=ACTUAL)),
        ({"expected_key": "gold"}, {"gold": ACTUAL}),
    ],
)
def test_the_expected_calls_can_be_in_the_metadata(
    adapter: Any, options: Any, metadata: Any
) -> None:
    context = Context(ACTUAL, expected=WORDS, metadata=metadata)

    assert adapter.tool_calls(**options).evaluate(context).value == 1


def test_a_missing_reference_is_named_as_in_pydantic_evals(adapter: Any) -> None:
    context = Context(ACTUAL, metadata={"expected_call": ACTUAL})

    with pytest.raises(InvalidCall, match=r"the case has no .*'expected_call'.*'expected_output'"):
        adapter.tool_calls().evaluate(context)
