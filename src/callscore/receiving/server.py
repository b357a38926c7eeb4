"""The server in a thread, on this machine unless a token protects it.

starlette and uvicorn are an extra, and are imported only when a server is made.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from callscore.errors import InvalidSettings, MissingExtra

if TYPE_CHECKING:
    from callscore.receiving.receiver import Receiver

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 4318
TOKEN_VARIABLE = "CALLSCORE_RECEIVE_TOKEN"  # noqa: S105  (the name of a variable)
_SHORTEST_TOKEN = 16
_HOW_TO_MAKE_ONE = "python -c 'import secrets; print(secrets.token_urlsafe(24))'"
_GRACE = 5  # seconds that requests under way get when the server ends
_TICK = 0.02


def require_extra() -> None:
    """Check that the extra is installed.

    Raises:
        MissingExtra: it is not.
    """
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise MissingExtra("callscore receive", "web") from None
    del starlette, uvicorn


def checked_token(host: str, token: str | None) -> str | None:
    """The token that requests need; None if the server can only be reached from this machine.

    Raises:
        InvalidSettings: other machines can reach the server, and there is no token, or a short one.
    """
    if not token:
        if _is_loopback(host):
            return None
        problem = f"--host {host}: other machines can reach this address, and there is no token"
        raise InvalidSettings(f"{problem}. Set {TOKEN_VARIABLE}, with {_HOW_TO_MAKE_ONE}")
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        problem = f"{TOKEN_VARIABLE}: a token needs at least {_SHORTEST_TOKEN} ASCII characters"
        raise InvalidSettings(f"{problem}. Make one with {_HOW_TO_MAKE_ONE}")
    return token


def _is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine; other names may be resolved to anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class TraceServer(NamedTuple):
    """A server that was started.

    Attributes:
        address: where traces are sent: `http://127.0.0.1:4318/v1/traces`.
        thread: lives as long as it runs.
    """

    address: str
    port: int
    thread: Thread


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
    on_refused: Callable[[int, str], None] = lambda *_: None,
) -> Iterator[TraceServer]:
    """Receive traces in a thread, until the block ends; requests under way are then answered.

    Raises:
        MissingExtra: the extra `web` is not installed.
    """
    require_extra()
    import uvicorn

    from callscore.receiving.app import App, protocol_of

    app = App(receiver, token, on_refused)
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=protocol_of(app),
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
        bound, real_port = sock.getsockname()[:2]
        address = f"http://{_host_to_send_to(bound)}:{real_port}/v1/traces"
        yield TraceServer(address, real_port, thread)
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
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    try:
        sock = socket.create_server((name, port), family=family)
    except OSError as error:
        if (error.errno or 0) < 0:  # of the resolver
            raise InvalidSettings(f"--host {host}: the name is not known") from error
        problem = f"cannot listen on {host}, port {port}: {os.strerror(error.errno or 0)}"
        raise InvalidSettings(f"{problem}. Pass another --port") from error
    with sock:
        yield sock
