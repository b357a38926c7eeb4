"""A web server on loopback that records what it is sent, and answers as a test says.

with record_requests({"/v1/logs": Reply(200)}) as server:
    send_to(server.url)
    server.requests  # what it was sent
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["RecordingServer", "Reply", "Sent", "record_requests"]


class Reply(NamedTuple):
    """What the server answers; the last of several replies is repeated."""

    status: int = 200
    body: bytes = b"{}"
    kind: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


class Sent(NamedTuple):
    """One request; the names of its headers are in lower case."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class RecordingServer(ThreadingHTTPServer):
    """The server; `replies` are by path, and a path without any is not found."""

    daemon_threads = True

    def __init__(self, replies: Mapping[str, Reply | Sequence[Reply]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = {
            path: [reply] if isinstance(reply, Reply) else list(reply)
            for path, reply in replies.items()
        }
        self.requests: list[Sent] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def sent_to(self, path: str) -> list[Sent]:
        """The requests to a path."""
        return [request for request in self.requests if request.path == path]

    def reply_to(self, path: str) -> Reply:
        """The next reply to a path."""
        replies = self.replies.get(path, [Reply(404)])
        return replies.pop(0) if len(replies) > 1 else replies[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingServer

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        size = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(size)
        self.server.requests.append(Sent(self.command, parts.path, parts.query, headers, body))
        reply = self.server.reply_to(parts.path)
        self.send_response(reply.status)
        for name, value in (("content-type", reply.kind), *reply.headers):
            self.send_header(name, value)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815  (as the server calls them)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def record_requests(
    replies: Mapping[str, Reply | Sequence[Reply]],
) -> Iterator[RecordingServer]:
    """A server on a free port, which ends with the block."""
    server = RecordingServer(replies)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
