"""Locks on a server: one process at a time, and free again however that ends."""

from __future__ import annotations

import os
import subprocess
import sys
from time import monotonic, sleep
from typing import Any

import pytest

from callscore.history.locks import ServerLock
from callscore.history.opening import open_store
from callscore.history.postgres import parse_address


@pytest.fixture
def parts(postgres_url: str) -> dict[str, Any]:
    return parse_address(postgres_url)


def is_free(parts: dict[str, Any], run: str = "r") -> bool:
    with_it = ServerLock(parts, run)
    try:
        return with_it.take()
    finally:
        with_it.release()


def is_free_soon(parts: dict[str, Any]) -> bool:
    """The server notices that a process is gone when it looks at its connection next."""
    deadline = monotonic() + 10
    while not is_free(parts):
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True


def test_a_run_is_one_process_s_while_the_block_runs(parts: dict[str, Any]) -> None:
    with ServerLock(parts, "r") as lock:
        assert lock.take()
        during = is_free(parts)
        another = is_free(parts, "other")

    assert (during, another, is_free_soon(parts)) == (False, True, True)


HOLDING = """
import os, sys
from callscore.history.addresses import require_server
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


def held_elsewhere(url: str, how: str) -> subprocess.Popen[bytes]:
    """Another process that holds the mark, and has said so."""
    command = [sys.executable, "-c", HOLDING, url, how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_the_mark_ends_with_the_process_however_that_ends(
    postgres_url: str, parts: dict[str, Any]
) -> None:
    with held_elsewhere(postgres_url, "alone") as process:
        during = is_free(parts)
        process.kill()
        process.wait()

    assert (during, is_free_soon(parts)) == (False, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_copy_of_a_process_does_not_hold_its_mark(
    postgres_url: str, parts: dict[str, Any]
) -> None:
    with held_elsewhere(postgres_url, "copied") as process:
        process.wait()  # the copy goes on

        assert is_free_soon(parts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_end_of_a_copy_ends_no_connection(postgres_url: str, parts: dict[str, Any]) -> None:
    with held_elsewhere(postgres_url, "outlived") as process:
        assert not is_free(parts)
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
