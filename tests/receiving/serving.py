"""A receiver behind its server, in this process, and how to ask it."""

from __future__ import annotations

import http.client
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from tests.receiving.made_up import Clock, a_receiver, a_request, a_span, in_protobuf

from callscore.receiving.otlp import PROTOBUF
from callscore.receiving.server import listening, trace_server
from callscore.receiving.traces import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.receiving.receiver import Receiver
    from callscore.receiving.server import TraceServer

__all__ = ["BODY", "HOST", "LIMITS", "WAIT", "Response", "Serving", "ask", "serving"]

HOST = "127.0.0.1"
WAIT = 300
BODY = in_protobuf(a_request(a_span(1, 1)))
LIMITS = Limits(settle=1, quiet=10, max_body_bytes=100_000)


class Serving(NamedTuple):
    """A receiver that runs."""

    receiver: Receiver
    server: TraceServer
    clock: Clock

    def send(self, *spans: dict[str, Any], resource: dict[str, str] | None = None) -> int:
        """The status of a request with spans."""
        return ask(self.server, in_protobuf(a_request(*spans, resource=resource))).status

    def wait(self, seconds: float) -> None:
        """Let time pass, and let complete traces be written."""
        self.clock.now += seconds
        self.receiver.work()


@contextmanager
def serving(
    folder: Path, *, token: str | None = None, limits: Limits = LIMITS
) -> Iterator[Serving]:
    """A receiver that writes to `t.jsonl` in a folder; at the end, everything is written."""
    clock = Clock()
    receiver = a_receiver(folder / "t.jsonl", clock, limits=limits)
    try:
        with listening(port=0) as sock, trace_server(receiver, sock, token=token) as server:
            yield Serving(receiver, server, clock)
    finally:
        receiver.finish()


class Response:
    """A response of the server."""

    def __init__(self, found: http.client.HTTPResponse) -> None:
        self.status = found.status
        self.headers = found.headers
        self.body = found.read()

    @property
    def data(self) -> Any:
        """The body, if it is JSON."""
        return msgspec.json.decode(self.body)


def ask(
    server: TraceServer,
    body: bytes = BODY,
    *,
    path: str = "/v1/traces",
    method: str = "POST",
    kind: str | None = PROTOBUF,
    **headers: str,
) -> Response:
    """Ask a server; `_` in the names of headers are hyphens."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if kind is not None:
        given["Content-Type"] = kind
    connection = http.client.HTTPConnection(HOST, server.port, timeout=WAIT)
    with closing(connection):
        connection.request(method, path, body, given)
        return Response(connection.getresponse())
