"""The history of runs: what is kept, and how it is found again."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec.structs import replace
from sqlalchemy import func, insert, select, update

from callscore.errors import UnknownRun, UnusableStore
from callscore.history.finding import find_run
from callscore.history.identifiers import new_run_id
from callscore.history.keeping import keep_payloads, keep_rows, rows_of
from callscore.history.packing import clean_text, json_bytes, json_text, pack_digest
from callscore.history.rows import (
    Bodies,
    answer_record,
    evaluation_record,
    evaluation_row,
    result_record,
    run_record,
    run_row,
)
from callscore.history.statements import (
    ANSWER,
    ANSWER_IN_RUN,
    EVALUATIONS,
    JUDGEMENT,
    NUMBER,
    RESULTS,
    add_rows,
    inserts_for,
)
from callscore.history.tables import evaluations, results, runs
from callscore.history.troubles import GONE, in_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from sqlalchemy import Connection, Engine

    from callscore.history.records import (
        AnswerRecord,
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
    """

    def __init__(self, engine: Engine, place: str, path: Path | None = None) -> None:
        self.place = place
        self.path = path
        self._file = _identity(path)
        self._engine = engine
        self._inserts = inserts_for(engine.dialect)
        self._is_sqlite = engine.dialect.name == "sqlite"
        # The threads of a process wait for one another here; a database that is written by several
        # only lets them try again and again.
        self._turn = Lock()
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        with in_sentences(self.place):
            self._engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: all of it is kept, or nothing."""
        with in_sentences(self.place), self._turn, self._engine.begin() as connection:
            if self._is_sqlite:
                # At once, for a transaction that begins with reading cannot always go on to write.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with."""
        with in_sentences(self.place), self._engine.connect() as connection:
            yield connection

    # --- runs ---------------------------------------------------------------------------------

    def begin(self, run: RunRecord) -> RunRecord:
        """Keep that a run has begun, or that one goes on that had begun before.

        Args:
            run: the run. If there is one of the same id that began at the same time, it goes on.

        Returns:
            The run as it is kept: under another id, where another process has just taken this one.
        """
        with self.writing() as connection:
            known = connection.execute(select(runs).where(runs.c.id == run.id)).first()
            if known is not None and known.started_at == run.started_at:
                same = runs.c.number == known.number
                connection.execute(update(runs).where(same).values(run_row(run)))
                return run
            while known is not None:
                run = replace(run, id=new_run_id(run.started_at))
                known = connection.execute(NUMBER, {"id": run.id}).first()
            connection.execute(insert(runs).values(run_row(run)))
        return run

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Keep what a run evaluates; in place of what was kept under the same number."""
        number = self._number(record.run)
        bodies: Bodies = {}
        row = evaluation_row(record, number, bodies)
        with self.writing() as connection:
            keep_payloads(connection, bodies)
            add_rows(connection, self._inserts.evaluation, [row])

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
        ended = {"status": status, "finished_at": time(), "totals": json_text(dict(totals))}
        with self.writing() as connection:
            connection.execute(update(runs).where(runs.c.number == number).values(ended))
            for which, summary in summaries.items():
                one = (evaluations.c.run == number) & (evaluations.c.number == which)
                text = json_text(dict(summary))
                connection.execute(update(evaluations).where(one).values(summary=text))

    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The runs, the newest first."""
        with self.reading() as connection:
            newest = select(runs).order_by(runs.c.number.desc()).limit(limit)
            return [run_record(row) for row in connection.execute(newest)]

    def find(self, reference: str) -> RunRecord:
        """The run that is meant: `latest`, `latest~2`, an id, the beginning of one, or a name.

        Raises:
            UnknownRun: there is no such run, or several ids begin like this.
        """
        with self.reading() as connection:
            return run_record(find_run(connection, clean_text(reference)))

    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """What a run evaluated, in order."""
        number = self._number(run)
        with self.reading() as connection:
            found = connection.execute(EVALUATIONS, {"run": number})
            return [evaluation_record(row, run) for row in found]

    # --- results and answers ------------------------------------------------------------------

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
        # A file that is deleted while it is open takes everything, and then is gone.
        if _identity(self.path) != self._file:
            raise UnusableStore(self.place, GONE)

    def results(self, run: str, evaluation: int | None = None) -> Iterator[ResultRecord]:
        """The results of a run, or of one of its evaluations, in the order they were first written.

        They are read as they are asked for, a few at a time.
        """
        number = self._number(run)
        query = RESULTS
        if evaluation is not None:
            query = query.where(results.c.evaluation == evaluation)
        return self._pages(query, run, number)

    def trials(self, run: str) -> dict[int, int]:
        """How often the cases of each evaluation of a run were asked, by its number."""
        number = self._number(run)
        highest = (
            select(results.c.evaluation, func.max(results.c.trial).label("most"))
            .where(results.c.run == number)
            .group_by(results.c.evaluation)
        )
        with self.reading() as connection:
            return {row.evaluation: row.most for row in connection.execute(highest)}

    def _pages(self, query: Any, run: str, number: int) -> Iterator[ResultRecord]:
        after = -1
        while True:
            with self.reading() as connection:
                wanted = {"run": number, "after": after, "limit": _PAGE}
                rows = connection.execute(query, wanted).all()
                records = [result_record(row, run) for row in rows]
            yield from records
            if len(rows) < _PAGE:
                return
            after = rows[-1].number

    def answer(self, question: str, source: str, trial: int) -> AnswerRecord | None:
        """The newest answer to a question, whatever run it was for."""
        asked = {"question": pack_digest(question), "source": pack_digest(source), "trial": trial}
        with self.reading() as connection:
            row = connection.execute(ANSWER, asked).first()
            return None if row is None else answer_record(row)

    def answer_in(self, run: str, question: str, trial: int) -> AnswerRecord | None:
        """The answer to a question that was asked in this run."""
        asked = {"run": self._number(run), "question": pack_digest(question), "trial": trial}
        with self.reading() as connection:
            row = connection.execute(ANSWER_IN_RUN, asked).first()
            return None if row is None else answer_record(row)

    # --- judgements ---------------------------------------------------------------------------

    def judgement(self, key: str) -> Any | None:
        """What a judge answered, by the key it was kept under; None where it was not asked."""
        with self.reading() as connection:
            text = connection.execute(JUDGEMENT, {"key": clean_text(key)}).scalar()
            return None if text is None else msgspec.json.decode(text)

    def keep_judgement(self, key: str, model: str, answer: Any) -> None:
        """Keep what a judge answered."""
        row = {
            "key": clean_text(key),
            "model": clean_text(model),
            "answer": json_bytes(answer).decode(),
            "kept_at": time(),
        }
        with self.writing() as connection:
            add_rows(connection, self._inserts.judgement, [row])

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


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Which file stands at the path; None for none."""
    try:
        found = path and path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None
