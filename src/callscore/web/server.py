"""The server of the page: on this machine only, in the background of a command or in a process of its own.

starlette and uvicorn are an extra, and are imported only when a server is made.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from callscore.errors import InvalidSettings, MissingExtra
from callscore.history.opening import default_path

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.web.app import Page

HOST = "127.0.0.1"
DEFAULT_PORT = 8765
_TRIED_PORTS = 20
_TOKEN_BYTES = 24
_GRACE = 1  # second that answers under way get when the server ends
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
        raise MissingExtra("callscore view", "web") from None
    del starlette, uvicorn


class PageServer:
    """A running server.

    Attributes:
        address: of the home page: `http://127.0.0.1:8765/`.
    """

    def __init__(self, server: Any, port: int) -> None:
        self._server = server
        self.port = port
        self.address = f"http://{HOST}:{port}/"

    def run_address(self, run: str) -> str:
        """The address of a run."""
        return run_address(self.address, run)

    @property
    def is_running(self) -> bool:
        """Whether it answers."""
        return bool(self._server.started) and not self._server.should_exit


def run_address(home: str, run: str) -> str:
    """The address of a run, from that of the home page."""
    return f"{home}runs/{quote(run, safe='')}"


@contextmanager
def page_server(
    store: str | None, *, port: int | None = None, lang: Language = "en"
) -> Iterator[PageServer]:
    """Serve the page of a history in a thread, until the block ends.

    Args:
        store: the history, as `--store` has it.
        port: the port; by default 8765, or the next free one.
        lang: the language of those who have not chosen one.

    Raises:
        MissingExtra: the extra `web` is not installed.
        InvalidSettings: the port cannot be used.
    """
    require_extra()
    import uvicorn

    from callscore.web.app import Page

    token = token_urlsafe(_TOKEN_BYTES)
    with (
        closing(listener(port)) as sock,
        closing(Page(store, lang=lang, project=_project(), token=token)) as page,
    ):
        real_port = sock.getsockname()[1]
        config = _config(page, real_port)
        server = uvicorn.Server(config)
        thread = Thread(
            target=server.run, kwargs={"sockets": [sock]}, name="callscore-page", daemon=True
        )
        thread.start()
        while not server.started and thread.is_alive():
            sleep(_TICK)
        try:
            yield PageServer(server, real_port)
        finally:
            server.should_exit = True
            page.close()  # ends what would keep the thread waiting
            thread.join(_GRACE * 2)


def _config(page: Page, port: int) -> Any:
    import uvicorn

    return uvicorn.Config(
        page.app(port),
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        timeout_graceful_shutdown=_GRACE,
    )


def _project() -> str:
    """The name of the folder of the project."""
    try:
        return default_path().parent.parent.resolve().name
    except OSError:  # the working directory is gone
        return Path().name


def listener(port: int | None) -> socket.socket:
    """A socket on this machine; without a port, at the default one or the next that is free.

    Raises:
        InvalidSettings: the port cannot be used.
    """
    ports = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + _TRIED_PORTS), 0]
    for each in ports:
        try:
            return socket.create_server((HOST, each))
        except OSError as error:
            if each == ports[-1] or error.errno != errno.EADDRINUSE:
                problem = f"cannot listen on {HOST}, port {each}: {os.strerror(error.errno or 0)}"
                raise InvalidSettings(f"{problem}. Pass another --port") from error
    raise AssertionError  # pragma: no cover  (the last port is returned or raised)


# Set where there is a screen to open a browser on, or by a user who has chosen one.
_SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")


def open_in_browser(address: str) -> None:
    """Open an address in the browser of the user, if there is one, without waiting for it.

    A browser in the terminal, which Python finds on a machine without a screen, would take the terminal.
    """
    if sys.platform not in ("darwin", "win32") and not any(map(os.environ.get, _SCREENS)):
        return
    import webbrowser

    def show() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    Thread(target=show, name="callscore-browser", daemon=True).start()
