"""Counts results: the totals of each evaluation of a run, of all its cases or of those with a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.core.statistics import mean_score
from callscore.history.records import EvaluationNumbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    # Evaluation, case, status, passed, F1.
    Counted = tuple[int, str, str, bool | None, float | None]

__all__ = ["count_results", "numbers_by_tag"]


def count_results(rows: Iterable[Counted]) -> dict[int, EvaluationNumbers]:
    """The totals of each evaluation, by its number, given results in the order of the cases."""
    counts: dict[int, dict[str, _CaseCount]] = {}
    for evaluation, case, status, passed, f1 in rows:
        of_evaluation = counts.setdefault(evaluation, {})
        of_case = of_evaluation.get(case)
        if of_case is None:
            of_case = of_evaluation[case] = _CaseCount()
        of_case.trials += 1
        if status == "error":
            of_case.errors += 1
            of_case.decided += 1
            continue
        if passed is not None:
            of_case.decided += 1
            of_case.passed += bool(passed)
        if f1 is not None:
            of_case.scores.append(f1)
    return {number: _numbers_of(list(cases.values())) for number, cases in counts.items()}


class _CaseCount:
    """The trials of one case."""

    __slots__ = ("decided", "errors", "passed", "scores", "trials")

    def __init__(self) -> None:
        self.trials = self.errors = self.decided = self.passed = 0
        self.scores: list[float] = []


def _numbers_of(cases: Sequence[_CaseCount]) -> EvaluationNumbers:
    trials, errors = sum([case.trials for case in cases]), sum([case.errors for case in cases])
    scores = [score for case in cases for score in case.scores]
    passed, decided = sum([case.passed for case in cases]), sum([case.decided for case in cases])
    return EvaluationNumbers(
        cases=len(cases),
        trials=trials,
        decided=sum([case.decided > 0 for case in cases]),
        answered=trials - errors,
        passed=passed,
        share=passed / decided if decided else None,
        f1=mean_score(scores, answered=trials - errors, errors=errors),
        errors=errors,
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
