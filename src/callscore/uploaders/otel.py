"""Scores as OpenTelemetry events `gen_ai.evaluation.result`, over the Logs API to any OTLP endpoint.

The event is in the context of the trace and the span that were scored. The names of its attributes are
those of the semantic conventions for generative AI. The SDK retries for as long as its timeout allows:
`OTEL_EXPORTER_OTLP_TIMEOUT`.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from callscore.core.rendering import clip
from callscore.errors import InvalidSettings, MissingExtra
from callscore.sources.remote import without_credentials
from callscore.uploaders.responses import Responses
from callscore.uploaders.sending import Backend, Connection, Delivery, Outcome, upload_scored

if TYPE_CHECKING:
    from callscore.uploaders.evaluations import Evaluation

EVENT = "gen_ai.evaluation.result"
_LOGS_PATH = "/v1/logs"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_DEFAULT_ENDPOINT = "http://localhost:4318"
_SDK_LOGGER = "opentelemetry"
_NANOSECONDS = 10**9
_MAX_REASON = 400  # characters
_OS_ERROR = re.compile(r"\[Errno -?\d+\] ([^'\")\]]+)")
_TRACE_ID = re.compile("[0-9a-f]{32}")
_SPAN_ID = re.compile("[0-9a-f]{16}")


def upload(scored: Any, *, endpoint: str | None = None, **options: Any) -> Delivery:
    """Send scores as events to an OTLP endpoint.

    Args:
        scored: a `Score`, `Results`, or a list of these.
        endpoint: the address of the collector, such as `http://localhost:4318`; by default that of the
            `OTEL_EXPORTER_OTLP_*` variables.
        options: `prefix`, `explain`; `origin` and `case` for a single `Score`.

    Raises:
        UploadFailed: not all of them arrived.
        MissingExtra: the OpenTelemetry SDK is not installed.
    """
    return upload_scored(BACKEND, scored, endpoint=endpoint, **options)


def _refusal(evaluation: Evaluation) -> str | None:
    del evaluation  # an event need not belong to a trace
    return None


def attributes_of(evaluation: Evaluation) -> dict[str, str | float]:
    """The attributes of the event: those of the conventions, and those of callscore."""
    origin = evaluation.origin
    known: dict[str, str | float | None] = {
        "gen_ai.evaluation.name": evaluation.name,
        "gen_ai.evaluation.score.value": evaluation.value,
        "gen_ai.evaluation.score.label": evaluation.label,
        "gen_ai.evaluation.explanation": evaluation.explanation,
        "gen_ai.response.id": origin.response_id,
        "error.type": evaluation.error,
        "log.record.uid": evaluation.id,
        "callscore.case.id": evaluation.case or None,
        "callscore.case.trial": None if evaluation.trial is None else str(evaluation.trial),
        "callscore.run.id": evaluation.run,
        # The id of a trace that is not of OpenTelemetry cannot be the context.
        "callscore.trace.id": None if _trace_id(evaluation) else origin.trace_id,
        **{f"callscore.{name}": value for name, value in evaluation.metadata.items()},
    }
    return {name: _text(value) for name, value in known.items() if value is not None}


def _text(value: str | float) -> str | float:
    """A value that can be encoded: half of a surrogate pair is escaped."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _trace_id(evaluation: Evaluation) -> int:
    """The id of the trace, or 0 if it is not one of OpenTelemetry."""
    given = (evaluation.origin.trace_id or "").lower().removeprefix("tr-")  # as MLflow has it
    return int(given, 16) if _TRACE_ID.fullmatch(given) else 0


def _span_id(evaluation: Evaluation) -> int:
    given = (evaluation.origin.span_id or "").lower()
    return int(given, 16) if _SPAN_ID.fullmatch(given) else 0


# --- the SDK -----------------------------------------------------------------------------------


def _connect(endpoint: str | None) -> Connection:
    """A logger provider of its own, whose records are exported in batches and not in the background."""
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import LoggerProvider
    except ImportError as error:
        raise MissingExtra("Sending OpenTelemetry events", "otel") from error
    from callscore import __version__

    address = _logs_address(endpoint)
    responses = Responses()
    with _sdk_log():
        exporter = OTLPLogExporter(endpoint=address, session=responses.session())
    records: list[Any] = []
    provider = LoggerProvider(_resource(), shutdown_on_exit=False)
    provider.add_log_record_processor(_collecting(records))
    logger = provider.get_logger("callscore", __version__)

    def send(batch: Sequence[Evaluation]) -> Outcome:
        records.clear()
        for each in batch:
            _emit(logger, each)
        if len(records) < len(batch):
            return Outcome(len(batch), ("the OpenTelemetry SDK is disabled (OTEL_SDK_DISABLED)",))
        return _export(exporter, list(records), responses, without_credentials(address))

    def close() -> None:
        with _sdk_log():
            exporter.shutdown()

    return Connection(send, close, without_credentials(address))


def _resource() -> Any:
    """What sends: the service that the environment names, or callscore."""
    from opentelemetry.sdk.resources import Resource

    named = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in named
    return Resource.create({} if is_named else {"service.name": "callscore"})


def _emit(logger: Any, evaluation: Evaluation) -> None:
    """Log one event, in the context of the span that was scored."""
    from opentelemetry.context import Context
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    trace = _trace_id(evaluation)
    span = SpanContext(
        trace_id=trace,
        span_id=_span_id(evaluation) if trace else 0,
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED if trace else TraceFlags.DEFAULT),
    )
    moment = evaluation.scored_at
    logger.emit(
        timestamp=None if moment is None else int(moment * _NANOSECONDS),
        context=set_span_in_context(NonRecordingSpan(span), Context()),
        attributes=attributes_of(evaluation),
        event_name=EVENT,
    )


def _collecting(records: list[Any]) -> Any:
    """A processor that keeps the records, so that they are exported together and the result is known."""
    from opentelemetry.sdk._logs import LogRecordProcessor, ReadableLogRecord

    class Collecting(LogRecordProcessor):  # type: ignore[misc, unused-ignore]  # it may not be installed
        def on_emit(self, log_record: Any) -> None:
            records.append(
                ReadableLogRecord(
                    log_record=log_record.log_record,
                    resource=log_record.resource,
                    instrumentation_scope=log_record.instrumentation_scope,
                    limits=log_record.limits,
                )
            )

        def shutdown(self) -> None:
            records.clear()

        def force_flush(self, timeout_millis: int = 0) -> bool:
            del timeout_millis
            return True

    return Collecting()


def _partial_success(response: Any) -> Any:
    """What a response of success says about the records; None if it is not that of an endpoint of OTLP."""
    from google.protobuf.json_format import Parse, ParseError
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

    if response is None:
        return None
    found, kind = ExportLogsServiceResponse(), response.headers.get("content-type", "")
    try:
        if "json" in kind:
            Parse(response.content or b"{}", found, ignore_unknown_fields=True)
        elif "protobuf" in kind or not kind:
            found.ParseFromString(response.content)
        elif "html" in kind:  # others answer with a text
            return None
    except (DecodeError, ParseError):
        return None
    return found.partial_success


def _export(exporter: Any, records: list[Any], responses: Responses, place: str) -> Outcome:
    """Export records, and count those that the endpoint at a place did not take."""
    responses.last = None
    with _sdk_log() as said:
        result = exporter.export(records)
    if result.name != "SUCCESS":
        return Outcome(len(records), (responses.redirect() or _failure(said, responses, place),))
    found = _partial_success(responses.last)
    if found is None:
        return Outcome(len(records), (responses.unconfirmed(),))
    if not found.rejected_log_records:
        return Outcome()
    rejected = min(found.rejected_log_records, len(records))
    return Outcome(rejected, (f"the endpoint rejected records: {found.error_message}",))


def _failure(said: list[str], responses: Responses, place: str) -> str:
    status = None if responses.last is None else responses.last.status_code
    answer = f"cannot reach {place}: " if status is None else f"HTTP status {status}. "
    reason = clip(_cause(" ".join(said[-2:])), _MAX_REASON) or "the export failed"
    return f"{answer}{reason}"


def _cause(text: str) -> str:
    """What the operating system says in a text of the SDK; the whole text if it says nothing."""
    found = _OS_ERROR.findall(text)
    return found[-1] if found else text


@contextmanager
def _sdk_log() -> Iterator[list[str]]:
    """The sentences that the SDK logs meanwhile; they are not printed."""
    said: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, handler = logging.getLogger(_SDK_LOGGER), Keeping()
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


def _logs_address(endpoint: str | None) -> str:
    """The address that logs are sent to.

    Only that of the variable for logs is taken as it is; the path for logs is added to any other.

    Raises:
        InvalidSettings: it is not an address.
    """
    given = endpoint
    if given is None:
        exact = os.environ.get(_ENDPOINTS[0])
        if exact:
            return _require_http(exact)
        given = os.environ.get(_ENDPOINTS[1]) or _DEFAULT_ENDPOINT
    parts = urlsplit(_require_http(given))
    path = parts.path.rstrip("/")
    if not path.endswith(_LOGS_PATH):
        path += _LOGS_PATH
    return urlunsplit(parts._replace(path=path))


def _require_http(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InvalidSettings(
            f"endpoint: {without_credentials(address)!r} is not an address of OTLP over HTTP,"
            f" such as {_DEFAULT_ENDPOINT}"
        )
    return address


BACKEND = Backend(title="OpenTelemetry", connect=_connect, refusal=_refusal)
