"""The results of some cases of a stored run, with everything that is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.runner.agents import RIGHT, a_case, a_plan, an_evaluation

from callscore.evaluations.plan import make_plan
from callscore.hiding.hider import Hider
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_results import StoredResults

if TYPE_CHECKING:
    import pytest

    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

WRONG = [{"name": "get_weather", "arguments": {"city": "Oslo"}}]


def results_of(store: Store, asked: Plan) -> StoredResults:
    found = run(asked, RunOptions(jobs=1), store=store)
    return StoredResults(store, found.id, store.evaluations(found.id))


def test_a_result_has_the_case_the_answer_and_the_score(store: Store) -> None:
    case = a_case("rain", tags=["smoke"], metadata={"from": "log"})
    results = results_of(store, a_plan(lambda _: WRONG, case))

    [[found]] = results.of_cases([(0, "rain")])

    assert (found.case.input, found.case.tags) == ("Ask about rain", ["smoke"])
    assert found.case.metadata == {"from": "log"}
    assert found.case.trial is None
    assert found.answer is not None
    assert found.answer.document == WRONG
    assert found.score is not None
    assert [pair.actual.arguments for pair in found.score.incorrect] == [{"city": "Oslo"}]
    assert found.passed is False


def test_the_trials_of_a_case_are_numbered_and_in_order(store: Store) -> None:
    answers = iter([RIGHT, WRONG, WRONG, RIGHT])
    results = results_of(store, a_plan(lambda _: next(answers), a_case("a"), a_case("b"), trials=2))

    second, first = results.of_cases([(0, "b"), (0, "a")])

    assert [(each.case.trial, each.passed) for each in first] == [(1, True), (2, False)]
    assert [(each.case.trial, each.passed) for each in second] == [(1, False), (2, True)]


def test_the_number_of_the_evaluation_tells_cases_of_the_same_id_apart(store: Store) -> None:
    plan = make_plan(
        [
            an_evaluation(lambda _: RIGHT, a_case("a"), name="first"),
            an_evaluation(lambda _: WRONG, a_case("a"), name="second"),
        ]
    )
    results = results_of(store, plan)

    found = results.of_cases([(0, "a"), (1, "a"), (1, "unknown")])

    assert [[each.passed for each in trials] for trials in found] == [[True], [False], []]


def test_a_case_without_an_answer_says_why(store: Store) -> None:
    def agent(_: Any) -> Any:
        raise ValueError("not today")

    [[found]] = results_of(store, a_plan(agent, a_case("a"))).of_cases([(0, "a")])

    assert found.status == "error"
    assert found.failure is not None
    assert found.failure.problem == "the task raised ValueError: not today"
    assert found.score is None


def test_cases_are_found_by_ids_without_secrets(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = results_of(
        store, a_plan(lambda _: RIGHT, a_case("sk-1234567890abcdef-a"), a_case("plain"))
    )
    monkeypatch.setenv("SERVICE_API_KEY", "sk-1234567890abcdef")
    hidden = Hider(store.markers).text("sk-1234567890abcdef-a")

    found = results.of_cases([(0, hidden), (0, "plain"), (0, "sk-1234567890abcdef-a")])

    assert "1234567890" not in hidden
    assert [len(trials) for trials in found] == [1, 1, 0]
