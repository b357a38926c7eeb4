"""Where in people's files something stands."""

from __future__ import annotations

from inspect import currentframe
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callscore.evaluations.locations import (
    display_path,
    evaluation_key,
    file_of_location,
    location_of_frame,
)

if TYPE_CHECKING:
    import pytest


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
