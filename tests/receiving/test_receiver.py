"""The receiver: nothing acknowledged is lost, and nothing is written twice, whenever it is killed."""

from __future__ import annotations

import gzip
import os
import shutil
from contextlib import suppress
from errno import ENOSPC
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.receiving.made_up import (
    Clock,
    a_receiver,
    a_request,
    a_span,
    a_tool_span,
    an_entry,
    in_protobuf,
    lines_of,
    trace_id,
)

from callscore.errors import InvalidSettings
from callscore.receiving import receiver as receivers
from callscore.receiving.journal import Entry
from callscore.receiving.open_traces import Limits
from callscore.receiving.otlp import JSON, PROTOBUF, BadRequest
from callscore.receiving.receiver import Full, journal_folder

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.receiving.closed_traces import ClosedTrace
    from callscore.receiving.receiver import Receiver


def killed(output: Path, receiver: Receiver) -> Path:
    """A copy of the output and its journal as a killed receiver leaves them."""
    folder = output.parent / f"after-{output.parent.name}"
    folder.mkdir()
    copy = folder / output.name
    shutil.copy(output, copy)
    os.utime(copy)
    shutil.copytree(journal_folder(output), journal_folder(copy))
    # A copy is another file: the marks of the journal are about the original.
    for segment in (*journal_folder(copy).glob("*.log"), journal_folder(copy) / "session"):
        content = segment.read_bytes()
        own, new = output.stat().st_ino, copy.stat().st_ino
        segment.write_bytes(content.replace(b'"file":%d' % own, b'"file":%d' % new, 1))
    receiver.finish()
    return copy


class Killed(Exception):
    """In place of the end of the process."""


def kill_while_writing(receiver: Receiver, output: Path, written: int) -> None:
    """Let a receiver write complete traces, of which only some bytes reach the file."""

    def append(lines: list[bytes]) -> None:
        with output.open("ab") as file:
            file.write(b"".join(lines)[:written])
        raise Killed

    file = receiver._file
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "append", append)
        with suppress(Killed):
            receiver.work()


def span_ids(output: Path) -> list[tuple[str, str]]:
    return [
        (span["traceId"], span["spanId"])
        for line in lines_of(output)
        for batch in line["resourceSpans"]
        for scope in batch["scopeSpans"]
        for span in scope["spans"]
    ]


def fail(*_: object) -> None:
    raise OSError(ENOSPC, "No space left on device")


def test_a_complete_trace_is_written(tmp_path: Path) -> None:
    output, clock = tmp_path / "t.jsonl", Clock()
    written: list[ClosedTrace] = []
    receiver = a_receiver(output, clock, fields_of=lambda _: {"more": 1}, on_written=written.append)
    request = in_protobuf(a_request(a_span(1, 1), a_tool_span(1, 2, 1, "f", "{}")))
    receiver.accept(Entry(PROTOBUF, "gzip", gzip.compress(request)))
    receiver.work()
    assert (lines_of(output), receiver.open_traces) == ([], 1)

    clock.now += 1
    receiver.work()

    (line,) = lines_of(output)
    assert (line["trace_id"], line["more"]) == (trace_id(1), 1)
    assert [trace.trace_id for trace in written] == [trace_id(1)]
    assert receiver.open_traces == 0
    receiver.finish()
    assert not journal_folder(output).exists()
    assert (receiver.counts.requests, receiver.counts.spans, receiver.counts.traces) == (1, 2, 1)


def test_at_the_end_everything_is_written(tmp_path: Path) -> None:
    output = tmp_path / "t.jsonl"
    receiver = a_receiver(output, Clock())
    receiver.accept(an_entry(a_span(1, 1), a_span(2, 2, 1)))

    receiver.finish()

    assert [line["closed_by"] for line in lines_of(output)] == ["root", "shutdown"]


def test_what_was_accepted_is_there_after_a_crash(tmp_path: Path) -> None:
    output, clock = tmp_path / "t.jsonl", Clock()
    receiver = a_receiver(output, clock)
    receiver.accept(an_entry(a_span(1, 1)))
    clock.now += 1
    receiver.work()  # one is written, and one is not
    receiver.accept(an_entry(a_span(2, 1), a_span(2, 2, 1)))
    left = killed(output, receiver)

    again = a_receiver(left, clock)

    assert (again.counts.recovered, again.is_known_output) == (2, True)
    again.finish()
    assert [line["trace_id"] for line in lines_of(left)] == [trace_id(1), trace_id(2)]
    assert len(set(span_ids(left))) == len(span_ids(left)) == 3
    assert not journal_folder(left).exists()


def test_a_session_lasts_until_a_receiver_ends_properly(tmp_path: Path) -> None:
    output = tmp_path / "t.jsonl"
    earlier = a_receiver(output, Clock())
    earlier.accept(an_entry(a_span(1, 1)))
    earlier.finish()
    clock = Clock()
    receiver = a_receiver(output, clock)
    receiver.accept(an_entry(a_span(2, 1), a_span(2, 2, 1)))
    clock.now += 2
    receiver.work()
    left = killed(output, receiver)

    for ends_session in (False, True):
        again = a_receiver(left, Clock())
        assert [trace.trace_id for trace in again.written_before()] == [trace_id(2)]
        assert (again.counts.traces, again.counts.written_spans) == (1, 2)
        again.finish(ends_session=ends_session)
    last = a_receiver(left, Clock())
    assert list(last.written_before()) == []
    last.finish()


def test_half_a_line_is_written_again_as_a_whole(tmp_path: Path) -> None:
    output, clock = tmp_path / "t.jsonl", Clock()
    receiver = a_receiver(output, clock)
    receiver.accept(an_entry(a_span(1, 1), a_span(2, 1)))
    clock.now += 1
    receiver.work()
    left = killed(output, receiver)
    os.truncate(left, left.stat().st_size - 30)

    again = a_receiver(left, clock)

    assert again.counts.recovered == 1
    again.finish()
    assert sorted(span_ids(left)) == [(trace_id(1), f"{1:016x}"), (trace_id(2), f"{1:016x}")]


def test_spans_that_are_sent_again_after_a_crash_are_kept_once(tmp_path: Path) -> None:
    output, clock = tmp_path / "t.jsonl", Clock()
    receiver = a_receiver(output, clock)
    receiver.accept(an_entry(a_span(1, 1)))
    clock.now += 1
    receiver.work()
    receiver.accept(an_entry(a_span(2, 1)))
    left = killed(output, receiver)

    again = a_receiver(left, clock)
    again.accept(an_entry(a_span(1, 1), a_span(2, 1), a_span(2, 2, 1)))
    again.finish()

    assert again.counts.duplicates == 2
    assert len(set(span_ids(left))) == len(span_ids(left)) == 3


def test_a_later_part_is_known_as_one_after_a_restart(tmp_path: Path) -> None:
    output = tmp_path / "t.jsonl"
    for number in (1, 2, 3):
        receiver = a_receiver(output, Clock())
        receiver.accept(an_entry(a_span(1, number)))
        receiver.finish()

    assert [line["id"] for line in lines_of(output)] == [
        trace_id(1),
        f"{trace_id(1)}/part-2",
        f"{trace_id(1)}/part-3",
    ]


@settings(max_examples=25)
@given(st.data())
def test_every_accepted_span_is_written_once_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    output = tmp_path_factory.mktemp("run") / "t.jsonl"
    clock = Clock()
    receiver = a_receiver(output, clock)
    accepted: set[tuple[str, str]] = set()
    for _ in range(data.draw(st.integers(1, 12))):
        action = data.draw(st.sampled_from(["send", "send", "wait", "kill", "restart"]))
        if action == "send":
            pairs = st.tuples(st.integers(1, 4), st.integers(1, 5))
            chosen = data.draw(st.lists(pairs, min_size=1, max_size=4))
            spans = [a_span(trace, span, None if span == 1 else 1) for trace, span in chosen]
            receiver.accept(an_entry(*spans))
            accepted |= {(span["traceId"], span["spanId"]) for span in spans}
        elif action == "wait":
            clock.now += data.draw(st.sampled_from([0.5, 1, 10]))
            receiver.work()
        else:
            if action == "restart":
                receiver.finish()
            else:
                clock.now += data.draw(st.sampled_from([0, 10]))
                kill_while_writing(receiver, output, data.draw(st.integers(0, 2000)))
                output = killed(output, receiver)
            receiver = a_receiver(output, clock)
    receiver.finish()

    written = span_ids(output)
    assert sorted(written) == sorted(accepted)


def test_too_much_at_once_is_refused_for_now(tmp_path: Path) -> None:
    clock = Clock()
    limits = Limits(settle=1, quiet=10, max_open_traces=1)
    receiver = a_receiver(tmp_path / "t.jsonl", clock, limits=limits)
    receiver.accept(an_entry(a_span(1, 1)))

    with pytest.raises(Full) as caught:
        receiver.accept(an_entry(a_span(2, 1)))

    assert (caught.value.status, caught.value.seconds) == (429, 2)
    clock.now += 1
    receiver.work()
    receiver.accept(an_entry(a_span(2, 1)))
    receiver.finish()
    assert len(lines_of(tmp_path / "t.jsonl")) == 2


def test_nothing_is_acknowledged_while_the_journal_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = a_receiver(tmp_path / "t.jsonl", Clock())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(Full) as caught:
            receiver.accept(an_entry(a_span(1, 1)))

    assert (caught.value.status, receiver.problem) == (503, "No space left on device")
    receiver.accept(an_entry(a_span(2, 1)))
    assert receiver.problem == ""
    receiver.finish()
    assert [line["trace_id"] for line in lines_of(tmp_path / "t.jsonl")] == [trace_id(2)]


def test_traces_wait_while_the_output_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, clock = tmp_path / "t.jsonl", Clock()
    receiver = a_receiver(output, clock)
    receiver.accept(an_entry(a_span(1, 1)))
    clock.now += 1
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        receiver.work()
        with pytest.raises(Full) as caught:
            receiver.accept(an_entry(a_span(2, 1)))

    assert (caught.value.status, receiver.open_traces) == (503, 1)
    assert output.read_bytes() == b""
    receiver.work()
    assert (receiver.problem, len(lines_of(output))) == ("", 1)
    receiver.finish()


def test_what_cannot_be_written_at_the_end_stays_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "t.jsonl"
    receiver = a_receiver(output, Clock())
    receiver.accept(an_entry(a_span(1, 1)))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        receiver.finish()

    assert receiver.open_traces == 1
    again = a_receiver(output, Clock())
    again.finish()
    assert len(lines_of(output)) == 1


def test_the_journal_does_not_grow_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.receiving.journal._SEGMENT_BYTES", 500)
    output, clock = tmp_path / "t.jsonl", Clock()
    limits = Limits(settle=1, quiet=100, max_journal_bytes=2000)
    receiver = a_receiver(output, clock, limits=limits)
    receiver.accept(an_entry(a_span(1, 2, 1)))
    for span in range(3, 9):
        receiver.accept(an_entry(a_span(2, span, 1)))

    receiver.work()

    assert "journal" in {line["closed_by"] for line in lines_of(output)}
    assert lines_of(output)[0]["trace_id"] == trace_id(1)
    receiver.finish()


def test_a_request_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    receiver = a_receiver(tmp_path / "t.jsonl", Clock())

    with pytest.raises(BadRequest):
        receiver.accept(Entry(JSON, "", b"{"))
    assert receiver.accept(an_entry(a_span(0, 1))).count == 1

    assert list(journal_folder(tmp_path / "t.jsonl").glob("*.log")) == []
    receiver.finish()
    assert (receiver.counts.requests, receiver.counts.refused) == (1, 1)


def test_two_receivers_do_not_share_an_output(tmp_path: Path) -> None:
    receiver = a_receiver(tmp_path / "t.jsonl", Clock())

    with pytest.raises(InvalidSettings, match="another receiver"):
        a_receiver(tmp_path / "t.jsonl", Clock())

    receiver.finish()


def test_a_journal_that_cannot_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "t.jsonl"
    receiver = a_receiver(output, Clock())
    receiver.accept(an_entry(a_span(1, 1)))
    left = killed(output, receiver)

    def refuse(*_: object) -> None:
        raise BadRequest(400, "unknown")

    with monkeypatch.context() as patch:
        patch.setattr(receivers, "read_request", refuse)
        with pytest.raises(InvalidSettings, match="a request cannot be read: unknown"):
            a_receiver(left, Clock())

    a_receiver(left, Clock()).finish()  # nothing was lost
    assert len(lines_of(left)) == 1


def test_many_traces_are_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receivers, "_MAX_BATCH", 3)
    receiver = a_receiver(tmp_path / "t.jsonl", Clock())
    receiver.accept(an_entry(*[a_span(trace, 1) for trace in range(1, 11)]))

    receiver.finish()

    assert len(lines_of(tmp_path / "t.jsonl")) == 10
    assert msgspec.json.decode((tmp_path / "t.jsonl").read_bytes().splitlines()[9])
