"""A JSON document: an array of cases, an object with `cases`, or one case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.sources.jsonl import REFUSALS
from callscore.sources.lenient import NotJSON, read_leniently
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["decode_json", "read_json", "records_in"]

_SPACE = re.compile(r"[ \t\r\n]*")


def read_json(data: bytes, name: str) -> Iterator[Record | BadRecord | Array]:
    """The records of a whole JSON document; they come as one where the document is an array.

    Args:
        data: the document.
        name: the file, as it is called in places.
    """
    try:
        value = decode_json(data, unit="file")
    except NotJSON as broken:
        values = _values_in(data)
        if values is None:
            yield BadRecord(f"{name}:{broken.line}:{broken.column}", broken.problem)
        else:
            yield Array(name, values)
        return
    yield from records_in(value, name)


def _values_in(data: bytes) -> list[Any] | None:
    """The values of a file in which one indented object follows another, as some exporters write.

    None where it is no such file: what is broken is for others to say.
    """
    from json import JSONDecoder  # noqa: TID251  (it tells where a value ends)

    decode = JSONDecoder(parse_constant=_refuse).raw_decode
    values: list[Any] = []
    try:
        text = data.decode()
        end = _SPACE.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
        while end < len(text):
            value, end = decode(text, end)
            if not isinstance(value, dict):
                return None
            values.append(value)
            end = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # likewise
    except (ValueError, RecursionError):
        return None
    return values


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


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
