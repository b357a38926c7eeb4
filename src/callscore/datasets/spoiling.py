"""Values and names that are a little wrong, in the ways in which agents get them wrong."""

from __future__ import annotations

from typing import Any

__all__ = ["invalid_values", "other_types", "strange_names"]

_LARGE = 10**9
_MANY = 50
_LONGEST = 20_000


def other_types(value: Any) -> list[Any]:
    """The value in another JSON type: what is most often confused first."""
    if isinstance(value, str):
        return [[value], 7, {"value": value}]
    if isinstance(value, bool):
        return ["true" if value else "false", int(value)]
    if isinstance(value, list):
        return [", ".join(map(str, value)), {"items": value}]
    return [str(value), [value], 7]


def invalid_values(value: Any) -> list[Any]:
    """Other values of the same JSON type, of which a bound, a list or a pattern may allow none."""
    if isinstance(value, str):
        texts = [f"{value}_x", f"not {value}", "", "?", value.swapcase(), value * _MANY]
        return [text for text in texts if text != value and len(text) <= _LONGEST]
    if isinstance(value, int | float) and not isinstance(value, bool):
        small = [value + 1, -1] if isinstance(value, int) else [value + 0.123456, -0.5]
        return [value + _LARGE, value - _LARGE, *small]
    if isinstance(value, list):
        return [[], value * 2, value * _MANY]
    return [{}] if isinstance(value, dict) and value else []


def strange_names(name: str) -> list[str]:
    """Names that look like a tool's and are not: what a model makes up."""
    return [f"{name}s", f"{name}_v2", f"do_{name}", f"{name}Now", name.upper()]
