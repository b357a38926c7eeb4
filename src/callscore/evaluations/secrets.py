"""Finds what must not stand in a file: keys and passwords, by what they look like or are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.models.secrets import is_secret_name, looks_secret

if TYPE_CHECKING:
    from collections.abc import Callable

    _Path = tuple[str | int, ...]
    _Member = tuple[str | int, Any]

__all__ = ["named_secret_in", "secret_in"]

# What stands here says how something is to look, and `password` is a name like any other.
_SCHEMAS = frozenset(
    {"functions", "json_schema", "properties", "response_format", "schema", "tools"}
)


def secret_in(value: Any) -> _Path | None:
    """Where in plain data a text stands that looks like a key or a password; None if nowhere."""
    return _found(value, lambda path, inner: _looks_so(inner) or (path and _looks_so(path[-1])))


def named_secret_in(value: Any) -> _Path | None:
    """Where in plain data a text stands under a name for secrets; None if nowhere.

    Schemas are left out, and so is what is no text: `password: {type: string}`.
    """
    return _found(value, _is_named_so)


def _looks_so(value: Any) -> bool:
    return isinstance(value, str) and looks_secret(value)


def _is_named_so(path: _Path, value: Any) -> bool:
    if not isinstance(value, str) or not value or not _SCHEMAS.isdisjoint(path):
        return False
    return bool(path) and is_secret_name(str(path[-1]))


def _found(value: Any, is_secret: Callable[[_Path, Any], Any]) -> _Path | None:
    """The first place in plain data, in its order, of which something is true."""
    pending: list[tuple[_Path, Any]] = [((), value)]
    while pending:
        path, inner = pending.pop()
        if is_secret(path, inner):
            return path
        pending += [((*path, key), member) for key, member in reversed(_members(inner))]
    return None


def _members(value: Any) -> list[_Member]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
