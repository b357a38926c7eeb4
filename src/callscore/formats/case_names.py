"""A name for a case that has none: the first words of what is asked."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["name_from"]

_LONGEST = 48
_NOT_IN_WORDS = re.compile(r"\W+")


def name_from(asked: Any) -> str:
    """What is asked, as a name: `what-is-the-weather-in-paris`.

    Args:
        asked: a text, or a conversation, of which what was said last counts.

    Returns:
        The name; an empty text where nothing is asked in words.
    """
    text = _said(asked)[: 4 * _LONGEST].casefold()
    name = _NOT_IN_WORDS.sub("-", text).strip("-_")
    if len(name) <= _LONGEST:
        return name
    whole, hyphen, _ = name[: _LONGEST + 1].rpartition("-")
    return whole if hyphen else name[:_LONGEST]


def _said(asked: Any) -> str:
    if isinstance(asked, list) and asked and isinstance(asked[-1], dict):
        asked = asked[-1].get("content")
    return asked if isinstance(asked, str) else ""
