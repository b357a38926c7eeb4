"""The test that is running, and one inside another."""

from __future__ import annotations

from threading import Thread

import pytest

from callscore import score
from callscore.testing.current_test import (
    RunningTest,
    failure_text,
    running_as,
    running_test,
    text_width,
)


def test_without_any_there_are_no_wishes() -> None:
    test = running_test()

    assert (test.label, test.defaults, test.updates) == ("", {}, None)


def test_the_innermost_test_runs_also_for_its_threads() -> None:
    outer, inner = RunningTest("outer"), RunningTest("inner")
    found: list[RunningTest] = []

    with running_as(outer):
        with running_as(inner):
            thread = Thread(target=lambda: found.append(running_test()))
            thread.start()
            thread.join()
        found.append(running_test())

    assert found == [inner, outer]


def test_a_test_that_fails_has_ended() -> None:
    with pytest.raises(ValueError, match="x"), running_as(RunningTest("x")):
        raise ValueError("x")

    assert running_test().label == ""


# What a failed assertion says fits the terminal.


@pytest.mark.parametrize(("columns", "width"), [("40", 52), ("100", 92), ("500", 132)])
def test_a_failure_is_as_wide_as_the_terminal_within_reason(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    found = score([("f", {"text": "x" * 300})], [("f", {"text": "y" * 300})])

    lines = failure_text(found).splitlines()

    assert text_width() == width
    assert max(map(len, lines[2:])) <= width
