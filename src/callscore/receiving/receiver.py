"""The receiver itself: accepts requests, and writes each trace when it is complete.

Requests are accepted in the threads of the server; `work` is called again and again by the owner's thread, so
that only this one writes lines, scores and prints.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.hiding.hider import Hider
from callscore.receiving.closed_traces import ClosedTrace, TraceReader, line_of
from callscore.receiving.open_traces import Limits, OpenTrace, OpenTraces, memory_of
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
from callscore.receiving.spool import Spool
from callscore.receiving.trace_file import TraceFile, WrittenLine, written_line

if TYPE_CHECKING:
    from pathlib import Path


_MAX_BATCH = 500  # traces that are written with one fsync
_GROWTH = 8  # times as large as its body a request may be as rows of the spool
_MAX_STORED = 512 << 20  # bytes of them
# The end of the output that is read at the start: an exporter may send spans again that are in it.
_REMEMBERED_BYTES = 64 << 20
_DECODERS = 2  # bodies that are decoded at the same time: it needs memory


class Counts(Struct):
    """What was received and written in this session.

    Attributes:
        recovered: spans that were in the spool of a killed receiver, and not in the output.
        refused: spans without valid ids.
        duplicates: spans that were sent again.
        traces: those that were written, also by killed receivers in the same session.
        written_before: those of killed receivers among them.
    """

    requests: int = 0
    spans: int = 0
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
        reader: reads the calls of a trace.
        limits: of time and memory.
        fields_of: called with each closed trace; returns more fields of its line.
        on_written: called with each closed trace when it is on the disk.
        take_again: called with each trace that killed receivers have written in this session.
        on_aside: called with the id of a trace that could not be read or scored because of a mistake of
            this program (or with the number of a row), and the problem. It stays in the spool, and is tried
            again at the next start.
        clock: seconds that never go back.

    Attributes:
        is_known_output: whether the output is the file that the spool belongs to.

    Raises:
        InvalidSettings: the output or its spool cannot be used.
        UnreadableInput: the spool is damaged. What could be read of it is in the output.
    """

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        output: Path,
        reader: TraceReader,
        *,
        limits: Limits | None = None,
        fields_of: Callable[[ClosedTrace], dict[str, Any]] = lambda _: {},
        on_written: Callable[[ClosedTrace], None] = lambda _: None,
        take_again: Callable[[ClosedTrace], Any] = lambda _: None,
        on_aside: Callable[[str, str], None] = lambda *_: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.is_known_output = True
        self.limits = Limits() if limits is None else limits
        self.counts = Counts()
        self._max_stored = min(_GROWTH * self.limits.max_body_bytes, _MAX_STORED)
        self._file_problem = ""
        self._spool_problem = ""
        self._reader = reader
        self._hider = Hider(is_live=True)
        self._fields_of = fields_of
        self._on_written = on_written
        self._take_again = take_again
        self._on_aside = on_aside
        self._aside = 0
        self._clock = clock
        self._guard = threading.Lock()  # of the traces and the counts
        self._decoding = threading.BoundedSemaphore(_DECODERS)
        self._waiting: list[tuple[OpenTrace, ClosedTrace, bytes]] = []  # closed, not written
        self._traces = OpenTraces(self.limits)
        self._file = TraceFile(output)
        try:
            most = self.limits.max_open_bytes + 2 * self._max_stored
            self._spool = Spool(spool_of(output), most)
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
            self.counts.recovered += self._take_row(row, content)
        problem = "it is damaged, and requests that were acknowledged are lost"
        if not self._spool.is_damaged:
            try:
                self._spool.begin(self._file.mark())
            except OSError as error:
                problem = str(error)
            else:
                return
        self._close(self._traces.close_all())
        if self.unwritten or self._spool.is_new:
            raise InvalidSettings(f"cannot use {self._spool.path}: {problem}")
        advice = "What could be read of it is in the output. Move the file away, and start again."
        raise UnreadableInput(str(self._spool.path), f"{problem}. {advice}")

    def _read_output(self) -> None:
        """Find out which spans were written, and take the traces of this session again."""
        now, session = self._file.mark(), self._spool.session
        if session is not None and (session.file != now.file or session.offset > now.offset):
            session = self._spool.session = None
            self.is_known_output = False
        begin = now.offset if session is None else session.offset
        first = max(0, now.offset - _REMEMBERED_BYTES)
        if session is None and not self._spool.is_new:  # which of its spans were written is unknown
            first = 0
        offset, text = -1, b""
        for offset, text in self._file.lines_from(min(first, begin)):
            if line := written_line(text):
                self._traces.remember(line.trace_id, line.part, line.spans)
                if offset >= begin:
                    self._take_line(text, line)
        if now.offset:
            self._file.end_last_line(text, is_cut=session is not None and offset >= begin)

    def _take_line(self, text: bytes, line: WrittenLine) -> None:
        trace = OpenTrace(line.trace_id, line.part)
        with suppress(RefusedRequest):
            for span in read_document(text):
                trace.add(span)
        self.counts.traces += 1
        self.counts.written_before += 1
        self.counts.written_spans += len(trace.spans)
        try:
            self._take_again(self._reader.read(trace))
        except Exception as error:  # noqa: BLE001  (likewise, or it would stop every start)
            self._on_aside(trace.id, repr(error))

    def _take_row(self, row: int, content: bytes) -> int:
        """Take the spans of a row that are not written yet; returns how many."""
        try:
            spans = read_document(content)
        except RefusedRequest as error:
            self._keep_aside(f"#{row}", error.problem)
            return 0
        size = memory_of(len(spans), content)
        count = self._traces.add(spans, row, size, self._clock()) if spans else 0
        if not count:
            self._spool.delete([row])
        return count

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
        unneeded = []
        with self._guard:
            for row, (part, content) in zip(rows, parts, strict=True):
                count = self._traces.add(part, row, memory_of(len(part), content), self._clock())
                self.counts.duplicates += len(part) - count
                if not count:
                    unneeded.append(row)
            self.counts.requests += 1
            self.counts.spans += len(spans)
            self.counts.refused += refused.count
        if unneeded:
            self._spool.delete(unneeded)
        return refused

    @property
    def problem(self) -> str:
        """Why nothing could be written the last time; empty if it could."""
        return self._file_problem or self._spool_problem

    @property
    def unwritten(self) -> int:
        """How many traces are not written yet."""
        return self._traces.count + self._aside

    # --- in the thread of the owner ---

    def work(self) -> None:
        """Write the traces that are complete. If the disk is full, they are kept for the next time."""
        with self._guard:
            closed = self._traces.close_complete(self._clock())
        self._close(closed)

    def finish(self, *, ends_session: bool = True) -> None:
        """Write all traces, and close the output and the spool.

        What cannot be written stays in the spool, for the next start, which then continues the session.
        It does so without `ends_session`, too.
        """
        with self._guard:
            closed = self._traces.close_all()
        try:
            self._close(closed)
        finally:
            self._spool.close(ends_session=ends_session and not self.unwritten)
            self._file.close()

    def _close(self, closed: list[OpenTrace]) -> None:
        for start in range(0, max(len(closed), 1), _MAX_BATCH):
            for trace in closed[start : start + _MAX_BATCH]:
                self._read(trace)
            self._write_waiting()

    def _read(self, trace: OpenTrace) -> None:
        try:
            found = self._reader.read(trace)
            line = line_of(found, self._fields_of(found), self._hider)
        except Exception as error:  # noqa: BLE001  (a mistake of this program must not stop other traces)
            self._keep_aside(trace.id, repr(error))
            with self._guard:
                self._traces.forget(trace)
        else:
            self._waiting.append((trace, found, line))

    def _keep_aside(self, name: str, problem: str) -> None:
        self._aside += 1
        self._on_aside(name, problem)

    def _write_waiting(self) -> None:
        waiting = self._waiting
        if not waiting:
            return
        try:
            self._file.append([line for _, _, line in waiting])
        except OSError as error:
            self._file_problem = error.strerror or str(error)
            return
        self._file_problem = ""
        self._waiting = []
        self._spool.delete([row for trace, _, _ in waiting for row in trace.rows])
        for trace, found, _ in waiting:
            with self._guard:
                self._traces.forget(trace)
                self.counts.traces += 1
                self.counts.written_spans += found.spans
            self._on_written(found)


def _by_trace(spans: list[ReceivedSpan], limit: int) -> list[tuple[list[ReceivedSpan], bytes]]:
    """The spans of each trace, and the row of the spool that they become.

    Each row has what is around its spans. That may be much more than the request.
    """
    parts: dict[str, list[ReceivedSpan]] = {}
    groups: dict[str, dict[tuple[bytes, bytes], list[bytes]]] = {}
    size = 0
    for span in spans:
        parts.setdefault(span.trace, []).append(span)
        group = groups.setdefault(span.trace, {})
        around = span.batch, span.scope
        size += len(span.content) + (0 if around in group else sum(map(len, around)))
        group.setdefault(around, []).append(span.content)
        if size > limit:
            raise RefusedRequest(
                413, f"its traces would take more than {limit:,} bytes. {SEND_FEWER}"
            )
    return [(part, document_of(groups[trace])) for trace, part in parts.items()]
