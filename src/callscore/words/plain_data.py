"""Scores, results and runs as plain data that any JSON encoder accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from callscore.core.call import Tool, ToolCall
from callscore.core.counted_calls import Ignored, forbidden_patterns, forbidding_pattern
from callscore.core.phrases import Language, say
from callscore.core.rendering import safe_repr
from callscore.core.score import (
    Pair,
    Score,
    TurnScore,
    has_accepted_differences,
    outcome_of,
    tool_selection,
    turn_count,
    turn_passes,
)
from callscore.core.summary import Summary, pass_rates
from callscore.errors import InvalidCall
from callscore.words.reasons import difference_reason, fault_sentence
from callscore.words.value_text import (
    NOT_SCORED,
    confused_tools,
    json_safe,
    json_safe_string,
    rating_of,
    summary_line,
    worst_arguments,
    worst_faults,
    worst_tools,
)

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.case import Expected
    from callscore.core.results import (
        CaseTrials,
        EvaluationResults,
        Failure,
        MetricValue,
        Noted,
        Result,
        Results,
        RunResults,
        ScorerResult,
    )
    from callscore.core.settings import Settings
    from callscore.core.statistics import Interval

# The first numbers of a score follow from how many calls there are of each kind.
_RATES = (
    "score",
    "f1",
    "precision",
    "recall",
    "total_expected",
    "total_actual",
    "is_exact",
    "passed",
)
_CALL_COUNTS = ("correct", "incorrect", "missed", "extra", "forbidden")


class Parts(NamedTuple):
    """How the parts of a score are written that come from the data of a case.

    Attributes:
        expected: expected calls or groups, as in a case file.
        calls: actual calls.
        value: a value in a difference, or the id, the trial or the tags of a case.
        settings: the settings.
    """

    expected: Callable[[Sequence[Expected]], Sequence[Any]]
    calls: Callable[[Sequence[ToolCall]], Sequence[Any]]
    value: Callable[[Any], Any]
    settings: Callable[[Settings], Any]


def score_to_dict(score: Score, *, lang: Language = "en") -> dict[str, Any]:
    """A score with all its numbers, pairs and differences as plain data."""
    return _score_fields(score, lang, PLAIN_PARTS)


def _score_fields(score: Score, lang: Language, parts: Parts) -> dict[str, Any]:
    """The fields of a score, with its parts as they are to be written."""
    rates, rating, summary = _counted(score, lang)
    expectation, faults, turns = score.expectation, score.faults, score.turns
    missed, extra = score.unpaired
    return {
        **rates,
        "tool_selection": tool_selection(score, missed, extra),
        "argument_accuracy": score.argument_accuracy,
        "tool_called": score.tool_called,
        "parameters_valid": score.parameters_valid,
        "rating": rating,
        "summary": summary,
        "correct": _correct_pairs(score, lang, parts),
        "incorrect": [_pair(pair, lang, parts) for pair in score.incorrect],
        "missed": parts.expected(missed),
        "extra": parts.calls(extra),
        "forbidden": [_forbidden(score, position) for position in score.forbidden],
        "ignored": [_ignored(ignored, parts) for ignored in score.ignored],
        "assumed_writes": parts.value(score.assumed_writes),
        "faults": None
        if faults is None
        else [{**_fields(each), "reason": fault_sentence(each, lang=lang)} for each in faults],
        "turns": [_turn(turn, score.settings.pass_mark) for turn in turns],
        "turn_mean": score.turn_mean if turns else None,
        "turn_min": score.turn_min if turns else None,
        "first_wrong_turn": score.first_wrong_turn if turns else None,
        "expectation": None if expectation is None else parts.expected(expectation),
        "settings": parts.settings(score.settings),
    }


_TURN_FIELDS = (
    *("number", "correct", "expected", "actual", "forbidden"),
    *("f1", "precision", "recall"),
)


def _turn(turn: TurnScore, pass_mark: float) -> dict[str, Any]:
    return {**_fields(turn, _TURN_FIELDS), "passed": turn_passes(turn, pass_mark)}


# The rates, the rating and the summary of a case follow from how many calls there are of each kind, and
# most cases have as many as another one. These are by those numbers, the pass mark and the language.
_Counted = tuple[dict[str, Any], str | None, str]
_counted_before: dict[tuple[Any, ...], _Counted] = {}
_MOST_COUNTED = 4096


def _counted(score: Score, lang: Language) -> _Counted:
    counts = *outcome_of(score), len(score.incorrect), bool(score.ignored)
    turns = turn_count(score), score.first_wrong_turn
    key = *counts, has_accepted_differences(score), score.settings.pass_mark, lang, *turns
    found = _counted_before.get(key)
    if found is None:
        rates = {name: getattr(score, name) for name in _RATES}
        found = rates, rating_of(score, lang=lang), summary_line(score, lang=lang)
        if len(_counted_before) >= _MOST_COUNTED:
            _counted_before.clear()
        _counted_before[key] = found
    return found


def _forbidden(score: Score, position: int) -> dict[str, Any]:
    """A forbidden call, its position among the actual calls, and the pattern that forbids it."""
    call, patterns = score.actual[position], forbidden_patterns(score.expectation or ())
    pattern = forbidding_pattern(patterns, call.name, score.settings)
    return {**call_fields(call), "index": position, "pattern": json_safe(pattern)}


def _ignored(ignored: Ignored, parts: Parts) -> dict[str, Any]:
    write = parts.expected if ignored.side == "expected" else parts.calls
    return {"side": ignored.side, "why": ignored.why, "call": write((ignored.call,))[0]}


def _fields(value: Struct, names: Sequence[str] = ()) -> dict[str, Any]:
    """The named fields of a value; all if none are named."""
    return {name: json_safe(getattr(value, name)) for name in names or value.__struct_fields__}


def value_to_dict(value: MetricValue) -> dict[str, Any]:
    """The value of a metric or a scorer for one case; `broken` is present only if it raised."""
    fields = _fields(value)
    return {**fields, "broken": True} if fields.pop("is_broken") else fields


def settings_fields(settings: Settings) -> Any:
    """The settings as plain data; functions are named."""
    return json_safe(msgspec.to_builtins(settings, enc_hook=_callable_text))


def _callable_text(function: Any) -> str:
    """The model of a judge; otherwise the qualified name of a function or of a callable's type."""
    model = getattr(function, "model", None)
    if isinstance(model, str):
        return model
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def call_to_dict(call: ToolCall, *, exact: bool = False) -> dict[str, Any]:
    """A call as plain data; `arguments` is null if they cannot be read.

    With `exact`, numbers of any size stay numbers, as in `json_safe`.
    """
    return {"name": call.name, "arguments": None, **call_fields(call, exact=exact)}


def tool_to_dict(tool: Tool) -> dict[str, Any]:
    """The definition of a tool as plain data, with its effect if that is known."""
    names = ("name", "description", "parameters", *(() if tool.effect is None else ("effect",)))
    return _fields(tool, names)


def expected_fields(item: Expected) -> Any:
    """What was expected, as it is written in a case file."""
    from callscore.core.expectation_json import expected_to_json

    try:
        return json_safe(expected_to_json(item))
    except (InvalidCall, RecursionError):  # a report has to show what no file can contain
        return call_fields(item) if isinstance(item, ToolCall) else safe_repr(item)


def call_fields(call: ToolCall, *, exact: bool = False) -> dict[str, Any]:
    """The fields of a call that are set."""
    # Null fields are left out, so that an expected call without arguments (any are accepted)
    # differs from one with an empty object.
    return {
        field: json_safe(value, exact=exact)
        for field in call.__struct_fields__
        if (value := getattr(call, field)) is not None and (value or field != "positional")
    }


def _correct_pairs(score: Score, lang: Language, parts: Parts) -> list[Any]:
    if not score.has_equal_pairs:
        return [_pair(pair, lang, parts) for pair in score.correct]
    expected, actual, start = score.expected, score.actual, score.equal_start
    found = [  # without comparing them again
        _correct_pair(left, right, at, at)
        for at, (left, right) in enumerate(
            zip(parts.expected(expected[:start]), parts.calls(actual[:start]), strict=True)
        )
    ]
    for row, column in score.other_correct:
        [left], [right] = parts.expected((expected[row],)), parts.calls((actual[column],))
        found.append(_correct_pair(left, right, row, column))
    return found


def _correct_pair(expected: Any, actual: Any, row: int, column: int) -> dict[str, Any]:
    return {
        "expected": expected,
        "actual": actual,
        "expected_index": row,
        "actual_index": column,
        "overlap": 1.0,
        "differences": [],
    }


def _pair(pair: Pair, lang: Language, parts: Parts) -> dict[str, Any]:
    [expected], [actual] = parts.expected((pair.expected,)), parts.calls((pair.actual,))
    return {
        "expected": expected,
        "actual": actual,
        "expected_index": pair.expected_index,
        "actual_index": pair.actual_index,
        "overlap": pair.overlap,
        "differences": [_difference(difference, lang, parts) for difference in pair.differences],
    }


def _difference(difference: Difference, lang: Language, parts: Parts) -> dict[str, Any]:
    fields = {
        "path": json_safe_string(difference.path),
        "kind": difference.kind,
        "expected": parts.value(difference.expected),
        "actual": parts.value(difference.actual),
    }
    if difference.matcher is not None:
        fields |= {"matcher": difference.matcher, "closeness": difference.closeness}
    fields["reason"] = difference_reason(difference, lang=lang)
    return fields


PLAIN_PARTS = Parts(
    lambda items: [expected_fields(item) for item in items],
    lambda calls: [call_fields(call) for call in calls],
    json_safe,
    settings_fields,
)


def case_to_dict(case: Result, *, lang: Language = "en") -> dict[str, Any]:
    """A case's score as plain data, under its id."""
    return case_fields(case, lang, PLAIN_PARTS)


def case_fields(case: Result, lang: Language, parts: Parts) -> dict[str, Any]:
    """The fields of a case in a report, with the parts of its score as they are to be written.

    A case without an answer has the same fields: it counts as 0, and did not pass.
    """
    if case.score is None:
        fields = case_fields(replace(case, score=Score((), (), 0)), lang, parts)
        return {
            **dict.fromkeys(fields),
            **{name: fields[name] for name in ("id", "trial", "tags")},
            **dict.fromkeys(("score", "f1", "precision", "recall"), 0.0),
            "is_exact": False,
            "passed": False,
            **{name: [] for name in ("metrics", *_CALL_COUNTS, "ignored", "turns")},
            "status": "no_answer",
        }
    asked = case.case
    return {
        "id": parts.value(asked.id),
        "trial": parts.value(asked.trial),
        "tags": parts.value(asked.tags),
        "metrics": [value_to_dict(metric) for metric in case.values],
        **_score_fields(case.score, lang, parts),
    }


def results_to_dict(results: Results, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, the tables, everything that was not scored, and the cases to show."""
    summary = results.summary
    return {
        "totals": _summary_totals(summary, lang),
        "calls": calls_of(summary),
        "tools": [
            {
                "tool": json_safe(tool),
                "expected": counts.expected,
                **{name: getattr(counts, name) for name in _CALL_COUNTS},
                "unknown_arguments": summary.unknown_arguments(tool),
            }
            for tool, counts in worst_tools(summary)
        ],
        "wrong_arguments": [
            {"tool": json_safe(tool), "argument": json_safe(argument), "count": count}
            for tool, argument, count in worst_arguments(summary)
        ],
        "assumed_writes": json_safe(summary.assumed_writes),
        "confusion": [
            {"expected": json_safe(expected), "called": json_safe(called), "count": count}
            for expected, called, count in confused_tools(summary)
        ],
        "checks": _checks(summary),
        "trials": _trial_rates(summary),
        "turns": _turn_totals(summary),
        "sample": results.sample,
        "metrics": [metric_to_dict(metric) for metric in results.metrics],
        "inputs": [
            {"formats": each.formats, "files": noted_to_dict(each.files)} for each in results.inputs
        ],
        **notes_to_dict(results, lang),
        "settings": settings_fields(results.settings),
        "cases": [case_to_dict(case, lang=lang) for case in results.counted],
        "not_shown": results.not_shown,
    }


def calls_of(summary: Summary) -> dict[str, int]:
    """How many calls there are, by outcome; `actual` are those that can cost precision."""
    return {
        "expected": summary.total_expected,
        "actual": summary.total_actual,
        "free": summary.free,
        **{name: getattr(summary, name) for name in _CALL_COUNTS},
    }


def metric_to_dict(metric: ScorerResult) -> dict[str, Any]:
    """The mean of another tool's metric, and the cases that it cannot score."""
    fields = _fields(metric, ("name", "version", "mean", "scored"))
    return {**fields, "not_scorable": noted_to_dict(metric.not_scorable)}


def _summary_totals(summary: Summary, lang: Language) -> dict[str, Any]:
    return {
        "cases": summary.cases,
        "passed": summary.passed,
        "exact": summary.exact,
        "exact_interval": _interval(summary.exact_interval),
        "rating": rating_of(summary, lang=lang),
        "with_forbidden_calls": summary.forbidden_cases,
        "without_counted_calls": summary.uncounted_cases,
        "macro": {
            "f1": summary.macro_f1,
            "f1_interval": _interval(summary.macro_f1_interval),
            "precision": summary.macro_precision,
            "recall": summary.macro_recall,
        },
        "micro": {
            "f1": summary.micro_f1 if summary.scored else None,
            "precision": summary.micro_precision if summary.scored else None,
            "recall": summary.micro_recall if summary.scored else None,
        },
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


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
    pass_at_k, pass_hat_k = summary.pass_at_k(), summary.pass_hat_k()
    if not pass_at_k:
        return None
    return {"cases": summary.trial_cases, "pass_at_k": pass_at_k, "pass_hat_k": pass_hat_k}


def _turn_totals(summary: Summary) -> dict[str, Any] | None:
    if not summary.turn_cases and not summary.joined_turn_cases:
        return None
    return {
        "cases": summary.turn_cases,
        "joined": summary.joined_turn_cases,
        "first_wrong": [
            {"turn": turn, "cases": cases} for turn, cases in sorted(summary.wrong_turns.items())
        ],
    }


def noted_to_dict(noted: Noted) -> dict[str, Any]:
    """A count, and the first names, as plain data."""
    return {"count": noted.count, "names": json_safe(noted.names)}


def notes_to_dict(results: Results, lang: Language) -> dict[str, Any]:
    """Everything that was not scored, or scored twice."""
    fields = (
        *("not_scored", "not_run", "without_reference", "repeated", "skipped", "unread", "stopped"),
    )
    found = {field: noted_to_dict(getattr(results, field)) for field in fields}
    if results.not_scored.count:
        found["not_scored"]["reason"] = say(NOT_SCORED, lang)
    return found


_USAGE = ("requests", "input_tokens", "output_tokens")
# Keys that an evaluation replaces by its own.
_LEFT_OUT = ("sample", "cases", "not_shown", "metrics", "settings", "trials", "inputs")


def run_to_dict(run: RunResults, *, lang: Language = "en") -> dict[str, Any]:
    """The totals, every evaluation with all its numbers, and what could not be run."""
    return {
        **_fields(run, ("id", "is_interrupted", "is_stopped", "seconds")),
        "totals": _run_totals(run),
        "evaluations": [_evaluation(evaluation, lang) for evaluation in run.evaluations],
        "unloaded": [_fields(evaluation) for evaluation in run.unloaded],
        "judges": [json_safe(asdict(judge)) for judge in run.judges],
        **_fields(run, ("below", "warnings")),
    }


def _run_totals(run: RunResults) -> dict[str, Any]:
    evaluations = run.evaluations
    answered, passed, undecided = (
        sum(getattr(evaluation, name) for evaluation in evaluations)
        for name in ("answered", "passed", "undecided")
    )
    return {
        "answered": answered,
        "passed": passed,
        "failing": answered - passed - undecided,
        "undecided": undecided,
        "errors": run.errors,
        "skipped": sum(evaluation.skipped.count for evaluation in evaluations),
        "unreadable": run.unreadable,
        "with_forbidden_calls": run.forbidden,
        "reused": sum(evaluation.reused for evaluation in evaluations),
        "usage": {
            field: sum(getattr(evaluation.usage, field) for evaluation in evaluations)
            for field in _USAGE
        },
    }


def _evaluation(evaluation: EvaluationResults, lang: Language) -> dict[str, Any]:
    results = results_to_dict(replace(evaluation.results, shown=()), lang=lang)
    settings = results["settings"]
    for key in _LEFT_OUT:
        del results[key]
    return {
        **_fields(evaluation, ("name", "variant", "place")),
        "planned_trials": evaluation.questions,
        **_fields(evaluation, ("answered", "passed")),
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
        "cases": [
            case_in_run(case, case_to_dict(case, lang=lang)) for case in evaluation.results.counted
        ],
        "unreferenced": [_unreferenced(result) for result in evaluation.unreferenced],
        "not_shown": evaluation.results.not_shown,
    }


def _scorer(scorer: ScorerResult) -> dict[str, Any]:
    return {
        **_fields(scorer, ("name", "mean", "scored", "passed", "fail_under", "is_below")),
        "not_scorable": noted_to_dict(scorer.not_scorable),
        "broken": noted_to_dict(scorer.broken),
    }


def _case_trials(trials: tuple[CaseTrials, ...]) -> dict[str, Any] | None:
    if not trials:
        return None
    rates = pass_rates(trials)
    return {
        "cases": [
            {"id": json_safe(case.case), **_fields(case, ("trials", "passed", "is_flaky"))}
            for case in trials
        ],
        "pass_at_k": rates.at_k,
        "pass_hat_k": rates.hat_k,
    }


def _failure(failure: Failure) -> dict[str, Any]:
    fields = ("trial", "kind", "problem", "details", "attempts")
    return {"id": json_safe(failure.case), **_fields(failure, fields)}


def case_in_run(case: Result, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of `case_to_dict` as the report of a run has them: it passes if every scorer agrees."""
    values = fields.pop("metrics")
    del fields["settings"]
    passed = case.passed if case.failure is None else False
    return {**fields, "passed": passed, "values": values}


def _unreferenced(result: Result) -> dict[str, Any]:
    return {
        "id": json_safe(result.case.id),
        "trial": result.case.trial,
        "tags": json_safe(result.case.tags),
        "passed": result.passed,
        "values": [value_to_dict(value) for value in result.values],
        "calls": [call_to_dict(call) for call in result.case.actual or ()],
    }
