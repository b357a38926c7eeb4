"""The process in which tools run, asked as its parent asks it."""

from __future__ import annotations

import math
from io import BytesIO, TextIOWrapper
from typing import Any

import pytest

from callscore.integrations.tools import check_tool_calls
from callscore.integrations.workers import pack_message, receive_message, run_worker

CHECK = {"actual": [{"tool": "f", "args": {}}, {"tool": "f", "args": {}}]}


class _Unwritable(BytesIO):
    def write(self, _: Any) -> int:
        raise BrokenPipeError


def worked(calls: bytes, answers: BytesIO, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Work off these calls; returns how the process would have been left."""
    left: list[int] = []
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(calls)))
    monkeypatch.setattr("sys.stdout", TextIOWrapper(answers))
    run_worker(left.append)
    return left


def test_calls_are_answered_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = BytesIO()

    worked(
        pack_message(("check_tool_calls", CHECK)) + pack_message(("check_tool_calls", {})),
        answers,
        monkeypatch,
    )

    answers.seek(0)
    content, is_error = receive_message(answers)
    assert (content, is_error) == (check_tool_calls(CHECK), False)
    content, is_error = receive_message(answers)
    assert is_error
    assert content["error"].startswith("actual: give the calls that were made")


def test_it_ends_when_its_input_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert worked(b"", BytesIO(), monkeypatch) in ([0], [])


def test_it_ends_quietly_when_nobody_wants_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    worked(pack_message(("check_tool_calls", CHECK)), _Unwritable(), monkeypatch)


@pytest.mark.parametrize(
    "value",
    [None, 10**100, "\ud800", math.inf, {"a": [1.5, True, ("b",)]}, "x" * 100_000],
    ids=["null", "large", "half of a pair", "infinite", "nested", "long"],
)
def test_a_message_is_what_it_was(value: Any) -> None:
    assert receive_message(BytesIO(pack_message(value))) == value


@pytest.mark.parametrize("rest", [b"", pack_message([1])[:3], pack_message([1])[:8]])
def test_the_end_is_told_apart_from_a_message(rest: bytes) -> None:
    with pytest.raises(EOFError):
        receive_message(BytesIO(rest))


def test_what_is_no_plain_data_is_refused() -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        pack_message(object())
