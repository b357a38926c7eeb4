"""Two runs, or two files, compared from Python."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import callscore
from callscore import UnknownRun, compare
from callscore.comparing.comparison import compare_sides
from callscore.core.results import MetricValue
from callscore.engines.comparing_runs import resolve_sides
from callscore.errors import InvalidSettings
from callscore.history.opening import open_store
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_cases(name: str, made: str) -> Path:
    lines = [f'{{"id": "{n}", "expected": ["f"], "actual": ["{made}"]}}\n' for n in range(8)]
    file = Path(name)
    file.write_text("".join(lines))
    return file


def keep_run(place: Path | str | None, run: str, *, passed: bool) -> None:
    with open_store(place) as store:
        kept = store.begin(RunRecord(id=run, command="run", started_at=float(not passed)))
        for number, variant in enumerate(("small", "large")):
            store.add_evaluation(
                EvaluationRecord(run=kept.id, number=number, name="agent", variant=variant)
            )
        store.save_results(
            ResultRecord(
                run=kept.id,
                evaluation=number,
                case=str(case),
                status="scored",
                f1=float(passed),
                passed=passed,
                counts=(int(passed), 0, 0, 0, 1, 1, 0),
            )
            for number in (0, 1)
            for case in range(8)
        )
        store.finish(kept.id, "finished", {}, {})


def test_two_files_are_compared_without_a_history(folder: Path) -> None:
    before, after = write_cases("before.jsonl", "f"), write_cases("after.jsonl", "g")

    comparison = compare("before.jsonl", after)

    assert isinstance(comparison, callscore.Comparison)
    assert comparison.verdict == "regressed"
    assert len(comparison.changed("broken")) == 8
    assert (comparison.before.label, comparison.after.label) == ("before.jsonl", "after.jsonl")
    assert compare(before, before).verdict == "not enough data"
    assert not (folder / ".callscore").exists()


def test_two_runs_are_compared_by_their_names() -> None:
    keep_run(None, "20261115-100000-aaaa", passed=True)
    keep_run(None, "20261115-110000-bbbb", passed=False)

    comparison = compare("latest~1", "latest")
    one_variant = compare("latest~1:small", "latest:large")

    assert comparison.verdict == "regressed"
    assert (comparison.before.run, comparison.after.run) == (
        "20261115-100000-aaaa",
        "20261115-110000-bbbb",
    )
    assert comparison.main.cases == 16
    assert one_variant.main.cases == 8


def test_a_run_is_compared_with_a_file_and_by_another_measure(folder: Path) -> None:
    keep_run(folder / "team.db", "20261115-100000-aaaa", passed=True)
    after = write_cases("after.jsonl", "g")

    comparison = compare("latest:small", after, measure="f1", store=folder / "team.db")

    assert comparison.main.measure == "f1"
    assert comparison.verdict == "regressed"


def test_the_history_of_a_team_is_compared_too(postgres_url: str) -> None:
    keep_run(postgres_url, "20261115-100000-aaaa", passed=True)
    keep_run(postgres_url, "20261115-110000-bbbb", passed=False)

    comparison = compare("latest~1", "latest", store=postgres_url)

    assert comparison.verdict == "regressed"


def test_where_there_is_no_history_there_is_no_run(folder: Path) -> None:
    with pytest.raises(UnknownRun, match="no runs yet"):
        compare("latest~1", "latest")

    assert list(folder.iterdir()) == []


CASES = 500


def keep_varied_run(run: str, seed: int, *, name: str = "agent") -> None:
    """A run of two variants, of which the second has several trials.

    Most of what differs between two runs depends on the seed; some cases are in one of them only.
    """
    own = Random(seed)
    with open_store(None) as store:
        kept = store.begin(RunRecord(id=run, command="run", started_at=float(seed)))
        for number, variant in enumerate(("small", "large")):
            store.add_evaluation(
                EvaluationRecord(run=kept.id, number=number, name=name, variant=variant)
            )
        found = [
            varied_result(kept.id, number, case, trial, own)
            for number in (0, 1)
            for case in range(CASES)
            for trial in range(1, 3 if number and case % 5 == 0 else 2)
            if (case + seed) % 97 or number
        ]
        own.shuffle(found)
        store.save_results(found)
        store.finish(kept.id, "finished", {}, {})


def varied_result(run: str, number: int, case: int, trial: int, own: Random) -> ResultRecord:
    luck = Random(f"{case} {trial}")  # the same in every run
    outcome, share = luck.random(), luck.choice([0.0, 1.0])
    if own.random() < 0.03:
        outcome, share = own.random(), own.choice([0.0, 0.5, 1.0])
    about: dict[str, Any] = {
        "run": run,
        "evaluation": number,
        "case": f"{'b' if case > CASES / 2 else 'a'}-{case * 7919 % CASES}",
        "trial": trial,
        "position": (number * CASES + case) * 2 + trial,
        "payload": {"expected": ["f"], "tags": ["even"] if case % 2 else []},
        "expectation": "" if case % 7 == 0 else f"{case:032x}",
        "asked": "" if case % 5 == 1 else f"{case + (own.random() < 0.1):032x}",
    }
    if outcome < 0.1:
        return ResultRecord(status="error", failure=("timeout", "too late"), **about)
    if outcome < 0.2:
        return ResultRecord(status="not_scored", **about)
    wrong = int(share < 1)
    return ResultRecord(
        status="scored",
        f1=share,
        passed=None if outcome < 0.3 else share == 1,
        counts=(1 - wrong, wrong, 0, 0, 1, 1, wrong),
        tools={"f": (1 - wrong, wrong, 0, 0, 0, 0, wrong)},
        faults=None if outcome < 0.3 else wrong,
        values=() if outcome < 0.3 else (MetricValue("tone", share / 3),),
        **about,
    )


@pytest.mark.parametrize("measure", ["passed", "f1", "tone"])
@pytest.mark.parametrize("sides", [("old", "new"), ("old:small", "new:large"), ("old", "old")])
@pytest.mark.parametrize("renamed", ["agent", "other agent"])
def test_cases_that_are_the_same_are_counted_without_changing_the_comparison(
    sides: tuple[str, str], measure: str, renamed: str
) -> None:
    keep_varied_run("20261115-100000-aaaa", 1)
    keep_varied_run("20261115-110000-bbbb", 2, name=renamed)
    names = {"old": "20261115-100000-aaaa", "new": "20261115-110000-bbbb"}
    first, second = [names[side[:3]] + side[3:] for side in sides]

    with open_store(None) as store:
        whole = resolve_sides((first, second), store=lambda: store, is_whole=True)
        counted = resolve_sides((first, second), store=lambda: store)

    expected = compare_sides(*whole, measure=measure)
    assert compare_sides(*counted, measure=measure) == expected
    assert compare_sides(*counted, measure=measure).to_dict() == expected.to_dict()
    if renamed == "agent":
        kept, every = [
            sum(len(each.cases) for each in side[1].evaluations) for side in (counted, whole)
        ]
        assert kept < 0.75 * every


def test_a_removal_that_matches_every_counted_case_is_refused_and_another_is_not() -> None:
    keep_varied_run("20261115-100000-aaaa", 1)
    keep_varied_run("20261115-110000-bbbb", 2)

    found = compare("latest~1", "latest", removals={"agent*::a-*": "no longer offered"})

    assert [each.reason for each in found.removed] == ["no longer offered"] * len(found.removed)
    with pytest.raises(InvalidSettings, match="matches every case"):
        compare("latest~1", "latest", removals={"agent*::?-*": "no longer offered"})
