"""The statements that add rows, in the words of every database."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlalchemy import func, select
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import Usage
from callscore.errors import UnknownRun
from callscore.history.database import fetch_all
from callscore.history.opening import open_store
from callscore.history.queries import (
    answer_in_run,
    inserts_for,
    judgement_by_key,
    newest_answer,
    page_of_results,
    rows_from,
    save_judgement,
    save_payloads,
)
from callscore.history.records import COUNTS, json_bytes
from callscore.history.run_queries import begin_run, end_run, saved_run
from callscore.history.schema import payloads
from callscore.history.tables import ANSWER_CHECKS, ANSWERS, RESULT_CHECKS, RESULTS

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store


@pytest.mark.parametrize("is_sqlite", [True, False])
def test_what_is_there_is_left_or_replaced_in_every_database(*, is_sqlite: bool) -> None:
    inserts = inserts_for(is_sqlite=is_sqlite)

    assert "ON CONFLICT DO NOTHING" in inserts.payload.text
    assert "ON CONFLICT (run, number) DO UPDATE" in inserts.evaluation.text
    assert "ON CONFLICT (run, evaluation, case_id, trial) DO UPDATE" in inserts.result.text
    assert "ON CONFLICT (name) DO UPDATE" in inserts.baseline.text
    assert "ON CONFLICT (key) DO UPDATE" in inserts.judgement.text
    assert "ON CONFLICT" not in inserts.answer.text


@pytest.mark.parametrize("is_sqlite", [True, False])
def test_rows_are_numbered_by_the_database(*, is_sqlite: bool) -> None:
    inserts = inserts_for(is_sqlite=is_sqlite)

    assert "number" not in inserts.result.text
    assert "number" not in inserts.answer.text
    assert "number" in inserts.evaluation.text


def test_a_query_takes_its_values_by_name(store: Store) -> None:
    for name in ("20261115-184354-k3f9", "20261116-070000-bcdf"):
        store.begin(a_run(name))
    query = "SELECT id FROM runs WHERE command = :command ORDER BY number LIMIT :limit"

    with store.reading() as connection:
        for limit in (1, 2):
            found = fetch_all(connection, query, {"command": "run", "limit": limit})
            assert len(found) == limit
            assert found[0][0] == "20261115-184354-k3f9"
        assert fetch_all(connection, query, {"command": "score", "limit": 1}) == []


@pytest.mark.parametrize("is_sqlite", [True, False])
def test_values_go_to_the_driver_in_the_order_of_the_columns(*, is_sqlite: bool) -> None:
    inserts = inserts_for(is_sqlite=is_sqlite)

    assert inserts.payload.names == ("digest", "body")
    assert ("(?, ?)" if is_sqlite else "(%s, %s)") in inserts.payload.text
    assert inserts.result.names == RESULTS.written
    assert inserts.answer.names == ANSWERS.written


def test_each_value_of_a_record_is_in_its_column() -> None:
    usage = Usage(1, 22, 333)
    result = a_result(RUN, seconds=0.25, usage=usage, attempts=4, finished_at=5.5, position=6)
    answer = an_answer(RUN, seconds=0.75, usage=usage, attempts=4, asked_at=7.5)

    [answer_row], [result_row], bodies = rows_from([answer, result], {RUN: 5})
    saved = dict(zip(RESULTS.written, result_row, strict=True))
    asked = dict(zip(ANSWERS.written, answer_row, strict=True))

    for name, value in {"run": 5, "evaluation": 0, "case_id": result.case, "trial": 1}.items():
        assert saved[name] == value, name
    for row in (saved, asked):
        assert (row["requests"], row["input_tokens"], row["output_tokens"]) == (1, 22, 333)
        assert row["attempts"] == 4
    assert (saved["seconds"], saved["finished_at"], saved["position"]) == (0.25, 5.5, 6)
    assert (asked["seconds"], asked["asked_at"], asked["trial"]) == (0.75, 7.5, answer.trial)
    assert tuple([saved[name] for name in COUNTS]) == result.counts
    assert bodies[saved["payload"]] == json_bytes(result.payload)
    assert bodies[saved["calls"]] == json_bytes(result.calls)
    assert RESULT_CHECKS.verify([1, *result_row], RUN) == saved["checksum"]
    assert ANSWER_CHECKS.verify([1, *answer_row], RUN) == asked["checksum"]


def test_of_the_same_result_twice_in_one_batch_the_last_is_kept(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, f1=0.0), a_result(RUN, f1=1.0)])

    assert [each.f1 for each in store.results(RUN)] == [1.0]


# What many records share is kept once.

RUN = a_run().id


def _payloads(store: Store) -> int:
    with store.connected() as connection:
        count: int = connection.execute(select(func.count()).select_from(payloads)).scalar_one()
    return count


def test_a_payload_is_kept_once_however_many_runs_have_it(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run("20261116-000000-bbbb"))
    store.save_results([a_result(RUN), a_result(RUN, trial=2)])
    before = _payloads(store)

    store.save_results([a_result("20261116-000000-bbbb")])

    assert before == 3  # the case, the answer, the calls
    assert _payloads(store) == 3
    assert len(list(store.results("20261116-000000-bbbb"))) == 1


def test_more_payloads_than_one_statement_takes_are_kept_once(store: Store) -> None:
    store.begin(a_run())
    records = [an_answer(RUN, f"{number:04x}") for number in range(1_200)]
    store.save_results(records)

    store.save_results(records)

    assert _payloads(store) == 1_200


def test_only_payloads_that_would_be_compressed_are_looked_for_first(tmp_path: Path) -> None:
    asked: list[str] = []
    with open_store(tmp_path / "history.db") as store:
        for _ in range(2):
            with store.writing() as connection:
                assert isinstance(connection, sqlite3.Connection)
                connection.set_trace_callback(asked.append)
                save_payloads(connection, {b"small": b"1", b"large": b"2" * 2_000})
                connection.set_trace_callback(None)
        with store.reading() as connection:
            found = fetch_all(connection, "SELECT digest FROM payloads ORDER BY digest")

    queries = [each for each in asked if each.startswith("SELECT")]
    assert len(queries) == 2
    assert not any(b"small".hex().upper() in each.upper() for each in queries)
    assert found == [(b"large",), (b"small",)]


def test_an_answer_of_no_run_is_kept_all_the_same() -> None:
    answers, results, bodies = rows_from([an_answer(), a_result(RUN)], {RUN: 5})

    assert [row[0] for row in answers] == [None]
    assert [row[0] for row in results] == [5]
    assert len(bodies) == 4


# Answers are found by what was asked, judgements by what was judged.


def test_the_newest_answer_is_found_and_that_of_a_run(store: Store) -> None:
    store.begin(a_run())
    older, newer = an_answer(RUN, answer="older"), an_answer(answer="newer")
    store.save_results([older, newer])

    with store.reading() as connection:
        assert newest_answer(connection, "00ff", "", 1) == newer
        assert answer_in_run(connection, 1, "00ff", 1) == older
        assert newest_answer(connection, "00ff", "ab", 1) is None
        assert answer_in_run(connection, 2, "00ff", 1) is None


def test_a_judgement_takes_the_place_of_an_earlier_one(store: Store) -> None:
    with store.writing() as connection:
        for same in (False, True):
            save_judgement(connection, "киев = kyiv?", "judge", {"same": same})

    with store.reading() as connection:
        assert judgement_by_key(connection, "киев = kyiv?") == {"same": True}
        assert judgement_by_key(connection, "other") is None


# The results of a run: of one case, of one evaluation, page by page.

OTHER = "20261116-070000-bcdf"


@pytest.fixture
def filled(store: Store) -> Store:
    for run in (RUN, OTHER):
        store.begin(a_run(run))
        store.add_evaluation(an_evaluation(run))
    store.save_results(
        [
            a_result(RUN, case, evaluation=evaluation, trial=trial)
            for evaluation in (1, 0)
            for trial in (2, 1)
            for case in ("weather", "погода")
        ]
    )
    store.save_results([a_result(OTHER)])
    return store


def test_a_case_is_found_in_each_evaluation_and_trial(filled: Store) -> None:
    found = filled.result(RUN, "погода")

    assert [(each.evaluation, each.trial) for each in found] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert found[0] == a_result(RUN, "погода")


def test_one_trial_or_one_evaluation_may_be_meant(filled: Store) -> None:
    trial = filled.result(RUN, "weather", trial=2)
    evaluation = filled.result(RUN, "weather", evaluation=1)
    both = filled.result(RUN, "weather", trial=2, evaluation=1)

    assert [each.evaluation for each in trial] == [0, 1]
    assert [each.trial for each in evaluation] == [1, 2]
    assert both == [a_result(RUN, evaluation=1, trial=2)]


def test_a_case_that_is_not_there_gives_nothing(filled: Store) -> None:
    assert filled.result(RUN, "Weather") == []
    assert filled.result(OTHER, "weather", trial=3) == []
    with pytest.raises(UnknownRun):
        filled.result("20000101-000000-none", "weather")


def test_a_page_goes_on_where_the_last_one_ended(filled: Store) -> None:
    with filled.reading() as connection:
        run = saved_run(connection, RUN)
        first = page_of_results(connection, run, None, after=-1, limit=5)
        second = page_of_results(connection, run, None, after=first[-1].number, limit=5)
        nothing = page_of_results(connection, run, None, after=second[-1].number, limit=5)

    read = [row.case_id for row in [*first, *second]]
    assert read == [record.case for record in filled.results(RUN)]
    assert (len(first), len(second), nothing) == (5, 3, [])


def test_the_most_trials_of_each_evaluation_are_told(filled: Store) -> None:
    assert filled.trials(RUN) == {0: 2, 1: 2}
    assert filled.trials(OTHER) == {0: 1}


# A run begins under an id of its own, and ends once.


def test_a_run_goes_on_or_gets_another_id(store: Store) -> None:
    with store.writing() as connection:
        assert begin_run(connection, a_run()) == a_run()
        again = begin_run(connection, a_run(command="rescore"))
        other = begin_run(connection, a_run(started_at=7.0))

    assert again.id == RUN != other.id
    assert [run.command for run in store.runs()] == ["rescore", "run"]


def test_only_the_run_that_ends_ends(store: Store) -> None:
    first, second = store.begin(a_run()), store.begin(a_run(started_at=7.0))
    for run in (first, second):
        store.add_evaluation(an_evaluation(run.id))

    with store.writing() as connection:
        summaries = {0: {"mean": 0.5}, 9: {"mean": 1.0}}
        end_run(connection, (first.id, 1), "interrupted", {"passed": 1}, summaries)

    assert [run.status for run in store.runs()] == ["interrupted", "running"]
    assert store.evaluations(first.id)[0].summary == {"mean": 0.5}
    assert store.evaluations(second.id)[0].summary == {}


def test_a_run_that_is_gone_does_not_end(store: Store) -> None:
    store.begin(a_run())

    for gone in ((RUN, 7), ("another", 1)):
        with store.writing() as connection, pytest.raises(UnknownRun, match="removed it"):
            end_run(connection, gone, "finished", {}, {})

    assert store.find(RUN).status == "running"


def test_a_run_of_many_results_is_sealed_page_by_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.history.run_queries._ROWS_AT_ONCE", 2)
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    untagged = {"input": "?", "expected": ["search"]}
    others = [{}, {"payload": untagged}, {}, {"payload": untagged}, {}]
    store.save_results([a_result(RUN, f"c{at}", **some) for at, some in enumerate(others)])

    store.finish(RUN, "finished", {}, {})

    with store.reading() as connection:
        seal = saved_run(connection, RUN).seal
        [(by_tag,)] = fetch_all(connection, "SELECT by_tag FROM evaluations")
    assert seal is not None
    assert seal.results.count == len(others)
    assert [record.case for record in store.results(RUN)] == ["c0", "c1", "c2", "c3", "c4"]
    assert [(tag, each["cases"]) for tag, each in msgspec.json.decode(by_tag).items()] == [
        ("smoke", 3)
    ]
