"""The history of runs: what is kept, and how it is found again."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from callscore.errors import UnknownRun, UnusableStore
from callscore.history.addresses import store_words
from callscore.history.baselines import baselines_by_name, keep_baseline, remove_named
from callscore.history.clearing import clear_runs
from callscore.history.file_identity import identity_of
from callscore.history.finding import find_run
from callscore.history.keeping import keep_payloads, keep_rows, rows_of
from callscore.history.outcomes import side_of
from callscore.history.packing import clean_text
from callscore.history.project import commit_here
from callscore.history.recalling import add_judgement, answer_of_run, answer_to, judgement_under
from callscore.history.result_queries import (
    page_of_results,
    results_of_case,
    trials_by_evaluation,
)
from callscore.history.retrying import patient
from callscore.history.rows import (
    Bodies,
    evaluation_record,
    evaluation_row,
    run_record,
    run_records,
)
from callscore.history.run_lock import RunLock
from callscore.history.run_rows import begin_run, end_run, stored_runs
from callscore.history.server_lock import ServerLock, wait_for_turn
from callscore.history.statements import EVALUATIONS, NUMBER, add_rows, inserts_for
from callscore.history.troubles import GONE, in_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from callscore.comparing.sides import Side
    from callscore.history.clearing import Cleared
    from callscore.history.records import (
        AnswerRecord,
        Baseline,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )

__all__ = ["Store"]

# How many results are read at a time, so that a long run needs no more memory than a short one.
_PAGE = 200


class Store:
    """A history of runs in a database; threads may share it.

    Every method raises `UnusableStore` where the database cannot be used, and those that take a run
    `UnknownRun` where there is none of that id.

    Attributes:
        place: what the database is called in messages.
        path: the file of the database; None where it is no file.
        words: what a command needs to find it, see `history.addresses`.
    """

    def __init__(
        self,
        engine: Engine,
        place: str,
        path: Path | None = None,
        server: dict[str, Any] | None = None,
        named: Path | str | None = None,
    ) -> None:
        self.place = place
        self.path = path
        self.words = store_words(named)
        self._server = server
        self._file = identity_of(path)
        self._engine = engine
        self._inserts = inserts_for(engine.dialect)
        self._is_sqlite = engine.dialect.name == "sqlite"
        # The threads of a process wait for one another here; a database that is written by several
        # only lets them try again and again.
        self._turn = Lock()
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        with in_sentences(self.place):
            self._engine.dispose()

    @contextmanager
    def writing(self, *, is_alone: bool = False) -> Iterator[Connection]:
        """A transaction that writes: all of it is kept, or nothing.

        Args:
            is_alone: whether nobody else may write meanwhile. In a file nobody ever does.
        """
        with in_sentences(self.place), self._turn, self._engine.begin() as connection:
            if self._is_sqlite:
                # At once, for a transaction that begins with reading cannot always go on to write.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                wait_for_turn(connection, is_alone=is_alone)
            yield connection
        # A file that is deleted while it is open takes everything, and then is gone.
        if identity_of(self.path) != self._file:
            raise UnusableStore(self.place, GONE)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with."""
        with in_sentences(self.place), self._engine.connect() as connection:
            yield connection

    def lock(self, run: str) -> RunLock | ServerLock:
        """What keeps other processes away from a run, once it is taken."""
        return RunLock(self.path, run) if self._server is None else ServerLock(self._server, run)

    # --- runs ---------------------------------------------------------------------------------

    @patient
    def begin(self, run: RunRecord) -> RunRecord:
        """Keep that a run has begun, or that one goes on that had begun before.

        Args:
            run: the run. If there is one of the same id that began at the same time, it goes on.

        Returns:
            The run as it is kept: under another id, where another process has just taken this one.
        """
        with self.writing() as connection:
            return begin_run(connection, run)

    @patient
    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Keep what a run evaluates; in place of what was kept under the same number."""
        number = self._number(record.run)
        bodies: Bodies = {}
        row = evaluation_row(record, number, bodies)
        with self.writing() as connection:
            keep_payloads(connection, bodies)
            add_rows(connection, self._inserts.evaluation, [row])

    @patient
    def finish(
        self,
        run: str,
        status: RunStatus,
        totals: Mapping[str, Any],
        summaries: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """Keep how a run ended.

        Args:
            run: its id.
            status: whether it came to its end.
            totals: its counts, for lists of runs.
            summaries: what the results of each evaluation come to, by the number of the evaluation.
        """
        number = self._number(run)
        with self.writing() as connection:
            end_run(connection, (run, number), status, totals, summaries)

    @patient
    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The runs, the newest first."""
        with self.reading() as connection:
            return run_records(stored_runs(connection, limit))

    @patient
    def find(
        self, reference: str, *, resolve: Callable[[str], str | None] | None = commit_here
    ) -> RunRecord:
        """The run that is meant.

        Args:
            reference: `latest`, `latest~2`, the name of a baseline, an id, the name of a run, the
                beginning of an id, or what git knows a commit by.
            resolve: the commit that git knows by a reference; by default in the working directory.

        Raises:
            UnknownRun: there is no such run, or several ids begin like this.
        """
        with self.reading() as connection:
            return run_record(find_run(connection, clean_text(reference), resolve))

    @patient
    def baselines(self) -> list[Baseline]:
        """The names of the runs that others are compared with, in alphabetical order."""
        with self.reading() as connection:
            return baselines_by_name(connection)

    @patient
    def set_baseline(self, name: str, run: str) -> None:
        """Let a name mean this run from now on.

        Raises:
            InvalidSettings: the name means something else wherever a run is named.
        """
        number = self._number(run)
        with self.writing() as connection:
            keep_baseline(connection, name, number)

    def remove_baseline(self, name: str) -> bool:
        """Forget a baseline, and not its run; whether there was one."""
        # Asked before: of what is tried again, the first time may have come to its end.
        is_there = clean_text(name) in {each.name for each in self.baselines()}
        self._forget(name)
        return is_there

    @patient
    def _forget(self, baseline: str) -> None:
        with self.writing() as connection:
            remove_named(connection, baseline)

    def clear(self, keep: int, *, is_dry: bool) -> Cleared:
        """Remove all but the newest runs, and what only they have; or say what that would remove."""
        return clear_runs(self, keep, is_dry=is_dry)

    @patient
    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """What a run evaluated, in order."""
        number = self._number(run)
        with self.reading() as connection:
            found = connection.execute(EVALUATIONS, {"run": number})
            return [evaluation_record(row, run) for row in found]

    # --- results and answers ------------------------------------------------------------------

    @patient
    def keep(self, records: Iterable[AnswerRecord | ResultRecord]) -> None:
        """Keep answers and results, all of them or none.

        A result takes the place of an earlier one of the same evaluation, case and trial.
        """
        records = list(records)
        for run in {record.run for record in records if record.run}:
            self._number(run)
        rows = rows_of(records, self._numbers)
        with self.writing() as connection:
            keep_rows(connection, rows)

    def results(self, run: str, evaluation: int | None = None) -> Iterator[ResultRecord]:
        """The results of a run, or of one of its evaluations, in the order they were first written.

        They are read as they are asked for, a few at a time.
        """
        number = self._number(run)
        return self._pages(run, number, evaluation)

    @patient
    def result(
        self, run: str, case: str, trial: int | None = None, evaluation: int | None = None
    ) -> list[ResultRecord]:
        """What became of one case: in each evaluation that has it, each trial; or one of these."""
        number = self._number(run)
        with self.reading() as connection:
            return results_of_case(connection, (run, number), case, trial, evaluation)

    @patient
    def side(self, run: RunRecord, label: str, variant: str | None = None) -> Side:
        """What a run that somebody calls by this label brings to a comparison.

        A variant means its evaluations alone; `UnknownRun` where the run has no such variant.
        """
        number = self._number(run.id)
        with self.reading() as connection:
            return side_of(connection, number, run, label, variant)

    @patient
    def trials(self, run: str) -> dict[int, int]:
        """How often the cases of each evaluation of a run were asked, by its number."""
        number = self._number(run)
        with self.reading() as connection:
            return trials_by_evaluation(connection, number)

    def _pages(self, run: str, number: int, evaluation: int | None) -> Iterator[ResultRecord]:
        after = -1
        while True:
            page, after = self._page((run, number), evaluation, after)
            yield from page
            if len(page) < _PAGE:
                return

    @patient
    def _page(
        self, run: tuple[str, int], evaluation: int | None, after: int
    ) -> tuple[list[ResultRecord], int]:
        with self.reading() as connection:
            return page_of_results(connection, run, evaluation, after=after, limit=_PAGE)

    @patient
    def answer(self, question: str, source: str, trial: int) -> AnswerRecord | None:
        """The newest answer to a question, whatever run it was for."""
        with self.reading() as connection:
            return answer_to(connection, question, source, trial)

    @patient
    def answer_in(self, run: str, question: str, trial: int) -> AnswerRecord | None:
        """The answer to a question that was asked in this run."""
        number = self._number(run)
        with self.reading() as connection:
            return answer_of_run(connection, number, question, trial)

    # --- judgements ---------------------------------------------------------------------------

    @patient
    def judgement(self, key: str) -> Any | None:
        """What a judge answered, by the key it was kept under; None where it was not asked."""
        with self.reading() as connection:
            return judgement_under(connection, key)

    @patient
    def keep_judgement(self, key: str, model: str, answer: Any) -> None:
        """Keep what a judge answered."""
        with self.writing() as connection:
            add_judgement(connection, key, model, answer)

    def _number(self, run: str) -> int:
        """The number of the run of this id, which is what other rows know it by."""
        number = self._numbers.get(run)
        if number is None:
            with self.reading() as connection:
                number = connection.execute(NUMBER, {"id": clean_text(run)}).scalar()
            if number is None:
                raise UnknownRun(f"there is no run {run!r}")
            self._numbers[run] = number
        return number
