"""The writer: keeps what it is given without holding anybody up, whatever happens to the disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from functools import partial
from threading import Event, Thread, get_ident
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_result, a_run, an_answer

from callscore.history import connections
from callscore.history import writer as writing
from callscore.history.database import fetch_all
from callscore.history.opening import open_store
from callscore.history.writer import BackgroundWriter, FallbackStore

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from callscore.history.records import AnswerRecord, ResultRecord
    from callscore.history.store import Store

RUN = a_run().id


@pytest.fixture
def begun(store: Store) -> Store:
    store.begin(a_run())
    return store


class _Gate:
    """A store that keeps nothing until it is opened, and counts what it is given at once."""

    place = "history.db"

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.is_reached = Event()
        self.is_open = Event()

    def save_results(self, records: Iterable[AnswerRecord | ResultRecord]) -> None:
        self.is_reached.set()
        self.is_open.wait(300)
        self.batches.append(len(list(records)))


def test_a_record_that_is_reported_kept_can_be_read_by_others(begun: Store, path: Path) -> None:
    is_kept = Event()

    with BackgroundWriter(begun) as writer, open_store(path) as other:
        writer.put(an_answer(RUN), is_kept.set)

        assert is_kept.wait(300)
        assert other.answer_of_run(RUN, "00ff", 1) == an_answer(RUN)
    assert writer.problem is None


def test_putting_does_not_wait_for_the_disk() -> None:
    gate: Any = _Gate()
    kept: list[int] = []
    with BackgroundWriter(gate) as writer:
        writer.put(an_answer(), lambda: kept.append(0))
        gate.is_reached.wait(300)
        for number in range(1, 100):
            writer.put(an_answer(), partial(kept.append, number))
        before = list(kept)
        gate.is_open.set()

    assert before == []
    assert kept == list(range(100))


def test_what_is_waiting_shares_a_transaction() -> None:
    gate: Any = _Gate()
    with BackgroundWriter(gate) as writer:
        writer.put(an_answer())
        gate.is_reached.wait(300)
        for _ in range(1_200):
            writer.put(an_answer())
        gate.is_open.set()

    assert gate.batches == [1, 1_000, 200]


def test_a_full_batch_does_not_wait_for_others() -> None:
    gate: Any = _Gate()
    gate.is_open.set()
    with BackgroundWriter(gate) as writer:
        for _ in range(3_000):
            writer.put(an_answer())
        writer.flush()

    assert sum(gate.batches) == 3_000
    assert max(gate.batches) <= 1_000


def test_without_a_thread_the_caller_writes_full_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_DIRECT_SECONDS", 1e9)
    gate: Any = _Gate()
    gate.is_open.set()
    kept: list[int] = []
    with BackgroundWriter(gate, is_direct=True) as writer:
        monkeypatch.setattr(writing, "monotonic", lambda: 0.0)
        writer.flush()
        for number in range(1_200):
            writer.put(an_answer(), partial(kept.append, number))
        before = list(kept)
        writer.flush()
        writer.put(an_answer())

    assert gate.batches == [1_000, 200, 1]
    assert before == list(range(1_000))
    assert kept == list(range(1_200))
    with pytest.raises(RuntimeError, match="closed"):
        writer.put(an_answer())


def test_without_a_thread_records_that_come_slowly_are_written_at_once() -> None:
    gate: Any = _Gate()
    gate.is_open.set()
    with BackgroundWriter(gate, is_direct=True) as writer:
        writer.put(an_answer())

        assert gate.batches == [1]


def test_flushing_waits_until_all_is_kept_and_reported(begun: Store) -> None:
    kept: list[int] = []
    with BackgroundWriter(begun) as writer:
        for number in range(100):
            writer.put(a_result(RUN, f"case-{number}"), partial(kept.append, number))
        writer.flush()

        assert kept == list(range(100))
        assert len(list(begun.results(RUN))) == 100


def test_flushing_nothing_does_not_wait(begun: Store) -> None:
    with BackgroundWriter(begun) as writer:
        writer.flush()
        writer.flush()


def test_closing_keeps_what_is_waiting(begun: Store) -> None:
    writer = BackgroundWriter(begun)
    for number in range(2_000):
        writer.put(a_result(RUN, f"case-{number}"))

    writer.close()
    writer.close()

    assert len(list(begun.results(RUN))) == 2_000


def test_a_closed_writer_takes_nothing(begun: Store) -> None:
    writer = BackgroundWriter(begun)
    writer.close()

    with pytest.raises(RuntimeError, match="the writer is closed"):
        writer.put(an_answer())


def test_many_threads_put_at_once(begun: Store) -> None:
    def put(first: int) -> None:
        for number in range(first, first + 200):
            writer.put(a_result(RUN, f"case-{number}"))

    with BackgroundWriter(begun) as writer:
        threads = [Thread(target=put, args=(first,)) for first in range(0, 1_600, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert {result.case for result in begun.results(RUN)} == {f"case-{n}" for n in range(1_600)}


def test_whoever_listens_may_fail_without_harm(begun: Store) -> None:
    told: list[int] = []

    def fail() -> None:
        raise RuntimeError("the loop is closed")

    with BackgroundWriter(begun) as writer:
        writer.put(a_result(RUN, "a"), fail)
        writer.put(a_result(RUN, "b"), lambda: told.append(get_ident()))

    assert len(told) == 1
    assert told[0] != get_ident()
    assert writer.problem is None


# --- bad luck ---------------------------------------------------------------------------------


def _put_many(writer: BackgroundWriter, first: int, count: int) -> list[int]:
    """Put so many results, one at a time; those that were reported."""
    told: list[int] = []
    for number in range(first, first + count):
        writer.put(a_result(RUN, f"case-{number}"), partial(told.append, number))
        writer.flush()
    return told


def _fill_up(store: Store, pages: int) -> None:
    """Let the disk be full after so many more pages."""
    with store.reading() as connection:
        [(used,)] = fetch_all(connection, "PRAGMA page_count")
        fetch_all(connection, f"PRAGMA max_page_count = {used + pages}")


def test_a_full_disk_stops_the_keeping_and_not_the_run(begun: Store, path: Path) -> None:
    _fill_up(begun, 4)
    with BackgroundWriter(begun) as writer:
        told = _put_many(writer, 0, 300)

    assert told == list(range(300))
    assert writer.problem == f"{path}: the disk is full. Free some space."
    kept = [result.case for result in begun.results(RUN)]
    assert 0 < len(kept) < 300
    assert kept == [f"case-{number}" for number in range(len(kept))]


def test_after_a_full_disk_the_history_can_be_used_again(begun: Store, path: Path) -> None:
    _fill_up(begun, 0)
    with BackgroundWriter(begun) as writer:
        _put_many(writer, 0, 300)
    begun.close()

    with open_store(path) as again, BackgroundWriter(again) as once_more:
        _put_many(once_more, 300, 10)
        again.finish(RUN, "finished", {}, {})

        assert once_more.problem is None
        assert {f"case-{n}" for n in range(300, 310)} <= {r.case for r in again.results(RUN)}


LIMITED = """
import resource, sys
from pathlib import Path
from callscore.history.opening import open_store
from callscore.history.writer import BackgroundWriter
from tests.history.made_up import a_result, a_run

with open_store(Path(sys.argv[1])) as store:
    run = store.begin(a_run())
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, unlimited[1]))
    told = []
    with BackgroundWriter(store) as writer:
        for number in range(5_000):
            writer.put(a_result(run.id, f"case-{number}"), lambda: told.append(1))
    print(len(told))
    print(writer.problem)
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
"""


def test_a_disk_that_takes_no_more_is_told_and_what_was_kept_is_there(path: Path) -> None:
    pytest.importorskip("resource")

    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, encoding="utf-8", check=False
    )

    assert ran.stderr == ""
    told, problem = ran.stdout.splitlines()
    assert told == "5000"
    assert problem.startswith(f"{path}: the disk ")
    with open_store(path) as store:
        kept = [result.case for result in store.results(RUN)]
    assert kept == [f"case-{number}" for number in range(len(kept))]
    assert 0 < len(kept) < 5_000


def test_a_file_that_is_gone_is_told(begun: Store, path: Path) -> None:
    with BackgroundWriter(begun) as writer:
        _put_many(writer, 0, 1)
        path.unlink()
        told = _put_many(writer, 1, 3)

    assert told == [1, 2, 3]
    assert writer.problem is not None
    assert "moved or deleted" in writer.problem


def test_a_file_that_another_process_keeps_to_itself_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_BUSY_TIMEOUT", 0.1)
    with open_store(path) as store:
        store.begin(a_run())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with BackgroundWriter(store) as writer:
            told = _put_many(writer, 0, 3)
        other.close()

    assert told == [0, 1, 2]
    assert writer.problem is not None
    assert "another process is writing to it" in writer.problem


def test_a_result_of_no_run_is_told(store: Store) -> None:
    with BackgroundWriter(store) as writer:
        _put_many(writer, 0, 2)

    assert writer.problem == f"unknown run {RUN!r}"


def test_any_other_trouble_is_told_and_nobody_waits_for_ever(begun: Store) -> None:
    told: list[int] = []
    with BackgroundWriter(begun) as writer:
        writer.put(a_result(RUN, trial=10**30), lambda: told.append(1))

    assert told == [1]
    assert writer.problem is not None
    assert "Overflow" in writer.problem or "out of range" in writer.problem


@pytest.mark.usefixtures("path")
def test_a_trouble_that_passes_loses_nothing(begun: Store) -> None:
    _fill_up(begun, 0)
    with BackgroundWriter(begun) as writer:
        told = _put_many(writer, 0, 300)
        _fill_up(begun, 1_000)
        writer._retry_after = 0.0
        told += _put_many(writer, 300, 1)
        kept = [result.case for result in begun.results(RUN)]

    assert told == list(range(301))
    assert kept == [f"case-{number}" for number in range(301)]
    assert writer.problem is None


@pytest.mark.usefixtures("path")
def test_a_trouble_that_passes_before_the_end_loses_nothing(begun: Store) -> None:
    _fill_up(begun, 0)
    with BackgroundWriter(begun) as writer:
        _put_many(writer, 0, 300)
        _fill_up(begun, 1_000)

    assert len(list(begun.results(RUN))) == 300
    assert writer.problem is None


@pytest.mark.usefixtures("path")
def test_only_so_much_waits_in_memory(begun: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_MAX_PENDING", 50)
    _fill_up(begun, 0)
    with BackgroundWriter(begun) as writer:
        _put_many(writer, 0, 300)
        _fill_up(begun, 1_000)

    assert writer.problem is not None
    assert "the disk is full" in writer.problem
    assert 50 <= len(list(begun.results(RUN))) < 300


def test_one_record_that_cannot_be_kept_takes_no_other_with_it(begun: Store) -> None:
    with BackgroundWriter(begun) as writer:
        writer.put(a_result(RUN, "a"))
        writer.put(a_result(RUN, "b", trial=10**30))
        writer.put(a_result(RUN, "c"))

    assert [result.case for result in begun.results(RUN)] == ["a", "c"]
    assert writer.problem is not None


def test_what_the_database_refuses_is_rescued(
    begun: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rescue = FallbackStore(tmp_path / "history.db")
    rescue.begin(a_run())
    with BackgroundWriter(begun, rescue) as writer:
        writer.put(a_result(RUN, "a"))
        writer.put(a_result(RUN, "b", trial=10**30))

    assert [result.case for result in begun.results(RUN)] == ["a"]
    (file,) = rescue.files
    assert b'"case":"b"' in file.read_bytes().splitlines()[-1]
    assert writer.problem is not None
    assert str(file.relative_to(tmp_path)) in writer.problem


def test_what_nobody_knows_the_run_of_is_rescued(store: Store, tmp_path: Path) -> None:
    rescue = FallbackStore(tmp_path / "history.db")
    with BackgroundWriter(store, rescue) as writer:
        writer.put(a_result(RUN, "a"))

    assert len(rescue.files) == 1
