"""Work that runs code of the project, in a process of its own: scoring again, and accepting answers.

Scorers are functions of the project, and cases may be in Python files. Such code may print, change the
process, or end it, and a file that was edited must be imported anew. So each piece of work has a new
process, which ends with the server.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from subprocess import PIPE, Popen
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.large_number import decode_json
from callscore.core.phrases import Language, Phrase, say
from callscore.history.records import json_bytes
from callscore.web.requests import CONFLICT, Refusal
from callscore.web.responses import error_answer

if TYPE_CHECKING:
    from msgspec import Struct

__all__ = ["Workshop", "run_work"]

_PLACES = 2
_PATIENCE = 60.0  # seconds to wait for a place
_ENDED = 500
# The process finds its modules where the server did, not in its working directory.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from callscore.web.workers import run_work; run_work()"
)
_BUSY = Phrase(
    "the server is busy with other work. Try again in a moment",
    "сервер занят другой работой. Повторите чуть позже",
)
_DIED = Phrase(
    "the process that did this ended with exit code {code}. Code of the project may have ended it; what"
    " it printed is in the terminal of callscore view",
    "процесс, который это выполнял, закончился с кодом {code}. Возможно, его завершил код проекта; что"
    " он напечатал — в терминале callscore view",
)


class Workshop:
    """Starts processes for work, a few at a time, and ends them with the server."""

    def __init__(self) -> None:
        self._places = BoundedSemaphore(_PLACES)
        self._lock = Lock()
        self._processes: set[Popen[bytes]] = set()
        self._is_closed = False

    def do(self, work: Struct, lang: Language) -> dict[str, Any]:
        """Do some work, and return what it found; which work is decided by the type.

        Raises:
            Refusal: it was refused, or did not finish.
        """
        if not self._places.acquire(timeout=_PATIENCE):
            raise Refusal(CONFLICT, say(_BUSY, lang))
        try:
            process = self._start()
            try:
                sent = {"work": type(work).__name__, "lang": lang, "about": work}
                answer = _exchange(process, json_bytes(sent))
            finally:
                self._end(process)
        finally:
            self._places.release()
        if answer is None:
            raise Refusal(_ENDED, say(_DIED, lang, code=process.returncode))
        if "error" in answer:
            raise Refusal(answer["status"], answer["error"])
        found: dict[str, Any] = answer["found"]
        return found

    def _start(self) -> Popen[bytes]:
        # In a session of its own: Ctrl-C ends the server, which ends this process.
        command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
        with self._lock:
            process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603  (it is Python)
            self._processes.add(process)
            if self._is_closed:
                process.kill()
        return process

    def _end(self, process: Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.kill()


def _exchange(process: Popen[bytes], sent: bytes) -> Any:
    """Send the work, and read what was found; None if the process ended before."""
    assert process.stdin is not None  # noqa: S101  (they are pipes)
    assert process.stdout is not None  # noqa: S101
    with suppress(OSError):  # it has ended
        process.stdin.write(sent + b"\n")
        process.stdin.flush()
    line = process.stdout.readline()
    return decode_json(line) if line.endswith(b"\n") else None


# --- in the process -----------------------------------------------------------------------------


def run_work() -> None:
    """Do the work that standard input names, and write what was found to standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what code of the project prints
    sys.stdout = sys.stderr
    asked = decode_json(sys.stdin.buffer.readline())
    Thread(target=_end_with_server, daemon=True).start()
    answer: dict[str, Any]
    try:
        answer = {"found": _do(asked["work"], asked["about"], asked["lang"])}
    except Exception as error:  # noqa: BLE001  (the server answers it)
        status, content = error_answer(error)
        answer = {"status": status, **content}
    with suppress(BrokenPipeError):
        answers.write(json_bytes(answer) + b"\n")
        answers.flush()
    os._exit(0)  # threads of the project's code are not waited for


def _end_with_server() -> None:
    while os.read(0, 1024):
        continue
    os._exit(1)


def _do(work: str, about: dict[str, Any], lang: Language) -> dict[str, Any]:
    if work == "Accept":
        from callscore.web.accept import Accept, accept

        return accept(msgspec.convert(about, Accept), lang)
    from callscore.web.previews import ScoreAgain, score_again

    return score_again(msgspec.convert(about, ScoreAgain), lang)
