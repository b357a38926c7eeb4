"""Annotations of Phoenix, at the span that was scored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from callscore.errors import MissingExtra
from callscore.sources.remote import without_credentials
from callscore.uploaders.responses import Responses
from callscore.uploaders.sending import Backend, Connection, Delivery, Outcome, upload_scored

if TYPE_CHECKING:
    from callscore.uploaders.evaluations import Evaluation

_ADDRESSES = ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL")
_TRACES_PATH = "/v1/traces"  # that an address for traces may end with
_TIMEOUT = 30  # seconds
_KEY, _HEADERS = "PHOENIX_API_KEY", "PHOENIX_CLIENT_HEADERS"
_DEFAULT_ADDRESS = "http://localhost:6006"
_NOT_FOUND = 404


def upload(scored: Any, *, endpoint: str | None = None, **options: Any) -> Delivery:
    """Send scores to Phoenix as annotations of spans.

    Args:
        scored: a `Score`, `Results`, or a list of these.
        endpoint: the address of the server; by default `PHOENIX_ENDPOINT` or
            `PHOENIX_COLLECTOR_ENDPOINT`, or the usual port of this machine.
        options: `prefix`, `explain`; `origin` and `case` for a single `Score`.

    Raises:
        UploadFailed: not all of them arrived.
        InvalidSettings: no score has the id of a span.
        MissingExtra: the client of Phoenix is not installed.
    """
    return upload_scored(BACKEND, scored, endpoint=endpoint, **options)


def _refusal(evaluation: Evaluation) -> str | None:
    return "no span id" if evaluation.origin.span_id is None else None


def annotation_of(evaluation: Evaluation) -> dict[str, Any]:
    """The annotation; one of the same span, name and identifier is replaced."""
    result = {
        "score": evaluation.value,
        "label": evaluation.label or evaluation.error,
        "explanation": evaluation.explanation,
    }
    labels = {
        "case": evaluation.case,
        "trial": evaluation.trial,
        "run": evaluation.run,
        "error": evaluation.error,
        "trace_id": evaluation.origin.trace_id,
        "response_id": evaluation.origin.response_id,
        **evaluation.metadata,
    }
    return {
        "name": evaluation.name,
        "annotator_kind": "CODE",
        "span_id": evaluation.origin.span_id,
        "identifier": evaluation.id,
        "result": {name: value for name, value in result.items() if value is not None},
        "metadata": {name: value for name, value in labels.items() if value not in (None, "")},
    }


def _connect(endpoint: str | None) -> Connection:
    try:
        from phoenix.client import Client
    except ImportError as error:
        raise MissingExtra("Sending scores to Phoenix", "phoenix") from error
    import httpx

    given = endpoint or next(filter(None, map(os.environ.get, _ADDRESSES)), _DEFAULT_ADDRESS)
    address = given.rstrip("/").removesuffix(_TRACES_PATH)
    # A client that makes its own connection also reads a file of the current folder.
    responses = Responses()
    hooks: Any = {"response": [responses.take]}
    http = httpx.Client(base_url=address, headers=_headers(), timeout=_TIMEOUT, event_hooks=hooks)
    client = Client(http_client=http)

    def send(batch: Sequence[Evaluation]) -> Outcome:
        problem, is_unknown = _annotate(client, batch, responses)
        if problem is None:
            return Outcome()
        if len(batch) == 1 or not is_unknown:
            return Outcome(len(batch), (problem,))
        # It takes all annotations of a request, or none: one of the spans is not there.
        outcomes = [send([each]) for each in batch]
        problems = [each for outcome in outcomes for each in outcome.problems]
        return Outcome(sum(outcome.failed for outcome in outcomes), tuple(problems))

    return Connection(send, http.close, without_credentials(address))


def _headers() -> dict[str, str]:
    """The headers that the environment has for Phoenix: `name=value,name=value`, and its key."""
    pairs = [pair.partition("=") for pair in os.environ.get(_HEADERS, "").split(",")]
    headers = {unquote(name.strip()).lower(): unquote(value.strip()) for name, _, value in pairs}
    headers.pop("", None)
    key = os.environ.get(_KEY)
    if key:
        headers.setdefault("authorization", f"Bearer {key}")
    return headers


def _annotate(
    client: Any, batch: Sequence[Evaluation], responses: Responses
) -> tuple[str | None, bool]:
    """Why the annotations were not taken, if so, and whether a span is not known."""
    annotations = [annotation_of(each) for each in batch]
    try:
        taken = client.spans.log_span_annotations(span_annotations=annotations, sync=True)
        is_confirmed = len(taken) == len(annotations)
    except (KeyError, TypeError, ValueError):  # a body of another shape
        is_confirmed = False
    except Exception as error:  # noqa: BLE001  (any error of the client: it was not sent)
        response = getattr(error, "response", None)
        status = getattr(response, "status_code", None)
        said = f": {response.text[:200]}" if response is not None else f": {error}"
        kind = type(error).__name__ if status is None else f"HTTP status {status}"
        return f"span {batch[0].origin.span_id}: {kind}{said}", status == _NOT_FOUND
    return (None if is_confirmed else responses.unconfirmed()), False


BACKEND = Backend(
    title="Phoenix", connect=_connect, refusal=_refusal, needs="the id of the span (span_id)"
)
