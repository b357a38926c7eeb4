"""JSON objects that stand one after another with nothing between them, as no JSON text may."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["objects_in"]

_NOT_SPACE = re.compile(r"[^ \t\r\n]")


def objects_in(text: str, *, parse_int: Callable[[str], Any] = int) -> list[dict[str, Any]]:
    """The objects that a text is, one after another; none where anything else is in it.

    Args:
        text: the text.
        parse_int: what makes a number of digits; whoever only counts objects needs no numbers.
    """
    from json import JSONDecoder  # noqa: TID251  (it tells where a value ends)

    decode = JSONDecoder(parse_constant=_refuse, parse_int=parse_int).raw_decode
    found: list[dict[str, Any]] = []
    try:
        end = 0
        while begin := _NOT_SPACE.search(text, end):
            value, end = decode(text, begin.start())
            if not isinstance(value, dict):
                return []
            found.append(value)
    except (ValueError, RecursionError):
        return []
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
