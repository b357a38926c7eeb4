"""`callscore validate`, as a person and a build server call it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

WRONG = '{"id": "a", "expectd": []}\n{"id": "::stop", "expected": ["f", {"forbid": 1}]}\n'
AGENTS = Path(__file__).parents[2] / "docs/how-to/teach-a-coding-agent.md"


def test_files_without_mistakes_pass(callscore: Program) -> None:
    callscore("init", "evals")

    ran = callscore("validate")

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "1 file, 3 cases: no mistakes\n", "")


def test_mistakes_are_printed_with_their_lines(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(WRONG)
    (tmp_path / "eval_x.py").write_text("")

    ran = callscore("validate", "cases.jsonl", "eval_x.py")
    russian = callscore("validate", "cases.jsonl", "--lang", "ru", "--max-shown", "1")

    assert ran.returncode == russian.returncode == 3
    first, second, last = ran.stdout.splitlines()
    assert first == "cases.jsonl:1: unknown field 'expectd'. Did you mean 'expected'?"
    assert second.startswith("cases.jsonl:2: expected[1]")
    assert last == "1 file, 0 cases: 2 mistakes"
    assert "callscore run --collect-only eval_x.py" in ran.stderr
    assert russian.stdout.splitlines()[1:] == [
        "… ещё 1; --max-shown покажет больше",
        "1 файл, 0 случаев: 2 ошибки",
    ]


def test_on_github_there_are_annotations_in_the_repository(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "a", "expected": ["g"]}\n{"id": "b", "expectd": []}\n'
    )

    ran = callscore(
        "validate",
        "cases.jsonl",
        GITHUB_ACTIONS="true",
        GITHUB_WORKSPACE=str(tmp_path.parent),
    )

    error, warning = ran.stderr.splitlines()
    file = f"{tmp_path.name}/cases.jsonl"
    assert error.startswith(f"::error file={file},line=3,title=callscore::unknown field")
    assert warning.startswith(f"::warning file={file},line=2,title=callscore::the id 'a'")
    assert "::" not in ran.stdout


def test_secrets_are_not_printed(callscore: Program, tmp_path: Path) -> None:
    secret = "sk-validate-4711-abcdef"  # noqa: S105  (made up)
    (tmp_path / "cases.jsonl").write_text(f'{{"id": "a", "{secret}": [], "expectd": []}}\n')

    ran = callscore("validate", "cases.jsonl", MY_API_KEY=secret, GITHUB_ACTIONS="true")

    assert ran.returncode == 3
    assert secret not in ran.stdout + ran.stderr


def test_an_empty_path_is_wrong_usage(callscore: Program) -> None:
    ran = callscore("validate", "")

    assert ran.returncode == 2
    assert "A PATH is empty. To check the current folder, pass none." in ran.stderr


def test_json_lists_files_and_problems(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "a", "expected": ["g"]}\n{"id": "b", "expectd": []}\n'
    )

    ran = callscore("validate", "cases.jsonl", "--json")
    report = msgspec.json.decode(ran.stdout)

    assert ran.returncode == 3
    assert report["files"] == [{"file": "cases.jsonl", "kind": "cases", "cases": 2}]
    assert [report[key] for key in ("valid", "mistakes", "warnings", "cases")] == [False, 1, 1, 2]
    first, second = report["problems"]
    assert (first["kind"], first["file"], first["line"]) == ("mistake", "cases.jsonl", 3)
    assert first["message"] == "unknown field 'expectd'. Did you mean 'expected'?"
    assert (second["kind"], second["line"]) == ("warning", 2)


def test_a_valid_file_is_valid_in_json(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')

    ran = callscore("validate", "cases.jsonl", "-o", "report.json")
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes())

    assert (ran.returncode, ran.stdout) == (0, "")
    assert (report["valid"], report["problems"]) == (True, [])


def test_the_commands_that_agents_are_told_write_json(callscore: Program) -> None:
    (sentence,) = re.findall(
        r"^((?:`\w+`(?:, | and ))+`\w+`) write JSON",
        AGENTS.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    commands = re.findall(r"`(\w+)`", sentence)

    assert "validate" in commands
    for each in commands:
        assert "--json" in callscore(each, "--help").stdout
