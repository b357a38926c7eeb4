"""Feedback of LangSmith, at the run that was scored.

It is sent at once, so that errors are seen, and does not extend the retention of the trace, which costs.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from callscore.core.large_number import decode_json
from callscore.errors import InvalidSettings, MissingExtra
from callscore.sources.remote import without_credentials
from callscore.uploaders.responses import Responses
from callscore.uploaders.sending import Backend, Connection, Delivery, Outcome, upload_scored

if TYPE_CHECKING:
    from callscore.uploaders.evaluations import Evaluation

_KEYS = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")
_ADDRESSES = ("LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT")
_ATTEMPTS = 3


def upload(scored: Any, *, endpoint: str | None = None, **options: Any) -> Delivery:
    """Send scores to LangSmith as feedback, with the key of the environment.

    Args:
        scored: a `Score`, `Results`, or a list of these.
        endpoint: the address of the API; by default `LANGSMITH_ENDPOINT`, or that of LangSmith.
        options: `prefix`, `explain`; `origin` and `case` for a single `Score`.

    Raises:
        UploadFailed: not all of them arrived.
        InvalidSettings: the key is missing, or no score has the id of a run.
        MissingExtra: the SDK of LangSmith is not installed.
    """
    return upload_scored(BACKEND, scored, endpoint=endpoint, **options)


def _refusal(evaluation: Evaluation) -> str | None:
    if evaluation.origin.trace_id is None:
        return "no trace id"
    return None if _is_uuid(evaluation.origin.trace_id) else "a trace id that is not of LangSmith"


def _is_uuid(text: str | None) -> bool:
    try:
        UUID(text)
    except (TypeError, ValueError):
        return False
    return True


def feedback_of(evaluation: Evaluation) -> dict[str, Any]:
    """The arguments of `create_feedback`; one with the same id is replaced."""
    origin = evaluation.origin
    labels = {
        "case": evaluation.case,
        "trial": evaluation.trial,
        "run": evaluation.run,
        "error": evaluation.error,
        "response_id": origin.response_id,
        **evaluation.metadata,
    }
    return {
        "key": evaluation.name,
        "trace_id": origin.trace_id,
        "run_id": origin.span_id if _is_uuid(origin.span_id) else origin.trace_id,
        "score": evaluation.value,
        "value": evaluation.label,
        "comment": evaluation.explanation,
        "feedback_id": evaluation.id,
        "session_id": origin.project_id if _is_uuid(origin.project_id) else None,
        "error": True if evaluation.error == "unscored" else None,
        "source_info": {name: value for name, value in labels.items() if value not in (None, "")},
        "extend_trace_retention": False,
        "stop_after_attempt": _ATTEMPTS,
    }


def _connect(endpoint: str | None) -> Connection:
    try:
        from langsmith import Client
    except ImportError as error:
        raise MissingExtra("Sending scores to LangSmith", "langsmith") from error
    key = next(filter(None, map(os.environ.get, _KEYS)), None)
    given = endpoint or next(filter(None, map(os.environ.get, _ADDRESSES)), None)
    if key is None and given is None:  # a server of one's own may need none
        raise InvalidSettings(f"LangSmith: set the environment variable {_KEYS[0]}")
    responses = Responses()
    # Nothing is sent in the background, and nothing is left out by the sampling of traces.
    client = Client(
        api_url=given,
        api_key=key,
        session=responses.session(),
        auto_batch_tracing=False,
        tracing_sampling_rate=1.0,
    )

    def send(batch: Sequence[Evaluation]) -> Outcome:
        problems: list[str] = []
        for each in batch:
            try:
                with warnings.catch_warnings(action="ignore"):  # about a project that is not known
                    client.create_feedback(**feedback_of(each))
            except Exception as error:  # noqa: BLE001  (any error of the client: it was not sent)
                problems.append(f"{type(error).__name__}: {error}")
            else:
                if not _is_confirmed(responses.last, each.id):
                    problems.append(responses.unconfirmed())
        return Outcome(len(problems), tuple(dict.fromkeys(problems)))

    return Connection(send, lambda: None, without_credentials(given or ""))


def _is_confirmed(response: Any, id_: str) -> bool:
    """Whether a response is that to the feedback: the client itself returns what it was given."""
    if response is None or response.request.method != "POST":
        return False
    try:
        found = decode_json(response.content)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("id", id_) == id_


BACKEND = Backend(
    title="LangSmith", connect=_connect, refusal=_refusal, needs="the id of the trace (trace_id)"
)
