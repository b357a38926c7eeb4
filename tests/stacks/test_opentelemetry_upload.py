"""The real exporter of the OpenTelemetry SDK sends scores to a server that reads OTLP."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import format_span_id, format_trace_id
from tests.servers.recording_server import RecordingServer, Reply, record_requests
from tests.stacks.uploads import REDIRECTS, redirecting, save_run
from tests.stacks.uploads import callscore as callscore_program

if TYPE_CHECKING:
    from pathlib import Path

import callscore
from callscore.core.case import Origin
from callscore.errors import InvalidSettings, UploadFailed
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.otel import BACKEND, upload
from callscore.uploaders.sending import Uploader, upload_evaluations

TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
PROTOBUF = "application/x-protobuf"
TAKEN = Reply(200, b"", PROTOBUF)
LOGS = "/v1/logs"


def records(server: RecordingServer) -> list[Any]:
    found = []
    for request in server.sent_to(LOGS):
        is_packed = request.headers.get("content-encoding") == "gzip"
        body = gzip.decompress(request.body) if is_packed else request.body
        sent = ExportLogsServiceRequest.FromString(body)
        found += [
            record
            for resource in sent.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]
    return found


def attributes(record: Any) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in record.attributes
    }


def score_of_rome() -> callscore.Score:
    return callscore.score(
        [{"name": "get_weather", "arguments": {"city": "Rome"}}],
        [{"name": "get_weather", "arguments": {"city": "Paris"}}],
    )


def test_an_event_has_the_names_of_the_conventions_and_the_context_of_the_trace() -> None:
    with record_requests({LOGS: TAKEN}) as server:
        delivery = upload(
            score_of_rome(),
            endpoint=server.url,
            origin=Origin(TRACE, SPAN, "chatcmpl-1"),
            case="rome",
        )

    (record,) = records(server)
    found = attributes(record)
    assert delivery.sent == 1
    assert record.event_name == "gen_ai.evaluation.result"
    assert (record.trace_id.hex(), record.span_id.hex()) == (TRACE, SPAN)
    assert found["gen_ai.evaluation.name"] == "callscore.accuracy"
    assert found["gen_ai.evaluation.score.value"] == 0.0
    assert found["gen_ai.evaluation.score.label"] == "fail"
    assert found["gen_ai.evaluation.explanation"] == (
        'get_weather: city: expected "Rome", got "Paris"'
    )
    assert found["gen_ai.response.id"] == "chatcmpl-1"
    assert found["callscore.case.id"] == "rome"
    assert "error.type" not in found


def test_the_request_is_as_the_protocol_demands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=abc")
    with record_requests({"/otlp/v1/logs": TAKEN}) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{server.url}/otlp/")
        upload(score_of_rome())

    (request,) = server.requests
    sent = ExportLogsServiceRequest.FromString(gzip.decompress(request.body))
    resource = {
        each.key: each.value.string_value for each in sent.resource_logs[0].resource.attributes
    }
    assert (request.method, request.path) == ("POST", "/otlp/v1/logs")
    assert request.headers["content-type"] == PROTOBUF
    assert request.headers["x-api-key"] == "abc"
    assert resource["service.name"] == "callscore"
    assert sent.resource_logs[0].scope_logs[0].scope.name == "callscore"


def test_an_event_without_a_trace_is_sent_without_a_context() -> None:
    with record_requests({LOGS: TAKEN}) as server:
        delivery = upload(score_of_rome(), endpoint=server.url)

    (record,) = records(server)
    assert (record.trace_id, record.span_id) == (b"", b"")
    assert delivery.unlinked == 1


def test_an_id_of_another_backend_is_an_attribute() -> None:
    origin = Origin("7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11", SPAN)
    with record_requests({LOGS: TAKEN}) as server:
        upload(score_of_rome(), endpoint=server.url, origin=origin)

    (record,) = records(server)
    assert record.trace_id == b""
    assert attributes(record)["callscore.trace.id"] == origin.trace_id


def test_a_missing_answer_has_the_type_of_its_error() -> None:
    failed = Evaluation(name="callscore.accuracy", value=0.0, label="fail", error="timeout")
    with record_requests({LOGS: TAKEN}) as server:
        upload_evaluations(BACKEND, [failed], endpoint=server.url)

    (record,) = records(server)
    assert attributes(record)["error.type"] == "timeout"


def test_many_events_arrive_once_each() -> None:
    evaluations = [Evaluation(name="a", value=1.0, case=str(number)) for number in range(1_050)]
    with record_requests({LOGS: TAKEN}) as server:
        delivery = upload_evaluations(BACKEND, evaluations, endpoint=server.url)

    cases = [attributes(record)["callscore.case.id"] for record in records(server)]
    assert delivery.sent == 1_050
    assert cases == [each.case for each in evaluations]


def test_a_busy_endpoint_is_tried_again() -> None:
    busy = Reply(503, b"", PROTOBUF, (("retry-after", "0"),))
    with record_requests({LOGS: [busy, TAKEN]}) as server:
        delivery = upload(score_of_rome(), endpoint=server.url)

    assert delivery.sent == 1
    assert len(server.requests) == 2


def test_an_endpoint_that_refuses_is_an_error_with_the_count() -> None:
    evaluations = [Evaluation(name="a", value=1.0, case=str(number)) for number in range(250)]
    replies = [TAKEN, Reply(400, b"no", "text/plain")]
    with record_requests({LOGS: replies}) as server:
        delivery = upload_evaluations(BACKEND, evaluations, endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (100, 150)
    assert "HTTP status 400" in delivery.problems[0]
    with pytest.raises(UploadFailed, match="150 of 250 scores did not arrive"):
        delivery.require_all()


def test_rejected_records_of_a_response_of_success_are_counted() -> None:
    rejected = ExportLogsPartialSuccess(rejected_log_records=2, error_message="too old")
    body = ExportLogsServiceResponse(partial_success=rejected).SerializeToString()
    evaluations = [Evaluation(name="a", value=1.0, case=str(number)) for number in range(5)]
    with record_requests({LOGS: Reply(200, body, PROTOBUF)}) as server:
        delivery = upload_evaluations(BACKEND, evaluations, endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (3, 2)
    assert delivery.problems == ("the endpoint rejected records: too old",)


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    with (
        redirecting(status, LOGS) as (server, other),
        pytest.raises(UploadFailed, match="redirects are not followed"),
    ):
        upload(score_of_rome(), endpoint=server.url)

    assert other.requests == []


@pytest.mark.parametrize(
    "reply", [Reply(200, b"<html>", "text/html"), Reply(200, b"\xff", PROTOBUF), Reply(200, b"no")]
)
def test_a_response_of_something_else_is_not_success(reply: Reply) -> None:
    with (
        record_requests({LOGS: reply}) as server,
        pytest.raises(UploadFailed, match="does not confirm"),
    ):
        upload(score_of_rome(), endpoint=server.url)


def test_rejected_records_of_a_response_in_json_are_counted() -> None:
    body = b'{"partialSuccess": {"rejectedLogRecords": "1", "errorMessage": "too old"}}'
    with (
        record_requests({LOGS: Reply(200, body)}) as server,
        pytest.raises(UploadFailed, match="too old"),
    ):
        upload(score_of_rome(), endpoint=server.url)


def test_a_disabled_sdk_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with (
        record_requests({LOGS: TAKEN}) as server,
        pytest.raises(UploadFailed, match="OTEL_SDK_DISABLED"),
    ):
        upload(score_of_rome(), endpoint=server.url)

    assert server.requests == []


def test_an_address_of_another_protocol_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="not an address of OTLP over HTTP"):
        upload(score_of_rome(), endpoint="grpc://localhost:4317")


def test_an_uploader_sends_what_comes_and_reports_at_the_end() -> None:
    with record_requests({LOGS: TAKEN}) as server:
        uploader = Uploader(BACKEND, endpoint=server.url, max_waiting=3)
        for number in range(20):
            assert uploader.send(Evaluation(name="a", value=1.0, case=str(number)))
        delivery = uploader.close()

    cases = [attributes(record)["callscore.case.id"] for record in records(server)]
    assert delivery.sent == 20
    assert cases == [str(number) for number in range(20)]


def test_the_score_of_a_trace_of_the_sdk_comes_out_at_that_trace(tmp_path: Path) -> None:
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("agent")
    call = {"type": "tool_call", "id": "1", "name": "get_weather", "arguments": {"city": "Paris"}}
    answer = msgspec.json.encode([{"role": "assistant", "parts": [call]}]).decode()
    with (
        tracer.start_as_current_span("POST /chat"),
        tracer.start_as_current_span(
            "invoke_agent weather", attributes={"gen_ai.operation.name": "invoke_agent"}
        ) as agent,
        tracer.start_as_current_span(
            "chat gpt",
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.output.messages": answer,
                "gen_ai.response.id": "chatcmpl-7",
            },
        ),
    ):
        pass
    save_run(
        tmp_path, [msgspec.json.decode(span.to_json()) for span in exporter.get_finished_spans()]
    )

    with record_requests({LOGS: TAKEN}) as server:
        done = callscore_program(
            tmp_path, "upload", "night", "--to", "otel", OTEL_EXPORTER_OTLP_ENDPOINT=server.url
        )

    (record,) = records(server)
    context = agent.get_span_context()
    assert done.returncode == 0, done.stderr
    assert record.trace_id.hex() == format_trace_id(context.trace_id)
    assert record.span_id.hex() == format_span_id(context.span_id)
    assert attributes(record)["gen_ai.response.id"] == "chatcmpl-7"
    assert attributes(record)["gen_ai.evaluation.score.value"] == 0.0


def test_a_closed_port_is_an_error_of_the_program(tmp_path: Path) -> None:
    trace = {
        "choices": [{"message": {"role": "assistant", "content": "I do not know."}}],
        "id": "c1",
    }
    save_run(tmp_path, trace)
    with record_requests({}) as server:
        url = server.url

    done = callscore_program(
        tmp_path,
        *("upload", "latest", "--to", "otel", "--endpoint", url),
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )

    assert done.returncode == 4
    assert "1 of 1 scores did not arrive" in done.stderr
