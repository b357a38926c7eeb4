"""What goes wrong in people's code: what it was, where, and never with a key."""

from __future__ import annotations

from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest

from callscore import Case
from callscore.evaluations.locations import (
    display_path,
    error_message,
    error_with_location,
    traceback_text,
)

KEY = "sk-" + "abcdefgh12345678"


class Rude(Exception):
    """Says nothing about itself."""

    def __str__(self) -> str:
        raise ValueError("no")


def caught(function: Any) -> Exception:
    try:
        function()
    except Exception as error:  # noqa: BLE001  (whatever it is)
        return error
    raise AssertionError("nothing was raised")


def failing() -> None:
    raise ValueError(f"no {KEY}")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no city"), "no city"),
        (ValueError(), ""),
        (ValueError(f"bad {KEY}"), "bad ***"),
        (Rude(), "(it cannot even be printed)"),
        (TypeError("Unexpected keyword argument 'x'"), "Unexpected keyword argument 'x'"),
    ],
)
def test_an_error_says_what_it_says_without_keys(error: Exception, said: str) -> None:
    assert error_message(error) == said


def test_a_field_that_no_case_has_is_named() -> None:
    error = caught(lambda: Case("Hi", expect=[]))  # type: ignore[call-arg]  # as people misspell it

    assert error_message(error) == "a Case has no field 'expect'. Is 'expected' meant?"


def test_the_line_is_the_last_of_the_file_that_the_function_stands_in() -> None:
    line = failing.__code__.co_firstlineno + 1
    error = caught(failing)

    assert (
        error_with_location(error, failing)
        == f"ValueError in {display_path(Path(__file__))}:{line}: no ***"
    )
    assert error_with_location(error, len) == error_with_location(error) == "ValueError: no ***"
    assert error_with_location(KeyError(), failing) == "KeyError"


def test_the_end_of_a_traceback_has_no_keys_in_it() -> None:
    error = caught(failing)

    details = traceback_text(error, extract_tb(error.__traceback__))

    assert details.splitlines()[-1] == "ValueError: no ***"
    assert "in failing" in details
    assert KEY not in details
