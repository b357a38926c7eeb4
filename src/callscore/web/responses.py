"""Answers of the server: JSON without secrets, and errors as sentences."""

from __future__ import annotations

import sys
from collections.abc import Callable
from traceback import format_exception
from typing import Any

from callscore.core.large_number import decode_json
from callscore.core.rendering import escape
from callscore.errors import (
    CallscoreError,
    InvalidCall,
    InvalidSettings,
    MissingConsent,
    UnknownRun,
)
from callscore.hiding.hider import Hider
from callscore.hiding.redaction import NO_REDACTION
from callscore.history.records import json_bytes
from callscore.web.requests import INVALID, NOT_FOUND, Refusal

_SERVER_ERROR = 500
_UNEXPECTED = (
    "the server failed ({kind}). What happened is in the terminal of callscore view. This is a bug of"
    " callscore; please report it"
)


class Encoded:
    """An answer that is JSON already, in one line; it may be large."""

    def __init__(self, data: bytes) -> None:
        self.data = data


def encoded(value: Any) -> bytes:
    """An answer as JSON, without the secrets of the environment in any text or name.

    What made it has hidden them already; this is to be sure. Numbers stay: those of runs and cases are
    counts and times, and those in calls were hidden with the call.
    """
    data = value.data if isinstance(value, Encoded) else json_bytes(value)
    hider = Hider(NO_REDACTION)
    if not hider.occurs_in(data.decode("utf-8", "replace")):
        return data
    return json_bytes(_hidden(decode_json(data), hider.text))


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {hide(key): _hidden(member, hide) for key, member in value.items()}
    return [_hidden(item, hide) for item in value] if isinstance(value, list) else value


def error_answer(error: Exception) -> tuple[int, dict[str, str]]:
    """The status and the content of the answer to a request that failed."""
    if isinstance(error, Refusal):
        return error.status, {"error": error.sentence}
    if not isinstance(error, CallscoreError):
        _print_traceback(error)
        return _SERVER_ERROR, {"error": _UNEXPECTED.format(kind=type(error).__name__)}
    status = _SERVER_ERROR
    if isinstance(error, UnknownRun):
        status = NOT_FOUND
    elif isinstance(error, InvalidSettings | InvalidCall | MissingConsent):
        status = INVALID
    return status, {"error": str(error)}


def _print_traceback(error: Exception) -> None:
    """Print what happened for those who find the bug, without secrets and control characters."""
    hide = Hider().text
    for line in "".join(format_exception(error)).splitlines():
        sys.stderr.write(f"{escape(hide(line))}\n")
