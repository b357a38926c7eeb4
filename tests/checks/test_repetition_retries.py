"""Calls that failed and were made again."""

from __future__ import annotations

from callscore.checks.repetition import retry_faults
from callscore.core.call import ToolCall
from callscore.core.score import Fault

FAILED = ToolCall("pay", {"sum": 5}, failed=True)
AGAIN = ToolCall("pay", {"sum": 5})
FINE = ToolCall("login", {}, failed=False)


def test_the_same_call_after_a_failure_is_told() -> None:
    assert retry_faults([FAILED, AGAIN]) == (Fault("retry_unchanged", "pay", 1, since=0),)


def test_another_call_after_a_failure_is_not() -> None:
    assert retry_faults([FAILED, ToolCall("pay", {"sum": 6})]) == ()


def test_the_same_call_after_a_success_is_not() -> None:
    assert retry_faults([AGAIN, AGAIN]) == ()


def test_a_success_in_between_may_have_changed_something() -> None:
    assert retry_faults([FAILED, FINE, AGAIN]) == ()


def test_another_failure_in_between_changed_nothing() -> None:
    other = ToolCall("login", {}, failed=True)

    assert retry_faults([FAILED, other, AGAIN]) == (Fault("retry_unchanged", "pay", 2, since=0),)


def test_each_of_several_retries_names_the_failure_before_it() -> None:
    assert [fault.since for fault in retry_faults([FAILED, FAILED, FAILED])] == [0, 1]


def test_calls_of_one_step_do_not_know_of_each_other() -> None:
    def step(number: int) -> ToolCall:
        return ToolCall("pay", {"sum": 5}, step=number, failed=True)

    assert retry_faults([step(1), step(1)]) == ()
    assert len(retry_faults([step(1), step(2)])) == 1
