"""A run as it was, from what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, an_evaluation

from callscore import expect
from callscore.core.results import CaseScore
from callscore.errors import InvalidSettings
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.plan import make_plan
from callscore.history.schema import evaluations
from callscore.history.schema import results as rows
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import ShowOptions, load_run
from callscore.words.plain_data import run_to_dict

if TYPE_CHECKING:
    from callscore.core.results import RunResults
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

WRONG = [{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "log", "arguments": {}}]
ALL = ShowOptions(show="all", most=None, is_whole=True)


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
    a_case("right-unasked", expected=None),
    a_case("also-wrong", expected=[*RIGHT, expect.forbid("log")]),
]


def test_all_that_a_run_told_is_told_again(store: Store) -> None:
    first = ran(store, a_plan(agent, *CASES, tools=[WEATHER]), show="all", most=None)

    assert as_data(kept(store, ALL)) == as_data(first)


def test_repeated_trials_and_thresholds_are_told_again(store: Store) -> None:
    answers = iter([RIGHT, WRONG, WRONG, WRONG])
    first = ran(
        store,
        a_plan(lambda _: next(answers), a_case("a"), a_case("b"), trials=2, thresholds=0.9),
        show="all",
        most=None,
    )

    found = kept(store, ALL)

    assert as_data(found) == as_data(first)
    assert found.below == ("assistant: accuracy",)


@pytest.mark.parametrize("show", ["failing", "all", "none"])
@pytest.mark.parametrize("most", [None, 1])
def test_what_a_table_shows_needs_no_more_than_the_counts(
    store: Store, show: Any, most: int | None
) -> None:
    first = ran(store, a_plan(agent, *CASES), show=show, most=most, fail_under=0.5)

    found = kept(store, ShowOptions(show=show, most=most))

    (was,), (now,) = first.evaluations, found.evaluations
    assert now.scorers == was.scorers
    assert [case.id for case in now.results.cases] == [case.id for case in was.results.cases]
    assert now.results.not_shown == was.results.not_shown
    assert now.unreferenced == was.unreferenced
    assert (now.passed, now.errors, now.undecided) == (was.passed, was.errors, was.undecided)
    assert now.results.summary.outcomes == was.results.summary.outcomes
    assert now.results.summary.tools == was.results.summary.tools
    assert not now.results.summary.confusion


def test_of_a_case_that_fails_in_every_trial_the_first_is_shown(store: Store) -> None:
    ran(store, a_plan(lambda _: WRONG, a_case("a"), trials=3))

    (found,) = kept(store).evaluations

    assert [(case.id, case.trial) for case in found.results.cases] == [("a", 1)]
    assert found.results.not_shown == 0
    assert [(each.trials, each.passed) for each in found.trials] == [(3, 0)]


def test_calls_that_all_do_not_count_are_noted(store: Store) -> None:
    cases = [a_case("read", expected=[]), a_case("none", expected=[])]
    ran(
        store,
        a_plan(
            lambda case: RIGHT if case.id == "read" else [],
            *cases,
            count_calls="writes",
            effects={"get_*": "read"},
        ),
    )

    (found,) = kept(store).evaluations

    assert found.results.summary.uncounted_cases == 1


def test_words_choose_evaluations_and_cases(store: Store) -> None:
    both = [
        an_evaluation(agent, *CASES, name="first"),
        an_evaluation(agent, a_case("wrong"), name="second"),
    ]
    ran(store, make_plan(both))

    found = kept(store, ShowOptions(keyword="first and wrong"))

    assert [each.name for each in found.evaluations] == ["first"]
    assert [case.id for case in found.evaluations[0].results.cases] == ["wrong", "also-wrong"]
    assert found.evaluations[0].questions == 2
    with pytest.raises(InvalidSettings, match="a word is missing"):
        kept(store, ShowOptions(keyword="first and"))


def test_a_run_that_did_not_end_says_so(store: Store) -> None:
    first = ran(store, a_plan(agent, *CASES))
    store.finish(first.id, "interrupted", {}, {})

    assert kept(store).warnings == ("this run did not come to its end: what was answered is shown",)
    assert kept(store, ShowOptions(lang="ru")).warnings[0].startswith("этот прогон не завершён")


def test_a_run_whose_process_was_ended_misses_no_threshold(store: Store) -> None:
    ran(store, a_plan(agent, *CASES, thresholds=0.9))
    with store.writing() as connection:  # as it is before the end
        connection.execute(evaluations.update().values(summary=None))

    found = kept(store)

    (scorer,) = found.evaluations[0].scorers
    assert (scorer.name, scorer.scored, scorer.threshold) == ("accuracy", 3, None)
    assert found.below == ()


def test_where_only_python_knows_what_was_expected_the_calls_are_shown(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    case = a_case("python", expected=[wanted])
    ran(store, a_plan(lambda _: [("search", {"$where": 1, "limit": 2})], case))

    found = kept(store)

    (shown,) = found.evaluations[0].unreferenced
    assert [call.name for call in shown.calls] == ["search"]
    assert found.evaluations[0].scorers[0].mean == 0.0
    assert found.warnings[0].startswith("of 1 case only the calls are shown")


def test_a_forbidden_call_is_named_also_where_nobody_has_counted_by_tools(store: Store) -> None:
    case = a_case("a", expected=[*RIGHT, expect.forbid("log")])
    ran(store, a_plan(lambda _: WRONG, case))
    with store.writing() as connection:  # as an older callscore has left it
        connection.execute(rows.update().values(tools=None))

    (found,) = kept(store, ShowOptions(show="none")).evaluations

    assert found.results.summary.tools["log"].forbidden == 1


def test_what_was_scored_then_is_not_scored_otherwise_now(store: Store) -> None:
    ran(store, a_plan(lambda _: WRONG, a_case("a")))
    with store.writing() as connection:
        connection.execute(rows.update().values(correct=1, expected=3))

    found = kept(store, ShowOptions(show="all"))

    (shown,) = found.evaluations[0].unreferenced
    assert not isinstance(shown, CaseScore)
    assert found.evaluations[0].results.summary.outcomes == {(1, 3, 2, 0): 1}


def test_more_results_than_a_statement_takes_are_all_shown(store: Store) -> None:
    ran(store, a_plan(lambda _: WRONG, *[a_case(f"case-{each}") for each in range(900)]))

    (found,) = kept(store, ShowOptions(most=None)).evaluations

    assert len(found.results.cases) == 900


def test_a_run_of_nothing_has_no_evaluations(store: Store) -> None:
    ran(store, make_plan([]))

    assert kept(store).evaluations == ()
