"""Scores of files as a run of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import Case
from callscore.core.results import MetricValue, Result
from callscore.core.settings import settings_from
from callscore.engines.collector import ScoreHooks
from callscore.engines.file_sides import side_of_file
from callscore.engines.local import score_files, score_joined
from callscore.engines.payloads import settings_payload
from callscore.engines.saving import SaveRequest, ScoreSaver
from callscore.errors import ModelFailed, UnusableStore
from callscore.hiding.markers import MARKER
from callscore.history.exchange.import_export import import_records
from callscore.history.exchange.run_files import open_run_file
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

CASES = """\
{"id": "right", "input": "hi", "tags": ["smoke"], "expected": ["f"], "actual": ["f"]}
{"id": "wrong", "expected": ["f"], "actual": [{"name": "g", "arguments": {"a": 1}}]}
{"id": "unanswered", "expected": ["f"]}
{"id": "open", "actual": ["f"]}
"""

Kept = tuple["RunRecord", list["EvaluationRecord"], list["ResultRecord"]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    return tmp_path


def keeping(*files: str, **options: Any) -> Kept:
    """What is kept of files that are scored."""
    keeper = ScoreSaver(SaveRequest(name="mine", cases=files, **options), open_store)
    score_files(
        files,
        settings=options.get("settings", settings_from({})),
        hooks=keeper.with_saving(ScoreHooks()),
    )
    keeper.finish()
    assert keeper.problems == []
    return kept()


def kept() -> Kept:
    with open_store() as store:
        run = store.find("latest")
        return run, store.evaluations(run.id), list(store.results(run.id))


def test_every_case_of_a_file_is_kept() -> None:
    run, (evaluation,), results = keeping("cases.jsonl", fail_under=0.9)

    assert (run.command, run.status, run.name) == ("score", "finished", "mine")
    assert run.arguments == {"cases": ["cases.jsonl"]}
    assert run.versions["callscore"]
    assert (run.totals["cases"], run.totals["decided_cases"]) == (4, 3)
    assert (run.totals["passed"], run.totals["errors"]) == (1, 1)
    assert (evaluation.name, evaluation.place) == ("cases", "cases.jsonl")
    assert evaluation.scorers == ("accuracy",)
    assert evaluation.fail_under == {"accuracy": 0.9}
    assert evaluation.settings == settings_payload(settings_from({}))
    assert evaluation.summary["scorers"][0]["mean"] == pytest.approx(1 / 3)
    assert [(each.case, each.status, each.passed) for each in results] == [
        ("right", "scored", True),
        ("wrong", "scored", False),
        ("unanswered", "error", None),
        ("open", "not_scored", None),
    ]


def test_a_case_is_kept_with_its_calls_pairs_and_differences() -> None:
    _, _, (right, wrong, unanswered, undecided) = keeping("cases.jsonl")

    assert right.payload == {"input": "hi", "tags": ["smoke"], "expected": [{"name": "f"}]}
    assert [call["name"] for call in right.calls or ()] == ["f"]
    assert right.values == (MetricValue("accuracy", 1.0),)
    assert right.comparison is not None
    assert right.comparison["pairs"] == [[0, 0, True]]
    assert wrong.calls == wrong.answer == [{"name": "g", "arguments": {"a": 1}}]
    assert wrong.tools == {"f": (0, 0, 1, 0, 0), "g": (0, 0, 0, 1, 0)}
    assert wrong.comparison is not None
    assert (wrong.comparison["missed"], wrong.comparison["extra"]) == ([0], [0])
    assert (unanswered.failure, unanswered.calls) == (
        ("missing", "the file has no answer for this case"),
        None,
    )
    assert (undecided.f1, undecided.counts, undecided.comparison) == (None, (), None)


def test_a_kept_run_is_the_same_side_as_its_file() -> None:
    keeping("cases.jsonl")
    with open_store() as store:
        run = store.find("mine")
        (after,) = store.side(run, "mine").evaluations
    (before,) = side_of_file("cases.jsonl").evaluations

    assert after.settings == before.settings
    assert [
        (case.id, case.expectation, case.asked, [trial.calls for trial in case.trials])
        for case in after.cases
    ] == [
        (case.id, case.expectation, case.asked, [trial.calls for trial in case.trials])
        for case in before.cases
    ]


def test_each_file_is_an_evaluation_of_its_own(folder: Path) -> None:
    (folder / "other.jsonl").write_text(CASES, encoding="utf-8")

    run, evaluations, results = keeping("cases.jsonl", "other.jsonl")

    assert [each.place for each in evaluations] == ["cases.jsonl", "other.jsonl"]
    assert [each.evaluation for each in results] == [0] * 4 + [1] * 4
    assert (run.totals["cases"], run.totals["decided_cases"]) == (8, 6)


def test_references_are_the_place_of_what_is_joined(folder: Path) -> None:
    (folder / "refs.jsonl").write_text('{"id": "a", "expected": ["f"]}\n', encoding="utf-8")
    (folder / "traces.jsonl").write_text('{"id": "a", "actual": ["f"]}\n', encoding="utf-8")
    request = SaveRequest(name="joined", cases=["refs.jsonl"], actual=["traces.jsonl"])
    keeper = ScoreSaver(request, open_store)

    score_joined("refs.jsonl", "traces.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish()

    run, (evaluation,), (result,) = kept()
    assert run.arguments == {"cases": ["refs.jsonl"], "actual": ["traces.jsonl"]}
    assert (evaluation.name, evaluation.place) == ("refs", "refs.jsonl")
    assert result.passed is True


def test_several_files_of_references_are_no_single_place() -> None:
    request = SaveRequest(name="joined", cases=["a.jsonl", "b.jsonl"], actual=["-"])
    keeper = ScoreSaver(request, open_store)
    keeper.save_result(Result(case=Case(id="a", actual=()), status="not_scored"))
    keeper.finish()

    _, (evaluation,), _ = kept()
    assert (evaluation.name, evaluation.place) == ("a+b", "")


def test_standard_input_is_no_file() -> None:
    keeper = ScoreSaver(SaveRequest(name="piped", cases=["-"]), open_store)
    keeper.begin_file("-")
    keeper.save_result(Result(case=Case(id="a", actual=()), status="not_scored"))
    keeper.finish()

    run, (evaluation,), _ = kept()
    assert (evaluation.name, evaluation.place, run.arguments) == ("stdin", "", {"cases": []})


def test_repeated_cases_are_trials(folder: Path) -> None:
    line = '{{"id": "a", "trial": {}, "expected": ["f"], "actual": ["f"]}}\n'
    text = "".join(map(line.format, ("2", "null", "null", '"x"', "0", "7")))
    (folder / "cases.jsonl").write_text(text, encoding="utf-8")

    run, _, results = keeping("cases.jsonl")

    assert [each.trial for each in results] == [2, 1, 3, 4, 5, 7]
    assert run.totals["cases"] == 1


def test_where_nothing_is_scored_nothing_is_made(folder: Path) -> None:
    keeper = ScoreSaver(SaveRequest(name="empty"), open_store)
    keeper.begin_file("cases.jsonl")
    keeper.finish("interrupted")

    assert keeper.run is None
    assert not (folder / ".callscore").exists()


def test_what_breaks_off_is_kept_as_interrupted() -> None:
    keeper = ScoreSaver(SaveRequest(name="half", cases=["cases.jsonl"]), open_store)
    score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish("interrupted")

    assert kept()[0].status == "interrupted"


def test_a_case_that_nobody_judged_is_kept_as_an_error() -> None:
    told: list[str] = []
    keeper = ScoreSaver(SaveRequest(name="judged", cases=["cases.jsonl"]), open_store)
    hooks = keeper.with_saving(ScoreHooks(on_unjudged=lambda place, *_: told.append(place)))
    assert hooks.on_unjudged is not None
    keeper.begin_file("cases.jsonl")
    hooks.on_unjudged("cases.jsonl:1", Case(id="a", expected=()), ModelFailed("gpt", "is gone"))
    keeper.finish()

    _, _, (result,) = kept()
    assert told == ["cases.jsonl:1"]
    assert result.status == "error"
    assert result.failure == ("unscored", "the judge gave no answer: gpt: is gone")


def test_without_anybody_to_tell_a_silent_judge_ends_it() -> None:
    keeper = ScoreSaver(SaveRequest(name="judged"), open_store)
    hooks = keeper.with_saving(ScoreHooks())
    assert hooks.on_unjudged is not None
    keeper.begin_file("cases.jsonl")

    with pytest.raises(ModelFailed):
        hooks.on_unjudged("cases.jsonl:1", Case(id="a"), ModelFailed("gpt", "is gone"))
    keeper.finish("interrupted")


def test_secrets_of_the_environment_are_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-mine-1234")
    line = '{"id": "a", "expected": ["f"], "actual": [{"name": "f", "arguments": {"k": "%s"}}]}'
    (folder / "cases.jsonl").write_text(line % "secret-of-mine-1234", encoding="utf-8")

    _, _, (result,) = keeping("cases.jsonl")

    assert result.calls is not None
    assert MARKER.fullmatch(result.calls[0]["arguments"]["k"])


def test_a_history_that_cannot_be_opened_does_not_stop_the_scoring() -> None:
    def nowhere() -> Store:
        raise UnusableStore("history.db", "the disk is full.")

    keeper = ScoreSaver(SaveRequest(name="lost", cases=["cases.jsonl"]), nowhere)

    results = score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish()

    assert results.summary.scored == 2
    assert keeper.is_aside
    assert keeper.problems == ["history.db: the disk is full."]
    assert "callscore import .callscore/unsaved-" in keeper.saved()


def test_what_could_not_be_kept_is_imported_later(folder: Path) -> None:
    def nowhere() -> Store:
        raise UnusableStore("history.db", "the disk is full.")

    keeper = ScoreSaver(SaveRequest(name="late", cases=["cases.jsonl"]), nowhere)
    score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish()
    (file,) = (folder / ".callscore").glob("unsaved-*.jsonl")
    with open_store() as store, open_run_file(str(file)) as rescued:
        import_records(store, rescued.records())
    late, (there,), results = kept()

    now, (evaluation,), again = keeping("cases.jsonl")

    assert (late.name, late.status, late.totals) == ("late", "finished", now.totals)
    assert (there.place, there.summary) == (evaluation.place, evaluation.summary)
    assert [(each.case, each.comparison) for each in results] == [
        (each.case, each.comparison) for each in again
    ]


def test_long_files_do_not_wait_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from callscore.history.store import Store

    batches: list[int] = []
    save = Store.save_results

    def noted(store: Store, records: list[Any]) -> None:
        batches.append(len(records))
        save(store, records)

    monkeypatch.setattr(Store, "save_results", noted)
    line = '{{"id": "c{}", "expected": ["f"], "actual": ["f"]}}\n'
    text = "".join(line.format(number) for number in range(4_100))
    (folder / "cases.jsonl").write_text(text, encoding="utf-8")

    _, _, results = keeping("cases.jsonl")

    assert len(results) == sum(batches) == 4_100
    assert max(batches) <= 1_000


def test_a_history_that_goes_away_in_the_middle_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from callscore.history.store import Store

    def gone(*_: Any) -> None:
        raise UnusableStore("history.db", "it went away.")

    keeper = ScoreSaver(SaveRequest(name="half", cases=["cases.jsonl"]), open_store)
    hooks = keeper.with_saving(ScoreHooks())
    keeper.begin_file("cases.jsonl")
    keeper.save_result(Result(case=Case(id="before", actual=()), status="not_scored"))
    for method in ("add_evaluation", "save_results", "finish"):
        monkeypatch.setattr(Store, method, gone)
    score_files("cases.jsonl", hooks=hooks)
    keeper.finish()

    assert not keeper.is_aside
    assert all("it went away" in problem for problem in keeper.problems)
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    (file,) = (folder / ".callscore").glob("unsaved-*.jsonl")
    with open_store() as store, open_run_file(str(file)) as rescued:
        import_records(store, rescued.records())
    run, evaluations, results = kept()
    assert (run.status, run.totals["decided_cases"]) == ("finished", 3)
    assert len(evaluations) == 2
    assert {each.case for each in results} == {"before", "right", "wrong", "unanswered", "open"}


def test_what_metrics_of_others_say_is_kept_beside_the_score() -> None:
    keeper = ScoreSaver(SaveRequest(name="mine", cases=["cases.jsonl"]), open_store)
    score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()), metrics=["callscore.f1"])
    keeper.finish()

    _, _, results = kept()
    assert [[value.name for value in each.values] for each in results] == [
        ["accuracy", "callscore.f1"],
        ["accuracy", "callscore.f1"],
        [],
        [],
    ]
