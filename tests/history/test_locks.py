"""The mark of a run that is under way."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_run

from callscore.history.locks import RunLock, ServerLock, is_abandoned, remove_stale_locks
from callscore.history.opening import open_store
from callscore.history.postgres import parse_address

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store


def is_free(store: Path, run: str) -> bool:
    lock = RunLock(store, run)
    try:
        return lock.take()
    finally:
        lock.release()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def test_a_run_is_one_process_s_while_the_block_runs(file: Path) -> None:
    with RunLock(file, "r"):
        during = is_free(file, "r")
        another = is_free(file, "other")

    assert (during, another, is_free(file, "r")) == (False, True, True)
    assert list(file.parent.iterdir()) == []


HOLDING = """
import os, sys
from pathlib import Path
from callscore.history.locks import RunLock
with RunLock(Path(sys.argv[1]), "r"):
    if sys.argv[2] == "copied" and os.fork() == 0:
        print("held", flush=True)
        sys.stdin.read()
        os._exit(0)
    if sys.argv[2] == "alone":
        print("held", flush=True)
        sys.stdin.read()
    os._exit(1)
"""


def held_elsewhere(file: Path, how: str) -> subprocess.Popen[bytes]:
    """Another process that holds the mark, and has said so."""
    command = [sys.executable, "-c", HOLDING, str(file), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_the_mark_ends_with_the_process_however_that_ends(file: Path) -> None:
    with held_elsewhere(file, "alone") as process:
        during = is_free(file, "r")
        process.kill()
        process.wait()

    assert (during, is_free(file, "r")) == (False, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_copy_of_a_process_does_not_hold_its_mark(file: Path) -> None:
    with held_elsewhere(file, "copied") as process:
        process.wait()  # the copy goes on

        assert is_free(file, "r")


def test_where_no_mark_can_be_made_the_run_goes_on(file: Path) -> None:
    nowhere = file / "at" / "all"

    with RunLock(nowhere, "r") as lock:
        assert lock.take()
    assert RunLock(None, "r").take()


def test_a_mark_that_another_holds_stays_when_this_one_ends(file: Path) -> None:
    with RunLock(file, "r"):
        with RunLock(file, "r"):
            pass

        assert not is_free(file, "r")


def test_a_mark_that_was_removed_meanwhile_is_made_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = file.with_name("history.db-r.lock")
    real = os.open
    times = iter([mark.unlink])

    def opened(*given: int) -> int:
        made = real(*given)  # type: ignore[arg-type]  # just as they were given
        next(times, lambda: None)()
        return made

    monkeypatch.setattr(os, "open", opened)
    with RunLock(file, "r") as lock:
        assert mark.exists()
        assert not is_free(file, "r")
        del lock


def test_marks_that_are_left_go_when_the_history_is_opened(file: Path) -> None:
    for run in ("gone", "busy"):
        file.with_name(f"history.db-{run}.lock").touch()

    with RunLock(file, "busy"):
        open_store(file).close()
        left = [path.name for path in file.parent.glob("*.lock")]

    assert left == ["history.db-busy.lock"]


def test_where_there_is_no_folder_nothing_is_cleared(file: Path) -> None:
    remove_stale_locks(file / "history.db")

    assert list(file.parent.iterdir()) == []


# Locks on a server: one process at a time, and free again however that ends.


@pytest.fixture
def parts(postgres_url: str) -> dict[str, Any]:
    return parse_address(postgres_url)


def is_free_on_server(parts: dict[str, Any], run: str = "r") -> bool:
    with_it = ServerLock(parts, run)
    try:
        return with_it.take()
    finally:
        with_it.release()


def is_free_soon(parts: dict[str, Any]) -> bool:
    """The server notices that a process is gone when it looks at its connection next."""
    return any(is_free_on_server(parts) for _ in range(5_000))


def test_a_run_is_one_process_s_while_the_block_runs_on_a_server(parts: dict[str, Any]) -> None:
    with ServerLock(parts, "r") as lock:
        assert lock.take()
        during = is_free_on_server(parts)
        another = is_free_on_server(parts, "other")

    assert (during, another, is_free_soon(parts)) == (False, True, True)


HOLDING_ON_SERVER = """
import os, sys
from callscore.history.opening import open_store
with open_store(sys.argv[1]) as store, store.lock("r"):
    if sys.argv[2] == "copied" and os.fork() == 0:
        print("held", flush=True)
        sys.stdin.read()
        os._exit(0)
    if sys.argv[2] == "outlived" and os.fork() == 0:
        sys.exit(0)  # as somebody's own code may: all that is open is closed on the way
    if sys.argv[2] == "outlived":
        os.wait()
        store.runs()
    if sys.argv[2] != "copied":
        print("held", flush=True)
        sys.stdin.read()
    os._exit(1)
"""


def held_by_server_elsewhere(url: str, how: str) -> subprocess.Popen[bytes]:
    """Another process that holds the mark, and has said so."""
    command = [sys.executable, "-c", HOLDING_ON_SERVER, url, how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_the_mark_ends_with_the_process_however_that_ends_on_a_server(
    postgres_url: str, parts: dict[str, Any]
) -> None:
    with held_by_server_elsewhere(postgres_url, "alone") as process:
        during = is_free_on_server(parts)
        process.kill()
        process.wait()

    assert (during, is_free_soon(parts)) == (False, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_copy_of_a_process_does_not_hold_its_mark_on_a_server(
    postgres_url: str, parts: dict[str, Any]
) -> None:
    with held_by_server_elsewhere(postgres_url, "copied") as process:
        process.wait()  # the copy goes on

        assert is_free_soon(parts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_end_of_a_copy_ends_no_connection(postgres_url: str, parts: dict[str, Any]) -> None:
    with held_by_server_elsewhere(postgres_url, "outlived") as process:
        assert not is_free_on_server(parts)
        process.kill()


def test_where_the_server_cannot_be_asked_the_run_goes_on() -> None:
    nowhere = parse_address("postgresql://127.0.0.1:1/nowhere")

    with ServerLock(nowhere, "r") as lock:
        assert lock.take()


def test_a_history_on_a_server_locks_there_and_one_in_a_file_beside_it(postgres_url: str) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url) as other:
        lock = store.lock("r")
        lock.take()

        assert isinstance(lock, ServerLock)
        assert not other.lock("r").take()
        lock.release()


# Whether a process is still at a run.


def test_a_run_is_left_where_it_says_that_it_runs_and_nobody_is_at_it(store: Store) -> None:
    run = store.begin(a_run())

    with store.lock(run.id):
        assert not is_abandoned(store, run)
    assert is_abandoned(store, run)
    assert is_abandoned(store, run)  # looking leaves nothing behind


def test_a_run_that_has_ended_is_not_left(store: Store) -> None:
    run = store.begin(a_run())
    store.finish(run.id, "interrupted", {}, {})

    assert not is_abandoned(store, store.find(run.id))
