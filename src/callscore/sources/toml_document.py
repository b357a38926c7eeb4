"""A TOML document as JSON, with the line numbers of its parts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from callscore.core.large_number import number_from_text
from callscore.errors import UnreadableInput

_ERROR_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TOO_LONG = "integer string conversion"  # in what Python raises
_LONG_INTEGER = "an integer has more than 4,300 digits. Write it with an exponent, as in 1e5000."
_MAX_KEY_PARTS = 200
_KEY_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+{_KEY_PART}(?:[ \t]*+\.[ \t]*+{_KEY_PART}){{{_MAX_KEY_PARTS}}}",
    re.MULTILINE,
)
# A statement can be as long as the whole text, and then the text is read for each of its lines.
_MAX_READ = 2_000_000  # characters

_Path = tuple[str | int, ...]


def read_toml(text: str, name: str) -> dict[str, Any]:
    """The table of a TOML text; dates and times are text, as in JSON.

    Raises:
        UnreadableInput: it is not TOML, or has no equivalent in JSON.
    """
    try:
        plain: dict[str, Any] = _plain(load_toml(text, parse_float=_float), name)
    except LongKey as error:
        raise UnreadableInput(name, f"{error}. Write such cases as JSON.") from error
    except RecursionError as error:
        raise UnreadableInput(name, "the TOML is nested too deeply.") from error
    except UnreadableInput:
        raise
    except ValueError as error:
        raise _syntax_error(error, text, name) from error
    return plain


class LongKey(ValueError):
    """A dotted key has more parts than are read."""


def load_toml(text: str, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """The table of a TOML text, at a bounded cost: that of a key grows with the square of its parts.

    Raises:
        ValueError, RecursionError: as `tomllib.loads`, or a key is too long.
    """
    if text.count(".") > _MAX_KEY_PARTS and _LONG_KEY.search(text):
        raise LongKey(f"a dotted key has more than {_MAX_KEY_PARTS} parts")
    return tomllib.loads(text, parse_float=parse_float)


def _float(text: str) -> Any:
    plain = text.replace("_", "")
    return float(plain) if plain.lstrip("+-") in ("inf", "nan") else number_from_text(plain)


def _syntax_error(error: ValueError, text: str, name: str) -> UnreadableInput:
    problem = str(error)
    if _TOO_LONG in problem:
        return UnreadableInput(name, _LONG_INTEGER)
    found = _ERROR_POSITION.search(problem)
    place = name
    if found is not None:
        line, column = found.groups()
        place = f"{name}:{line}:{column}" if line else f"{name}:{text.rstrip().count(chr(10)) + 1}"
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
    """The line number (from 1) of a path; None if it is not found, or takes too long to find.

    The parser does not report lines. But the first lines of a TOML text are TOML too, unless they
    end in the middle of a statement; so this searches for the smallest number of lines that
    contains the path.
    """
    try:
        return _LineSearch(text).line_of(path)
    except _TooMuchRead:
        return None


class _TooMuchRead(Exception):
    """The first lines of a text were read too often."""


class _LineSearch:
    """Finds the line of a path by reading the first lines of a text again and again."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.left = _MAX_READ

    def line_of(self, path: _Path) -> int | None:
        low, high = 0, len(self.lines)  # numbers of lines known to be too few, and to be enough
        if not self.has_path(high, path):
            return None
        while True:
            middle = (low + high) // 2
            while middle > low and self.table(middle) is None:  # ends within a statement
                middle -= 1
            if middle == low:  # the statement after it is the one, or the first half of it
                middle = next(
                    (at for at in range(low + 1, high) if self.table(at) is not None), high
                )
                if middle == high:
                    break
            if self.has_path(middle, path):
                high = middle
            else:
                low = middle
        stripped = (line.strip() for line in self.lines[low:high])
        is_statement = [line != "" and not line.startswith("#") for line in stripped]
        return low + is_statement.index(True) + 1

    def table(self, count: int) -> dict[str, Any] | None:
        text = "\n".join(self.lines[:count])
        self.left -= len(text)
        if self.left < 0:
            raise _TooMuchRead
        try:
            return load_toml(text)
        except (ValueError, RecursionError):
            return None

    def has_path(self, count: int, path: _Path) -> bool:
        value: Any = self.table(count)
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
