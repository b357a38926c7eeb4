"""The server: `POST /v1/traces`, on this machine unless a token protects it.

uvicorn is an extra, and is imported only when a server is made.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hmac import compare_digest
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidSettings, MissingExtra
from callscore.receiving.otlp import (
    JSON,
    BadRequest,
    error_body,
    kind_of,
    success_body,
    too_large,
)
from callscore.receiving.receiver import Full

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from callscore.receiving.otlp import Kind
    from callscore.receiving.receiver import Receiver

    _Scope = dict[str, Any]
    _Receive = Callable[[], Any]
    _Send = Callable[[dict[str, Any]], Any]
    _Headers = dict[bytes, list[bytes]]
    _OnRefused = Callable[[int, str], None]

__all__ = [
    "DEFAULT_HOST",
    "DEFAULT_PORT",
    "PATH",
    "TOKEN_VARIABLE",
    "TraceServer",
    "checked_token",
    "listening",
    "require_extra",
    "trace_server",
]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 4318
PATH = "/v1/traces"
HEALTH_PATH = "/healthz"
TOKEN_VARIABLE = "CALLSCORE_RECEIVE_TOKEN"  # noqa: S105  (the name of a variable)
_SHORTEST_TOKEN = 16
_THREADS = 16
_MOST_CONNECTIONS = 256
_PATIENCE = 10  # seconds that a request may take to come, and its body
_MAX_UNREAD_BYTES = 64 << 20  # of all bodies that are being received
_MAX_SKIPPED_BYTES = 256 << 20  # of a body that is refused
_GRACE = 5  # seconds that requests under way get when the server ends, and bodies that are refused
_TICK = 0.02
_LOCAL_NAMES = (b"127.0.0.1", b"localhost", b"[::1]")
_HEADERS = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


def require_extra() -> None:
    """Check that the extra is installed.

    Raises:
        MissingExtra: it is not.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("callscore receive", "web") from None
    del uvicorn


def checked_token(host: str, token: str | None) -> str | None:
    """The token that requests need; None if the server can only be reached from this machine.

    Raises:
        InvalidSettings: other machines can reach the server, and there is no token, or a short one.
    """
    if not token:
        if _is_loopback(host):
            return None
        problem = f"--host {host}: other machines can reach this address, and there is no token"
        raise InvalidSettings(f"{problem}. Set {TOKEN_VARIABLE}, with {_how_to_make_one()}")
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        problem = f"{TOKEN_VARIABLE}: a token needs at least {_SHORTEST_TOKEN} ASCII characters"
        raise InvalidSettings(f"{problem}. Make one with {_how_to_make_one()}")
    return token


def _how_to_make_one() -> str:
    return "python -c 'import secrets; print(secrets.token_urlsafe(24))'"


def _is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine; other names may be resolved to anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _App:
    """Answers requests.

    Args:
        receiver: takes the spans.
        token: what requests need; None on this machine, where pages in a browser are refused.
        on_refused: called with the status of each request that is refused, and what its sender is told.

    Attributes:
        waiting: the connections on which a request has not come, or not completely; the longest wait first.
    """

    def __init__(self, receiver: Receiver, token: str | None, on_refused: _OnRefused) -> None:
        self.waiting: dict[Any, None] = {}
        self._receiver = receiver
        self._on_refused = on_refused
        self._token = None if token is None else f"Bearer {token}".encode()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="callscore-receive")
        self._unread_bytes = 0

    def close(self) -> None:
        self._threads.shutdown()

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            return
        headers = _headers_of(scope)
        kind: Kind = JSON
        parts = _parts_of(receive)
        try:
            self._require_allowed(scope, headers)
            if scope["path"] == HEALTH_PATH and scope["method"] in ("GET", "HEAD"):
                await self._answer_health(send)
                return
            _require_traces(scope)
            kind = kind_of(_only(headers, b"content-type"))
            self._receiver.require_room()
            body = await self._read(parts, scope["client"])
            # In a thread, which a client that gives up does not stop half-way.
            refused = await asyncio.get_running_loop().run_in_executor(
                self._threads,
                self._receiver.accept,
                body,
                _only(headers, b"content-encoding"),
                kind,
            )
        except (BadRequest, Full) as error:
            self._on_refused(error.status, error.problem)
            await _skip(parts)
            wait = error.seconds if isinstance(error, Full) else None
            body = error_body(error.status, error.problem, kind)
            await _send(send, error.status, kind, body, retry_after=wait)
        except _Disconnected:
            pass
        else:
            await _send(send, 200, kind, success_body(refused, kind))

    async def _read(self, parts: AsyncIterator[bytes], client: Any) -> bytes:
        content, limit = bytearray(), self._receiver.limits.max_body_bytes
        try:
            async for part in parts:
                content += part
                self._unread_bytes += len(part)
                if len(content) > limit:
                    raise too_large(limit)
                if self._unread_bytes > _MAX_UNREAD_BYTES:
                    self._make_room(client)
            return bytes(content)
        finally:
            self._unread_bytes -= len(content)

    def _make_room(self, client: Any) -> None:
        """Close the connection whose request is the longest in coming, unless it is that of this client."""
        oldest = next(iter(self.waiting), None)
        if oldest is None or oldest.client == client:
            raise Full(429, "too many requests at once", 1)
        oldest.transport.abort()

    async def _answer_health(self, send: _Send) -> None:
        problem = self._receiver.problem
        status = 503 if problem else 200
        body = b'{"status":"cannot write"}' if problem else b'{"status":"ok"}'
        await _send(send, status, JSON, body)

    def _require_allowed(self, scope: _Scope, headers: _Headers) -> None:
        if b"origin" in headers or headers.get(b"sec-fetch-site", [b"none"]) != [b"none"]:
            raise BadRequest(403, "the request comes from a page in a browser, and is refused")
        if self._token is None:
            names = [host.rpartition(b":")[0] or host for host in headers.get(b"host", [])]
            if len(names) != 1 or names[0].lower() not in _LOCAL_NAMES:
                raise BadRequest(403, "the Host must be 127.0.0.1 or localhost, without a token")
            return
        if scope["path"] == HEALTH_PATH:
            return
        given = headers.get(b"authorization", [])
        if len(given) != 1 or not compare_digest(given[0], self._token):
            raise BadRequest(401, f"the token is missing or wrong: see {TOKEN_VARIABLE}")


def _require_traces(scope: _Scope) -> None:
    if scope["path"] != PATH:
        raise BadRequest(404, f"only traces are received: POST {PATH}")
    if scope["method"] != "POST":
        raise BadRequest(405, f"only POST {PATH}")


class _Disconnected(Exception):
    """The client has closed the connection before it sent the whole body, or was too slow."""


async def _parts_of(receive: _Receive) -> AsyncIterator[bytes]:
    """The parts of a body."""
    is_read = False
    while not is_read:
        message = await receive()
        if message["type"] != "http.request":
            raise _Disconnected
        is_read = not message.get("more_body")
        yield message.get("body", b"")


async def _skip(parts: AsyncIterator[bytes]) -> None:
    """Read the rest of a body that is refused, within limits.

    A client that is still sending would get a reset connection in place of the response, and try again.
    """
    skipped = 0
    with suppress(_Disconnected, TimeoutError):
        async with asyncio.timeout(_GRACE):
            async for part in parts:
                skipped += len(part)
                if skipped > _MAX_SKIPPED_BYTES:
                    return


def _protocol(app: _App) -> type:
    """The connections of uvicorn, of which a limited number may be open, and wait for a limited time."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

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
    from h11 import IDLE, SEND_BODY

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


def _headers_of(scope: _Scope) -> _Headers:
    found: _Headers = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value)
    return found


def _only(headers: _Headers, name: bytes) -> str:
    """The value of a header that may be given once; empty if it is not."""
    values = headers.get(name, [])
    if len(values) > 1:
        raise BadRequest(400, f"the header {name.decode()} is given twice")
    return values[0].decode("latin-1") if values else ""


_ALLOW = {405: (b"allow", b"POST"), 401: (b"www-authenticate", b"Bearer")}


async def _send(
    send: _Send, status: int, kind: Kind, body: bytes, *, retry_after: int | None = None
) -> None:
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        *_HEADERS,
    ]
    if status in _ALLOW:
        headers.append(_ALLOW[status])
    if retry_after is not None:
        headers.append((b"retry-after", str(retry_after).encode()))
    if status != 200:  # noqa: PLR2004  (the rest of the request may not have been read)
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# --- the server in a thread ----------------------------------------------------------------------


class TraceServer:
    """A running server.

    Attributes:
        address: what exporters need: `http://127.0.0.1:4318`.
    """

    def __init__(self, server: Any, thread: Thread, sock: socket.socket) -> None:
        self._server = server
        self._thread = thread
        host, self.port = sock.getsockname()[:2]
        self.address = f"http://{_host_to_send_to(host)}:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether it answers."""
        return self._thread.is_alive() and bool(self._server.started)


def _host_to_send_to(host: str) -> str:
    """The host in the address that exporters need; that of all addresses is the name of this machine."""
    if ipaddress.ip_address(host.partition("%")[0]).is_unspecified:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


@contextmanager
def trace_server(
    receiver: Receiver,
    sock: socket.socket,
    *,
    token: str | None,
    on_refused: _OnRefused = lambda *_: None,
) -> Iterator[TraceServer]:
    """Receive traces in a thread, until the block ends; requests under way are then answered.

    Raises:
        MissingExtra: the extra `web` is not installed.
    """
    require_extra()
    import uvicorn

    app = _App(receiver, token, on_refused)
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=_protocol(app),
        ws="none",
        lifespan="off",
        loop="asyncio",
        timeout_graceful_shutdown=_GRACE,
    )
    server = uvicorn.Server(config)
    thread = Thread(
        target=server.run, kwargs={"sockets": [sock]}, name="callscore-receive", daemon=True
    )
    thread.start()
    while not server.started and thread.is_alive():
        sleep(_TICK)
    try:
        yield TraceServer(server, thread, sock)
    finally:
        server.should_exit = True
        thread.join(_GRACE * 2)
        app.close()


@contextmanager
def listening(host: str = DEFAULT_HOST, port: int = DEFAULT_PORT) -> Iterator[socket.socket]:
    """A socket for `trace_server`, until the block ends; requests wait until the server starts.

    Raises:
        InvalidSettings: the address cannot be used.
    """
    sock = _listener(host, port)
    try:
        yield sock
    finally:
        sock.close()


def _listener(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidSettings(f"--host {host}: {error.strerror}") from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen()
    except OSError as error:
        sock.close()
        problem = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise InvalidSettings(f"{problem}. Pass another --port") from error
    return sock
