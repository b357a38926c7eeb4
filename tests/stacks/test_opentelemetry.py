"""Traces of the real OpenTelemetry SDK come out as calls and scores; needs requirements/stacks/opentelemetry.txt."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service
from opentelemetry.proto.common.v1 import common_pb2 as common
from opentelemetry.proto.trace.v1 import trace_pb2 as traces
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from tests.servers.recording_server import Reply, record_requests

from callscore.receiving.otlp import (
    JSON,
    PROTOBUF,
    Refused,
    RefusedRequest,
    error_body,
    read_request,
    success_body,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT = 60
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/v1/traces")
REFERENCES = (
    '{"id": "paris", "expected": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}\n'
    '{"id": "rome", "expected": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}\n'
)


class Receiver:
    """`callscore receive` in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        (folder / "refs.jsonl").write_text(REFERENCES, encoding="utf-8")
        command = [
            *(sys.executable, "-m", "callscore", "receive", "--port", "0"),
            *("--settle", "0.2", "--expected", "refs.jsonl", *options),
        ]
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self._process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err)
        until = monotonic() + WAIT
        while not (found := ADDRESS.search((folder / "err").read_text())):
            assert monotonic() < until, "it did not start"
            sleep(0.05)
        self.endpoint = found[0]

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(WAIT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(WAIT)

    @property
    def lines(self) -> list[dict[str, Any]]:
        text = (self.folder / "traces.jsonl").read_bytes()
        return [msgspec.json.decode(line) for line in text.splitlines()]


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    found = Receiver(tmp_path)
    yield found
    found.kill()


def run_agents(provider: TracerProvider) -> None:
    tracer = provider.get_tracer("agent", "1.0")
    operation = "gen_ai.operation.name"
    for case, city in (("paris", "Paris"), ("rome", "Oslo")):
        about = {operation: "invoke_agent", "callscore.case_id": case}
        with tracer.start_as_current_span("invoke_agent", attributes=about):
            model = {operation: "chat", "gen_ai.response.id": f"response-{case}"}
            with tracer.start_as_current_span("chat", attributes=model) as span:
                span.add_event("note", {"count": 3, "shares": [0.5, 1.5]})
            tool = {
                operation: "execute_tool",
                "gen_ai.tool.name": "get_weather",
                "gen_ai.tool.call.id": f"call-{case}",
                "gen_ai.tool.call.arguments": f'{{"city": "{city}"}}',
            }
            with tracer.start_as_current_span("execute_tool get_weather", attributes=tool):
                pass


@pytest.mark.parametrize("compression", list(Compression))
def test_traces_of_the_sdk_come_out_as_calls_and_scores(
    receiver: Receiver, compression: Compression
) -> None:
    exporter = OTLPSpanExporter(endpoint=receiver.endpoint, compression=compression)
    provider = TracerProvider(resource=Resource.create({"service.name": "agent"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    run_agents(provider)
    provider.shutdown()

    assert receiver.stop() == 0
    lines = {line["id"]: line for line in receiver.lines}
    assert [line["actual"][0]["arguments"]["city"] for line in lines.values()] == ["Paris", "Oslo"]
    assert [line["result"]["passed"] for line in lines.values()] == [True, False]
    assert "Macro F1 50.0%" in (receiver.folder / "out").read_text(encoding="utf-8")


def test_the_sdk_is_configured_by_its_variables(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint.removesuffix("/v1/traces"))
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    run_agents(provider)
    provider.shutdown()

    assert receiver.stop() == 0
    assert len(receiver.lines) == 2


def test_a_trace_of_the_sdk_becomes_a_score_at_an_otlp_endpoint(tmp_path: Path) -> None:
    with record_requests({"/v1/logs": Reply(200, b"", PROTOBUF)}) as collector:
        receiver = Receiver(tmp_path, "--upload", "otel", "--upload-endpoint", collector.url)
        provider = TracerProvider()
        provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=receiver.endpoint))
        )
        run_agents(provider)
        provider.shutdown()
        code = receiver.stop()

    sent = [logs.ExportLogsServiceRequest.FromString(each.body) for each in collector.requests]
    records = [
        record
        for request in sent
        for batch in request.resource_logs
        for scope in batch.scope_logs
        for record in scope.log_records
    ]
    found = {each.key: each.value for each in records[1].attributes}
    agents = {
        (span["traceId"], span["spanId"])
        for line in receiver.lines
        for batch in line["resourceSpans"]
        for scope in batch["scopeSpans"]
        for span in scope["spans"]
        if span["name"] == "invoke_agent"
    }
    assert code == 0
    assert {(each.trace_id.hex(), each.span_id.hex()) for each in records} == agents
    assert {each.event_name for each in records} == {"gen_ai.evaluation.result"}
    assert found["gen_ai.evaluation.score.value"].double_value == 0
    assert found["gen_ai.evaluation.score.label"].string_value == "fail"
    assert found["gen_ai.response.id"].string_value == "response-rome"
    assert "Oslo" in found["gen_ai.evaluation.explanation"].string_value


def test_scores_that_do_not_arrive_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "1")
    with record_requests({"/v1/logs": Reply(403, b"no", "text/plain")}) as collector:
        receiver = Receiver(tmp_path, "--upload", "otel", "--upload-endpoint", collector.url)
        provider = TracerProvider()
        provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=receiver.endpoint))
        )
        run_agents(provider)
        provider.shutdown()

        assert receiver.stop() == 4
    said = (tmp_path / "err").read_text(encoding="utf-8")
    assert "2 of 2 scores did not arrive: HTTP status 403" in said
    assert len(receiver.lines) == 2


# --- our decoder, held against the real one ------------------------------------------------------


def a_value(chance: random.Random, depth: int = 0) -> common.AnyValue:
    kind = chance.randrange(7 if depth < 3 else 5)
    if kind == 5:
        values = [a_value(chance, depth + 1) for _ in range(chance.randrange(4))]
        return common.AnyValue(array_value=common.ArrayValue(values=values))
    if kind == 6:
        pairs = attributes(chance, depth + 1)
        return common.AnyValue(kvlist_value=common.KeyValueList(values=pairs))
    return (
        common.AnyValue(string_value=chance.choice(["", "Météo", "\x00\n", "x" * 300])),
        common.AnyValue(bool_value=chance.random() < 0.5),
        common.AnyValue(int_value=chance.choice([0, -1, 2**63 - 1, -(2**63), 300])),
        common.AnyValue(double_value=chance.choice([0.0, -2.25, 1e300, float("inf")])),
        common.AnyValue(bytes_value=chance.randbytes(chance.randrange(20))),
    )[kind]


def attributes(chance: random.Random, depth: int = 0) -> list[common.KeyValue]:
    count = chance.randrange(4)
    return [common.KeyValue(key=f"k{n}", value=a_value(chance, depth)) for n in range(count)]


def a_span(chance: random.Random) -> traces.Span:
    return traces.Span(
        trace_id=chance.randbytes(16),
        span_id=chance.randbytes(8),
        parent_span_id=chance.choice([b"", chance.randbytes(8)]),
        name=chance.choice(["", "chat", "инструмент"]),
        kind=chance.randrange(6),
        start_time_unix_nano=chance.randrange(2**64),
        end_time_unix_nano=chance.randrange(2**64),
        attributes=attributes(chance),
        events=[traces.Span.Event(name="e", time_unix_nano=7, attributes=attributes(chance))],
        links=[traces.Span.Link(trace_id=chance.randbytes(16), span_id=chance.randbytes(8))],
        status=traces.Status(message="m", code=chance.randrange(3)),
        flags=chance.randrange(2**32),
        trace_state="a=b",
        dropped_events_count=chance.randrange(3),
    )


def a_request(chance: random.Random) -> service.ExportTraceServiceRequest:
    request = service.ExportTraceServiceRequest()
    for _ in range(chance.randrange(1, 3)):
        batch = request.resource_spans.add(schema_url="https://example.com/schema")
        batch.resource.attributes.extend(attributes(chance))
        for _ in range(chance.randrange(1, 3)):
            scope = batch.scope_spans.add()
            scope.scope.name = "s"
            scope.spans.extend([a_span(chance) for _ in range(chance.randrange(1, 4))])
    return request


def as_otlp(value: Any) -> Any:
    """Protobuf's own JSON as OTLP has it: ids in hex, kinds and codes as numbers."""
    from base64 import b64decode

    if isinstance(value, list):
        return [as_otlp(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = ("traceId", "spanId", "parentSpanId")
    return {
        key: b64decode(item).hex() if key in ids else as_otlp(item) for key, item in value.items()
    }


def without_defaults(value: Any) -> Any:
    """Without empty fields, which protobuf's JSON leaves out; values of attributes stay."""
    if isinstance(value, list):
        return [without_defaults(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)).endswith("Value"):
        return {key: without_defaults(item) for key, item in value.items()}
    found = {key: without_defaults(item) for key, item in value.items()}
    return {key: item for key, item in found.items() if item not in ("", 0, "0", [])}


def test_requests_are_decoded_as_the_real_package_decodes_them() -> None:
    for seed in range(300):
        request = a_request(random.Random(seed))

        found, refused = read_request(request.SerializeToString(), PROTOBUF)

        plain = as_otlp(MessageToDict(request, use_integers_for_enums=True))
        wanted = [
            span
            for batch in plain["resourceSpans"]
            for scope in batch["scopeSpans"]
            for span in scope["spans"]
        ]
        decoded = [msgspec.json.decode(span.content) for span in found]
        assert refused.count == 0
        assert without_defaults(decoded) == without_defaults(wanted), seed
        again, _ = read_request(msgspec.json.encode(plain), JSON)
        assert [(span.trace, span.id) for span in again] == [
            (span.trace, span.id) for span in found
        ]


def test_damaged_requests_are_refused_where_the_real_package_refuses_them() -> None:
    agree = 0
    for seed in range(2000):
        chance = random.Random(seed)
        data = bytearray(a_request(chance).SerializeToString())
        data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            service.ExportTraceServiceRequest.FromString(bytes(data))
        except Exception:  # noqa: BLE001  (it depends on the implementation)
            is_valid = False
        else:
            is_valid = True
        try:
            read_request(bytes(data), PROTOBUF)
        except RefusedRequest:
            agree += not is_valid
        else:
            agree += is_valid

    assert agree > 1990  # of 2,000: they differ on tags that no field can have


def test_responses_are_those_of_the_protocol() -> None:
    from google.rpc.status_pb2 import Status

    response = service.ExportTraceServiceResponse.FromString(
        success_body(Refused(300, "no id"), PROTOBUF)
    )
    status = Status.FromString(error_body(429, "wait", PROTOBUF))

    assert response.partial_success.rejected_spans == 300
    assert response.partial_success.error_message == "no id"
    assert (status.code, status.message) == (8, "wait")
    assert service.ExportTraceServiceResponse.FromString(success_body(Refused(), PROTOBUF)) == (
        service.ExportTraceServiceResponse()
    )


def test_the_load_program_finds_every_span() -> None:
    """A short run of `make bench-receive`, with a receiver that is killed twice."""
    from pathlib import Path as _Path

    script = _Path(__file__).parents[2] / "benchmarks" / "receive.py"

    ran = subprocess.run(
        [sys.executable, script, "--rate", "500", "--seconds", "4", "--kills", "2"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"acknowledged, not written +0\n", ran.stdout)
