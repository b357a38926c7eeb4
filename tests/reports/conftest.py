"""Results that every report is tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.counted_calls import Ignored
from callscore.core.results import CaseScore, MetricResult, MetricValue, Noted, Results
from callscore.core.score import Fault, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.engines.metric_disagreement import DisagreementCollector
from callscore.errors import NotScorable
from callscore.metrics.metric import Metric
from callscore.metrics.registry import metric_named

if TYPE_CHECKING:
    from callscore.metrics.disagreement import Disagreements

HOSTILE = "\x1b[31m[red]|`<b>:smile:\x00"


def _scored(expected: list[ToolCall], actual: list[ToolCall]) -> Score:
    return score_calls(tuple(expected), tuple(actual), Settings())


@pytest.fixture
def failing() -> Score:
    """Worked example (a): one call right, one with another text, one that nobody expected."""
    return _scored(
        [ToolCall("searchWeb", {"query": "AI"}), ToolCall("summarize", {"text": "long"})],
        [
            ToolCall("searchWeb", {"query": "AI"}),
            ToolCall("summarize", {"text": "short"}),
            ToolCall("translateText", {"to": "ru"}),
        ],
    )


@pytest.fixture
def passing() -> Score:
    return _scored([ToolCall("searchWeb", {})], [ToolCall("searchWeb", {})])


@pytest.fixture
def results(failing: Score, passing: Score) -> Results:
    """Two trials of one case, one of which passes, and something of everything not scored."""
    summary = Summary()
    summary.add(failing, trial_of="news")
    summary.add(passing, trial_of="news")
    return Results(
        settings=Settings(),
        summary=summary,
        cases=(CaseScore(id="news", trial=0, score=failing),),
        not_shown=2,
        not_scored=Noted(1, ("draft",)),
        not_run=Noted(7, ("r1", "r2", "r3", "r4", "r5", "r6")),
        without_reference=Noted(2, ("t1", "t2")),
        repeated=Noted(1, ("news #0",)),
        skipped=Noted(1, ("traces.jsonl:812",)),
        stopped=Noted(1, ("traces.jsonl:900: not JSON",)),
    )


@pytest.fixture
def forbidding(failing: Score, passing: Score) -> Results:
    """A case with a forbidden call, calls that do not count, and faults by the tools' schemas."""
    faults = (
        Fault("unknown_argument", "summarize", 1, "$.n", 5, keyword="additionalProperties"),
        Fault("unknown_tool", "translateText", 2),
    )
    ignored = (Ignored(ToolCall("get_page", {}), "actual", "read"),)
    score = replace(failing, forbidden=(2,), faults=faults, ignored=ignored)
    summary = Summary()
    summary.add(score)
    summary.add(passing)
    return Results(
        settings=Settings(count_calls="writes"),
        summary=summary,
        cases=(CaseScore(id="news", score=score),),
    )


@pytest.fixture
def nothing() -> Results:
    return Results(settings=Settings(), summary=Summary())


@pytest.fixture
def many() -> Results:
    """More tools, confusions and wrong arguments than a table shows."""
    summary = Summary()
    for number in range(20):
        tool = f"tool_{number:02}"
        wrong = [ToolCall(tool, {"a": 1}), ToolCall(f"wanted_{number:02}", {})]
        summary.add(_scored(wrong, [ToolCall(tool, {"a": 2}), ToolCall(f"got_{number:02}", {})]))
    return Results(settings=Settings(), summary=summary)


@pytest.fixture
def hostile() -> Results:
    """Every name and value that comes from a trace is an attack."""
    score = _scored(
        [ToolCall(HOSTILE, {HOSTILE: HOSTILE}), ToolCall(HOSTILE + "2", {})],
        [ToolCall(HOSTILE, {HOSTILE: "```\n</details>"}), ToolCall(HOSTILE + "3", {})],
    )
    summary = Summary()
    summary.add(score)
    summary.add(_scored([], []))
    return Results(
        settings=Settings(),
        summary=summary,
        cases=(CaseScore(id=HOSTILE, score=score),),
        not_run=Noted(1, (HOSTILE,)),
        skipped=Noted(1, (HOSTILE,)),
        stopped=Noted(1, (HOSTILE,)),
    )


@pytest.fixture
def asked(failing: Score, passing: Score) -> Results:
    """Two cases about which other tools were asked."""
    summary = Summary()
    summary.add(failing)
    summary.add(passing)
    values = (
        MetricValue("ragas.tool_call_f1", 0.4),
        MetricValue("tool_scorer.score", 0.9999999999999999),
        MetricValue("azure.navigation_match", None, "Azure wants something else."),
    )
    return Results(
        settings=Settings(),
        summary=summary,
        cases=(CaseScore(id="news", score=failing, metrics=values),),
        metrics=(
            MetricResult("ragas.tool_call_f1", 0.7, 2),
            MetricResult("tool_scorer.score", 0.9999999999999999, 2),
            MetricResult("azure.navigation_match", None, 0, Noted(2, ("Azure wants else.",))),
        ),
    )


@pytest.fixture
def disagreements() -> Disagreements:
    """Four cases, of which one is shown: a wrong argument and an extra call."""

    def named(expected: Any, actual: Any) -> float:
        if not expected:
            raise NotScorable("nothing is expected.")
        return float({call.name for call in expected} <= {call.name for call in actual})

    def same(expected: Any, actual: Any) -> float:
        return float(list(expected) == list(actual))

    metrics = [
        metric_named("callscore.f1"),
        Metric("x.named", named, {}),
        Metric("x.same", same, {}),
    ]
    collector = DisagreementCollector(metrics, 1)
    right, wrong, extra = ToolCall("f", {"a": 1}), ToolCall("f", {"a": 2}), ToolCall("x", {})
    for case in (
        Case(id="right", expected=(right,), actual=(right,)),
        Case(id="both", trial=0, expected=(right,), actual=(wrong, extra)),
        Case(id="none", expected=(), actual=(extra,)),
        Case(id="more", expected=(right,), actual=(right, extra)),
    ):
        score = score_calls(tuple(case.expected or ()), case.actual or (), Settings())
        collector.take(case, score, None)
    return collector.results()
