"""A closed trace: its spans as one document, the calls in it, and the line that is written of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from callscore.core.case import Case
from callscore.documents import Document, tools_of_document
from callscore.errors import CallscoreError, UnknownFormat
from callscore.formats.case_sides import join_traces
from callscore.formats.cases import actual_from_trace
from callscore.formats.families.spans import read_attributes
from callscore.formats.reading import Recognizer, read_as, read_named, unknown_format_text
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.receiving.open_traces import ClosedBy, OpenTrace
from callscore.receiving.otlp import document_of
from callscore.words.plain_data import call_fields
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.dialect import Dialect
    from callscore.hiding.hider import Hider

DEFAULT_MATCH = "callscore.case_id"
# The format of spans without the attributes of another one, and what its own begin with.
_GENAI, _GENAI_ATTRIBUTES = "otel_genai", b"gen_ai"


class ClosedTrace(Struct, frozen=True, kw_only=True):
    """A trace that is complete, or a further part of one, and what was read from it.

    Attributes:
        id: the value of the match attribute, or else the id of the trace; with its number if it is a
            further part.
        trace_id: the id of the trace.
        part: from 1; further parts have the spans that arrived after the trace was closed.
        closed_by: why it was closed.
        case_ids: the values of the match attribute; only that of the root span if it has one.
        case: the actual side of a case; None if the calls could not be read.
        problem: why calls could not be read, in a sentence; empty if they could.
        spans: how many there are.
        document: the spans as an OTLP document in JSON.
    """

    id: str
    trace_id: str
    part: int
    closed_by: ClosedBy
    case_ids: tuple[str, ...] = ()
    case: Case | None = None
    problem: str = ""
    spans: int = 0
    document: bytes = b""

    @property
    def case_id(self) -> str | None:
        """The case that it names; None if it names none, or several."""
        return self.case_ids[0] if len(self.case_ids) == 1 else None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls; none if they could not be read."""
        return () if self.case is None else self.case.actual or ()


class TraceReader:
    """Reads the calls of closed traces.

    Args:
        match: the attribute of a span or a resource that names the case of a trace.
        read_options: which calls to read.
        dialect: the format of the spans; recognized by default.
    """

    def __init__(
        self,
        match: str = DEFAULT_MATCH,
        read_options: ReadOptions = DEFAULT_READ_OPTIONS,
        dialect: Dialect | None = None,
    ) -> None:
        self._match = match
        self._dialect = dialect
        self._recognizer = Recognizer()
        self._unread: dict[str, None] = {}  # in the trace at hand
        self._read_options = replace(
            read_options,
            inner=Recognizer().find,
            on_unread=self._unread.setdefault,
            numbers_turns=True,
        )

    def read(self, trace: OpenTrace) -> ClosedTrace:
        """The trace, with the calls in it; that they cannot be read is a part of the result."""
        text = document_of(trace.groups)
        document = msgspec.json.decode(text)
        case_ids = self._case_ids(document, trace.root)
        name = case_ids[0] if len(case_ids) == 1 else trace.id
        found = ClosedTrace(
            # A part has another id than the trace, so that it is not taken for a further run.
            id=name if trace.part == 1 else f"{name}/part-{trace.part}",
            trace_id=trace.id,
            part=trace.part,
            closed_by=trace.closed_by or "shutdown",
            case_ids=case_ids,
            spans=len(trace.spans),
            document=text,
        )
        return self._with_calls(found, document)

    def _with_calls(self, found: ClosedTrace, document: Any) -> ClosedTrace:
        place = f"trace {found.trace_id}"
        self._unread.clear()
        try:
            dialect, case = self._read(document, place)
            _require_agent(case, dialect, found.document)
        except UnknownFormat as error:
            # Most programs send other traces, too. Where one names a case, calls were to be expected.
            case = Case(id=found.id, actual=None if found.case_id else ())
            return replace(found, case=case, problem=str(error))
        except CallscoreError as error:
            return replace(found, problem=str(error))
        tools = tools_of_document(Document(place, document, dialect)) or None
        unread = " ".join(self._unread) or None
        return replace(found, case=replace(case, id=found.id, tools=tools, unread=unread))

    def _read(self, document: Any, place: str) -> tuple[Dialect, Case]:
        """The format of a document, and the calls in it."""
        dialect = self._dialect or self._recognizer.find(document)
        if dialect is None:
            raise UnknownFormat(unknown_format_text(document))
        read = read_as if self._dialect is None else read_named
        traces = read(dialect, document, self._read_options)
        run = join_traces(traces, where=place) if traces else Trace()
        case = actual_from_trace(run, place=place)
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
            value = read_attributes(about.get("attributes")).get(self._match)
            if isinstance(value, str | int) and value != "":
                if root and name == root:
                    return (str(value),)
                values[str(value)] = None
        return tuple(values)


def _require_agent(case: Case, dialect: Dialect, document: bytes) -> None:
    """Refuse spans that say nothing about calls: an agent without instrumentation is not one without calls."""
    is_about_agent = dialect.name != _GENAI or _GENAI_ATTRIBUTES in document
    if case.actual is None or not (case.actual or is_about_agent):
        raise UnknownFormat("no span is about a model or a tool. Is the agent instrumented?")


def line_of(trace: ClosedTrace, result: dict[str, Any], hider: Hider) -> bytes:
    """The line of a trace; `result` has more fields, such as its score.

    A trace that names a case, but whose calls cannot be read, has no `actual`: it must not be scored as if
    no call had been made. The secrets of the environment are hidden, as in everything that is saved.
    """
    record: dict[str, Any] = {"id": trace.id, "trace_id": trace.trace_id}
    if trace.part > 1:
        record["part"] = trace.part
    record["closed_by"] = trace.closed_by
    if trace.case is not None and trace.case.actual is not None:
        record["actual"] = [call_fields(call) for call in trace.case.actual]
    record |= result
    line = encode_json(record)[:-1] + b"," + trace.document[1:]
    if hider.has_secret(line.decode(errors="replace")):
        line = msgspec.json.encode(hider.data(msgspec.json.decode(line)))
    return line + b"\n"
