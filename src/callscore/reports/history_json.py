"""The runs of a history as one JSON document, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import encode_json, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.reports.history_rows import Step, Timeline

__all__ = ["NAME", "write"]

NAME = "json"


def write(timelines: Sequence[Timeline]) -> str:
    """An array with an object a run, the newest first, indented."""
    steps = [step for timeline in timelines for step in timeline.steps]
    steps.sort(key=lambda step: (step.row.started_at, step.row.id), reverse=True)
    document = encode_json([_step(step) for step in steps])
    return msgspec.json.format(document, indent=2).decode() + "\n"


def _step(step: Step) -> dict[str, Any]:
    row = step.row
    return {
        "id": plain(row.id),
        "name": plain(row.name),
        "baselines": plain(row.baselines),
        "command": plain(row.command),
        "status": plain(row.status),
        "started_at": row.started_at,
        "git_commit": plain(row.git_commit),
        "git_dirty": row.git_dirty,
        "suites": plain(row.suites),
        "is_partial": row.is_partial,
        "cases": row.cases,
        "answered": row.answered,
        "passed": row.passed,
        "share": row.share,
        "interval": None if row.interval is None else list(row.interval),
        "f1": row.f1,
        "errors": row.errors,
        "change": step.change,
        "direction": step.direction,
    }
