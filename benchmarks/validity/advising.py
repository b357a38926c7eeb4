"""What `callscore.advise` recommends from one half of the tasks, measured on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validity.evidence import evidence
from validity.held_out import ADVICE, HeldOut
from validity.metrics import expected_of, made_of, score_of
from validity.trajectories import half_of

import callscore
from callscore.api import tools_by_name

if TYPE_CHECKING:
    from validity.trajectories import Benchmark

__all__ = ["advised"]

DIGITS = 4


def advised(benchmark: Benchmark) -> HeldOut:
    """The advice that each half of the tasks gives, and its AUC on the other half."""
    tools = None if benchmark.tools is None else tools_by_name(benchmark.tools)
    labels, areas = [], []
    for half in (0, 1):
        known = [run for run in benchmark.trajectories if half_of(run.task) != half]
        others = [run for run in benchmark.trajectories if half_of(run.task) == half]
        advice = callscore.advise(
            [
                callscore.Case(
                    id=run.task, trial=number, expected=expected_of(run), actual=made_of(run)
                )
                for number, run in enumerate(known)
            ],
            labels=[run.succeeded for run in known],
            tools=benchmark.tools,
        )
        area, _ = evidence([score_of(run, advice.settings, tools).f1 for run in others], others)
        labels.append(advice.recommended.label)
        areas.append(round(area, DIGITS))
    return HeldOut(ADVICE, (labels[0], labels[1]), (areas[0], areas[1]))
