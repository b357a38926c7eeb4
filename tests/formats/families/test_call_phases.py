"""Which spans are phases of one call, and what they say together."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.families.call_phases import join_phases
from callscore.formats.families.spans import Event, Span
from callscore.formats.reading import read_document

KIND = "openinference.span.kind"


def span(name: str, id_: str, parent: str | None = "agent", **attributes: Any) -> Span:
    return Span(name=name, id=id_, parent=parent, attributes={KIND: "TOOL", **attributes})


def joined(*spans: Span) -> list[tuple[str, bool]]:
    return [(each.name, each.failed) for each in join_phases(list(spans))]


def test_numbered_phases_are_one_call_each() -> None:
    spans = [
        span("tool.web.search.start-1", "a", **{"tool.parameters": '{"q": 1}'}),
        span("tool.web.search.start-2", "b", **{"tool.parameters": '{"q": 2}'}),
        span("tool.web.search.success-2", "c", **{"output.value": "two", "tool.parameters": "x"}),
        span("tool.web.search.finish-1", "d"),
        span("tool.web.search.finish-2", "e"),
    ]

    first, second = join_phases(spans)

    assert (first.name, first.attributes["tool.parameters"]) == ("search", '{"q": 1}')
    assert (second.attributes["tool.parameters"], second.attributes["output.value"]) == (
        '{"q": 2}',
        "two",
    )


@pytest.mark.parametrize(
    ("phases", "failed"),
    [
        (["start", "error", "finish"], True),
        (["start", "error", "retry", "success", "finish"], False),
        (["start", "finish"], False),
        (["started", "failed"], True),
    ],
)
def test_the_last_attempt_decides_whether_a_call_failed(phases: list[str], failed: bool) -> None:
    assert joined(*[span(f"ping.{phase}-3", phase) for phase in phases]) == [("ping", failed)]


def test_without_numbers_each_start_begins_a_call() -> None:
    names = ["ping.start", "ping.success", "ping.start", "ping.finish"]
    spans = [span(name, str(at)) for at, name in enumerate(names)]

    assert joined(*spans) == [("ping", False), ("ping", False)]
    assert len(joined(*spans, span("ping.success", "x", "other agent"))) == 3


def test_without_numbers_calls_at_the_same_time_end_in_their_order() -> None:
    names = ["start", "start", "success", "error", "finish", "finish", "success"]
    spans = [span(f"ping {name}", str(at), result=at) for at, name in enumerate(names)]

    first, second = join_phases(spans)

    assert (first.name, first.failed, second.failed) == ("ping", False, False)
    assert join_phases(spans[:-1])[1].failed


def test_phases_of_a_tool_around_them_are_no_calls() -> None:
    tool = span("ping", "a", **{"tool.name": "ping"})

    assert joined(tool, span("retry", "b", "a"), span("error", "c", "a")) == [("ping", False)]


def test_phases_with_the_name_of_the_tool_elsewhere_are_one_call() -> None:
    names = {"tool.name": "ping"}

    assert joined(span("start", "a", **names), span("finish", "b", **names)) == [("ping", False)]


@pytest.mark.parametrize(
    "spans",
    [
        [span("session.start", "a"), span("session.close", "b")],
        [span("session.start", "a", **{"tool.name": "session.start"})],
        [span("start", "a"), span("finish", "b")],
        [span("job.start-1", "a", **{KIND: "CHAIN"}), span("job.finish-1", "b", **{KIND: "CHAIN"})],
        [Span(name="job.start-1", attributes={}), Span(name="job.finish-1", attributes={})],
    ],
)
def test_other_spans_stay_as_they_are(spans: list[Span]) -> None:
    assert join_phases(spans) == spans


def test_events_of_all_phases_are_kept() -> None:
    late = Span(name="ping.error-1", attributes={KIND: "TOOL"}, events=(Event("exception", {}),))

    [whole] = join_phases([span("ping.start-1", "a"), late])

    assert [event.name for event in whole.events] == ["exception"]


def snapshot(id_: str, **attributes: Any) -> Span:
    return span(
        f"agent.react.update-{id_}", id_, **{KIND: "AGENT", "tool.name": "Ping", **attributes}
    )


def test_what_an_agent_knows_of_a_call_is_one_call_until_it_differs() -> None:
    one, two = {"tool.parameters": '{"n": 1}'}, {"tool.parameters": '{"n": 2}'}
    spans = [
        snapshot("1", **{"tool.parameters": "null"}),
        snapshot("2", **one),
        snapshot("3", **one, **{"output.value": "pong"}),
        snapshot("4", **two),
    ]

    kinds = [each.attributes[KIND] for each in join_phases(spans)]

    assert kinds == ["TOOL", "AGENT", "AGENT", "TOOL"]


def test_the_tool_within_a_snapshot_is_the_call_and_has_its_name() -> None:
    tool = span("tool.net.ping.start-1", "t", "1", **{"tool.parameters": "{}"})

    update, call = join_phases([snapshot("1"), tool])

    assert (call.attributes["tool.name"], call.name) == ("Ping", "ping")
    assert "tool.name" not in update.attributes


@pytest.mark.parametrize(
    "attributes",
    [
        {KIND: "TOOL", "tool.name": "ping", "input.value": '{"n": 1}'},
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "ping",
            "gen_ai.tool.call.arguments": '{"n": 1}',
        },
        {"traceloop.span.kind": "tool", "traceloop.entity.name": "ping"},
    ],
)
def test_phases_are_joined_in_every_format_of_spans(attributes: dict[str, Any]) -> None:
    spans = [
        {
            "name": f"ping.{phase}-4",
            "context": {"trace_id": "t", "span_id": phase},
            "start_time": f"2026-01-01T00:00:0{at}Z",
            "attributes": attributes,
        }
        for at, phase in enumerate(["start", "success", "finish"])
    ]

    [trace] = read_document(spans)

    assert [call.name for call in trace.calls or ()] == ["ping"]
