"""Counts results: the totals of each evaluation of a run, of all its cases or of those with a tag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from callscore.core.results import MetricValue
from callscore.core.totals import Column
from callscore.history.records import EvaluationNumbers

if TYPE_CHECKING:
    # Evaluation, case, status, passed, F1; and tags as JSON. The trials of a case follow one another.
    Counted = tuple[int, str, str, bool | None, float | None]
    Tagged = tuple[int, str, str, bool | None, float | None, str | None]


class _Tally:
    """The counts of the results so far, of which those of one case follow one another."""

    def __init__(self) -> None:
        self._f1 = Column("f1")
        self._cases = self._decided = 0
        self._answered = self._passed = self._undecided = self._errors = 0
        self._last: str | None = None
        self._is_last_decided = False

    def add(self, row: Counted) -> None:
        _, case, status, passed, f1 = row
        if case != self._last:
            self._cases += 1
            self._last, self._is_last_decided = case, False
        if not self._is_last_decided and (status == "error" or passed is not None):
            self._decided += 1
            self._is_last_decided = True
        if status == "error":
            self._errors += 1
            return
        self._answered += 1
        self._passed += bool(passed)
        self._undecided += passed is None
        self._f1.add(MetricValue("f1", f1))

    def numbers(self) -> EvaluationNumbers:
        decided = self._answered - self._undecided + self._errors
        return EvaluationNumbers(
            cases=self._cases,
            trials=self._answered + self._errors,
            decided=self._decided,
            answered=self._answered,
            passed=self._passed,
            share=self._passed / decided if decided else None,
            f1=self._f1.scorer(errors=self._errors, is_complete=True).mean,
            errors=self._errors,
        )


def count_results(rows: Iterable[Counted]) -> dict[int, EvaluationNumbers]:
    """The totals of each evaluation, by its number."""
    tallies: dict[int, _Tally] = defaultdict(_Tally)
    for row in rows:
        tallies[row[0]].add(row)
    return {evaluation: tally.numbers() for evaluation, tally in tallies.items()}


# With more tags than this, the totals of all of them would take more room than the results.
_MAX_TAGS = 100


@lru_cache(maxsize=1_000)  # most results have the same few tags
def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(msgspec.json.decode(text, type=list[str])))


def numbers_by_tag(rows: Iterable[Tagged]) -> dict[int, dict[str, EvaluationNumbers]] | None:
    """The totals of each evaluation and tag.

    None if there are too many tags, or if some are not text: imported runs may contain anything.
    """
    tallies: dict[tuple[int, str], _Tally] = defaultdict(_Tally)
    tags: set[str] = set()
    try:
        for row in rows:
            for tag in () if row[5] is None else _tags(row[5]):
                tags.add(tag)
                if len(tags) > _MAX_TAGS:
                    return None
                tallies[row[0], tag].add(row[:5])
    except msgspec.DecodeError:
        return None
    found: dict[int, dict[str, EvaluationNumbers]] = defaultdict(dict)
    for (evaluation, tag), tally in tallies.items():
        found[evaluation][tag] = tally.numbers()
    return found
