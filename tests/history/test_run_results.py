"""Results without what was asked and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.core.results import KeptScore, MetricValue, Usage
from callscore.history.run_results import full_results, light_results

if TYPE_CHECKING:
    from callscore.history.store import Store


def begun(store: Store) -> str:
    run = store.begin(a_run()).id
    store.add_evaluation(an_evaluation(run))
    return run


def test_results_come_in_order_with_all_that_is_short(store: Store) -> None:
    run = begun(store)
    values = (
        MetricValue("accuracy", 0.5),
        MetricValue("polite", None, "it raises", is_broken=True),
    )
    store.keep(
        [
            a_result(run, "b", values=values, tools={"search": (1, 0, 0, 2, 0)}),
            a_result(run, "a", trial=2, usage=Usage(3, 20, 10), is_reused=True),
            a_result(
                run, "c", status="error", failure=("timeout", "too slow"), counts=(), passed=None
            ),
        ]
    )

    first, second, third = [row.result for row in light_results(store, run)]

    assert (first.case.id, first.case.trial, first.status) == ("b", 1, "scored")
    assert first.kept == KeptScore(counts=(1, 0, 0, 0, 1, 1, 0), tools={"search": (1, 0, 0, 2, 0)})
    assert (first.values, first.passed) == (values, True)
    assert (second.case.id, second.case.trial) == ("a", 2)
    assert second.answer is not None
    assert (second.answer.is_reused, second.answer.usage) == (True, Usage(3, 20, 10))
    assert third.failure is not None
    assert (third.failure.kind, third.failure.problem) == ("timeout", "too slow")
    assert third.kept == KeptScore()


def test_there_is_no_trial_where_each_case_has_one(store: Store) -> None:
    run = begun(store)
    store.keep([a_result(run, "a", values=()), a_result(run, "b", trial=2)])

    (row,) = light_results(store, run, lambda _, case: case == "a")

    assert (row.result.case.trial, row.result.values) == (None, ())


def test_other_runs_are_left_alone(store: Store) -> None:
    run, other = begun(store), store.begin(a_run("20261115-184355-zzzz", started_at=1.0)).id
    store.add_evaluation(an_evaluation(other))
    store.keep([a_result(run, "a"), a_result(other, "b")])

    assert [each.result.case.id for each in light_results(store, run)] == ["a"]
    assert light_results(store, "20200101-000000-none") == []


def test_some_of_them_are_read_whole(store: Store) -> None:
    run = begun(store)
    kept = [a_result(run, name) for name in ("a", "b", "c")]
    store.keep(kept)
    wanted = [each for each in light_results(store, run) if each.result.case.id != "b"]

    found = dict(full_results(store, run, wanted))

    assert [found[each.number].case for each in wanted] == ["a", "c"]
    assert found[wanted[0].number].payload == kept[0].payload
    assert list(full_results(store, run, [])) == []
