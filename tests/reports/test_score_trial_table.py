"""The table of repeated trials."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.score import Score
from callscore.core.summary import Summary
from callscore.reports.score import MOST_TRIAL_COLUMNS, shown_trials, trial_table

CALLS = (ToolCall("f", {}),)
RIGHT, WRONG = Score(CALLS, CALLS, 1), Score(CALLS, (), 0)


def tried(trials: int) -> Summary:
    """One case, of which all trials but one pass."""
    summary = Summary()
    for number in range(trials):
        summary.add(WRONG if number == 0 else RIGHT, trial_of="case")
    return summary


def test_without_trials_there_is_no_table() -> None:
    assert trial_table(Summary()) == ([], [])


def test_few_trials_are_all_shown() -> None:
    labels, rows = trial_table(tried(2))

    assert labels == ["k=1", "k=2"]
    assert rows == [("pass@k", "0.500", "1.000"), ("pass^k", "0.500", "0.000")]


def test_of_many_trials_each_column_has_its_own_number() -> None:
    summary = tried(12)

    labels, (_, (_, *rates)) = trial_table(summary)

    assert labels == ["k=1", "k=2", "k=3", "k=4", "k=5", "k=6", "k=8", "k=12"]
    assert rates[-2] == f"{summary.pass_hat_k()[7]:.3f}"
    assert rates[-1] == "0.000"


@pytest.mark.parametrize(
    ("trials", "most", "shown"),
    [
        (8, 8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (64, 8, [1, 2, 3, 4, 8, 16, 32, 64]),
        (12, 6, [1, 2, 3, 4, 8, 12]),
        (1000, 8, [1, 3, 9, 27, 81, 243, 729, 1000]),
        (5, 0, [1, 5]),
    ],
)
def test_the_first_ones_then_ever_greater_steps_and_the_last(
    trials: int, most: int, shown: list[int]
) -> None:
    assert shown_trials(trials, most=most) == shown


@given(st.integers(1, 3000), st.integers(2, MOST_TRIAL_COLUMNS))
def test_the_first_and_the_last_are_always_among_those_shown(trials: int, most: int) -> None:
    shown = shown_trials(trials, most=most)

    assert shown == sorted(set(shown))
    assert (shown[0], shown[-1]) == (1, trials)
    assert len(shown) == min(trials, most) or len(shown) > most // 2
    assert len(shown) <= most
