"""Writes answers and results, many in one transaction, and what they share once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.history.packing import compressed
from callscore.history.records import AnswerRecord
from callscore.history.rows import Bodies, answer_row, result_row
from callscore.history.statements import KNOWN_PAYLOADS, add_rows, inserts_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

    from callscore.history.records import ResultRecord

__all__ = ["Rows", "keep_payloads", "keep_rows", "rows_of"]

# Databases bound how many values one statement takes; this is far below.
_ASKED_AT_ONCE = 500

# The rows of answers, the rows of results, and the payloads of both.
Rows = tuple[list[dict[str, Any]], list[dict[str, Any]], Bodies]


def rows_of(records: Iterable[AnswerRecord | ResultRecord], numbers: Mapping[str, int]) -> Rows:
    """The records as rows, given the numbers of their runs."""
    answers: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    bodies: Bodies = {}
    for record in records:
        if isinstance(record, AnswerRecord):
            answers.append(answer_row(record, numbers.get(record.run), bodies))
        else:
            results.append(result_row(record, numbers[record.run], bodies))
    return answers, results, bodies


def keep_rows(connection: Connection, rows: Rows) -> None:
    """Write all of them in the transaction that is under way."""
    answers, results, bodies = rows
    inserts = inserts_for(connection.dialect)
    keep_payloads(connection, bodies)
    add_rows(connection, inserts.answer, answers)
    add_rows(connection, inserts.result, results)


def keep_payloads(connection: Connection, bodies: Bodies) -> None:
    """Write those of the payloads that are not there yet.

    Asking first is quicker than compressing what then turns out to be there. It is asked in the
    transaction that writes what refers to them, so that nobody clears them away in between.
    """
    digests = sorted(bodies)  # two who add the same wait for each other in one order alone
    known: set[bytes] = set()
    for start in range(0, len(digests), _ASKED_AT_ONCE):
        asked = {"digests": digests[start : start + _ASKED_AT_ONCE]}
        known.update(map(bytes, connection.execute(KNOWN_PAYLOADS, asked).scalars()))
    new = [
        {"digest": digest, "body": compressed(bodies[digest])}
        for digest in digests
        if digest not in known
    ]
    add_rows(connection, inserts_for(connection.dialect).payload, new)
