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
from typing import TYPE_CHECKING
from urllib.parse import quote

from callscore.errors import InvalidSettings, MissingExtra
from callscore.history.opening import default_path

if TYPE_CHECKING:
    from callscore.core.phrases import Language

HOST = "127.0.0.1"
DEFAULT_PORT = 8765
_TRIED_PORTS = 20
_TOKEN_BYTES = 24
_GRACE = 1  # second that answers under way get when the server ends


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

    def __init__(self, thread: Thread, port: int) -> None:
        self._thread = thread
        self.port = port
        self.address = f"http://{HOST}:{port}/"

    def run_address(self, run: str) -> str:
        """The address of a run."""
        return run_address(self.address, run)

    @property
    def is_running(self) -> bool:
        """Whether it answers."""
        return self._thread.is_alive()


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
    from callscore.receiving.server import served
    from callscore.web.app import Page

    token = token_urlsafe(_TOKEN_BYTES)
    with closing(listener(port)) as sock:
        real_port = sock.getsockname()[1]
        page = Page(store, lang=lang, project=_project(), token=token)
        # The page ends before the server: it ends what would keep its thread waiting.
        with served(page.app(real_port), sock, name="page", grace=_GRACE) as thread, closing(page):
            yield PageServer(thread, real_port)


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
