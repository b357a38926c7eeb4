"""Joins the spans of each trace, and decides when a trace is complete.

A trace is complete when its root span has arrived and nothing else for a moment; when nothing has arrived for
longer; or when it is too old or too large. Spans that arrive later make a further part of it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.receiving.journal import Segment
    from callscore.receiving.otlp import ReceivedSpan

__all__ = ["ClosedBy", "Limits", "OpenTrace", "OpenTraces", "WrittenSpans"]

# Why a trace was closed: its root arrived, or nothing did; it was too old or too large; the journal had
# no room for it; or the receiver ended.
ClosedBy = Literal["root", "quiet", "age", "size", "journal", "shutdown"]
_OVERHEAD = 400  # bytes that Python needs for a span, about
_OVERHEAD_OF_TRACE = 2000
_MAX_REMEMBERED = 500_000  # spans that were written


class Limits(Struct, frozen=True, kw_only=True):
    """How long traces stay open, and how much of them is kept in memory.

    Attributes:
        settle: seconds without a span after which a trace with a root span is complete. SDKs send what they
            have every five seconds.
        quiet: seconds without a span after which any trace is.
        max_age: seconds after which a trace is closed although spans keep coming.
        max_trace_bytes: of one trace; then it is closed.
        max_open_bytes: of all open traces; above it, requests are refused.
        max_open_traces: likewise.
        max_journal_bytes: of the journal; then the traces in its oldest part are closed.
        max_body_bytes: of a request, before and after decompression.
    """

    settle: float = 6.0
    quiet: float = 60.0
    max_age: float = 3600.0
    max_trace_bytes: int = 16 << 20
    max_open_bytes: int = 128 << 20
    max_open_traces: int = 50_000
    max_journal_bytes: int = 1 << 30
    max_body_bytes: int = 16 << 20


class OpenTrace:
    """The spans of a trace that is not written yet, or of a further part of one that is.

    Attributes:
        part: from 1; above it, other spans of the trace were written before.
        root: the id of the root span; empty until it arrives.
        groups: the spans as JSON, by the JSON of what is around them.
        closed_by: why it is closed; None while it is open.
    """

    def __init__(self, trace: str, part: int, now: float) -> None:
        self.id = trace
        self.part = part
        self.root = ""
        self.groups: dict[tuple[bytes, bytes], list[bytes]] = {}
        self.spans: set[str] = set()
        self.size = _OVERHEAD_OF_TRACE
        self.began = now
        self.latest = now
        self.segments: set[Segment] = set()
        self.closed_by: ClosedBy | None = None

    def add(self, span: ReceivedSpan, now: float) -> int:
        """Add a span; returns the bytes that it takes."""
        around = span.batch, span.scope
        size = _OVERHEAD + len(span.content)
        if around not in self.groups:
            self.groups[around] = []
            size += len(span.batch) + len(span.scope)
        self.groups[around].append(span.content)
        self.spans.add(span.id)
        self.size += size
        self.latest = now
        if span.is_root and not self.root:
            self.root = span.id
        return size

    def is_closed_by(self, now: float, limits: Limits) -> ClosedBy | None:
        """Why it is complete; None if it is not."""
        found: ClosedBy | None = None
        if self.root and now - self.latest >= limits.settle:
            found = "root"
        elif now - self.latest >= limits.quiet:
            found = "quiet"
        elif now - self.began >= limits.max_age:
            found = "age"
        elif self.size >= limits.max_trace_bytes:
            found = "size"
        return found


class WrittenSpans:
    """The ids of the spans that were written last, in bounded memory.

    An exporter that got no response sends spans again: they are known by these ids.
    """

    def __init__(self, most: int = _MAX_REMEMBERED) -> None:
        self._most = most
        self._traces: OrderedDict[str, tuple[int, set[str]]] = OrderedDict()
        self._count = 0

    def add(self, trace: str, part: int, spans: Iterable[str]) -> None:
        """Remember the spans of a part of a trace."""
        before = self._traces.pop(trace, (0, set()))
        ids = before[1] | set(spans)
        self._count += len(ids) - len(before[1])
        self._traces[trace] = max(part, before[0]), ids
        while self._count > self._most and len(self._traces) > 1:
            _, (_, forgotten) = self._traces.popitem(last=False)
            self._count -= len(forgotten)
        if self._count > self._most:  # of one trace that never ends
            self._traces[trace] = max(part, before[0]), set()
            self._count = 0

    def has(self, trace: str, span: str) -> bool:
        """Whether a span was written."""
        found = self._traces.get(trace)
        return found is not None and span in found[1]

    def parts_of(self, trace: str) -> int:
        """How many parts of a trace were written."""
        found = self._traces.get(trace)
        return 0 if found is None else found[0]


class OpenTraces:
    """All traces that are not written yet. Not safe for threads: its owner has a lock."""

    def __init__(self, limits: Limits, written: WrittenSpans) -> None:
        self._limits = limits
        self._written = written
        self._open: dict[str, OpenTrace] = {}
        # Closed, but not on the disk yet: their spans still take memory.
        self._closing: dict[str, list[OpenTrace]] = {}
        self.size = 0
        self.count = 0
        self.duplicates = 0

    @property
    def is_full(self) -> bool:
        """Whether no more spans should be accepted for now."""
        limits = self._limits
        return self.size >= limits.max_open_bytes or self.count >= limits.max_open_traces

    def add(self, spans: Iterable[ReceivedSpan], segment: Segment, now: float) -> list[OpenTrace]:
        """Add spans, except those that are known; returns the traces that need the segment from now on."""
        newly: list[OpenTrace] = []
        for span in spans:
            if self._is_known(span):
                self.duplicates += 1
                continue
            trace = self._open.get(span.trace)
            if trace is None:
                trace = self._open[span.trace] = self._begin(span.trace, now)
            self.size += trace.add(span, now)
            if segment not in trace.segments:
                trace.segments.add(segment)
                newly.append(trace)
        return newly

    def _begin(self, trace: str, now: float) -> OpenTrace:
        self.count += 1
        self.size += _OVERHEAD_OF_TRACE
        parts = self._written.parts_of(trace)
        closing = self._closing.get(trace)
        return OpenTrace(trace, 1 + (closing[-1].part if closing else parts), now)

    def _is_known(self, span: ReceivedSpan) -> bool:
        trace = self._open.get(span.trace)
        if trace is not None and span.id in trace.spans:
            return True
        is_closing = any(span.id in each.spans for each in self._closing.get(span.trace, ()))
        return is_closing or self._written.has(span.trace, span.id)

    def close_complete(self, now: float) -> list[OpenTrace]:
        """The traces that are complete, in the order in which they began."""
        reasons = {name: each.is_closed_by(now, self._limits) for name, each in self._open.items()}
        return [self._close(name, why) for name, why in reasons.items() if why is not None]

    def close_in(self, segment: Segment) -> list[OpenTrace]:
        """Close the traces that need a segment."""
        names = [name for name, each in self._open.items() if segment in each.segments]
        return [self._close(name, "journal") for name in names]

    def close_all(self) -> list[OpenTrace]:
        """Close all traces, because the receiver ends."""
        roots = {name: bool(each.root) for name, each in self._open.items()}
        return [self._close(name, "root" if root else "shutdown") for name, root in roots.items()]

    def _close(self, name: str, why: ClosedBy) -> OpenTrace:
        trace = self._open.pop(name)
        trace.closed_by = why
        self._closing.setdefault(name, []).append(trace)
        return trace

    def forget(self, trace: OpenTrace) -> None:
        """Note that a closed trace is on the disk."""
        self._written.add(trace.id, trace.part, trace.spans)
        waiting = self._closing[trace.id]
        waiting.remove(trace)
        if not waiting:
            del self._closing[trace.id]
        self.size -= trace.size
        self.count -= 1
