"""`--id-from`, `--map`, and files in folders and archives, on the command line."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.program import cli

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: Any) -> tuple[str, str]:
    result = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout, result.stderr


def chat(city: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": "t", "name": "get_weather", "input": {"city": city}}
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": [use]}]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    for city in ("paris", "lyon"):
        (folder / f"{city}.json").write_bytes(msgspec.json.encode(chat(city)))
    (folder / "README.md").write_text("# Runs\n")
    return folder


@pytest.fixture
def references(tmp_path: Path) -> Path:
    path = tmp_path / "references.jsonl"
    cases = [
        {"id": city, "expected": [{"name": "get_weather", "arguments": {"city": city}}]}
        for city in ("paris", "lyon")
    ]
    path.write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in cases))
    return path


@pytest.mark.parametrize("kind", [None, "gztar", "zip"])
def test_runs_are_joined_by_the_names_of_their_files(
    runs: Path, references: Path, kind: str | None
) -> None:
    path = runs if kind is None else shutil.make_archive(str(runs), kind, runs)

    out, _ = run("score", "--expected", references, "--actual", path, "--id-from", "filename")

    assert "Macro F1 100.0%" in out


def test_calls_are_extracted_with_the_names_of_their_files(runs: Path) -> None:
    out, _ = run("extract", runs, "--id-from", "filename")
    plain, _ = run("extract", runs)

    cases = [msgspec.json.decode(line).get("case") for line in out.splitlines()]
    assert cases == ["lyon", "paris"]
    assert '"case"' not in plain


def test_a_case_that_names_itself_keeps_its_id_when_extracted(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.json.encode({"id": "a", "expected": ["f"], "actual": ["f"]}))

    out, _ = run("extract", path, "--id-from", "filename")

    assert msgspec.json.decode(out.splitlines()[0])["case"] == "a"


@pytest.mark.parametrize("command", ["check", "explain"])
def test_other_commands_take_it_too(runs: Path, references: Path, command: str) -> None:
    sides = ("--expected", references, "--actual", runs / "paris.json")
    files = (*sides, "--case", "paris") if command == "explain" else (runs,)

    out, _ = run(command, *files, "--id-from", "filename")

    assert out


@pytest.mark.parametrize(
    ("command", "lang", "note"),
    [
        ("score", "en", "--map trial=$.run.no has no effect: the path leads nowhere in any record"),
        ("score", "ru", "--map trial=$.run.no не действует"),
        ("check", "en", "--map trial=$.run.no has no effect"),
    ],
)
def test_a_path_that_leads_nowhere_is_not_ignored_silently(
    tmp_path: Path, command: str, lang: str, note: str
) -> None:
    path = tmp_path / "x.jsonl"
    case = {"expected": ["f"], "actual": ["f"], "run": {"nr": 1}}
    cases = [{**case, "id": "a", "trial": 1}, {**case, "id": "b", "trial": 1}]
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in cases))

    _, wrong = run(command, path, "--map", "trial=$.run.no", "--lang", lang)
    _, right = run(command, path, "--map", "trial=$.run.nr", "--lang", lang)

    assert note in wrong
    assert "--map" not in right
