"""A TOML document as JSON, with the line numbers of its parts."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from callscore.core.large_number import number_from_text
from callscore.errors import UnreadableInput

__all__ = ["line_in_toml", "read_toml"]

_ERROR_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A statement can be as long as the whole text, and then each line is tried.
_MAX_LINES = 2_000

_Path = tuple[str | int, ...]


def read_toml(text: str, name: str) -> dict[str, Any]:
    """The table of a TOML text; dates and times are text, as in JSON.

    Raises:
        UnreadableInput: it is not TOML, or has no equivalent in JSON.
    """
    try:
        table = tomllib.loads(text, parse_float=_float)
    except RecursionError as error:
        raise UnreadableInput(name, "the TOML is nested too deeply.") from error
    except ValueError as error:
        raise _syntax_error(error, text, name) from error
    plain: dict[str, Any] = _plain(table, name)
    return plain


def _float(text: str) -> Any:
    plain = text.replace("_", "")
    return float(plain) if plain.lstrip("+-") in ("inf", "nan") else number_from_text(plain)


def _syntax_error(error: ValueError, text: str, name: str) -> UnreadableInput:
    problem = str(error)
    found = _ERROR_POSITION.search(problem)
    place = name
    if found is not None:
        line, column = found.groups()
        place = f"{name}:{line}:{column}" if line else f"{name}:{text.count(chr(10)) + 1}"
        problem = problem[: found.start()]
    return UnreadableInput(place, f"not TOML: {problem}.")


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
    """The line number (from 1) of a path; None if it is not found, or too far down.

    The parser does not report lines. But the first lines of a TOML text are TOML too, unless they
    end in the middle of a statement; so this searches for the smallest number of lines that
    contains the path.
    """
    lines = text.split("\n")
    low, high = 0, len(lines)  # numbers of lines known to be too few, and to be enough
    if high > _MAX_LINES or not _has_path(lines, high, path):
        return None
    while True:
        middle = (low + high) // 2
        while middle > low and _table(lines, middle) is None:  # ends within a statement
            middle -= 1
        if middle == low:  # the statement after it is the one, or the first half of it
            middle = next(
                (at for at in range(low + 1, high) if _table(lines, at) is not None), high
            )
            if middle == high:
                break
        if _has_path(lines, middle, path):
            high = middle
        else:
            low = middle
    stripped = (line.strip() for line in lines[low:high])
    is_statement = [line != "" and not line.startswith("#") for line in stripped]
    return low + is_statement.index(True) + 1


def _table(lines: list[str], count: int) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines[:count]))
    except (ValueError, RecursionError):
        return None


def _has_path(lines: list[str], count: int, path: _Path) -> bool:
    value: Any = _table(lines, count)
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return False
        if value is None:  # there is no null in TOML
            return False
    return True
