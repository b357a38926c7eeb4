"""The parent of a command: which commands have one, and its exit code."""

from __future__ import annotations

import os
import threading

import pytest

from callscore.cli import supervision
from callscore.cli.board import Board
from callscore.cli.supervision import _code, can_supervise

KILLED = 9  # the status of a process that this signal ended
EXITED = 256  # one more than the highest byte of a status with exit code 0


def board() -> Board:
    made = Board()
    made.claim()
    return made


@pytest.mark.parametrize(
    ("finished", "status", "code"),
    [
        (0, 0, 0),
        (1, EXITED, 1),
        (1, 0, 1),  # the code of the command counts, whatever ends the process afterwards
        (0, 120 * EXITED, 120),  # standard output could not be written
        (0, KILLED, 137),
        (None, 0, 5),
        (None, 3 * EXITED, 5),
        (None, KILLED, 137),
    ],
)
def test_only_a_command_that_finished_exits_with_0(
    finished: int | None, status: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    made = board()
    if finished is not None:
        made.finish(finished)

    assert _code(status, made) == code
    assert bool(capsys.readouterr().err) == (finished is None or status == KILLED)


@pytest.mark.parametrize(
    ("arguments", "is_supervised"),
    [(["run"], True), (["score", "-"], True), (["mcp"], False), (["--help"], False), ([], False)],
)
def test_commands_have_a_parent_and_a_server_has_none(
    arguments: list[str], is_supervised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)

    assert can_supervise(arguments) is is_supervised


def test_a_process_with_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)

    assert not can_supervise(["run"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a parent")
@pytest.mark.parametrize(("is_ended", "asks"), [(True, 0), (False, 1)])
def test_linux_is_asked_only_if_a_short_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, is_ended: bool, asks: int
) -> None:
    alive, parent = os.pipe()
    asked: list[None] = []

    def ask() -> None:
        asked.append(None)
        os.close(parent)

    monkeypatch.setattr(supervision, "_ask_to_be_ended", ask)
    if is_ended:
        os.close(parent)
    wait = threading.Thread(target=supervision._wait_for_end, args=(os.getppid(), alive, 0.01))
    wait.start()
    wait.join()
    os.close(alive)

    assert len(asked) == asks
