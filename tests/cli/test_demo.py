"""What the commands say of a gate."""

from __future__ import annotations

from callscore.cli.exits import score_exit_reasons
from callscore.core.call import ToolCall
from callscore.core.results import Noted, Results
from callscore.core.score import Score
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary

A, DELETE = ToolCall("a", {}), ToolCall("delete", {})


def results(*scores: Score, not_run: Noted | None = None) -> Results:
    summary = Summary()
    for score in scores:
        summary.add(score)
    return Results(settings=DEFAULT, summary=summary, not_run=not_run or Noted())


def test_a_forbidden_call_fails_a_gate_however_good_the_rest_is() -> None:
    fine, forbidden = Score((A,), (A,), 1), Score((A,), (A, DELETE), 1, forbidden=(1,))
    made = results(fine, forbidden)

    assert score_exit_reasons(made, 0.5, "en") == [
        "forbidden calls were made: delete",
    ]
    assert score_exit_reasons(made, 0.6, "ru") == [
        "macro F1 50.0% ниже порога --fail-under 60.0%",
        "сделаны запрещённые вызовы: delete",
    ]
    assert score_exit_reasons(results(fine), 1, "en") == []


def test_a_gate_fails_where_nothing_was_scored_or_a_reference_was_not_run() -> None:
    not_run = Noted(7, tuple("abcdefg"))

    assert score_exit_reasons(results(not_run=not_run), 0.5, "en") == [
        "no case was scored",
        "references not run: a, b, c, d, e, +2",
    ]
