"""Which cases did not pass when they were run before."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["failed_before"]

# How far back to look where no run had everything in it.
_MOST_RUNS = 50
_SELECTING = ("keyword", "tags", "limit", "cases")

_Key = tuple[str, str | None, str]


def failed_before(store: Store, paths: Sequence[str]) -> frozenset[_Key] | None:
    """The cases that failed, or had no answer, when they were run for the last time.

    Runs of a part of the cases are looked at until there is one of all of them.

    Args:
        store: where the runs are.
        paths: the files and folders of the evaluations, as they are named now.

    Returns:
        The key of the evaluation, the variant and the id of each; None where nothing was run before.
    """
    has_failed: dict[_Key, bool] = {}
    ran = (run for run in store.runs() if run.command == "run")
    is_known = False
    for run in islice(ran, _MOST_RUNS):
        is_known = True
        for key, failed in _outcomes(store, run.id).items():
            has_failed.setdefault(key, failed)
        if _is_whole(run, paths):
            break
    return frozenset(key for key, failed in has_failed.items() if failed) if is_known else None


def _outcomes(store: Store, run: str) -> dict[_Key, bool]:
    """Whether a trial of each case of a run failed."""
    names = {each.number: (each.place, each.variant) for each in store.evaluations(run)}
    found: dict[_Key, bool] = {}
    for result in store.results(run):
        evaluation, variant = names[result.evaluation]
        key = (evaluation, variant, result.case)
        failed = result.status == "error" or result.passed is False
        found[key] = found.get(key, False) or failed
    return found


def _is_whole(run: RunRecord, paths: Sequence[str]) -> bool:
    """Whether everything was run that is there."""
    arguments: dict[str, Any] = run.arguments
    is_all = not any(arguments.get(name) for name in _SELECTING)
    return run.status == "finished" and is_all and arguments.get("paths") == list(paths)
