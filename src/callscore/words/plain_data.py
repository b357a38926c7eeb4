"""Scores, results and runs as plain data that any JSON encoder accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, replace

from callscore.core.call import ToolCall
from callscore.core.counted_calls import forbidden_patterns, forbidding_pattern
from callscore.core.rendering import safe_repr
from callscore.core.summary import pass_rates
from callscore.errors import InvalidCall
from callscore.words.reasons import difference_reason
from callscore.words.summary_lines import (
    confused_tools,
    rating,
    summary_line,
    worst_arguments,
    worst_faults,
    worst_tools,
)
from callscore.words.value_text import json_safe, json_safe_string

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.call import Tool
    from callscore.core.case import Expected
    from callscore.core.counted_calls import Ignored
    from callscore.core.phrases import Language
    from callscore.core.results import (
        CaseScore,
        CaseTrials,
        CaseValues,
        EvaluationResults,
        Failure,
        MetricResult,
        MetricValue,
        Noted,
        Results,
        RunResults,
        ScorerResult,
        Unloaded,
    )
    from callscore.core.score import Fault, Pair, Score
    from callscore.core.settings import Settings
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary

__all__ = [
    "call_to_dict",
    "case_to_dict",
    "metric_to_dict",
    "noted_to_dict",
    "results_to_dict",
    "run_to_dict",
    "score_to_dict",
    "tool_to_dict",
    "value_to_dict",
]


# Scores and results as plain data that any JSON encoder accepts.


def score_to_dict(score: Score, *, lang: Language = "en") -> dict[str, Any]:
    """A score with all its numbers, pairs and differences as plain data."""
    return {
        "score": score.score,
        "f1": score.f1,
        "precision": score.precision,
        "recall": score.recall,
        "total_expected": score.total_expected,
        "total_actual": score.total_actual,
        "is_exact": score.is_exact,
        "passed": score.passed,
        "tool_selection": score.tool_selection,
        "argument_accuracy": score.argument_accuracy,
        "tool_called": score.tool_called,
        "parameters_valid": score.parameters_valid,
        "rating": rating(score.f1, lang=lang),
        "summary": summary_line(score, lang=lang),
        "correct": [_pair(pair, lang) for pair in score.correct],
        "incorrect": [_pair(pair, lang) for pair in score.incorrect],
        "missed": [_expected(call) for call in score.missed],
        "extra": [_call(call) for call in score.extra],
        "forbidden": [_forbidden(score, position) for position in score.forbidden],
        "ignored": [_ignored(ignored) for ignored in score.ignored],
        "faults": None if score.faults is None else [_fault(f, lang) for f in score.faults],
        "expectation": _expectation(score.expectation),
        "settings": _settings(score.settings),
    }


def _expectation(expectation: tuple[Expected, ...] | None) -> list[Any] | None:
    return None if expectation is None else [_expected(item) for item in expectation]


def _forbidden(score: Score, position: int) -> dict[str, Any]:
    """A forbidden call, where it stands among the actual calls, and what forbids it."""
    call, patterns = score.actual[position], forbidden_patterns(score.expectation or ())
    pattern = forbidding_pattern(
        patterns, call.name, score.settings
    )  # it keeps the name that the trace has
    return {**_call(call), "index": position, "pattern": json_safe(pattern)}


def _ignored(ignored: Ignored) -> dict[str, Any]:
    call = _expected(ignored.call) if ignored.side == "expected" else _call(ignored.call)
    return {"side": ignored.side, "why": ignored.why, "call": call}


def _fault(fault: Fault, lang: Language) -> dict[str, Any]:
    from callscore.words.reasons import fault_sentence

    return {**_fields(fault), "reason": fault_sentence(fault, lang=lang)}


def _fields(value: Fault | MetricValue) -> dict[str, Any]:
    return {field: json_safe(getattr(value, field)) for field in value.__struct_fields__}


def value_to_dict(value: MetricValue) -> dict[str, Any]:
    """What a metric or a scorer says of a case; `broken` is there only where it does not work."""
    fields = _fields(value)
    return {**fields, "broken": True} if fields.pop("is_broken") else fields


def _settings(settings: Settings) -> Any:
    return json_safe(msgspec.to_builtins(settings, enc_hook=_callable_text))


def _callable_text(function: Any) -> str:
    """The model that a judge asks; else the name of a function, or the type of what is called."""
    model = getattr(function, "model", None)
    if isinstance(model, str):
        return model
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def call_to_dict(call: ToolCall) -> dict[str, Any]:
    """A call with what is known of it as plain data; `arguments` are null where unreadable."""
    return {"name": call.name, "arguments": None, **_call(call)}


def tool_to_dict(tool: Tool) -> dict[str, Any]:
    """The definition of a tool as plain data, with its effect where that is known."""
    fields = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        **({} if tool.effect is None else {"effect": tool.effect}),
    }
    return {field: json_safe(value) for field, value in fields.items()}


def _expected(item: Expected) -> Any:
    """What was expected, spelled as in a case file."""
    from callscore.core.expectation_json import expected_to_json

    try:
        return json_safe(expected_to_json(item))
    except (InvalidCall, RecursionError):  # no file can say it, but a report still has to
        return _call(item) if isinstance(item, ToolCall) else safe_repr(item)


def _call(call: ToolCall) -> dict[str, Any]:
    # A field that is not there says as much as null would, and an expected call without
    # arguments (any are accepted) stays apart from one with none.
    return {
        field: json_safe(value)
        for field in call.__struct_fields__
        if (value := getattr(call, field)) is not None and (value or field != "positional")
    }


def _pair(pair: Pair, lang: Language) -> dict[str, Any]:
    return {
        "expected": _expected(pair.expected),
        "actual": _call(pair.actual),
        "expected_index": pair.expected_index,
        "actual_index": pair.actual_index,
        "overlap": pair.overlap,
        "differences": [_difference(difference, lang) for difference in pair.differences],
    }


def _difference(difference: Difference, lang: Language) -> dict[str, Any]:
    rule = {"matcher": difference.matcher, "closeness": difference.closeness}
    return {
        "path": json_safe_string(difference.path),
        "kind": difference.kind,
        "expected": json_safe(difference.expected),
        "actual": json_safe(difference.actual),
        **({} if difference.matcher is None else rule),
        "reason": difference_reason(difference, lang=lang),
    }


def case_to_dict(case: CaseScore, *, lang: Language = "en") -> dict[str, Any]:
    """A case's score as plain data, under its id."""
    return {
        "id": json_safe(case.id),
        "trial": json_safe(case.trial),
        "tags": json_safe(case.tags),
        "metrics": [value_to_dict(metric) for metric in case.metrics],
        **score_to_dict(case.score, lang=lang),
    }


def results_to_dict(results: Results, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, the tables, everything that was not scored, and the cases to show."""
    summary = results.summary
    return {
        "totals": _summary_totals(summary),
        "calls": {
            "expected": summary.total_expected,
            "actual": summary.total_actual,
            "correct": summary.correct,
            "incorrect": summary.incorrect,
            "missed": summary.missed,
            "extra": summary.extra,
            "forbidden": summary.forbidden,
        },
        "tools": _tools(summary),
        "wrong_arguments": [
            {"tool": json_safe(tool), "argument": json_safe(argument), "count": count}
            for tool, argument, count in worst_arguments(summary)
        ],
        "confusion": [
            {"expected": json_safe(expected), "called": json_safe(called), "count": count}
            for expected, called, count in confused_tools(summary)
        ],
        "checks": _checks(summary),
        "trials": _trial_rates(summary),
        "metrics": [metric_to_dict(metric) for metric in results.metrics],
        "not_scored": noted_to_dict(results.not_scored),
        "not_run": noted_to_dict(results.not_run),
        "without_reference": noted_to_dict(results.without_reference),
        "repeated": noted_to_dict(results.repeated),
        "skipped": noted_to_dict(results.skipped),
        "stopped": noted_to_dict(results.stopped),
        "settings": _settings(results.settings),
        "cases": [case_to_dict(case, lang=lang) for case in results.cases],
        "not_shown": results.not_shown,
    }


def metric_to_dict(metric: MetricResult) -> dict[str, Any]:
    """What a metric of another tool says of many cases, as plain data."""
    return {
        "name": json_safe(metric.name),
        "version": json_safe(metric.version),
        "mean": metric.mean,
        "scored": metric.scored,
        "not_scorable": noted_to_dict(metric.not_scorable),
    }


def _summary_totals(summary: Summary) -> dict[str, Any]:
    return {
        "cases": summary.cases,
        "passed": summary.passed,
        "exact": summary.exact,
        "exact_interval": _interval(summary.exact_interval),
        "with_forbidden_calls": summary.forbidden_cases,
        "without_counted_calls": summary.uncounted_cases,
        "macro": {
            "f1": summary.macro_f1,
            "f1_interval": _interval(summary.macro_f1_interval),
            "precision": summary.macro_precision,
            "recall": summary.macro_recall,
        },
        "micro": {
            "f1": summary.micro_f1,
            "precision": summary.micro_precision,
            "recall": summary.micro_recall,
        },
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _tools(summary: Summary) -> list[dict[str, Any]]:
    return [
        {
            "tool": json_safe(tool),
            "expected": counts.expected,
            "correct": counts.correct,
            "incorrect": counts.incorrect,
            "missed": counts.missed,
            "extra": counts.extra,
            "forbidden": counts.forbidden,
            "unknown_arguments": summary.unknown_arguments(tool),
        }
        for tool, counts in worst_tools(summary)
    ]


def _checks(summary: Summary) -> dict[str, Any] | None:
    if not summary.checked_cases:
        return None
    return {
        "cases": summary.checked_cases,
        "calls": summary.checked_calls,
        "valid": summary.valid_calls,
        "parameters_valid": summary.parameters_valid,
        "faults": [
            {"tool": json_safe(tool), "kind": kind, "count": count}
            for tool, kind, count in worst_faults(summary)
        ],
    }


def _trial_rates(summary: Summary) -> dict[str, Any] | None:
    pass_at_k = summary.pass_at_k()
    if not pass_at_k:
        return None
    return {
        "cases": len(summary.trials),
        "pass_at_k": pass_at_k,
        "pass_hat_k": summary.pass_hat_k(),
    }


def noted_to_dict(noted: Noted) -> dict[str, Any]:
    """A count, and the first names, as plain data."""
    return {"count": noted.count, "names": json_safe(noted.names)}


# What running agents gave, as plain data that any JSON encoder accepts.

_USAGE = ("requests", "input_tokens", "output_tokens")
# Keys that an evaluation replaces by its own.
_LEFT_OUT = ("cases", "not_shown", "metrics", "settings", "trials")


def run_to_dict(run: RunResults, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, every evaluation with all its numbers, and what could not be run."""
    return {
        "id": json_safe(run.id),
        "is_interrupted": run.is_interrupted,
        "seconds": run.seconds,
        "totals": _run_totals(run),
        "evaluations": [_evaluation(evaluation, lang) for evaluation in run.evaluations],
        "unloaded": [_unloaded(evaluation) for evaluation in run.unloaded],
        "judges": [json_safe(asdict(judge)) for judge in run.judges],
        "below": json_safe(run.below),
        "warnings": json_safe(run.warnings),
    }


def _run_totals(run: RunResults) -> dict[str, Any]:
    evaluations = run.evaluations
    answered = sum(evaluation.answered for evaluation in evaluations)
    passed = sum(evaluation.passed for evaluation in evaluations)
    undecided = sum(evaluation.undecided for evaluation in evaluations)
    return {
        "answered": answered,
        "passed": passed,
        "failing": answered - passed - undecided,
        "undecided": undecided,
        "errors": run.errors,
        "skipped": sum(evaluation.skipped.count for evaluation in evaluations),
        "with_forbidden_calls": run.forbidden,
        "reused": sum(evaluation.reused for evaluation in evaluations),
        "usage": {
            field: sum(getattr(evaluation.usage, field) for evaluation in evaluations)
            for field in _USAGE
        },
    }


def _evaluation(evaluation: EvaluationResults, lang: Language) -> dict[str, Any]:
    results = results_to_dict(replace(evaluation.results, cases=()), lang=lang)
    settings = results["settings"]
    for key in _LEFT_OUT:
        del results[key]
    return {
        "name": json_safe(evaluation.name),
        "variant": json_safe(evaluation.variant),
        "place": json_safe(evaluation.place),
        "questions": evaluation.questions,
        "answered": evaluation.answered,
        "passed": evaluation.passed,
        "failing": evaluation.answered - evaluation.passed - evaluation.undecided,
        "undecided": evaluation.undecided,
        "errors": evaluation.errors,
        "skipped": noted_to_dict(evaluation.skipped),
        "reused": evaluation.reused,
        "usage": asdict(evaluation.usage),
        "median_seconds": evaluation.seconds,
        "scorers": [_scorer(scorer) for scorer in evaluation.scorers],
        "trials": _case_trials(evaluation.trials),
        "failures": [_failure(failure) for failure in evaluation.failures],
        "settings": settings,
        "results": results,
        "cases": [_case(evaluation, case, lang) for case in evaluation.results.cases],
        "unreferenced": [_unreferenced(evaluation, case) for case in evaluation.unreferenced],
        "not_shown": evaluation.results.not_shown,
    }


def _scorer(scorer: ScorerResult) -> dict[str, Any]:
    return {
        "name": json_safe(scorer.name),
        "mean": json_safe(scorer.mean),
        "scored": scorer.scored,
        "passed": scorer.passed,
        "threshold": scorer.threshold,
        "is_below": scorer.is_below,
        "not_scorable": noted_to_dict(scorer.not_scorable),
        "broken": noted_to_dict(scorer.broken),
    }


def _case_trials(trials: tuple[CaseTrials, ...]) -> dict[str, Any] | None:
    if not trials:
        return None
    rates = pass_rates(trials)
    return {
        "cases": [
            {
                "id": json_safe(case.case),
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
        "id": json_safe(failure.case),
        "trial": failure.trial,
        "kind": failure.kind,
        "problem": json_safe(failure.problem),
        "details": json_safe(failure.details),
        "attempts": failure.attempts,
    }


def _case(evaluation: EvaluationResults, case: CaseScore, lang: Language) -> dict[str, Any]:
    """The score of a case; it passes where every scorer says so, not for its score alone."""
    fields = case_to_dict(case, lang=lang)
    for key in ("metrics", "settings"):
        del fields[key]
    return {**fields, "passed": evaluation.passes(case), "values": _values(case.metrics)}


def _unreferenced(evaluation: EvaluationResults, case: CaseValues) -> dict[str, Any]:
    return {
        "id": json_safe(case.id),
        "trial": case.trial,
        "tags": json_safe(case.tags),
        "passed": evaluation.passes(case),
        "values": _values(case.values),
        "calls": [call_to_dict(call) for call in case.calls],
    }


def _values(values: tuple[MetricValue, ...]) -> list[dict[str, Any]]:
    return [value_to_dict(found) for found in values]


def _unloaded(evaluation: Unloaded) -> dict[str, Any]:
    return {field: json_safe(value) for field, value in asdict(evaluation).items()}
