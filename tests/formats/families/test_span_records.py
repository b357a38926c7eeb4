"""In whose words spans are written."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.families.span_records import convention_of


def spans(*names: str) -> list[dict[str, Any]]:
    return [{"name": "x", "attributes": {name: "y"}} for name in names]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ai.toolCall.name"], "vercel"),
        (["gen_ai.system", "ai.response.toolCalls"], "vercel"),
        (["openinference.span.kind"], "openinference"),
        (["gen_ai.output.messages", "llm.output_messages.0.message.role"], "openinference"),
        (["mlflow.spanType", "gen_ai.output.messages"], "mlflow"),
        (["gen_ai.output.messages", "gen_ai.completion.0.role"], "gen_ai"),
        (["gen_ai.tool.name", "gen_ai.completion.0.role"], "openllmetry"),
        (["llm.request.functions.0.name"], "openllmetry"),
        (["gen_ai.operation.name", "traceloop.span.kind"], "gen_ai"),
        (["traceloop.span.kind"], "openllmetry"),
        (["pydantic_ai.all_messages"], "gen_ai"),
        (["http.route"], None),
    ],
)
def test_the_attributes_tell(names: list[str], expected: str | None) -> None:
    assert convention_of(spans(*names)) == expected


def test_nested_attributes_tell_as_well() -> None:
    nested = {"openinference": {"span": {"kind": "LLM"}}, "x": {"y": 1}}

    assert convention_of([{"name": "x", "attributes": nested}]) == "openinference"


def test_the_names_of_events_tell_as_well() -> None:
    event = {"name": "gen_ai.choice", "attributes": {}}
    log = {"body": {}, "attributes": {"event.name": "gen_ai.choice"}, "trace_id": "t"}

    assert convention_of([{"name": "x", "attributes": {}, "events": [event]}]) == "gen_ai"
    assert convention_of([log]) == "gen_ai"


@pytest.mark.parametrize(
    "document",
    [
        {"resourceSpans": []},
        [{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "spanId": "s"}]}]}]}],
        [{"name": "GET", "attributes": {}, "context": {"trace_id": "t", "span_id": "s"}}],
    ],
)
def test_spans_in_the_words_of_nobody_are_otels_own(document: Any) -> None:
    assert convention_of(document) == "gen_ai"


@pytest.mark.parametrize(
    "document",
    [
        None,
        "resourceSpans",
        [],
        [None],
        {"messages": []},
        {"data": [{"type": "GENERATION", "startTime": "x"}]},
        {"attributes": 3, "name": "x"},
        {"a.b": 1},
        {1: 2},
    ],
)
def test_other_documents_are_in_nobodys_words(document: Any) -> None:
    assert convention_of(document) is None


def test_attributes_of_any_type_are_looked_at() -> None:
    typed = [{"key": "gen_ai.tool.name", "value": {}}, {"key": 3}, None]

    assert convention_of([{"name": "x", "attributes": typed}]) == "gen_ai"
    assert convention_of([{"name": "x", "attributes": {3: 1, "llm.output_messages": []}}])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"request": {"a": 1}, "gen_ai.tool.name": "x"}', "gen_ai"),
        ('{"openinference": {"span": {"kind": "LLM"}}}', "openinference"),
        ('[{"key": "ai.operationId", "value": {}}]', "vercel"),
        ('{"gen_ai.tool.name": ', None),
        ('"gen_ai.tool.name"', None),
    ],
)
def test_attributes_that_are_text_are_looked_at(text: str, expected: str | None) -> None:
    assert convention_of([{"name": "x", "attributes": text}]) == expected


def test_a_span_can_have_more_names_than_are_kept_in_mind() -> None:
    many = {f"llm.input_messages.{number}.message.role": "user" for number in range(100)}
    columns = {f"attributes.{name}": role for name, role in many.items()}

    assert convention_of([{"name": "x", "attributes": many}]) == "openinference"
    assert convention_of([{"name": "x", **columns}]) == "openinference"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"data": {"spans": spans("gen_ai.system")}}, "gen_ai"),
        ({"data": [{"spans": [{"no": "span"}, *spans("gen_ai.system")]}]}, "gen_ai"),
        ({"data": [{"spans": [{"no": "span"}] * 9 + spans("gen_ai.system")}]}, None),
        ({"data": [{"no": "span"}, 3], "spans": 3}, None),
        ({"data": {"data": {"trace": {"trace": {"trace": {"trace": {"trace": {}}}}}}}}, None),
    ],
)
def test_the_first_few_of_what_is_wrapped_tell_whether_it_is_spans(
    document: Any, expected: str | None
) -> None:
    assert convention_of(document) == expected
