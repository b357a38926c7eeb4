from __future__ import annotations

from typing import Any

import pytest
from tests.advising.planted import BASE, case_records, labelled

from callscore.advising.candidates import Candidate
from callscore.advising.choosing import Sample
from callscore.advising.measuring import folds_of
from callscore.advising.recommending import FOLDS, Recommendation, cross_validated, recommend
from callscore.advising.runs import Runs

pytestmark = pytest.mark.slow


def _recommended(records: list[dict[str, Any]]) -> Recommendation:
    return recommend(Runs(labelled(records).runs), BASE)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("plain", "strict"),
        ("extra", "strict"),
        ("free", "coverage"),
        ("read", "strict, count_calls writes, consult reads, * writes"),
        ("argument", "strict, save.note ignored"),
    ],
)
def test_the_planted_rule_is_found_and_holds_on_other_tasks(kind: str, expected: str) -> None:
    records = case_records(kind)
    found = _recommended(records)

    assert found.chosen.candidate.label == expected
    assert found.is_separating
    runs = Runs(labelled(records).runs)
    assert Sample(runs, BASE).area(found.held_out) > 0.95


def test_where_nothing_tells_success_from_failure_the_simplest_is_recommended() -> None:
    found = _recommended(case_records("random"))

    assert found.chosen.candidate == Candidate("strict")
    assert not found.is_separating


def test_a_fold_is_scored_with_settings_learned_on_the_other_folds() -> None:
    """In one fold, which has most of the runs, the argument matters that matters in no other."""
    names = [f"task{number}" for number in range(40)]
    (own, *_) = folds = folds_of(names, [True] * len(names), FOLDS)
    records = [
        _record(name, trial, is_own=fold == own)
        for name, fold in zip(names, folds, strict=True)
        for trial in range(24 if fold == own else 4)
    ]
    runs = Runs(labelled(records).runs)
    found = dict(zip(runs.names, folds_of(runs.names, runs.outcomes, FOLDS), strict=True))
    assert [found[name] for name in names] == folds  # every task succeeds half of the time

    *_, learned = cross_validated(runs, BASE)

    # The others teach that the note does not matter, so that it changes no score of this fold.
    values = {
        value for name, value in zip(runs.names, learned.values, strict=True) if found[name] == own
    }
    assert values == {1.0}


def _record(name: str, trial: int, *, is_own: bool) -> dict[str, Any]:
    success, is_noted = bool(trial % 2), bool(trial // 2 % 2)
    note = "as agreed" if (success if is_own else is_noted) else "other"
    key = "right" if success or is_own else "wrong"
    return {
        "id": name,
        "trial": trial,
        "expected": [{"name": "save", "arguments": {"key": "right", "note": "as agreed"}}],
        "actual": [{"name": "save", "arguments": {"key": key, "note": note}}],
        "success": success,
    }


def test_effects_and_ignored_arguments_learned_from_noise_are_not_recommended() -> None:
    # Each task has a tool of its own, which the labels of its runs alone could teach.
    records = case_records("random", tasks=12, trials=10)
    for record in records:
        record["expected"].append({"name": f"tool_{record['id']}", "arguments": {"n": 1}})
        if record["success"]:
            record["actual"].append({"name": f"tool_{record['id']}", "arguments": {"n": 2}})
        else:
            record["actual"].append({"name": f"tool_{record['id']}", "arguments": {"n": 1}})

    found = _recommended(records)

    assert (found.chosen.candidate.effects, found.chosen.candidate.ignored) == ((), ())


def test_the_order_of_runs_does_not_matter() -> None:
    records = case_records("argument")

    forward, backward = _recommended(records), _recommended(records[::-1])

    assert forward.chosen.candidate == backward.chosen.candidate
    assert forward.held_out == backward.held_out
