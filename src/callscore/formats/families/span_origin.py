"""The ids of the trace, of the span around the agent and of the last response, to link a score to.

OTLP writes ids as hexadecimal digits, its JSON mapping and MLflow as base64, SDKs as numbers or with
`0x`. Here they are hexadecimal digits without a prefix. Ids of other kinds stay as they are.
"""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callscore.core.case import Origin

if TYPE_CHECKING:
    from callscore.formats.families.spans import Span

_TRACE_BYTES = 16
_SPAN_BYTES = 8
_MAX_DIGITS = 39  # of a number of 16 bytes
_RESPONSE_IDS = ("gen_ai.response.id", "ai.response.id", "llm.response.id")
# The beginnings of the attribute names of spans of agents, models and tools.
_OPERATIONS = (
    *("gen_ai.", "openinference.", "llm.", "mlflow.span", "ai.operationId", "ai.toolCall."),
    *("traceloop.", "pydantic_ai."),
)


def origin_of_spans(spans: Sequence[Span]) -> Origin | None:
    """Where a run was recorded, by the spans of its trace in the order of their starts."""
    if not spans:
        return None
    trace, response = hex_id(spans[0].trace, _TRACE_BYTES), _response_id(spans)
    if trace is None and response is None:
        return None
    # Without a trace, the id of a span identifies nothing.
    span = None if trace is None else hex_id(_outermost(spans).id, _SPAN_BYTES)
    return Origin(trace, span, response)


def origin_of_response(response: Any) -> Origin | None:
    """Where an answer was recorded, by the `id` that a provider gave it."""
    id_ = response.get("id") if isinstance(response, dict) else None
    return Origin(response_id=id_) if isinstance(id_, str) and id_ else None


def _response_id(spans: Sequence[Span]) -> str | None:
    """The id of the last response of a model."""
    for span in reversed(spans):
        for name in _RESPONSE_IDS:
            found = span.attributes.get(name)
            if isinstance(found, str) and found:
                return found
    return None


def _outermost(spans: Sequence[Span]) -> Span:
    """The span of the agent: the only one of its kind with nothing of its kind around it, else the root.

    A trace may begin before the agent, for example with the request to a web server.
    """
    operations = [span for span in spans if _is_operation(span)]
    known = {span.id for span in operations}
    outer = [span for span in operations if span.parent not in known]
    if len(outer) == 1:
        return outer[0]
    every = {span.id for span in spans}
    return next((span for span in spans if span.parent not in every), spans[0])


def _is_operation(span: Span) -> bool:
    return any(name.startswith(_OPERATIONS) for name in span.attributes)


def hex_id(id_: str | None, size: int) -> str | None:
    """An id of `size` bytes as hexadecimal digits, if it is one; else as it is."""
    if not id_:
        return None
    if id_.startswith("0x"):
        return id_[2:].rjust(2 * size, "0")
    is_number = id_.isascii() and id_.isdigit() and 2 * size < len(id_) <= _MAX_DIGITS
    if is_number:  # of an SDK
        return f"{int(id_):0{2 * size}x}"
    return _from_base64(id_, size) or id_


def _from_base64(text: str, size: int) -> str | None:
    if not text.endswith("="):
        return None
    try:
        decoded = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return decoded.hex() if len(decoded) == size else None
