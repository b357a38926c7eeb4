"""What a history knows a file of cases by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import file_evaluation_name, project_path

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_known_from_the_folder_of_the_history_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".callscore").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")

    assert project_path("cases.jsonl") == "data/cases.jsonl"
    assert project_path("../cases.jsonl") == "cases.jsonl"
    assert project_path(str(tmp_path / "data" / "cases.jsonl")) == "data/cases.jsonl"


def test_a_file_that_lies_elsewhere_is_known_as_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert project_path("/elsewhere/cases.jsonl") == "/elsewhere/cases.jsonl"


def test_a_file_has_a_place_where_the_folder_we_are_in_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr("callscore.history.opening.default_path", gone)

    assert project_path("cases.jsonl") == "cases.jsonl"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/answers.jsonl", "answers"),
        ("answers.jsonl.gz", "answers"),
        ("answers.JSONL.ZST", "answers"),
        ("answers", "answers"),
        ("a.b.yaml", "a.b"),
        ("-", "-"),
    ],
)
def test_cases_are_called_like_their_file(path: str, name: str) -> None:
    assert file_evaluation_name(path) == name
