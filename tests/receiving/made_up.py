"""Spans as exporters send them, in JSON and in protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from callscore.receiving.otlp import JSON
from callscore.receiving.receiver import Receiver
from callscore.receiving.scoring import Session
from callscore.receiving.traces import Limits, TraceReader

__all__ = [
    "Clock",
    "a_receiver",
    "a_request",
    "a_span",
    "a_tool_span",
    "accept",
    "field",
    "in_protobuf",
    "kill",
    "lines_of",
    "no_file_over",
    "span_ids",
    "trace_id",
    "varint",
]


class Clock:
    """A clock that only a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def trace_id(number: int) -> str:
    return f"{number:032x}"


def a_span(
    trace: int, span: int, parent: int | None = None, name: str = "work", **attributes: Any
) -> dict[str, Any]:
    """A span in OTLP's JSON; `__` in the names of attributes are dots."""
    return {
        "traceId": trace_id(trace),
        "spanId": f"{span:016x}",
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(1_794_724_548_000_000_000 + span),
        "endTimeUnixNano": str(1_794_724_549_000_000_000 + span),
        "attributes": [
            {"key": key.replace("__", "."), "value": {"stringValue": value}}
            for key, value in attributes.items()
        ],
    }


def a_tool_span(trace: int, span: int, parent: int, tool: str, arguments: str) -> dict[str, Any]:
    """The span of a call, by the conventions for generative AI."""
    return a_span(
        trace,
        span,
        parent,
        f"execute_tool {tool}",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=tool,
        gen_ai__tool__call__id=f"call_{span}",
        gen_ai__tool__call__arguments=arguments,
    )


def a_request(*spans: dict[str, Any], resource: dict[str, str] | None = None) -> dict[str, Any]:
    attributes = [
        {"key": key, "value": {"stringValue": value}}
        for key, value in ({"service.name": "agent"} | (resource or {})).items()
    ]
    scope = {"scope": {"name": "tests"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": [scope]}]}


def lines_of(output: Any) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in output.read_bytes().splitlines()]


def span_ids(line: dict[str, Any]) -> list[str]:
    return [
        span["spanId"]
        for batch in line["resourceSpans"]
        for scope in batch["scopeSpans"]
        for span in scope["spans"]
    ]


def a_receiver(output: Any, clock: Clock, **options: Any) -> Receiver:
    """A receiver that closes a trace after a second with a root, or after ten."""
    limits = options.pop("limits", None) or Limits(settle=1, quiet=10)
    session = options.pop("session", None) or Session(TraceReader(), references={})
    return Receiver(output, session, limits=limits, clock=clock, **options)


def accept(
    receiver: Receiver, *spans: dict[str, Any], resource: dict[str, str] | None = None
) -> None:
    """Let a receiver take spans, as its server does."""
    receiver.accept(msgspec.json.encode(a_request(*spans, resource=resource)), "", JSON)


def kill(receiver: Receiver) -> None:
    """Leave the files as a killed receiver does."""
    receiver._spool.close(ends_session=False)
    receiver._file.close()


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    limits = pytest.importorskip("resource")
    before = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, before)


# --- protobuf ------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value % 128 | 128)
        value //= 128
    return bytes([*found, value])


def field(number: int, content: bytes) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def in_protobuf(request: dict[str, Any]) -> bytes:
    """A request of `a_request` as an exporter sends it by default."""
    found = b""
    for batch in request["resourceSpans"]:
        scopes = b""
        for scope in batch["scopeSpans"]:
            spans = b"".join(field(2, _span(span)) for span in scope["spans"])
            scopes += field(2, field(1, field(1, scope["scope"]["name"].encode())) + spans)
        found += field(1, field(1, _attributes(1, batch["resource"]["attributes"])) + scopes)
    return found


def _attributes(number: int, attributes: list[Any]) -> bytes:
    return b"".join(
        field(
            number,
            field(1, each["key"].encode())
            + field(2, field(1, each["value"]["stringValue"].encode())),
        )
        for each in attributes
    )


def _span(span: dict[str, Any]) -> bytes:
    parent = span.get("parentSpanId")
    times = [
        varint(number << 3 | 1) + int(span[name]).to_bytes(8, "little")
        for number, name in ((7, "startTimeUnixNano"), (8, "endTimeUnixNano"))
    ]
    return b"".join(
        [
            field(1, bytes.fromhex(span["traceId"])),
            field(2, bytes.fromhex(span["spanId"])),
            b"" if parent is None else field(4, bytes.fromhex(parent)),
            field(5, span["name"].encode()),
            varint(6 << 3) + varint(span["kind"]),
            *times,
            _attributes(9, span["attributes"]),
        ]
    )
