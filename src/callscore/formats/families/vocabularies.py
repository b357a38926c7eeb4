"""In whose words spans are written: several stacks use spans, each with attributes of its own.

A trace can have the attributes of several: then the one that says most of the calls counts, in one
order for all, so that exactly one dialect claims it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import msgspec

from callscore.formats.families.span_records import (
    id_of,
    is_batch,
    may_hold_records,
    name_of,
    records_in,
    trace_of,
    written_attributes,
)
from callscore.formats.shape import dicts, json_of, list_of

__all__ = ["Vocabulary", "vocabulary_of"]

Vocabulary = Literal["vercel", "openinference", "mlflow", "gen_ai", "openllmetry"]

# What the names of attributes begin with; `openllmetry` would claim much that is in newer words.
_BEGINNINGS: tuple[tuple[Vocabulary, tuple[str, ...]], ...] = (
    ("vercel", ("ai.toolCall.", "ai.response.toolCalls", "ai.operationId")),
    ("openinference", ("openinference.span.kind", "llm.output_messages", "llm.input_messages")),
    ("mlflow", ("mlflow.span", "mlflow.chat.", "mlflow.traceRequestId")),
    ("gen_ai", ("gen_ai.output.messages", "gen_ai.choice", "gen_ai.assistant.message")),
    ("openllmetry", ("gen_ai.completion.", "llm.request.functions.", "llm.completions.")),
    ("gen_ai", ("gen_ai.", "pydantic_ai.", "tool_arguments", "tool_response")),
    ("openllmetry", ("traceloop.",)),
)
_NONE = len(_BEGINNINGS)
# Nested at each dot, the names have these on the outside.
_SEGMENTS = frozenset(
    [beginning.partition(".")[0] for _, beginnings in _BEGINNINGS for beginning in beginnings]
)
_BY_NAME = msgspec.json.Decoder(dict[str, msgspec.Raw])  # which reads the names, and no more
_MOST_LOOKED_AT = 200
_MOST_REMEMBERED = 50  # names of one span


def vocabulary_of(document: Any) -> Vocabulary | None:
    """In whose words the spans in a document are written; None where there are none.

    Spans that have none of the attributes of any stack, as those of a web server, are taken for
    OTel's own if they are spans for sure: they may stand before others in the same file.
    """
    if not may_hold_records(document):
        return None
    rank = _NONE
    for record, _ in islice(records_in(document), _MOST_LOOKED_AT):
        rank = min(rank, _rank_of(record))
        if rank == 0:
            break
    if rank < _NONE:
        return _BEGINNINGS[rank][0]
    return "gen_ai" if _has_spans_for_sure(document) else None


def _rank_of(record: dict[str, Any]) -> int:
    """The place of the vocabulary that a record is in: by its attributes, and by its events."""
    rank = _rank_of_attributes(written_attributes(record))
    events = record.get("events")
    if events:
        rank = min(rank, _lowest(tuple([name_of(event) for event in dicts(events)])))
    return min(rank, _rank(name_of(record))) if "body" in record else rank


def _rank_of_attributes(given: Any) -> int:
    if isinstance(given, str):
        given = _outline(given)
    if isinstance(given, dict):
        rank = _lowest(tuple(given))
        is_flat = _SEGMENTS.isdisjoint(given)
        return rank if is_flat else min(rank, _lowest(tuple(_nested_names(given))))
    return _lowest(_keys_of(list_of(given)))


def _outline(text: str) -> Any:
    """What a text holds as JSON, without what stands at each name where that does not matter."""
    try:
        named: dict[str, Any] = _BY_NAME.decode(text)
    except (ValueError, RecursionError):
        return json_of(text)
    return named if _SEGMENTS.isdisjoint(named) else json_of(text)


def _keys_of(entries: list[Any]) -> tuple[str, ...]:
    try:
        names = tuple([entry["key"] for entry in entries])
        "".join(names)  # which refuses all but texts
    except (KeyError, TypeError):
        found = [entry.get("key") for entry in dicts(entries)]
        return tuple([name for name in found if isinstance(name, str)])
    return names


def _lowest(names: tuple[Any, ...]) -> int:
    """The lowest place of all these names."""
    return _remembered(names) if len(names) <= _MOST_REMEMBERED else _looked_up(names)


def _looked_up(names: tuple[Any, ...]) -> int:
    return min(map(_rank, names), default=_NONE)


# The spans of one instrumentor have the same few sets of names, again and again.
_remembered = lru_cache(maxsize=512)(_looked_up)


@lru_cache(maxsize=4096)
def _rank(name: Any) -> int:
    """The place of the vocabulary that a name belongs to."""
    if isinstance(name, str):
        for place, (_, beginnings) in enumerate(_BEGINNINGS):
            if name.startswith(beginnings):
                return place
    return _NONE


def _nested_names(given: dict[Any, Any]) -> list[str]:
    """Of attributes nested at each dot, the first three parts of each name."""
    names = []
    for key in _SEGMENTS.intersection(given):
        value = given[key]
        if isinstance(value, dict):
            for inner, deeper in value.items():
                names.append(f"{key}.{inner}")
                if isinstance(deeper, dict):
                    names += [f"{key}.{inner}.{innermost}" for innermost in deeper]
    return names


def _has_spans_for_sure(document: Any) -> bool:
    if isinstance(document, dict) and is_batch(document):
        return True
    record, _ = next(records_in(document), ({}, None))
    return trace_of(record) is not None and id_of(record) is not None
