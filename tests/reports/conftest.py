"""Results that every report is tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import CaseScore, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.engines.metric_disagreement import DisagreementCollector
from callscore.errors import NotScorable
from callscore.metrics.metric import Metric
from callscore.metrics.registry import metric_named

if TYPE_CHECKING:
    from callscore.core.score import Score
    from callscore.metrics.disagreement import Disagreements


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
def nothing() -> Results:
    return Results(settings=Settings(), summary=Summary())


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
