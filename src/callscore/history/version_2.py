"""The way from tables of version 1 to those of version 2.

It names its tables itself: those of today will have changed when somebody takes this way in a year.
The digests are those of today, and stay what they are: a test holds them to fixed values.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    select,
    text,
    update,
)

from callscore.history.digests import asked_digest, calls_digest, expectation_digest
from callscore.history.packing import unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Row

__all__ = ["to_version_2"]

_METADATA = MetaData()
_runs = Table(
    "runs",
    _METADATA,
    Column("number", Integer, primary_key=True),
    Column("started_at", Double, nullable=False),
)
_STARTED = Index("ix_runs_started_at", _runs.c.started_at)
_payloads = Table(
    "payloads",
    _METADATA,
    Column("digest", LargeBinary(16), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)
_NEW = (
    Column("expectation", LargeBinary(16)),
    Column("asked", LargeBinary(16)),
    Column("faults", Integer),
    Column("tools", Text),
    Column("comparison", LargeBinary(16)),
    Column("made", LargeBinary(16)),
)
_results = Table(
    "results",
    _METADATA,
    Column("number", Integer, primary_key=True),
    Column("run", Integer),
    Column("evaluation", Integer),
    Column("case_id", Text),
    Column("trial", Integer),
    Column("payload", LargeBinary(16)),
    Column("calls", LargeBinary(16)),
    *_NEW,
)
_of_case_first = ("run", "case_id", "evaluation", "trial")
_CASES = Index("results_case", *[_results.c[name] for name in _of_case_first], unique=True)
_baselines = Table(
    "baselines",
    _METADATA,
    Column("name", Text, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("set_at", Double, nullable=False),
)

_PAGE = 500
# The digests of so many payloads are remembered; the next run mostly has the same cases.
_REMEMBERED = 100_000

# The digests that a payload gives; None for what cannot be known.
_Digests = tuple[bytes | None, ...]
_Known = dict[bytes | None, _Digests]

_ROWS = (
    select(_results.c.number, _results.c.payload, _results.c.calls)
    .where(_results.c.number > bindparam("after"))
    .order_by(_results.c.number)
    .limit(_PAGE)
)
_BODIES = select(_payloads).where(_payloads.c.digest.in_(bindparam("digests", expanding=True)))
_FILL = (
    update(_results)
    .where(_results.c.number == bindparam("row"))
    .values({name: bindparam(f"its_{name}") for name in ("expectation", "asked", "made")})
)


def to_version_2(connection: Connection) -> None:
    """Add baselines, and what comparisons ask of a result; of earlier ones what can be told."""
    for column in _NEW:
        kind = column.type.compile(dialect=connection.dialect)
        connection.execute(text(f"ALTER TABLE results ADD COLUMN {column.name} {kind}"))
    _METADATA.create_all(connection, tables=[_baselines])
    _STARTED.create(connection)
    _CASES.drop(connection)  # it had the evaluation before the case
    _CASES.create(connection)
    _fill(connection)


def _fill(connection: Connection) -> None:
    cases: _Known = {None: _of_case({})}
    calls: _Known = {None: (None,)}
    after = -1
    while rows := connection.execute(_ROWS, {"after": after}).all():
        _learn(connection, {row.payload for row in rows}, cases, _of_case)
        _learn(connection, {row.calls for row in rows}, calls, _of_calls)
        connection.execute(_FILL, [_filling(row, cases, calls) for row in rows])
        after = rows[-1].number


def _learn(
    connection: Connection,
    wanted: set[bytes | None],
    known: _Known,
    digests: Callable[[Any], _Digests],
) -> None:
    """Note the digests that payloads give, where they are not known yet."""
    if len(known) > _REMEMBERED:
        nothing = known[None]
        known.clear()
        known[None] = nothing
    new = sorted(digest for digest in wanted if digest is not None and digest not in known)
    for row in connection.execute(_BODIES, {"digests": new}):
        try:
            known[row.digest] = digests(unpack(row.body))
        except (zlib.error, msgspec.DecodeError):
            # One case that is damaged is no reason to refuse all others.
            continue


def _filling(row: Row[Any, Any, Any], cases: _Known, calls: _Known) -> dict[str, Any]:
    expectation, asked = cases.get(row.payload, (None, None))
    (made,) = calls.get(row.calls, (None,))
    return {
        "row": row.number,
        "its_expectation": expectation,
        "its_asked": asked,
        "its_made": made,
    }


def _of_case(payload: dict[str, Any]) -> _Digests:
    expected = expectation_digest(payload)
    return bytes.fromhex(expected) or None, bytes.fromhex(asked_digest(payload))


def _of_calls(calls: list[dict[str, Any]]) -> _Digests:
    return (bytes.fromhex(calls_digest(calls)),)
