"""Which evaluations are run again when a file changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from msgspec.structs import replace
from tests.cli.test_run import REQUEST

from callscore.cli.exits import INTERRUPTED
from callscore.cli.watch import request_after_change, watch
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.cli.run import RunRequest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("eval_a.py", "eval_b.yaml", "agent.py", "cases.json", "mine.py"):
        (tmp_path / name).write_text("")
    return tmp_path.resolve()


def again(folder: Path, *names: str, paths: tuple[str, ...] = (".",)) -> RunRequest:
    return request_after_change(replace(REQUEST, paths=paths), [folder / name for name in names])


def test_files_of_evaluations_are_run_by_themselves_with_kept_answers(folder: Path) -> None:
    request = again(folder, "eval_a.py", "eval_b.yaml")

    assert request.paths == ("eval_a.py", "eval_b.yaml")
    assert request.cache


def test_a_file_that_was_named_is_one_of_evaluations_whatever_it_is_called(folder: Path) -> None:
    assert again(folder, "mine.py", paths=("mine.py", "eval_a.py")).paths == ("mine.py",)


def test_a_file_elsewhere_is_named_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")

    assert again(folder, "eval_a.py").paths == (str(folder / "eval_a.py"),)


def test_where_a_file_of_evaluations_is_gone_the_others_are_run(folder: Path) -> None:
    assert again(folder, "eval_gone.py").paths == (".",)
    assert again(folder, "eval_gone.py", "eval_a.py").paths == ("eval_a.py",)


def test_other_code_runs_everything_and_trusts_no_kept_answer(folder: Path) -> None:
    request = again(folder, "agent.py", "eval_a.py")

    assert request.paths == (".",)
    assert not request.cache
    assert not request.trusts_kept


def test_other_data_runs_everything_and_trusts_what_is_known_by_its_content(folder: Path) -> None:
    request = again(folder, "cases.json")

    assert request.paths == (".",)
    assert not request.cache
    assert request.trusts_kept


@pytest.mark.parametrize("cache", [False, True])
def test_answers_are_good_from_the_last_change_of_another_file_on(
    folder: Path, *, cache: bool
) -> None:
    rounds: list[RunRequest] = []
    changes = ["eval_a.py", "agent.py", "eval_a.py"]

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) > len(changes):
            return INTERRUPTED
        (folder / changes[len(rounds) - 1]).write_text(f"changed {len(rounds)}")
        return 0

    watch(replace(REQUEST, paths=(".",), cache=cache), run)

    began, same, other, again = [request.cache_since for request in rounds]
    assert began == 0.0
    assert (same == 0.0) is cache  # those of other days were asked for
    assert other > same
    assert again == other


def test_an_error_in_a_later_round_is_said_and_the_watch_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds: list[RunRequest] = []

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) == 1:
            (folder / "eval_a.py").write_text("changed")
        if len(rounds) == 2:
            (folder / "agent.py").write_text("changed")
            raise InvalidSettings("nothing is selected")
        return INTERRUPTED if len(rounds) == 3 else 0

    code = watch(replace(REQUEST, paths=(".",)), run)

    assert code == INTERRUPTED
    assert [request.paths for request in rounds] == [(".",), ("eval_a.py",), (".",)]
    err = capsys.readouterr().err
    assert "callscore: changed: eval_a.py\n" in err
    assert "callscore: nothing is selected\n" in err


def test_what_a_run_writes_itself_starts_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds: list[RunRequest] = []

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) == 1:
            (folder / "report.json").write_text("{}")
            (folder / "thoughts.json").write_text("{}")
            (folder / ".hidden").mkdir()
            (folder / ".hidden/eval_x.py").write_text("")
            (folder / "eval_b.yaml").write_text("changed")
            return 0
        return INTERRUPTED

    watch(replace(REQUEST, paths=(str(folder),), output=str(folder / "report.json")), run)

    assert [request.paths for request in rounds] == [(str(folder),), ("eval_b.yaml",)]
    assert "callscore: changed: eval_b.yaml\n" in capsys.readouterr().err


def test_a_run_cannot_go_on_and_be_watched() -> None:
    with pytest.raises(click.UsageError, match="--watch and --resume exclude each other"):
        watch(replace(REQUEST, resume=True), lambda _: 0)
