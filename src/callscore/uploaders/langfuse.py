"""Scores of Langfuse, at the trace and the observation that were scored.

They are sent with the API client of the SDK, to the address that `create_score` sends to. That function
queues, sends in the background, drops scores if tracing is off or sampled, and only logs its errors.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidSettings, MissingExtra
from callscore.sources.remote import without_credentials
from callscore.uploaders.responses import Responses
from callscore.uploaders.sending import Backend, Connection, Delivery, Outcome, upload_scored

if TYPE_CHECKING:
    from callscore.uploaders.evaluations import Evaluation

_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
_ADDRESSES = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
_CLOUD = "https://cloud.langfuse.com"
_ATTEMPTS = 3
_ALL_ACCEPTED = 202


def upload(scored: Any, *, endpoint: str | None = None, **options: Any) -> Delivery:
    """Send scores to Langfuse, with the keys of the environment.

    Args:
        scored: a `Score`, `Results`, or a list of these.
        endpoint: the address of the server; by default `LANGFUSE_BASE_URL`, or Langfuse Cloud.
        options: `prefix`, `explain`; `origin` and `case` for a single `Score`.

    Raises:
        UploadFailed: not all of them arrived.
        InvalidSettings: a key is missing, or no score has the id of a trace.
        MissingExtra: the SDK of Langfuse is not installed.
    """
    return upload_scored(BACKEND, scored, endpoint=endpoint, **options)


def _refusal(evaluation: Evaluation) -> str | None:
    if evaluation.origin.trace_id is None:
        return "no trace id"
    return "no number" if evaluation.value is None else None


def score_of(evaluation: Evaluation) -> dict[str, Any]:
    """The score as the API takes it; one with the same id and time is replaced."""
    moment = evaluation.scored_at
    labels = {
        "label": evaluation.label,
        "case": evaluation.case,
        "trial": evaluation.trial,
        "run": evaluation.run,
        "error": evaluation.error,
        "response_id": evaluation.origin.response_id,
        **evaluation.metadata,
    }
    found = {
        "id": evaluation.id,
        "traceId": evaluation.origin.trace_id,
        "observationId": evaluation.origin.span_id,
        "name": evaluation.name,
        "value": evaluation.value,
        "dataType": "NUMERIC",
        "comment": evaluation.explanation,
        "environment": os.environ.get("LANGFUSE_TRACING_ENVIRONMENT"),
        "timestamp": None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(),
        "metadata": {name: value for name, value in labels.items() if value not in (None, "")},
    }
    return {name: value for name, value in found.items() if value is not None}


def _connect(endpoint: str | None) -> Connection:
    try:
        from langfuse.api import LangfuseAPI
    except ImportError as error:
        raise MissingExtra("Sending scores to Langfuse", "langfuse") from error
    import httpx

    public, secret = (os.environ.get(name) for name in _KEYS)
    if not public or not secret:
        raise InvalidSettings(f"Langfuse: set the environment variables {' and '.join(_KEYS)}")
    given = endpoint or next(filter(None, map(os.environ.get, _ADDRESSES)), _CLOUD)
    responses = Responses()
    http = httpx.Client(event_hooks={"response": [responses.take]})
    api = LangfuseAPI(
        base_url=given,
        username=public,
        password=secret,
        x_langfuse_sdk_name="python",
        x_langfuse_public_key=public,
        httpx_client=http,
        timeout=30,
    )

    def send(batch: Sequence[Evaluation]) -> Outcome:
        scores = [score_of(each) for each in batch]
        try:
            response = api.scores.create(request=scores, request_options={"max_retries": _ATTEMPTS})
        except Exception as error:  # noqa: BLE001  (any error of the client: it was not sent)
            return Outcome(len(batch), (_problem(error),))
        rejected = _rejected(response, responses.last.status_code, len(batch))
        if rejected is None:
            return Outcome(len(batch), (responses.unconfirmed(),))
        messages = [each.message for each in getattr(response, "errors", None) or ()]
        return Outcome(rejected, tuple(messages))

    return Connection(send, http.close, without_credentials(given))


def _rejected(response: Any, status: int, count: int) -> int | None:
    """How many of the scores the server rejected; None if it does not say that it took the others."""
    accepted, rejected = getattr(response, "accepted", None), getattr(response, "rejected", None)
    if accepted is None or rejected is None:
        return 0 if status == _ALL_ACCEPTED else None
    return rejected if accepted + rejected == count else None


def _problem(error: Exception) -> str:
    """What happened: the status and the body of a response, without its headers."""
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if status is None:
        return f"{type(error).__name__}: {error}"
    return f"HTTP status {status}: {body}"


BACKEND = Backend(
    title="Langfuse", connect=_connect, refusal=_refusal, needs="the id of the trace (trace_id)"
)
