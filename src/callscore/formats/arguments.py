"""The arguments of a call, however a trace writes them: an object, JSON text, or what is neither.

Nothing is repaired. What is no JSON object is kept as it stands, with a word for what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from callscore.core.concatenated import objects_in
from callscore.core.malformed import (
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    TOO_DEEP,
    TRUNCATED,
    excerpt,
    fault_of,
)
from callscore.formats.describing import describe

__all__ = ["Arguments", "raw_text", "read_arguments"]

_TRUNCATED = "Input data was truncated"
_BROKEN_NUMBER = "invalid number"
_END_OF_KEY = re.compile(r'"\s*:')
_decode = msgspec.json.Decoder().decode


class Arguments(Struct, frozen=True, gc=False):
    """What came of it.

    Attributes:
        value: the argument object; None where there is none to be had.
        raw: then, what stood there.
        error: and what is wrong with it.
        warning: what is odd about an object that could be read.
    """

    value: dict[str, Any] | None
    raw: str | None = None
    error: str | None = None
    warning: str | None = None


def read_arguments(given: Any) -> Arguments:
    """The argument object that a value is or spells; none, an empty text and a null are empty."""
    if given.__class__ is dict:
        return Arguments(given)
    if isinstance(given, str):
        return _parse(given)
    return Arguments({}) if given is None else _read_other(given)


def _read_other(given: Any) -> Arguments:
    fault = fault_of(given)
    if fault is not None:
        return Arguments(None, fault.raw, fault.problem)
    if isinstance(given, Mapping):
        return Arguments(dict(given))
    return Arguments(None, raw_text(given), NOT_AN_OBJECT)


def _parse(text: str) -> Arguments:
    """The object that a text holds. A text within a text was encoded twice."""
    warning = None
    inner = text
    try:
        value = _decode(text) if text and not text.isspace() else None
        if value.__class__ is str:
            inner, warning = value, "double_encoded"
            value = _decode(inner) if inner and not inner.isspace() else None
    except RecursionError:
        return Arguments(None, excerpt(text), TOO_DEEP)
    except ValueError as error:
        return Arguments(None, excerpt(text), _fault(inner, error))
    if value is None:
        value = {}
    elif value.__class__ is not dict:
        return Arguments(None, excerpt(text), NOT_AN_OBJECT)
    elif inner.count(":") != len(value) and _has_duplicate_keys(inner, value):
        warning = "duplicate_keys"
    return Arguments(value, None, None, warning)


def _fault(text: str, error: ValueError) -> str:
    problem = str(error)
    if _TRUNCATED in problem:
        # The decoder waits for the other half of a surrogate pair beyond the end of the text.
        return INVALID if text.rstrip()[-1:] == "}" and _count_objects(text) else TRUNCATED
    if _BROKEN_NUMBER in problem and problem.endswith(f"(byte {len(text.encode())})"):
        return TRUNCATED
    return CONCATENATED if text.count("{") > 1 and _count_objects(text) > 1 else INVALID


def _count_objects(text: str) -> int:
    """How many JSON objects stand there one after another; 0 where anything else does."""
    return len(objects_in(text, parse_int=str))


def _has_duplicate_keys(text: str, value: dict[str, Any]) -> bool:
    """Whether a key stands twice in one object: of two values one would be lost unseen.

    There is a colon behind every key, so as many colons as keys that were read settle it; and if
    there are more, some in the middle of texts, then as many behind quotes.
    """
    keys = _count_keys(value)
    if text.count(":") == keys or len(_END_OF_KEY.findall(text)) == keys:
        return False
    from json import JSONDecoder  # noqa: TID251  (it shows every pair)

    has_any = False

    def see(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_any
        members = dict(pairs)
        has_any = has_any or len(members) < len(pairs)
        return members

    with suppress(RecursionError):  # each decoder has a limit of its own
        # Numbers stay text: here they do not matter, and large ones would be refused.
        JSONDecoder(object_pairs_hook=see, parse_int=str, parse_float=str).decode(text)
    return has_any


def _count_keys(value: Any) -> int:
    """How many keys there are in an object or a list, and in those within."""
    is_object = value.__class__ is dict
    keys = len(value) if is_object else 0
    for item in value.values() if is_object else value:
        if item.__class__ is dict or item.__class__ is list:
            keys += _count_keys(item)
    return keys


def raw_text(given: Any) -> str | None:
    """What stands in place of arguments, as text; None where nothing does."""
    if given is None or isinstance(given, str):
        return given if given is None else excerpt(given)
    try:
        return excerpt(msgspec.json.encode(given, enc_hook=repr).decode())
    except (RecursionError, ValueError, TypeError):
        return describe(given)
