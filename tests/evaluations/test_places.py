"""Where in people's files something stands."""

from __future__ import annotations

from inspect import currentframe
from pathlib import Path
from typing import TYPE_CHECKING

from callscore.evaluations.places import digest_of, file_of, place_of, shown

if TYPE_CHECKING:
    import pytest


def test_a_path_is_shown_from_the_working_directory_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert shown(tmp_path / "evals" / "eval_a.py") == "evals/eval_a.py"
    assert shown(Path("/elsewhere/eval_a.py")) == "/elsewhere/eval_a.py"


def test_code_stands_on_a_line_of_a_file() -> None:
    place = place_of(currentframe())

    assert Path(file_of(place.text)).name == Path(__file__).name
    assert place.folder == str(Path(__file__).parent)
    assert place.source == digest_of(Path(__file__))


def test_code_that_was_typed_in_stands_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"place_of": place_of, "currentframe": currentframe}

    exec(compile("\nplace = place_of(currentframe())", "<stdin>", "exec"), names)  # noqa: S102  (as a prompt does)

    assert names["place"] == ("<stdin>:2", str(tmp_path), "")
    assert place_of(None) == ("<unknown>", ".", "")


def test_a_place_without_its_line_is_the_file() -> None:
    assert file_of("evals/eval_a.py:12") == "evals/eval_a.py"
    assert file_of("C:\\evals\\eval_a.py:12:3") == "C:\\evals\\eval_a.py"
    assert file_of("eval_a.yaml") == "eval_a.yaml"


def test_a_file_that_is_gone_has_no_digest(tmp_path: Path) -> None:
    assert digest_of(tmp_path / "gone.py") == ""
