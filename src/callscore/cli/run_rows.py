"""Runs of the history as the reports show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.reports.history_rows import RunRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.history.overview import RunLine
    from callscore.history.records import RunRecord

__all__ = ["heading_row", "rows_of"]

# What makes a run ask only some of the cases, among the arguments that it keeps.
_SELECTIONS = ("keyword", "tags", "limit", "cases")


def rows_of(lines: Sequence[RunLine]) -> list[RunRow]:
    """The runs of a list; what was scored again left out what its answers' run left out."""
    parents = {line.run.id: line.run for line in lines}
    return [
        RunRow(
            **_about(line.run),
            baselines=line.baselines,
            suites=line.suites,
            is_partial=_is_partial(line.run, parents),
            cases=line.cases,
            answered=line.answered,
            passed=line.passed,
            share=line.share,
            interval=line.interval,
            f1=line.f1,
            errors=line.errors,
        )
        for line in lines
    ]


def heading_row(run: RunRecord, baselines: Sequence[str]) -> RunRow:
    """What the heading of one run says."""
    return RunRow(
        **_about(run), baselines=tuple(baselines), is_partial=_is_partial(run, {run.id: run})
    )


def _about(run: RunRecord) -> dict[str, Any]:
    fields = ("id", "command", "status", "started_at", "name", "git_commit", "git_dirty")
    return {field: getattr(run, field) for field in fields}


def _is_partial(run: RunRecord, others: dict[str, RunRecord]) -> bool:
    seen: set[str] = set()
    current: RunRecord | None = run
    while current is not None and current.id not in seen:
        if current.command != "score" and any(map(current.arguments.get, _SELECTIONS)):
            return True
        seen.add(current.id)
        current = others.get(current.parent or "")
    return False
