"""The receiver itself: accepts requests, and writes each trace when it is complete.

Requests are accepted in the threads of the server; `work` is called again and again by the owner's thread, so
that only this one writes lines, scores and prints.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.hiding.hider import Hider
from callscore.receiving.closed_traces import line_of
from callscore.receiving.journal import Journal
from callscore.receiving.open_traces import Limits, OpenTraces, WrittenSpans
from callscore.receiving.otlp import BadRequest, decompressed, read_request
from callscore.receiving.trace_file import TraceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from callscore.receiving.closed_traces import ClosedTrace, TraceReader
    from callscore.receiving.journal import Entry, Segment
    from callscore.receiving.open_traces import OpenTrace
    from callscore.receiving.otlp import ReceivedSpan, Refused

__all__ = ["Counts", "Full", "Receiver", "journal_folder"]

_MAX_BATCH = 500  # traces that are written with one fsync
_UNLIMITED = 1 << 32  # bytes


class Full(Exception):
    """A request cannot be accepted now, and should be sent again later.

    Attributes:
        status: of the response.
        seconds: after how many it should be.
    """

    def __init__(self, status: int, problem: str, seconds: int) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem
        self.seconds = seconds


class Counts(Struct):
    """What was received and written in this session.

    Attributes:
        recovered: spans that were in the journal of a killed receiver, and not in the output.
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


def journal_folder(output: Path) -> Path:
    """The folder of the journal of an output."""
    return output.with_name(f"{output.name}.journal")


class Receiver:
    """Accepts spans, joins them to traces, and writes each trace as a line.

    Args:
        output: the file; its journal is the folder beside it.
        reader: reads the calls of a trace.
        limits: of time and memory.
        fields_of: called with each closed trace; returns more fields of its line.
        on_written: called with each closed trace when it is on the disk.
        clock: seconds that never go back.

    Raises:
        InvalidSettings: the output or its journal cannot be used.
    """

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        output: Path,
        reader: TraceReader,
        *,
        limits: Limits | None = None,
        fields_of: Callable[[ClosedTrace], dict[str, Any]] | None = None,
        on_written: Callable[[ClosedTrace], None] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.limits = Limits() if limits is None else limits
        self.counts = Counts()
        self._file_problem = ""
        self._journal_problem = ""
        self._reader = reader
        self._hider = Hider(is_live=True)
        self._fields_of = fields_of
        self._on_written = on_written
        self._clock = clock
        self._guard = threading.Lock()  # of the traces and the counts
        self._decoding = threading.Lock()  # bodies are decoded one by one: it needs memory
        self._waiting: list[tuple[OpenTrace, ClosedTrace, bytes]] = []  # closed, not written
        self._file = TraceFile(output)
        try:
            self._journal = Journal(journal_folder(output), self._file.mark)
            self.is_known_output = self._recover()
        except BaseException:
            self._file.close()
            raise

    def _recover(self) -> bool:
        """Read what a killed receiver has left."""
        marks = [segment.mark for segment in self._journal.left]
        written = WrittenSpans()
        try:
            is_known = self._file.recover(marks)
            for line in self._file.written_since(marks):
                written.add(line.trace, line.part, line.spans)
            self._traces = OpenTraces(self.limits, written)
            for segment, entry in self._journal.read_left():
                self.counts.recovered += self._add(_spans_of(entry, segment), segment)
            self._session = self._journal.begin_session()
        except BaseException:
            self._journal.close()
            raise
        self.counts.duplicates = 0  # those that were written, and those that were sent again
        return is_known

    def written_before(self) -> Iterator[ClosedTrace]:
        """The traces that killed receivers have written in this session, to be called before the server starts.

        They count as written: the report at the end of the session is about them, too.
        """
        if self._session is None:
            return
        for line in self._file.lines_since(self._session):
            found = self._reader.read_line(line)
            self.counts.written_before += 1
            self.counts.traces += 1
            self.counts.written_spans += found.spans
            yield found

    # --- in the threads of the server ---

    def require_room(self) -> None:
        """Refuse requests while too much is open, or nothing can be written.

        Raises:
            Full: try again later.
        """
        if self._file_problem:
            raise Full(503, f"the receiver cannot write: {self._file_problem}", 5)
        if self._traces.is_full:
            raise Full(429, "too many traces are open", 2)

    def accept(self, entry: Entry) -> Refused:
        """Take a request: when this returns, its spans are on the disk.

        Raises:
            BadRequest: it cannot be read.
            Full: it was not taken, and should be sent again later.
        """
        self.require_room()
        with self._decoding:
            body = decompressed(entry.body, entry.encoding, self.limits.max_body_bytes)
            spans, refused = read_request(body, entry.kind)
        if spans:
            try:
                segment = self._journal.append(entry).result()
            except OSError as error:
                self._journal_problem = _reason(error)
                raise Full(503, f"the receiver cannot write: {_reason(error)}", 5) from error
            self._journal_problem = ""
            try:
                self._add(spans, segment)
            finally:
                self._journal.release(segment)
        with self._guard:
            self.counts.requests += 1
            self.counts.spans += len(spans)
            self.counts.refused += refused.count
        return refused

    def _add(self, spans: list[ReceivedSpan], segment: Segment) -> int:
        """Add spans to their traces; returns how many were not known."""
        with self._guard:
            before = self._traces.duplicates
            for _ in self._traces.add(spans, segment, self._clock()):
                self._journal.keep(segment)
            again = self._traces.duplicates - before
            self.counts.duplicates += again
        return len(spans) - again

    @property
    def problem(self) -> str:
        """Why nothing could be written the last time; empty if it could."""
        return self._file_problem or self._journal_problem

    @property
    def open_traces(self) -> int:
        """How many traces are not written yet."""
        return self._traces.count

    # --- in the thread of the owner ---

    def work(self) -> None:
        """Write the traces that are complete. If the disk is full, they are kept for the next time."""
        with self._guard:
            closed = self._traces.close_complete(self._clock())
            oldest = self._journal.oldest
            if oldest is not None and self._journal.size > self.limits.max_journal_bytes:
                closed += self._traces.close_in(oldest)
        self._close(closed)

    def finish(self, *, ends_session: bool = True) -> None:
        """Write all traces, and close the output and the journal.

        What cannot be written stays in the journal, for the next start, which then continues the session.
        It does so without `ends_session`, too.
        """
        with self._guard:
            closed = self._traces.close_all()
        try:
            self._close(closed)
            if ends_session and not self.open_traces:
                self._journal.end_session()
        finally:
            self._journal.close()
            self._file.close()

    def _close(self, closed: list[OpenTrace]) -> None:
        for start in range(0, max(len(closed), 1), _MAX_BATCH):
            for trace in closed[start : start + _MAX_BATCH]:
                found = self._reader.read(trace)
                fields = {} if self._fields_of is None else self._fields_of(found)
                self._waiting.append((trace, found, line_of(found, fields, self._hider)))
            self._write_waiting()

    def _write_waiting(self) -> None:
        waiting = self._waiting
        if not waiting:
            return
        try:
            self._file.append([line for _, _, line in waiting])
        except OSError as error:
            self._file_problem = _reason(error)
            return
        self._file_problem = ""
        self._waiting = []
        for trace, found, _ in waiting:
            with self._guard:
                self._traces.forget(trace)
                self.counts.traces += 1
                self.counts.written_spans += found.spans
            for segment in trace.segments:
                self._journal.release(segment)
            if self._on_written is not None:
                self._on_written(found)


def _spans_of(entry: Entry, segment: Segment) -> list[ReceivedSpan]:
    """The spans of a request of the journal, which was accepted under the limits of that time."""
    try:
        body = decompressed(entry.body, entry.encoding, _UNLIMITED)
        return read_request(body, entry.kind)[0]
    except BadRequest as error:
        problem = f"{segment.path}: a request cannot be read: {error.problem}"
        raise InvalidSettings(f"{problem}. Start the version of callscore that wrote it") from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
