"""`Store`: the history of runs in a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from callscore.history import queries, run_queries
from callscore.history.database import Database, with_retries
from callscore.history.locks import RunLock
from callscore.history.postgres import store_arguments
from callscore.history.records import (
    AnswerRecord,
    Baseline,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    RunStatus,
    clean_text,
)
from callscore.history.rows import Bodies, evaluation_row, run_records
from callscore.history.run_metadata import resolve_commit

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.comparing.sides import Side
    from callscore.history.database import AnyConnection
    from callscore.history.run_sides import KindOf


class Store(Database):
    """The history of runs in a database.

    Methods import what only some commands need. They raise `UnusableStore` if the database cannot be
    used, and `UnknownRun` if there is no run with the given id.

    Attributes:
        command_options: the arguments with which a command finds it, see `store_arguments`.
    """

    def __init__(
        self,
        place: str,
        connect: Callable[[], AnyConnection],
        path: Path | None = None,
        named: Path | str | None = None,
    ) -> None:
        super().__init__(place, connect, path)
        self.command_options = store_arguments(named)
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lock(self, run: str) -> RunLock:
        """The lock of a run, not yet acquired."""
        return RunLock(self, run)

    # --- runs ---------------------------------------------------------------------------------

    @with_retries
    def begin(self, run: RunRecord) -> RunRecord:
        """Store a run, or update the run with this id and start time.

        Returns the run as stored: under another id if another process has just used this one.
        """
        self._numbers.pop(run.id, None)  # it may have been removed since, and begin in another row
        by_tag = [] if run.status == "running" else self._numbers_of_tags(run.id)
        with self.writing() as connection:
            begun = run_queries.begin_run(connection, run)
            run_queries.save_numbers_of_tags(connection, by_tag)
            return begun

    @with_retries
    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Store an evaluation of a run, in place of an earlier one of the same number."""
        number = self._run_number(record.run)
        bodies: Bodies = {}
        row = evaluation_row(record, number, bodies)
        with self.writing() as connection:
            queries.save_evaluation(connection, row, bodies)

    @with_retries
    def finish(
        self,
        run: str,
        status: RunStatus,
        totals: Mapping[str, Any],
        summaries: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """Store how a run ended, with its counts, and the totals of its evaluations by number."""
        number = self._run_number(run)
        by_tag = self._numbers_of_tags(run)
        with self.writing() as connection:
            run_queries.end_run(connection, (run, number), status, totals, summaries)
            run_queries.save_numbers_of_tags(connection, by_tag)

    def _numbers_of_tags(self, run: str) -> list[dict[str, Any]]:
        # Reads all results: during a transaction for writing, other processes would have to wait.
        with self.reading() as connection:
            return run_queries.numbers_of_tags(connection, run)

    @with_retries
    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The runs, the newest first."""
        with self.reading() as connection:
            return run_records(run_queries.all_runs(connection).rows[:limit])

    @with_retries
    def last_saved(self) -> str:
        """The id of the run that was added last, whatever its time; empty if there is none."""
        with self.reading() as connection:
            rows = run_queries.all_runs(connection).rows
            return str(max(rows, key=lambda row: row[0])[1]) if rows else ""

    @with_retries
    def find(
        self, reference: str, *, resolve: Callable[[str], str | None] | None = resolve_commit
    ) -> RunRecord:
        """The run that a reference means, see `find_run`.

        `resolve` finds the commit of a git reference, by default in the working directory.
        """
        from callscore.history.run_lookup import find_run

        with self.reading() as connection:
            [run] = run_records([find_run(connection, clean_text(reference), resolve)])
            return run

    @with_retries
    def request_stop(self, run: str) -> None:
        """Ask the process of a run, on any machine, to stop it as after Ctrl-C."""
        with self.writing() as connection:
            run_queries.request_stop(connection, run_queries.saved_run(connection, run))

    @with_retries
    def is_stop_requested(self, run: str) -> bool:
        """Whether a run was asked to stop since it began or was resumed."""
        with self.reading() as connection:
            return run_queries.is_stop_requested(connection, run)

    @with_retries
    def baselines(self) -> list[Baseline]:
        """The baselines, sorted by name."""
        with self.reading() as connection:
            return run_queries.all_baselines(connection)

    @with_retries
    def set_baseline(self, name: str, run: str) -> None:
        """Make a run the baseline of this name."""
        with self.writing() as connection:
            saved = run_queries.saved_run(connection, run)
            run_queries.save_baseline(connection, name, saved)

    @with_retries
    def remove_baseline(self, name: str) -> None:
        """Remove a baseline, but not its run; nothing happens if there is none of this name."""
        with self.writing() as connection:
            run_queries.delete_baseline(connection, name)

    @with_retries
    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """The evaluations of a run, in order."""
        with self.reading() as connection:
            saved = run_queries.saved_run(connection, run)
            return run_queries.evaluations_of_run(connection, saved)

    # --- results and answers ------------------------------------------------------------------

    @with_retries
    def save_results(self, records: Iterable[AnswerRecord | ResultRecord]) -> None:
        """Store answers and results, all of them or none.

        A result replaces an earlier one of the same evaluation, case and trial.
        """
        records = list(records)
        for run in {record.run for record in records if record.run}:
            self._run_number(run)
        rows = queries.rows_from(records, self._numbers)
        with self.writing() as connection:
            queries.save_rows(connection, rows)

    def results(self, run: str, evaluation: int | None = None) -> Iterator[ResultRecord]:
        """The results of a run, or of one of its evaluations, in the order of its cases.

        They are read page by page.
        """
        from callscore.history.run_results import whole_results

        return whole_results(self, run, evaluation)

    @with_retries
    def side(self, run: RunRecord, label: str, variant: str | None = None) -> Side:
        """A run, or one variant of it, as one side of a comparison, under this label; see `run_side`."""
        from callscore.history.run_sides import run_side

        with self.reading() as connection:
            saved = run_queries.saved_run(connection, run.id)
            return run_side(connection, saved, run, label, variant)

    @with_retries
    def with_cases(self, *sides: Side, kind_of: KindOf | None = None) -> tuple[Side, ...]:
        """One side with all its cases, or two with those by which they are compared; see `with_cases`."""
        from callscore.history.run_sides import with_cases

        with self.reading() as connection:
            saved = [run_queries.saved_run(connection, side.run) for side in sides]
            return with_cases(connection, saved, sides, kind_of)

    @with_retries
    def cases(self, run: str, cases: Iterable[str]) -> dict[tuple[int, str], list[ResultRecord]]:
        """The trials of some cases of a run, by the number of the evaluation and the id."""
        with self.reading() as connection:
            saved = run_queries.saved_run(connection, run)
            return queries.results_of_cases(connection, saved, cases)

    @with_retries
    def trials(self, run: str) -> dict[int, int]:
        """The highest trial of each evaluation of a run, by its number."""
        with self.reading() as connection:
            return queries.highest_trials(connection, run_queries.saved_run(connection, run))

    @with_retries
    def answer(self, question: str, source: str, trial: int) -> AnswerRecord | None:
        """The newest answer to a question in any run."""
        with self.reading() as connection:
            return queries.newest_answer(connection, question, source, trial)

    @with_retries
    def answer_of_run(self, run: str, question: str, trial: int) -> AnswerRecord | None:
        """The answer to a question that was asked in this run."""
        with self.reading() as connection:
            saved = run_queries.saved_run(connection, run)
            return queries.answer_in_run(connection, saved.number, question, trial)

    # --- judgements ---------------------------------------------------------------------------

    @with_retries
    def judgement(self, key: str) -> Any | None:
        """The stored answer of a judge; None if there is none."""
        with self.reading() as connection:
            return queries.judgement_by_key(connection, key)

    @with_retries
    def save_judgement(self, key: str, model: str, answer: Any) -> None:
        """Store an answer of a judge."""
        with self.writing() as connection:
            queries.save_judgement(connection, key, model, answer)

    def _run_number(self, run: str) -> int:
        """The row number of the run, by which other rows refer to it."""
        number = self._numbers.get(run)
        if number is None:
            with self.reading() as connection:
                number = run_queries.saved_run(connection, run).number
            self._numbers[run] = number
        return number
