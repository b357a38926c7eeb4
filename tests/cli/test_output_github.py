"""What GitHub's runners are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.cli.output import (
    add_step_summary,
    is_on_github,
    path_in_repository,
    print_annotations,
    safe_for_log,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_runner_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_on_github()

    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert is_on_github()


def test_what_is_printed_is_changed_only_where_a_runner_reads_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert safe_for_log("::error::##[x]") == "::error::##[x]"

    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert safe_for_log("::error::##[x]") == ": :error::# #[x]"
    assert safe_for_log('"##[x]"', "json") == '"\\u0023#[x]"'


def test_a_file_of_a_project_in_a_folder_is_known_from_the_top_of_the_repository_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "services/agent"
    (project / ".callscore").mkdir(parents=True)
    monkeypatch.chdir(project)

    assert (
        path_in_repository("evals/eval_a.py") == "evals/eval_a.py"
    )  # nobody says where the top is

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert path_in_repository("evals/eval_a.py") == "services/agent/evals/eval_a.py"
    assert path_in_repository("") == ""

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert path_in_repository("evals/eval_a.py") == "evals/eval_a.py"


def test_annotations_leave_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print_annotations(["::error::one", "::error::two"])

    assert capsys.readouterr() == ("", "::error::one\n::error::two\n")


def test_a_summary_is_added_to_what_the_step_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "summary.md"
    file.write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))

    add_step_summary(lambda: "## После\n")

    assert file.read_text(encoding="utf-8") == "# Before\n## После\n"


def test_a_summary_that_nobody_wants_is_not_even_made() -> None:
    add_step_summary(lambda: 1 / 0)  # type: ignore[arg-type,return-value]  # it is not called


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))

    add_step_summary(lambda: "text")

    assert capsys.readouterr().err == (
        f"callscore: the summary of the step is not written: {tmp_path}: Is a directory\n"
    )

    add_step_summary(lambda: "text", "ru")

    assert capsys.readouterr().err.startswith("callscore: сводка шага не записана: ")
