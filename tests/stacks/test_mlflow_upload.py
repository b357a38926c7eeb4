"""MLflow itself logs feedback to a tracking store on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mlflow
import msgspec
import pytest
from mlflow.entities import SpanType
from tests.servers.recording_server import Reply, record_requests
from tests.stacks.uploads import REDIRECTS, callscore, redirecting, save_run

from callscore.core.case import Origin
from callscore.errors import InvalidSettings
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.mlflow import BACKEND, ID_FIELD, upload
from callscore.uploaders.sending import upload_evaluations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# MLflow uses what newer versions of its own libraries warn of.
pytestmark = pytest.mark.filterwarnings("default")
CALL = {
    "id": "1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a store with an experiment, as it is in one process for all tests."""
    folder = tmp_path_factory.mktemp("mlflow")
    address = f"sqlite:///{folder / 'mlflow.db'}"
    mlflow.set_tracking_uri(address)
    # Without a place, traces are written to the current folder.
    mlflow.create_experiment("agents", artifact_location=(folder / "artifacts").as_uri())
    mlflow.set_experiment("agents")
    yield address
    mlflow.set_tracking_uri(None)


@pytest.fixture
def trace(store: str) -> Any:
    """The trace of an agent that asks for the weather in Paris."""
    assert mlflow.get_tracking_uri() == store
    with mlflow.start_span("weather", span_type=SpanType.AGENT) as agent:
        agent.set_inputs("How is the weather?")
        with mlflow.start_span("model", span_type=SpanType.CHAT_MODEL) as model:
            model.set_outputs(
                {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]}
            )
    mlflow.flush_trace_async_logging()
    return mlflow.get_trace(agent.trace_id)


def feedback(trace: Any) -> list[Any]:
    return list(mlflow.get_trace(trace.info.trace_id).info.assessments)


def evaluation(trace: Any, **fields: Any) -> Evaluation:
    known = {"name": "callscore.accuracy", "value": 0.5, "label": "fail", "case": "rome"}
    return Evaluation(**{**known, "origin": Origin(trace.info.trace_id), **fields})


def test_the_score_of_a_trace_is_feedback_of_that_trace(
    store: str, trace: Any, tmp_path: Path
) -> None:
    save_run(tmp_path, msgspec.json.decode(trace.to_json()))

    done = callscore(tmp_path, "upload", "latest", "--to", "mlflow", MLFLOW_TRACKING_URI=store)

    (found,) = feedback(trace)
    (agent,) = [span for span in trace.data.spans if span.name == "weather"]
    assert done.returncode == 0, done.stderr
    assert "1 score sent to MLflow" in done.stderr
    assert (found.name, found.value) == ("callscore.accuracy", 0.0)
    assert found.rationale == 'get_weather: city: expected "Rome", got "Paris"'
    assert found.span_id == agent.span_id
    assert (found.source.source_type, found.source.source_id) == ("CODE", "callscore")
    assert found.metadata["callscore.label"] == "fail"
    assert found.metadata["callscore.case"] == "rome"


def test_a_second_upload_replaces_the_feedback_of_the_first(trace: Any) -> None:
    upload([evaluation(trace)])
    first = feedback(trace)
    again = evaluation(trace, value=0.75, explanation="another look")
    upload([again])

    (found,) = feedback(trace)
    assert len(first) == 1
    assert (found.value, found.rationale) == (0.75, "another look")
    assert found.metadata[ID_FIELD] == again.id


def test_other_scorers_and_runs_stay_beside_it(trace: Any) -> None:
    upload(
        [evaluation(trace), evaluation(trace, name="callscore.tone"), evaluation(trace, run="r")]
    )

    assert len(feedback(trace)) == 3


def test_the_id_of_the_spans_finds_the_trace(trace: Any) -> None:
    bare = trace.info.trace_id.removeprefix("tr-")
    upload([evaluation(trace, origin=Origin(bare))])

    assert len(feedback(trace)) == 1


def test_an_answer_that_could_not_be_scored_is_feedback_with_an_error(trace: Any) -> None:
    upload([evaluation(trace, value=None, label=None, error="unscored")])

    (found,) = feedback(trace)
    assert found.error.error_code == "UNSCORED"
    assert found.value is None


def test_a_trace_that_is_not_there_is_counted(trace: Any) -> None:
    missing = evaluation(trace, origin=Origin("tr-00000000000000000000000000000000"))
    delivery = upload_evaluations(BACKEND, [evaluation(trace), missing])

    assert (delivery.sent, delivery.failed) == (1, 1)
    assert "tr-00000000000000000000000000000000" in delivery.problems[0]


def test_the_address_of_the_process_stays_as_it_was(store: str, trace: Any, tmp_path: Path) -> None:
    upload_evaluations(BACKEND, [evaluation(trace)], endpoint=f"sqlite:///{tmp_path / 'other.db'}")

    assert mlflow.get_tracking_uri() == store


def test_scores_without_a_trace_are_refused(store: str) -> None:
    del store

    with pytest.raises(InvalidSettings, match="MLflow needs the id of the trace"):
        upload([Evaluation(name="a", value=1.0)])


TRACE = "5b8efff798038103d269b633813fc60c"
ADDRESS = f"/api/3.0/mlflow/traces/tr-{TRACE}"
INFO = {
    "trace_id": f"tr-{TRACE}",
    "trace_location": {
        "type": "MLFLOW_EXPERIMENT",
        "mlflow_experiment": {"experiment_id": "1"},
    },
    "request_time": "2026-11-15T06:37:27Z",
    "state": "OK",
}


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    given = Evaluation(name="a", value=1.0, origin=Origin(TRACE))
    with redirecting(status, ADDRESS, f"{ADDRESS}/assessments") as (server, other):
        delivery = upload_evaluations(BACKEND, [given], endpoint=server.url)

    assert (delivery.sent, delivery.failed) == (0, 1)
    assert "Redirects are not followed" in delivery.problems[0]
    assert other.requests == []


def test_only_a_response_that_confirms_it_is_a_score_that_was_sent() -> None:
    given = Evaluation(name="a", value=1.0, origin=Origin(TRACE))
    found = Reply(200, msgspec.json.encode({"trace": {"trace_info": INFO}}))
    taken = f"{ADDRESS}/assessments"
    with record_requests({ADDRESS: found, taken: Reply(200, b"")}) as server:
        delivery = upload_evaluations(BACKEND, [given], endpoint=server.url)

    assert len(server.sent_to(taken)) == 1
    assert (delivery.sent, delivery.failed) == (0, 1)
