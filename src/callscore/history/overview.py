"""The runs of a history with the numbers that a list of them shows, read in a few queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from sqlalchemy import BindParameter, Float, and_, bindparam, case, cast, func, or_, select

from callscore.core.statistics import Interval, wilson
from callscore.history.packing import json_bytes
from callscore.history.records import RunRecord
from callscore.history.retrying import patient
from callscore.history.rows import run_records
from callscore.history.statements import prepared
from callscore.history.tables import NEWEST_FIRST, baselines, evaluations, results, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from callscore.history.store import Store

    Fits = Callable[[Sequence[str]], bool]

__all__ = ["EvaluationLine", "RunLine", "Tally", "overview"]

_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True)

# A limit that is none.
_ALL = 2**31 - 1

_NEWEST = select(runs).order_by(*NEWEST_FIRST).limit(bindparam("limit"))
_BASELINES = select(baselines.c.run, baselines.c.name)
_SUITES = (
    select(
        evaluations.c.run,
        evaluations.c.number,
        evaluations.c.name,
        evaluations.c.variant,
        evaluations.c.place,
        evaluations.c.summary,
    )
    .where(evaluations.c.run >= bindparam("low"), evaluations.c.run <= bindparam("high"))
    .order_by(evaluations.c.run, evaluations.c.number)
)


class Tally(Struct, frozen=True, gc=False, kw_only=True, rename={"share": "passed_share"}):
    """What the cases of an evaluation come to.

    Attributes:
        cases: how many cases there is a decision on: a scorer has a number, or there is no answer.
        answered: how many answers there are; a case counts once a trial.
        passed: how many of these passed.
        share: the mean over the cases of the share of their trials that passed; one without an
            answer did not. None without cases.
        f1: the mean over the cases of the mean score of their trials; one without an answer is
            worth 0. None where no answer has a score.
        errors: how many trials have no answer.
    """

    cases: int
    answered: int
    passed: int
    share: float | None
    f1: float | None
    errors: int

    @property
    def interval(self) -> Interval | None:
        """The 95 % Wilson interval of the share; the trials of a case count as one observation."""
        return None if self.share is None else wilson(self.share * self.cases, self.cases)


# An evaluation says what it comes to in the same words.
_tally_in = msgspec.json.Decoder(Tally).decode
_NOTHING = Tally(cases=0, answered=0, passed=0, share=None, f1=None, errors=0)


class EvaluationLine(Struct, frozen=True, gc=False):
    """An evaluation of a run, under one variant.

    Attributes:
        name: what it is called.
        variant: the variant; None where there is only one way to run it.
        place: the file that it stands in, and its name there.
        tally: what its cases come to, or those with a tag.
    """

    name: str
    variant: str | None = None
    place: str = ""
    tally: Tally = _NOTHING


class RunLine(Struct, frozen=True, kw_only=True):
    """A run of a list.

    Attributes:
        run: the run.
        baselines: the names that it is a baseline under.
        evaluations: what it evaluated, in order.
    """

    run: RunRecord
    baselines: tuple[str, ...] = ()
    evaluations: tuple[EvaluationLine, ...] = ()


@patient
def overview(
    store: Store, *, limit: int | None = None, tag: str | None = None, fits: Fits | None = None
) -> list[RunLine]:
    """The runs, the newest first, each with what a list shows of it.

    Args:
        store: the history.
        limit: how many at the most; None for all.
        tag: only the cases with this tag count, and evaluations without such cases are left out.
        fits: tells by its name, its variant and its place whether an evaluation is asked for; runs
            without any are left out.
    """
    with store.reading() as connection:
        tagged = None if tag is None else _has_tag(connection, tag)
        rows = _rows(connection, limit if fits is None else None, tagged)
        suites = _suites(connection, [row[0] for row in rows], fits)
        if fits is not None:
            rows = [row for row in rows if suites[row[0]]][:limit]
        numbers = [row[0] for row in rows]
        if tagged is None:
            said, untold = _said(suites, numbers)
            tallies = _tallies(connection, untold, None)
        else:
            said, tallies = {}, _tallies(connection, numbers, tagged)
        named = _named(connection)
    return [
        RunLine(
            run=run,
            baselines=tuple(named.get(number, ())),
            evaluations=said.get(number) or _lines(suites[number], tallies, has_all=tag is None),
        )
        for number, run in zip(numbers, run_records(rows), strict=True)
    ]


def _said(
    suites: dict[int, list[Any]], numbers: Iterable[int]
) -> tuple[dict[int, tuple[EvaluationLine, ...]], list[int]]:
    """What runs have said of their evaluations, and those that did not: their results are counted."""
    said: dict[int, tuple[EvaluationLine, ...]] = {}
    untold: list[int] = []
    for run in numbers:
        try:
            said[run] = tuple(
                [
                    EvaluationLine(name, variant, place, _tally_in(text or b"{}"))
                    for _, _, name, variant, place, text in suites[run]
                ]
            )
        except msgspec.DecodeError:  # of a run that did not end, or of an older callscore
            untold.append(run)
    return said, untold


def _lines(
    suites: Sequence[Any], tallies: dict[tuple[int, int], Tally], *, has_all: bool
) -> tuple[EvaluationLine, ...]:
    """The evaluations of a run; only those with numbers, where not all of them are asked for."""
    return tuple(
        [
            EvaluationLine(name, variant, place, tallies.get((run, number), _NOTHING))
            for run, number, name, variant, place, _ in suites
            if has_all or (run, number) in tallies
        ]
    )


def _has_tag(connection: Connection, tag: str) -> ColumnElement[bool]:
    """Whether a case has a tag, told by the text of the column, as every database can."""
    position = func.instr if connection.dialect.name == "sqlite" else func.strpos
    text = json_bytes(tag).decode()
    # At the beginning of the list, or after another tag: a quote within a tag has a backslash.
    return or_(position(results.c.tags, f"[{text}") == 1, position(results.c.tags, f'",{text}') > 0)


def _rows(
    connection: Connection, limit: int | None, tagged: ColumnElement[bool] | None
) -> Sequence[Any]:
    given = {"limit": _ALL if limit is None else limit}
    if tagged is None:
        return prepared(connection, _NEWEST, given).cursor.fetchall()
    has_case = select(results.c.number).where(results.c.run == runs.c.number, tagged).exists()
    return connection.execute(_NEWEST.where(has_case), given).all()


def _tallies(
    connection: Connection, numbers: list[int], tagged: ColumnElement[bool] | None
) -> dict[tuple[int, int], Tally]:
    """What the results of runs come to by their evaluations, counted in the database."""
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
            _count(is_decided).label("decided"),
            _count(has_passed).label("passed"),
            _count(is_error).label("errors"),
            func.count().label("trials"),
            func.sum(case((has_score, results.c.f1), else_=0.0)).label("f1"),
            _count(has_score).label("scored"),
        )
        .where(results.c.run.in_(_NUMBERS))
        .group_by(results.c.run, results.c.evaluation, results.c.case_id)
    )
    cases = (of_case if tagged is None else of_case.where(tagged)).subquery()
    share = cast(cases.c.passed, Float) / func.nullif(cases.c.decided, 0)
    f1 = cases.c.f1 / func.nullif(cases.c.scored + cases.c.errors, 0)
    totals = select(
        cases.c.run,
        cases.c.evaluation,
        _count(cases.c.decided > 0).label("cases"),
        func.sum(cases.c.trials).label("trials"),
        func.sum(cases.c.passed).label("passed"),
        func.sum(cases.c.errors).label("errors"),
        func.avg(share).label("share"),
        func.avg(f1).label("f1"),
        func.sum(cases.c.scored).label("scored"),
    ).group_by(cases.c.run, cases.c.evaluation)
    found = _for_each(connection, totals, numbers)
    return {(row.run, row.evaluation): _tally(row) for row in found}


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _tally(row: Any) -> Tally:
    # Some databases add integers up to numbers of another kind.
    trials, errors = int(row.trials), int(row.errors)
    return Tally(
        cases=int(row.cases),
        answered=trials - errors,
        passed=int(row.passed),
        share=None if row.share is None else float(row.share),
        # What nobody scores is not worth 0 because there is no answer.
        f1=float(row.f1) if row.scored else None,
        errors=errors,
    )


def _named(connection: Connection) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for run, name in sorted(prepared(connection, _BASELINES, {})):
        found.setdefault(run, []).append(name)
    return found


def _suites(connection: Connection, numbers: list[int], fits: Fits | None) -> dict[int, list[Any]]:
    """The rows of the evaluations that are asked for, by the number of the run."""
    given = {"low": min(numbers, default=0), "high": max(numbers, default=0)}
    found: dict[int, list[Any]] = {number: [] for number in numbers}
    for row in prepared(connection, _SUITES, given).cursor.fetchall():
        run, _, name, variant, place, _ = row
        if run in found and (fits is None or fits((name, variant or "", place))):
            found[run].append(row)
    return found


# As many values as every SQLite takes in one statement.
_MOST_VALUES = 900


def _for_each(connection: Connection, query: Any, numbers: list[int]) -> Iterable[Any]:
    """The rows of a query over runs, however many these are."""
    for start in range(0, len(numbers), _MOST_VALUES):
        yield from connection.execute(query, {"numbers": numbers[start : start + _MOST_VALUES]})
