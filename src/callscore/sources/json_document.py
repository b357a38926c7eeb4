"""A JSON document: an array of cases, an object with `cases`, or one case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.sources.jsonl import REFUSALS
from callscore.sources.lenient import NotJSON, read_leniently
from callscore.sources.record import BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_json"]


def read_json(data: bytes, name: str) -> Iterator[Record | BadRecord]:
    """The records of a whole JSON document.

    Args:
        data: the document.
        name: the file, as it is called in places.
    """
    try:
        value = _decode(data)
    except NotJSON as broken:
        yield BadRecord(f"{name}:{broken.line}:{broken.column}", broken.problem)
        return
    cases = value.get("cases") if isinstance(value, dict) else value
    if isinstance(cases, list):
        for index, case in enumerate(cases):
            yield Record(f"{name}[{index}]", case)
    else:
        yield Record(name, value)


def _decode(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except REFUSALS:
        return read_leniently(data, unit="file")
