"""What is measured in a process of its own: python benchmarks/jobs.py JOB FILE prints its seconds."""

from __future__ import annotations

import json  # noqa: TID251  (the baseline)
import sys
from time import process_time
from typing import Any

import msgspec
from msgspec import Struct

from callscore.engines.local import score_files

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
    """The seconds that it takes to score all cases to a summary."""
    start = process_time()
    results = score_files(path, show="none")
    seconds = process_time() - start
    if not results.summary.cases:
        sys.exit("not every case was scored")
    return seconds


if __name__ == "__main__":
    _, job, file = sys.argv
    print({"loads": loads, "typed": typed, "score": score}[job](file))
