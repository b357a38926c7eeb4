"""What is read of the traces of Opik."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import opik
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def span(id_: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "trace_id": "t", "type": kind, "start_time": id_, **more}


def test_every_trace_is_a_run_with_its_spans_in_order() -> None:
    tools = [span("2", "tool", name="b", input={}), span("1", "tool", name="a", input={})]

    traces = opik.read([*tools, {**tools[0], "trace_id": "u"}], DEFAULT_READ_OPTIONS)

    assert [[call.name for call in trace.calls or ()] for trace in traces] == [["a", "b"], ["b"]]


def test_spans_of_others_are_not_recognized() -> None:
    known = span("1", "tool")

    assert opik.recognizes({"spans": [known]})
    assert not opik.recognizes({"spans": [{**known, "span_id": "1"}]})
    assert not opik.recognizes({"spans": [{**known, "type": "TOOL"}]})
    assert not opik.recognizes({"spans": []})
