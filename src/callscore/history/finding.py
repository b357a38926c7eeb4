"""Which run somebody means: a baseline, an id or the beginning of one, a name, an age, a commit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.nearest import meant_by
from callscore.errors import UnknownRun
from callscore.history.baselines import BASELINE
from callscore.history.rows import run_records
from callscore.history.run_rows import (
    count_runs,
    known_names,
    newest_ids,
    run_by_id,
    run_by_name,
    runs_by_ids,
    runs_of_commit,
    runs_with_prefix,
    stored_runs,
)
from callscore.history.selections import is_partial

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Row

    from callscore.history.records import RunRecord

__all__ = ["find_run"]

_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
_NAMED = 5
_SHORT = 10
_OF_FILES = "score"


def find_run(
    connection: Connection, reference: str, resolve: Callable[[str], str | None] | None = None
) -> Row[Any]:
    """The row of the run that is meant.

    Args:
        connection: where the runs are.
        reference: `latest`, `latest~2` for the one two before it, the name of a baseline, an id, a
            name (the newest of those that share it), a beginning that only one id has, or what git
            knows a commit by: its newest finished run, a complete one before others, then one
            that asked before files that were scored, then one without changed files.
        resolve: the commit that git knows by a reference; None where it knows none.

    Raises:
        UnknownRun: there is no such run, or several ids begin like this.
    """
    latest = _LATEST.fullmatch(reference)
    if latest:
        return _latest(connection, reference, int(latest[1] or 0))
    found = _named(connection, reference) or _beginning(connection, reference)
    if found is not None:
        return found
    commit = resolve(reference) if resolve is not None and reference else None
    if commit is None:
        raise UnknownRun(_unknown(connection, reference))
    return _of_commit(connection, reference, commit)


def _named(connection: Connection, reference: str) -> Row[Any] | None:
    """The baseline of this name; else the run of this id; else the newest of this name."""
    baseline = connection.execute(BASELINE, {"name": reference}).first()
    if baseline is not None:
        return baseline
    return run_by_id(connection, reference) or run_by_name(connection, reference)


def _latest(connection: Connection, reference: str, back: int) -> Row[Any]:
    found = stored_runs(connection, limit=1, offset=back)
    if found:
        return found[0]
    count = count_runs(connection)
    raise UnknownRun(_none_yet(reference) if count == 0 else _too_far(reference, count))


def _none_yet(reference: str) -> str:
    return f"there is no run {reference!r}: the history is empty. Begin with: callscore run"


def _too_far(reference: str, count: int) -> str:
    runs_there_are = "is 1 run" if count == 1 else f"are {count} runs"
    return f"there is no run {reference!r}: there {runs_there_are}, back to 'latest~{count - 1}'"


def _beginning(connection: Connection, reference: str) -> Row[Any] | None:
    if not reference:
        return None
    found = runs_with_prefix(connection, reference, _NAMED + 1)
    if len(found) > 1:
        raise UnknownRun(f"{reference!r} may be any of the runs {_listed([r.id for r in found])}")
    return found[0] if found else None


def _of_commit(connection: Connection, reference: str, commit: str) -> Row[Any]:
    """The finished run of a commit that says most about it; the newest of those that are alike."""
    found = runs_of_commit(connection, commit)
    if not found:
        raise UnknownRun(
            f"there is no finished run of the commit {commit[:_SHORT]} ({reference}){_newest(connection)}"
        )
    records = run_records(found)
    known = _with_parents(connection, records)
    ranks = [
        (is_partial(run, known), run.command == _OF_FILES, bool(run.git_dirty)) for run in records
    ]
    return found[ranks.index(min(ranks))]


def _with_parents(connection: Connection, records: list[RunRecord]) -> dict[str, RunRecord]:
    """The runs, and those that they have their answers from, by their ids."""
    known = {run.id: run for run in records}
    while wanted := {run.parent for run in known.values() if run.parent} - set(known):
        parents = runs_by_ids(connection, wanted)
        if not parents:
            break
        known |= {run.id: run for run in run_records(parents)}
    return known


def _unknown(connection: Connection, reference: str) -> str:
    known, set_names = known_names(connection, _NAMED + 1)
    if not known:
        return _none_yet(reference)
    ids = [row.id for row in known]
    meant = meant_by(
        reference, ["latest", *set_names, *ids, *(row.name for row in known if row.name)]
    )
    # Where a whole run is asked for, a variant of one cannot be had.
    colon = ". What follows a colon is a variant, which not every command takes"
    told = colon if ":" in reference and not meant else meant
    return f"there is no run {reference!r}; the newest are {_listed(ids)}{told}"


def _newest(connection: Connection) -> str:
    return f"; the newest are {_listed(newest_ids(connection, _NAMED + 1))}"


def _listed(ids: list[str]) -> str:
    more = ["..."] if len(ids) > _NAMED else []
    return ", ".join([*ids[:_NAMED], *more])
