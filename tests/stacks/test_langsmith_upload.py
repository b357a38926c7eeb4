"""The real SDK of LangSmith sends feedback to a server that records it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.recording_server import Reply, record_requests
from tests.stacks.uploads import REDIRECTS, callscore, redirecting, save_run

from callscore.core.case import Origin
from callscore.errors import InvalidSettings
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.langsmith import BACKEND
from callscore.uploaders.sending import upload_evaluations

if TYPE_CHECKING:
    from pathlib import Path

FEEDBACK = "/feedback"
KEY = {"LANGSMITH_API_KEY": "lsv2_pt_test_secret"}
SERVER = {"/info": Reply(200, b'{"version": "0.13.0"}'), FEEDBACK: Reply(200)}
ROOT, MODEL = "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11", "0b9d7c3e-14c1-4bb8-8d53-2b7f6f0f9a22"
PROJECT = "c5a1b2d3-0000-4000-8000-000000000001"
CALL = {"name": "get_weather", "args": {"city": "Paris"}, "id": "1", "type": "tool_call"}
RUNS = [
    {
        "id": ROOT,
        "trace_id": ROOT,
        "session_id": PROJECT,
        "name": "agent",
        "run_type": "chain",
        "start_time": "2026-11-15T06:37:27.000000",
        "inputs": {},
        "outputs": {},
    },
    {
        "id": MODEL,
        "trace_id": ROOT,
        "parent_run_id": ROOT,
        "session_id": PROJECT,
        "name": "ChatOpenAI",
        "run_type": "llm",
        "start_time": "2026-11-15T06:37:28.000000",
        "inputs": {"messages": [{"role": "user", "content": "How is the weather?"}]},
        "outputs": {"message": {"type": "ai", "content": "", "tool_calls": [CALL]}},
    },
]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*next(iter(KEY.items())))


def evaluation(number: int = 0, **fields: Any) -> Evaluation:
    known = {"name": "callscore.accuracy", "value": 0.5, "case": str(number)}
    return Evaluation(**{**known, "origin": Origin(ROOT, ROOT, project_id=PROJECT), **fields})


def test_the_score_of_a_trace_is_feedback_of_that_trace(tmp_path: Path) -> None:
    save_run(tmp_path, RUNS)

    with record_requests(SERVER) as server:
        done = callscore(
            tmp_path, "upload", "latest", "--to", "langsmith", **KEY, LANGSMITH_ENDPOINT=server.url
        )

    (request,) = server.sent_to(FEEDBACK)
    sent = request.json
    assert done.returncode == 0, done.stderr
    assert request.headers["x-api-key"] == KEY["LANGSMITH_API_KEY"]
    assert (sent["run_id"], sent["trace_id"], sent["session_id"]) == (ROOT, ROOT, PROJECT)
    assert (sent["key"], sent["score"], sent["value"]) == ("callscore.accuracy", 0.0, "fail")
    assert sent["comment"] == 'get_weather: city: expected "Rome", got "Paris"'
    assert sent["feedback_source"]["metadata"]["case"] == "rome"
    assert sent["extend_trace_retention"] is False


def test_a_second_upload_has_the_same_id() -> None:
    with record_requests(SERVER) as server:
        for _ in range(2):
            upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    first, second = [request.json["id"] for request in server.sent_to(FEEDBACK)]
    assert first == second


def test_the_sampling_of_traces_drops_no_feedback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING_SAMPLING_RATE", "0.0")
    with record_requests(SERVER) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert delivery.sent == len(server.sent_to(FEEDBACK)) == 1


def test_feedback_that_is_refused_is_counted() -> None:
    replies = [Reply(200), Reply(422, b'{"detail": "no such key"}'), Reply(200)]
    with record_requests({**SERVER, FEEDBACK: replies}) as server:
        delivery = upload_evaluations(
            BACKEND, [evaluation(number) for number in range(3)], endpoint=server.url
        )

    assert (delivery.sent, delivery.failed) == (2, 1)
    assert "422" in delivery.problems[0]


def test_an_answer_that_could_not_be_scored_is_feedback_of_an_error() -> None:
    unscored = evaluation(value=None, error="unscored", explanation="the judge gave no answer")
    with record_requests(SERVER) as server:
        upload_evaluations(BACKEND, [unscored], endpoint=server.url)

    (request,) = server.sent_to(FEEDBACK)
    assert request.json["error"] is True
    assert "score" not in request.json


def test_ids_of_other_backends_are_refused() -> None:
    given = [evaluation(origin=Origin("tr-123")), evaluation(origin=Origin())]
    with (
        record_requests(SERVER) as server,
        pytest.raises(InvalidSettings, match="a trace id that is not of LangSmith, no trace id"),
    ):
        upload_evaluations(BACKEND, given, endpoint=server.url)


def test_a_missing_key_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGSMITH_API_KEY")

    with pytest.raises(InvalidSettings, match="LANGSMITH_API_KEY"):
        upload_evaluations(BACKEND, [evaluation()])


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    with redirecting(status, "/info", FEEDBACK) as (server, other):
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "redirects are not followed" in delivery.problems[0]
    assert other.requests == []


@pytest.mark.parametrize(
    "reply", [Reply(200, b""), Reply(200, b"<html>", "text/html"), Reply(200, b'{"id": "1"}')]
)
def test_only_a_response_that_confirms_it_is_a_score_that_was_sent(reply: Reply) -> None:
    with record_requests({**SERVER, FEEDBACK: reply}) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "does not confirm" in delivery.problems[0]
