"""pass^k of tau-bench."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from callscore.core import statistics
from callscore.errors import NotScorable
from callscore.parity.tau_bench import METRICS, is_success, pass_hat_k

RUNS = Path(__file__).parents[2] / "benchmarks" / "validity" / "data" / "gpt-4o-airline.jsonl.gz"


def test_the_published_numbers_of_gpt_4o_come_out() -> None:
    rewards: dict[str, list[float]] = {}
    for line in gzip.decompress(RUNS.read_bytes()).splitlines():
        case = msgspec.json.decode(line)
        rewards.setdefault(case["id"], []).append(case["metadata"]["reward"])

    found = [round(pass_hat_k(rewards, k), 3) for k in (1, 2, 3, 4)]

    assert found == [0.420, 0.273, 0.220, 0.200]


def test_a_task_counts_as_the_statistics_of_the_core_say() -> None:
    rewards = {"a": [1.0, 0.0, 1.0, 1.0], "b": [0.0, 0.0, 1.0, 1.0]}

    mean = (statistics.pass_hat_k(4, 3, 2) + statistics.pass_hat_k(4, 2, 2)) / 2
    assert pass_hat_k(rewards, 2) == mean


def test_a_reward_is_a_success_within_a_millionth_of_one() -> None:
    assert [is_success(reward) for reward in (1, 1 - 1e-7, 1 + 1e-7)] == [True] * 3
    assert [is_success(reward) for reward in (0.999, 1.001, 2, float("nan"))] == [False] * 4


def test_a_trial_that_a_task_lacks_counts_as_failed() -> None:
    assert pass_hat_k({"a": [1, 1], "b": [1]}, 1) == 0.75


@pytest.mark.parametrize(
    ("rewards", "k"), [({}, 1), ({"a": []}, 1), ({"a": [1]}, 2), ({"a": [1]}, 0)]
)
def test_k_is_from_one_to_the_number_of_trials(rewards: dict[str, list[float]], k: int) -> None:
    with pytest.raises(NotScorable, match=rf"pass\^{k} needs a task with"):
        pass_hat_k(rewards, k)


def test_no_metric_is_asked_about_a_single_case() -> None:
    assert METRICS == ()


def test_tasks_need_no_names() -> None:
    assert pass_hat_k([[1, 1], [1, 0]], 2) == 0.5
