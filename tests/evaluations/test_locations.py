"""Where in people's files something stands."""

from __future__ import annotations

from inspect import currentframe
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest

from callscore import Case
from callscore.evaluations.locations import (
    display_path,
    error_message,
    error_with_location,
    evaluation_key,
    file_of_location,
    location_of_frame,
    traceback_text,
)


def test_a_path_is_shown_from_the_working_directory_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert display_path(tmp_path / "evals" / "eval_a.py") == "evals/eval_a.py"
    assert display_path(Path("/elsewhere/eval_a.py")) == "/elsewhere/eval_a.py"


def test_code_stands_on_a_line_of_a_file() -> None:
    place = location_of_frame(currentframe())

    assert Path(file_of_location(place.text)).name == Path(__file__).name
    assert place.folder == str(Path(__file__).parent)
    assert place.file == Path(__file__)
    assert place.is_within


def test_code_of_a_file_itself_stands_within_no_function(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("")
    names: dict[str, Any] = {"place_of": location_of_frame, "currentframe": currentframe}

    exec(compile("place = place_of(currentframe())", str(file), "exec"), names)  # noqa: S102  (as an import does)

    assert names["place"] == (f"{file}:1", str(tmp_path), file, False)


def test_code_that_was_typed_in_stands_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"place_of": location_of_frame, "currentframe": currentframe}

    exec(compile("\nplace = place_of(currentframe())", "<stdin>", "exec"), names)  # noqa: S102  (as a prompt does)

    assert names["place"] == ("<stdin>:2", str(tmp_path), None, False)
    assert location_of_frame(None) == ("<unknown>", ".", None, False)


def test_a_place_without_its_line_is_the_file() -> None:
    assert file_of_location("evals/eval_a.py:12") == "evals/eval_a.py"
    assert file_of_location("C:\\evals\\eval_a.py:12:3") == "C:\\evals\\eval_a.py"
    assert file_of_location("eval_a.yaml") == "eval_a.yaml"
    assert file_of_location("evals/eval_a.py::a:12") == "evals/eval_a.py"


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


def failing() -> None:
    raise ValueError(f"no {KEY}")


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
