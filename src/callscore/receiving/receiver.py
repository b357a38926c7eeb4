"""The receiver itself: accepts requests, and writes each trace when it is complete.

Requests are accepted in the threads of the server; `work` is called again and again by the owner's thread, so
that only this one writes lines, scores and prints.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.receiving.otlp import (
    SEND_FEWER,
    Kind,
    ReceivedSpan,
    Refused,
    RefusedRequest,
    decompressed,
    document_of,
    read_document,
    read_request,
)
from callscore.receiving.spool import LineFile, Spool
from callscore.receiving.traces import Limits, Trace, Traces, memory_of

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.receiving.scoring import Session

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 4318
TOKEN_VARIABLE = "CALLSCORE_RECEIVE_TOKEN"  # noqa: S105  (the name of a variable)
_MAX_BATCH = 500  # traces that are written with one sync
_GROWTH = 8  # times as large as its body a request may be as rows of the spool
_MAX_STORED = 512 << 20  # bytes of them
# The end of the output that is read at the start: an exporter may send spans again that are in it.
_REMEMBERED_BYTES = 64 << 20
_DECODERS = 2  # bodies that are decoded at the same time: it needs memory
_NOT_JSON = (msgspec.MsgspecError, ValueError, RecursionError)


class Counts(Struct):
    """What was received and written in this session.

    Attributes:
        recovered: spans that were in the spool of a killed receiver, and not in the output.
        refused: spans without valid ids.
        duplicates: spans that were sent again.
        traces: those that were written, also by killed receivers in the same session.
        written_spans: their spans.
        written_before: those of killed receivers among them.
    """

    recovered: int = 0
    refused: int = 0
    duplicates: int = 0
    traces: int = 0
    written_spans: int = 0
    written_before: int = 0


def spool_of(output: Path) -> Path:
    """The spool of an output."""
    return output.with_name(f"{output.name}.spool")


class Receiver:
    """Accepts spans, joins them to traces, and writes each trace as a line.

    Args:
        output: the file; its spool is the file beside it.
        session: makes the line of each trace, and also takes those that killed receivers have written in
            the same session.
        limits: of time and memory.
        on_written: called with each trace when it is on the disk.
        clock: seconds that never go back.

    Raises:
        InvalidSettings: the output or its spool cannot be used.
        UnreadableInput: the spool is damaged. What could be read of it is in the output.
    """

    def __init__(
        self,
        output: Path,
        session: Session,
        *,
        limits: Limits | None = None,
        on_written: Callable[[Trace], None] = lambda _: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.limits = Limits() if limits is None else limits
        self.counts = Counts()
        self._max_stored = min(_GROWTH * self.limits.max_body_bytes, _MAX_STORED)
        self._file_problem = ""
        self._spool_problem = ""
        self._output = output
        self._session = session
        self._on_written = on_written
        self._clock = clock
        self._guard = threading.Lock()  # of the traces and the counts
        self._decoding = threading.BoundedSemaphore(_DECODERS)
        self._waiting: list[tuple[Trace, bytes]] = []  # closed, not written
        self._traces = Traces(self.limits)
        self._file = LineFile(output)
        try:
            self._spool = Spool(spool_of(output), self.limits.max_open_bytes + 2 * self._max_stored)
            try:
                self._recover()
            except BaseException:
                self._spool.close(ends_session=self._spool.is_new)
                raise
        except BaseException:
            self._file.close()
            raise

    # --- what a killed receiver has left ---

    def _recover(self) -> None:
        self._read_output()
        for row, content in self._spool.read():
            try:
                self.counts.recovered += self._add(read_document(content), row, content)
            except RefusedRequest:
                self._spool.is_damaged = True
        problem = "it is damaged, and requests that were acknowledged are lost"
        if not self._spool.is_damaged:
            try:
                self._spool.begin((self._file.inode, self._file.size))
            except OSError as error:
                problem = str(error)
            else:
                return
        self._close(self._traces.close())
        if self.unwritten or self._spool.is_new:
            raise InvalidSettings(f"cannot use {self._spool.path}: {problem}")
        advice = "What could be read of it is in the output. Move the file away, and start again."
        raise UnreadableInput(str(self._spool.path), f"{problem}. {advice}")

    def _read_output(self) -> None:
        """Find out which spans were written, and take the traces of this session again."""
        size, session = self._file.size, self._spool.session
        if session is not None and (session[0] != self._file.inode or session[1] > size):
            session = self._spool.session = None  # another file
        begin = size if session is None else session[1]
        first = max(0, size - _REMEMBERED_BYTES)
        if session is None and not self._spool.is_new:  # which of its spans were written is unknown
            first = 0
        offset, text = -1, b""
        for offset, text in self._file.lines_from(min(first, begin)):
            with suppress(RefusedRequest, *_NOT_JSON):
                about = _decode_line(text)
                trace = Trace(trace_id=about.trace_id, part=about.part)
                for span in read_document(text):
                    trace.add(span)
                self._traces.remember(trace.trace_id, trace.part, trace.spans)
                if offset >= begin:
                    self._session.take(trace)
                    self._count_written(trace)
                    self.counts.written_before += 1
        if size:
            self._end_last_line(offset, text, is_ours=session is not None and offset >= begin)

    def _end_last_line(self, offset: int, text: bytes, *, is_ours: bool) -> None:
        """Let the output end with a line of JSON, if its last one is: else it is one of something else."""
        is_object, is_whole = False, text.endswith(b"\n")
        with suppress(*_NOT_JSON):
            is_object = isinstance(msgspec.json.decode(text), dict)
        if is_object and not is_whole:
            self._file.append([b"\n"])
        elif not is_object and not is_whole and is_ours:
            self._file.cut(offset)  # a killed process has written it in part
        elif not is_object:
            problem = f"{self._output}: the last line is not a JSON object"
            raise InvalidSettings(f"{problem}. Repair the file, or pass another --output")

    def _count_written(self, trace: Trace) -> None:
        self.counts.traces += 1
        self.counts.written_spans += len(trace.spans)

    # --- in the threads of the server ---

    def require_room(self) -> None:
        """Refuse requests while too much is open, or nothing can be written.

        Raises:
            RefusedRequest: try again later.
        """
        if self._file_problem:
            raise RefusedRequest(503, f"the receiver cannot write: {self._file_problem}", 5)
        if self._traces.is_full:
            raise RefusedRequest(429, "too many traces are open", 2)

    def accept(self, body: bytes, encoding: str, kind: Kind) -> Refused:
        """Take a request: when this returns, its spans are on the disk.

        Raises:
            RefusedRequest: it cannot be read; or it was not taken, and should be sent again later.
        """
        body = decompressed(body, encoding, self.limits.max_body_bytes)
        with self._decoding:
            spans, refused = read_request(body, kind)
            parts = _by_trace(spans, self._max_stored)
        size = sum(memory_of(len(part), content) for part, content in parts)
        with self._guard:
            self.require_room()
            self._traces.size += size  # so that others that wait for the disk do not take it
        try:
            rows = self._spool.add([content for _, content in parts]) if parts else []
            self._spool_problem = ""
        except OSError as error:
            self._spool_problem = str(error)
            raise RefusedRequest(503, f"the receiver cannot write: {error}", 5) from error
        finally:
            with self._guard:
                self._traces.size -= size
        with self._guard:
            for row, (part, content) in zip(rows, parts, strict=True):
                self.counts.duplicates += len(part) - self._add(part, row, content)
            self.counts.refused += refused.count
        return refused

    def _add(self, spans: list[ReceivedSpan], row: int, content: bytes) -> int:
        """Add the spans of a row that are not known; returns how many."""
        size = memory_of(len(spans), content)
        count = self._traces.add(spans, row, size, self._clock()) if spans else 0
        if not count:
            self._spool.delete([row])
        return count

    @property
    def problem(self) -> str:
        """Why nothing could be written the last time; empty if it could."""
        return self._file_problem or self._spool_problem

    @property
    def unwritten(self) -> int:
        """How many traces are not written yet."""
        return self._traces.count

    # --- in the thread of the owner ---

    def work(self) -> None:
        """Write the traces that are complete. If the disk is full, they are kept for the next time."""
        with self._guard:
            closed = self._traces.close(self._clock())
        self._close(closed)

    def finish(self, *, ends_session: bool = True) -> None:
        """Write all traces, and close the output and the spool.

        What cannot be written stays in the spool, for the next start, which then continues the session.
        It does so without `ends_session`, too.
        """
        with self._guard:
            closed = self._traces.close()
        try:
            self._close(closed)
        finally:
            self._spool.close(ends_session=ends_session and not self.unwritten)
            self._file.close()

    def _close(self, closed: list[Trace]) -> None:
        for start in range(0, max(len(closed), 1), _MAX_BATCH):
            for trace in closed[start : start + _MAX_BATCH]:
                self._waiting.append((trace, self._session.take(trace)))
            self._write_waiting()

    def _write_waiting(self) -> None:
        waiting = self._waiting
        if not waiting:
            return
        try:
            self._file.append([line for _, line in waiting])
        except OSError as error:
            self._file_problem = error.strerror or str(error)
            return
        self._file_problem = ""
        self._waiting = []
        self._spool.delete([row for trace, _ in waiting for row in trace.rows])
        for trace, _ in waiting:
            with self._guard:
                self._traces.forget(trace)
                self._count_written(trace)
            self._on_written(trace)


def _by_trace(spans: list[ReceivedSpan], limit: int) -> list[tuple[list[ReceivedSpan], bytes]]:
    """The spans of each trace, and the row of the spool that they become.

    Each row has what is around its spans. That may be much more than the request.
    """
    parts: dict[str, list[ReceivedSpan]] = {}
    for span in spans:
        parts.setdefault(span.trace, []).append(span)
    found, size = [], 0
    for name, part in parts.items():
        trace = Trace(trace_id=name)
        for span in part:
            trace.add(span)
        found.append((part, document_of(trace.groups)))
        size += len(found[-1][1])
        if size > limit:
            problem = f"its traces would take more than {limit:,} bytes. {SEND_FEWER}"
            raise RefusedRequest(413, problem)
    return found


class _Line(Struct):
    """What identifies a line of the output."""

    trace_id: str
    part: int = 1


_decode_line = msgspec.json.Decoder(_Line).decode
