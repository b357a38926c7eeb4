"""The names in a history, for shell completion: read with `sqlite3` alone, which starts quickly."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from msgspec.json import decode

from callscore.errors import CallscoreError
from callscore.history.opening import store_file_path

_MAX_RUNS: Final = 50
_MAX_RESULTS: Final = 2000
_SECONDS: Final = 0.2  # how long to wait for a writer

_RUNS: Final = "SELECT id, name FROM runs ORDER BY started_at DESC, number DESC LIMIT ?"
_BASELINES: Final = "SELECT name FROM baselines ORDER BY name"
_CASES: Final = (
    "SELECT DISTINCT case_id FROM (SELECT case_id FROM results WHERE run IN"
    " (SELECT number FROM runs WHERE id = ?1 OR name = ?1 OR number IN"
    " (SELECT run FROM baselines WHERE name = ?1) OR (?1 = 'latest' AND number ="
    " (SELECT number FROM runs ORDER BY started_at DESC, number DESC LIMIT 1))) LIMIT ?2)"
)
_TAGS: Final = (
    "SELECT DISTINCT tags FROM (SELECT tags FROM results WHERE tags IS NOT NULL"
    " ORDER BY number DESC LIMIT ?)"
)


def run_names(place: str | None) -> list[tuple[str, str]]:
    """What names a run, with a description: `latest`, names, baselines, and ids, newest first."""
    rows = _read(place, _RUNS, _MAX_RUNS)
    named = [(name, f"run {number}") for number, name in rows if name]
    ids = [(number, name or "") for number, name in rows]
    bases = [(name, "baseline") for name in baseline_names(place)]
    newest = [("latest", "newest run")] if rows else []
    return list(dict([*ids, *named, *bases, *newest][::-1]).items())


def baseline_names(place: str | None) -> list[str]:
    """The names of the baselines."""
    return [name for (name,) in _read(place, _BASELINES)]


def case_ids(place: str | None, run: str) -> list[str]:
    """The ids of the first cases of a run."""
    return [name for (name,) in _read(place, _CASES, run, _MAX_RESULTS)]


def tag_names(place: str | None) -> list[str]:
    """The tags of the newest results."""
    rows = _read(place, _TAGS, _MAX_RESULTS)
    return sorted({str(tag) for (text,) in rows for tag in decode(text)})


def _read(place: str | None, query: str, *values: object) -> Sequence[tuple[str, ...]]:
    """Rows of a history file; empty if there is none, it cannot be read, or it is on a server."""
    try:
        file = store_file_path(place or None)
        if file is None or not file.is_file():
            return []
        address = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=_SECONDS)) as connection:
            return connection.execute(query, values).fetchall()
    except (CallscoreError, OSError, ValueError, sqlite3.Error):
        return []
