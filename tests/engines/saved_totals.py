"""Runs of which only some cases are saved, for tests of all that reads them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.settings import DEFAULT
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files
from callscore.engines.saving import SaveRequest, save_totals
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from callscore.core.results import Result, Results
    from callscore.core.totals import SavedCases
    from callscore.engines.saving import ScoreSaver

__all__ = ["case_line", "save_cases", "scored", "write_cases"]


def case_line(name: str, *, is_right: bool = True, **fields: Any) -> str:
    """A case of one call, as a line of a file."""
    expected = [{"name": "search", "arguments": {"query": name}}]
    actual = expected if is_right else [{"name": "search", "arguments": {"query": "?"}}]
    case = {"id": name, "expected": expected, "actual": actual, **fields}
    return msgspec.json.encode(case).decode() + "\n"


def write_cases(path: Path, count: int, wrong: Collection[int] = (), **fields: Any) -> str:
    """Write a file of cases, some of which fail; returns its path."""
    lines = [case_line(f"c{each}", is_right=each not in wrong, **fields) for each in range(count)]
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def scored(path: str, **options: Any) -> tuple[Results, list[Result]]:
    """The totals of a file, and every result."""
    found: list[Result] = []
    results = score_files([path], hooks=ScoreHooks(on_result=found.append), **options)
    return results, found


def save_cases(
    path: str,
    name: str,
    saved_cases: SavedCases = "failing",
    *,
    store: Path | str | None = None,
    **request: Any,
) -> ScoreSaver:
    """Score a file and save its totals, with some of its cases."""
    results, found = scored(path, settings=request.get("settings", DEFAULT))
    asked = SaveRequest(name=name, cases=[path], **request)
    opener = partial(open_store, store)
    return save_totals(asked, results, iter(found), opener, saved_cases=saved_cases)
