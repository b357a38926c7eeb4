"""What a trace says: its calls, the case that it names, and the line that is written of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.receiving.made_up import a_request, a_span, a_tool_span, trace_id

from callscore.formats.dialect import dialect_named
from callscore.hiding.hider import Hider
from callscore.receiving.closed_traces import ClosedTrace, TraceReader, line_of
from callscore.receiving.open_traces import OpenTrace
from callscore.receiving.otlp import JSON, read_request

if TYPE_CHECKING:
    from collections.abc import Iterable


def a_trace(*spans: dict[str, Any], resource: dict[str, str] | None = None) -> OpenTrace:
    found = OpenTrace(trace_id(1), 1, 0)
    _add(found, a_request(*spans, resource=resource))
    found.closed_by = "root"
    return found


def _add(trace: OpenTrace, request: dict[str, Any]) -> None:
    for span in read_request(msgspec.json.encode(request), JSON)[0]:
        trace.add(span, 0)


def read(*spans: dict[str, Any], **options: Any) -> ClosedTrace:
    return TraceReader().read(a_trace(*spans, **options))


def line(trace: ClosedTrace, **fields: Any) -> dict[str, Any]:
    text = line_of(trace, fields, Hider())
    assert text.count(b"\n") == 1
    found: dict[str, Any] = msgspec.json.decode(text)
    return found


def ids_of(document: dict[str, Any]) -> Iterable[str]:
    for batch in document["resourceSpans"]:
        for scope in batch["scopeSpans"]:
            yield from [span["spanId"] for span in scope["spans"]]


AGENT: dict[str, Any] = {"gen_ai__operation__name": "invoke_agent"}
CASE: dict[str, Any] = {"callscore__case_id": "paris"}


def test_the_calls_and_the_spans_are_in_the_line() -> None:
    trace = read(
        a_span(1, 1, **AGENT, **CASE), a_tool_span(1, 2, 1, "get_weather", '{"city": "Paris"}')
    )

    found = line(trace, result={"passed": True})

    spans = found.pop("resourceSpans")
    assert found == {
        "id": "paris",
        "trace_id": trace_id(1),
        "closed_by": "root",
        "actual": [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "call_2"}],
        "result": {"passed": True},
    }
    assert list(ids_of({"resourceSpans": spans})) == [f"{1:016x}", f"{2:016x}"]
    assert (trace.root_span_id, trace.spans) == (f"{1:016x}", 2)


def test_spans_of_several_requests_and_resources_stay_apart() -> None:
    trace = a_trace(a_span(1, 1))
    _add(trace, a_request(a_span(1, 2, 1)))
    _add(trace, a_request(a_span(1, 3, 1), resource={"service.name": "other"}))
    _add(trace, {"resourceSpans": [{"scopeSpans": [{"spans": [a_span(1, 4, 1)]}]}]})

    found = line(TraceReader().read(trace))

    sizes = [len(batch["scopeSpans"][0]["spans"]) for batch in found["resourceSpans"]]
    assert sizes == [2, 1, 1]
    assert list(ids_of(found)) == [f"{number:016x}" for number in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("spans", "resource", "expected"),
    [
        ([a_span(1, 1, **CASE)], None, ("paris",)),
        ([a_span(1, 1), a_span(1, 2, 1, **CASE)], None, ("paris",)),
        ([a_span(1, 1)], {"callscore.case_id": "rome"}, ("rome",)),
        ([a_span(1, 1, **CASE)], {"callscore.case_id": "rome"}, ("paris",)),
        ([a_span(1, 2, 1, callscore__case_id="b"), a_span(1, 1, **CASE)], None, ("paris",)),
        (
            [a_span(1, 2, 1, callscore__case_id="b"), a_span(1, 3, 1, callscore__case_id="c")],
            None,
            ("b", "c"),
        ),
        ([a_span(1, 1, callscore__case_id="")], None, ()),
        ([a_span(1, 1)], None, ()),
    ],
)
def test_the_case_is_named_by_the_root_first(
    spans: list[dict[str, Any]], resource: dict[str, str] | None, expected: tuple[str, ...]
) -> None:
    trace = read(*spans, resource=resource)

    assert trace.case_ids == expected
    assert trace.id == (expected[0] if len(expected) == 1 else trace_id(1))


def test_a_number_names_a_case_too() -> None:
    span = a_span(1, 1)
    span["attributes"] = [{"key": "callscore.case_id", "value": {"intValue": "7"}}]

    assert read(span).case_id == "7"


def test_another_attribute_can_name_the_case() -> None:
    trace = TraceReader("session.id").read(a_trace(a_span(1, 1, session__id="s")))

    assert trace.id == "s"


def test_a_further_part_has_an_id_of_its_own() -> None:
    trace = a_trace(a_span(1, 1, **CASE))
    trace.part = 2

    found = line(TraceReader().read(trace))

    assert (found["id"], found["part"]) == ("paris/part-2", 2)


def test_a_trace_of_something_else_has_no_calls() -> None:
    found = line(read(a_span(1, 1, name="GET /health")))

    assert found["actual"] == []


def test_a_trace_that_names_a_case_must_say_its_calls() -> None:
    trace = read(a_span(1, 1, **CASE))

    assert trace.case is not None
    assert trace.case.actual is None
    assert "instrumented" in trace.problem
    assert "actual" not in line(trace)


def test_spans_that_cannot_be_read_are_written_with_the_problem() -> None:
    trace = a_trace(a_span(1, 1))
    trace.groups[b"{}", b"{}"] = [b'{"half": "\\ud800"}']

    found = TraceReader().read(trace)

    assert found.case is None
    assert "cannot be read" in found.problem
    assert b"\\ud800" in line_of(found, {}, Hider())


def test_a_format_that_the_user_names_is_used() -> None:
    reader = TraceReader(dialect=dialect_named("openinference"))

    found = reader.read(a_trace(a_span(1, 1, **CASE)))

    assert "openinference" in found.problem


def test_the_last_response_of_a_model_is_known() -> None:
    early = a_span(1, 2, 1, gen_ai__response__id="early")
    late = a_span(1, 3, 1, gen_ai__response__id="late")

    assert read(late, a_span(1, 1), early).response_id == "late"
    assert read(a_span(1, 1)).response_id == ""
    assert (
        read(a_span(1, 1, gen_ai__response__id="r") | {"endTimeUnixNano": "x"}).response_id == "r"
    )


def test_secrets_of_the_environment_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-3f9a77d1c2e84b06")
    trace = read(
        a_span(1, 1, **AGENT), a_tool_span(1, 2, 1, "login", '{"key": "sk-3f9a77d1c2e84b06"}')
    )

    text = line_of(trace, {}, Hider(is_live=True))

    assert b"3f9a77d1c2e84b06" not in text
    assert text.count(b"[hidden ") == 2
    assert list(ids_of(msgspec.json.decode(text))) == [f"{1:016x}", f"{2:016x}"]


@pytest.mark.parametrize(
    "spans",
    [
        [a_span(1, 1, **AGENT, **CASE), a_tool_span(1, 2, 1, "get_weather", '{"city": "Paris"}')],
        [a_tool_span(1, 2, 1, "f", "{}"), a_span(1, 3, 1, callscore__case_id="rome")],
        [a_span(1, 1, name="GET /health")],
        [a_span(1, 1, **CASE)],
    ],
)
@pytest.mark.parametrize("part", [1, 2])
def test_a_line_is_read_as_the_trace_was(spans: list[dict[str, Any]], part: int) -> None:
    opened = a_trace(*spans)
    opened.part = part
    found = TraceReader().read(opened)
    text = line_of(found, {"result": {"passed": True}, "problem": "x"}, Hider())

    assert TraceReader().read_line(text) == found


@pytest.mark.parametrize("text", [b"[]", b"{", b'{"id": "a"}', b'{"trace_id": 1}', b"[" * 10_000])
def test_a_line_of_something_else_is_a_problem(text: bytes) -> None:
    found = TraceReader().read_line(text)

    assert found.case is None
    assert "a line cannot be read" in found.problem
