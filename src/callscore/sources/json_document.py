"""A JSON document: an array of cases, an object with `cases`, or one case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.concatenated import objects_in
from callscore.sources.jsonl import REFUSALS
from callscore.sources.lenient import NotJSON, read_leniently
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["decode_json", "read_json", "records_in"]


def read_json(data: bytes, name: str) -> Iterator[Record | BadRecord | Array]:
    """The records of a whole JSON document; they come as one where the document is an array.

    Args:
        data: the document.
        name: the file, as it is called in places.
    """
    try:
        value = decode_json(data, unit="file")
    except NotJSON as broken:
        # Some exporters write one indented object after another.
        values = _objects_of(data)
        if values:
            yield Array(name, values)
        else:
            yield BadRecord(f"{name}:{broken.line}:{broken.column}", broken.problem)
        return
    yield from records_in(value, name)


def _objects_of(data: bytes) -> list[dict[str, Any]]:
    try:
        return objects_in(data.decode())
    except UnicodeDecodeError:
        return []


def records_in(value: Any, name: str) -> Iterator[Record | Array]:
    """The records of a document that is decoded already.

    Args:
        value: the document.
        name: the file, as it is called in places.
    """
    cases = value.get("cases") if isinstance(value, dict) else None
    if isinstance(value, list):
        yield Array(name, value)
    elif isinstance(cases, list):  # which says itself that each is a record
        yield from Array(name, cases).records()
    else:
        yield Record(name, value)


def decode_json(data: bytes, *, unit: str) -> Any:
    """The value of a JSON text; what is malformed in it is marked.

    Args:
        data: the text, as bytes.
        unit: what the text is, for messages: `file`.

    Raises:
        NotJSON: the structure itself is broken, or the text ends too early.
    """
    try:
        return msgspec.json.decode(data)
    except REFUSALS:
        return read_leniently(data, unit=unit)
