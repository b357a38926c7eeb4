"""The test that is running, and one inside another."""

from __future__ import annotations

from threading import Thread

import pytest

from callscore.testing.running_test import RunningTest, running_as, running_test


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
