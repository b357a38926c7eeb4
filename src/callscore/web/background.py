"""The page beside a run, in a process of its own.

The agent of a run may block the interpreter, close files, or end the process. The page is not part of it: it
only reads the history, as it would the run of another terminal. It ends with the process that started it.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from callscore.core.large_number import decode_json
from callscore.errors import CallscoreError, InvalidSettings
from callscore.history.records import json_bytes
from callscore.web.server import page_server, run_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.phrases import Language

__all__ = ["PageBeside", "page_beside", "serve_beside"]

_GRACE = 5.0  # seconds for the process to end
_TICK = 1.0  # seconds between two looks at the process that started it
# The process finds its modules where this one did, not in its working directory.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from callscore.web.background import serve_beside;"
    " serve_beside()"
)


class PageBeside:
    """A page that is served by another process.

    Attributes:
        address: of the home page.
    """

    def __init__(self, process: Popen[bytes], address: str) -> None:
        self._process = process
        self.address = address

    def run_address(self, run: str) -> str:
        """The address of a run."""
        return run_address(self.address, run)

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None


@contextmanager
def page_beside(store: str | None, lang: Language) -> Iterator[PageBeside]:
    """Serve the page of a history in a process of its own, until the block ends.

    Raises:
        InvalidSettings: it cannot be served.
    """
    command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
    # In a session of its own: Ctrl-C is for the run.
    process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603  (it is Python)
    requests, answers = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
    try:
        with suppress(OSError):  # it has ended
            requests.write(json_bytes({"store": store, "lang": lang}) + b"\n")
            requests.flush()
        line = answers.readline()
        started: dict[str, Any] = decode_json(line) if line.endswith(b"\n") else {}
        if "address" not in started:
            raise InvalidSettings(started.get("error", "the page could not be started"))
        yield PageBeside(process, started["address"])
    finally:
        for stream in (requests, answers):
            with suppress(OSError):
                stream.close()  # which ends it
        try:
            process.wait(_GRACE)
        except TimeoutExpired:
            process.kill()
            process.wait()


# --- in the process -----------------------------------------------------------------------------


def serve_beside() -> None:
    """Serve the page until standard input is closed, or the process that started this one has ended."""
    parent = os.getppid()
    asked = decode_json(sys.stdin.buffer.readline())
    is_over = Event()

    def wait_for_end() -> None:
        while os.read(0, 1024):
            continue
        is_over.set()

    Thread(target=wait_for_end, daemon=True).start()
    try:
        with page_server(asked["store"], lang=asked["lang"]) as server:
            _send({"address": server.address})
            # A process that an agent has forked may keep the input open.
            while not is_over.wait(_TICK) and os.getppid() == parent:
                continue
    except CallscoreError as error:
        _send({"error": str(error)})


def _send(answer: dict[str, str]) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(json_bytes(answer) + b"\n")
        sys.stdout.buffer.flush()
