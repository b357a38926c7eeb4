"""tau-bench: pass^k, the share of tasks that an agent solves every time of k.

tau-bench judges a whole conversation by the final database, so that no number of a single case can
be computed from its calls. Only the combination of rewards is reproduced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callscore.core import statistics
from callscore.errors import NotScorable

__all__ = ["METRICS", "TITLE", "VERSION", "is_success", "pass_hat_k"]

TITLE = "tau-bench"
VERSION = "59a200c"  # a commit: it has no releases

_LEAST, _MOST = 1 - 1e-6, 1 + 1e-6


def is_success(reward: float) -> bool:
    """Whether a reward counts as a success: it is 1, but for a millionth."""
    return _LEAST <= reward <= _MOST


def pass_hat_k(
    rewards_by_task: Mapping[Any, Sequence[float]] | Sequence[Sequence[float]], k: int
) -> float:
    """The mean over all tasks of C(successes, k) / C(trials, k).

    Args:
        rewards_by_task: for each task, by name or not, the reward of each of its trials.
        k: how many trials have to succeed, all of them.

    Defects:
        The number of trials is that of the whole run, here of the task with most of them: a trial
        that a task lacks counts as one that failed.

    Raises:
        NotScorable: there is no task, or k is not from 1 to the number of trials.
    """
    tasks = rewards_by_task.values() if isinstance(rewards_by_task, Mapping) else rewards_by_task
    trials = max(map(len, tasks), default=0)
    if not 1 <= k <= trials:
        raise NotScorable(f"pass^{k} needs a task with {max(k, 1)} trials; there are {trials}.")
    total = 0.0  # added one by one: `sum` would round less than tau-bench does
    for rewards in tasks:
        total += statistics.pass_hat_k(trials, sum(map(is_success, rewards)), k)
    return total / len(tasks)


METRICS = ()
