"""When a trace is complete, and what becomes of spans that come twice or late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.json import encode
from tests.receiving.made_up import a_request, a_span, trace_id

from callscore.receiving.journal import OutputMark, Segment
from callscore.receiving.open_traces import Limits, OpenTraces, WrittenSpans
from callscore.receiving.otlp import JSON, ReceivedSpan, read_request

if TYPE_CHECKING:
    from pathlib import Path


LIMITS = Limits(settle=2, quiet=10, max_age=100, max_trace_bytes=100_000)


def spans(*found: dict[str, object]) -> list[ReceivedSpan]:
    return read_request(encode(a_request(*found)), JSON)[0]


def a_segment(tmp_path: Path) -> Segment:
    return Segment(tmp_path / "1.log", OutputMark(0, 0))


def opened(limits: Limits = LIMITS) -> tuple[OpenTraces, WrittenSpans]:
    written = WrittenSpans()
    return OpenTraces(limits, written), written


def closed(traces: OpenTraces, now: float) -> dict[str, str | None]:
    return {trace.id: trace.closed_by for trace in traces.close_complete(now)}


def test_a_trace_with_a_root_is_complete_when_nothing_has_come_for_a_moment(tmp_path: Path) -> None:
    traces, _ = opened()
    traces.add(spans(a_span(1, 2, 1)), a_segment(tmp_path), 0)
    traces.add(spans(a_span(1, 1)), a_segment(tmp_path), 5)

    assert closed(traces, 6.9) == {}
    assert closed(traces, 7) == {trace_id(1): "root"}
    assert closed(traces, 8) == {}


def test_a_trace_without_a_root_is_complete_later(tmp_path: Path) -> None:
    traces, _ = opened()
    traces.add(spans(a_span(1, 2, 1)), a_segment(tmp_path), 0)

    assert closed(traces, 9.9) == {}
    assert closed(traces, 10) == {trace_id(1): "quiet"}


def test_a_trace_that_never_ends_is_closed_by_its_age(tmp_path: Path) -> None:
    traces, _ = opened()
    for second in range(100):
        traces.add(spans(a_span(1, second + 2, 1)), a_segment(tmp_path), second)

    assert closed(traces, 99.9) == {}
    assert closed(traces, 100) == {trace_id(1): "age"}


def test_a_large_trace_is_closed_at_once(tmp_path: Path) -> None:
    traces, _ = opened()
    traces.add(spans(a_span(1, 2, 1, text="x" * 100_000)), a_segment(tmp_path), 0)

    assert closed(traces, 0) == {trace_id(1): "size"}


def test_a_span_that_is_sent_again_is_kept_once(tmp_path: Path) -> None:
    traces, _ = opened()
    segment = a_segment(tmp_path)
    traces.add(spans(a_span(1, 1), a_span(1, 1), a_span(1, 2, 1)), segment, 0)
    traces.add(spans(a_span(1, 2, 1)), segment, 1)
    (trace,) = traces.close_complete(100)
    traces.add(spans(a_span(1, 2, 1)), segment, 101)  # not on the disk yet
    traces.forget(trace)
    traces.add(spans(a_span(1, 1)), segment, 102)

    assert (len(trace.spans), traces.duplicates) == (2, 4)
    assert (traces.count, traces.size) == (0, 0)


def test_spans_that_come_late_make_a_further_part(tmp_path: Path) -> None:
    traces, _ = opened()
    segment = a_segment(tmp_path)
    parts = []
    for number in (1, 2, 3):
        traces.add(spans(a_span(1, number)), segment, 0)
        parts += traces.close_complete(50)
        if number == 2:  # the first two are written together
            for trace in parts:
                traces.forget(trace)

    assert [trace.part for trace in parts] == [1, 2, 3]
    assert [trace.spans for trace in parts] == [{f"{number:016x}"} for number in (1, 2, 3)]


def test_it_is_full_by_bytes_and_by_traces(tmp_path: Path) -> None:
    by_bytes, _ = opened(Limits(max_open_bytes=5000))
    by_traces, _ = opened(Limits(max_open_traces=2))
    for traces, span in ((by_bytes, a_span(1, 1, text="x" * 5000)), (by_traces, a_span(1, 1))):
        assert not traces.is_full
        traces.add(spans(span), a_segment(tmp_path), 0)
    by_traces.add(spans(a_span(2, 1)), a_segment(tmp_path), 0)

    assert (by_bytes.is_full, by_traces.is_full) == (True, True)
    for trace in by_bytes.close_all():
        by_bytes.forget(trace)
    assert not by_bytes.is_full


def test_at_the_end_all_traces_are_closed(tmp_path: Path) -> None:
    traces, _ = opened()
    traces.add(spans(a_span(1, 1), a_span(2, 2, 1)), a_segment(tmp_path), 0)

    found = {trace.id: trace.closed_by for trace in traces.close_all()}

    assert found == {trace_id(1): "root", trace_id(2): "shutdown"}


def test_the_traces_of_a_segment_can_be_closed(tmp_path: Path) -> None:
    traces, _ = opened()
    old, new = a_segment(tmp_path), a_segment(tmp_path)
    traces.add(spans(a_span(1, 1), a_span(2, 1)), old, 0)
    traces.add(spans(a_span(2, 2), a_span(3, 1)), new, 0)

    found = {trace.id: trace.closed_by for trace in traces.close_in(old)}

    assert found == {trace_id(1): "journal", trace_id(2): "journal"}


def test_written_spans_are_remembered_in_bounded_memory() -> None:
    written = WrittenSpans(most=10)
    for number in range(5):
        written.add(f"t{number}", 1, [f"s{index}" for index in range(4)])

    assert [written.has(f"t{number}", "s3") for number in range(5)] == [False] * 3 + [True] * 2
    assert [written.parts_of(f"t{number}") for number in range(5)] == [0, 0, 0, 1, 1]


def test_of_one_trace_without_an_end_at_least_the_parts_are_remembered() -> None:
    written = WrittenSpans(most=10)
    for part in range(1, 5):
        written.add("t", part, [f"{part}.{index}" for index in range(4)])

    assert written.parts_of("t") == 4
    assert written.has("t", "4.0")
