"""Feedback of MLflow, at the trace and the span that were scored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from callscore.errors import MissingExtra
from callscore.sources.remote import without_credentials
from callscore.uploaders.sending import Backend, Connection, Delivery, Outcome, upload_scored

if TYPE_CHECKING:
    from callscore.uploaders.evaluations import Evaluation

ID_FIELD = "callscore.id"
_OTEL_ID = re.compile("[0-9a-f]{32}")
_REDIRECTS_VARIABLE = "MLFLOW_ALLOW_HTTP_REDIRECTS"
_REDIRECTED = re.compile(r"error code 3\d\d")
_settings = Lock()


def upload(scored: Any, *, endpoint: str | None = None, **options: Any) -> Delivery:
    """Log scores as feedback of MLflow traces.

    Args:
        scored: a `Score`, `Results`, or a list of these.
        endpoint: the tracking URI; by default that of MLflow: `MLFLOW_TRACKING_URI`.
        options: `prefix`, `explain`; `origin` and `case` for a single `Score`.

    Raises:
        UploadFailed: not all of them arrived.
        InvalidSettings: no score has the id of a trace.
        MissingExtra: MLflow is not installed.
    """
    return upload_scored(BACKEND, scored, endpoint=endpoint, **options)


def _refusal(evaluation: Evaluation) -> str | None:
    return "no trace id" if evaluation.origin.trace_id is None else None


def trace_id_of(evaluation: Evaluation) -> str:
    """The id of the trace as MLflow has it: `tr-`, and then that of OpenTelemetry."""
    given = evaluation.origin.trace_id or ""
    return f"tr-{given}" if _OTEL_ID.fullmatch(given) else given


def feedback_of(evaluation: Evaluation) -> dict[str, Any]:
    """The arguments of `mlflow.entities.Feedback`, without its source."""
    labels = {
        ID_FIELD: evaluation.id,
        "callscore.label": evaluation.label,
        "callscore.case": evaluation.case,
        "callscore.trial": evaluation.trial,
        "callscore.run": evaluation.run,
        **{f"callscore.{name}": value for name, value in evaluation.metadata.items()},
    }
    return {
        "name": evaluation.name,
        "value": evaluation.value,
        "rationale": evaluation.explanation,
        "span_id": evaluation.origin.span_id,
        "metadata": {name: str(value) for name, value in labels.items() if value not in (None, "")},
    }


def _connect(endpoint: str | None) -> Connection:
    try:
        import mlflow
        from mlflow.entities import AssessmentSource
    except ImportError as error:
        raise MissingExtra("Logging scores to MLflow", "mlflow") from error
    before = mlflow.get_tracking_uri()
    if endpoint is not None:
        mlflow.set_tracking_uri(endpoint)
    source = AssessmentSource(source_type="CODE", source_id="callscore")

    def send(batch: Sequence[Evaluation]) -> Outcome:
        problems: list[str] = []
        for each in batch:
            try:
                with _without_redirects():
                    _log(each, source)
            except Exception as error:  # noqa: BLE001  (any error of the client: it was not sent)
                advice = ". Redirects are not followed" if _REDIRECTED.search(str(error)) else ""
                problems.append(f"{trace_id_of(each)}: {type(error).__name__}: {error}{advice}")
        return Outcome(len(problems), tuple(problems))

    def close() -> None:
        if endpoint is not None:  # it is a setting of the whole process
            mlflow.set_tracking_uri(before)

    return Connection(send, close, without_credentials(mlflow.get_tracking_uri()))


def _log(evaluation: Evaluation, source: Any) -> None:
    """Log feedback, or change the one that an earlier upload logged."""
    import mlflow
    from mlflow.entities import AssessmentError, Feedback

    trace_id, fields = trace_id_of(evaluation), feedback_of(evaluation)
    if evaluation.value is None:
        fields["error"] = AssessmentError(error_code=str(evaluation.error).upper())
    known = _logged_id(trace_id, fields["metadata"][ID_FIELD])
    if known is None:
        logged = mlflow.log_feedback(trace_id=trace_id, source=source, **fields)
    else:
        logged = mlflow.update_assessment(trace_id, known, Feedback(source=source, **fields))
    if not logged.assessment_id:  # an empty body is a response of success for the client
        raise OSError("the server does not confirm that the score arrived. Check the address")


@contextmanager
def _without_redirects() -> Iterator[None]:
    """Let MLflow follow no redirect meanwhile: keys and scores would go to a server that was not named.

    The client has no setting for it but a variable of the process.
    """
    with _settings:
        before = os.environ.get(_REDIRECTS_VARIABLE)
        os.environ[_REDIRECTS_VARIABLE] = "false"
        try:
            yield
        finally:
            if before is None:
                del os.environ[_REDIRECTS_VARIABLE]
            else:
                os.environ[_REDIRECTS_VARIABLE] = before


def _logged_id(trace_id: str, id_: str) -> str | None:
    """The id of the feedback that an earlier upload of the same score logged."""
    from mlflow.tracing.client import TracingClient

    info = TracingClient().get_trace_info(trace_id)
    for each in info.assessments:
        if (each.metadata or {}).get(ID_FIELD) == id_:
            found: str = each.assessment_id
            return found
    return None


BACKEND = Backend(
    title="MLflow", connect=_connect, refusal=_refusal, needs="the id of the trace (trace_id)"
)
