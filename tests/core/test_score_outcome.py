"""The four counts of a case, and what follows of them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.score import (
    Outcome,
    Score,
    has_no_counted_calls,
    is_passing,
    outcome_f1,
    outcome_of,
)

A, B, C = (ToolCall(name, {}) for name in "abc")


@pytest.mark.parametrize(
    ("score", "outcome"),
    [
        (Score((), (), 0), (0, 0, 0, 0)),
        (Score((A, B), (A, C, B), 1, ((1, 2),)), (2, 2, 3, 0)),
        (Score((A,), (A, B, C), 1, forbidden=(1, 2)), (1, 1, 3, 2)),
    ],
)
def test_an_outcome_counts_correct_expected_actual_and_forbidden_calls(
    score: Score, outcome: Outcome
) -> None:
    assert outcome_of(score) == outcome


@pytest.mark.parametrize(
    ("outcome", "f1"),
    [((0, 0, 0, 0), 1), ((2, 3, 2, 0), 0.8), ((1, 1, 2, 1), 0), ((0, 0, 1, 1), 0)],
)
def test_the_score_of_an_outcome_is_its_f1_unless_a_call_was_forbidden(
    outcome: Outcome, f1: float
) -> None:
    assert outcome_f1(outcome) == f1


def test_a_case_with_a_forbidden_call_passes_from_no_score_at_all() -> None:
    assert is_passing((2, 3, 2, 0), 0.8)
    assert not is_passing((2, 3, 2, 0), 0.81)
    assert is_passing((0, 1, 1, 0), 0.0)
    assert not is_passing((1, 1, 2, 1), 0.0)


def test_an_outcome_says_what_the_score_says() -> None:
    fine = Score((A,), (A, B), 1)

    for score in (fine, replace(fine, forbidden=(1,))):
        outcome = outcome_of(score)
        assert outcome_f1(outcome) == score.f1
        assert is_passing(outcome, 0.5) == replace_at_least(score, 0.5).passed
        assert is_passing(outcome, 0.0) == replace_at_least(score, 0.0).passed


def replace_at_least(score: Score, at_least: float) -> Score:
    return replace(score, settings=replace(score.settings, at_least=at_least))


def test_a_case_counts_nothing_where_every_call_of_it_was_ignored() -> None:
    ignored = (Ignored(A, "actual", "read"),)

    assert has_no_counted_calls(Score((), (), 0, ignored=ignored))
    assert not has_no_counted_calls(Score((), (), 0))
    assert not has_no_counted_calls(Score((B,), (), 0, ignored=ignored))
    assert not has_no_counted_calls(Score((), (B,), 0, ignored=ignored))
