"""The real client of Phoenix sends annotations to a server that records them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.recording_server import Reply, record_requests
from tests.stacks.uploads import REDIRECTS, callscore, redirecting, save_run

from callscore.core.case import Origin
from callscore.errors import InvalidSettings
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.phoenix import BACKEND
from callscore.uploaders.sending import upload_evaluations

if TYPE_CHECKING:
    from pathlib import Path

ANNOTATIONS = "/v1/span_annotations"
TAKEN = Reply(200, b'{"data": [{"id": "1"}]}')
TRACE, AGENT, MODEL = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", "eee19b7ec3c1b175"
PREFIX = "llm.output_messages.0.message.tool_calls.0.tool_call.function"
SPANS = [
    {
        "name": "agent",
        "context": {"trace_id": TRACE, "span_id": AGENT},
        "parent_id": None,
        "start_time": "2026-11-01T09:00:00Z",
        "attributes": {"openinference.span.kind": "AGENT"},
    },
    {
        "name": "model",
        "context": {"trace_id": TRACE, "span_id": MODEL},
        "parent_id": AGENT,
        "start_time": "2026-11-01T09:00:01Z",
        "attributes": {
            "openinference.span.kind": "LLM",
            f"{PREFIX}.name": "get_weather",
            f"{PREFIX}.arguments": '{"city": "Paris"}',
        },
    },
]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PHOENIX_COLLECTOR_ENDPOINT", raising=False)


def evaluation(number: int = 0, **fields: Any) -> Evaluation:
    known = {"name": "callscore.accuracy", "value": 0.5, "label": "fail", "case": str(number)}
    return Evaluation(**{**known, "origin": Origin(TRACE, f"{number:016x}"), **fields})


def test_the_score_of_a_trace_is_an_annotation_of_the_span_of_the_agent(tmp_path: Path) -> None:
    save_run(tmp_path, SPANS)

    with record_requests({ANNOTATIONS: TAKEN}) as server:
        done = callscore(
            tmp_path,
            *("upload", "latest", "--to", "phoenix"),
            PHOENIX_COLLECTOR_ENDPOINT=f"{server.url}/v1/traces",
            PHOENIX_API_KEY="secret-of-phoenix",
            PHOENIX_CLIENT_HEADERS="X-Team=a%20b",
        )

    (request,) = server.sent_to(ANNOTATIONS)
    (sent,) = request.json["data"]
    assert done.returncode == 0, done.stderr
    assert request.query == "sync=true"
    assert request.headers["authorization"] == "Bearer secret-of-phoenix"
    assert request.headers["x-team"] == "a b"
    assert (sent["span_id"], sent["annotator_kind"]) == (AGENT, "CODE")
    assert sent["name"] == "callscore.accuracy"
    assert sent["result"] == {
        "score": 0.0,
        "label": "fail",
        "explanation": 'get_weather: city: expected "Rome", got "Paris"',
    }
    assert sent["metadata"]["trace_id"] == TRACE


def test_a_second_upload_has_the_same_identifier() -> None:
    with record_requests({ANNOTATIONS: TAKEN}) as server:
        for _ in range(2):
            upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    first, second = [request.json for request in server.sent_to(ANNOTATIONS)]
    assert first == second


def test_a_span_that_is_not_there_does_not_take_the_others_along() -> None:
    missing = Reply(404, msgspec.json.encode({"detail": "Spans with IDs 1 do not exist."}))
    replies = [missing, TAKEN, missing, TAKEN]  # all three, and then one by one
    with record_requests({ANNOTATIONS: replies}) as server:
        delivery = upload_evaluations(
            BACKEND, [evaluation(number) for number in range(3)], endpoint=server.url
        )

    assert (delivery.sent, delivery.failed) == (2, 1)
    assert f"span {1:016x}: HTTP status 404" in delivery.problems[0]


def test_a_server_that_refuses_is_an_error() -> None:
    with record_requests({ANNOTATIONS: Reply(401, b"no", "text/plain")}) as server:
        delivery = upload_evaluations(
            BACKEND, [evaluation(number) for number in range(3)], endpoint=server.url
        )

    assert (delivery.sent, delivery.failed) == (0, 3)
    assert len(server.requests) == 1


def test_scores_without_a_span_are_refused() -> None:
    with (
        record_requests({ANNOTATIONS: TAKEN}) as server,
        pytest.raises(InvalidSettings, match="Phoenix needs the id of the span"),
    ):
        upload_evaluations(BACKEND, [evaluation(origin=Origin(TRACE))], endpoint=server.url)


def test_a_file_of_the_folder_gives_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env.phoenix").write_text("PHOENIX_API_KEY=of-the-file\n")
    monkeypatch.chdir(tmp_path)
    with record_requests({ANNOTATIONS: TAKEN}) as server:
        upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    (request,) = server.requests
    assert "authorization" not in request.headers


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    with redirecting(status, ANNOTATIONS) as (server, other):
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "redirects are not followed" in delivery.problems[0]
    assert other.requests == []


@pytest.mark.parametrize(
    "reply",
    [Reply(200, b""), Reply(200), Reply(200, b'{"data": []}'), Reply(200, b"<html>", "text/html")],
)
def test_only_a_response_that_confirms_it_is_a_score_that_was_sent(reply: Reply) -> None:
    with record_requests({ANNOTATIONS: reply}) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "does not confirm" in delivery.problems[0]
