"""Two runs, or two files, compared from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import callscore
from callscore import UnknownRun, compare
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
