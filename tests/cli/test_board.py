"""What a command and its parent share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from callscore.cli.board import Board

if TYPE_CHECKING:
    import pytest


def board() -> Board:
    made = Board()
    made.claim()
    return made


def test_a_command_has_not_finished_until_it_says_so() -> None:
    made = board()

    before = made.code
    made.finish(4)

    assert (before, made.code) == (None, 4)


def test_a_copy_of_the_process_can_neither_finish_nor_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = board()
    monkeypatch.setattr(os, "getpid", lambda: -1)

    made.finish(0)
    made.write(b"begun")

    assert (made.code, made.read()) == (None, b"")


def test_the_board_has_what_was_written_last_and_completely() -> None:
    made = board()
    read = [made.read()]

    for data in (b"first", b"second", b"x" * 100_000, b""):  # for the long one there is no room
        made.write(data)
        read.append(made.read())

    assert read == [b"", b"first", b"second", b"second", b""]
