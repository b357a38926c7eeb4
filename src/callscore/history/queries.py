"""All SQL over the tables of a history: functions of a connection, statements built once."""

from __future__ import annotations

from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    BindParameter,
    Column,
    Float,
    LargeBinary,
    MetaData,
    Table,
    and_,
    bindparam,
    case,
    cast,
    delete,
    except_,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from callscore.errors import InvalidSettings, UnknownRun
from callscore.history.database import (
    Insert,
    compile_insert,
    execute_compiled,
    insert_rows,
    written_columns,
)
from callscore.history.records import (
    COUNTS,
    Baseline,
    Bodies,
    EvaluationNumbers,
    NewRows,
    answer_record,
    clean_text,
    compressed,
    json_bytes,
    json_text,
    pack_digest,
    result_record,
    run_row,
)
from callscore.history.run_metadata import name_problem, new_run_id
from callscore.history.schema import (
    NEWEST_FIRST,
    answers,
    baselines,
    evaluations,
    judgements,
    payloads,
    results,
    runs,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Dialect, Row, Select

    from callscore.history.records import AnswerRecord, ResultRecord, RunRecord, RunStatus

__all__ = [
    "ANSWERS_OF_RUN",
    "ANSWERS_PER_PAGE",
    "BASELINE_NAMES",
    "BASELINE_RUN",
    "EVALUATIONS",
    "EVALUATIONS_OF_RUNS",
    "LIGHT_RESULTS",
    "RUN_NUMBER",
    "SIDE_EVALUATIONS",
    "SIDE_RESULTS",
    "all_baselines",
    "all_runs",
    "answer_in_run",
    "answered_questions",
    "baseline_numbers",
    "begin_run",
    "count_results",
    "count_runs",
    "delete_baseline",
    "delete_runs",
    "delete_unused_payloads",
    "end_run",
    "evaluation_numbers",
    "freed_payloads",
    "has_reused_answers",
    "has_tag",
    "inserts_for",
    "judgement_by_key",
    "known_names",
    "newest_answer",
    "newest_ids",
    "newest_runs",
    "page_of_results",
    "parents_in_use",
    "result_times",
    "results_by_number",
    "results_of_case",
    "run_by_id",
    "run_by_name",
    "runs_begun_at",
    "runs_by_ids",
    "runs_by_numbers",
    "runs_of_commit",
    "runs_with_prefix",
    "save_baseline",
    "save_judgement",
    "save_payloads",
    "save_rows",
    "trials_by_evaluation",
    "unused_digests",
]


# --- inserts ----------------------------------------------------------------------------------

_INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Inserts(Struct, frozen=True):
    """The INSERT statements of one database dialect.

    An existing payload is left as it is; an existing evaluation, result, judgement or baseline is
    replaced.
    """

    payload: Insert
    evaluation: Insert
    answer: Insert
    result: Insert
    judgement: Insert
    baseline: Insert


@lru_cache(maxsize=8)
def inserts_for(dialect: Dialect) -> Inserts:
    """The INSERT statements for SQLite or PostgreSQL."""
    insert: Any = _INSERTS[dialect.name]

    def adding(table: Table) -> Insert:
        return compile_insert(insert(table), table, dialect)

    def replacing(table: Table, *key: str) -> Insert:
        statement = insert(table)
        others = {
            name: statement.excluded[name] for name in written_columns(table) if name not in key
        }
        return compile_insert(
            statement.on_conflict_do_update(index_elements=key, set_=others), table, dialect
        )

    return Inserts(
        payload=compile_insert(insert(payloads).on_conflict_do_nothing(), payloads, dialect),
        evaluation=replacing(evaluations, "run", "number"),
        answer=adding(answers),
        result=replacing(results, "run", "evaluation", "case_id", "trial"),
        judgement=replacing(judgements, "key"),
        baseline=replacing(baselines, "name"),
    )


def insert_run(connection: Connection, row: dict[str, Any]) -> bool:
    """Insert a run in the current transaction; returns False if its id exists."""
    insert: Any = _INSERTS[connection.dialect.name](runs)
    adding = insert.values(row).on_conflict_do_nothing(index_elements=["id"])
    counted = adding.execution_options(preserve_rowcount=True)
    return bool(connection.execute(counted).rowcount)


RUN_NUMBER = select(runs.c.number).where(runs.c.id == bindparam("id"))

EXISTING_PAYLOADS = select(payloads.c.digest).where(
    payloads.c.digest.in_(bindparam("digests", expanding=True))
)

JUDGEMENT = select(judgements.c.answer).where(judgements.c.key == bindparam("key"))

_tool_payloads = payloads.alias("tools")
EVALUATIONS = (
    select(evaluations, _tool_payloads.c.body.label("tools_body"))
    .outerjoin(_tool_payloads, evaluations.c.tools == _tool_payloads.c.digest)
    .where(evaluations.c.run == bindparam("run"))
    .order_by(evaluations.c.number)
)


def _results_query() -> Select[Any]:
    names = ("asked_for", "answered", "called", "compared")
    asked, answered, called, compared = (payloads.alias(name) for name in names)
    return (
        select(
            results,
            asked.c.body.label("payload_body"),
            answered.c.body.label("answer_body"),
            called.c.body.label("calls_body"),
            compared.c.body.label("comparison_body"),
        )
        .outerjoin(asked, results.c.payload == asked.c.digest)
        .outerjoin(answered, results.c.answer == answered.c.digest)
        .outerjoin(called, results.c.calls == called.c.digest)
        .outerjoin(compared, results.c.comparison == compared.c.digest)
        .where(results.c.run == bindparam("run"))
    )


_results_of_run = _results_query()
RESULTS = (
    _results_of_run.where(results.c.number > bindparam("after"))
    .order_by(results.c.number)
    .limit(bindparam("limit"))
)
RESULTS_OF_CASE = _results_of_run.where(results.c.case_id == bindparam("case")).order_by(
    results.c.evaluation, results.c.trial
)

_answers_query = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .outerjoin(runs, answers.c.run == runs.c.number)
    .where(answers.c.question == bindparam("question"), answers.c.trial == bindparam("trial"))
    .order_by(answers.c.number.desc())
    .limit(1)
)
ANSWER_BY_QUESTION = _answers_query.where(answers.c.source == bindparam("source"))
ANSWER_IN_RUN = _answers_query.where(answers.c.run == bindparam("run"))


# --- results of a run -------------------------------------------------------------------------


def page_of_results(
    connection: Connection, run: tuple[str, int], evaluation: int | None, *, after: int, limit: int
) -> tuple[list[ResultRecord], int]:
    """Some results of a run, in the order they were first written, and the number of the last.

    The run is its id and number; `after` is the number of the last result of the previous page.
    """
    query = RESULTS if evaluation is None else RESULTS.where(results.c.evaluation == evaluation)
    name, number = run
    rows = connection.execute(query, {"run": number, "after": after, "limit": limit}).all()
    return [result_record(row, name) for row in rows], rows[-1].number if rows else after


def results_of_case(
    connection: Connection,
    run: tuple[str, int],
    case: str,
    trial: int | None,
    evaluation: int | None,
) -> list[ResultRecord]:
    """The results of one case of a run, ordered by evaluation and trial."""
    query = RESULTS_OF_CASE
    if trial is not None:
        query = query.where(results.c.trial == trial)
    if evaluation is not None:
        query = query.where(results.c.evaluation == evaluation)
    name, number = run
    rows = connection.execute(query, {"run": number, "case": clean_text(case)})
    return [result_record(row, name) for row in rows]


def trials_by_evaluation(connection: Connection, number: int) -> dict[int, int]:
    """The highest trial of each evaluation of a run, by the number of the evaluation."""
    query = (
        select(results.c.evaluation, func.max(results.c.trial).label("highest"))
        .where(results.c.run == number)
        .group_by(results.c.evaluation)
    )
    return {row.evaluation: row.highest for row in connection.execute(query)}


def results_by_number(
    connection: Connection, run: int, numbers: Collection[int]
) -> Sequence[Row[Any]]:
    """The results of a run with these numbers, with the bodies of their payloads."""
    query = RESULTS.where(results.c.number.in_(numbers))
    return connection.execute(query, {"run": run, "after": -1, "limit": len(numbers)}).all()


def answered_questions(connection: Connection, run: str) -> set[tuple[bytes, int]]:
    """The questions of a run that have an answer: the stored digest, and the trial."""
    query = select(answers.c.question, answers.c.trial).join(runs, answers.c.run == runs.c.number)
    rows = connection.execute(query.where(runs.c.id == run))
    return {(bytes(row[0]), row[1]) for row in rows}


def result_times(connection: Connection, run: str) -> dict[tuple[int, str, int], float]:
    """When each result of a run was written, by its evaluation, case and trial."""
    columns = (results.c.evaluation, results.c.case_id, results.c.trial, results.c.finished_at)
    query = select(*columns).join(runs, results.c.run == runs.c.number).where(runs.c.id == run)
    return {(row[0], row[1], row[2]): row[3] for row in connection.execute(query)}


# --- answers and judgements -------------------------------------------------------------------


def newest_answer(
    connection: Connection, question: str, source: str, trial: int
) -> AnswerRecord | None:
    """The newest answer to a question in any run."""
    values = {"question": pack_digest(question), "source": pack_digest(source), "trial": trial}
    row = connection.execute(ANSWER_BY_QUESTION, values).first()
    return None if row is None else answer_record(row)


def answer_in_run(
    connection: Connection, number: int, question: str, trial: int
) -> AnswerRecord | None:
    """The answer to a question that was asked in the run of this number."""
    values = {"run": number, "question": pack_digest(question), "trial": trial}
    row = connection.execute(ANSWER_IN_RUN, values).first()
    return None if row is None else answer_record(row)


def judgement_by_key(connection: Connection, key: str) -> Any | None:
    """What a judge answered; None if it was not asked."""
    text = connection.execute(JUDGEMENT, {"key": clean_text(key)}).scalar()
    return None if text is None else msgspec.json.decode(text)


def save_judgement(connection: Connection, key: str, model: str, answer: Any) -> None:
    """Store the answer of a judge, in place of an earlier one."""
    row = {
        "key": clean_text(key),
        "model": clean_text(model),
        "answer": json_bytes(answer).decode(),
        "saved_at": time(),
    }
    insert_rows(connection, inserts_for(connection.dialect).judgement, [row])


# --- runs -------------------------------------------------------------------------------------

_STORED_RUNS = select(runs).order_by(*NEWEST_FIRST)


def begin_run(connection: Connection, run: RunRecord) -> RunRecord:
    """Insert a run, or update the run with this id and start time.

    Returns the run as stored: under another id if another process has just used this one.
    """
    existing = connection.execute(select(runs).where(runs.c.id == run.id)).first()
    if existing is not None and existing.started_at == run.started_at:
        same = runs.c.number == existing.number
        connection.execute(update(runs).where(same).values(run_row(run)))
        return run
    # Another process may insert the id between two statements.
    while existing is not None or not insert_run(connection, run_row(run)):
        run = replace(run, id=new_run_id(run.started_at))
        existing = connection.execute(RUN_NUMBER, {"id": run.id}).first()
    return run


def end_run(
    connection: Connection,
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
    ended = {"status": status, "finished_at": time(), "totals": json_text(dict(totals))}
    is_it = (runs.c.number == number) & (runs.c.id == clean_text(name))
    if not connection.execute(update(runs).where(is_it).values(ended)).rowcount:
        raise UnknownRun(f"the run {name} no longer exists: another process has removed it.")
    for which, summary in summaries.items():
        one = (evaluations.c.run == number) & (evaluations.c.number == which)
        text = json_text(dict(summary))
        connection.execute(update(evaluations).where(one).values(summary=text))


def all_runs(
    connection: Connection, limit: int | None = None, offset: int | None = None
) -> Sequence[Row[Any]]:
    """The runs, newest first."""
    return connection.execute(_STORED_RUNS.offset(offset).limit(limit)).all()


def count_runs(connection: Connection) -> int:
    """The number of runs."""
    return connection.execute(select(func.count()).select_from(runs)).scalar_one()


def run_by_id(connection: Connection, name: str) -> Row[Any] | None:
    """The run of this id."""
    return connection.execute(_STORED_RUNS.limit(1).where(runs.c.id == name)).first()


def run_by_name(connection: Connection, name: str) -> Row[Any] | None:
    """The newest run of this name."""
    return connection.execute(_STORED_RUNS.limit(1).where(runs.c.name == name)).first()


def runs_by_ids(connection: Connection, ids: Collection[str]) -> Sequence[Row[Any]]:
    """The runs of these ids."""
    return connection.execute(select(runs).where(runs.c.id.in_(ids))).all()


def runs_by_numbers(connection: Connection, numbers: Collection[int]) -> Sequence[Row[Any]]:
    """The number, id and status of each of these runs that exists."""
    query: Select[Any] = select(runs.c.number, runs.c.id, runs.c.status)
    query = query.where(runs.c.number.in_(_LITERAL_NUMBERS))
    return connection.execute(query, {"numbers": list(numbers)}).all()


def runs_with_prefix(connection: Connection, prefix: str, limit: int) -> list[Row[Any]]:
    """The runs whose ids begin with the prefix, newest first."""
    alike = _STORED_RUNS.where(runs.c.id.startswith(prefix, autoescape=True)).limit(limit)
    # LIKE ignores the case of letters in some databases.
    return [row for row in connection.execute(alike) if row.id.startswith(prefix)]


def runs_of_commit(connection: Connection, commit: str) -> Sequence[Row[Any]]:
    """The finished runs of a commit, the newest first."""
    finished = _STORED_RUNS.where(runs.c.git_commit == commit, runs.c.status == "finished")
    return connection.execute(finished).all()


def runs_begun_at(connection: Connection, started_at: float) -> Sequence[Row[Any]]:
    """The runs that began at just this moment, in the order in which they were written."""
    query = select(runs).where(runs.c.started_at == started_at).order_by(runs.c.number)
    return connection.execute(query).all()


def newest_ids(connection: Connection, limit: int) -> list[str]:
    """The ids of the newest runs."""
    ids = select(runs.c.id).order_by(*NEWEST_FIRST).limit(limit)
    return list(connection.execute(ids).scalars())


def known_names(connection: Connection, limit: int) -> tuple[list[Row[Any]], list[str]]:
    """The ids and the names of the newest runs, and the names of all baselines."""
    names = select(runs.c.id, runs.c.name).order_by(*NEWEST_FIRST).limit(limit)
    set_names = connection.execute(select(baselines.c.name)).scalars()
    return list(connection.execute(names)), list(set_names)


def baseline_numbers(connection: Connection) -> set[int]:
    """The numbers of the runs that are baselines."""
    return set(connection.execute(select(baselines.c.run)).scalars())


# --- baselines --------------------------------------------------------------------------------

_ALL_BASELINES = select(baselines.c.name, runs.c.id, baselines.c.set_at).join(
    runs, baselines.c.run == runs.c.number
)
BASELINE_RUN = (
    select(runs)
    .join(baselines, baselines.c.run == runs.c.number)
    .where(baselines.c.name == bindparam("name"))
)


def all_baselines(connection: Connection) -> list[Baseline]:
    """All baselines, sorted by name."""
    # Sorted here: databases have different collations.
    rows = sorted(connection.execute(_ALL_BASELINES).all(), key=lambda row: str(row.name))
    return [Baseline(name=row.name, run=row.id, set_at=row.set_at) for row in rows]


def save_baseline(connection: Connection, name: str, number: int) -> None:
    """Set a baseline: from now on the name means this run. An invalid name is refused."""
    fault = name_problem(name)
    if fault is not None:
        raise InvalidSettings(f"invalid baseline name {name!r}: {fault}. Use a word such as 'main'")
    row = {"name": clean_text(name), "run": number, "set_at": time()}
    insert_rows(connection, inserts_for(connection.dialect).baseline, [row])


def delete_baseline(connection: Connection, name: str) -> bool:
    """Delete a baseline; returns whether it existed."""
    deleted = connection.execute(delete(baselines).where(baselines.c.name == clean_text(name)))
    return deleted.rowcount > 0


# --- writing answers, results and payloads ----------------------------------------------------

# Far below the number of values that databases accept in one statement.
_DIGESTS_PER_QUERY = 500


def save_rows(connection: Connection, rows: NewRows) -> None:
    """Insert all rows in the current transaction."""
    answers, results, bodies = rows
    inserts = inserts_for(connection.dialect)
    save_payloads(connection, bodies)
    insert_rows(connection, inserts.answer, answers)
    insert_rows(connection, inserts.result, results)


def save_payloads(connection: Connection, bodies: Bodies) -> None:
    """Insert the payloads that do not exist yet.

    A query first is faster than compressing payloads that exist already. It runs in the transaction
    that writes the references, so that no cleanup can remove them in between.
    """
    digests = sorted(bodies)  # in one order, so that concurrent writers cannot deadlock
    existing: set[bytes] = set()
    for start in range(0, len(digests), _DIGESTS_PER_QUERY):
        values = {"digests": digests[start : start + _DIGESTS_PER_QUERY]}
        existing.update(map(bytes, connection.execute(EXISTING_PAYLOADS, values).scalars()))
    new = [
        {"digest": digest, "body": compressed(bodies[digest])}
        for digest in digests
        if digest not in existing
    ]
    insert_rows(connection, inserts_for(connection.dialect).payload, new)


# --- sides of comparisons, light results, exports ---------------------------------------------

_SIDE_COLUMNS = ("number", "name", "variant", "place", "settings", "scorers", "summary")
SIDE_EVALUATIONS = (
    select(*[evaluations.c[name] for name in _SIDE_COLUMNS])
    .where(evaluations.c.run == bindparam("run"))
    .order_by(evaluations.c.number)
)

# Only the columns that a comparison reads: no payloads.
_OUTCOME_COLUMNS = (
    *("evaluation", "case_id", "trial", "tags", "expectation", "asked", "status", "passed", "f1"),
    *("scores", "forbidden", "faults", "tools", "made", "failure"),
)
# Results of files have no position: they are written in the order of the cases.
_IN_CASE_ORDER = (func.coalesce(results.c.position, results.c.number), results.c.number)
SIDE_RESULTS = (
    select(*[results.c[name] for name in _OUTCOME_COLUMNS])
    .where(results.c.run == bindparam("run"))
    .order_by(*_IN_CASE_ORDER)
)
LIGHT_COLUMNS = (
    *("run", "number", "evaluation", "case_id", "trial", "status", "passed", "seconds"),
    *("requests", "input_tokens", "output_tokens", "attempts", "is_reused"),
    *("failure_kind", "failure", "scores", "tools"),
)
LIGHT_RESULTS = (
    select(*[results.c[name] for name in (*LIGHT_COLUMNS, *COUNTS)])
    .join(runs, results.c.run == runs.c.number)
    .where(runs.c.id == bindparam("id"))
    .order_by(*_IN_CASE_ORDER)
)

ANSWERS_PER_PAGE = 200
ANSWERS_OF_RUN: Select[Any] = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .join(runs, answers.c.run == runs.c.number)
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .where(runs.c.id == bindparam("run"), answers.c.number > bindparam("after"))
    .order_by(answers.c.number)
    .limit(ANSWERS_PER_PAGE)
)

# --- lists of runs ----------------------------------------------------------------------------

_RUN_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True)

# The value of LIMIT for all rows.
_NO_LIMIT = 2**31 - 1
# The number of values that every SQLite accepts in one statement.
_MAX_VALUES = 900

_NEWEST_RUNS = select(runs).order_by(*NEWEST_FIRST).limit(bindparam("limit"))
BASELINE_NAMES = select(baselines.c.run, baselines.c.name)
_LISTED_COLUMNS = ("run", "number", "name", "variant", "place", "summary")
EVALUATIONS_OF_RUNS = (
    select(*[evaluations.c[name] for name in _LISTED_COLUMNS])
    .where(evaluations.c.run >= bindparam("low"), evaluations.c.run <= bindparam("high"))
    .order_by(evaluations.c.run, evaluations.c.number)
)


def has_tag(connection: Connection, tag: str) -> ColumnElement[bool]:
    """Whether a case has a tag, by a text search that every database can do."""
    position = func.instr if connection.dialect.name == "sqlite" else func.strpos
    text = json_bytes(tag).decode()
    # First in the list, or after another tag: a quote inside a tag has a backslash.
    return or_(position(results.c.tags, f"[{text}") == 1, position(results.c.tags, f'",{text}') > 0)


def newest_runs(
    connection: Connection, limit: int | None, tagged: ColumnElement[bool] | None
) -> Sequence[Any]:
    """The newest runs; if a tag is given, only those with such a case."""
    values = {"limit": _NO_LIMIT if limit is None else limit}
    if tagged is None:
        return execute_compiled(connection, _NEWEST_RUNS, values).cursor.fetchall()
    has_case = select(results.c.number).where(results.c.run == runs.c.number, tagged).exists()
    return connection.execute(_NEWEST_RUNS.where(has_case), values).all()


def evaluation_numbers(
    connection: Connection, numbers: list[int], tagged: ColumnElement[bool] | None
) -> dict[tuple[int, int], EvaluationNumbers]:
    """The totals of each evaluation of the runs, counted in the database."""
    if not numbers:
        return {}
    is_error = results.c.status == "error"
    is_decided = or_(is_error, results.c.passed.is_not(None))
    has_passed = and_(results.c.passed.is_(True), ~is_error)
    has_score = and_(results.c.f1.is_not(None), ~is_error)
    of_case = (
        select(
            results.c.run,
            results.c.evaluation,
            _count_if(is_decided).label("decided"),
            _count_if(has_passed).label("passed"),
            _count_if(is_error).label("errors"),
            func.count().label("trials"),
            func.sum(case((has_score, results.c.f1), else_=0.0)).label("f1"),
            _count_if(has_score).label("scored"),
        )
        .where(results.c.run.in_(_RUN_NUMBERS))
        .group_by(results.c.run, results.c.evaluation, results.c.case_id)
    )
    cases = (of_case if tagged is None else of_case.where(tagged)).subquery()
    share = cast(cases.c.passed, Float) / func.nullif(cases.c.decided, 0)
    totals = select(
        cases.c.run,
        cases.c.evaluation,
        func.count().label("cases"),
        _count_if(cases.c.decided > 0).label("decided"),
        func.sum(cases.c.trials).label("trials"),
        func.sum(cases.c.passed).label("passed"),
        func.sum(cases.c.errors).label("errors"),
        func.avg(share).label("share"),
        func.sum(cases.c.f1).label("f1"),
        func.sum(cases.c.scored).label("scored"),
    ).group_by(cases.c.run, cases.c.evaluation)
    return {
        (row.run, row.evaluation): _numbers_from_row(row)
        for start in range(0, len(numbers), _MAX_VALUES)
        for row in connection.execute(totals, {"numbers": numbers[start : start + _MAX_VALUES]})
    }


def _count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _numbers_from_row(row: Any) -> EvaluationNumbers:
    # Some databases return sums of integers as another type.
    trials, errors, scored = int(row.trials), int(row.errors), int(row.scored)
    has_f1 = scored or errors == trials  # else the answers have no scores
    return EvaluationNumbers(
        cases=int(row.cases),
        trials=trials,
        decided=int(row.decided),
        answered=trials - errors,
        passed=int(row.passed),
        share=None if row.share is None else float(row.share),
        f1=float(row.f1) / (scored + errors) if has_f1 else None,
        errors=errors,
    )


# --- cleanup ----------------------------------------------------------------------------------

# Numbers are part of the statement: there may be more than a database accepts as values.
_LITERAL_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True, literal_execute=True)
_ALL_REMOVED: BindParameter[int] = bindparam("all_removed", expanding=True, literal_execute=True)

# Columns that refer to payloads.
_PAYLOAD_COLUMNS = (
    results.c.payload,
    results.c.answer,
    results.c.calls,
    results.c.comparison,
    evaluations.c.tools,
    answers.c.answer,
)

_unused_payloads = Table(
    "callscore_unused",
    MetaData(),
    Column("digest", LargeBinary(16), primary_key=True),
    prefixes=["TEMPORARY"],
)


def count_results(connection: Connection, numbers: list[int]) -> int:
    """The number of results of the runs."""
    query = select(func.count()).select_from(results).where(results.c.run.in_(_LITERAL_NUMBERS))
    return connection.execute(query, {"numbers": numbers}).scalar_one()


def freed_payloads(connection: Connection, numbers: list[int]) -> tuple[int, int]:
    """The number and total size of the payloads that only these runs refer to."""
    freed = _unreferenced_payloads(_LITERAL_NUMBERS).subquery()
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).join_from(
        freed, payloads, freed.c.digest == payloads.c.digest
    )
    count, size = connection.execute(sizes, {"numbers": numbers}).one()
    return count, int(size or 0)


def unused_digests(connection: Connection) -> list[bytes]:
    """The digests of unreferenced payloads."""
    return list(map(bytes, connection.execute(_unreferenced_payloads()).scalars()))


def _unreferenced_payloads(removed: Any = None) -> Any:
    """The digests of payloads that are unreferenced once these runs are removed."""
    referring = [select(column).where(column.is_not(None)) for column in _PAYLOAD_COLUMNS]
    if removed is not None:
        referring = [
            query.where(_is_kept(column.table, removed))
            for query, column in zip(referring, _PAYLOAD_COLUMNS, strict=True)
        ]
    return except_(select(payloads.c.digest), *referring)


def _is_kept(table: Any, removed: Any) -> Any:
    """Whether a row remains when runs are removed."""
    is_of_other_run = table.c.run.not_in(removed)
    if table is answers:
        return or_(answers.c.run.is_(None), is_of_other_run, _is_reused(removed))
    return is_of_other_run


def _is_reused(removed: Any) -> Any:
    """Whether a remaining run reuses an answer instead of asking again."""
    return answers.c.question.in_(_reused_questions(removed))


def _reused_questions(removed: Any) -> Any:
    return select(results.c.question).where(results.c.is_reused, results.c.run.not_in(removed))


def has_reused_answers(connection: Connection, removed: list[int]) -> bool:
    """Whether a remaining run reuses any answer."""
    query = _reused_questions(_LITERAL_NUMBERS).limit(1)
    return connection.execute(query, {"numbers": removed}).first() is not None


def parents_in_use(connection: Connection, removed: dict[str, int]) -> set[int]:
    """The runs whose answers a remaining run scores again."""
    children = select(runs.c.number, runs.c.parent).where(runs.c.parent.in_(list(removed)))
    numbers = set(removed.values())
    rows = connection.execute(children)
    return {removed[row.parent] for row in rows if row.number not in numbers}


def delete_runs(connection: Connection, numbers: list[int], all_removed: list[int] | None) -> int:
    """Delete runs; returns the number of their results.

    `all_removed` are all runs of this cleanup, if others may reuse their answers.
    """
    values = {"numbers": numbers}
    unwanted = delete(answers).where(answers.c.run.in_(_LITERAL_NUMBERS))
    if all_removed is None:
        connection.execute(unwanted, values)
    else:
        unused = unwanted.where(~_is_reused(_ALL_REMOVED))
        connection.execute(unused, values | {"all_removed": all_removed})
    deleted = connection.execute(delete(results).where(results.c.run.in_(_LITERAL_NUMBERS)), values)
    connection.execute(delete(runs).where(runs.c.number.in_(_LITERAL_NUMBERS)), values)
    return deleted.rowcount


def delete_unused_payloads(connection: Connection, digests: list[bytes]) -> tuple[int, int]:
    """Delete payloads that are still unreferenced; returns their number and total size."""
    _unused_payloads.create(connection)
    connection.execute(insert(_unused_payloads), [{"digest": digest} for digest in digests])
    candidates = select(_unused_payloads.c.digest)
    for column in _PAYLOAD_COLUMNS:
        used = select(column).where(column.in_(candidates))
        connection.execute(delete(_unused_payloads).where(_unused_payloads.c.digest.in_(used)))
    unused = payloads.c.digest.in_(candidates)
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).where(unused)
    count, size = connection.execute(sizes).one()
    connection.execute(delete(payloads).where(unused))
    _unused_payloads.drop(connection)
    return count, int(size or 0)
