"""Says what is lost where the process vanishes in the middle of a run, and what is not.

A task that calls `os._exit`, a crash in an extension, `kill -9`: nothing in the process can speak
then. So a second process waits for the first one to end. It is a copy of it that does nothing but
wait at a pipe, and both share a piece of memory that says what is being asked.
"""

from __future__ import annotations

import mmap
import os
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from callscore.core.phrase import Phrase, say
from callscore.core.text import clip, escape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from callscore.core.phrase import Language

__all__ = ["LastWords"]

_COUNT = 8  # bytes of the number of answers that are kept
_NAME = 120  # bytes of the name of what is being asked, with its length in front
_MOST_NAMES = 5
_LOST = Phrase(
    "\ncallscore: the process ended in the middle of the run {run}. {kept} of {total} answers are"
    " kept.{asked}\n  Go on with: {command}\n",
    "\ncallscore: процесс завершился посреди прогона {run}. Сохранено ответов: {kept} из {total}."
    "{asked}\n  Продолжить: {command}\n",
)
_ASKED = Phrase(" Being asked: {names}.", " Спрашивались: {names}.")
_MORE = Phrase("{names} and {more} more", "{names} и ещё {more}")


class LastWords:
    """Waits beside the process while the block runs; where it cannot, it just does nothing.

    Args:
        run: the name of the run.
        total: how many answers there are to be.
        jobs: how many are asked for at once.
        command: what to type to go on.
        lang: the language to say it in.
    """

    def __init__(
        self, run: str, *, total: int, jobs: int, command: str, lang: Language = "en"
    ) -> None:
        self._run = run
        self._total = total
        self._jobs = jobs
        self._command = command
        self._lang: Language = lang
        self._memory: mmap.mmap | None = None
        self._pipe = -1
        self._child = 0

    def __enter__(self) -> Self:
        if not hasattr(os, "fork"):
            return self
        try:
            self._memory = mmap.mmap(-1, _COUNT + _NAME * self._jobs)
            waiting, self._pipe = os.pipe()
        except OSError:  # no more files, or memory; a run does not need this
            return self
        try:
            with warnings.catch_warnings():
                # The copy neither takes a lock nor starts anything, so that threads do not matter.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._child = os.fork()
        except OSError:  # no more processes; a run does not need this one
            os.close(waiting)
            os.close(self._pipe)
            self._pipe = -1
            return self
        if self._child == 0:
            self._wait(waiting)  # pragma: no cover  (in the copy, which nobody can measure)
        os.close(waiting)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pipe < 0:
            return
        with suppress(OSError):  # somebody has ended it
            os.write(self._pipe, b"x")
        os.close(self._pipe)
        self._pipe = -1
        with suppress(OSError):
            os.waitpid(self._child, 0)

    def asking(self, job: int, name: str) -> None:
        """Note what a job is asking for; nothing where the name is empty."""
        if self._memory is not None:
            text = name.encode("utf-8", "backslashreplace")[: _NAME - 1]
            start = _COUNT + _NAME * job
            self._memory[start : start + 1 + len(text)] = bytes((len(text),)) + text

    def kept(self, count: int) -> None:
        """Note how many answers are kept."""
        if self._memory is not None:
            self._memory[:_COUNT] = count.to_bytes(_COUNT, "little")

    def sentence(self) -> str:
        """What is said where the process vanishes now."""
        memory = self._memory
        kept = 0 if memory is None else int.from_bytes(memory[:_COUNT], "little")
        names = list(self._names())
        shown = ", ".join(names[:_MOST_NAMES])
        if len(names) > _MOST_NAMES:
            shown = say(_MORE, self._lang, names=shown, more=len(names) - _MOST_NAMES)
        asked = say(_ASKED, self._lang, names=shown) if names else ""
        about = {"run": self._run, "kept": kept, "total": self._total, "command": self._command}
        return say(_LOST, self._lang, asked=asked, **about)

    def _names(self) -> Iterator[str]:
        memory = b"" if self._memory is None else self._memory[:]
        for start in range(_COUNT, len(memory), _NAME):
            text = memory[start + 1 : start + 1 + memory[start]]
            if text:
                yield clip(escape(text.decode("utf-8", "replace")), _NAME)

    def _wait(self, waiting: int) -> None:  # pragma: no cover  (in the copy)
        """Wait for the other process to say good-bye, or to be gone; then end, whatever happens."""
        try:
            os.close(self._pipe)
            os.setsid()  # Ctrl-C, and what ends the whole group, is not meant for this process
            if not os.read(waiting, 1):
                said = self.sentence().encode("utf-8", "surrogateescape")
                os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, said)
        finally:
            os._exit(0)
