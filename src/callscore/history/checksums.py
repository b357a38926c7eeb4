"""Checksums of what a history saves, verified whenever it is read: of rows, runs, and the list of runs.

Each row has the checksum of its values and of the id of its run. A run that ended has the number and the
sum of the checksums of its evaluations and results: its seal. The history has the same of its runs and
baselines. So rows that were changed, deleted, added, or moved to another run do not go unnoticed. The
checksums find damage and edits by hand; they are not a signature.
"""

from __future__ import annotations

from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.history.hashing import blake2b

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.history.tables import Columns

__all__ = [
    "DamagedHistoryError",
    "RowChecks",
    "Seal",
    "Tally",
    "damaged_row",
]

_SIZE = 8
_MODULUS = 2 ** (8 * _SIZE)
_encode = msgspec.msgpack.Encoder().encode

_ADVICE = (
    "Restore a copy of the history. Without a copy, export the undamaged runs, which callscore history"
    " lists, move the history away, and import them: callscore export ID -o FILE, callscore import FILE"
)


class DamagedHistoryError(ValueError):
    """What was read is not what was written; the text has advice.

    Attributes:
        problem: what was found.
        advice: what to do.
    """

    def __init__(self, problem: str, advice: str = _ADVICE) -> None:
        super().__init__(f"{problem}. {advice}")
        self.problem, self.advice = problem, advice


def damaged_row(what: str) -> DamagedHistoryError:
    """The error that something saved is not as it was written."""
    return DamagedHistoryError(f"{what} is damaged, or was changed after it was saved")


class RowChecks:
    """The checksums of the rows of one table.

    The first columns, which numbers of rows take, are not part of it: the id of the run is, instead.
    """

    def __init__(self, columns: Columns, noun: str, first: str) -> None:
        names = columns.names
        self._noun = noun
        self._start, self._end = names.index(first), names.index("checksum")
        covered = names[self._start : self._end]
        # Two names at least: for one, it would return the value alone.
        self._values = itemgetter(*covered, first)
        # Positions after the id of the run. Drivers return booleans as numbers, or as booleans.
        self._booleans = _positions(covered, columns.booleans)
        self._doubles = _positions(covered, columns.doubles)

    def sign(self, row: dict[str, Any], run: str = "") -> dict[str, Any]:
        """Add the checksum to a row that is about to be written; returns the row."""
        row["checksum"] = self.checksum(self._values(row)[:-1], run)
        return row

    def checksum(self, values: Sequence[Any], run: str = "") -> bytes:
        """The checksum of the covered columns of a row that is about to be written, in their order."""
        checked: list[Any] = [run, *values]
        for at in self._doubles:
            if checked[at] is not None:
                checked[at] += 0.0
        return self._checksum(checked)

    def verify(self, row: Sequence[Any], run: str = "") -> bytes:
        """The checksum of a row that was read: the columns of the table, and maybe more.

        Raises:
            DamagedHistoryError: the row is not as it was written.
        """
        stored: bytes | None = row[self._end]
        if self._checksum([run, *row[self._start : self._end]]) != stored:
            raise damaged_row(f"run {run}: {self._noun}" if run else self._noun)
        return stored

    def verify_all(self, rows: Sequence[Sequence[Any]], run: str = "") -> list[bytes]:
        """The checksums of many rows of one run.

        The same as `verify` for each, for less: most rows are as they were written, and the driver of
        SQLite returns booleans as the numbers that were signed.

        Raises:
            DamagedHistoryError: a row is not as it was written.
        """
        if not any(type(value) is bool for row in rows[:1] for value in row):
            start, end = self._start, self._end
            stored: list[bytes] = [row[end] for row in rows]
            with suppress(TypeError, ValueError, OverflowError):  # a value that no row can have
                encoded = [_encode((run, *row[start:end])) for row in rows]
                if [blake2b(each, digest_size=_SIZE).digest() for each in encoded] == stored:
                    return stored
        return [self.verify(row, run) for row in rows]

    def _checksum(self, values: list[Any]) -> bytes:
        try:
            for at in self._booleans:
                if values[at] is not None:
                    values[at] += 0
            return blake2b(_encode(values), digest_size=_SIZE).digest()
        except (TypeError, ValueError, OverflowError):  # a value that no row can have
            return b""


def _positions(covered: Sequence[str], names: Sequence[str]) -> list[int]:
    return [at for at, name in enumerate(covered, 1) if name in names]


class Tally(Struct, frozen=True, gc=False):
    """The number of some rows, and the sum of their checksums; the order of rows is not part of it."""

    count: int = 0
    total: int = 0

    def changed(self, added: Iterable[bytes], removed: Iterable[bytes] = ()) -> Tally:
        """With some rows more, and some less."""
        new, old = Tally.of(added), Tally.of(removed)
        return Tally(
            self.count + new.count - old.count, (self.total + new.total - old.total) % _MODULUS
        )

    @classmethod
    def of(cls, checksums: Iterable[bytes]) -> Tally:
        """The tally of rows with these checksums."""
        found = [int.from_bytes(each) for each in checksums]
        return cls(len(found), sum(found) % _MODULUS)

    @property
    def packed(self) -> bytes:
        """The sum, as stored."""
        return self.total.to_bytes(_SIZE)


class Seal(Struct, frozen=True, gc=False):
    """What a run had when it ended: its evaluations and its results."""

    evaluations: Tally
    results: Tally

    @classmethod
    def of_columns(
        cls, evaluation_count: int, result_count: int, seal: bytes | None
    ) -> Seal | None:
        """The seal in the row of a run; None while it runs, or if its process was killed."""
        if seal is None:
            return None
        evaluations, results = int.from_bytes(seal[:_SIZE]), int.from_bytes(seal[_SIZE:])
        return cls(Tally(evaluation_count, evaluations), Tally(result_count, results))

    def columns(self) -> dict[str, Any]:
        """The columns of the row of the run."""
        return {
            "evaluation_count": self.evaluations.count,
            "result_count": self.results.count,
            "seal": self.evaluations.packed + self.results.packed,
        }

    def require_evaluations(self, run: str, checksums: Iterable[bytes]) -> None:
        """Refuse other evaluations than those that the run had when it ended."""
        _require(run, "evaluations", self.evaluations, Tally.of(checksums))

    def require_results(self, run: str, checksums: Iterable[bytes]) -> None:
        """Refuse other results than those that the run had when it ended."""
        _require(run, "results", self.results, Tally.of(checksums))


def _require(run: str, what: str, saved: Tally, found: Tally) -> None:
    if found.count != saved.count:
        raise DamagedHistoryError(
            f"run {run}: {found.count:,} {what} found, {saved.count:,} were saved"
        )
    if found != saved:
        raise DamagedHistoryError(f"run {run}: its {what} are not those that were saved")
