"""Begins a run in the history, or goes on with one."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from callscore.evaluations.places import file_of
from callscore.history.project import git_state, versions
from callscore.history.records import RunRecord
from callscore.history.rescue import Rescue
from callscore.history.run_names import require_no_baseline
from callscore.runner.digests import source_of
from callscore.runner.recording import Recorder
from callscore.runner.resuming import Known, begin_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.evaluations.plan import Group
    from callscore.history.store import Store
    from callscore.runner.running import RunOptions

__all__ = ["recorder_for"]

_SOURCES = "sources"
_CACHE = "cache"


def recorder_for(
    store: Store | Rescue, groups: Sequence[Group], options: RunOptions
) -> tuple[Recorder, list[str]]:
    """What keeps a run, and what should be known about the run that it goes on with.

    Raises:
        InvalidSettings: the run is to be called like a baseline.
        UnknownRun: a run is to go on, and there is none.
        UnusableStore: the history cannot be written; or, where a run goes on, not even read.
    """
    sources = _sources(groups)
    commit, is_dirty = git_state(Path.cwd())
    record = RunRecord(
        id="",
        command="run",
        started_at=time(),
        name=options.name,
        arguments={**options.arguments, _CACHE: options.use_cache, _SOURCES: sources},
        versions=versions(),
        git_commit=commit,
        git_dirty=is_dirty,
    )
    if options.name is not None and not isinstance(store, Rescue):
        require_no_baseline(options.name, store.baselines())
    held = begin_run(store, record, resume=options.resume)
    run = held.record
    known = Known(
        store=store,
        run=run.id if options.resume else None,
        use_cache=options.use_cache or bool(run.arguments.get(_CACHE)),
        since=options.cache_since,
    )
    try:
        recorder = Recorder(store, run, groups, known, held.lock)
    except BaseException:
        held.lock.release()
        raise
    if held.problem:
        recorder.problems.append(held.problem)
    return recorder, _changes(run.arguments.get(_SOURCES), sources)


def _sources(groups: Sequence[Group]) -> dict[str, str]:
    """The digests of the files whose text decides the answers."""
    return {
        file_of(group.evaluation.place): source
        for group in groups
        if group.questions and (source := source_of(group.questions[0]))
    }


def _changes(before: Any, now: dict[str, str]) -> list[str]:
    """What is to be said about files that are not what they were when the run began."""
    if not isinstance(before, dict):
        return []
    return [
        f"{file} has changed since the run began: the answers from before are of its former text"
        for file, source in now.items()
        if before.get(file, source) != source
    ]
