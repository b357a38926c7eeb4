"""The SQL over runs, their evaluations and baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from callscore.errors import InvalidSettings, UnknownRun
from callscore.history.counting import numbers_by_tag
from callscore.history.database import (
    DamagedHistoryError,
    execute,
    fetch_all,
    insert_into,
    insert_rows,
)
from callscore.history.queries import counted_results
from callscore.history.records import (
    Baseline,
    EvaluationRecord,
    RunRecord,
    RunStatus,
    clean_text,
    json_bytes,
)
from callscore.history.rows import evaluation_record, json_text, run_row
from callscore.history.run_metadata import name_problem, new_run_id
from callscore.history.saved_totals import number_of_results
from callscore.history.tables import (
    BASELINES,
    EVALUATIONS,
    RUNS,
    STOP_REQUESTS,
    EvaluationRow,
    RunRow,
)

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection


# --- all runs ---------------------------------------------------------------------------------


class SavedRuns(NamedTuple):
    """All runs and baselines of a history.

    Attributes:
        rows: the rows of the runs, with the columns of `runs`, newest first; at the end those that are
            dated in the future.
        baselines: the number of the run of each baseline, and when it was set.
    """

    rows: list[Any]
    baselines: dict[str, tuple[int, float]]


def all_runs(connection: AnyConnection) -> SavedRuns:
    """All runs and baselines."""
    found = map(RunRow._make, fetch_all(connection, f"{RUNS.select} FROM runs"))
    # By start time: imported runs are as old as they were. Those of the future count as the oldest.
    rows = sorted(
        found, reverse=True, key=lambda row: (not is_dated_ahead(row), row.started_at, row.number)
    )
    named = fetch_all(connection, "SELECT name, run, set_at FROM baselines")
    return SavedRuns(rows, {name: (number, set_at) for name, number, set_at in named})


# Seconds by which the clocks of two machines may differ.
_CLOCK_SKEW = 2.0


def is_dated_ahead(row: Any) -> bool:
    """Whether a run begins in the future: a clock is wrong, or its file says so."""
    return bool(row.started_at > time() + _CLOCK_SKEW)


# --- one run ----------------------------------------------------------------------------------


class SavedRun(NamedTuple):
    """A run: the number of its row, its id, and how many evaluations and results it had when it ended.

    The counts are None while it runs, or if its process was killed.
    """

    number: int
    id: str
    evaluation_count: int | None = None
    result_count: int | None = None

    def require_evaluations(self, found: int) -> None:
        """Refuse another number of evaluations than it had."""
        self._require("evaluations", self.evaluation_count, found)

    def require_results(self, found: int) -> None:
        """Refuse another number of results than it had."""
        self._require("results", self.result_count, found)

    def _require(self, what: str, saved: int | None, found: int) -> None:
        if saved is not None and found != saved:
            raise DamagedHistoryError(
                f"run {self.id}: {found:,} {what} found, {saved:,} were saved"
            )


def run_by_id(connection: AnyConnection, name: str) -> Any | None:
    """The row of the run of this id."""
    found = fetch_all(connection, f"{RUNS.select} FROM runs WHERE id = ?", [clean_text(name)])
    return RunRow._make(found[0]) if found else None


def saved_run(connection: AnyConnection, name: str, number: int | None = None) -> SavedRun:
    """The run of this id, as it is now; in the row of this number, if one is given.

    Raises:
        UnknownRun: there is none, or it was removed; another run may have its id by now.
    """
    row = _row_of(connection, name, number)
    return SavedRun(row.number, row.id, row.evaluation_count, row.result_count)


def _row_of(connection: AnyConnection, name: str, number: int | None) -> Any:
    row = run_by_id(connection, name)
    if row is not None and number in (None, row.number):
        return row
    if number is None:
        raise UnknownRun(f"unknown run {name!r}")
    raise UnknownRun(f"the run {name} no longer exists: another process has removed it.")


def begin_run(connection: AnyConnection, run: RunRecord) -> RunRecord:
    """Insert a run, or update the run with this id and start time; it is no longer asked to stop.

    Returns the run as stored: under another id if another process has just used this one.
    """
    existing = run_by_id(connection, run.id)
    if existing is not None and existing.started_at == run.started_at:
        _update_run(connection, existing.number, run_row(run))
        execute(connection, "DELETE FROM stop_requests WHERE run = ?", [existing.number])
        return run
    # Another process may insert the id between two statements.
    insert = insert_into(RUNS, conflict=())
    while existing is not None or not execute(
        connection, insert, [*map(run_row(run).get, RUNS.written)]
    ):
        run = replace(run, id=new_run_id(run.started_at))
        existing = run_by_id(connection, run.id)
    return run


def _update_run(connection: AnyConnection, number: int, row: dict[str, Any]) -> int:
    """Store a run in its row, and what it has if it ends now; returns the number of its results."""
    values = {**_NO_COUNTS, **row}
    if row["status"] != "running":
        for name in _NO_COUNTS:
            table = f"{name.removesuffix('_count')}s"
            query = f"SELECT count(*) FROM {table} WHERE run = ?"  # noqa: S608  (our names)
            [(values[name],)] = fetch_all(connection, query, [number])
    assigned = ", ".join([f"{name} = :{name}" for name in values])
    statement = f"UPDATE runs SET {assigned} WHERE number = :number"  # noqa: S608  (our names)
    execute(connection, statement, {**values, "number": number})
    return values["result_count"] or 0


_NO_COUNTS = {"evaluation_count": None, "result_count": None}


def numbers_of_tags(connection: AnyConnection, run: str) -> list[dict[str, Any]]:
    """The totals of each tag, as they are stored with the evaluations of a run that ends now.

    Lists of runs show them: counting them for each list would read all results.
    """
    row = run_by_id(connection, run)
    if row is None:
        return []
    saved = SavedRun(row.number, row.id)
    found = numbers_by_tag(counted_results(connection, saved))
    # Without their tools: a run ends also if payloads are damaged.
    every = fetch_all(connection, "SELECT number FROM evaluations WHERE run = ?", [row.number])
    numbers = [number for (number,) in every]
    is_known = found is not None and found.keys() <= set(numbers)
    return [
        {
            "run": row.number,
            "number": number,
            "by_tag": json_bytes((found or {}).get(number, {})).decode() if is_known else None,
        }
        for number in numbers
    ]


def save_numbers_of_tags(connection: AnyConnection, found: Iterable[dict[str, Any]]) -> None:
    """Store what `numbers_of_tags` found."""
    update = "UPDATE evaluations SET by_tag = :by_tag WHERE run = :run AND number = :number"
    for given in found:
        execute(connection, update, given)


def end_run(
    connection: AnyConnection,
    run: tuple[str, int],
    status: RunStatus,
    totals: Mapping[str, Any],
    summaries: Mapping[int, Mapping[str, Any]],
) -> None:
    """Store how a run ended, and the summaries of its evaluations.

    Raises:
        UnknownRun: it was removed; another run may have its number by now.
    """
    name, number = run
    existing = _row_of(connection, name, number)
    update = "UPDATE evaluations SET summary = ? WHERE run = ? AND number = ?"
    for evaluation, summary in summaries.items():
        execute(connection, update, [json_text(dict(summary)), number, evaluation])
    ended = {"status": status, "finished_at": time(), "totals": json_text(dict(totals))}
    row = {**existing._asdict(), **_NO_COUNTS, **ended}
    del row["number"]
    saved = _update_run(connection, number, row)
    if status == "finished" and "answered" in totals and number_of_results(totals) > saved:
        raise DamagedHistoryError(
            f"run {name}: {saved:,} results found, {number_of_results(totals):,} were saved"
        )


def request_stop(connection: AnyConnection, run: SavedRun) -> None:
    """Note that a run shall stop, until it begins again."""
    insert_rows(connection, insert_into(STOP_REQUESTS, conflict=()), [(run.number, time())])


def is_stop_requested(connection: AnyConnection, run: str) -> bool:
    """Whether the run of this id shall stop."""
    query = (
        "SELECT 1 FROM stop_requests JOIN runs ON runs.number = stop_requests.run WHERE runs.id = ?"
    )
    return bool(fetch_all(connection, query, [run]))


# --- evaluations ------------------------------------------------------------------------------

_EVALUATIONS = f"""
{EVALUATIONS.select}, payloads.body FROM evaluations
LEFT OUTER JOIN payloads ON evaluations.tools = payloads.digest
WHERE evaluations.run = ? ORDER BY evaluations.number
"""


def evaluation_rows(connection: AnyConnection, run: SavedRun) -> list[Any]:
    """The rows of the evaluations of a run, in order, with the definitions of their tools."""
    rows = fetch_all(connection, _EVALUATIONS, [run.number])
    run.require_evaluations(len(rows))
    return [EvaluationRow(*row) for row in rows]


def evaluations_of_run(connection: AnyConnection, run: SavedRun) -> list[EvaluationRecord]:
    """The evaluations of a run, in order."""
    return [evaluation_record(row, run.id) for row in evaluation_rows(connection, run)]


def evaluations_of_runs(connection: AnyConnection, rows: Sequence[Any]) -> dict[int, list[Any]]:
    """The rows of the evaluations of runs, given the rows of these, by the number of the run."""
    found: dict[int, list[Any]] = {row.number: [] for row in rows}
    query = f"{EVALUATIONS.select} FROM evaluations WHERE run BETWEEN ? AND ? ORDER BY run, number"
    limits = [min(found, default=0), max(found, default=0)]
    for row in starmap(EvaluationRow, fetch_all(connection, query, limits)):
        if row.run in found:
            found[row.run].append(row)
    return found


# --- baselines --------------------------------------------------------------------------------


def all_baselines(connection: AnyConnection) -> list[Baseline]:
    """All baselines, sorted by name."""
    rows = fetch_all(connection, _BASELINES_WITH_RUNS)
    # Sorted here: databases have different collations.
    return [Baseline(name=name, run=run, set_at=set_at) for name, run, set_at in sorted(rows)]


_BASELINES_WITH_RUNS = """
SELECT baselines.name, runs.id, baselines.set_at FROM baselines
JOIN runs ON runs.number = baselines.run
"""


def save_baseline(connection: AnyConnection, name: str, run: SavedRun) -> None:
    """Set a baseline: from now on the name means this run. An invalid name is refused."""
    fault = name_problem(name)
    if fault is not None:
        raise InvalidSettings(f"invalid baseline name {name!r}: {fault}. Use a word such as 'main'")
    insert = insert_into(BASELINES, conflict=("name",))
    insert_rows(connection, insert, [(run.number, clean_text(name), time())])


def delete_baseline(connection: AnyConnection, name: str) -> None:
    """Delete a baseline."""
    execute(connection, "DELETE FROM baselines WHERE name = ?", [clean_text(name)])
