"""The writer: keeps what it is given without holding anybody up, whatever happens to the disk."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_result, a_run, an_answer, fill_up

from callscore.history.opening import open_store
from callscore.history.writer import RunWriter

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

    path = None
    command_options = ""

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

    with closing(RunWriter(begun, a_run())) as writer, open_store(path) as other:
        writer.put(an_answer(RUN), is_kept.set)

        assert is_kept.wait(300)
        assert other.answer_of_run(RUN, "00ff", 1) == an_answer(RUN)
    assert writer.problems == []


def test_putting_does_not_wait_for_the_disk() -> None:
    gate: Any = _Gate()
    kept: list[int] = []
    with closing(RunWriter(gate, a_run())) as writer:
        writer.put(an_answer(), lambda: kept.append(0))
        gate.is_reached.wait(300)
        for number in range(1, 100):
            writer.put(an_answer(), partial(kept.append, number))
        before = list(kept)
        gate.is_open.set()

    assert before == []
    assert kept == list(range(100))


def test_many_threads_put_at_once(begun: Store) -> None:
    def put(first: int) -> None:
        for number in range(first, first + 200):
            writer.put(a_result(RUN, f"case-{number}"))

    with closing(RunWriter(begun, a_run())) as writer:
        threads = [Thread(target=put, args=(first,)) for first in range(0, 1_600, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert {result.case for result in begun.results(RUN)} == {f"case-{n}" for n in range(1_600)}


# --- bad luck ---------------------------------------------------------------------------------


def _put_many(writer: RunWriter, first: int, count: int) -> list[int]:
    """Put so many results, and wait until they are reported."""
    told: list[int] = []
    is_told = Event()
    for number in range(first, first + count):
        writer.put(a_result(RUN, f"case-{number}"), partial(told.append, number))
        if number % 50 == 0:
            writer.flush_soon()
    writer.put(a_result(RUN, f"case-{first}"), is_told.set)
    assert is_told.wait(300)
    return told


LIMITED = """
import resource, sys
from pathlib import Path
from callscore.history.opening import open_store
from callscore.history.writer import RunWriter
from tests.history.made_up import a_result, a_run

with open_store(Path(sys.argv[1])) as store:
    run = store.begin(a_run())
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, unlimited[1]))
    told = []
    writer = RunWriter(store, run)
    for number in range(5_000):
        writer.put(a_result(run.id, f"case-{number}"), lambda: told.append(1))
    writer.close()
    print(len(told))
    print(*writer.problems)
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
"""


def test_a_disk_that_takes_no_more_is_told_and_what_was_kept_is_there(path: Path) -> None:
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


def test_a_trouble_that_passes_loses_nothing(begun: Store) -> None:
    fill_up(begun, 0)
    with closing(RunWriter(begun, a_run())) as writer:
        told = _put_many(writer, 0, 300)
        fill_up(begun, 1_000)
        writer._retry_after = 0.0
        told += _put_many(writer, 300, 1)
        kept = [result.case for result in begun.results(RUN)]

    assert told == list(range(301))
    assert kept == [f"case-{number}" for number in range(301)]
    assert writer.problems == []


def test_one_record_that_cannot_be_kept_takes_no_other_with_it(begun: Store) -> None:
    with closing(RunWriter(begun, a_run())) as writer:
        writer.put(a_result(RUN, "a"))
        writer.put(a_result(RUN, "b", trial=10**30))
        writer.put(a_result(RUN, "c"))

    assert [result.case for result in begun.results(RUN)] == ["a", "c"]
    assert len(writer.problems) == 1
