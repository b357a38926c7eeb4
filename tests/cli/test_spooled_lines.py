"""Lines of a report that wait for what precedes them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from callscore.cli import spooled_lines
from callscore.cli.spooled_lines import SpooledLines

if TYPE_CHECKING:
    import pytest


def test_lines_come_back_in_order_also_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spooled_lines, "_IN_MEMORY", 8)
    with closing(SpooledLines()) as lines:
        for number in range(100):
            lines.add(b"line %d\n" % number)

        assert list(lines) == [b"line %d\n" % number for number in range(100)]


def test_another_process_takes_its_own_lines_and_adds_them_here() -> None:
    with closing(SpooledLines()) as here, closing(SpooledLines()) as there:
        here.add(b"first\n")
        there.add(b"of the process before it was copied\n")
        begin, take, _ = there.parts

        begin()
        there.add(b"second\n")
        there.add(b"third\n")
        here.parts.add(take())

        assert list(here) == [b"first\n", b"second\n", b"third\n"]
