"""A trace that is being received: its spans, until it is complete, and then what was read from them.

A trace is complete when its root span has arrived and nothing else for a moment; when nothing has arrived for
longer; or when it is too old or too large. Spans that arrive later make a further part of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from callscore.core.case import Case
from callscore.core.score import Fault, Score
from callscore.documents import Document, tools_of_document
from callscore.errors import CallscoreError, UnknownFormat
from callscore.formats.case_sides import join_traces
from callscore.formats.cases import actual_from_trace
from callscore.formats.families.spans import read_attributes
from callscore.formats.reading import Recognizer, read_as, read_named, unknown_format_text
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions
from callscore.formats.trace import Trace as Run
from callscore.receiving.otlp import document_of

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.dialect import Dialect
    from callscore.receiving.otlp import ReceivedSpan

DEFAULT_MATCH = "callscore.case_id"
# Why a trace was closed: its root arrived, or nothing did; it was too old or too large; or the receiver
# ended.
ClosedBy = Literal["root", "quiet", "age", "size", "shutdown"]
# Why a trace has no score although it should: it names no case or several, no reference has that id, it is a
# part that came late, or its calls could not be read or compared.
Unscored = Literal["", "nameless", "ambiguous", "unknown", "late", "unreadable"]
_OVERHEAD, _OVERHEAD_OF_ROW = 400, 1000  # bytes that Python needs for a span and around it, about
_MAX_REMEMBERED = 500_000  # spans that were written
# The format of spans without the attributes of another one, and what its own begin with.
_GENAI, _GENAI_ATTRIBUTES = "otel_genai", b"gen_ai"


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


class Trace(Struct, kw_only=True, eq=False):
    """A trace that is not written yet, or a further part of one that is.

    Attributes:
        trace_id: the id of the trace.
        part: from 1; above it, other spans of the trace were written before.
        root: the id of the root span; empty until it arrives.
        groups: the spans as JSON, by the JSON of what is around them.
        spans: their ids.
        size: the bytes that they take.
        began: when the first one came.
        latest: when the last one came.
        rows: those of the spool.
        closed_by: why it is closed; None while it is open.
        document: the spans as an OTLP document in JSON, once it was read.
        case_ids: the values of the match attribute; only that of the root span if it has one.
        case: the actual side of a case; None if the calls could not be read.
        problem: why calls could not be read or compared, in a sentence; empty if they could.
        unscored: why it has no score, or was not checked, although it should; else empty.
        score: how the calls compare.
        faults: those that were found; None if it was not checked.
    """

    trace_id: str
    part: int = 1
    root: str = ""
    groups: dict[tuple[bytes, bytes], list[bytes]] = {}
    spans: set[str] = set()
    size: int = 0
    began: float = 0
    latest: float = 0
    rows: list[int] = []
    closed_by: ClosedBy | None = None
    document: bytes = b""
    case_ids: tuple[str, ...] = ()
    case: Case | None = None
    problem: str = ""
    unscored: Unscored = ""
    score: Score | None = None
    faults: tuple[Fault, ...] | None = None

    @property
    def case_id(self) -> str | None:
        """The case that it names; None if it names none, or several."""
        return self.case_ids[0] if len(self.case_ids) == 1 else None

    @property
    def id(self) -> str:
        """The case that it names, or else its own id; a part is not to be taken for a further run."""
        name = self.case_id or self.trace_id
        return name if self.part == 1 else f"{name}/part-{self.part}"

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls; none if they could not be read."""
        return () if self.case is None else self.case.actual or ()

    def add(self, span: ReceivedSpan) -> None:
        """Add a span, unless it is there."""
        if span.id in self.spans:
            return
        self.groups.setdefault((span.batch, span.scope), []).append(span.content)
        self.spans.add(span.id)
        if span.is_root and not self.root:
            self.root = span.id

    def reason_to_close(self, now: float, limits: Limits) -> ClosedBy | None:
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


class Traces:
    """All traces that are not written yet. Not safe for threads: its owner has a lock.

    The ids of the spans that were closed last are known, too, in bounded memory: an exporter that got no
    response sends spans again.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[str, Trace] = {}
        self._closed: OrderedDict[str, tuple[int, set[str]]] = OrderedDict()  # parts, and spans
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
        trace = self._open.get(name) or Trace(trace_id=name, part=part + 1, began=now)
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

    def close(self, now: float | None = None) -> list[Trace]:
        """Close the traces that are complete now, in the order in which they began; all without a time."""
        found = []
        for trace in [*self._open.values()]:
            why: ClosedBy | None = "root" if trace.root else "shutdown"
            if now is not None:
                why = trace.reason_to_close(now, self._limits)
            if why is not None:
                trace.closed_by = why
                self.remember(trace.trace_id, trace.part, trace.spans)
                found.append(self._open.pop(trace.trace_id))
        return found

    def remember(self, name: str, part: int, spans: Iterable[str]) -> None:
        """Note the spans of a part of a trace that is closed."""
        last, ids = self._closed.get(name, (0, set()))
        known = ids.union(spans)
        self._closed[name] = max(part, last), known
        self._closed.move_to_end(name)
        self._closed_spans += len(known) - len(ids)
        while self._closed_spans > _MAX_REMEMBERED:
            _, (_, forgotten) = self._closed.popitem(last=False)
            self._closed_spans -= len(forgotten)

    def forget(self, trace: Trace) -> None:
        """Note that a closed trace is on the disk, and takes no memory any more."""
        self.size -= trace.size
        self.count -= 1


class TraceReader:
    """Reads the calls of closed traces.

    Args:
        match: the attribute of a span or a resource that names the case of a trace.
        read_options: which calls to read.
        dialect: the format of the spans; recognized by default.

    Attributes:
        match: that attribute.
    """

    def __init__(
        self,
        match: str = DEFAULT_MATCH,
        read_options: ReadOptions = DEFAULT_READ_OPTIONS,
        dialect: Dialect | None = None,
    ) -> None:
        self.match = match
        self._dialect = dialect
        self._recognizer = Recognizer()
        self._unread: dict[str, None] = {}  # in the trace at hand
        self._read_options = replace(
            read_options,
            inner=Recognizer().find,
            on_unread=self._unread.setdefault,
            numbers_turns=True,
        )

    def read(self, trace: Trace) -> None:
        """Read the case and the calls of a trace; that they cannot be read is noted in it, too."""
        trace.document = document_of(trace.groups)
        document = msgspec.json.decode(trace.document)
        trace.case_ids = self._case_ids(document, trace.root)
        self._unread.clear()
        try:
            dialect, case = self._case(document, trace)
        except UnknownFormat as error:
            # Most programs send other traces, too. Where one names a case, calls were to be expected.
            trace.case = Case(id=trace.id, actual=None if trace.case_id else ())
            trace.problem = str(error)
        except CallscoreError as error:
            trace.problem = str(error)
        else:
            tools = tools_of_document(Document(trace.trace_id, document, dialect)) or None
            unread = " ".join(self._unread) or None
            trace.case = replace(case, id=trace.id, tools=tools, unread=unread)

    def _case(self, document: Any, trace: Trace) -> tuple[Dialect, Case]:
        """The format of a document, and the calls in it."""
        place = f"trace {trace.trace_id}"
        dialect = self._dialect or self._recognizer.find(document)
        if dialect is None:
            raise UnknownFormat(unknown_format_text(document))
        read = read_as if self._dialect is None else read_named
        traces = read(dialect, document, self._read_options)
        run = join_traces(traces, where=place) if traces else Run()
        case = actual_from_trace(run, place=place)
        # Spans that say nothing about calls: an agent without instrumentation is not one without calls.
        is_about_agent = dialect.name != _GENAI or _GENAI_ATTRIBUTES in trace.document
        if case.actual is None or not (case.actual or is_about_agent):
            raise UnknownFormat("no span is about a model or a tool. Is the agent instrumented?")
        return dialect, case

    def _case_ids(self, document: Any, root: str) -> tuple[str, ...]:
        """The values of the match attribute; that of the root span decides."""
        spans = [
            (str(span.get("spanId")).lower(), span)
            for batch in document["resourceSpans"]
            for scope in batch["scopeSpans"]
            for span in scope["spans"]
        ]
        resources = [("", batch.get("resource") or {}) for batch in document["resourceSpans"]]
        values: dict[str, None] = {}
        for name, about in (*spans, *resources):
            value = read_attributes(about.get("attributes")).get(self.match)
            if isinstance(value, str | int) and value != "":
                if root and name == root:
                    return (str(value),)
                values[str(value)] = None
        return tuple(values)
