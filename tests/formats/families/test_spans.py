"""Spans from every exporter: what they are called, when they began and what they belong to."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.formats.families.spans import (
    Event,
    Span,
    build_tree,
    decode_otlp_value,
    is_span_line,
    items_at,
    items_of,
    parse_time,
    read_attributes,
    read_spans,
    sort_by_start,
    spans_by_trace,
    value_at_path,
)

OTLP = {
    "traceId": "t",
    "spanId": "s",
    "parentSpanId": "p",
    "name": "chat",
    "startTimeUnixNano": "7",
    "attributes": [{"key": "a", "value": {"intValue": "1"}}],
    "status": {"code": 2},
    "events": [{"name": "e", "attributes": [{"key": "b", "value": {"stringValue": "x"}}]}],
}
EXPECTED = Span(
    name="chat",
    attributes={"a": 1},
    start=7,
    id="s",
    parent="p",
    trace="t",
    failed=True,
    events=(Event("e", {"b": "x"}),),
)


def batch(*spans: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


SDK = {
    "name": "chat",
    "context": {"trace_id": "t", "span_id": "s"},
    "parent_id": "p",
    "start_time": 7,
    "attributes": {"a": 1},
    "status": {"status_code": "ERROR"},
    "events": [{"name": "e", "attributes": {"b": "x"}}],
}
ROW = {
    "span_name": "chat",
    "trace_id": "t",
    "span_id": "s",
    "parent_span_id": "p",
    "timestamp": 7,
    "span_attributes": {"a": 1},
    "status_code": "Error",
    "events": [{"Name": "e", "Attributes": {"b": "x"}}],
}
CLICKHOUSE = {
    "SpanName": "chat",
    "TraceId": "t",
    "SpanId": "s",
    "ParentSpanId": "p",
    "Timestamp": 7,
    "SpanAttributes": {"a": 1},
    "StatusCode": "STATUS_CODE_ERROR",
    "events": [{"name": "e", "attributes": {"b": "x"}}],
}
COLUMNS = {
    "name": "chat",
    "context.trace_id": "t",
    "context.span_id": "s",
    "parent_id": "p",
    "start_time": 7,
    "attributes.a": 1,
    "status_code": "ERROR",
    "events": [{"name": "e", "attributes": {"b": "x"}}],
}
CONSOLE = {
    "traceId": "t",
    "id": "s",
    "parentId": "p",
    "name": "chat",
    "timestamp": 7,
    "attributes": {"a": 1},
    "status": {"code": 2},
    "events": [{"name": "e", "attributes": {"b": "x"}}],
}


@pytest.mark.parametrize(
    "document",
    [
        batch(OTLP),
        [batch(OTLP)],
        {"resource_spans": [{"scope_spans": [{"spans": [OTLP]}]}]},
        {"batches": [{"instrumentationLibrarySpans": [{"spans": [OTLP]}]}]},
        {"trace": batch(OTLP)},
        {"data": [OTLP]},
        SDK,
        [SDK],
        {"spans": [SDK]},
        {"data": {"spans": [SDK]}},
        {"traces": [{"spans": [SDK]}]},
        {**SDK, "attributes": '{"a": 1}'},
        {"trace_id": "t", "spans": [ROW]},
        [CLICKHOUSE],
        [COLUMNS],
        [CONSOLE],
    ],
    ids=str,
)
def test_a_span_is_the_same_from_every_exporter(document: Any) -> None:
    assert read_spans(document) == [EXPECTED]


def test_what_is_no_part_of_a_batch_is_left_out_of_it() -> None:
    scopes: list[Any] = [None, {"scope": {}}, {"spans": [OTLP, 4]}]

    assert read_spans({"resourceSpans": [3, {"resource": {}}, {"scopeSpans": scopes}]}) == [
        EXPECTED
    ]


def test_the_ids_of_an_sdk_object_are_numbers() -> None:
    [span] = read_spans(
        {"name": "a", "context": {"trace_id": 12, "span_id": 3}, "parent": {"span_id": 4}} | ATTRS
    )

    assert (span.trace, span.id, span.parent) == ("12", "3", "4")


ATTRS: dict[str, Any] = {"attributes": {}}


def test_an_id_that_is_not_in_the_context_can_stand_beside_it() -> None:
    [span] = read_spans({"name": "a", "context": {"trace_id": "t"}, "spanId": "s"} | ATTRS)

    assert (span.trace, span.id) == ("t", "s")


def test_an_id_that_is_no_id_is_none() -> None:
    [span] = read_spans(
        {"name": "a", "spanId": 1 << 200, "traceId": "", "parentSpanId": ""} | ATTRS
    )

    assert (span.trace, span.id, span.parent) == (None, None, None)


def test_jaeger_has_tags_for_attributes_and_references_for_parents() -> None:
    [span] = read_spans(
        {
            "data": [
                {
                    "traceID": "t",
                    "spans": [
                        {
                            "traceID": "t",
                            "spanID": "s",
                            "operationName": "chat",
                            "references": [{"refType": "CHILD_OF", "spanID": "p"}],
                            "startTime": 7,
                            "tags": [
                                {"key": "a", "type": "int64", "value": 1},
                                {"key": "otel.status_code", "type": "string", "value": "ERROR"},
                            ],
                        }
                    ],
                }
            ]
        }
    )

    assert (span.name, span.id, span.parent, span.trace) == ("chat", "s", "p", "t")
    assert span.attributes["a"] == 1
    assert span.failed


def test_child_spans_stand_within_their_parents() -> None:
    document = {"spans": [ROW | {"child_spans": [{"span_name": "b", "span_attributes": {}}]}]}

    outer, inner = read_spans(document)

    assert (outer.name, inner.name) == ("chat", "b")
    assert inner.parent == "s"


def test_attributes_alone_are_a_span() -> None:
    [span] = read_spans({"gen_ai.operation.name": "chat", "server.address": "x"})

    assert span.attributes == {"gen_ai.operation.name": "chat", "server.address": "x"}
    assert (span.name, span.id, span.start) == ("", None, None)


@pytest.mark.parametrize(
    "document",
    [
        None,
        "x",
        {},
        [],
        [[]],
        {"name": "a"},
        {"attributes": {}},
        {"attributes": ["x"], "name": "a"},
        {"tags": ["x"], "name": "a", "id": "1"},
        {"data": [1, 2]},
        {"data": [{"type": "SPAN", "startTime": "x", "name": "a", "attributes": {}}]},
        {"resourceSpans": "x"},
        {"spans": 3},
    ],
)
def test_other_documents_have_no_spans(document: Any) -> None:
    assert read_spans(document) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [(batch(OTLP), True), (SDK, True), ({}, False), ([SDK], False), ({"spans": [SDK]}, False)],
)
def test_lines_are_spans_or_batches_of_spans(line: Any, expected: bool) -> None:
    assert is_span_line(line) is expected


# --- when and in what order ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (12, 12),
        (12.9, 12),
        ("1794724548773540107", 1794724548773540107),
        ([3, 5], 3_000_000_005),
        ("1970-01-01T00:00:01.5Z", 1_500_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-02 00:00:00", 86_400_000_000_000),
        ("1970-01-01T00:00:00.000001234Z", 1000),
        (None, None),
        ("soon", None),
        ("9" * 50, None),
        ([], None),
        ([1, "x"], None),
        (float("nan"), None),
        (float("inf"), None),
        ({}, None),
    ],
)
def test_a_moment_is_a_number(given: Any, expected: int | None) -> None:
    assert parse_time(given) == expected


def test_spans_come_in_the_order_in_which_they_began() -> None:
    spans = [Span(name=str(start), attributes={}, start=start) for start in (3, 1, 2)]

    assert [span.name for span in sort_by_start(spans)] == ["1", "2", "3"]


def test_a_span_that_does_not_say_when_it_began_follows_the_one_before_it() -> None:
    starts = (3, None, 1, None)
    spans = [Span(name=str(n), attributes={}, start=start) for n, start in enumerate(starts)]

    assert [span.name for span in sort_by_start(spans)] == ["2", "3", "0", "1"]


def test_a_span_that_was_sent_again_is_there_once() -> None:
    other = SDK | {"context": {"trace_id": "u", "span_id": "s"}}

    assert len(read_spans([SDK, SDK, other, SDK])) == 2


def test_spans_without_an_id_are_never_the_same() -> None:
    bare = {"name": "chat", "attributes": {"gen_ai.tool.name": "a"}}

    assert [span.name for span in read_spans([bare, SDK, bare])] == ["chat", "chat", "chat"]


def test_spans_are_told_apart_by_their_traces() -> None:
    spans = [Span(name=name, attributes={}, trace=name[0]) for name in ("b1", "a1", "b2")]

    names = [[span.name for span in group] for group in spans_by_trace(spans)]

    assert names == [["b1", "b2"], ["a1"]]


# --- failures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"status": {"code": 2}},
        {"status": {"code": "STATUS_CODE_ERROR"}},
        {"status": {"statusCode": "ERROR"}},
        {"status": "error"},
        {"status_code": "StatusCode.ERROR"},
        {"otel_status_code": "ERROR"},
        {"attributes": {"error.type": "timeout"}},
    ],
)
def test_a_span_can_have_failed(more: Any) -> None:
    [span] = read_spans({"name": "a"} | ATTRS | more)

    assert span.failed


@pytest.mark.parametrize(
    "more",
    [{}, {"status": {}}, {"status": {"code": 1}}, {"status": [2]}, {"status_code": "Unset"}],
)
def test_other_spans_have_not(more: Any) -> None:
    [span] = read_spans({"name": "a"} | ATTRS | more)

    assert not span.failed


# --- log records --------------------------------------------------------------------------------


def record(name: str, body: Any, span: str) -> dict[str, Any]:
    return {
        "eventName": name,
        "body": body,
        "traceId": "t",
        "spanId": span,
        "timeUnixNano": "9",
    }


def logs(*records: Any) -> dict[str, Any]:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}


def test_log_records_are_events_of_their_span() -> None:
    body = {"kvlistValue": {"values": [{"key": "x", "value": {"intValue": "1"}}]}}

    [span] = read_spans([batch(OTLP), logs(record("gen_ai.choice", body, "s"))])

    assert span.events == (Event("e", {"b": "x"}), Event("gen_ai.choice", {}, {"x": 1}))


def test_log_records_of_no_span_make_up_their_own() -> None:
    document = [
        batch(OTLP),
        logs(record("a", {"x": 1, "y": 2}, "q"), record("b", None, "q"), record("c", None, "r")),
    ]

    _, first, second = read_spans(document)

    assert (first.id, first.trace, first.start, first.attributes) == ("q", "t", 9, {})
    assert first.events == (Event("a", {}, {"x": 1, "y": 2}), Event("b", {}))
    assert second.events == (Event("c", {}),)


def test_the_name_of_an_event_can_be_an_attribute() -> None:
    named = {"body": None, "event_name": "", "attributes": {"event.name": "gen_ai.choice"}}
    typed = {
        "body": None,
        "spanId": "s",
        "attributes": [{"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}],
    }
    nameless = {"body": None, "spanId": "s", "attributes": {"event.name": 3}}

    names = [read_spans([log | {"trace_id": "t"}])[0].events[0].name for log in (named, typed)]

    assert names == ["gen_ai.choice", "gen_ai.choice"]
    assert read_spans([nameless])[0].events[0].name == ""


# Attributes, however an exporter writes them.


def typed(**value: Any) -> dict[str, Any]:
    return read_attributes([{"key": "a", "value": value}])


@pytest.mark.parametrize(
    ("kind", "held", "expected"),
    [
        ("stringValue", "x", "x"),
        ("string_value", "x", "x"),
        ("intValue", "12", 12),
        ("intValue", 12, 12),
        ("int_value", "-3", -3),
        ("intValue", "many", "many"),
        ("doubleValue", 2.5, 2.5),
        ("boolValue", False, False),
        ("bytesValue", "iVBORw==", "iVBORw=="),
        ("arrayValue", {"values": [{"stringValue": "x"}, {"intValue": "1"}, {}]}, ["x", 1, None]),
        ("array_value", {"values": []}, []),
        ("arrayValue", {}, []),
        ("kvlistValue", {"values": [{"key": "b", "value": {"boolValue": True}}]}, {"b": True}),
        ("kvlist_value", {"values": [{"key": "b"}, {"key": 3}, "x"]}, {"b": None}),
        ("kvlistValue", None, {}),
    ],
)
def test_a_typed_value_is_what_it_holds(kind: str, held: Any, expected: Any) -> None:
    assert typed(**{kind: held}) == {"a": expected}


def test_a_value_without_a_type_is_null() -> None:
    assert typed() == {"a": None}


@pytest.mark.parametrize("value", ["x", 3, {"index": 0}, {"index": 0, "message": {}}])
def test_a_value_that_is_not_typed_stays_as_it_is(value: Any) -> None:
    assert decode_otlp_value(value) == value


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(150):
        value = {"arrayValue": {"values": [value]}}

    with pytest.raises(InvalidCall, match="nested too deeply"):
        decode_otlp_value(value)


def test_entries_that_are_none_are_left_out() -> None:
    assert read_attributes([None, "x", {"key": 3}, {"value": {}}, {"key": "a"}]) == {"a": None}


@pytest.mark.parametrize("given", [None, 3, "no JSON"])
def test_what_is_no_attributes_has_none(given: Any) -> None:
    assert read_attributes(given) == {}


def test_flat_attributes_stay_as_they_are_with_objects_as_values() -> None:
    given = {"gen_ai.tool.call.arguments": {"city": "Paris"}, "a": 1}

    assert read_attributes(given) == given


def test_json_text_is_read() -> None:
    assert read_attributes('{"a": 1}') == {"a": 1}
    assert read_attributes('"{\\"a\\": 1}"') == {"a": 1}


def test_nested_attributes_are_there_at_each_level() -> None:
    flat = read_attributes({"tool": {"name": "add", "parameters": {"a": 1}}, "llm": {"tools": [1]}})

    assert flat["tool.name"] == "add"
    assert flat["tool.parameters"] == {"a": 1}
    assert flat["tool.parameters.a"] == 1
    assert flat["llm.tools"] == [1]


def test_keys_that_are_no_text_are_left_out() -> None:
    assert read_attributes({1: "x", "a": 2}) == {"a": 2}


def test_attributes_that_are_nested_too_deeply_are_taken_apart_no_further() -> None:
    nested: Any = 1
    for _ in range(500):
        nested = {"a": nested}

    assert len(read_attributes({"a": nested})) < 200


def test_items_are_put_together_from_numbered_keys() -> None:
    attributes = {
        "p.1.name": "b",
        "p.0.name": "a",
        "p.0.calls.0.id": 1,
        "p.10.name": "c",
        "p.size": 3,
        "q": 3,
        "p.2": "as it is",
        "q.0.name": "d",
    }

    assert items_at(attributes, "p") == [
        {"name": "a", "calls.0.id": 1},
        {"name": "b"},
        "as it is",
        {"name": "c"},
    ]
    assert items_at(attributes, "r") == []


def test_of_an_item_and_its_members_the_last_counts() -> None:
    whole = {"name": "a"}

    assert items_at({"p.0": whole, "p.0.id": 1}, "p") == [{"id": 1}]
    assert items_at({"p.0.id": 1, "p.0": "x"}, "p") == ["x"]
    assert items_at({"p.0.id": 1, "p.0": "x", "p.0.name": "a"}, "p") == [{"name": "a"}]
    assert whole == {"name": "a"}


def test_items_under_the_prefix_itself_are_taken_as_they_are_or_as_json() -> None:
    assert items_at({"p": [1], "p.0": 2}, "p") == [1]
    assert items_at({"p": "[1]"}, "p") == [1]


def test_dotted_keys_make_up_a_tree() -> None:
    assert build_tree({"a": 1, "b.0.c": 2, "b.0.d": 3, "b.1": 4, "e": 5, "e.f": 6, "g.h": 7}) == {
        "a": 1,
        "b": {"0": {"c": 2, "d": 3}, "1": 4},
        "e": {"f": 6},
        "g": {"h": 7},
    }


def test_a_list_has_its_items() -> None:
    assert items_of([1, 2]) == [1, 2]


@pytest.mark.parametrize("node", [None, "x", 3, {"a": 1}, {"-1": 1}, {"²": 1}, {"9" * 30: 1}])
def test_what_has_no_numbers_for_keys_has_no_items(node: Any) -> None:
    assert items_of(node) == []


@pytest.mark.parametrize(
    "node",
    [
        {"a.b.c": 1},
        {"a": {"b": {"c": 1}}},
        {"a": {"b.c": 1}},
    ],
)
def test_a_path_leads_through_keys_with_and_without_dots(node: Any) -> None:
    assert value_at_path(node, "a.b.c") == 1


@pytest.mark.parametrize("node", [None, [], {"a": 1}, {"a": {}}, {"a": {"b": {}}}])
def test_a_path_that_ends_early_leads_nowhere(node: Any) -> None:
    assert value_at_path(node, "a.b.c") is None
