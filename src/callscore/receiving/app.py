"""Answers requests: `POST /v1/traces`, with a body that comes in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from h11 import IDLE, SEND_BODY
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from callscore.receiving.otlp import (
    JSON,
    Kind,
    Refused,
    RefusedRequest,
    error_body,
    kind_of,
    success_body,
    too_large,
)

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from callscore.receiving.receiver import Receiver

_PATH = "/v1/traces"
_HEALTH_PATH = "/healthz"
_THREADS = 16
_MOST_CONNECTIONS = 256
_PATIENCE = 10  # seconds that a request may take to come, and its body
_MAX_UNREAD_BYTES = 64 << 20  # of all bodies that are being received
_SKIPPING = 5  # seconds for the rest of a body that is refused
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_ADVICE = {405: {"allow": "POST"}, 401: {"www-authenticate": "Bearer"}}
_OK = 200


class App:
    """Answers requests.

    Args:
        receiver: takes the spans.
        token: what requests need; None on this machine, where pages in a browser are refused.
        on_refused: called with the status of each request that is refused, and what its sender is told.

    Attributes:
        waiting: the connections on which a request has not come, or not completely; the longest wait first.
    """

    def __init__(
        self, receiver: Receiver, token: str | None, on_refused: Callable[[int, str], None]
    ) -> None:
        self.waiting: dict[Any, None] = {}
        self._receiver = receiver
        self._on_refused = on_refused
        self._token = None if token is None else f"Bearer {token}".encode()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="callscore-receive")
        self._unread_bytes = 0

    def close(self) -> None:
        """Wait for what is being taken."""
        self._threads.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        request, kind = Request(scope, receive), JSON
        try:
            self._require_allowed(request)
            if request.scope["path"] == _HEALTH_PATH and request.method in ("GET", "HEAD"):
                response = self._health()
            else:
                _require_traces(request)
                kind = kind_of(_only(request, "content-type"))
                refused = await self._take(request, kind)
                response = _response(_OK, kind, success_body(refused, kind))
        except RefusedRequest as error:
            self._on_refused(error.status, error.problem)
            await _skip(request)
            response = _response(error.status, kind, error_body(error.status, error.problem, kind))
            if error.retry_after is not None:
                response.headers["retry-after"] = str(error.retry_after)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _take(self, request: Request, kind: Kind) -> Refused:
        self._receiver.require_room()
        encoding = _only(request, "content-encoding")
        content, limit = bytearray(), self._receiver.limits.max_body_bytes
        try:
            async for part in request.stream():
                content += part
                self._unread_bytes += len(part)
                if len(content) > limit:
                    raise too_large(limit)
                if self._unread_bytes > _MAX_UNREAD_BYTES:
                    self._make_room(scope_client=request.scope["client"])
            # In a thread, which a client that gives up does not stop half-way.
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, self._receiver.accept, bytes(content), encoding, kind
            )
        finally:
            self._unread_bytes -= len(content)

    def _make_room(self, scope_client: Any) -> None:
        """Close the connection whose body is the longest in coming, unless it is that of this client."""
        oldest = next((each for each in self.waiting if each.waits_for is SEND_BODY), None)
        if oldest is None or oldest.client == scope_client:
            raise RefusedRequest(429, "too many requests at once", 1)
        oldest.transport.abort()

    def _health(self) -> Response:
        if self._receiver.problem:
            return _response(503, JSON, b'{"status":"cannot write"}')
        return _response(_OK, JSON, b'{"status":"ok"}')

    def _require_allowed(self, request: Request) -> None:
        headers = request.headers
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            raise RefusedRequest(403, "the request comes from a page in a browser, and is refused")
        if self._token is None:
            names = [host.rpartition(":")[0] or host for host in headers.getlist("host")]
            if len(names) != 1 or names[0].lower() not in _LOCAL_NAMES:
                raise RefusedRequest(
                    403, "the Host must be 127.0.0.1 or localhost, without a token"
                )
            return
        given = [each.encode("latin-1") for each in headers.getlist("authorization")]
        is_right = len(given) == 1 and compare_digest(given[0], self._token)
        if not is_right and request.scope["path"] != _HEALTH_PATH:
            raise RefusedRequest(401, "the token is missing or wrong: see CALLSCORE_RECEIVE_TOKEN")


def _require_traces(request: Request) -> None:
    if request.scope["path"] != _PATH:
        raise RefusedRequest(404, f"only traces are received: POST {_PATH}")
    if request.method != "POST":
        raise RefusedRequest(405, f"only POST {_PATH}")


def _only(request: Request, name: str) -> str:
    """The value of a header that may be given once; empty if it is not."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise RefusedRequest(400, f"the header {name} is given twice")
    return values[0] if values else ""


async def _skip(request: Request) -> None:
    """Read the rest of a body that is refused, for some seconds.

    A client that is still sending would get a reset connection in place of the response, and try again.
    """
    with suppress(ClientDisconnect, TimeoutError, RuntimeError):  # the last if all of it was read
        async with asyncio.timeout(_SKIPPING):
            async for _ in request.stream():
                pass


def _response(status: int, kind: Kind, body: bytes) -> Response:
    headers = _HEADERS | _ADVICE.get(status, {})
    if status != _OK:  # the rest of the request may not have been read
        headers["connection"] = "close"
    return Response(body, status, headers, kind)


def protocol_of(app: App) -> type[H11Protocol]:
    """The connections of uvicorn, of which a limited number may be open, and wait for a limited time."""

    class Protocol(H11Protocol):
        waits_for: Any = None  # the state of the client: IDLE, or SEND_BODY
        timer: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > _MOST_CONNECTIONS:
                next(iter(app.waiting), self).transport.abort()
            _watch(self, app.waiting)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            _watch(self, app.waiting)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            _watch(self, app.waiting)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            _watch(self, app.waiting)

    return Protocol


def _watch(connection: Any, waiting: dict[Any, None]) -> None:
    """Begin to wait for a request, or for its body, or end that."""
    is_open = connection in connection.connections and not connection.transport.is_closing()
    state = connection.conn.their_state if is_open else None
    if state not in (IDLE, SEND_BODY):
        state = None
    if state is connection.waits_for:
        return
    connection.waits_for = state
    waiting.pop(connection, None)
    if connection.timer is not None:
        connection.timer.cancel()
    if state is not None:
        waiting[connection] = None
        connection.timer = connection.loop.call_later(_PATIENCE, connection.transport.abort)
