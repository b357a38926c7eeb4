"""Results without what was asked and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.history.made_up import a_result, a_run, an_evaluation, recorded_queries

from callscore.core.results import MetricValue, SavedScore, Usage
from callscore.errors import UnknownRun
from callscore.history.records import (
    asked_digest,
    calls_digest,
    expectation_digest,
    settings_digest,
)
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
    store.save_results(
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
    assert first.saved == SavedScore(
        counts=(1, 0, 0, 0, 1, 1, 0), tools={"search": (1, 0, 0, 2, 0)}
    )
    assert (first.values, first.passed) == (values, True)
    assert (second.case.id, second.case.trial) == ("a", 2)
    assert second.answer is not None
    assert (second.answer.is_reused, second.answer.usage) == (True, Usage(3, 20, 10))
    assert third.failure is not None
    assert (third.failure.kind, third.failure.problem) == ("timeout", "too slow")
    assert third.saved == SavedScore()


def test_there_is_no_trial_where_each_case_has_one(store: Store) -> None:
    run = begun(store)
    store.save_results([a_result(run, "a", values=()), a_result(run, "b", trial=2)])

    (row,) = light_results(store, run, lambda _, case: case == "a")

    assert (row.result.case.trial, row.result.values) == (None, ())


def test_other_runs_are_left_alone(store: Store) -> None:
    run, other = begun(store), store.begin(a_run("20261115-184355-zzzz", started_at=1.0)).id
    store.add_evaluation(an_evaluation(other))
    store.save_results([a_result(run, "a"), a_result(other, "b")])

    assert [each.result.case.id for each in light_results(store, run)] == ["a"]
    with pytest.raises(UnknownRun):
        light_results(store, "20200101-000000-none")


def test_some_of_them_are_read_whole(store: Store) -> None:
    run = begun(store)
    kept = [a_result(run, name) for name in ("a", "b", "c")]
    store.save_results(kept)
    wanted = [each for each in light_results(store, run) if each.result.case.id != "b"]

    found = full_results(store, run, wanted)

    assert [found[each.number].case for each in wanted] == ["a", "c"]
    assert found[wanted[0].number].payload == kept[0].payload
    assert full_results(store, run, []) == {}


# What a run brings to a comparison is read in one go, without the texts.

RUN = a_run().id


def test_a_run_says_what_it_is(store: Store) -> None:
    run = a_run(status="finished", git_commit="ab" * 20, git_dirty=True, command="rescore")
    store.begin(run)

    side = store.side(run, "main")

    assert (side.label, side.run, side.command) == ("main", RUN, "rescore")
    assert (side.started_at, side.git_commit, side.git_dirty) == (run.started_at, "ab" * 20, True)
    assert side.is_finished
    assert side.evaluations == ()


def test_a_run_that_did_not_end_says_so(store: Store) -> None:
    run = store.begin(a_run(status="interrupted"))

    assert not store.side(run, "latest").is_finished


def test_a_trial_has_all_that_is_compared(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(
        an_evaluation(
            RUN, place="evals/a.py::assistant", settings={"mode": "strict"}, scorers=("f",)
        )
    )
    record = a_result(
        RUN,
        passed=False,
        f1=0.5,
        counts=(1, 0, 1, 1, 2, 2, 1),
        faults=2,
        tools={"search": (1, 0, 1, 1, 1)},
        expectation="ab" * 16,
        asked="cd" * 16,
        values=(MetricValue("accuracy", 0.5, "half"), MetricValue("polite", None, "not asked")),
    )
    store.save_results([record])

    [evaluation] = store.side(run, "latest").evaluations
    [case] = evaluation.cases
    [trial] = case.trials

    assert (evaluation.name, evaluation.place) == ("assistant", "evals/a.py::assistant")
    assert evaluation.settings == settings_digest({"mode": "strict"}, ["f"])
    assert (case.id, case.tags) == ("weather", ("smoke",))
    assert (case.expectation, case.asked) == ("ab" * 16, "cd" * 16)
    assert (trial.status, trial.passed, trial.f1) == ("scored", False, 0.5)
    assert trial.values == (("accuracy", 0.5), ("polite", None))
    assert (trial.forbidden, trial.faults) == (1, 2)
    assert trial.tools == {"search": (1, 0, 1, 1, 1)}
    assert trial.calls == calls_digest(record.calls)
    assert trial.failure == ""


def test_a_trial_without_an_answer_says_why(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results(
        [
            a_result(
                RUN,
                status="error",
                calls=None,
                f1=None,
                counts=(),
                passed=None,
                values=(),
                payload={},
                failure=("timeout", "no answer within 60 s"),
            )
        ]
    )

    [case] = store.side(run, "latest").evaluations[0].cases
    [trial] = case.trials

    assert (trial.status, trial.failure) == ("error", "no answer within 60 s")
    assert (trial.passed, trial.f1, trial.values, trial.calls) == (None, None, (), "")
    assert (trial.forbidden, trial.faults, trial.tools) == (0, None, None)
    assert (case.tags, case.expectation, case.asked) == ((), "", "")


def test_trials_come_in_order_however_they_were_written(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, trial=trial, f1=trial / 4) for trial in (3, 1, 2)])
    store.save_results([a_result(RUN, "other")])

    [evaluation] = store.side(run, "latest").evaluations

    assert [case.id for case in evaluation.cases] == ["weather", "other"]
    assert [trial.f1 for trial in evaluation.cases[0].trials] == [0.25, 0.5, 0.75]


def test_evaluations_do_not_share_their_cases(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN, 0))
    store.add_evaluation(an_evaluation(RUN, 1, name="router"))
    store.add_evaluation(an_evaluation(RUN, 2, name="empty"))
    store.save_results([a_result(RUN, f1=0.25), a_result(RUN, evaluation=1, f1=0.75)])

    side = store.side(run, "latest")

    assert [[case.trials[0].f1 for case in each.cases] for each in side.evaluations] == [
        [0.25],
        [0.75],
        [],
    ]


def test_a_variant_leaves_the_others_out(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN, 0, variant="small"))
    store.add_evaluation(an_evaluation(RUN, 1, variant="large"))
    store.save_results([a_result(RUN, f1=0.25), a_result(RUN, evaluation=1, f1=0.75)])

    [evaluation] = store.side(run, "latest", "large").evaluations

    assert evaluation.label == "assistant [large]"
    assert [case.trials[0].f1 for case in evaluation.cases] == [0.75]


def test_an_unknown_variant_is_told_with_those_there_are(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN, 0, variant="small"))
    store.add_evaluation(an_evaluation(RUN, 1, variant="large"))

    with pytest.raises(UnknownRun) as caught:
        store.side(run, "latest", "lage")

    assert str(caught.value) == (f"run {RUN} has no variant 'lage'. Did you mean 'large'?")


def test_a_run_without_variants_says_that_it_has_none(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))

    with pytest.raises(UnknownRun, match="it has no variants"):
        store.side(run, "latest", "large")


def test_mean_below_fail_unders_are_told_in_every_language(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    scorers = [
        {"name": "accuracy", "mean": 2 / 3, "fail_under": 0.9},
        {"name": "polite", "mean": None, "fail_under": 0.5},
        {"name": "fine", "mean": 0.5, "fail_under": 0.5},
        {"name": "free", "mean": 0.1, "fail_under": None},
    ]
    store.finish(RUN, "finished", {}, {0: {"scorers": scorers}})

    [evaluation] = store.side(run, "latest").evaluations

    assert [note.text("en") for note in evaluation.below] == [
        "accuracy 0.667, required ≥ 0.900",
        "polite has no value, required ≥ 0.500",
    ]
    assert all("требуется" in note.text("ru") for note in evaluation.below)
    assert evaluation.required == {"accuracy": 0.9, "polite": 0.5, "fine": 0.5}


def test_the_texts_of_cases_and_answers_are_not_read(store: Store) -> None:
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, f"case-{number}") for number in range(5)])

    with recorded_queries(store) as said:
        side = store.side(run, "latest")

    assert len(side.evaluations[0].cases) == 5
    # The key, the run, its evaluations, its results.
    assert len([each for each in said if each.startswith("SELECT")]) == 4
    assert "payloads" not in "".join(said)


def test_the_digests_of_a_case_do_not_depend_on_the_run(store: Store) -> None:
    payload = {"input": {"b": 1, "a": [1.5, None]}, "expected": ["search"], "tags": ["x"]}
    other = {"tags": ["y"], "expected": ["search"], "input": {"a": [1.5, None], "b": 1}}
    kept = a_result(
        RUN,
        payload=payload,
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
    )
    run = store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([kept, replace(kept, case="other", payload=other)])

    first, second = store.side(run, "latest").evaluations[0].cases

    assert (first.expectation, first.asked) == (expectation_digest(other), asked_digest(other))
    assert (second.tags, first.tags) == (("y",), ("x",))


def test_results_come_in_the_order_of_the_cases_not_of_the_answers(store: Store) -> None:
    run = begun(store)
    store.save_results([a_result(run, "second", position=1), a_result(run, "first", position=0)])

    assert [row.result.case.id for row in light_results(store, run)] == ["first", "second"]
    side = store.side(store.find(run), run)
    assert [case.id for case in side.evaluations[0].cases] == ["first", "second"]
