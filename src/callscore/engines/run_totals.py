"""What evaluations come to, in the counts that a list of runs shows."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, Any

from callscore.core.outcome import outcome_f1
from callscore.core.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.outcome import Outcome
    from callscore.core.run import EvaluationResults, ScorerResult

__all__ = ["summary_payload"]

_SUMMED = ("answered", "passed", "undecided", "errors", "reused")
_COST = ("requests", "input_tokens", "output_tokens")


def summary_payload(results: Sequence[EvaluationResults]) -> dict[str, Any]:
    """What evaluations come to, as plain data; of a single one also what its scorers say.

    `cases` are those with a decision, an answer that never came among them. `passed_share` is the
    mean over these of the share of their trials that passed, `f1` that of their scores, where an
    answer that never came is worth 0. `macro_f1` is the mean over the answers there are.
    """
    counts: dict[str, Any] = {
        name: sum(getattr(each, name) for each in results) for name in _SUMMED
    }
    counts["skipped"] = sum(each.skipped.count for each in results)
    counts["forbidden"] = sum(each.results.summary.forbidden_cases for each in results)
    for name in _COST:
        counts[name] = sum(getattr(each.usage, name) for each in results)
    shares = [_shares(each) for each in results]
    cases = sum(decided for decided, _ in shares)
    pooled = _pooled(results)
    interval = pooled.macro_f1_interval
    counts["cases"] = cases
    counts["passed_share"] = fsum(passed for _, passed in shares) / cases if cases else None
    scores = [_scores(each) for each in results]
    scored = sum(count for count, _ in scores)
    counts["f1"] = fsum(whole for _, whole in scores) / scored if scored else None
    counts["macro_f1"] = pooled.macro_f1
    counts["macro_f1_interval"] = None if interval is None else list(interval)
    if len(results) == 1:
        only = results[0]
        counts["seconds"] = only.seconds
        counts["scorers"] = [_scorer(scorer) for scorer in only.scorers]
    return counts


def _shares(each: EvaluationResults) -> tuple[int, float]:
    """How many cases have a decision, and the sum of the shares of their trials that passed."""
    if each.trials:
        return len(each.trials), fsum(case.passed / case.trials for case in each.trials)
    return each.answered - each.undecided + each.errors, float(each.passed)


def _scores(each: EvaluationResults) -> tuple[int, float]:
    """How many cases have a score, and the sum of their means; none where no answer has one."""
    summary = each.results.summary
    if not summary.outcomes:
        return 0, 0.0
    if not each.trials:
        whole = fsum(outcome_f1(found) * times for found, times in summary.outcomes.items())
        return summary.cases + each.errors, whole
    asked = {found.case: found.trials for found in each.trials}
    means = [_mean(found, asked.pop(case, 0)) for case, found in summary.trials.items()]
    # A case that was never answered, in an evaluation in which others have scores.
    return len(means) + min(len(asked), each.errors), fsum(means)


def _mean(outcomes: Mapping[Outcome, int], decided: int) -> float:
    """The mean score of a case, of whose trials so many have a decision."""
    answered = sum(outcomes.values())
    whole = fsum(outcome_f1(outcome) * times for outcome, times in outcomes.items())
    return whole / max(answered, decided)


def _pooled(results: Sequence[EvaluationResults]) -> Summary:
    """The scores of all evaluations; cases of the same id in two of them are two cases."""
    outcomes: Counter[Any] = Counter()
    trials = {}
    for number, each in enumerate(results):
        summary = each.results.summary
        outcomes.update(summary.outcomes)
        trials.update({f"{number} {case}": found for case, found in summary.trials.items()})
    return Summary(outcomes=dict(outcomes), trials=trials)


def _scorer(scorer: ScorerResult) -> dict[str, Any]:
    return {
        "name": scorer.name,
        "mean": scorer.mean,
        "scored": scorer.scored,
        "passed": scorer.passed,
        "threshold": scorer.threshold,
    }
