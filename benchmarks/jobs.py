"""What is measured in a process of its own: python benchmarks/jobs.py JOB FILE prints its seconds."""

from __future__ import annotations

import json  # noqa: TID251  (the baseline)
import sys
from time import process_time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore import Case
    from callscore.core.score import Outcome
    from callscore.formats.plain_cases import PlainCase

__all__ = ["loads", "score", "typed"]


class TypedCall(Struct, gc=False, frozen=True):
    """A call with everything decoded."""

    name: str
    arguments: dict[str, Any]


class TypedCase(Struct, gc=False, frozen=True):
    """A case with everything decoded."""

    id: str
    expected: list[TypedCall]
    actual: list[TypedCall]


def loads(path: str) -> float:
    """The seconds that `json.loads` takes for all lines."""
    start = process_time()
    with open(path, "rb") as lines:  # noqa: PTH123  (as most people write it)
        for line in lines:
            json.loads(line)
    return process_time() - start


def typed(path: str) -> float:
    """The seconds that msgspec takes to decode all lines into structs."""
    decode = msgspec.json.Decoder(TypedCase).decode
    start = process_time()
    with open(path, "rb") as lines:  # noqa: PTH123  (likewise)
        for line in lines:
            decode(line)
    return process_time() - start


def score(path: str) -> float:
    """The seconds that it takes to score all cases to a summary, and to keep each one's outcome."""
    names: list[str | int] = []
    outcomes: list[Outcome] = []

    def keep(cases: Sequence[Case | PlainCase], found: Sequence[Outcome]) -> None:
        names.extend([case.id for case in cases])
        outcomes.extend(found)

    hooks = ScoreHooks(on_outcomes=keep)
    start = process_time()
    results = score_files(path, show="none", hooks=hooks)
    seconds = process_time() - start
    if not results.summary.cases == len(names) == len(outcomes) > 0:
        sys.exit("not every case was scored")
    return seconds


if __name__ == "__main__":
    _, job, file = sys.argv
    print({"loads": loads, "typed": typed, "score": score}[job](file))
