"""Documents in pages of results and in records of logs."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.formats.envelopes import LogRecords, is_log_record, unwrapped

TRACE = {"calls": [1]}
TEXT = msgspec.json.encode(TRACE).decode()


def is_known(value: Any) -> bool:
    return isinstance(value, dict) and "calls" in value


@pytest.mark.parametrize(
    "document",
    [
        {"results": [TRACE, TRACE]},
        {"object": "list", "data": [TRACE, TRACE], "has_more": False},
        {"data": {"items": [TRACE, TRACE]}, "status": "ok"},
        {"features": [{"name": "x"}], "rows": [{"row_idx": 0, "row": TRACE}, {"row": TRACE}]},
        {"hits": {"total": {"value": 2}, "hits": [{"_source": TRACE}, {"_source": TRACE}]}},
        [{"data": [TRACE]}, {"data": [TRACE], "next": None}],
        {"events": [{"logStreamName": "s", "message": f"INFO {TEXT}\n"}] * 2},
        {"results": [[{"field": "@ptr", "value": "x"}, {"field": "@message", "value": TEXT}]] * 2},
        {"data": [{"id": "1", "type": "log", "attributes": {"message": TEXT}}] * 2},
        {
            "data": [{"id": "1", "type": "log", "attributes": {"message": "", "attributes": TRACE}}]
            * 2
        },
        {"data": {"result": [{"stream": {}, "values": [["17", TEXT], ["18", TEXT]]}]}},
        [{"logName": "l", "insertId": "i", "jsonPayload": TRACE}] * 2,
        [{"line": TEXT, "timestamp": "1"}] * 2,
    ],
)
def test_an_envelope_carries_documents(document: Any) -> None:
    assert unwrapped(document, is_known) == [TRACE, TRACE]


@pytest.mark.parametrize(
    "document",
    [
        {"data": [TRACE], "spans": [{"name": "x"}]},  # a document of its own
        {"answers": [TRACE]},
        {"data": []},
        {"data": [3, TRACE]},
        {"results": "none"},
        {"data": {"data": {"data": {"data": {"data": {"data": {"data": [TRACE]}}}}}}},
        [{"line": "started {", "timestamp": "1"}],
        TRACE,
        [],
        "text",
        None,
    ],
)
def test_anything_else_carries_none(document: Any) -> None:
    assert unwrapped(document, is_known) == []


def test_an_item_that_is_not_known_is_not_lost() -> None:
    other = {"note": 1}

    assert unwrapped({"results": [TRACE, other]}, is_known) == [TRACE, other]


def test_text_for_people_in_a_log_is_left_out() -> None:
    events = [{"logStreamName": "s", "message": text} for text in ("START", TEXT, '{"cut": ')]

    assert unwrapped({"events": events}, is_known) == [TRACE]


def test_the_messages_of_a_log_may_be_one_document() -> None:
    lines = [{"line": text, "timestamp": time} for time, text in (("2", '{"n": 2}'), ("1", TEXT))]

    found = unwrapped(lines, lambda value: isinstance(value, list))

    assert found == [[TRACE, {"n": 2}]]  # in the order of time


def test_long_lines_of_docker_are_joined_by_stream() -> None:
    records = LogRecords()
    parts = [
        ("stdout", TEXT[:4]),
        ("stderr", "no\n"),
        ("stdout", TEXT[4:] + "\n"),
        ("stdout", TEXT),
    ]

    found = [records.take({"log": text, "stream": stream}) for stream, text in parts]

    assert found == [[], [], [TRACE], []]
    assert records.is_waiting
    assert records.finish() == [TRACE]
    assert not records.is_waiting


def test_a_trace_is_no_record_of_a_log() -> None:
    assert not is_log_record({"log": {"entries": []}})
    assert not is_log_record({"message": "x", "timestamp": "1"})
    assert not is_log_record(["1", 2])
    assert not is_log_record([])


def test_many_braces_are_no_record() -> None:
    assert unwrapped([{"log": 200_000 * "{ ", "stream": "stdout"}], is_known) == []


def test_many_parts_of_a_line_are_joined() -> None:
    records = LogRecords()
    part = {"log": 10_000 * " ", "stream": "stdout"}
    for _ in range(5_000):
        records.take(part)
    assert records.take({"log": f"{TEXT}\n", "stream": "stdout"}) == [TRACE]
