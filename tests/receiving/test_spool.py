"""What is on the disk before it is acknowledged: after a kill, after damage, and if it is not ours."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
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
    trace_id,
)

from callscore.errors import CallscoreError, InvalidSettings
from callscore.receiving.open_traces import Limits
from callscore.receiving.otlp import JSON, PROTOBUF, RefusedRequest
from callscore.receiving.receiver import spool_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.receiving.closed_traces import ClosedTrace


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
        *((True, {"intValue": number}) for number in (2**63 - 1, "-9223372036854775808", "abc")),
        *((False, {"intValue": number}) for number in (10**30, "9" * 5_000, 1.5)),
        *((True, {"doubleValue": number}) for number in ("NaN", 1e308, 1)),
        *((False, {"boolValue": flag}) for flag in (1, "true")),
        *((True, value) for value in EMPTY),
        *((False, value) for value in WRONG),
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
    aside: list[str] = []
    a_receiver(output, Clock(), on_aside=lambda name, _: aside.append(name)).finish()

    assert (len(lines_of(output)), aside) == (len(KEYS) if is_kept else 0, [])
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


def test_a_trace_that_cannot_be_read_is_kept_aside_and_the_rest_goes_on(output: Path) -> None:
    aside: list[str] = []

    def fail(trace: ClosedTrace) -> dict[str, Any]:
        if trace.trace_id == trace_id(2):
            raise ZeroDivisionError
        return {}

    receiver = a_receiver(
        output, Clock(), fields_of=fail, on_aside=lambda *found: aside.append(" ".join(found))
    )
    accept(receiver, a_span(1, 1), a_span(2, 1), a_span(3, 1))
    receiver.finish()

    assert written(output) == [trace_id(1), trace_id(3)]
    assert aside == [f"{trace_id(2)} ZeroDivisionError()"]
    assert receiver.unwritten == 1
    a_receiver(output, Clock()).finish()
    assert written(output) == [trace_id(1), trace_id(2), trace_id(3)]
    assert not spool_of(output).exists()


def test_an_output_that_was_replaced_is_said_once(output: Path) -> None:
    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(1, 1))
    kill(receiver)
    output.rename(output.with_name("moved.jsonl"))

    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(2, 1))
    kill(receiver)
    again = a_receiver(output, Clock())
    again.finish()

    assert (receiver.is_known_output, again.is_known_output) == (False, True)
    assert written(output) == [trace_id(1), trace_id(2)]


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    limits = pytest.importorskip("resource")
    before = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("later", [[], [a_span(4, 1)]])
def test_what_was_refused_or_deleted_is_not_there_at_the_next_start(
    output: Path, later: list[dict[str, Any]]
) -> None:
    receiver = a_receiver(output, Clock())
    accept(receiver, a_span(1, 1, text="x" * 400_000))
    with no_file_over(600_000):  # the log has room for another one, and the database does not
        with pytest.raises(RefusedRequest) as caught:
            accept(receiver, a_span(2, 1, text="x" * 400_000))
        receiver._spool.delete([1])
        with pytest.raises(RefusedRequest):
            accept(receiver, a_span(3, 1, text="x" * 400_000))
    for span in later:
        accept(receiver, span)
    kill(receiver)
    a_receiver(output, Clock()).finish()

    assert (caught.value.status, written(output)) == (503, [trace_id(4)] * len(later))


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
    whole, random, reported, lost = spool.read_bytes(), Random(1), 0, 0
    for _ in range(150):
        output.unlink()
        damaged = bytearray(whole)
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        spool.write_bytes(damaged)
        problem = error_of_start(output)
        found = written(output)
        if problem:
            assert str(spool) in problem
            assert "Move the file away" in problem
            assert spool.read_bytes() == damaged
            assert error_of_start(output) == problem
            assert written(output) == found  # nothing is written twice
            reported += 1
            lost += len(found) < 40
            spool.unlink()
        else:  # a byte that means nothing
            assert found == [trace_id(number) for number in range(1, 51)]
            assert not spool.exists()

    assert reported > 50
    assert lost < 15  # a whole page, or the beginning of the file


def size_and_beginning(path: Path) -> tuple[int, bytes]:
    with path.open("rb") as file:
        return path.stat().st_size, file.read(8192)


@pytest.mark.parametrize("name", ["text", "database", "table", "sparse"])
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(output: Path, name: str) -> None:
    spool = spool_of(output)
    if name == "text":
        spool.write_text("notes\n" * 100, encoding="utf-8")
    elif name == "sparse":
        kill(a_receiver(output, Clock()))
        os.truncate(spool, 1 << 36)
    else:
        connection = sqlite3.connect(spool)
        if name == "table":
            connection.execute(f"PRAGMA application_id={0x63734F54}")
        connection.execute("CREATE TABLE spool (id INTEGER PRIMARY KEY, text TEXT)")
        connection.close()
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
