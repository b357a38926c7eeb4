"""One case of a run, with all that was kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.runner.agents import RIGHT, a_case, a_plan, an_evaluation

from callscore import expect
from callscore.errors import UnknownRun
from callscore.evaluations.plan import make_plan
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import load_case

if TYPE_CHECKING:
    from callscore.core.results import KeptCase
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store


def ran(store: Store, asked: Plan) -> None:
    run(asked, RunOptions(jobs=1), store=store)


def found(store: Store, reference: str, keyword: str = "") -> list[KeptCase]:
    return load_case(store, store.find("latest"), reference, keyword)


def test_a_case_has_what_was_asked_expected_and_done(store: Store) -> None:
    case = a_case("weather", tags=["smoke"], metadata={"who": "me"})
    ran(store, a_plan(lambda _: RIGHT, case, trials=2, at_least=0.5))

    (one,) = found(store, "weather")

    assert (one.id, one.evaluation, one.tags) == ("weather", "assistant", ("smoke",))
    assert one.input == "Ask about weather"
    assert one.expected == RIGHT
    assert one.metadata == {"who": "me"}
    assert one.at_least == 0.5
    assert [
        (trial.case.trial, trial.passed, trial.kept and trial.kept.f1) for trial in one.trials
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

    ran(store, a_plan(raising, a_case("weather")))

    (one,) = found(store, "weather")

    failure = one.trials[0].failure
    assert failure is not None
    assert (failure.kind, failure.problem) == ("raised", "the task raised ValueError: not today")
    assert one.trials[0].status == "error"


def test_a_case_that_only_python_can_say_has_what_was_kept(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    ran(store, a_plan(lambda _: [("search", {"$where": 1})], a_case("odd", expected=[wanted])))

    (one,) = found(store, "odd")

    assert one.trials[0].score is None
    kept = one.trials[0].kept
    assert kept is not None
    assert kept.comparison is not None
    assert kept.comparison["pairs"] == [[0, 0, False]]


def several(store: Store) -> None:
    variants: dict[str, Any] = {"north": {}, "south": {}}
    ran(
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

    with pytest.raises(UnknownRun, match=r"has no such case .*; it has same, a::b"):
        found(store, reference)


def test_a_run_without_cases_says_so(store: Store) -> None:
    ran(store, make_plan([]))

    with pytest.raises(UnknownRun, match="has no such case 'x': it has none"):
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
    ran(store, asked)
    newest = store.find("latest")

    assert len(found(store, "a::b")) == 3
    for reference in ("assistant [mini]::a::b", "other::a::b"):
        (one,) = found(store, reference)
        assert f"{one.evaluation}::{one.id}" == reference
    (large,) = load_case(store, newest, "a::b", variant="large")
    assert large.evaluation == "assistant [large]"
    with pytest.raises(UnknownRun, match="no variant 'huge'; it has mini, large"):
        load_case(store, newest, "a::b", variant="huge")
