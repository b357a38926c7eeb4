"""Joins the spans of each trace, and decides when a trace is complete.

A trace is complete when its root span has arrived and nothing else for a moment; when nothing has arrived for
longer; or when it is too old or too large. Spans that arrive later make a further part of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.receiving.otlp import ReceivedSpan

# Why a trace was closed: its root arrived, or nothing did; it was too old or too large; or the receiver
# ended.
ClosedBy = Literal["root", "quiet", "age", "size", "shutdown"]
_OVERHEAD, _OVERHEAD_OF_ROW = 400, 1000  # bytes that Python needs for a span and around it, about
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
        max_body_bytes: of a request, before and after decompression.
    """

    settle: float = 6.0
    quiet: float = 60.0
    max_age: float = 3600.0
    max_trace_bytes: int = 16 << 20
    max_open_bytes: int = 128 << 20
    max_open_traces: int = 50_000
    max_body_bytes: int = 16 << 20


def memory_of(spans: int, content: bytes) -> int:
    """The bytes that spans of a trace take, which are this row of the spool."""
    return len(content) + _OVERHEAD_OF_ROW + _OVERHEAD * spans


class OpenTrace:
    """The spans of a trace that is not written yet, or of a further part of one that is.

    Attributes:
        part: from 1; above it, other spans of the trace were written before.
        root: the id of the root span; empty until it arrives.
        groups: the spans as JSON, by the JSON of what is around them.
        rows: those of the spool.
        closed_by: why it is closed; None while it is open.
    """

    def __init__(self, trace: str, part: int = 1, now: float = 0) -> None:
        self.id = trace
        self.part = part
        self.root = ""
        self.groups: dict[tuple[bytes, bytes], list[bytes]] = {}
        self.spans: set[str] = set()
        self.size = 0
        self.began = now
        self.latest = now
        self.rows: list[int] = []
        self.closed_by: ClosedBy | None = None

    def add(self, span: ReceivedSpan) -> None:
        """Add a span, unless it is there."""
        if span.id in self.spans:
            return
        self.groups.setdefault((span.batch, span.scope), []).append(span.content)
        self.spans.add(span.id)
        if span.is_root and not self.root:
            self.root = span.id

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


class OpenTraces:
    """All traces that are not written yet. Not safe for threads: its owner has a lock.

    The ids of the spans that were closed last are known, too, in bounded memory: an exporter that got no
    response sends spans again.
    """

    def __init__(self, limits: Limits, most_closed: int = _MAX_REMEMBERED) -> None:
        self._limits = limits
        self._open: dict[str, OpenTrace] = {}
        self._closed: OrderedDict[str, tuple[int, set[str]]] = OrderedDict()  # parts, and spans
        self._most_closed = most_closed
        self._closed_spans = 0
        self.size = 0  # until they are on the disk, also those that are closed
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Whether no more spans should be accepted for now."""
        limits = self._limits
        return self.size >= limits.max_open_bytes or self.count >= limits.max_open_traces

    def add(self, spans: list[ReceivedSpan], row: int, size: int, now: float) -> int:
        """Add the spans of one trace, except those that are known; returns how many were not.

        If there is one, the trace needs the row of the spool.
        """
        name = spans[0].trace
        part, closed = self._closed.get(name, (0, set()))
        trace = self._open.get(name) or OpenTrace(name, part + 1, now)
        before = len(trace.spans)
        for span in spans:
            if span.id not in closed:
                trace.add(span)
        count = len(trace.spans) - before
        if count:
            self.count += name not in self._open
            self._open[name] = trace
            self.size += size
            trace.size += size
            trace.rows.append(row)
            trace.latest = now
        return count

    def close_complete(self, now: float) -> list[OpenTrace]:
        """The traces that are complete, in the order in which they began."""
        reasons = {name: each.is_closed_by(now, self._limits) for name, each in self._open.items()}
        return [self._close(name, why) for name, why in reasons.items() if why is not None]

    def close_all(self) -> list[OpenTrace]:
        """Close all traces, because the receiver ends."""
        roots = {name: bool(each.root) for name, each in self._open.items()}
        return [self._close(name, "root" if root else "shutdown") for name, root in roots.items()]

    def _close(self, name: str, why: ClosedBy) -> OpenTrace:
        trace = self._open.pop(name)
        trace.closed_by = why
        self.remember(name, trace.part, trace.spans)
        return trace

    def remember(self, name: str, part: int, spans: Iterable[str]) -> None:
        """Note the spans of a part of a trace that is closed."""
        last, ids = self._closed.get(name, (0, set()))
        known = ids.union(spans)
        self._closed[name] = max(part, last), known
        self._closed.move_to_end(name)
        self._closed_spans += len(known) - len(ids)
        while self._closed_spans > self._most_closed:
            _, (_, forgotten) = self._closed.popitem(last=False)
            self._closed_spans -= len(forgotten)

    def forget(self, trace: OpenTrace) -> None:
        """Note that a closed trace is on the disk, and takes no memory any more."""
        self.size -= trace.size
        self.count -= 1
