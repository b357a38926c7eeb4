"""Old runs are cleared away with all that only they have, and nothing else is."""

from __future__ import annotations

import threading
from time import time
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history import cleanup, cleanup_queries
from callscore.history.cleanup_queries import delete_unused_payloads
from callscore.history.opening import open_store
from callscore.history.schema import answers, evaluations, payloads, results

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from callscore.history.store import Store

NAMES = [f"2026111{number}-000000-aaaa" for number in range(5)]


def _fill(store: Store, **others: Any) -> None:
    """Five runs of one case, each with an answer and tools of its own."""
    for number, name in enumerate(NAMES):
        run = a_run(name, started_at=float(number), **others)
        store.begin(run)
        store.add_evaluation(an_evaluation(name, tools=[{"name": f"tool-{number}"}]))
        answer = {"content": f"answer {number}"}
        calls = [{"name": "search", "arguments": {"n": number}}]
        store.save_results(
            [
                an_answer(name, f"{number:04x}", answer=answer),
                a_result(
                    name,
                    payload={"input": "the same"},
                    answer=answer,
                    calls=calls,
                    comparison={"pairs": [[0, 0, number]]},
                ),
            ]
        )
        store.begin(replace(run, status="finished"))


def _count(store: Store, table: Any) -> int:
    with store.connected() as connection:
        found: int = connection.execute(select(func.count()).select_from(table)).scalar_one()
        return found


def _left(store: Store) -> list[str]:
    return [run.id for run in reversed(store.runs())]


def test_the_newest_stay_and_can_be_read(store: Store) -> None:
    _fill(store)

    cleared = store.clear(2, is_dry=False)

    assert [run.id for run in cleared.runs] == NAMES[:3]
    assert cleared.results == 3
    assert cleared.payloads == 12  # the answer, the calls, the pairs and the tools of three
    assert cleared.bytes > 100
    assert _left(store) == NAMES[3:]
    for number, name in ((3, NAMES[3]), (4, NAMES[4])):
        [record] = store.results(name)
        assert record.payload == {"input": "the same"}
        assert record.answer == {"content": f"answer {number}"}
        assert record.comparison == {"pairs": [[0, 0, number]]}
        assert store.evaluations(name)[0].tools == [{"name": f"tool-{number}"}]
    assert [_count(store, table) for table in (results, evaluations, answers)] == [2, 2, 2]
    assert _count(store, payloads) == 9


def test_a_dry_run_says_the_same_and_removes_nothing(store: Store) -> None:
    _fill(store)

    foreseen = store.clear(2, is_dry=True)

    assert _left(store) == NAMES
    assert _count(store, payloads) == 21
    assert store.clear(2, is_dry=False) == foreseen


def test_nothing_to_clear_is_nothing(store: Store) -> None:
    _fill(store)

    for is_dry in (True, False):
        assert store.clear(5, is_dry=is_dry) == cleanup.CleanupResult()
    assert _left(store) == NAMES


def test_all_may_go(store: Store) -> None:
    _fill(store)

    store.clear(0, is_dry=False)

    assert _left(store) == []
    assert [_count(store, table) for table in (results, evaluations, answers, payloads)] == [0] * 4


def test_fewer_than_none_cannot_stay(store: Store) -> None:
    with pytest.raises(InvalidSettings, match="0 or more"):
        store.clear(-1, is_dry=True)


def test_a_baseline_stays(store: Store) -> None:
    _fill(store)
    store.set_baseline("main", NAMES[1])

    store.clear(1, is_dry=False)

    assert _left(store) == [NAMES[1], NAMES[4]]
    assert store.find("main").id == NAMES[1]


def test_a_run_made_a_baseline_in_the_meantime_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(store)
    choose = cleanup._removable_runs

    def and_somebody_else(*given: Any) -> Any:
        chosen = choose(*given)
        store.set_baseline("main", NAMES[0])
        return chosen

    monkeypatch.setattr(cleanup, "_removable_runs", and_somebody_else)

    cleared = store.clear(1, is_dry=False)

    assert [run.id for run in cleared.runs] == NAMES[1:4]
    assert _left(store) == [NAMES[0], NAMES[4]]


def test_the_runs_whose_answers_are_scored_again_stay(store: Store) -> None:
    _fill(store)
    store.begin(a_run("20261117-000000-bbbb", parent=NAMES[1], status="finished"))
    store.begin(a_run("20261118-000000-cccc", parent="20261117-000000-bbbb", status="finished"))

    store.clear(1, is_dry=False)

    assert _left(store) == [NAMES[1], "20261117-000000-bbbb", "20261118-000000-cccc"]


def test_runs_that_score_one_another_again_do_not_hang_it(store: Store) -> None:
    store.begin(a_run(NAMES[0], parent=NAMES[1], status="finished"))
    store.begin(a_run(NAMES[1], parent=NAMES[0], status="finished"))

    assert store.clear(1, is_dry=False).runs == ()


def test_a_run_that_began_today_and_is_under_way_stays(store: Store) -> None:
    store.begin(a_run(NAMES[0], started_at=time()))
    store.begin(a_run(NAMES[1], status="finished", started_at=time() + 1))

    store.clear(1, is_dry=False)

    assert _left(store) == NAMES[:2]


def test_an_old_run_stays_while_a_process_is_at_it(store: Store) -> None:
    store.begin(a_run(NAMES[0], started_at=1.0))
    store.begin(a_run(NAMES[1], status="finished"))

    with store.lock(NAMES[0]):
        store.clear(1, is_dry=False)
        assert _left(store) == NAMES[:2]
    store.clear(1, is_dry=False)

    assert _left(store) == [NAMES[1]]


def test_an_answer_that_a_run_has_taken_over_stays(store: Store) -> None:
    _fill(store)
    store.begin(a_run("20261117-000000-bbbb"))
    store.save_results([a_result("20261117-000000-bbbb", question="0001", is_reused=True)])
    store.finish("20261117-000000-bbbb", "finished", {}, {})

    foreseen = store.clear(1, is_dry=True)
    cleared = store.clear(1, is_dry=False)

    assert foreseen == cleared
    kept = store.answer("0001", "", 1)
    assert kept is not None
    assert (kept.answer, kept.run) == ({"content": "answer 1"}, "")
    assert store.answer("0002", "", 1) is None


def test_judgements_and_answers_of_no_run_stay(store: Store) -> None:
    _fill(store)
    store.save_results([an_answer(question="00ff")])
    store.save_judgement("key", "model", {"same": True})

    store.clear(0, is_dry=False)

    assert store.answer("00ff", "", 1) == an_answer(question="00ff")
    assert store.judgement("key") == {"same": True}


def test_what_an_earlier_time_has_left_is_cleared_too(store: Store) -> None:
    _fill(store)
    with store.altering() as connection:
        insert_rows = [{"digest": bytes([number]) * 16, "body": b"1"} for number in range(11)]
        connection.execute(payloads.insert(), insert_rows)

    assert store.clear(5, is_dry=False).payloads == 11


def test_a_digest_that_is_not_one_is_refused(path: Path) -> None:
    with open_store(path) as store:
        with store.altering() as connection:
            connection.exec_driver_sql("INSERT INTO payloads VALUES ('text', x'31')")

        with pytest.raises(UnusableStore, match="is damaged"):
            store.clear(5, is_dry=False)


def test_a_payload_that_is_referred_to_again_in_the_meantime_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(store)
    sweep = delete_unused_payloads
    again: list[bytes] = []

    def after_somebody_else(connection: Any, digests: list[bytes]) -> Any:
        # On a server nobody writes while this goes on; so this stands for what came before it.
        number = connection.execute(select(func.max(results.c.number))).scalar_one()
        back = results.update().where(results.c.number == number).values(answer=digests[0])
        connection.execute(back)
        again.append(digests[0])
        return sweep(connection, digests)

    monkeypatch.setattr(cleanup_queries, "delete_unused_payloads", after_somebody_else)

    cleared = store.clear(2, is_dry=False)

    assert cleared.payloads == 11
    with store.connected() as connection:
        assert again[0] in set(connection.execute(select(payloads.c.digest)).scalars())


def test_many_are_removed_a_few_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "_RUNS_PER_TRANSACTION", 2)
    monkeypatch.setattr(cleanup, "_PAYLOADS_PER_TRANSACTION", 5)
    _fill(store)

    cleared = store.clear(0, is_dry=False)

    assert (len(cleared.runs), cleared.results, cleared.payloads) == (5, 5, 21)
    assert _count(store, payloads) == 0


def test_somebody_who_writes_meanwhile_loses_nothing(store: Store) -> None:
    _fill(store)
    writing = store.begin(a_run("20261120-000000-dddd", started_at=time())).id
    is_done = threading.Event()

    def write() -> None:
        for number in range(60):
            shared = {"content": f"answer {number % 5}"}  # texts that are being cleared away
            store.save_results([a_result(writing, f"case-{number}", answer=shared, calls=None)])
        is_done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not is_done.is_set():
        store.clear(1, is_dry=False)
    thread.join()

    kept = list(store.results(writing))
    assert len(kept) == 60
    assert all(record.answer is not None for record in kept)


def test_the_room_goes_back_to_the_disk(path: Path) -> None:
    with open_store(path) as store:
        store.begin(a_run(NAMES[0]))
        store.begin(a_run(NAMES[1], status="finished"))
        texts = [f"{number:x}" * 3_000 for number in range(20, 220)]
        store.save_results(
            [
                a_result(NAMES[0], f"case-{position}", answer=text)
                for position, text in enumerate(texts)
            ]
        )
        store.finish(NAMES[0], "finished", {}, {})
        store.clear(0, is_dry=True)

        store.clear(1, is_dry=False)

        assert path.stat().st_size < 200_000


def test_a_file_that_cannot_be_made_smaller_is_cleared_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "_VACUUM_TIMEOUT_MS", 10)
    with open_store(path) as store, open_store(path) as other:
        _fill(store)
        with other.connected() as connection:
            connection.execute(select(results.c.number)).all()
            cleared = store.clear(1, is_dry=False)

        assert len(cleared.runs) == 4
        assert _left(store) == NAMES[4:]


def _meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen after it was chosen what goes."""
    choose = cleanup._removable_runs

    def and_then(*given: Any) -> Any:
        chosen = choose(*given)
        happens()
        return chosen

    monkeypatch.setattr(cleanup, "_removable_runs", and_then)


def test_a_run_that_goes_on_in_the_meantime_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = a_run(NAMES[0], status="interrupted")
    store.begin(old)
    store.begin(a_run(NAMES[1], status="finished"))
    _meanwhile(monkeypatch, lambda: store.begin(replace(old, status="running")))

    store.clear(1, is_dry=False)

    assert _left(store) == NAMES[:2]


def test_a_run_that_another_process_takes_in_the_meantime_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.begin(a_run(NAMES[0], status="interrupted"))
    store.begin(a_run(NAMES[1], status="finished"))
    lock = store.lock(NAMES[0])
    _meanwhile(monkeypatch, lock.take)

    store.clear(1, is_dry=False)

    lock.release()
    assert _left(store) == NAMES[:2]


def test_a_run_that_is_scored_again_in_the_meantime_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(store)
    child = a_run("20261117-000000-bbbb", parent=NAMES[1], status="finished")
    _meanwhile(monkeypatch, lambda: store.begin(child))

    store.clear(1, is_dry=False)

    assert _left(store) == [NAMES[1], NAMES[4], child.id]


def test_what_is_scored_again_goes_with_the_run_that_has_its_answers(store: Store) -> None:
    _fill(store)
    store.begin(a_run("20261117-000000-bbbb", parent=NAMES[1], status="finished"))

    cleared = store.clear(0, is_dry=False)

    assert [run.id for run in cleared.runs] == [*NAMES, "20261117-000000-bbbb"]
    assert _left(store) == []
