"""Why there is no answer, in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from tests.runner.agents import a_question

from callscore.errors import InvalidSettings, ModelFailed
from callscore.runner.answers import (
    TaskExited,
    TaskTimeout,
    UnreadableAnswer,
    failure_from_error,
    make_failure,
)


def question(**options: Any) -> Any:
    return a_question(list, **options)


@pytest.mark.parametrize(
    ("error", "kind", "problem"),
    [
        (TaskTimeout("too long"), "timeout", "too long"),
        (TaskExited("exited"), "exited", "exited"),
        (UnreadableAnswer("nothing"), "unreadable", "nothing"),
        (ModelFailed("m", "it says no"), "raised", "m: it says no"),
        (ModelFailed("m", "silence", is_timeout=True), "timeout", "m: silence"),
        (InvalidSettings("wrong"), "refused", "wrong"),
        (ValueError("wrong"), "raised", "the task raised ValueError: wrong"),
        (ValueError(), "raised", "the task raised ValueError"),
    ],
)
def test_an_error_has_a_kind_and_a_sentence(error: Exception, kind: str, problem: str) -> None:
    found = failure_from_error(question(), error)

    assert (found.case, found.kind, found.problem) == ("weather", kind, problem)
    assert found.attempts == 1


def test_the_sentence_is_one_line_of_bounded_length() -> None:
    found = make_failure(question(), "raised", "a\nb\x1b[31m" + "c" * 10_000)

    assert "\n" not in found.problem
    assert "\x1b" not in found.problem
    assert len(found.problem) <= 500


def test_keys_do_not_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "verysecretkey")
    monkeypatch.setenv("SOME_TOKEN", "abc")  # too short to be told from words

    found = make_failure(
        question(), "raised", "verysecretkey or sk-abcdef123456", details="abc verysecretkey"
    )

    assert found.problem == "*** or ***"
    assert found.details == "abc ***"


def test_an_error_that_cannot_even_be_printed_is_told() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    problem = failure_from_error(question(), Broken()).problem

    assert problem == "the task raised Broken: (it cannot even be printed)"


def test_where_it_happened_is_told_from_the_task_on() -> None:
    def task() -> None:
        raise ValueError("here")

    with pytest.raises(ValueError, match="here") as raised:
        task()
    details = failure_from_error(question(), raised.value).details

    assert details.splitlines()[-1].strip() == 'raise ValueError("here")'
    assert failure_from_error(question(), TaskExited("no cause")).details == ""


def test_a_key_is_hidden_as_it_is_sent_without_the_space_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", " verysecretkey\n")

    assert make_failure(question(), "raised", "it was verysecretkey").problem == "it was ***"


def test_a_key_does_not_appear_in_the_line_that_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "raise_with_this")

    def raise_with_this() -> None:
        raise ValueError("raise_with_this")

    with pytest.raises(ValueError, match="raise_with_this") as raised:
        raise_with_this()
    found = failure_from_error(question(), raised.value)

    assert found.problem == "the task raised ValueError: ***"
    assert found.details
    assert "raise_with_this" not in found.details


def test_what_is_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_FOLDER", "somewhere")

    assert make_failure(question(), "raised", "in somewhere").problem == "in somewhere"


def test_only_the_last_calls_are_told() -> None:
    def even(left: int) -> None:
        odd(left - 1)

    def odd(left: int) -> None:
        if left < 0:
            raise ValueError("at the end")
        even(left - 1)

    with pytest.raises(ValueError, match="at the end") as raised:
        even(50)

    assert failure_from_error(question(), raised.value).details.count("File ") == 6


def test_how_often_it_was_tried_is_told() -> None:
    found = failure_from_error(question(trials=3), ModelFailed("m", "no", attempts=3))

    assert (found.attempts, found.trial) == (3, 1)
