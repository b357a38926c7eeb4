"""Runs that every report of a run is tried on."""

from __future__ import annotations

from callscore.core.call import ToolCall
from callscore.core.results import (
    CaseScore,
    CaseTrials,
    CaseValues,
    EvaluationResults,
    Failure,
    JudgeCounts,
    MetricValue,
    Noted,
    Results,
    RunResults,
    ScorerResult,
    Unloaded,
    Usage,
)
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.summary import Summary

_SETTINGS = Settings()
_WEATHER = ToolCall("getWeather", {"location": "Paris", "unit": "celsius"})
_WRONG = ToolCall("getWeather", {"location": "Lyon", "unit": "celsius"})
_SUM = ToolCall("calculator", {"operation": "multiply", "a": 12, "b": 7})


def case(
    name: str, expected: list[ToolCall], actual: list[ToolCall], *values: MetricValue
) -> CaseScore:
    """A case to show."""
    score = score_calls(tuple(expected), tuple(actual), _SETTINGS)
    return CaseScore(id=name, score=score, metrics=values)


def results(*cases: CaseScore, not_shown: int = 0) -> Results:
    """What some cases come to."""
    summary = Summary()
    for found in cases:
        summary.add(found.score)
    return Results(settings=_SETTINGS, summary=summary, cases=cases, not_shown=not_shown)


WEATHER = case(
    "what-is-the-weather-in-paris",
    [_WEATHER],
    [_WRONG, _SUM],
    MetricValue("tool_called", 1.0),
    MetricValue("parameters_valid", 1.0),
    MetricValue("accuracy", 0.0),
)

FINE = RunResults(
    id="20261115-184354-k3f9",
    evaluations=(
        EvaluationResults(
            name="assistant",
            place="examples/assistant/eval_assistant.py:12",
            results=results(),
            scorers=(
                ScorerResult(name="tool_called", mean=1.0, scored=3, passed=3),
                ScorerResult(name="parameters_valid", mean=1.0, scored=3, passed=3),
            ),
            cases=3,
            questions=3,
            answered=3,
            passed=3,
            seconds=0.0004,
        ),
    ),
    seconds=0.031,
)

MIXED = RunResults(
    id="20261115-184354-k3f9",
    evaluations=(
        EvaluationResults(
            name="assistant",
            place="evals/eval_assistant.py:12",
            results=results(WEATHER, not_shown=2),
            scorers=(
                ScorerResult(name="tool_called", mean=1.0, scored=5, passed=5),
                ScorerResult(
                    name="parameters_valid", mean=0.95, scored=5, passed=4, fail_under=0.9
                ),
                ScorerResult(name="accuracy", mean=2 / 3, scored=5, passed=2, fail_under=0.9),
                ScorerResult(
                    name="polite",
                    mean=None,
                    fail_under=0.5,
                    not_scorable=Noted(5, ("the scorer raised KeyError: 'text'.",)),
                ),
            ),
            cases=11,
            questions=11,
            answered=5,
            passed=2,
            failures=(
                Failure(
                    case="convert-5-miles-to-km",
                    kind="timeout",
                    problem="no answer within 60 seconds",
                    attempts=3,
                ),
                Failure(
                    case="book-a-table",
                    kind="raised",
                    problem="ValueError: there is no table for 0 people",
                    details='File "evals/eval_assistant.py", line 31, in assistant\n'
                    "    raise ValueError(problem)",
                ),
                Failure(
                    case="book-another-table",
                    kind="raised",
                    problem="ValueError: there is no table for 0 people",
                    details='File "evals/eval_assistant.py", line 31, in assistant\n'
                    "    raise ValueError(problem)",
                ),
            ),
            errors=4,
            skipped=Noted(1, ("say-goodbye: the service is down on Sundays",)),
            usage=Usage(9, 12_345, 678),
            seconds=1.25,
            reused=2,
        ),
        EvaluationResults(
            name="router",
            place="evals/router.yaml",
            results=results(),
            scorers=(ScorerResult(name="no_promises", mean=0.5, scored=2, passed=1),),
            cases=3,
            questions=3,
            answered=3,
            passed=1,
            undecided=1,
            unreferenced=(
                CaseValues(
                    id="promise-me-a-refund",
                    calls=(_WEATHER, ToolCall("reply", {"text": "Of course, at once!"})),
                    values=(MetricValue("no_promises", 0.0, "it says “at once”"),),
                ),
            ),
            seconds=0.23,
        ),
    ),
    unloaded=(
        Unloaded(
            "evals/eval_broken.py:3",
            "ModuleNotFoundError: No module named 'wether'",
            'File "evals/eval_broken.py", line 3, in <module>\n    import wether',
        ),
    ),
    seconds=74.6,
    judges=(JudgeCounts("gpt-4.1-mini", 12, 4),),
    is_interrupted=True,
    warnings=("Nothing was kept: the disk is full (.callscore/history.db).",),
)


def _variant(name: str, means: tuple[float, float, float], passed: int) -> EvaluationResults:
    names = ("tool_called", "parameters_valid", "accuracy")
    return EvaluationResults(
        name="assistant",
        place="evals/eval_assistant.py:12",
        variant=name,
        results=results(*([WEATHER] if name == "small" else [])),
        scorers=tuple(
            ScorerResult(
                name=scorer,
                mean=mean,
                scored=6,
                passed=passed,
                fail_under=0.8 if scorer == "accuracy" else None,
            )
            for scorer, mean in zip(names, means, strict=True)
        ),
        cases=2,
        questions=6 + int(name == "small"),
        answered=6,
        passed=passed,
        errors=int(name == "small"),
        trials=(CaseTrials("weather", 3, passed - 3), CaseTrials("sum", 3, 3)),
        usage=Usage(6, 1234 * passed, 99),
        seconds=0.5 * passed,
    )


VARIANTS = RunResults(
    id="20261115-184354-k3f9",
    evaluations=(
        _variant("gpt-4.1", (1.0, 1.0, 1.0), 6),
        _variant("claude-sonnet-4", (1.0, 0.917, 0.8333), 5),
        _variant("small", (0.8333, 0.75, 0.6666), 4),
    ),
    seconds=12.3,
)
