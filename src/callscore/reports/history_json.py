"""The runs of a history as one JSON document, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import encode_json, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.reports.history_rows import RunRow, Step, Timeline

__all__ = ["write"]


def write(timelines: Sequence[Timeline]) -> str:
    """An array with an object a run, the newest first, each with its evaluations; indented."""
    of_runs: dict[str, list[Step]] = {}
    for timeline in timelines:
        for step in timeline.steps:
            of_runs.setdefault(step.row.id, []).append(step)
    found = sorted(
        of_runs.values(),
        key=lambda steps: (steps[0].row.started_at, steps[0].row.id),
        reverse=True,
    )
    document = encode_json([_run(steps) for steps in found])
    return msgspec.json.format(document, indent=2).decode() + "\n"


def _run(steps: Sequence[Step]) -> dict[str, Any]:
    row = steps[0].row
    return {
        "id": plain(row.id),
        "name": plain(row.name),
        "baselines": plain(row.baselines),
        "command": plain(row.command),
        "status": plain(row.status),
        "started_at": row.started_at,
        "git_commit": plain(row.git_commit),
        "git_dirty": row.git_dirty,
        "is_partial": row.is_partial,
        "evaluations": [_evaluation(step) for step in steps if step.row.evaluation is not None],
    }


def _evaluation(step: Step) -> dict[str, Any]:
    row: RunRow = step.row
    return {
        "name": plain(row.evaluation),
        "variant": plain(row.variant),
        "place": plain(row.place),
        "cases": row.cases,
        "answered": row.answered,
        "passed": row.passed,
        "share": row.share,
        "interval": None if row.interval is None else list(row.interval),
        "f1": row.f1,
        "errors": row.errors,
        "change": step.change,
        "direction": step.direction,
        "has_other_cases": step.has_other_cases,
    }
