"""A TOML document, read as the JSON it stands for, with the lines on which its parts stand."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from callscore.errors import UnreadableInput

__all__ = ["line_in_toml", "read_toml"]

_ERROR_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# One statement can be as long as all of these lines, and then each of them is tried.
_MAX_LINES = 2_000

_Path = tuple[str | int, ...]


def read_toml(text: str, name: str) -> dict[str, Any]:
    """The table that a TOML text is; dates and times are text, as in JSON.

    Args:
        text: the text.
        name: the file, as it is called in places.

    Raises:
        UnreadableInput: it is not TOML, or stands for no JSON value.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise UnreadableInput(name, "the TOML is nested too deeply.") from error
    except ValueError as error:
        raise _syntax_error(error, text, name) from error
    plain: dict[str, Any] = _plain(table, name)
    return plain


def _syntax_error(error: ValueError, text: str, name: str) -> UnreadableInput:
    """Where and why a text is not TOML."""
    said = str(error)
    found = _ERROR_POSITION.search(said)
    place = name
    if found is not None:
        line, column = found.groups()
        place = f"{name}:{line}:{column}" if line else f"{name}:{text.count(chr(10)) + 1}"
        said = said[: found.start()]
    return UnreadableInput(place, f"not TOML: {said}.")


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner, name) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, name) for inner in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, float) and not isfinite(value):
        raise UnreadableInput(name, f"{value} is not a JSON number.")
    return value


def line_in_toml(text: str, path: _Path) -> int | None:
    """The line number (from 1) of a path; None where it is not found, or too far down.

    The parser does not say. But the first lines of a TOML text are TOML, too, unless they end in
    the middle of a statement; so what counts is how many of them it takes until they have it.

    Args:
        text: TOML.
        path: the keys, and the positions in arrays, that lead there.
    """
    lines = text.split("\n")
    low, high = 0, len(lines)  # number of lines known to be too few, and known to be enough
    if high > _MAX_LINES or not _has_path(lines, high, path):
        return None
    while True:
        middle = _complete_lines(lines, (low + high) // 2, low)
        if middle == low:  # then the statement in between is the one, or the first half of it
            middle = next(
                (at for at in range(low + 1, high) if _table(lines, at) is not None), high
            )
            if middle == high:
                break
        if _has_path(lines, middle, path):
            high = middle
        else:
            low = middle
    return next(at for at in range(low, high) if _is_significant(lines[at])) + 1


def _complete_lines(lines: list[str], count: int, minimum: int) -> int:
    """The first `count` lines, or fewer, so that they end with a complete statement."""
    while count > minimum and _table(lines, count) is None:
        count -= 1
    return count


def _table(lines: list[str], count: int) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines[:count]))
    except (ValueError, RecursionError):
        return None


def _has_path(lines: list[str], count: int, path: _Path) -> bool:
    value: Any = _table(lines, count)
    for key in path:
        position = key if isinstance(key, int) else -1
        inner = value.get(key) if isinstance(value, dict) else None
        value = value[position] if isinstance(value, list) and _is_in(position, value) else inner
        if value is None:  # which TOML has no word for
            return False
    return True


def _is_in(position: int, array: list[Any]) -> bool:
    return 0 <= position < len(array)


def _is_significant(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")
