"""Where in people's files something stands."""

from __future__ import annotations

from inspect import currentframe
from pathlib import Path
from typing import Any

import pytest

from callscore import Case
from callscore.evaluations.locations import (
    error_message,
    evaluation_key,
    location_of_frame,
)


def test_code_that_was_typed_in_stands_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"place_of": location_of_frame, "currentframe": currentframe}

    exec(compile("\nplace = place_of(currentframe())", "<stdin>", "exec"), names)  # noqa: S102  (as a prompt does)

    assert names["place"] == ("<stdin>:2", str(tmp_path), None, False)
    assert location_of_frame(None) == ("<unknown>", ".", None, False)


def test_a_key_names_the_file_from_the_folder_of_the_history_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "evals" / "eval_a.py"
    (tmp_path / "evals").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".callscore").mkdir()

    for folder in (tmp_path, tmp_path / "evals"):
        monkeypatch.chdir(folder)
        assert evaluation_key(file, "assistant") == "evals/eval_a.py::assistant"
    assert evaluation_key(Path("/elsewhere/eval_a.py"), "a") == "/elsewhere/eval_a.py::a"
    assert evaluation_key(None, "a") == "::a"


# What goes wrong in people's code: what it was, where, and never with a key.

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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no city"), "no city"),
        (ValueError(), ""),
        (ValueError(f"bad {KEY}"), "bad ***"),
        (Rude(), "(its message cannot be printed)"),
        (TypeError("Unexpected keyword argument 'x'"), "Unexpected keyword argument 'x'"),
    ],
)
def test_an_error_says_what_it_says_without_keys(error: Exception, said: str) -> None:
    assert error_message(error) == said


def test_a_field_that_no_case_has_is_named() -> None:
    error = caught(lambda: Case("Hi", expect=[]))  # type: ignore[call-arg]  # as people misspell it

    assert error_message(error) == "a Case has no field 'expect'. Did you mean 'expected'?"
