"""The page beside a run, in a process of its own.

The agent of a run may block the interpreter, close files, or end the process. The page is not part of it: it
only reads the history, as it would the run of another terminal. It ends with the process that started it.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from callscore.errors import CallscoreError, InvalidSettings
from callscore.processes import Process, ProcessEnded
from callscore.web.server import page_server

if TYPE_CHECKING:
    from callscore.core.phrases import Language

_GRACE = 5.0  # seconds for the process to end


@contextmanager
def page_beside(store: str | None, lang: Language) -> Iterator[tuple[str, Process]]:
    """Serve the page of a history until the block ends: its address, and the process that serves it.

    Raises:
        InvalidSettings: it cannot be served.
    """
    process = Process()
    try:
        try:
            address, problem = process.call(serve_page, store, lang)
        except ProcessEnded:
            raise InvalidSettings("the page could not be started") from None
        if problem:
            raise InvalidSettings(problem)
        yield address, process
    finally:
        process.end(grace=_GRACE)


def serve_page(store: str | None, lang: Language) -> tuple[str, str]:
    """Serve the page until this process ends: its address, or why it cannot be served."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(page_server(store, lang=lang))
        except CallscoreError as error:
            return "", str(error)
        atexit.register(stack.pop_all().close)
        return server.address, ""
