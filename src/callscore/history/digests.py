"""Digests by which two runs are compared: of what is asked, of what is expected, of what was called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import plain
from callscore.history.packing import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["asked_digest", "calls_digest", "expectation_digest", "settings_digest"]

# What is no part of the question: what the answer is held against, and what people note beside it.
_BESIDE = frozenset({"expected", "tags", "metadata"})
# What makes a call what it is. Its id, its step and what the tool answered are others in every run.
_MADE = ("name", "arguments", "raw")

# The order of keys says nothing.
_encoder = msgspec.json.Encoder(order="deterministic")


def expectation_digest(payload: Mapping[str, Any]) -> str:
    """The digest of what a case expects, as its payload spells it; empty where it expects nothing."""
    expected = payload.get("expected")
    return "" if expected is None else _digest(expected)


def asked_digest(payload: Mapping[str, Any]) -> str:
    """The digest of the rest of a case: its input, and its tools."""
    return _digest({key: payload[key] for key in sorted(payload) if key not in _BESIDE})


def calls_digest(calls: Iterable[Mapping[str, Any]] | None) -> str:
    """The digest of calls, given as plain data; empty where nobody knows them."""
    if calls is None:
        return ""
    return _digest([[call.get(part) for part in _MADE] for call in calls])


def settings_digest(settings: Mapping[str, Any], scorers: Iterable[str]) -> str:
    """The digest of what decides the scores, given as plain data."""
    return _digest([settings, *scorers])


def _digest(value: object) -> str:
    try:
        body = _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        body = _encoder.encode(plain(value))
    return digest_of(body).hex()
