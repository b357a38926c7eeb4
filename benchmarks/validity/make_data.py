"""Make the trajectories of the validity benchmark from the files that their authors published.

Usage: PYTHONPATH=benchmarks python -m validity.make_data ORIGINAL.json[.gz]...

An original is named MODEL-DOMAIN.json.gz, and becomes MODEL-DOMAIN.jsonl.gz in the folder `data`.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import callscore

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["case_of", "main"]

FOLDER = Path(__file__).with_name("data")

Json = dict[str, Any]


def main(originals: Iterable[str]) -> None:
    """Read every original and write a compact case file beside the others."""
    for original in map(Path, originals):
        name = original.name.partition(".json")[0]
        model, _, domain = name.rpartition("-")
        content = original.read_bytes()
        if original.suffix == ".gz":
            content = gzip.decompress(content)
        records: list[Json] = msgspec.json.decode(content)
        records.sort(key=lambda record: (record["task_id"], record["trial"]))
        cases = [case_of(record, model, domain) for record in records]
        lines = b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
        target = FOLDER / f"{name}.jsonl.gz"
        # Without the time of day in its header the same input gives the same bytes.
        target.write_bytes(gzip.compress(lines, compresslevel=9, mtime=0))
        print(f"{target.name}: {len(cases)} cases, {target.stat().st_size:,} bytes")


def case_of(record: Json, model: str, domain: str) -> Json:
    """One trajectory as one case: the calls, whether they failed, and how it ended."""
    expected = record["info"]["task"]["actions"]
    return {
        "id": f"{domain}-{record['task_id']}",
        "trial": record["trial"],
        "expected": [{"name": call["name"], "arguments": call["kwargs"]} for call in expected],
        "actual": [
            {"name": call.name, "arguments": call.arguments}
            | ({"failed": True} if call.failed else {})
            for call in callscore.read_calls(record["traj"])
        ],
        "metadata": {"model": model, "domain": domain, "reward": int(record["reward"])},
    }


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    main(sys.argv[1:])
