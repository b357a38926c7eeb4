"""How often agents succeed when they may try several times."""

from __future__ import annotations

import pytest

from callscore.core.results import CaseTrials
from callscore.core.summary import PassRates, pass_rates


def test_the_chances_are_meaned_over_the_cases() -> None:
    rates = pass_rates([CaseTrials("always", 3, 3), CaseTrials("now and then", 3, 1)])

    assert rates.at_k == pytest.approx([(1 + 1 / 3) / 2, (1 + 2 / 3) / 2, 1.0])
    assert rates.hat_k == pytest.approx([(1 + 1 / 3) / 2, 0.5, 0.5])


def test_a_case_with_fewer_trials_bounds_how_far_the_chances_go() -> None:
    rates = pass_rates([CaseTrials("three", 3, 3), CaseTrials("one was an error", 2, 2)])

    assert rates == PassRates([1.0, 1.0], [1.0, 1.0])


def test_a_case_without_a_scored_trial_says_nothing() -> None:
    rates = pass_rates([CaseTrials("all errors", 0, 0), CaseTrials("fine", 1, 1)])

    assert rates == PassRates([1.0], [1.0])


def test_without_trials_there_are_no_chances() -> None:
    assert pass_rates([]) == PassRates([], [])
    assert pass_rates([CaseTrials("all errors", 0, 0)]) == PassRates([], [])
