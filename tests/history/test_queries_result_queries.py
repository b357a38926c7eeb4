"""The results of a run: of one case, of one evaluation, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import UnknownRun
from callscore.history.queries import page_of_results

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"


@pytest.fixture
def filled(store: Store) -> Store:
    for run in (RUN, OTHER):
        store.begin(a_run(run))
        store.add_evaluation(an_evaluation(run))
    store.keep(
        [
            a_result(RUN, case, evaluation=evaluation, trial=trial)
            for evaluation in (1, 0)
            for trial in (2, 1)
            for case in ("weather", "погода")
        ]
    )
    store.keep([a_result(OTHER)])
    return store


def test_a_case_is_found_in_each_evaluation_and_trial(filled: Store) -> None:
    found = filled.result(RUN, "погода")

    assert [(each.evaluation, each.trial) for each in found] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert found[0] == a_result(RUN, "погода")


def test_one_trial_or_one_evaluation_may_be_meant(filled: Store) -> None:
    trial = filled.result(RUN, "weather", trial=2)
    evaluation = filled.result(RUN, "weather", evaluation=1)
    both = filled.result(RUN, "weather", trial=2, evaluation=1)

    assert [each.evaluation for each in trial] == [0, 1]
    assert [each.trial for each in evaluation] == [1, 2]
    assert both == [a_result(RUN, evaluation=1, trial=2)]


def test_a_case_that_is_not_there_gives_nothing(filled: Store) -> None:
    assert filled.result(RUN, "Weather") == []
    assert filled.result(OTHER, "weather", trial=3) == []
    with pytest.raises(UnknownRun):
        filled.result("20000101-000000-none", "weather")


def test_a_page_goes_on_where_the_last_one_ended(filled: Store) -> None:
    with filled.reading() as connection:
        first, last = page_of_results(connection, (RUN, 1), None, after=-1, limit=5)
        second, end = page_of_results(connection, (RUN, 1), None, after=last, limit=5)
        nothing = page_of_results(connection, (RUN, 1), None, after=end, limit=5)

    assert first + second == list(filled.results(RUN))
    assert (len(first), len(second), nothing) == (5, 3, ([], end))


def test_the_most_trials_of_each_evaluation_are_told(filled: Store) -> None:
    assert filled.trials(RUN) == {0: 2, 1: 2}
    assert filled.trials(OTHER) == {0: 1}
