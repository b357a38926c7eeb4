"""Make the bundled demo file from the published trajectories of a customer-service benchmark.

Usage: python benchmarks/make_demo_data.py ORIGINAL.json[.gz] [TARGET.jsonl.gz]
"""

from __future__ import annotations

import gzip
import sys
from math import comb
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["case_of", "main", "pass_hat"]

TARGET = Path(__file__).parents[1] / "src/callscore/data/airline-gpt-4o.jsonl.gz"

Json = dict[str, Any]


def main(arguments: list[str]) -> None:
    """Read the original file, write the compact one, and show pass^k to check it by."""
    original = Path(arguments[0])
    target = Path(arguments[1]) if len(arguments) > 1 else TARGET

    content = original.read_bytes()
    if original.suffix == ".gz":
        content = gzip.decompress(content)
    records = sorted(msgspec.json.decode(content), key=lambda one: (one["task_id"], one["trial"]))
    cases = [case_of(record) for record in records]
    lines = b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
    # Without the time of day in its header the same input gives the same bytes.
    target.write_bytes(gzip.compress(lines, compresslevel=9, mtime=0))

    shown = ", ".join(f"{pass_hat(cases, k):.3f}" for k in range(1, 5))
    print(f"{target.name}: {len(cases)} cases, {target.stat().st_size:,} bytes")
    print(f"pass^1..4 from the reward labels: {shown}")


def case_of(record: Json) -> Json:
    """One trajectory as one case."""
    task = record["info"]["task"]
    return {
        "id": f"airline-{record['task_id']}",
        "trial": record["trial"],
        "input": task["instruction"],
        "expected": [
            {"name": action["name"], "arguments": action["kwargs"]} for action in task["actions"]
        ],
        "actual": _calls_made(record["traj"]),
        "metadata": {"reward": int(record["reward"])},
    }


def _calls_made(messages: list[Json]) -> list[Json]:
    calls: list[Json] = []
    # Ids repeat in real traces: a result belongs to the nearest call before it with its id.
    latest: dict[str, Json] = {}
    for message in messages:
        for made in message.get("tool_calls") or ():
            function = made["function"]
            call = {
                "name": function["name"],
                "arguments": msgspec.json.decode(function["arguments"]),
            }
            calls.append(call)
            latest[made["id"]] = call
        if message["role"] == "tool" and message["content"].startswith("Error"):
            latest[message["tool_call_id"]]["failed"] = True
    return calls


def pass_hat(cases: list[Json], k: int) -> float:
    """The mean over tasks of the chance that k of its trials, drawn at random, all succeed."""
    rewards: dict[str, list[int]] = {}
    for case in cases:
        rewards.setdefault(case["id"], []).append(case["metadata"]["reward"])
    shares = [comb(sum(of_task), k) / comb(len(of_task), k) for of_task in rewards.values()]
    return sum(shares) / len(shares)


if __name__ == "__main__":
    if len(sys.argv) not in {2, 3}:
        sys.exit(__doc__)
    main(sys.argv[1:])
