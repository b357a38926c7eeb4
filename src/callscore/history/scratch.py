"""A history in a temporary file: runs that are looked at before they are saved, or forgotten."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.history.connections import file_connections
from callscore.history.database import readable_errors
from callscore.history.store import Store
from callscore.history.table_versions import ensure_tables

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.records import RunRecord

_BATCH = 500


class ScratchStore(Store):
    """A history in a file of its own, beside another one, whose judgements it has.

    What a judge answers is saved in the other history, which pays for each answer once.

    Args:
        path: the file; it is created if it does not exist.
        origin: the other history.
    """

    def __init__(self, path: Path, origin: Store) -> None:
        is_new = not path.exists()
        connections = file_connections(path)
        if is_new:
            with readable_errors(origin.place), connections.writing() as connection:
                ensure_tables(connection, origin.place)
        super().__init__(connections, origin.place, path)
        self.command_options = origin.command_options
        self._origin = origin

    def judgement(self, key: str) -> Any | None:
        """The saved answer of a judge; None if there is none."""
        return self._origin.judgement(key)

    def save_judgement(self, key: str, model: str, answer: Any) -> None:
        """Save an answer of a judge."""
        self._origin.save_judgement(key, model, answer)


def copy_run(source: Store, target: Store, run: RunRecord) -> RunRecord:
    """Copy a run to another history; returns it as it is there.

    It gets another id if the history has a run of this id. Answers that other runs could reuse are not
    copied.
    """
    begun = target.begin(replace(run, status="running", finished_at=None))
    with target.lock(begun.id):  # marks the run as active
        evaluations = source.evaluations(run.id)
        for record in evaluations:
            target.add_evaluation(replace(record, run=begun.id))
        results = (replace(record, run=begun.id) for record in source.results(run.id))
        while batch := list(islice(results, _BATCH)):
            target.save_results(batch)
        status = "interrupted" if run.status == "running" else run.status
        summaries = {record.number: record.summary for record in evaluations}
        target.finish(begun.id, status, run.totals, summaries)
    return target.find(begun.id, resolve=None)
