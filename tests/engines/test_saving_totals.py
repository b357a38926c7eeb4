"""Totals with some of the cases as a run of the history."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.engines.saved_totals import case_line, save_cases, scored, write_cases

from callscore.core.settings import settings_from
from callscore.engines.saving import SaveRequest, save_totals
from callscore.errors import UnusableStore
from callscore.hiding.markers import MARKER
from callscore.history.exchange.import_export import check_records, export_lines, import_records
from callscore.history.exchange.run_files import open_run_file
from callscore.history.opening import open_store
from callscore.history.run_lookup import list_runs
from callscore.history.saved_totals import saved_cases_of, saved_counts
from callscore.history.writer import FallbackStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.core.results import Result
    from callscore.core.totals import SavedCases
    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord

Kept = tuple["RunRecord", list["EvaluationRecord"], list["ResultRecord"]]

MIXED = (
    case_line("right", tags=["smoke"])
    + case_line("wrong", is_right=False)
    + '{"id": "unanswered", "expected": ["f"]}\n{"id": "open", "actual": ["f"]}\n'
)
TRIALS = "".join(
    case_line(name, is_right=is_right, trial=trial)
    for name, trials in (("flaky", (True, False, True)), ("sure", (True, True, True)))
    for trial, is_right in enumerate(trials, 1)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    (tmp_path / "cases.jsonl").write_text(MIXED, encoding="utf-8")
    (tmp_path / "trials.jsonl").write_text(TRIALS, encoding="utf-8")
    return tmp_path


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A history in a file, and one on a server."""
    if request.param == "sqlite":
        return tmp_path / "history.db"
    address: str = request.getfixturevalue("postgres_url")
    return address


def kept(name: str = "mine", place: Path | str | None = None) -> Kept:
    with open_store(place) as store:
        run = store.find(name)
        return run, store.evaluations(run.id), list(store.results(run.id))


def test_the_failing_cases_are_kept_with_the_totals_of_all(place: Path | str) -> None:
    saver = save_cases("cases.jsonl", "mine", store=place, fail_under=0.9)

    run, (evaluation,), results = kept(place=place)
    assert saver.problems == []
    assert (run.command, run.status, run.name) == ("score", "finished", "mine")
    assert run.arguments == {"cases": ["cases.jsonl"], "saved_cases": "failing"}
    assert (run.totals["cases"], run.totals["decided_cases"]) == (4, 3)
    assert (run.totals["passed"], run.totals["errors"], run.totals["undecided"]) == (1, 1, 1)
    assert run.totals["saved_results"] == 2
    assert evaluation.summary["scorers"][0]["mean"] == pytest.approx(1 / 3)
    assert [(each.case, each.status, each.passed) for each in results] == [
        ("wrong", "scored", False),
        ("unanswered", "error", None),
    ]


@pytest.mark.parametrize("file", ["cases.jsonl", "trials.jsonl"])
def test_the_totals_are_those_of_a_run_with_every_case(file: str) -> None:
    save_cases(file, "whole", "all")
    save_cases(file, "part")

    whole, (whole_evaluation,), _ = kept("whole")
    part, (evaluation,), _ = kept("part")
    added = {"saved_results"}
    assert {name: part.totals[name] for name in part.totals.keys() - added} == whole.totals
    summary = {name: evaluation.summary[name] for name in evaluation.summary.keys() - {"counts"}}
    assert summary == whole_evaluation.summary
    assert evaluation.settings == whole_evaluation.settings


def test_the_counts_are_those_of_the_summary_that_was_saved() -> None:
    results, _ = scored("cases.jsonl")
    save_cases("cases.jsonl", "mine")

    _, (evaluation,), _ = kept()
    counts = saved_counts(evaluation.summary)
    assert counts is not None
    assert counts.summary() == results.summary
    assert counts.not_scored == 1


def test_no_case_is_kept_or_read_if_none_is_wanted() -> None:
    results, found = scored("cases.jsonl")
    cases = iter(found)

    request = SaveRequest(name="mine", cases=["cases.jsonl"])
    save_totals(request, results, cases, open_store, saved_cases="none")

    run, _, saved = kept()
    assert saved == []
    assert len(list(cases)) == 4
    assert (saved_cases_of(run), run.totals["passed"]) == ("none", 1)


def test_every_case_is_kept_if_all_are_wanted() -> None:
    save_cases("cases.jsonl", "mine", "all")

    run, (evaluation,), results = kept()
    assert [each.case for each in results] == ["right", "wrong", "unanswered", "open"]
    assert saved_cases_of(run) == "all"
    assert "counts" not in evaluation.summary


def test_a_list_of_runs_has_the_totals_of_all_cases(place: Path | str) -> None:
    save_cases("trials.jsonl", "mine", store=place)

    with open_store(place) as store:
        [line] = list_runs(store)
        tagged = list_runs(store, tag="smoke")
    tally = line.evaluations[0].tally
    assert (tally.cases, tally.trials, tally.passed) == (2, 6, 5)
    assert tally.share == pytest.approx((2 / 3 + 1) / 2)
    assert tagged == []


def test_several_files_are_one_evaluation(folder: Path) -> None:
    (folder / "other.jsonl").write_text(MIXED, encoding="utf-8")
    results, found = scored("cases.jsonl")
    request = SaveRequest(name="mine", cases=["cases.jsonl", "other.jsonl"])

    save_totals(request, results, found, open_store)

    _, (evaluation,), _ = kept()
    assert (evaluation.name, evaluation.place) == ("cases+other", "")


def test_very_many_files_have_a_short_name() -> None:
    results, found = scored("cases.jsonl")
    request = SaveRequest(name="mine", cases=[f"part-{number}.jsonl" for number in range(9)])

    save_totals(request, results, found, open_store)

    _, (evaluation,), _ = kept()
    assert evaluation.name == "part-0+part-1+part-2+part-3+part-4+4 more"


def test_records_that_cannot_be_read_are_counted(folder: Path) -> None:
    (folder / "cases.jsonl").write_text(MIXED + "{oops\n", encoding="utf-8")
    results, found = scored("cases.jsonl", skip_bad=True)

    save_totals(SaveRequest(name="mine", cases=["cases.jsonl"]), results, found, open_store)

    run, _, _ = kept()
    assert run.totals["unreadable"] == 1


def test_where_nothing_is_scored_nothing_is_made(folder: Path) -> None:
    (folder / "empty.jsonl").write_text("", encoding="utf-8")

    saver = save_cases("empty.jsonl", "mine")

    assert saver.run is None
    assert not (folder / ".callscore").exists()


def test_what_breaks_off_has_the_totals_and_is_interrupted() -> None:
    results, found = scored("cases.jsonl")

    def breaking() -> Iterator[Result]:
        yield found[1]
        raise KeyError

    with pytest.raises(KeyError):
        save_totals(SaveRequest(name="mine", cases=["x"]), results, breaking(), open_store)

    run, _, saved = kept()
    assert (run.status, len(saved), run.totals["cases"]) == ("interrupted", 1, 4)
    with open_store() as store:
        [line] = list_runs(store)
    assert line.evaluations[0].tally.cases == 4


def test_when_the_scoring_began_is_when_the_run_began() -> None:
    save_cases("cases.jsonl", "mine", started_at=1_700_000_000.0)

    run, _, _ = kept()
    assert run.started_at == 1_700_000_000.0
    assert run.id.startswith("20231114-221320-")


def test_settings_decide_which_cases_fail() -> None:
    settings = settings_from({"pass_mark": 0.0})

    save_cases("cases.jsonl", "mine", settings=settings)

    run, _, results = kept()
    assert [each.case for each in results] == ["unanswered"]
    assert run.totals["passed"] == 2


def test_secrets_of_the_environment_are_not_in_the_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-verysecret0123456789abcdef"  # noqa: S105  (it opens nothing)
    monkeypatch.setenv("SOME_API_KEY", secret)
    line = f'{{"id": "a", "expected": ["f"], "actual": ["call_{secret}"]}}\n'
    (folder / "cases.jsonl").write_text(line, encoding="utf-8")

    save_cases("cases.jsonl", "mine")

    _, (evaluation,), _ = kept()
    assert secret not in str(evaluation.summary)
    assert any(MARKER.search(tool) for tool in evaluation.summary["counts"]["tools"])


def test_a_history_that_cannot_be_opened_leaves_a_file_to_import(folder: Path) -> None:
    def refuse() -> Any:
        raise UnusableStore("history.db", "it is broken.")

    results, found = scored("cases.jsonl")
    fallback = FallbackStore(folder / "history.db")
    request = SaveRequest(name="mine", cases=["cases.jsonl"])
    saver = save_totals(request, results, found, refuse, fallback=fallback)

    assert saver.problems
    with open_store(folder / "other.db") as store, open_run_file(str(fallback.files[0])) as file:
        [imported] = import_records(store, file.records())
    run, (evaluation,), saved = kept(place=folder / "other.db")
    assert (imported.missing, run.status, len(saved)) == (0, "finished", 2)
    assert (saved_cases_of(run), run.totals["cases"]) == ("failing", 4)
    assert saved_counts(evaluation.summary) is not None


@pytest.mark.parametrize("saved_cases", ["failing", "none"])
def test_an_exported_run_is_marked_where_it_is_imported(
    folder: Path, place: Path | str, saved_cases: SavedCases
) -> None:
    save_cases("cases.jsonl", "mine", saved_cases, store=folder / "first.db")
    with open_store(folder / "first.db") as store:
        lines = [line for line, _ in export_lines(store, store.find("mine"))]
    (folder / "run.jsonl").write_bytes(b"".join(lines))

    with open_store(place) as store:
        with open_run_file("run.jsonl") as file:
            check_records(file.records(), "run.jsonl", store)
        with open_run_file("run.jsonl") as file:
            [imported] = import_records(store, file.records())

    before, evaluations, results = kept(place=folder / "first.db")
    after, *others = kept(place=place)
    assert imported.missing == 0
    assert (after.status, after.totals, after.arguments) == (
        "finished",
        before.totals,
        before.arguments,
    )
    assert others == [evaluations, results]


def test_an_import_without_all_saved_results_is_interrupted(folder: Path) -> None:
    save_cases("cases.jsonl", "mine", store=folder / "first.db")
    with open_store(folder / "first.db") as store:
        lines = [line for line, _ in export_lines(store, store.find("mine"))]
    without_end = [line.replace(b',"has_end":true', b"") for line in lines[:-2]]
    (folder / "run.jsonl").write_bytes(b"".join(without_end))

    with open_store() as store, open_run_file("run.jsonl") as file:
        [imported] = import_records(store, file.records())

    run, _, _ = kept()
    assert (imported.missing, run.status) == (1, "interrupted")
    with open_store() as store:
        [line] = list_runs(store)
    assert line.evaluations[0].tally.share is None


def test_many_failing_cases_do_not_wait_in_memory(folder: Path) -> None:
    path = write_cases(folder / "long.jsonl", 2_500, range(2_500))
    results, found = scored(path)
    unwritten: list[int] = []
    with open_store(folder / "history.db") as store:

        def watched() -> Iterator[Result]:
            for number, result in enumerate(found):
                if number == 2_400:
                    saved = list(store.results(store.find("latest").id))
                    unwritten.append(number - len(saved))
                yield result

        request = SaveRequest(name="mine", cases=["long.jsonl"])
        save_totals(request, results, watched(), partial(open_store, folder / "history.db"))

    assert unwritten[0] <= 1_000
