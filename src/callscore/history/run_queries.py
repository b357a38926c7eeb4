"""The SQL over runs, their evaluations and baselines. What is read is verified, see `checksums.py`.

A run is read by its id alone, so that undamaged runs of a damaged history can be exported. Whatever
else names a run (`latest`, a name, a baseline, a commit) or lists runs reads all of them: a run that is
missing would change what such a name means.
"""

from __future__ import annotations

from operator import itemgetter
from shlex import quote
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from callscore.errors import InvalidSettings, UnknownRun
from callscore.history.checksums import DamagedHistoryError, Seal, Tally, damaged_row
from callscore.history.counting import in_case_order, numbers_by_tag
from callscore.history.database import execute, fetch_all, fetch_pages, is_sqlite
from callscore.history.queries import result_rows
from callscore.history.queries import save_baseline as save_baseline_row
from callscore.history.records import (
    Baseline,
    clean_text,
    evaluation_record,
    json_bytes,
    json_text,
    run_row,
)
from callscore.history.run_metadata import name_problem, new_run_id
from callscore.history.saved_totals import number_of_results
from callscore.history.tables import (
    ANSWER_CHECKS,
    ANSWERS,
    BASELINE_CHECKS,
    BASELINES,
    CONTENTS,
    EVALUATION_CHECKS,
    EVALUATIONS,
    RUN_CHECKS,
    RUNS,
    EvaluationRow,
    RunRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from callscore.history.checksums import RowChecks
    from callscore.history.database import AnyConnection
    from callscore.history.records import EvaluationRecord, RunRecord, RunStatus

__all__ = [
    "SavedRun",
    "SavedRuns",
    "all_baselines",
    "all_runs",
    "begin_run",
    "column_of",
    "delete_baseline",
    "end_run",
    "evaluations_of_run",
    "evaluations_of_runs",
    "forget_runs",
    "has_baseline",
    "is_dated_ahead",
    "readable_runs",
    "run_by_id",
    "save_baseline",
    "saved_run",
    "side_evaluations",
    "verify_everything",
]


_seal_of = itemgetter(
    *[RUNS.positions[name] for name in ("evaluation_count", "result_count", "seal")]
)


def column_of(row: Sequence[Any], name: str) -> Any:
    """A column of a row of `runs`."""
    return row[RUNS.positions[name]]


# --- all runs ---------------------------------------------------------------------------------


class SavedRuns(NamedTuple):
    """All runs and baselines of a history that are as they were written.

    Attributes:
        rows: the rows of the runs, with the columns of `runs`, newest first; at the end those that are
            dated in the future.
        baselines: the number of the run of each baseline, and when it was set.
        damage: what is wrong with the list of runs, so that the newest one is not known.
        baseline_damage: what is wrong with the baselines, so that a name may mean another run.
    """

    rows: list[Sequence[Any]]
    baselines: dict[str, tuple[int, float]]
    damage: DamagedHistoryError | None = None
    baseline_damage: DamagedHistoryError | None = None

    def ids(self) -> dict[int, str]:
        """The ids of the runs by the numbers of their rows."""
        return {row[0]: row[1] for row in self.rows}

    def require_runs(self) -> None:
        """Refuse a damaged list of runs."""
        if self.damage is not None:
            raise self.damage

    def require_baselines(self) -> None:
        """Refuse damaged baselines."""
        if self.baseline_damage is not None:
            raise self.baseline_damage


_ALL_RUNS = f"{RUNS.select} FROM runs"
_ALL_BASELINES = f"{BASELINES.select} FROM baselines"
_BASELINE_CHECKSUM = BASELINES.positions["checksum"]
_CONTENTS = f"{CONTENTS.select} FROM contents"


def all_runs(connection: AnyConnection) -> SavedRuns:
    """All runs and baselines; damage in any of them is refused."""
    saved = readable_runs(connection)
    saved.require_runs()
    saved.require_baselines()
    return saved


def readable_runs(connection: AnyConnection) -> SavedRuns:
    """The runs and baselines that are as they were written, and what is wrong with the others."""
    rows = fetch_all(connection, _ALL_RUNS)
    named = fetch_all(connection, _ALL_BASELINES)
    ids = {row[0]: row[1] for row in rows}
    sound, damage = _sound_rows([(row, "") for row in rows], RUN_CHECKS)
    names, baseline_damage = _sound_rows(
        [(row, str(ids.get(row[0], ""))) for row in named], BASELINE_CHECKS
    )
    kept_runs, kept_names = _contents(connection)
    if damage is None:
        damage = _list_damage(Tally.of([column_of(row, "checksum") for row in rows]), kept_runs)
    if baseline_damage is not None:
        whole = {row[1] for row in names}
        baseline_damage = _damaged_baseline(
            next(str(row[1]) for row in named if row[1] not in whole)
        )
    elif Tally.of([row[_BASELINE_CHECKSUM] for row in named]) != kept_names:
        baseline_damage = DamagedHistoryError(
            "its baselines are not those that were saved", _SET_ALL_AGAIN
        )
    sound.sort(key=_age_key, reverse=True)
    found = {row[1]: (row[0], row[2]) for row in names}
    return SavedRuns(sound, found, damage, baseline_damage)


# Seconds by which the clocks of two machines may differ.
_CLOCK_SKEW = 2.0


def is_dated_ahead(row: Sequence[Any]) -> bool:
    """Whether a run begins in the future: a clock is wrong, or its file says so."""
    started_at: float = column_of(row, "started_at")
    return started_at > time() + _CLOCK_SKEW


def _age_key(row: Sequence[Any]) -> tuple[bool, float, int]:
    """By start time: imported runs are as old as they were. Those of the future count as the oldest."""
    return not is_dated_ahead(row), column_of(row, "started_at"), row[0]


_SET_ALL_AGAIN = "Set each baseline again, or restore a copy of the history: callscore baseline set RUN --name NAME"


def _damaged_baseline(name: str) -> DamagedHistoryError:
    word = quote(name)
    return DamagedHistoryError(
        f"the baseline {name!r} is damaged, or its run is missing",
        f"Set it again, or remove it: callscore baseline set RUN --name {word}, callscore baseline"
        f" remove {word}",
    )


def _sound_rows(
    rows: Sequence[tuple[Sequence[Any], str]], checks: RowChecks
) -> tuple[list[Sequence[Any]], DamagedHistoryError | None]:
    """The rows, given with the ids of their runs, that are as they were written; and the first damage."""
    sound: list[Sequence[Any]] = []
    damage: DamagedHistoryError | None = None
    for row, run in rows:
        try:
            checks.verify(row, run)
        except DamagedHistoryError as error:
            damage = damage or error
        else:
            sound.append(row)
    return sound, damage


def _list_damage(found: Tally, kept: Tally) -> DamagedHistoryError | None:
    if found == kept:
        return None
    return DamagedHistoryError(
        f"{found.count:,} runs found, {kept.count:,} were saved"
        if found.count != kept.count
        else "its runs are not those that were saved"
    )


def _contents(connection: AnyConnection, *, for_update: bool = False) -> tuple[Tally, Tally]:
    """The recorded tallies of runs and baselines."""
    # SQLite locks the whole file instead.
    is_locking = for_update and not is_sqlite(connection)
    found = fetch_all(connection, f"{_CONTENTS} FOR UPDATE" if is_locking else _CONTENTS)
    sums = [value for row in found for value in (row[2], row[4])]
    if len(found) != 1 or not all(isinstance(each, bytes) for each in sums):
        raise damaged_row("the list of runs")
    [(_, run_count, runs_sum, baseline_count, baselines_sum)] = found
    return (
        Tally(run_count, int.from_bytes(runs_sum)),
        Tally(baseline_count, int.from_bytes(baselines_sum)),
    )


def _change_contents(
    connection: AnyConnection,
    *,
    runs: tuple[Iterable[bytes], Iterable[bytes]] = ((), ()),
    baselines: tuple[Iterable[bytes], Iterable[bytes]] = ((), ()),
) -> None:
    """Record the checksums of added and removed rows."""
    kept_runs, kept_names = _contents(connection, for_update=True)
    new_runs, new_names = kept_runs.changed(*runs), kept_names.changed(*baselines)
    values = {
        "runs": new_runs.count,
        "runs_sum": new_runs.packed,
        "baselines": new_names.count,
        "baselines_sum": new_names.packed,
    }
    execute(connection, f"UPDATE contents SET {_assignments(values)}", values)  # noqa: S608  (our names)


def _assignments(values: Iterable[str]) -> str:
    return ", ".join([f"{name} = :{name}" for name in values])


# --- one run ----------------------------------------------------------------------------------


class SavedRun(NamedTuple):
    """The row of a run: its number, its id, and what it had when it ended; None if it did not."""

    number: int
    id: str
    seal: Seal | None


_RUN_BY_ID = f"{RUNS.select} FROM runs WHERE id = :id"


def run_by_id(connection: AnyConnection, name: str) -> Any | None:
    """The row of the run of this id."""
    found = fetch_all(connection, _RUN_BY_ID, {"id": name})
    if not found:
        return None
    row = RunRow._make(found[0])
    RUN_CHECKS.verify(row)
    if row.id != name:
        raise damaged_row("the list of runs")
    return row


def saved_run(connection: AnyConnection, name: str) -> SavedRun:
    """The run of this id.

    Raises:
        UnknownRun: there is none.
    """
    row = run_by_id(connection, clean_text(name))
    if row is None:
        raise UnknownRun(f"unknown run {name!r}")
    return SavedRun(row.number, row.id, Seal.of_columns(*_seal_of(row)))


def begin_run(connection: AnyConnection, run: RunRecord) -> RunRecord:
    """Insert a run, or update the run with this id and start time; it is no longer asked to stop.

    Returns the run as stored: under another id if another process has just used this one.
    """
    existing = run_by_id(connection, clean_text(run.id))
    if existing is not None and existing.started_at == run.started_at:
        _update_run(connection, existing, run_row(run))
        execute(connection, "DELETE FROM stop_requests WHERE run = :run", {"run": existing.number})
        return run
    # Another process may insert the id between two statements.
    while existing is not None or not _insert_run(connection, run_row(run)):
        run = replace(run, id=new_run_id(run.started_at))
        existing = run_by_id(connection, run.id)
    return run


_INSERT_RUN = (
    f"INSERT INTO runs ({', '.join(RUNS.written)})"  # noqa: S608  (our names)
    f" VALUES ({', '.join([f':{name}' for name in RUNS.written])}) ON CONFLICT (id) DO NOTHING"
)


def _insert_run(connection: AnyConnection, row: dict[str, Any]) -> bool:
    """Insert a run in the current transaction; returns False if its id exists."""
    row |= _seal_columns(connection, None, row["status"])
    if not execute(connection, _INSERT_RUN, RUN_CHECKS.sign(row)):
        return False
    _change_contents(connection, runs=([row["checksum"]], []))
    return True


def _update_run(connection: AnyConnection, existing: Any, row: dict[str, Any]) -> None:
    row |= _seal_columns(connection, existing, row["status"])
    RUN_CHECKS.sign(row)
    statement = f"UPDATE runs SET {_assignments(row)} WHERE number = :number"  # noqa: S608  (our names)
    execute(connection, statement, {**row, "number": existing.number})
    _change_contents(connection, runs=([row["checksum"]], [existing.checksum]))


_EVALUATION_CHECKSUMS = "SELECT checksum FROM evaluations WHERE run = :run"
_RESULT_CHECKSUMS = "SELECT checksum FROM results WHERE run = :run"
_TAGGED_RESULTS = """
SELECT number, position, evaluation, case_id, status, passed, f1, tags FROM results
WHERE run = :run AND tags IS NOT NULL
"""


def _seal_columns(connection: AnyConnection, run: Any | None, status: str) -> dict[str, Any]:
    """The seal of a run that ends now, given its row, if it has one; none while it is running."""
    if status == "running":
        return {"evaluation_count": None, "result_count": None, "seal": None}
    if run is None:
        return Seal(Tally(), Tally()).columns()
    given = {"run": run.number}
    results = Tally()
    # Page by page, so that a long run takes no more memory than a short one.
    for rows in fetch_pages(connection, _RESULT_CHECKSUMS, _ROWS_AT_ONCE, given):
        results = results.changed([found for (found,) in rows])
    _save_numbers_by_tag(connection, run, fetch_all(connection, _TAGGED_RESULTS, given))
    evaluations = fetch_all(connection, _EVALUATION_CHECKSUMS, given)
    return Seal(Tally.of([found for (found,) in evaluations]), results).columns()


_UPDATE_BY_TAG = (
    "UPDATE evaluations SET by_tag = :by_tag, checksum = :checksum"
    " WHERE run = :run AND number = :number"
)


def _save_numbers_by_tag(connection: AnyConnection, run: Any, results: list[Any]) -> None:
    """Store the totals of each tag with the evaluations of a run that ends now, given results with tags.

    Lists of runs show them: counting them for each list would read all results.
    """
    found = numbers_by_tag([(row[2:7], row[7]) for row in in_case_order(results, 1)])
    rows = _evaluation_rows(connection, run.number, run.id)
    is_known = found is not None and found.keys() <= {row.number for row in rows}
    for row in rows:
        by_tag = json_bytes((found or {}).get(row.number, {})).decode() if is_known else None
        if by_tag != row.by_tag:
            changed = {**row._asdict(), "by_tag": by_tag}
            EVALUATION_CHECKS.sign(changed, run.id)
            names = ("run", "number", "by_tag", "checksum")
            execute(connection, _UPDATE_BY_TAG, {name: changed[name] for name in names})


_UPDATE_EVALUATION = (
    "UPDATE evaluations SET summary = :summary, checksum = :checksum"
    " WHERE run = :run AND number = :number"
)


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
    existing = run_by_id(connection, clean_text(name))
    if existing is None or existing.number != number:
        raise UnknownRun(f"the run {name} no longer exists: another process has removed it.")
    for row in _evaluation_rows(connection, existing.number, existing.id):
        if row.number in summaries:
            changed = {**row._asdict(), "summary": json_text(dict(summaries[row.number]))}
            EVALUATION_CHECKS.sign(changed, existing.id)
            names = ("run", "number", "summary", "checksum")
            execute(connection, _UPDATE_EVALUATION, {name: changed[name] for name in names})
    ended = {"status": status, "finished_at": time(), "totals": json_text(dict(totals))}
    row = {**existing._asdict(), **ended}
    del row["number"]
    _update_run(connection, existing, row)
    is_counted = status == "finished" and "answered" in totals
    counted = number_of_results(totals)
    if is_counted and counted > row["result_count"]:
        raise DamagedHistoryError(
            f"run {name}: {row['result_count']:,} results found, {counted:,} were saved"
        )


def forget_runs(connection: AnyConnection, numbers: list[int]) -> None:
    """Record that runs, and the baselines that name them, are removed."""
    gone = set(numbers)
    rows = fetch_all(connection, "SELECT number, checksum FROM runs")
    names = fetch_all(connection, "SELECT run, checksum FROM baselines")
    _change_contents(
        connection,
        runs=([], [checksum for number, checksum in rows if number in gone]),
        baselines=([], [checksum for number, checksum in names if number in gone]),
    )


# --- evaluations ------------------------------------------------------------------------------

_EVALUATION_ROWS = f"{EVALUATIONS.select} FROM evaluations WHERE run = :run ORDER BY number"
_EVALUATIONS = f"""
{EVALUATIONS.select}, payloads.body FROM evaluations
LEFT OUTER JOIN payloads ON evaluations.tools = payloads.digest
WHERE evaluations.run = :run ORDER BY evaluations.number
"""
_EVALUATIONS_OF_RUNS = (
    f"{EVALUATIONS.select} FROM evaluations WHERE run >= :low AND run <= :high ORDER BY run, number"
)


def _evaluation_rows(connection: AnyConnection, number: int, run: str) -> Sequence[Any]:
    found = fetch_all(connection, _EVALUATION_ROWS, {"run": number})
    for row in found:
        EVALUATION_CHECKS.verify(row, run)
    return [EvaluationRow(*row) for row in found]


def side_evaluations(connection: AnyConnection, run: SavedRun) -> Sequence[Any]:
    """The rows of the evaluations of a run, in order."""
    rows = _evaluation_rows(connection, run.number, run.id)
    if run.seal is not None:
        run.seal.require_evaluations(run.id, [row.checksum for row in rows])
    return rows


def evaluations_of_run(connection: AnyConnection, run: SavedRun) -> list[EvaluationRecord]:
    """The evaluations of a run, in order."""
    side_evaluations(connection, run)
    rows = fetch_all(connection, _EVALUATIONS, {"run": run.number})
    return [evaluation_record(EvaluationRow(*row), run.id) for row in rows]


def evaluations_of_runs(
    connection: AnyConnection, rows: Sequence[Sequence[Any]]
) -> dict[int, list[Any]]:
    """The rows of the evaluations of runs, given the rows of these, by the number of the run."""
    found: dict[int, list[Any]] = {row[0]: [] for row in rows}
    values = {"low": min(found, default=0), "high": max(found, default=0)}
    for row in fetch_all(connection, _EVALUATIONS_OF_RUNS, values):
        if row[0] in found:
            found[row[0]].append(row)
    for row in rows:
        checksums = [EVALUATION_CHECKS.verify(each, row[1]) for each in found[row[0]]]
        seal = Seal.of_columns(*_seal_of(row))
        if seal is not None:
            seal.require_evaluations(row[1], checksums)
    return found


# --- baselines --------------------------------------------------------------------------------


def all_baselines(connection: AnyConnection, *, is_strict: bool = True) -> list[Baseline]:
    """All baselines, sorted by name; damage is refused, unless only the others are asked for."""
    saved = readable_runs(connection)
    if is_strict:
        saved.require_baselines()
    ids = saved.ids()
    found = []
    # Sorted here: databases have different collations.
    for name, (number, set_at) in sorted(saved.baselines.items()):
        if number in ids:
            found.append(Baseline(name=name, run=ids[number], set_at=set_at))
        elif is_strict:
            saved.require_runs()
    return found


def save_baseline(connection: AnyConnection, name: str, run: SavedRun) -> bool:
    """Set a baseline: from now on the name means this run. An invalid name is refused.

    Returns whether the list of baselines is as it was written. A damaged one is replaced, so that
    a single damaged row does not close the gate for good.
    """
    fault = name_problem(name)
    if fault is not None:
        raise InvalidSettings(f"invalid baseline name {name!r}: {fault}. Use a word such as 'main'")
    row: dict[str, Any] = {"name": clean_text(name), "run": run.number, "set_at": time()}
    BASELINE_CHECKS.sign(row, run.id)
    # Of two that set one baseline at the same time, the second has to see what the first has set.
    _contents(connection, for_update=True)
    is_sound = readable_runs(connection).baseline_damage is None
    save_baseline_row(connection, row)
    _count_baselines(connection)
    return is_sound


_BASELINE_CHECKSUMS = "SELECT checksum FROM baselines WHERE name = :name"


def has_baseline(connection: AnyConnection, name: str) -> bool:
    """Whether there is a baseline of this name, damaged or not."""
    return bool(fetch_all(connection, _BASELINE_CHECKSUMS, {"name": clean_text(name)}))


def delete_baseline(connection: AnyConnection, name: str) -> None:
    """Delete a baseline."""
    _contents(connection, for_update=True)
    one = {"name": clean_text(name)}
    before = [checksum for (checksum,) in fetch_all(connection, _BASELINE_CHECKSUMS, one)]
    execute(connection, "DELETE FROM baselines WHERE name = :name", one)
    _change_contents(connection, baselines=([], before))


def _count_baselines(connection: AnyConnection) -> None:
    """Record the baselines that there are now. A damaged row stays damaged: it has its own checksum."""
    checksums = fetch_all(connection, "SELECT checksum FROM baselines")
    found = Tally.of([each if isinstance(each, bytes) else b"" for (each,) in checksums])
    values = {"baselines": found.count, "baselines_sum": found.packed}
    execute(connection, f"UPDATE contents SET {_assignments(values)}", values)  # noqa: S608  (our names)


# --- everything -------------------------------------------------------------------------------

_ROWS_AT_ONCE = 1_000


def verify_everything(connection: AnyConnection) -> None:
    """Refuse a history with any damage; this reads all rows, but no payloads."""
    saved = all_runs(connection)
    evaluations_of_runs(connection, saved.rows)
    ids = saved.ids()
    for name in ids.values():
        result_rows(connection, saved_run(connection, name))
    for rows in fetch_pages(connection, f"{ANSWERS.select} FROM answers", _ROWS_AT_ONCE):
        for row in rows:
            ANSWER_CHECKS.verify(row, "" if row[1] is None else str(ids.get(row[1])))
