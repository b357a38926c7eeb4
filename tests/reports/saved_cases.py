"""Cases of runs that the reports of one case are tried on."""

from __future__ import annotations

from typing import Any

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import (
    Answer,
    Failure,
    FailureKind,
    MetricValue,
    Result,
    SavedCase,
    SavedScore,
    Usage,
)
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings

__all__ = [
    "AS_KEPT",
    "ATTACKED",
    "COMPARISON",
    "FAILED",
    "HOSTILE",
    "REPEATED",
    "SILENT",
    "a_trial",
]


def a_trial(  # noqa: PLR0913  (each is something that is kept)
    *,
    number: int = 1,
    calls: tuple[ToolCall, ...] = (),
    f1: float | None = None,
    comparison: dict[str, Any] | None = None,
    failure: tuple[FailureKind, str] | None = None,
    answer: Answer = Answer(),  # noqa: B008  (it is frozen)
    **others: Any,
) -> Result:
    """A result as it is read back."""
    why = None if failure is None else Failure(case="a", kind=failure[0], problem=failure[1])
    return Result(
        case=Case(id="a", trial=number, actual=calls),
        answer=answer,
        failure=why,
        saved=SavedScore(f1=f1, comparison=comparison),
        **others,
    )


HOSTILE = "\x1b[31m[red]|`<b>:smile:\x00"
_PARIS = ToolCall("getWeather", {"location": "Paris"})
_LYON = ToolCall("getWeather", {"location": "Lyon"})
_LOG = ToolCall("log", {})
_WRONG = a_trial(
    status="scored",
    passed=False,
    f1=0.0,
    score=score_calls((_PARIS,), (_LYON, _LOG), Settings()),
    calls=(_LYON, _LOG),
    values=(MetricValue("accuracy", 0.0), MetricValue("polite", 1.0, "it says please")),
    answer=Answer(seconds=1.25, usage=Usage(3, 1204, 33), attempts=2),
)
FAILED = SavedCase(
    run="20261115-184354-k3f9",
    evaluation="assistant",
    place="evals/eval_assistant.py",
    id="weather",
    tags=("smoke", "short"),
    input="What is the weather in Paris?",
    expected=[{"name": "getWeather", "arguments": {"location": "Paris"}}],
    trials=(_WRONG,),
)
REPEATED = SavedCase(
    run="20261115-184354-k3f9",
    evaluation="assistant [large]",
    id="weather",
    input=[
        {"role": "system", "content": "You know the weather.\nBe brief."},
        {"role": "user", "content": "And in Paris?"},
    ],
    expected=FAILED.expected,
    trials=(
        a_trial(
            number=1,
            passed=True,
            f1=1.0,
            score=score_calls((_PARIS,), (_PARIS,), Settings()),
            calls=(_PARIS,),
            values=(MetricValue("accuracy", 1.0),),
            answer=Answer(seconds=0.25, is_reused=True),
        ),
        a_trial(number=2, status="error", failure=("timeout", "no answer within 60 seconds")),
        a_trial(number=3, status="not_scored", passed=None, calls=(_LOG,)),
    ),
)
COMPARISON = {
    "pairs": [[0, 0, False], [1, 1, True]],
    "missed": [2],
    "extra": [2, 3],
    "forbidden": [3],
    "differences": [
        {
            "pair": 0,
            "path": "$.location",
            "kind": "value",
            "expected": "Paris",
            "actual": "Lyon",
            "reason": 'location: expected "Paris", got "Lyon"',
        },
        {"pair": 0, "path": "$.n", "kind": "matcher", "reason": "n: $gt 3, got 2"},
    ],
    "faults": [],
}
AS_KEPT = SavedCase(
    run="20261115-184354-k3f9",
    evaluation="assistant",
    id="odd",
    expected=[{"python": "ToolCall(<odd>)"}, "log", {"python": "ToolCall('book', <odd>)"}],
    trials=(
        a_trial(
            passed=False,
            f1=0.4,
            comparison=COMPARISON,
            calls=(_LYON, _LOG, _PARIS, ToolCall("delete", {"all": True})),
        ),
    ),
)
SILENT = SavedCase(
    run="r", evaluation="assistant", id="hello", trials=(a_trial(status="not_scored"),)
)
ATTACKED = SavedCase(
    run=HOSTILE,
    evaluation=HOSTILE,
    place=HOSTILE,
    id=HOSTILE,
    tags=(HOSTILE,),
    input=f"```\n</details>{HOSTILE}",
    expected=[{"python": HOSTILE}, {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}],
    trials=(
        a_trial(
            number=1,
            passed=False,
            values=(MetricValue(HOSTILE, 0.0, f"```{HOSTILE}"),),
            calls=(ToolCall(HOSTILE, {HOSTILE: HOSTILE}),),
            comparison={
                "pairs": [[0, 0, False]],
                "missed": [0, 1],
                "differences": [{"pair": 0, "reason": HOSTILE}],
            },
        ),
        a_trial(number=2, status="error", failure=("raised", f"```\n{HOSTILE}")),
    ),
)
