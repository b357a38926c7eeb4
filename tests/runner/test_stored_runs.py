"""A run as it was, from what is kept of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, an_evaluation
from tests.servers.openai_server import Reply, openai_server

from callscore import expect, models
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.plan import make_plan
from callscore.history import saved_scores
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import (
    ShowOptions,
    load_case,
    load_run,
)
from callscore.words.plain_data import run_to_dict

if TYPE_CHECKING:
    from callscore.core.results import RunResults, SavedCase
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

WRONG = [{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "log", "arguments": {}}]
ALL = ShowOptions(show="all", max_shown=None, is_whole=True)


def ran(store: Store, asked: Plan, **options: Any) -> RunResults:
    return run(asked, RunOptions(jobs=1, **options), store=store)


def kept(store: Store, options: ShowOptions | None = None) -> RunResults:
    return load_run(store, store.find("latest"), options or ShowOptions())


def as_data(found: RunResults) -> dict[str, Any]:
    """A run without what nobody keeps: the lines of its evaluations, and how long it took to the last."""
    data = run_to_dict(
        replace(
            found,
            seconds=0.0,
            evaluations=tuple(
                replace(each, place=file_of_location(each.place)) for each in found.evaluations
            ),
        )
    )
    for each in data["evaluations"]:
        each["place"] = ""
        for failure in each["failures"]:
            failure["details"] = ""
    return data


def agent(case: Any) -> Any:
    if case.id == "raising":
        raise ValueError("not today")
    return RIGHT if case.id.startswith("right") else WRONG


CASES = [
    a_case("right", tags=["smoke"]),
    a_case("wrong"),
    a_case("raising"),
    a_case("right-unasked", expected=UNSET),
    a_case("also-wrong", expected=[*RIGHT, expect.forbid("log")]),
]


def test_a_loaded_run_has_the_results_it_had_when_it_ran(store: Store) -> None:
    first = ran(store, a_plan(agent, *CASES, tools=[WEATHER]), show="all", max_shown=None)

    assert as_data(kept(store, ALL)) == as_data(first)


def test_repeated_trials_and_fail_under_are_told_again(store: Store) -> None:
    answers = iter([RIGHT, WRONG, WRONG, WRONG])
    first = ran(
        store,
        a_plan(lambda _: next(answers), a_case("a"), a_case("b"), trials=2, fail_under=0.9),
        show="all",
        max_shown=None,
    )

    found = kept(store, ALL)

    assert as_data(found) == as_data(first)
    assert found.below == ("assistant: accuracy",)


@pytest.mark.parametrize("is_whole", [True, False])
def test_cases_are_in_the_order_of_the_plan_whichever_was_answered_first(
    store: Store, *, is_whole: bool
) -> None:
    answered: list[str] = []
    is_done = asyncio.Event()

    async def task(case: Any) -> Any:
        if case.id == "first":
            await is_done.wait()
        is_done.set()
        answered.append(case.id)
        return WRONG

    run(a_plan(task, a_case("first"), a_case("second")), RunOptions(jobs=2), store=store)

    (found,) = kept(store, ShowOptions(is_whole=is_whole)).evaluations
    assert answered == ["second", "first"]
    assert [case.id for case in found.results.cases] == ["first", "second"]


@pytest.mark.parametrize("show", ["failing", "all", "none"])
@pytest.mark.parametrize("max_shown", [None, 1])
def test_a_run_loaded_for_a_table_has_its_counts_but_no_confusion(
    store: Store, show: Any, max_shown: int | None
) -> None:
    first = ran(store, a_plan(agent, *CASES), show=show, max_shown=max_shown, fail_under=0.5)

    found = kept(store, ShowOptions(show=show, max_shown=max_shown))

    (was,), (now,) = first.evaluations, found.evaluations
    assert now.scorers == was.scorers
    assert [case.id for case in now.results.cases] == [case.id for case in was.results.cases]
    assert now.results.not_shown == was.results.not_shown
    assert [each.label for each in now.unreferenced] == [each.label for each in was.unreferenced]
    assert (now.passed, now.errors, now.undecided) == (was.passed, was.errors, was.undecided)
    assert now.results.summary.outcomes == was.results.summary.outcomes
    assert now.results.summary.tools == was.results.summary.tools
    assert not now.results.summary.confusion


def test_a_run_whose_process_was_ended_is_never_below_fail_under(store: Store) -> None:
    ran(store, a_plan(agent, *CASES, fail_under=0.9))
    saved = store.find("latest")
    store.begin(replace(saved, status="running"))  # as it is before the end
    store.add_evaluation(replace(store.evaluations(saved.id)[0], summary={}))

    found = kept(store)

    (scorer,) = found.evaluations[0].scorers
    assert (scorer.name, scorer.scored, scorer.fail_under) == ("accuracy", 4, None)
    assert found.below == ()
    assert found.is_interrupted


def test_what_only_python_can_expect_is_shown_as_when_it_ran(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    case = a_case("python", expected=[wanted])
    first = ran(store, a_plan(lambda _: [("search", {"$where": 1, "limit": 2})], case))

    assert as_data(kept(store, ALL)) == as_data(first)


def test_a_score_that_cannot_be_read_leaves_the_calls(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_scores, "save_score", lambda *_: {"equal": "two"})
    ran(store, a_plan(lambda _: WRONG, a_case("a")))

    found = kept(store)

    (shown,) = found.evaluations[0].unreferenced
    assert [call.name for call in shown.case.actual or ()] == ["get_weather", "log"]
    assert found.evaluations[0].scorers[0].mean == 0.0
    assert found.warnings == (
        "for 1 case only the calls are shown: their scores in the history cannot be read",
    )


# One case of a run, with all that was kept of it.


def run_one_job(store: Store, asked: Plan) -> None:
    run(asked, RunOptions(jobs=1), store=store)


def found(store: Store, reference: str, keyword: str = "") -> list[SavedCase]:
    return load_case(store, store.find("latest"), reference, keyword)


def several(store: Store) -> None:
    variants: dict[str, Any] = {"north": {}, "south": {}}
    run_one_job(
        store,
        make_plan(
            [
                an_evaluation(lambda _: RIGHT, a_case("same"), name="first"),
                an_evaluation(lambda _: RIGHT, a_case("same"), name="second", variants=variants),
                an_evaluation(lambda _: RIGHT, a_case("a::b"), name="third"),
            ]
        ),
    )


@pytest.mark.parametrize(
    ("reference", "keyword", "labels"),
    [
        ("same", "", ["first", "second [north]", "second [south]"]),
        ("second [south]::same", "", ["second [south]"]),
        ("same", "north or first", ["first", "second [north]"]),
        ("a::b", "", ["third"]),
    ],
)
def test_a_case_of_several_evaluations_is_found_in_those_that_are_meant(
    store: Store, reference: str, keyword: str, labels: list[str]
) -> None:
    several(store)

    assert [case.evaluation for case in found(store, reference, keyword)] == labels


# Nothing is scored again to be shown, and nobody is asked anything.


def judge_server() -> Any:
    return openai_server(lambda *_: Reply(text='{"verdict": false, "reason": "a town"}'))


def test_a_judge_is_not_asked_to_show_a_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with judge_server() as server:
        judge = models.judge("judge", base_url=server.base_url)
        case = a_case(expected=[expect.call("get_weather", city=expect.judge("Is it a city?"))])
        first = ran(store, a_plan(lambda _: RIGHT, case, judge=judge))
        monkeypatch.setattr(store, "judgement", lambda _: None)

        found = kept(store, ALL)

        assert as_data(found)["evaluations"] == as_data(first)["evaluations"]
        assert len(server.requests) == 1
