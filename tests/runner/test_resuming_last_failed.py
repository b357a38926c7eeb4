"""Which cases did not pass when they were run before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.history.opening import open_store
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
from callscore.runner.resuming import last_failed_cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store

PATHS = ["evals"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "history.db") as opened:
        yield opened


def keep(
    store: Store, number: int, outcomes: dict[str, list[bool | None]], **arguments: Any
) -> None:
    """A run, with what became of each trial of its cases; None for one without an answer."""
    command = arguments.pop("command", "run")
    status = arguments.pop("status", "finished")
    run = store.begin(
        RunRecord(
            id=f"run-{number}",
            command=command,
            started_at=float(number),
            arguments={"paths": PATHS, **arguments},
        )
    )
    record = EvaluationRecord(
        run=run.id, number=0, name="agent", variant="small", place="eval_a.py::agent"
    )
    store.add_evaluation(record)
    store.save_results(
        ResultRecord(
            run=run.id,
            evaluation=0,
            case=case,
            trial=trial,
            status="error" if passed is None else "scored",
            passed=passed,
        )
        for case, trials in outcomes.items()
        for trial, passed in enumerate(trials, 1)
    )
    store.finish(run.id, status, {}, {})


def failed_in(store: Store) -> set[str] | None:
    found = last_failed_cases(store, PATHS)
    return None if found is None else {case for _, _, case in found}


def test_what_was_never_run_is_not_known(store: Store) -> None:
    keep(store, 1, {"a": [False]}, command="rescore")

    assert last_failed_cases(store, PATHS) is None


def test_a_case_failed_that_did_not_pass_or_had_no_answer_in_any_trial(store: Store) -> None:
    keep(store, 1, {"fine": [True, True], "flaky": [True, False], "error": [True, None]})

    failed = last_failed_cases(store, PATHS)

    assert failed is not None
    assert sorted(case for *_, case in failed) == ["error", "flaky"]
    assert {key[:2] for key in failed} == {("eval_a.py::agent", "small")}


def test_of_several_runs_the_newest_counts(store: Store) -> None:
    keep(store, 1, {"a": [False], "b": [False]})
    keep(store, 2, {"a": [True], "b": [True]})

    assert failed_in(store) == set()


def test_what_a_run_of_a_part_says_nothing_about_is_as_it_was(store: Store) -> None:
    keep(store, 1, {"a": [False], "b": [False], "c": [True]})
    keep(store, 2, {"b": [True]}, keyword="b")

    assert failed_in(store) == {"a"}


@pytest.mark.parametrize(
    "part", [{"keyword": "a"}, {"tags": ["x"]}, {"limit": 1}, {"cases": [["agent", None, "a"]]}]
)
def test_whatever_selects_makes_a_run_one_of_a_part(store: Store, part: dict[str, Any]) -> None:
    keep(store, 1, {"old": [False]})
    keep(store, 2, {"new": [True]}, **part)

    assert failed_in(store) == {"old"}


def test_before_a_run_of_everything_nothing_is_looked_for(store: Store) -> None:
    keep(store, 1, {"renamed": [False]})
    keep(store, 2, {"a": [True]}, keyword="", tags=[], limit=None, cases=None)

    assert failed_in(store) == set()


def test_a_run_that_did_not_end_or_was_of_other_paths_is_no_run_of_everything(store: Store) -> None:
    keep(store, 1, {"a": [False]})
    keep(store, 2, {"b": [True]}, status="interrupted")
    keep(store, 3, {"c": [False]}, paths=["elsewhere"])

    assert failed_in(store) == {"a", "c"}
