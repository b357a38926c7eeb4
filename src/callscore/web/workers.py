"""Work that runs code of the project, in a process of its own: scoring again, and accepting answers.

Scorers are functions of the project, and cases may be in Python files. Such code may print, change the
process, or end it, and a file that was edited must be imported anew. So each piece of work has a new
process, which ends with the server.
"""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.large_number import decode_json
from callscore.core.phrases import Language, Phrase, say
from callscore.history.records import json_bytes
from callscore.processes import Process, ProcessEnded
from callscore.web.requests import CONFLICT, Refusal
from callscore.web.responses import error_answer

if TYPE_CHECKING:
    from msgspec import Struct

_PLACES = 2
_PATIENCE = 60.0  # seconds to wait for a place
_ENDED = 500
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
        self._processes: set[Process] = set()
        self._is_closed = False

    def do(self, work: Struct, lang: Language) -> dict[str, Any]:
        """Do some work, and return what it found; which work is decided by the type.

        Raises:
            Refusal: it was refused, or did not finish.
        """
        if not self._places.acquire(timeout=_PATIENCE):
            raise Refusal(CONFLICT, say(_BUSY, lang))
        process = Process()
        self._processes.add(process)
        try:
            if self._is_closed:
                process.end()
            answer = process.call(do_work, type(work).__name__, json_bytes(work), lang)
        except ProcessEnded as ended:
            raise Refusal(_ENDED, say(_DIED, lang, code=ended.code)) from ended
        finally:
            process.end()
            self._processes.discard(process)
            self._places.release()
        found: dict[str, Any] = decode_json(answer)
        if "error" in found:
            raise Refusal(found["status"], found["error"])
        return found

    def close(self) -> None:
        """End all processes."""
        self._is_closed = True
        for process in tuple(self._processes):
            process.end()


def do_work(name: str, work: bytes, lang: Language) -> bytes:
    """Do some work in a process of its own: what it found, or the error that the server answers."""
    try:
        return json_bytes(_do(name, decode_json(work), lang))
    except Exception as error:  # noqa: BLE001  (the server answers it)
        status, content = error_answer(error)
        return json_bytes({"status": status, **content})


def _do(name: str, work: dict[str, Any], lang: Language) -> dict[str, Any]:
    if name == "Accept":
        from callscore.web.accept import Accept, accept

        return accept(msgspec.convert(work, Accept), lang)
    from callscore.web.previews import ScoreAgain, score_again

    return score_again(msgspec.convert(work, ScoreAgain), lang)
