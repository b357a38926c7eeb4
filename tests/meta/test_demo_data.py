"""The bundled trajectories: complete, and true to what their authors published."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import callscore

DATA = Path(__file__).parents[2] / "src/callscore/data"


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    lines = gzip.decompress((DATA / "airline-gpt-4o.jsonl.gz").read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]


def test_there_are_four_trials_of_each_of_fifty_tasks(records: list[dict[str, Any]]) -> None:
    trials = Counter(record["id"] for record in records)

    assert len(trials) == 50
    assert set(trials.values()) == {4}
    assert len({(record["id"], record["trial"]) for record in records}) == 200


def test_every_call_is_plain(records: list[dict[str, Any]]) -> None:
    calls = [call for record in records for call in record["expected"] + record["actual"]]

    assert all(call.keys() <= {"name", "arguments", "failed"} for call in calls)
    assert all(isinstance(call["arguments"], dict) for call in calls)
    assert sum(call.get("failed", False) for call in calls) == 73


@pytest.mark.parametrize(("k", "published"), [(1, 0.420), (2, 0.273), (3, 0.220), (4, 0.200)])
def test_the_reward_labels_give_the_published_pass_hat_k(
    k: int, published: float, records: list[dict[str, Any]]
) -> None:
    successes: Counter[str] = Counter()
    for record in records:
        successes[record["id"]] += record["metadata"]["reward"]

    chances = [callscore.pass_hat_k(4, passed, k) for passed in successes.values()]

    assert round(sum(chances) / len(chances), 3) == published


def test_the_licence_of_the_trajectories_is_beside_them() -> None:
    licence = (DATA / "LICENSE-tau-bench.txt").read_text(encoding="utf-8")

    assert licence.startswith("MIT License\n\nCopyright (c) 2024 Sierra\n")
