"""The runs of a history with the numbers that a list of them shows, read in a few queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import BindParameter, Float, and_, bindparam, case, cast, func, or_, select

from callscore.core.statistics import Interval, wilson
from callscore.history.packing import json_bytes
from callscore.history.records import RunRecord
from callscore.history.rows import run_records
from callscore.history.statements import prepared
from callscore.history.tables import baselines, evaluations, results, runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from callscore.history.store import Store

__all__ = ["RunLine", "Tally", "overview"]

_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True)

# A limit that is none.
_ALL = 2**31 - 1

_NEWEST = select(runs).order_by(runs.c.number.desc()).limit(bindparam("limit"))
_BASELINES = select(baselines.c.run, baselines.c.name)
_SUITES = (
    select(evaluations.c.run, evaluations.c.name, evaluations.c.variant)
    .where(evaluations.c.run >= bindparam("low"), evaluations.c.run <= bindparam("high"))
    .order_by(evaluations.c.run, evaluations.c.number)
)


class Tally(Struct, frozen=True, gc=False, kw_only=True):
    """What the cases of a run come to.

    Attributes:
        cases: how many cases there is a decision on: a scorer has a number, or there is no answer.
        answered: how many answers there are; a case counts once a trial.
        passed: how many of these passed.
        share: the mean over the cases of the share of their trials that passed; one without an
            answer did not. None without cases.
        f1: the mean score of the answers that have one; None without them.
        errors: how many trials have no answer.
    """

    cases: int = 0
    answered: int = 0
    passed: int = 0
    share: float | None = None
    f1: float | None = None
    errors: int = 0

    @property
    def interval(self) -> Interval | None:
        """The 95 % Wilson interval of the share; the trials of a case count as one observation."""
        return None if self.share is None else wilson(self.share * self.cases, self.cases)


class RunLine(Struct, frozen=True, kw_only=True):
    """A run as a line of a list.

    Attributes:
        run: the run.
        baselines: the names that it is a baseline under.
        suites: what its evaluations are called, with their variants, in order.
        counted: what its cases come to, or those with a tag; None where the run says it itself.
    """

    run: RunRecord
    baselines: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    counted: Tally | None = None

    @property
    def tally(self) -> Tally:
        """What its cases come to."""
        return self.counted or _kept(self.run.totals)

    @property
    def cases(self) -> int:
        """How many cases there is a decision on."""
        return self.tally.cases

    @property
    def answered(self) -> int:
        """How many answers there are."""
        return self.tally.answered

    @property
    def passed(self) -> int:
        """How many of the answers passed."""
        return self.tally.passed

    @property
    def share(self) -> float | None:
        """The mean over the cases of the share of their trials that passed."""
        return self.tally.share

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the share."""
        return self.tally.interval

    @property
    def f1(self) -> float | None:
        """The mean score of the answers."""
        return self.tally.f1

    @property
    def errors(self) -> int:
        """How many trials have no answer."""
        return self.tally.errors


def overview(store: Store, *, limit: int | None = None, tag: str | None = None) -> list[RunLine]:
    """The runs, the newest first, each with what a list shows of it.

    Args:
        store: the history.
        limit: how many at the most; None for all.
        tag: only the cases with this tag count, and runs without such cases are left out.
    """
    with store.reading() as connection:
        tagged = None if tag is None else _has_tag(connection, tag)
        rows = _rows(connection, limit, tagged)
        numbers = [row[0] for row in rows]
        records = dict(zip(numbers, run_records(rows), strict=True))
        uncounted = [
            number
            for number, run in records.items()
            if tagged is not None or "passed_share" not in run.totals
        ]
        counted = _tallies(connection, uncounted, tagged)
        named = _named(connection)
        suites = _suites(connection, numbers)
    return [
        RunLine(
            run=run,
            baselines=tuple(named.get(number, ())),
            suites=tuple(suites[number]),
            counted=counted.get(number),
        )
        for number, run in records.items()
    ]


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
) -> dict[int, Tally]:
    """What the results of runs come to, counted in the database."""
    if not numbers:
        return {}
    is_error = results.c.status == "error"
    is_decided = or_(is_error, results.c.passed.is_not(None))
    has_passed = and_(results.c.passed.is_(True), ~is_error)
    of_case = (
        select(
            results.c.run,
            _count(is_decided).label("decided"),
            _count(has_passed).label("passed"),
            _count(is_error).label("errors"),
            func.count().label("trials"),
            func.sum(results.c.f1).label("f1"),
            func.count(results.c.f1).label("scored"),
        )
        .where(results.c.run.in_(_NUMBERS))
        .group_by(results.c.run, results.c.evaluation, results.c.case_id)
    )
    cases = (of_case if tagged is None else of_case.where(tagged)).subquery()
    share = cast(cases.c.passed, Float) / func.nullif(cases.c.decided, 0)
    totals = select(
        cases.c.run,
        _count(cases.c.decided > 0).label("cases"),
        func.sum(cases.c.trials).label("trials"),
        func.sum(cases.c.passed).label("passed"),
        func.sum(cases.c.errors).label("errors"),
        func.avg(share).label("share"),
        func.sum(cases.c.f1).label("f1"),
        func.sum(cases.c.scored).label("scored"),
    ).group_by(cases.c.run)
    return {row.run: _tally(row) for row in _for_each(connection, totals, numbers)}


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _tally(row: Any) -> Tally:
    # Some databases add integers up to numbers of another kind.
    trials, errors, scored = int(row.trials), int(row.errors), int(row.scored)
    return Tally(
        cases=int(row.cases),
        answered=trials - errors,
        passed=int(row.passed),
        share=None if row.share is None else float(row.share),
        f1=float(row.f1) / scored if scored else None,
        errors=errors,
    )


def _kept(totals: dict[str, Any]) -> Tally:
    """What a run has said of itself when it came to its end."""
    return Tally(
        cases=totals.get("cases", 0),
        answered=totals.get("answered", 0),
        passed=totals.get("passed", 0),
        share=totals.get("passed_share"),
        f1=totals.get("macro_f1"),
        errors=totals.get("errors", 0),
    )


def _named(connection: Connection) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for run, name in sorted(prepared(connection, _BASELINES, {})):
        found.setdefault(run, []).append(name)
    return found


def _suites(connection: Connection, numbers: list[int]) -> dict[int, list[str]]:
    given = {"low": min(numbers, default=0), "high": max(numbers, default=0)}
    found: dict[int, list[str]] = {number: [] for number in numbers}
    for run, name, variant in prepared(connection, _SUITES, given).cursor.fetchall():
        if run in found:
            found[run].append(name if variant is None else f"{name} [{variant}]")
    return found


# As many values as every SQLite takes in one statement.
_MOST_VALUES = 900


def _for_each(connection: Connection, query: Any, numbers: list[int]) -> Iterable[Any]:
    """The rows of a query over runs, however many these are."""
    for start in range(0, len(numbers), _MOST_VALUES):
        yield from connection.execute(query, {"numbers": numbers[start : start + _MOST_VALUES]})
