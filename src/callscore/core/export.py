"""Scores and results as plain data that any JSON encoder accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.call import ToolCall
from callscore.core.forbidden import forbids, patterns_in
from callscore.core.plain import plain, plain_string
from callscore.core.ranking import confused_tools, worst_arguments, worst_faults, worst_tools
from callscore.core.text import repr_text
from callscore.core.wording import rating, reason, summary_line
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.expectation import Expected
    from callscore.core.fault import Fault
    from callscore.core.model import Ignored, Pair, Score
    from callscore.core.results import CaseScore, MetricResult, MetricValue, Noted, Results
    from callscore.core.settings import Settings
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary
    from callscore.core.tool import Tool
    from callscore.core.wording import Language

__all__ = [
    "call_to_dict",
    "case_to_dict",
    "metric_to_dict",
    "noted_to_dict",
    "results_to_dict",
    "score_to_dict",
    "tool_to_dict",
    "value_to_dict",
]


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
        "expectation": _written(score.expectation),
        "settings": _settings(score.settings),
    }


def _written(expectation: tuple[Expected, ...] | None) -> list[Any] | None:
    return None if expectation is None else [_expected(item) for item in expectation]


def _forbidden(score: Score, position: int) -> dict[str, Any]:
    """A forbidden call, where it stands among the actual calls, and what forbids it."""
    call, patterns = score.actual[position], patterns_in(score.expectation or ())
    pattern = forbids(patterns, call.name, score.settings)  # it keeps the name that the trace has
    return {**_call(call), "index": position, "pattern": plain(pattern)}


def _ignored(ignored: Ignored) -> dict[str, Any]:
    call = _expected(ignored.call) if ignored.side == "expected" else _call(ignored.call)
    return {"side": ignored.side, "why": ignored.why, "call": call}


def _fault(fault: Fault, lang: Language) -> dict[str, Any]:
    from callscore.core.fault_text import fault_sentence

    return {**_fields(fault), "reason": fault_sentence(fault, lang=lang)}


def _fields(value: Fault | MetricValue) -> dict[str, Any]:
    return {field: plain(getattr(value, field)) for field in value.__struct_fields__}


def value_to_dict(value: MetricValue) -> dict[str, Any]:
    """What a metric or a scorer says of a case; `broken` is there only where it does not work."""
    fields = _fields(value)
    return {**fields, "broken": True} if fields.pop("is_broken") else fields


def _settings(settings: Settings) -> Any:
    return plain(msgspec.to_builtins(settings, enc_hook=_callable_text))


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
    return {field: plain(value) for field, value in fields.items()}


def _expected(item: Expected) -> Any:
    """What was expected, spelled as in a case file."""
    from callscore.core.spelling import spell_expected

    try:
        return plain(spell_expected(item))
    except (InvalidCall, RecursionError):  # no file can say it, but a report still has to
        return _call(item) if isinstance(item, ToolCall) else repr_text(item)


def _call(call: ToolCall) -> dict[str, Any]:
    # A field that is not there says as much as null would, and an expected call without
    # arguments (any are accepted) stays apart from one with none.
    return {
        field: plain(value)
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
        "path": plain_string(difference.path),
        "kind": difference.kind,
        "expected": plain(difference.expected),
        "actual": plain(difference.actual),
        **({} if difference.matcher is None else rule),
        "reason": reason(difference, lang=lang),
    }


def case_to_dict(case: CaseScore, *, lang: Language = "en") -> dict[str, Any]:
    """A case's score as plain data, under its id."""
    return {
        "id": plain(case.id),
        "trial": plain(case.trial),
        "tags": plain(case.tags),
        "metrics": [value_to_dict(metric) for metric in case.metrics],
        **score_to_dict(case.score, lang=lang),
    }


def results_to_dict(results: Results, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, the tables, everything that was not scored, and the cases to show."""
    summary = results.summary
    return {
        "totals": _totals(summary),
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
            {"tool": plain(tool), "argument": plain(argument), "count": count}
            for tool, argument, count in worst_arguments(summary)
        ],
        "confusion": [
            {"expected": plain(expected), "called": plain(called), "count": count}
            for expected, called, count in confused_tools(summary)
        ],
        "checks": _checks(summary),
        "trials": _trials(summary),
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
        "name": plain(metric.name),
        "version": plain(metric.version),
        "mean": metric.mean,
        "scored": metric.scored,
        "not_scorable": noted_to_dict(metric.not_scorable),
    }


def _totals(summary: Summary) -> dict[str, Any]:
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
            "tool": plain(tool),
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
            {"tool": plain(tool), "kind": kind, "count": count}
            for tool, kind, count in worst_faults(summary)
        ],
    }


def _trials(summary: Summary) -> dict[str, Any] | None:
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
    return {"count": noted.count, "names": plain(noted.names)}
