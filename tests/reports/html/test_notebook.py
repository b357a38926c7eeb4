"""Scores, results and comparisons in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reports.comparisons import ATTACKED, REGRESSED

from callscore import ToolCall, expect, score
from callscore.core.results import CaseScore, EvaluationResults, RunResults, ScorerResult

if TYPE_CHECKING:
    import pytest

    from callscore.core.results import Results
    from callscore.core.score import Score


def test_a_score_shows_both_sides_and_the_reasons() -> None:
    found = score([("search", {"q": "<b>"}), ("pay", {})], [("search", {"q": "x"}), ("log", {})])

    text = found._repr_html_()

    assert "search(q=&quot;&lt;b&gt;&quot;)" in text
    assert "expected &quot;&lt;b&gt;&quot;, got &quot;x&quot;" in text
    assert ">= correct<" not in text
    assert all(word in text for word in ("~ incorrect", "- missed", "+ extra"))
    assert "Step 3." in text
    assert "<b>" not in text


def test_results_show_the_mean_the_tools_and_the_cases_that_failed(results: Results) -> None:
    text = results._repr_html_()

    assert "Macro F1" in text
    assert "translateText" in text
    assert "news #0" in text


def test_results_without_cases_say_so(nothing: Results) -> None:
    assert "No case was scored." in nothing._repr_html_()


def test_a_run_shows_its_scorers(results: Results, failing: Score) -> None:
    evaluation = EvaluationResults(
        name="assistant",
        place="eval_assistant.py",
        results=results,
        scorers=(ScorerResult(name="accuracy", mean=0.5, scored=2, passed=1),),
        cases=2,
        questions=2,
        answered=2,
        passed=1,
    )

    text = RunResults(evaluations=(evaluation,), warnings=("slow",))._repr_html_()

    assert "1 of 2 passed" in text
    assert "accuracy" in text
    assert "slow" in text
    assert CaseScore(id="news", trial=0, score=failing).label in text


def test_a_comparison_shows_what_broke() -> None:
    text = REGRESSED._repr_html_()

    assert "Broken" in text
    assert "before" in text


def test_secrets_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "sk-1234567890abcdef")
    found = score([("f", {"key": "x"})], [("f", {"key": "sk-1234567890abcdef"})])

    text = found._repr_html_()

    assert "sk-1234567890abcdef" not in text
    assert "[hidden " in text


def test_names_in_a_comparison_are_text_even_if_they_are_markup() -> None:
    assert "<b>" not in ATTACKED._repr_html_()


def test_the_end_state_is_not_shown_as_a_call() -> None:
    state = expect.end_state({"n": 1})

    shown = score([state], [ToolCall("end_state", {"n": 2}, kind="state")])._repr_html_()

    assert "End state: " in shown
    assert "end_state" not in shown
