"""A run as it was, from what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, an_evaluation
from tests.servers.openai_server import OpenAIServer, Reply, openai_server

from callscore import expect, models
from callscore.core.results import CaseScore
from callscore.core.settings import Settings
from callscore.errors import InvalidSettings, UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.plan import make_plan
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import (
    ShowOptions,
    StoredScores,
    load_case,
    load_run,
    stored_calls,
)
from callscore.words.plain_data import run_to_dict

if TYPE_CHECKING:
    from callscore.core.results import RunResults, SavedCase
    from callscore.core.score import Score
    from callscore.evaluations.plan import Plan
    from callscore.history.records import ResultRecord
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
    a_case("right-unasked", expected=None),
    a_case("also-wrong", expected=[*RIGHT, expect.forbid("log")]),
]


def test_all_that_a_run_told_is_told_again(store: Store) -> None:
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


@pytest.mark.parametrize("show", ["failing", "all", "none"])
@pytest.mark.parametrize("max_shown", [None, 1])
def test_what_a_table_shows_needs_no_more_than_the_counts(
    store: Store, show: Any, max_shown: int | None
) -> None:
    first = ran(store, a_plan(agent, *CASES), show=show, max_shown=max_shown, fail_under=0.5)

    found = kept(store, ShowOptions(show=show, max_shown=max_shown))

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

    assert kept(store).warnings == ("this run did not finish: the report has the answers so far",)
    assert kept(store, ShowOptions(lang="ru")).warnings[0].startswith("прогон не завершён")


def test_a_run_whose_process_was_ended_is_never_below_fail_under(store: Store) -> None:
    ran(store, a_plan(agent, *CASES, fail_under=0.9))
    saved = store.find("latest")
    store.begin(replace(saved, status="running"))  # as it is before the end
    store.add_evaluation(replace(store.evaluations(saved.id)[0], summary={}))

    found = kept(store)

    (scorer,) = found.evaluations[0].scorers
    assert (scorer.name, scorer.scored, scorer.fail_under) == ("accuracy", 4, None)
    assert found.below == ()


def test_where_only_python_knows_what_was_expected_the_calls_are_shown(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    case = a_case("python", expected=[wanted])
    ran(store, a_plan(lambda _: [("search", {"$where": 1, "limit": 2})], case))

    found = kept(store)

    (shown,) = found.evaluations[0].unreferenced
    assert [call.name for call in shown.calls] == ["search"]
    assert found.evaluations[0].scorers[0].mean == 0.0
    assert found.warnings[0].startswith("for 1 case only the calls are shown")


def test_a_forbidden_call_is_named_also_where_nobody_has_counted_by_tools(store: Store) -> None:
    case = a_case("a", expected=[*RIGHT, expect.forbid("log")])
    ran(store, a_plan(lambda _: WRONG, case))
    saved = store.find("latest")
    store.begin(replace(saved, status="running"))
    store.save_results([replace(each, tools=None) for each in store.results(saved.id)])
    store.begin(saved)

    (found,) = kept(store, ShowOptions(show="none")).evaluations

    assert found.results.summary.tools["log"].forbidden == 1


def test_what_was_scored_then_is_not_scored_otherwise_now(store: Store) -> None:
    ran(store, a_plan(lambda _: WRONG, a_case("a")))
    saved = store.find("latest")
    store.begin(replace(saved, status="running"))
    [record] = store.results(saved.id)
    counts = (1, *record.counts[1:4], 3, *record.counts[5:])
    store.save_results([replace(record, counts=counts)])
    store.begin(saved)

    found = kept(store, ShowOptions(show="all"))

    (shown,) = found.evaluations[0].unreferenced
    assert not isinstance(shown, CaseScore)
    assert found.evaluations[0].results.summary.outcomes == {(1, 3, 2, 0): 1}


def test_more_results_than_a_statement_takes_are_all_shown(store: Store) -> None:
    ran(store, a_plan(lambda _: WRONG, *[a_case(f"case-{each}") for each in range(900)]))

    (found,) = kept(store, ShowOptions(max_shown=None)).evaluations

    assert len(found.results.cases) == 900


def test_a_run_of_nothing_has_no_evaluations(store: Store) -> None:
    ran(store, make_plan([]))

    assert kept(store).evaluations == ()


# One case of a run, with all that was kept of it.


def run_one_job(store: Store, asked: Plan) -> None:
    run(asked, RunOptions(jobs=1), store=store)


def found(store: Store, reference: str, keyword: str = "") -> list[SavedCase]:
    return load_case(store, store.find("latest"), reference, keyword)


def test_a_case_has_what_was_asked_expected_and_done(store: Store) -> None:
    case = a_case("weather", tags=["smoke"], metadata={"who": "me"})
    run_one_job(store, a_plan(lambda _: RIGHT, case, trials=2, pass_mark=0.5))

    (one,) = found(store, "weather")

    assert (one.id, one.evaluation, one.tags) == ("weather", "assistant", ("smoke",))
    assert one.input == "Ask about weather"
    assert one.expected == RIGHT
    assert one.metadata == {"who": "me"}
    assert one.pass_mark == 0.5
    assert [
        (trial.case.trial, trial.passed, trial.saved and trial.saved.f1) for trial in one.trials
    ] == [
        (1, True, 1.0),
        (2, True, 1.0),
    ]
    assert one.trials[0].score is not None
    assert one.trials[0].answer is not None
    assert one.trials[0].answer.document == RIGHT


def test_a_case_without_an_answer_has_the_reason(store: Store) -> None:
    def raising(_: Any) -> Any:
        raise ValueError("not today")

    run_one_job(store, a_plan(raising, a_case("weather")))

    (one,) = found(store, "weather")

    failure = one.trials[0].failure
    assert failure is not None
    assert (failure.kind, failure.problem) == ("raised", "the task raised ValueError: not today")
    assert one.trials[0].status == "error"


def test_a_case_that_only_python_can_say_has_what_was_kept(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    run_one_job(
        store, a_plan(lambda _: [("search", {"$where": 1})], a_case("odd", expected=[wanted]))
    )

    (one,) = found(store, "odd")

    assert one.trials[0].score is None
    kept = one.trials[0].saved
    assert kept is not None
    assert kept.comparison is not None
    assert kept.comparison["pairs"] == [[0, 0, False]]


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
        ("first::same", "", ["first"]),
        ("second::same", "", ["second [north]", "second [south]"]),
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


@pytest.mark.parametrize("reference", ["sme", "third::same", "nobody::same"])
def test_a_case_that_there_is_not_is_told_with_those_that_there_are(
    store: Store, reference: str
) -> None:
    several(store)

    with pytest.raises(
        UnknownRun, match=r"has no case .*\. (Choose from: same, a::b|Did you mean 'same')"
    ):
        found(store, reference)


def test_a_run_without_cases_says_so(store: Store) -> None:
    run_one_job(store, make_plan([]))

    with pytest.raises(UnknownRun, match="has no case 'x': it has no cases"):
        found(store, "x")


def test_a_variant_and_an_evaluation_are_named_in_front(store: Store) -> None:
    asked = make_plan(
        [
            an_evaluation(
                lambda _, a: RIGHT[:a],
                a_case("a::b"),
                variants={"mini": {"a": 1}, "large": {"a": 2}},
            ),
            an_evaluation(lambda _: RIGHT, a_case("a::b"), name="other"),
        ]
    )
    run_one_job(store, asked)
    newest = store.find("latest")

    assert len(found(store, "a::b")) == 3
    for reference in ("assistant [mini]::a::b", "other::a::b"):
        (one,) = found(store, reference)
        assert f"{one.evaluation}::{one.id}" == reference
    (large,) = load_case(store, newest, "a::b", variant="large")
    assert large.evaluation == "assistant [large]"
    with pytest.raises(UnknownRun, match=r"no variant 'huge'\. Choose from: mini, large"):
        load_case(store, newest, "a::b", variant="huge")


# Scores that are made anew of what is kept; nobody is asked anything.


def first_result(store: Store, asked: Plan) -> ResultRecord:
    found = run(asked, RunOptions(jobs=1), store=store)
    return next(store.results(found.id))


def score_of(store: Store, record: ResultRecord) -> Score | None:
    return StoredScores(store, store.evaluations(record.run)).score_of(record)


def test_a_score_is_what_it_was_with_what_the_tools_say(store: Store) -> None:
    answer = [{"name": "get_weather", "arguments": {"city": 7}}]
    record = first_result(store, a_plan(lambda _: answer, a_case(), tools=[WEATHER]))

    score = score_of(store, record)

    assert score is not None
    assert score.f1 == record.f1 == 0.0
    assert [fault.kind for fault in score.faults or ()] == ["wrong_type"]


def test_the_tools_of_a_case_count_where_the_evaluation_has_none(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case(tools=[WEATHER])))

    score = score_of(store, record)

    assert score is not None
    assert score.faults == ()


def test_an_error_has_no_score(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: 1 / 0, a_case()))

    assert score_of(store, record) is None


def test_settings_that_nobody_knows_any_more_are_the_usual_ones(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case()))
    (evaluation,) = store.evaluations(record.run)
    strange = replace(evaluation, settings={"glow": "in the dark"})

    assert StoredScores(store, [strange]).settings_of(0) == Settings()


def judge_server() -> Any:
    return openai_server(lambda *_: Reply(text='{"verdict": true, "reason": "it is a city"}'))


def judged(store: Store, server: OpenAIServer) -> ResultRecord:
    judge = models.judge("judge", base_url=server.base_url)
    case = a_case(expected=[expect.call("get_weather", city=expect.judge("Is it a city?"))])
    return first_result(store, a_plan(lambda _: RIGHT, case, judge=judge))


def test_a_judge_is_remembered_and_not_asked(store: Store) -> None:
    with judge_server() as server:
        record = judged(store, server)
        asked = len(server.requests)

        score = score_of(store, record)

        assert asked == len(server.requests) == 1
    assert score is not None
    assert score.f1 == 1.0


def test_a_judge_who_has_forgotten_is_not_asked_either(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server() as server:
        record = judged(store, server)
        monkeypatch.setattr(store, "judgement", lambda _: None)

        assert score_of(store, record) is None
        assert len(server.requests) == 1


def test_calls_that_are_none_are_left_out(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case()))

    assert [call.name for call in stored_calls(record)] == ["get_weather"]
    assert stored_calls(replace(record, calls=[{"arguments": {}}])) == ()
    assert stored_calls(replace(record, calls=None)) == ()
