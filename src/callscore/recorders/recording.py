"""What all recorders share: a recording, which is opened by `with` and then read like a trace.

A recorder notes what a library reports. An error in it never reaches the agent: it is raised when
the recording is used, because some calls may be missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from threading import RLock, current_thread
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from contextvars import ContextVar, Token
    from types import TracebackType

    from callscore.core.call import ToolCall

__all__ = ["Log", "Recording"]

_OUTSIDE = (
    "the agent ran outside of the 'with record()' of this recording, before it or after it. Start it,"
    " await it, and read its stream to the end inside."
)
_FAILED = (
    "the recording is incomplete, because the recorder failed: {problem}. Pass the result or the messages of"
    " the run instead."
)
_ELSEWHERE = (
    "models or tools were called in other threads ({threads}), and these calls are not in the recording. A"
    " thread does not inherit the 'with': start it with contextvars.copy_context().run(function)."
)
_OPENED_TWICE = "a recording can be opened only once. Call record() for each 'with'."


class Log(Protocol):
    """What a recorder has noted, for one recording."""

    def runs(self) -> list[dict[str, Any]]:
        """The document of each run, and the run and the call that it is within."""

    def close(self) -> None:
        """Take what has not ended yet; nothing is noted afterwards."""


class Recording:
    """The runs of agents inside a `with record()`.

    It is accepted wherever a trace is: by `assert_calls`, `score` and `read_calls`, and as the value
    that an evaluation returns. A recording that is opened inside another one belongs to both.

    Attributes:
        current: the innermost open recording; each recorder has a variable of its own.
        no_run: what to do if no agent ran, in a sentence.
        all_open: the recordings of this process that are open, of all recorders.
    """

    current: ClassVar[ContextVar[Any]]
    no_run: ClassVar[str]
    all_open: ClassVar[set[Recording]] = set()

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = RLock()
        self._around: Recording | None = None
        self._token: Token[Any] | None = None
        self._is_open = False
        self._is_run_outside = False
        self._has_run = False
        self._problems: list[str] = []
        self._thread: Any = None  # in which it is open
        self._threads_elsewhere: dict[str, None] = {}

    def __enter__(self) -> Self:
        if self._token is not None:
            raise InvalidSettings(_OPENED_TWICE)
        around = self.current.get(None)
        while around is not None and not around._is_open:  # noqa: SLF001  (of the same class)
            around = around._around  # noqa: SLF001  (likewise)
        self._around = around
        self._token = self.current.set(self)
        self._is_open = True
        self._thread = current_thread()
        self.all_open.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.all_open.discard(self)
        with self._lock:
            known = len(self._problems)
            self._guarded("the end", lambda log: log.close())
            self._is_open = False
        if self._token is not None:
            # Of another context, such as that of a fixture's other half, or the second end.
            with suppress(ValueError, RuntimeError):
                self.current.reset(self._token)
        with suppress(Warning):  # that are errors here would take the place of those of the agent
            for problem in self._problems[known:]:
                warnings.warn(_FAILED.format(problem=problem), stacklevel=2)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that were made, as `read_calls` reads them.

        Raises:
            InvalidCall: no agent ran, or the recording is incomplete.
        """
        from callscore.api import read_calls

        return tuple(read_calls(self))

    def __callscore_document__(self) -> dict[str, Any]:
        """The recording as a document, which can be saved, and which callscore reads.

        Raises:
            InvalidCall: as for `calls`.
        """
        with self._lock:
            if self._problems:
                raise InvalidCall(_FAILED.format(problem=self._problems[0]))
            if self._is_run_outside:
                raise InvalidCall(f"the recording is incomplete: {_OUTSIDE}")
            if not self._has_run:
                raise InvalidCall(f"no run of an agent was recorded. {self.no_run}")
            if self._threads_elsewhere:
                threads = ", ".join(self._threads_elsewhere)
                warnings.warn(_ELSEWHERE.format(threads=threads), stacklevel=2)
            return {"callscore_recording": 1, "runs": self._log.runs()}

    def _note(self, event: str, note: Callable[[Any], None], *, is_run: bool = True) -> None:
        """Note what a library reports, in the log of this recording and of those around it.

        With `is_run`, an agent ran: if it made no calls, there are none.
        """
        recording: Recording | None = self
        while recording is not None:
            recording._note_here(event, note, is_run=is_run)  # noqa: SLF001  (of the same class)
            recording = recording._around  # noqa: SLF001  (likewise)

    def _note_here(self, event: str, note: Callable[[Any], None], *, is_run: bool) -> None:
        with self._lock:
            if not self._is_open:
                self._is_run_outside = True
                return
            self._has_run = self._has_run or is_run
            self._guarded(event, note)

    def _guarded(self, event: str, note: Callable[[Any], None]) -> None:
        try:
            note(self._log)
        except Exception as error:  # noqa: BLE001  (the agent must not fail; the user will know)
            self._problems.append(f"{event}: {type(error).__name__}: {error}")

    @classmethod
    def note_elsewhere(cls, is_known: Callable[[Any], bool]) -> None:
        """Note a call in a thread that has no recording, unless the log of one knows it."""
        here = current_thread()
        for each in tuple(cls.all_open):
            if isinstance(each, cls) and each._thread is not here:  # noqa: SLF001  (of this class)
                each._note_thread(here.name, is_known)  # noqa: SLF001  (likewise)

    def _note_thread(self, name: str, is_known: Callable[[Any], bool]) -> None:
        with suppress(Exception):  # the agent must not fail
            if not is_known(self._log):
                self._threads_elsewhere[name] = None
