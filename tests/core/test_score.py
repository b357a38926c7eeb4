"""Counting what is wrong with calls."""

from __future__ import annotations

import pytest

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.score import Fault, count_faulty_calls, parameters_valid, total_calls

MISSING = Fault("missing_argument", "f", 0)


def test_a_call_with_two_faults_is_one_faulty_call() -> None:
    faults = [MISSING, Fault("wrong_type", "f", 0), Fault("malformed", "g", 2)]

    assert count_faulty_calls(faults) == 2


def test_repeats_loops_and_retries_leave_the_parameters_valid() -> None:
    faults = [Fault("repeat", "f", 1), Fault("loop", "f", 2), Fault("retry_unchanged", "f", 3)]

    assert parameters_valid(faults, calls=4, expected=0) == 1


@pytest.mark.parametrize(("calls", "expected", "share"), [(4, 9, 0.75), (0, 0, 1.0), (0, 2, 0.0)])
def test_the_share_of_valid_calls(calls: int, expected: int, share: float) -> None:
    faults = [MISSING] if calls else []

    assert parameters_valid(faults, calls=calls, expected=expected) == share


def test_calls_that_do_not_count_are_calls() -> None:
    ignored = [Ignored(ToolCall("f"), side, "read") for side in ("actual", "expected", "actual")]

    assert total_calls("actual", ["f"], ignored) == 3
    assert total_calls("expected", ["f"], ignored) == 2
