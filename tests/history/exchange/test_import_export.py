"""Importing runs: nothing is doubled, lost, or able to do harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.exchange import import_export
from callscore.history.exchange.import_export import (
    ImportedRun,
    export_lines,
    import_records,
    run_answers,
    sanitize_evaluation,
)
from callscore.history.exchange.json_lines import read_lines
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.exchange.json_lines import Record
    from callscore.history.records import ResultRecord, RunRecord
    from callscore.history.store import Store

RUN = a_run(status="finished", finished_at=1_794_768_300.0, name="main", totals={"cases": 2})
EVALUATION = an_evaluation(RUN.id, place="evals/eval_a.py::assistant", summary={"passed": 2})
RESULTS = [a_result(RUN.id, "one"), a_result(RUN.id, "two")]
WHOLE: list[Record] = [RUN, EVALUATION, *RESULTS]


def kept(store: Store, run: str = RUN.id) -> tuple[RunRecord, list[ResultRecord]]:
    (found,) = [record for record in store.runs() if record.id == run]
    return found, list(store.results(run))


def begun(store: Store, **others: Any) -> None:
    running = replace(RUN, status="running", finished_at=None, totals={})
    store.begin(running)
    store.add_evaluation(replace(EVALUATION, summary={}))
    store.begin(replace(running, **others))


def test_a_run_is_there_afterwards_as_it_was(store: Store) -> None:
    (imported,) = import_records(store, WHOLE)

    assert imported == ImportedRun(RUN, is_new=True, results=2, added=2)
    assert kept(store) == (RUN, RESULTS)
    assert store.evaluations(RUN.id) == [EVALUATION]


def test_importing_again_changes_nothing(store: Store) -> None:
    import_records(store, [*WHOLE, an_answer(RUN.id)])

    (again,) = import_records(store, [*WHOLE, an_answer(RUN.id)])

    assert again == ImportedRun(RUN, is_new=False, results=2, added=0)
    assert kept(store) == (RUN, RESULTS)
    assert len(store.runs()) == 1


def test_the_newer_of_two_results_stays(store: Store) -> None:
    begun(store)
    newer = replace(RESULTS[0], passed=False, finished_at=RESULTS[0].finished_at + 1)
    older = replace(RESULTS[1], passed=False, finished_at=RESULTS[1].finished_at - 1)
    store.save_results([newer, older])

    import_records(store, WHOLE)

    assert kept(store)[1] == [newer, RESULTS[1]]


def test_another_run_of_the_same_id_gets_another(store: Store) -> None:
    store.begin(replace(RUN, started_at=1.0, name="other"))

    (imported,) = import_records(store, WHOLE)

    assert imported.run.id != RUN.id
    assert [result.run for result in store.results(imported.run.id)] == [imported.run.id] * 2
    assert kept(store)[0].name == "other"


def test_an_import_that_breaks_off_can_be_repeated(store: Store) -> None:
    def breaking() -> Iterator[Record]:
        yield from WHOLE[:3]
        raise UnusableStore("somewhere", "it went away")

    with pytest.raises(UnusableStore, match="went away"):
        import_records(store, breaking())
    assert kept(store)[0].status == "running"

    import_records(store, WHOLE)
    assert kept(store) == (RUN, RESULTS)


def test_a_run_that_another_is_at_is_left_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_export, "_LOCK_TIMEOUT", 0.1)
    lock = store.lock(RUN.id)
    assert lock.take()

    with pytest.raises(InvalidSettings, match="in use by another process"):
        import_records(store, WHOLE)

    lock.release()
    assert len(import_records(store, WHOLE)) == 1


# --- what others have made ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("evals/eval_a.py::name", "evals/eval_a.py::name"),
        ("cases.jsonl", "cases.jsonl"),
        ("::name", "::name"),
        ("/etc/passwd::name", "::name"),
        ("../../other/eval.py::name", "::name"),
        ("evals/../../eval.py::a::b", "::a::b"),
        ("C:\\eval.py::name", "::name"),
        ("..\\eval.py::name", "::name"),
        ("\\\\server\\share\\eval.py", ""),
        ("/home/me/cases.jsonl", ""),
    ],
)
def test_no_file_outside_of_the_project_is_named(written: str, left: str) -> None:
    assert sanitize_evaluation(an_evaluation("run", place=written)).place == left


def test_a_judge_is_sent_no_key_where_somebody_else_says() -> None:
    judge = {"model": "gpt", "base_url": "https://evil.example", "key_variable": "AWS_SECRET"}
    settings = {"mode": "strict", "judge": judge}

    assert sanitize_evaluation(an_evaluation("run", settings=settings)).settings == {
        "mode": "strict",
        "judge": {"model": "gpt", "base_url": None, "key_variable": "OPENAI_API_KEY"},
    }
    odd = sanitize_evaluation(an_evaluation("run", settings={"judge": "os.system"}))
    assert odd.settings == {"judge": None}
    assert sanitize_evaluation(an_evaluation("run", settings={"judge": None})).settings == {
        "judge": None
    }


def test_whatever_is_in_a_run_it_is_only_kept(store: Store) -> None:
    nasty = "'; DROP TABLE runs; --\x1b[2J\x00"
    run = replace(RUN, name=nasty)
    result = a_result(RUN.id, nasty, payload={"input": nasty}, answer=[nasty])

    import_records(store, [run, EVALUATION, result])

    (found,) = store.results(RUN.id)
    assert found.payload == {"input": nasty}
    assert found.answer == [nasty]
    assert len(store.runs()) == 1


# --- what is not whole ----------------------------------------------------------------------------

COUNTED = replace(RUN, totals={"answered": 2, "errors": 1})


def test_results_missing_from_an_import_can_be_imported_later(store: Store) -> None:
    failed = a_result(RUN.id, "three", status="error")
    import_records(store, [COUNTED, EVALUATION, failed])

    (imported,) = import_records(store, [COUNTED, *WHOLE[1:]])

    run, results = kept(store)
    assert (imported.missing, run.status, run.totals) == (0, "finished", COUNTED.totals)
    assert len(results) == 3
    assert store.evaluations(RUN.id) == [EVALUATION]


# A run as lines: all of it, and the answers of one that is to go on elsewhere.

EXPORTED_RUN = a_run(status="interrupted", finished_at=1_794_768_300.0)


def filled(store: Store) -> None:
    store.begin(replace(EXPORTED_RUN, status="running"))
    store.add_evaluation(an_evaluation(EXPORTED_RUN.id))
    store.save_results(
        [
            a_result(EXPORTED_RUN.id),
            *(an_answer(EXPORTED_RUN.id, f"{number:04x}") for number in range(5)),
        ]
    )
    store.save_results([an_answer("", "ffff")])
    store.begin(EXPORTED_RUN)


def test_a_run_that_did_not_end_can_go_on_elsewhere(store: Store, tmp_path: Path) -> None:
    filled(store)

    lines = list(export_lines(store, EXPORTED_RUN))
    with open_store(tmp_path / "other.db") as other:
        import_records(other, read_lines([line for line, _ in lines], "run.jsonl"))
        assert other.find(EXPORTED_RUN.id) == EXPORTED_RUN
        assert list(run_answers(other, EXPORTED_RUN.id)) == list(
            run_answers(store, EXPORTED_RUN.id)
        )

    assert sum(count for _, count in lines) == 1
    assert lines[-1][0] == b'{"end":{"evaluations":1,"results":1}}\n'
