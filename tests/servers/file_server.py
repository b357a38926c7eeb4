"""A web server on loopback that sends files, well-behaved or not.

with serve_files({"log.jsonl": data}) as server:
    open_bytes(server.url("log.jsonl"), allow_remote=True)
    server.requests  # what it was asked for
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["FileServer", "Request", "serve_files"]

_PIECE_SIZE = 1 << 16
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class Request(NamedTuple):
    """One request.

    Attributes:
        method: `GET` or `HEAD`.
        path: the path, with its query.
        sent: how many bytes of the file were sent.
        login: the user and the password, as they are sent; None without.
    """

    method: str
    path: str
    sent: int
    login: str | None


class FileServer(ThreadingHTTPServer):
    """The server.

    Attributes:
        files: what it sends; a path that ends with a slash is a page of links.
        statuses: the statuses of paths that are errors.
        moved: where a path redirects to.
        has_ranges: whether it answers range requests.
        has_sizes: whether it tells how large a file is.
        cut_after: end the connection after so many bytes of a file.
        login: `user:password` that is required.
        requests: what it was asked for, in order.
    """

    daemon_threads = True

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = dict(files)
        self.statuses: dict[str, int] = {}
        self.moved: dict[str, str] = {}
        self.has_ranges = True
        self.has_sizes = True
        self.cut_after: int | None = None
        self.login: str | None = None
        self.requests: list[Request] = []

    def url(self, path: str, *, login: str = "") -> str:
        """The address of a file."""
        return f"http://{login}127.0.0.1:{self.server_address[1]}/{path}"

    def status_of(self, path: str) -> int:
        usual = 302 if path in self.moved else 200 if path in self.files else 404
        return self.statuses.get(path, usual)

    @property
    def sent(self) -> int:
        """How many bytes of files were sent."""
        return sum(request.sent for request in self.requests)


class _Handler(BaseHTTPRequestHandler):
    server: FileServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(is_head=True)

    def do_GET(self) -> None:
        self._answer(is_head=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name of the library)
        pass

    def _answer(self, *, is_head: bool) -> None:
        server, path = self.server, self.path.partition("?")[0].lstrip("/")
        login = self.headers.get("Authorization")
        status = server.status_of(path)
        if (
            server.login is not None
            and login != f"Basic {b64encode(server.login.encode()).decode()}"
        ):
            status = 401
        data = server.files[path] if status == 200 else b""
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        total, start = len(data), 0
        if status == 200 and server.has_ranges and asked is not None:
            status, start = 206, int(asked[1])
            data = data[start : int(asked[2] or total) + 1]
        count = len(server.requests)
        server.requests.append(Request(self.command, self.path, 0, login))
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if path.endswith("/") else "text/plain")
        if server.has_sizes:
            self.send_header("Content-Length", str(len(data)))
        else:
            self.send_header("Connection", "close")
        if path in server.moved:
            self.send_header("Location", server.moved[path])
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{start + len(data) - 1}/{total}")
        self.end_headers()
        sent = b"" if is_head else data[: server.cut_after]
        self.close_connection |= not server.has_sizes or len(sent) < len(data)
        try:
            self._send(sent, count)
        except OSError:  # the other side has read enough
            self.close_connection = True

    def _send(self, data: bytes, count: int) -> None:
        """Write data in pieces, for the request of this number."""
        requests = self.server.requests
        for begin in range(0, len(data), _PIECE_SIZE):
            piece = data[begin : begin + _PIECE_SIZE]
            # Counted before it is written: whoever has read it may look at the count at once.
            before = requests[count]
            requests[count] = before._replace(sent=before.sent + len(piece))
            self.wfile.write(piece)


@contextmanager
def serve_files(files: Mapping[str, bytes]) -> Iterator[FileServer]:
    """A server that stops at the end."""
    with FileServer(files) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
