"""Single things as text: calls, JSON paths and types, percentages, sparklines; any value as safe JSON."""

from __future__ import annotations

from math import floor, isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.call import NOT_CAPTURED
from callscore.core.equality import json_type
from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import (
    ELLIPSIS,
    clip,
    clip_middle,
    display_width,
    escape,
    integer_text,
    render_arguments,
    render_value,
    safe_repr,
    scalar_text,
)
from callscore.core.rules import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall

__all__ = [
    "arguments_text",
    "call_text",
    "decimal",
    "encode_json",
    "json_safe",
    "json_safe_string",
    "name_text",
    "percent",
    "short_path",
    "sparkline",
    "type_name",
]


# A call on one line, in bounded room: `get_weather(city="Oslo")`.


def call_text(call: ToolCall, *, limit: int) -> str:
    """The call as one would write it, in at most `limit` columns."""
    name = name_text(call.name, limit=limit)
    return clip(name + arguments_text(call, limit=limit - display_width(name)), limit)


def name_text(name: str, *, limit: int) -> str:
    """The name of a tool in at most `limit` columns."""
    return clip(escape(name[: limit + 1]), limit)


def arguments_text(call: ToolCall, *, limit: int) -> str:
    """The arguments of a call in their brackets; they take `limit` columns, or a few more."""
    limit = max(limit - len("()"), 1)
    if call.error == NOT_CAPTURED:
        inside = "?"
    elif call.error is not None:
        inside = render_value(call.raw, limit=limit)
    elif call.arguments is None:
        inside = ELLIPSIS
    else:
        inside = render_arguments(call.arguments, limit=limit)
    return f"({inside})"


# Any value as what every JSON encoder accepts.

# Encoders follow nesting with the interpreter's stack, which holds about a thousand levels.
_MAX_DEPTH = 100
_MAX_DEEP_TEXT = 10_000
# Longer integers are refused by every encoder that prints them with Python's own digits.
_MAX_INTEGER_BITS = 10_000
_UNCHANGED = frozenset({bool, type(None)})


def json_safe(value: object, *, depth: int = 0) -> Any:
    """The value with everything that JSON does not know turned into text.

    NaN and infinities, dates and other objects become strings; so do integers of more than 3,000
    digits, and what is nested more than 100 levels deep (at most 10,000 characters of it). In
    strings, halves of surrogate pairs are spelled out. Rules are spelled as in case files.
    """
    kind = value.__class__
    if kind in _UNCHANGED:
        return value
    if isinstance(value, str):
        return json_safe_string(value)
    if isinstance(value, int | float):
        return _safe_number(value)
    return _safe_container(value, depth)


def _safe_number(value: float) -> int | float | str:
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MAX_INTEGER_BITS else integer_text(value)
    return float(value) if isfinite(value) else scalar_text(value)


def json_safe_string(value: str) -> str:
    """A string with the halves of surrogate pairs spelled out."""
    if value.isascii():
        return str(value)
    return value.encode("utf-8", "backslashreplace").decode()


def _safe_container(value: object, depth: int) -> Any:
    if isinstance(value, Matcher):
        value = {value.key: value.value, **value.options}
    if not isinstance(value, dict | list | tuple):
        return json_safe_string(safe_repr(value))
    if depth == _MAX_DEPTH:
        return render_value(value, limit=_MAX_DEEP_TEXT)
    if isinstance(value, dict):
        return {_safe_key(key): json_safe(member, depth=depth + 1) for key, member in value.items()}
    return [json_safe(member, depth=depth + 1) for member in value]


def _safe_key(key: object) -> str:
    return json_safe_string(key if isinstance(key, str) else scalar_text(key))


def encode_json(value: object) -> bytes:
    """The value as JSON on one line; integers keep all their digits."""
    return msgspec.json.encode(json_safe(value))


# A few numbers as a line of small bars, which shows where they go at a glance.

_BARS = "▁▂▃▄▅▆▇█"
# Shares that are less than this apart are drawn as if they were: noise should not look like a fall.
_MIN_RANGE = 0.1
_ROUNDING_SLACK = 1e-9


def sparkline(shares: Sequence[float], *, least: float = _MIN_RANGE) -> str:
    """One bar a share, from the lowest of them to the highest.

    Args:
        shares: numbers from 0 to 1.
        least: how far apart the lowest and the highest bar are at the least.
    """
    if not shares:
        return ""
    low, high = min(shares), max(shares)
    spare = max(least - (high - low), 0.0)
    low = max(low - spare / 2, 0.0)
    high = min(max(high, low + least), 1.0)
    low = min(low, high - least)
    last = len(_BARS) - 1
    steps = [(share - low) / (high - low) if high > low else 1.0 for share in shares]
    # Half a bar is a whole one; what is left of rounding does not decide.
    return "".join(
        [_BARS[min(max(floor(step * last + 0.5 + _ROUNDING_SLACK), 0), last)] for step in steps]
    )


def percent(value: float) -> str:
    """A share with one decimal: 100.0% and 0.0% appear only for exactly 1 and exactly 0."""
    return f"{_rounded_inwards(value, 1000) / 10:.1f}%"


def decimal(value: float) -> str:
    """A share with three decimals: 1.000 and 0.000 appear only for exactly 1 and exactly 0."""
    return f"{_rounded_inwards(value, 1000) / 1000:.3f}"


def _rounded_inwards(value: float, steps: int) -> int:
    nearest = round(value * steps)
    if value < 1:
        nearest = min(nearest, steps - 1)
    return max(nearest, 1) if value > 0 else nearest


_TYPE_NAMES = {
    "boolean": Phrase("boolean", "логическое"),
    "number": Phrase("number", "число"),
    "string": Phrase("string", "строка"),
    "object": Phrase("object", "объект"),
    "array": Phrase("array", "массив"),
}


def type_name(value: object, *, lang: Language = "en") -> str:
    """The JSON type of a value in one word; null and what JSON does not know as they are."""
    kind = json_type(value)
    return say(_TYPE_NAMES[kind], lang) if kind in _TYPE_NAMES else kind


def short_path(path: str, *, width: int = 80) -> str:
    """A JSON path without its root, in at most `width` columns: `passengers[0].name`."""
    inner = path.removeprefix("$").removeprefix(".") or path
    if len(inner) > 8 * width:  # no screen is wide enough for what is in between
        inner = inner[: 4 * width] + inner[-4 * width :]
    return clip_middle(escape(inner), width)
