from __future__ import annotations

from copy import copy

import pytest

from callscore import errors
from callscore.errors import (
    CallscoreError,
    InvalidCall,
    InvalidEvaluation,
    InvalidSettings,
    MissingExtra,
    MissingKey,
    ModelFailed,
    UnknownRun,
    UnreadableInput,
    UnusableStore,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InvalidCall, ValueError),
        (InvalidEvaluation, ValueError),
        (InvalidSettings, ValueError),
        (UnknownRun, InvalidSettings),
        (UnreadableInput, ValueError),
        (MissingExtra, ImportError),
    ],
)
def test_every_error_has_one_root_and_is_what_a_user_would_catch(
    error: type[CallscoreError], builtin: type[Exception]
) -> None:
    assert issubclass(error, CallscoreError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_in_the_drawing_and_shows_its_public_name(name: str) -> None:
    assert name in (errors.__doc__ or "")
    assert getattr(errors, name).__module__ == "callscore"


def test_unreadable_input_says_where_and_what() -> None:
    error = UnreadableInput("run7.jsonl:812:3", "not JSON. Pass --skip-bad to skip such lines.")

    assert str(error) == "run7.jsonl:812:3: not JSON. Pass --skip-bad to skip such lines."
    assert error.place == "run7.jsonl:812:3"
    assert error.problem == "not JSON. Pass --skip-bad to skip such lines."


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtra("reading .zst files", "zstd")

    assert str(error) == "reading .zst files needs an extra: pip install 'callscore[zstd]'"
    assert error.extra == "zstd"


def test_a_missing_library_is_named_as_it_is_installed() -> None:
    error = MissingExtra("callscore.adapters.weave", package="weave")

    assert str(error) == "callscore.adapters.weave needs weave: pip install weave"
    assert (error.extra, error.package) == ("", "weave")


@pytest.mark.parametrize(
    "error",
    [
        UnreadableInput("a.jsonl:1", "not JSON."),
        InvalidEvaluation("eval_a.py:3", "there are no cases."),
        UnusableStore("history.db", "the disk is full."),
        MissingExtra("reading .zst files", "zstd"),
        MissingExtra("callscore.adapters.weave", package="weave"),
    ],
)
def test_an_error_survives_being_copied_to_another_process(error: CallscoreError) -> None:
    # Pickling an error rebuilds it in the same way as copying it does.
    copied = copy(error)

    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert vars(copied) == vars(error)


def test_a_missing_key_says_which_variable_to_set() -> None:
    error = MissingKey("MY_KEY")

    assert error.variable == "MY_KEY"
    assert "MY_KEY is not set" in str(error)


def test_a_model_that_failed_says_what_happened_and_how_often() -> None:
    error = ModelFailed("m", "no answer", status=503, attempts=3, is_timeout=True)

    assert str(error) == "m: no answer"
    again = copy(error)
    assert (again.status, again.attempts, again.is_timeout) == (503, 3, True)


@pytest.mark.parametrize(
    "error",
    [
        InvalidCall("a\x1b[31mb\u202ec\ud800"),
        InvalidSettings("a\x1b[31mb\u202ec\ud800"),
        UnreadableInput("a\x1b[31mb\u202ec\ud800", "x"),
        InvalidEvaluation("x", "a\x1b[31mb\u202ec\ud800"),
        UnusableStore("x", "a\x1b[31mb\u202ec\ud800"),
        ModelFailed("a\x1b[31mb\u202ec\ud800", "x"),
        MissingKey("a\x1b[31mb\u202ec\ud800"),
        errors.MissingConsent((("a\x1b[31mb\u202ec\ud800", "x", "y"),)),
    ],
)
def test_the_text_of_an_error_can_be_printed_as_it_is(error: CallscoreError) -> None:
    assert "a\\u001b[31mb\\u202ec\\ud800" in str(error)


def test_line_breaks_in_the_text_of_an_error_are_kept() -> None:
    assert str(InvalidCall("a\nb é")) == "a\nb é"
