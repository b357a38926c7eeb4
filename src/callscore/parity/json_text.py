"""A value as the JSON text that Python's own encoder writes, for tools that compare such texts."""

from __future__ import annotations

from functools import cache
from json import (  # noqa: TID251  (texts are compared: they come from the same encoder)
    JSONDecoder,
    JSONEncoder,
)
from typing import TYPE_CHECKING, Any

from callscore.errors import NotScorable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["json_text", "reread"]


def json_text(value: Any, **options: Any) -> str:
    """What `json.dumps` gives with these options.

    Raises:
        NotScorable: the value cannot be written, or its keys cannot be sorted.
    """
    try:
        return _encoder(tuple(options.items()))(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotScorable(f"a value cannot be written as JSON: {error}.") from error


def reread(value: Any) -> Any:
    """The value that `json.loads` reads where `json.dumps` wrote this one.

    Raises:
        NotScorable: the value cannot be written.
        RecursionError: it can be written, but is nested too deep to be read.
    """
    return JSONDecoder().decode(json_text(value))


@cache
def _encoder(options: tuple[tuple[str, Any], ...]) -> Callable[[Any], str]:
    # Making one costs as much as writing a small value.
    return JSONEncoder(**dict(options)).encode
