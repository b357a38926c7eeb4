"""What running agents gave, as plain data that any JSON encoder accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from callscore.core.export import (
    call_to_dict,
    case_to_dict,
    noted_to_dict,
    results_to_dict,
    value_to_dict,
)
from callscore.core.pass_rates import rates_over
from callscore.core.plain import plain

if TYPE_CHECKING:
    from callscore.core.results import CaseScore, MetricValue
    from callscore.core.run import (
        CaseTrials,
        CaseValues,
        EvaluationResults,
        Failure,
        RunResults,
        ScorerResult,
        Unloaded,
    )
    from callscore.core.wording import Language

__all__ = ["run_to_dict"]

_USAGE = ("requests", "input_tokens", "output_tokens")
# Of the report of many cases: what an evaluation says itself, and in its own way.
_SAID_ELSEWHERE = ("cases", "not_shown", "metrics", "settings", "trials")


def run_to_dict(run: RunResults, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, every evaluation with all its numbers, and what could not be run."""
    return {
        "id": plain(run.id),
        "is_interrupted": run.is_interrupted,
        "seconds": run.seconds,
        "totals": _totals(run),
        "evaluations": [_evaluation(each, lang) for each in run.evaluations],
        "unloaded": [_unloaded(each) for each in run.unloaded],
        "judges": [plain(asdict(judge)) for judge in run.judges],
        "below": plain(run.below),
        "warnings": plain(run.warnings),
    }


def _totals(run: RunResults) -> dict[str, Any]:
    evaluations = run.evaluations
    answered = sum(each.answered for each in evaluations)
    passed = sum(each.passed for each in evaluations)
    undecided = sum(each.undecided for each in evaluations)
    return {
        "answered": answered,
        "passed": passed,
        "failing": answered - passed - undecided,
        "undecided": undecided,
        "errors": run.errors,
        "skipped": sum(each.skipped.count for each in evaluations),
        "with_forbidden_calls": run.forbidden,
        "reused": sum(each.reused for each in evaluations),
        "usage": {
            field: sum(getattr(each.usage, field) for each in evaluations) for field in _USAGE
        },
    }


def _evaluation(each: EvaluationResults, lang: Language) -> dict[str, Any]:
    results = results_to_dict(replace(each.results, cases=()), lang=lang)
    settings = results["settings"]
    for key in _SAID_ELSEWHERE:
        del results[key]
    return {
        "name": plain(each.name),
        "variant": plain(each.variant),
        "place": plain(each.place),
        "questions": each.questions,
        "answered": each.answered,
        "passed": each.passed,
        "failing": each.answered - each.passed - each.undecided,
        "undecided": each.undecided,
        "errors": each.errors,
        "skipped": noted_to_dict(each.skipped),
        "reused": each.reused,
        "usage": asdict(each.usage),
        "median_seconds": each.seconds,
        "scorers": [_scorer(scorer) for scorer in each.scorers],
        "trials": _trials(each.trials),
        "failures": [_failure(failure) for failure in each.failures],
        "settings": settings,
        "results": results,
        "cases": [_case(each, case, lang) for case in each.results.cases],
        "unreferenced": [_unreferenced(each, case) for case in each.unreferenced],
        "not_shown": each.results.not_shown,
    }


def _scorer(scorer: ScorerResult) -> dict[str, Any]:
    return {
        "name": plain(scorer.name),
        "mean": plain(scorer.mean),
        "scored": scorer.scored,
        "passed": scorer.passed,
        "threshold": scorer.threshold,
        "is_below": scorer.is_below,
        "not_scorable": noted_to_dict(scorer.not_scorable),
        "broken": noted_to_dict(scorer.broken),
    }


def _trials(trials: tuple[CaseTrials, ...]) -> dict[str, Any] | None:
    if not trials:
        return None
    rates = rates_over(trials)
    return {
        "cases": [
            {
                "id": plain(case.case),
                "trials": case.trials,
                "passed": case.passed,
                "is_flaky": case.is_flaky,
            }
            for case in trials
        ],
        "pass_at_k": rates.at_k,
        "pass_hat_k": rates.hat_k,
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "id": plain(failure.case),
        "trial": failure.trial,
        "kind": failure.kind,
        "problem": plain(failure.problem),
        "details": plain(failure.details),
        "attempts": failure.attempts,
    }


def _case(each: EvaluationResults, case: CaseScore, lang: Language) -> dict[str, Any]:
    """The score of a case; it passes where every scorer says so, not for its score alone."""
    fields = case_to_dict(case, lang=lang)
    for key in ("metrics", "settings"):
        del fields[key]
    return {**fields, "passed": each.passes(case), "values": _values(case.metrics)}


def _unreferenced(each: EvaluationResults, case: CaseValues) -> dict[str, Any]:
    return {
        "id": plain(case.id),
        "trial": case.trial,
        "tags": plain(case.tags),
        "passed": each.passes(case),
        "values": _values(case.values),
        "calls": [call_to_dict(call) for call in case.calls],
    }


def _values(values: tuple[MetricValue, ...]) -> list[dict[str, Any]]:
    return [value_to_dict(found) for found in values]


def _unloaded(each: Unloaded) -> dict[str, Any]:
    return {field: plain(value) for field, value in asdict(each).items()}
