"""The server in a thread: answers `POST /v1/traces`, from this machine only unless a token protects it."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hmac import compare_digest
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.errors import InvalidSettings, MissingExtra
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
from callscore.receiving.receiver import DEFAULT_HOST, DEFAULT_PORT, TOKEN_VARIABLE, Receiver

try:
    import uvicorn
    from h11 import IDLE, SEND_BODY
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise MissingExtra("callscore receive", "web") from None

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_SHORTEST_TOKEN = 16
_HOW_TO_MAKE_ONE = "python -c 'import secrets; print(secrets.token_urlsafe(24))'"
_PATH = "/v1/traces"
_HEALTH_PATH = "/healthz"
_THREADS = 16
_MOST_CONNECTIONS = 256
_PATIENCE = 10  # seconds that a request may take to come, and its body likewise
_MAX_UNREAD_BYTES = 64 << 20  # of all bodies that are being received
_SKIPPING = 5  # seconds for the rest of a body that is refused
_GRACE = 5  # seconds that requests under way get when the server ends
_TICK = 0.02
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_ADVICE = {405: {"allow": "POST"}, 401: {"www-authenticate": "Bearer"}}
_OK = 200


def checked_token(host: str, token: str | None) -> str | None:
    """The token that requests need; None if the server can only be reached from this machine.

    Raises:
        InvalidSettings: other machines can reach the server, and there is no token, or a short one.
    """
    if not token:
        is_local = host == "localhost"  # other names may be resolved to anything
        with suppress(ValueError):
            is_local = is_local or ipaddress.ip_address(host.strip("[]")).is_loopback
        if is_local:
            return None
        problem = f"--host {host}: other machines can reach this address, and there is no token"
        raise InvalidSettings(f"{problem}. Set {TOKEN_VARIABLE}, with {_HOW_TO_MAKE_ONE}")
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        problem = f"{TOKEN_VARIABLE}: a token needs at least {_SHORTEST_TOKEN} ASCII characters"
        raise InvalidSettings(f"{problem}. Make one with {_HOW_TO_MAKE_ONE}")
    return token


def listening(host: str = DEFAULT_HOST, port: int = DEFAULT_PORT) -> socket.socket:
    """A socket for `trace_server`; requests wait until the server starts.

    Raises:
        InvalidSettings: the address cannot be used.
    """
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    try:
        return socket.create_server((name, port), family=family)
    except OSError as error:
        if (error.errno or 0) < 0:  # of the resolver
            raise InvalidSettings(f"--host {host}: the name is not known") from error
        problem = f"cannot listen on {host}, port {port}: {os.strerror(error.errno or 0)}"
        raise InvalidSettings(f"{problem}. Pass another --port") from error


class TraceServer(NamedTuple):
    """A server that was started.

    Attributes:
        address: where traces are sent: `http://127.0.0.1:4318/v1/traces`.
        thread: lives as long as it runs.
    """

    address: str
    port: int
    thread: Thread


@contextmanager
def trace_server(
    receiver: Receiver,
    sock: socket.socket,
    *,
    token: str | None,
    on_refused: Callable[[int, str], None] = lambda *_: None,
) -> Iterator[TraceServer]:
    """Receive traces in a thread, until the block ends; requests under way are then answered."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host.partition("%")[0]).is_unspecified:
        host = socket.gethostname()  # what exporters need
    host = f"[{host}]" if ":" in host else host
    app = _App(receiver, token, on_refused)
    try:
        with served(app, sock, name="receive", grace=_GRACE, http=_Connection) as thread:
            yield TraceServer(f"http://{host}:{port}{_PATH}", port, thread)
    finally:
        app.threads.shutdown()


@contextmanager
def served(
    app: Any, sock: socket.socket, *, name: str, grace: int, http: Any = "h11"
) -> Iterator[Thread]:
    """Answer requests in a thread, until the block ends and those under way had some seconds."""
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=http,
        ws="none",
        lifespan="off",
        loop="asyncio",
        timeout_graceful_shutdown=grace,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([sock],), name=f"callscore-{name}", daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        sleep(_TICK)
    try:
        yield thread
    finally:
        server.should_exit = True
        thread.join(grace * 2)


class _App:
    """Answers requests.

    Args:
        receiver: takes the spans.
        token: what requests need; None on this machine, where pages in a browser are refused.
        on_refused: called with the status of each request that is refused, and what its sender is told.

    Attributes:
        threads: those in which requests are taken.
        waiting: the connections on which a request has not come, or not completely, with the timers that
            close them; the longest wait first.
    """

    def __init__(
        self, receiver: Receiver, token: str | None, on_refused: Callable[[int, str], None]
    ) -> None:
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="callscore-receive")
        self.waiting: dict[_Connection, asyncio.TimerHandle] = {}
        self._receiver = receiver
        self._on_refused = on_refused
        self._token = None if token is None else f"Bearer {token}".encode()
        self._unread_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request, kind = Request(scope, receive), JSON
        try:
            self._require_allowed(request)
            if scope["path"] == _HEALTH_PATH:
                problem = self._receiver.problem
                status, text = (503, b"cannot write") if problem else (_OK, b"ok")
                response = _response(status, JSON, b'{"status":"%b"}' % text)
            else:
                kind = kind_of(_only(request, "content-type"))
                refused = await self._take(request, kind)
                response = _response(_OK, kind, success_body(refused, kind))
        except RefusedRequest as error:
            self._on_refused(error.status, error.problem)
            # A client that is still sending would get a reset connection in place of the response, and try
            # again. (It is a RuntimeError if all of it was read.)
            with suppress(ClientDisconnect, TimeoutError, RuntimeError):
                async with asyncio.timeout(_SKIPPING):
                    async for _ in request.stream():
                        pass
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
                if self._unread_bytes > _MAX_UNREAD_BYTES:  # close the oldest of others
                    sending = (each for each in self.waiting if each.conn.their_state is SEND_BODY)
                    oldest = next(sending, None)
                    if oldest is None or oldest.client == request.scope["client"]:
                        raise RefusedRequest(429, "too many requests at once", 1)
                    oldest.transport.abort()
            # In a thread, which a client that gives up does not stop half-way.
            return await asyncio.get_running_loop().run_in_executor(
                self.threads, self._receiver.accept, bytes(content), encoding, kind
            )
        finally:
            self._unread_bytes -= len(content)

    def _require_allowed(self, request: Request) -> None:
        headers, path = request.headers, request.scope["path"]
        names = [host.rpartition(":")[0] or host for host in headers.getlist("host")]
        is_local = len(names) == 1 and names[0].lower() in _LOCAL_NAMES
        given = [each.encode("latin-1") for each in headers.getlist("authorization")]
        is_health = path == _HEALTH_PATH and request.method in ("GET", "HEAD")
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            raise RefusedRequest(403, "the request comes from a page in a browser, and is refused")
        if self._token is None and not is_local:
            raise RefusedRequest(403, "the Host must be 127.0.0.1 or localhost, without a token")
        is_right = self._token is None or (
            len(given) == 1 and compare_digest(given[0], self._token)
        )
        if is_health:
            return
        if not is_right:
            raise RefusedRequest(401, f"the token is missing or wrong: see {TOKEN_VARIABLE}")
        if path != _PATH:
            raise RefusedRequest(404, f"only traces are received: POST {_PATH}")
        if request.method != "POST":
            raise RefusedRequest(405, f"only POST {_PATH}")


def _only(request: Request, name: str) -> str:
    """The value of a header that may be given once; empty if it is not."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise RefusedRequest(400, f"the header {name} is given twice")
    return values[0] if values else ""


def _response(status: int, kind: Kind, body: bytes) -> Response:
    headers = _HEADERS | _ADVICE.get(status, {})
    if status != _OK:  # the rest of the request may not have been read
        headers["connection"] = "close"
    return Response(body, status, headers, kind)


class _Connection(H11Protocol):
    """A connection of uvicorn that waits for a request for a limited time, and makes room for others."""

    _awaited: Any = None  # for what of its client it waits

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            next(iter(self.config.app.waiting), self).transport.abort()  # type: ignore[union-attr]
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._watch()

    def _watch(self) -> None:
        """Begin to wait for a request or its body, or end that."""
        waiting = self.config.app.waiting  # type: ignore[union-attr]
        is_open = self in self.connections and not self.transport.is_closing()
        before, self._awaited = self._awaited, self.conn.their_state if is_open else None
        if self._awaited is before:
            return
        if self in waiting:
            waiting.pop(self).cancel()
        if self._awaited in (IDLE, SEND_BODY):
            waiting[self] = self.loop.call_later(_PATIENCE, self.transport.abort)
