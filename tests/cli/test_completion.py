"""Shell completion, through the API of click, in three shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.cli.program import COMMANDS, cli
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

SHELLS: list[type[ShellComplete]] = [BashComplete, ZshComplete, FishComplete]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def history(project: Path) -> Path:
    with open_store() as store:
        store.begin(a_run("20260101-000000-aaaa", name="first", started_at=1.0))
        store.begin(a_run("20260102-000000-bbbb", name=None, started_at=2.0))
        store.add_evaluation(an_evaluation("20260102-000000-bbbb"))
        store.save_results([a_result("20260102-000000-bbbb", payload={"tags": ["smoke", "slow"]})])
        store.set_baseline("main", "20260101-000000-aaaa")
    return project


def complete(shell: type[ShellComplete], *typed: str, incomplete: str = "") -> list[str]:
    completion = shell(cli, {}, "callscore", "_CALLSCORE_COMPLETE")
    found = completion.get_completions(list(typed), incomplete)
    assert all(completion.format_completion(item) for item in found)
    return [item.value for item in found]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_can_be_sourced(shell: type[ShellComplete]) -> None:
    script = shell(cli, {}, "callscore", "_CALLSCORE_COMPLETE").source_vars()

    assert script["complete_var"] == "_CALLSCORE_COMPLETE"
    assert script["prog_name"] == "callscore"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_by_the_program(
    shell: type[ShellComplete], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_CALLSCORE_COMPLETE", f"{shell.name}_source")

    with pytest.raises(SystemExit) as ended:
        cli.main([], prog_name="callscore")

    assert ended.value.code == 0
    assert f"_CALLSCORE_COMPLETE={shell.name}_complete" in capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_choices_are_completed(shell: type[ShellComplete]) -> None:
    assert complete(shell) == list(COMMANDS)
    assert complete(shell, incomplete="ex") == ["explain", "extract", "export"]
    assert complete(shell, "baseline") == ["list", "remove", "set"]
    assert "--max-shown" in complete(shell, "score", incomplete="--m")
    assert complete(shell, "score", "--format", incomplete="j") == ["json", "jsonl", "junit"]
    assert complete(shell, "score", "--preset", incomplete="o") == ["outcome"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.usefixtures("history")
def test_runs_baselines_cases_and_tags_are_completed(shell: type[ShellComplete]) -> None:
    names = ["latest", "main", "first", "20260101-000000-aaaa", "20260102-000000-bbbb"]

    assert sorted(complete(shell, "show")) == sorted(names)
    assert complete(shell, "export", incomplete="20260102") == ["20260102-000000-bbbb"]
    assert complete(shell, "gate", "--against", incomplete="m") == ["main"]
    assert complete(shell, "baseline", "remove") == ["main"]
    assert complete(shell, "show", "latest") == ["weather"]
    assert complete(shell, "show", "main") == []
    assert complete(shell, "history", "--tag") == ["slow", "smoke"]
    assert complete(shell, "run", "--tag", incomplete="sm") == ["smoke"]


@pytest.mark.parametrize("shell", SHELLS)
def test_metrics_formats_and_schemas_are_completed(shell: type[ShellComplete]) -> None:
    assert "ragas." in complete(shell, "score", "--metric", incomplete="ra")
    assert "ragas.tool_call_f1" in complete(shell, "metrics", incomplete="ragas.")
    assert complete(shell, "score", "--metric", incomplete="callscore.") == ["callscore.f1"]
    assert "openai_chat" in complete(shell, "extract", "--input-format", incomplete="openai")
    assert "anthropic" in complete(shell, "formats")
    assert complete(shell, "schema") == ["case", "suite"]


def test_a_run_or_a_file_can_be_compared(history: Path) -> None:
    (history / "other.jsonl").touch()

    assert complete(BashComplete, "compare", incomplete="fi") == ["first"]
    completion = BashComplete(cli, {}, "callscore", "_CALLSCORE_COMPLETE")
    (item,) = completion.get_completions(["compare"], "other")
    assert (item.type, item.value) == ("file", "other")


def test_no_history_is_created(project: Path) -> None:
    assert complete(BashComplete, "show") == []
    assert complete(BashComplete, "show", "latest") == []
    assert complete(BashComplete, "history", "--tag") == []
    assert [each.name for each in project.iterdir()] == [".git"]


@pytest.mark.parametrize(
    "place", ["postgresql://nowhere.invalid/x", "no/such/file.db", "broken.db"]
)
def test_a_history_that_cannot_be_read_completes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (project / "broken.db").write_text("this is not a database")
    monkeypatch.setenv("CALLSCORE_STORE", place)

    assert complete(BashComplete, "show") == []
    assert complete(BashComplete, "baseline", "remove", "--store", place) == []
    assert complete(BashComplete, "score", "--metric", incomplete="no_tool.") == []
