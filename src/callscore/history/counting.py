"""Counts results: the totals of each evaluation of a run, of all its cases or of those with a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.core.results import MetricValue
from callscore.core.totals import Column, Totals
from callscore.history.records import EvaluationNumbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    # Evaluation, case, status, passed, F1.
    Counted = tuple[int, str, str, bool | None, float | None]

__all__ = ["count_results", "numbers_by_tag"]

_F1 = "f1"


def count_results(rows: Iterable[Counted]) -> dict[int, EvaluationNumbers]:
    """The totals of each evaluation, by its number, given results in the order of the cases."""
    found: dict[int, tuple[Totals, dict[str, bool]]] = {}  # and whether each case is decided
    for evaluation, case, status, passed, f1 in rows:
        if evaluation not in found:
            found[evaluation] = Totals(columns={_F1: Column(_F1)}), {}
        totals, cases = found[evaluation]
        cases[case] = cases.get(case, False) or status == "error" or passed is not None
        if status == "error":
            totals.errors += 1
            continue
        totals.answered += 1
        totals.passed += bool(passed)
        totals.undecided += passed is None
        totals.add_value(MetricValue(_F1, f1))
    return {number: _numbers_of(*each) for number, each in found.items()}


def _numbers_of(totals: Totals, cases: dict[str, bool]) -> EvaluationNumbers:
    decided = totals.answered - totals.undecided + totals.errors
    return EvaluationNumbers(
        cases=len(cases),
        trials=totals.answered + totals.errors,
        decided=sum(cases.values()),
        answered=totals.answered,
        passed=totals.passed,
        share=totals.passed / decided if decided else None,
        f1=totals.columns[_F1].scorer(errors=totals.errors, is_complete=True).mean,
        errors=totals.errors,
    )


# With more tags than this, the totals of all of them would take more room than the results.
_MAX_TAGS = 100
_decode_tags = msgspec.json.Decoder(list[str]).decode


def numbers_by_tag(
    rows: Iterable[tuple[Counted, str | None]],
) -> dict[int, dict[str, EvaluationNumbers]] | None:
    """The totals of each evaluation and tag, given results in the order of the cases, with their tags.

    None if there are too many tags, or if some are not text: imported runs may contain anything.
    """
    try:
        by_tag = _by_tag(rows)
    except msgspec.DecodeError:
        return None
    if len(by_tag) > _MAX_TAGS:
        return None
    found: dict[int, dict[str, EvaluationNumbers]] = {}
    for tag, results in by_tag.items():
        for evaluation, numbers in count_results(results).items():
            found.setdefault(evaluation, {})[tag] = numbers
    return found


def _by_tag(rows: Iterable[tuple[Counted, str | None]]) -> dict[str, list[Counted]]:
    """The results of each tag; with too many tags, of some."""
    by_tag: dict[str, list[Counted]] = {}
    by_text: dict[str, list[list[Counted]]] = {}  # most results have the same few tags
    for counted, text in rows:
        if text is None:
            continue
        if text not in by_text:
            by_text[text] = [
                by_tag.setdefault(tag, []) for tag in dict.fromkeys(_decode_tags(text))
            ]
            if len(by_tag) > _MAX_TAGS:
                break
        for results in by_text[text]:
            results.append(counted)
    return by_tag
