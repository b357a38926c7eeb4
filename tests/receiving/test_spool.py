"""What is on the disk before it is acknowledged: after a kill, after damage, and if it is not ours."""

from __future__ import annotations

import os
from errno import EMFILE
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.receiving.made_up import (
    Clock,
    a_receiver,
    a_request,
    a_span,
    accept,
    field,
    kill,
    lines_of,
    no_file_over,
    span_ids,
    trace_id,
)

from callscore.core.case import Case
from callscore.errors import CallscoreError, InvalidSettings
from callscore.receiving import spool as spools
from callscore.receiving.otlp import JSON, PROTOBUF, RefusedRequest
from callscore.receiving.receiver import spool_of
from callscore.receiving.scoring import Session
from callscore.receiving.traces import Limits, TraceReader

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.receiving.traces import Trace


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def written(output: Path) -> list[str]:
    return sorted(line["trace_id"] for line in lines_of(output))


def nested(depth: int, kind: str = "arrayValue") -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "x"}
    for _ in range(depth):
        held = value if kind == "arrayValue" else {"key": "k", "value": value}
        value = {kind: {"values": [held]}}
    return value


KEYS = ("callscore.case_id", "gen_ai.tool.call.arguments", "gen_ai.input.messages", "other")
NUMBERS: list[Any] = [2**63 - 1, "-9223372036854775808", "abc", 10**30, "9" * 5_000, 1.5, []]
EMPTY: list[Any] = [{}, {"arrayValue": {}}, {"kvlistValue": None}, None]
WRONG: list[Any] = [1, "x", [], {"arrayValue": [1]}]
TEXTS = ("[" * 100_000, '{"a":' * 300 + "1" + "}" * 300, "9" * 5_000, "NaN", '{"a": 1e999}', "\0")


@pytest.mark.parametrize(
    ("is_kept", "value"),
    [
        *((True, nested(depth)) for depth in (0, 10, 30)),
        *((False, nested(depth)) for depth in (40, 120, 300)),
        *((False, nested(depth, "kvlistValue")) for depth in (40, 120)),
        *((True, {"stringValue": text}) for text in TEXTS),
        *((True, {"intValue": number}) for number in NUMBERS),
        *((True, {"doubleValue": number}) for number in ("NaN", 1e308, 1)),
        *((True, {"boolValue": flag}) for flag in (1, "true")),
        *((True, value) for value in EMPTY),
        *((True, value) for value in WRONG),
    ],
)
def test_a_value_that_is_acknowledged_can_be_read_after_a_kill(
    output: Path, value: Any, *, is_kept: bool
) -> None:
    receiver = a_receiver(output, Clock())
    for number, key in enumerate(KEYS, 1):
        span = a_span(number, 1) | {"attributes": [{"key": key, "value": value}]}
        if is_kept:
            accept(receiver, span)
        else:
            with pytest.raises(RefusedRequest) as caught:
                accept(receiver, span)
            assert (caught.value.status, bool(caught.value.problem)) == (400, True)
    kill(receiver)
    a_receiver(output, Clock()).finish()

    lines = lines_of(output)
    assert len(lines) == (len(KEYS) if is_kept else 0)
    assert not any("problem" in line for line in lines)
    assert not spool_of(output).exists()


@pytest.mark.parametrize(
    "content",
    [b"NaN", b"1e999", b"1" * 5_000, b'"\xff"', b'"\\ud800"', b"[" * 120 + b"]" * 120, b"tru"],
)
def test_unknown_fields_are_checked_too(output: Path, content: bytes) -> None:
    body = msgspec.json.encode(a_request(a_span(1, 1) | {"other": 0}))
    receiver = a_receiver(output, Clock())
    with pytest.raises(RefusedRequest):
        receiver.accept(body.replace(b'"other":0', b'"other":' + content), "", JSON)
    receiver.accept(body, "", JSON)
    receiver.finish()

    assert written(output) == [trace_id(1)]


def test_protobuf_that_is_nested_too_deeply_is_refused(output: Path) -> None:
    value = field(1, b"x")
    for _ in range(60):
        value = field(5, field(1, value))
    ids = field(1, bytes.fromhex(trace_id(1))) + field(2, b"12345678")
    body = field(1, field(2, field(2, ids + field(9, field(1, b"k") + field(2, value)))))
    receiver = a_receiver(output, Clock())
    with pytest.raises(RefusedRequest, match="100 levels"):
        receiver.accept(body, "", PROTOBUF)
    receiver.finish()


def test_a_resource_around_many_traces_does_not_fill_the_disk(output: Path) -> None:
    spans = [a_span(number, 1) for number in range(1, 1_000)]
    receiver = a_receiver(output, Clock(), limits=Limits())
    with pytest.raises(RefusedRequest, match="its traces would take more than") as caught:
        accept(receiver, *spans, resource={"text": "x" * 200_000})
    receiver.finish()

    assert (caught.value.status, lines_of(output)) == (413, [])


def test_a_trace_that_cannot_be_read_is_written_and_the_rest_goes_on(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = TraceReader.read

    def fail(reader: TraceReader, trace: Trace) -> None:
        read(reader, trace)
        if trace.trace_id == trace_id(2):
            raise ZeroDivisionError

    monkeypatch.setattr(TraceReader, "read", fail)
    session = Session(TraceReader(), references={"a": Case(id="a", expected=())})
    receiver = a_receiver(output, Clock(), session=session)
    accept(receiver, a_span(1, 1), a_span(2, 1), a_span(3, 1))
    receiver.finish()

    lines = lines_of(output)
    assert [line["trace_id"] for line in lines] == [trace_id(number) for number in (1, 2, 3)]
    assert (lines[1]["problem"], "actual" in lines[1]) == ("ZeroDivisionError()", False)
    assert lines[1]["resourceSpans"]
    assert session.results().skipped.names == (f"trace {trace_id(2)}: ZeroDivisionError()",)


@pytest.mark.parametrize("already", [b"", b'{"a":1}\n' * 100])
def test_an_output_that_was_moved_away_begins_again(output: Path, already: bytes) -> None:
    output.write_bytes(already)
    for number in (1, 2):
        receiver = a_receiver(output, Clock())
        accept(receiver, a_span(number, 1))
        kill(receiver)
        output.rename(output.with_name("moved.jsonl"))
    a_receiver(output, Clock()).finish()

    assert written(output) == [trace_id(1), trace_id(2)]


@pytest.mark.parametrize("later", [[], [a_span(4, 1)]])
def test_what_was_refused_is_not_there_at_the_next_start(
    output: Path, later: list[dict[str, Any]]
) -> None:
    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(1, 1, text="x" * 400_000))
    with no_file_over(600_000):
        for number in (2, 3):
            with pytest.raises(RefusedRequest) as caught:
                accept(receiver, a_span(number, 1, text="x" * 400_000))
            assert caught.value.status == 503
    for span in later:
        accept(receiver, span)
    kill(receiver)
    a_receiver(output, Clock()).finish()

    assert written(output) == [trace_id(number) for number in (1, 4)[: 1 + len(later)]]


def test_a_spool_of_which_little_is_needed_is_written_anew(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spools, "_SPARED_BYTES", 10_000)
    clock = Clock()
    receiver = a_receiver(output, clock)
    accept(receiver, a_span(1, 1, 5))
    for number in range(2, 200):
        accept(receiver, a_span(number, 1))
        clock.now += 1
        if number % 9:  # the first one has no root
            accept(receiver, a_span(1, number, 5))
        receiver.work()
    largest = spool_of(output).stat().st_size
    kill(receiver)
    a_receiver(output, Clock()).finish()

    assert largest < 400_000
    spans = [span for line in lines_of(output) for span in span_ids(line)]
    assert len(spans) == 198 + 1 + 198 - 22


def error_of_start(output: Path) -> str:
    """Start a receiver, and end it; why it did not start, or nothing."""
    try:
        a_receiver(output, Clock()).finish()
    except CallscoreError as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_damage_is_reported_and_kept_and_what_can_be_read_is_written(output: Path) -> None:
    receiver = a_receiver(output, Clock())
    for number in range(1, 51):
        accept(receiver, a_span(number, 1, text="x" * 200))
    kill(receiver)
    spool = spool_of(output)
    whole, random = spool.read_bytes(), Random(1)
    for place in [len(whole) - 1, *(random.randrange(len(whole)) for _ in range(150))]:
        output.unlink(missing_ok=True)
        damaged = bytearray(whole)
        damaged[place] ^= 1 << random.randrange(8)
        spool.write_bytes(damaged)
        problem = error_of_start(output)
        found = written(output)

        assert str(spool) in problem
        assert "Move the file away" in problem
        assert spool.read_bytes() == damaged
        assert error_of_start(output) == problem
        assert written(output) == found  # nothing is written twice
        assert len(found) in ((49, 50) if place < whole.index(b"\n") + 1 else (48, 49))


@pytest.mark.parametrize("kept", [0, 10, 49])
@pytest.mark.parametrize("more", [0, 1, 100])
def test_a_spool_without_its_end_is_damaged(output: Path, kept: int, more: int) -> None:
    receiver = a_receiver(output, Clock())
    for number in range(1, 51):
        accept(receiver, a_span(number, 1))
    kill(receiver)
    spool = spool_of(output)
    lines = spool.read_bytes().splitlines(keepends=True)
    rest = b"".join(lines[: 1 + kept]) + lines[1 + kept][:more]
    spool.write_bytes(rest)

    assert "requests that were acknowledged are lost" in error_of_start(output)
    assert written(output) == [trace_id(number) for number in range(1, kept + 1)]
    assert spool.read_bytes() == rest


@pytest.mark.parametrize("index", [0, 1])
def test_what_follows_a_damaged_or_missing_line_is_read(output: Path, index: int) -> None:
    receiver = a_receiver(output, Clock())
    for number in range(1, 6):
        accept(receiver, a_span(number, 1))
    kill(receiver)
    lines = spool_of(output).read_bytes().splitlines(keepends=True)
    for damaged in ([b"?" + lines[index][1:]], []):
        output.unlink(missing_ok=True)
        left = b"".join([*lines[:index], *damaged, *lines[index + 1 :]])
        spool_of(output).write_bytes(left)

        assert "requests that were acknowledged are lost" in error_of_start(output)
        assert written(output) == [trace_id(number) for number in range(1 + index, 6)]
        assert spool_of(output).read_bytes() == left


@pytest.mark.parametrize("text", [b"0 x\n", b"x 1\n", b"9 [x\n", b"9 x\n", b"9\n"])
def test_lines_that_no_receiver_writes_are_damage(output: Path, text: bytes) -> None:
    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(1, 1))
    kill(receiver)
    line = blake2b(text, digest_size=16).hexdigest().encode() + b" " + text
    spool = spool_of(output)
    spool.write_bytes(spool.read_bytes() + line)
    left = spool.read_bytes()

    assert "Move the file away" in error_of_start(output)
    assert written(output) == [trace_id(1)]
    assert spool.read_bytes() == left

    spool.write_bytes(line)  # as the first line
    assert "ove the file away" in error_of_start(output)
    assert spool.read_bytes() == line


def test_a_spool_that_cannot_be_opened_twice_is_written_anew(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = os.open

    def fail(path: Any, *options: Any) -> int:
        if path == spool_of(output):
            raise OSError(EMFILE, "Too many open files")
        return open_file(path, *options)

    monkeypatch.setattr(spools, "_SPARED_BYTES", 0)
    receiver = a_receiver(output, Clock())
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", fail)
        for number in range(1, 51):
            accept(receiver, a_span(number, 1))
    kill(receiver)
    a_receiver(output, Clock()).finish()

    assert len(written(output)) == 50


@pytest.mark.parametrize("is_new_file", [False, True])
def test_an_output_that_another_program_has_written_again_loses_no_trace(
    output: Path, *, is_new_file: bool
) -> None:
    clock = Clock()
    receiver = a_receiver(output, clock)
    for number in range(1, 4):
        accept(receiver, a_span(number, 1))
        clock.now += 2
        receiver.work()
    accept(receiver, a_span(4, 1))  # now the others are deleted from the spool
    kill(receiver)
    content = output.read_bytes().rstrip(b"\n")
    if is_new_file:
        output.rename(output.with_name("moved.jsonl"))
    output.write_bytes(content)
    again = a_receiver(output, Clock())
    again.finish()

    assert written(output) == [trace_id(number) for number in range(1, 5)]
    assert again.counts.written_before == (0 if is_new_file else 3)


def test_a_trace_that_a_killed_receiver_has_written_in_part_is_written_again(
    output: Path,
) -> None:
    clock = Clock()
    receiver = a_receiver(output, clock)
    accept(receiver, a_span(1, 1))
    clock.now += 2
    receiver.work()
    left = spool_of(output).read_bytes()
    kill(receiver)
    spool_of(output).write_bytes(left)  # as if the line was not on the disk yet
    os.truncate(output, output.stat().st_size - 20)
    a_receiver(output, Clock()).finish()

    assert written(output) == [trace_id(1)]


@pytest.mark.parametrize("cut", [1, 100, 400])
def test_a_request_that_was_cut_off_was_not_acknowledged(output: Path, cut: int) -> None:
    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(1, 1))
    before = spool_of(output).read_bytes()
    accept(receiver, a_span(2, 1, text="x" * 500))
    kill(receiver)
    after = spool_of(output).read_bytes()
    spool_of(output).write_bytes(before + after[len(before) : len(before) + cut])
    again = a_receiver(output, Clock())
    accept(again, a_span(3, 1))
    kill(again)
    a_receiver(output, Clock()).finish()

    assert written(output) == [trace_id(1), trace_id(3)]


def size_and_beginning(path: Path) -> tuple[int, bytes]:
    with path.open("rb") as file:
        return path.stat().st_size, file.read(8192)


@pytest.mark.parametrize("name", ["text", "binary", "sparse"])
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(output: Path, name: str) -> None:
    spool = spool_of(output)
    if name == "sparse":
        kill(a_receiver(output, Clock()))
        os.truncate(spool, 1 << 36)
    else:
        spool.write_bytes(b"notes\n" * 100 if name == "text" else bytes(100_000))
    before = size_and_beginning(spool)

    with pytest.raises(InvalidSettings, match=r"ove the file away"):
        a_receiver(output, Clock())

    assert size_and_beginning(spool) == before


def test_more_than_the_memory_is_refused_before_anything_is_written(
    output: Path,
) -> None:
    receiver = a_receiver(output, Clock())
    for number in range(1, 10):
        accept(receiver, a_span(number, 1, text="x" * 20_000))
    kill(receiver)
    small = Limits(settle=1, quiet=10, max_open_bytes=100_000, max_body_bytes=3_000)

    with pytest.raises(InvalidSettings, match="Pass a larger --max-memory"):
        a_receiver(output, Clock(), limits=small)

    assert lines_of(output) == []
    a_receiver(output, Clock()).finish()
    assert len(lines_of(output)) == 9
