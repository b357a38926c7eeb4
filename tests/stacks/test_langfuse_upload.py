"""The real SDK of Langfuse sends scores to a server that records them."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.recording_server import Reply, record_requests
from tests.stacks.uploads import REDIRECTS, callscore, redirecting, save_run

from callscore.core.case import Origin
from callscore.errors import InvalidSettings, UploadFailed
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.langfuse import BACKEND
from callscore.uploaders.sending import upload_evaluations

if TYPE_CHECKING:
    from pathlib import Path

SCORES = "/api/public/scores"
KEYS = {"LANGFUSE_PUBLIC_KEY": "pk-lf-test", "LANGFUSE_SECRET_KEY": "sk-lf-test-secret"}
TAKEN = Reply(202, b'{"id": "1"}')
TRACE = "5b8efff798038103d269b633813fc60c"
CALL = {
    "id": "1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
OBSERVATIONS = {
    "data": [
        {
            "id": "a1",
            "traceId": TRACE,
            "type": "AGENT",
            "name": "weather",
            "startTime": "2026-11-01T09:00:00Z",
        },
        {
            "id": "g1",
            "traceId": TRACE,
            "parentObservationId": "a1",
            "type": "GENERATION",
            "name": "model",
            "startTime": "2026-11-01T09:00:01Z",
            "output": {"role": "assistant", "tool_calls": [CALL]},
        },
    ]
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def evaluation(number: int = 0, **fields: Any) -> Evaluation:
    known = {"name": "callscore.accuracy", "value": 0.5, "case": str(number), "scored_at": 1.5}
    return Evaluation(**{**known, "origin": Origin(TRACE, "a1"), **fields})


def test_the_score_of_a_trace_is_sent_to_that_trace(tmp_path: Path) -> None:
    save_run(tmp_path, OBSERVATIONS)

    with record_requests({SCORES: TAKEN}) as server:
        done = callscore(
            tmp_path, "upload", "latest", "--to", "langfuse", **KEYS, LANGFUSE_HOST=server.url
        )

    (request,) = server.sent_to(SCORES)
    (score,) = request.json
    login = b64encode(":".join(KEYS.values()).encode()).decode()
    assert done.returncode == 0, done.stderr
    assert request.headers["authorization"] == f"Basic {login}"
    assert (score["traceId"], score["observationId"]) == (TRACE, "a1")
    assert (score["name"], score["value"], score["dataType"]) == (
        "callscore.accuracy",
        0.0,
        "NUMERIC",
    )
    assert score["comment"] == 'get_weather: city: expected "Rome", got "Paris"'
    assert score["metadata"]["label"] == "fail"
    assert score["metadata"]["case"] == "rome"


def test_a_second_upload_replaces_the_scores_of_the_first() -> None:
    with record_requests({SCORES: TAKEN}) as server:
        for _ in range(2):
            upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    first, second = [request.json for request in server.sent_to(SCORES)]
    assert first == second
    assert first[0]["timestamp"] == "1970-01-01T00:00:01.500000+00:00"


def test_scores_of_another_trace_or_run_have_other_ids() -> None:
    others = [
        evaluation(),
        evaluation(origin=Origin("other")),
        evaluation(run="r1"),
        evaluation(run="r2"),
        evaluation(name="b"),
        evaluation(trial=2),
    ]

    assert len({each.id for each in others}) == len(others)


def test_rejected_scores_are_counted_with_their_reason() -> None:
    results = {
        "accepted": 2,
        "rejected": 1,
        "errors": [{"index": 0, "id": "1", "message": "config not found", "status": 400}],
    }
    reply = Reply(207, msgspec.json.encode(results))
    with record_requests({SCORES: reply}) as server:
        delivery = upload_evaluations(
            BACKEND, [evaluation(number) for number in range(3)], endpoint=server.url
        )

    assert (delivery.sent, delivery.failed) == (2, 1)
    assert delivery.problems == ("config not found",)


def test_wrong_keys_are_an_error_without_the_keys(tmp_path: Path) -> None:
    save_run(tmp_path, OBSERVATIONS)
    said = msgspec.json.encode({"message": f"invalid {KEYS['LANGFUSE_SECRET_KEY']}"})

    with record_requests({SCORES: Reply(401, said)}) as server:
        done = callscore(
            tmp_path, "upload", "latest", "--to", "langfuse", **KEYS, LANGFUSE_HOST=server.url
        )

    assert done.returncode == 4
    assert "1 of 1 scores did not arrive: HTTP status 401" in done.stderr
    assert KEYS["LANGFUSE_SECRET_KEY"] not in done.stderr + done.stdout


def test_a_server_that_fails_is_tried_again() -> None:
    with record_requests({SCORES: [Reply(503, b"", "text/plain"), TAKEN]}) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert delivery.sent == 1


def test_tracing_that_is_off_or_sampled_does_not_drop_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGFUSE_TRACING_ENABLED", "false")
    monkeypatch.setenv("LANGFUSE_SAMPLE_RATE", "0.0")
    with record_requests({SCORES: TAKEN}) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert delivery.sent == 1
    assert len(server.sent_to(SCORES)) == 1


def test_scores_without_a_trace_are_left_out_and_counted() -> None:
    given = [
        evaluation(),
        evaluation(1, origin=Origin(response_id="c1")),
        evaluation(2, value=None),
    ]
    with record_requests({SCORES: TAKEN}) as server:
        delivery = upload_evaluations(BACKEND, given, endpoint=server.url)

    assert delivery.sent == 1
    assert delivery.refused == {"no trace id": 1, "no number": 1}
    assert delivery.refused_cases == ("1", "2")


def test_an_upload_in_which_no_score_has_a_trace_is_an_error() -> None:
    with (
        record_requests({SCORES: TAKEN}) as server,
        pytest.raises(InvalidSettings, match="Langfuse needs the id of the trace"),
    ):
        upload_evaluations(BACKEND, [evaluation(origin=Origin())], endpoint=server.url)

    assert server.requests == []


def test_missing_keys_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")

    with pytest.raises(InvalidSettings, match="LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"):
        upload_evaluations(BACKEND, [evaluation()])


def test_a_closed_port_is_an_error() -> None:
    with record_requests({}) as server:
        url = server.url

    delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=url)

    with pytest.raises(UploadFailed, match="1 of 1 scores"):
        delivery.require_all()


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    with redirecting(status, SCORES) as (server, other):
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "redirects are not followed" in delivery.problems[0]
    assert other.requests == []


@pytest.mark.parametrize(
    "reply", [Reply(200), Reply(200, b'{"accepted": 1, "rejected": 1, "errors": []}')]
)
def test_only_a_response_that_confirms_it_is_a_score_that_was_sent(reply: Reply) -> None:
    with record_requests({SCORES: reply}) as server:
        delivery = upload_evaluations(BACKEND, [evaluation()], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "does not confirm" in delivery.problems[0]
