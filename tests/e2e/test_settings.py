"""Settings on the command line and in the files of a project, as a person gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

EXPECTED = [{"name": "book", "arguments": {"date": "2024-01-15", "seats": [1, 2]}}]
ACTUAL = [
    {"name": "get_seats", "arguments": {}},
    {"name": "book", "arguments": {"date": "2024-01-15T00:00:00", "seats": [2, 1]}},
]
TOOLS = [
    {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"date": {"type": "integer"}, "seats": {"type": "array"}},
        },
    },
    {"name": "get_seats", "parameters": {"type": "object"}},
]


@pytest.fixture(autouse=True)
def cases(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    case = {"id": "a", "expected": EXPECTED, "actual": ACTUAL}
    (tmp_path / "c.jsonl").write_bytes(msgspec.json.encode(case) + b"\n")
    (tmp_path / "tools.json").write_bytes(msgspec.json.encode(TOOLS))


def report(callscore: Program, *arguments: str) -> dict[str, Any]:
    run = callscore("score", "c.jsonl", "--format", "json", *arguments)
    assert (run.returncode, run.stderr) == (0, "")
    found: dict[str, Any] = msgspec.json.decode(run.stdout)
    return found


EVALUATIONS = f"""
import callscore

CASES = [{{"id": "a", "input": "go", "expected": {EXPECTED!r}}}]

@callscore.evaluation(cases=CASES)
def plain(case):
    return {ACTUAL!r}

@callscore.evaluation(cases=CASES, mode="strict")
def own(case):
    return {ACTUAL!r}
"""


def modes(callscore: Program, *arguments: str) -> dict[str, Any]:
    """The mode of each evaluation of a run, and the notes."""
    ran = callscore(*arguments, "--json")
    report = msgspec.json.decode(ran.stdout, type=dict[str, Any])
    found = {each["name"]: each["settings"]["mode"] for each in report["evaluations"]}
    return {**found, "notes": [line for line in ran.stderr.splitlines() if "effect" in line]}


def test_a_run_uses_the_settings_of_the_project(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(EVALUATIONS)
    (tmp_path / "callscore.toml").write_text('mode = "flexible"\n')
    (tmp_path / "other.toml").write_text('mode = "strict"\n')

    assert modes(callscore, "run") == {"plain": "flexible", "own": "strict", "notes": []}
    (tmp_path / "callscore.toml").write_text('mode = "strict"\n')
    assert modes(callscore, "rescore")["plain"] == "flexible"
    assert modes(callscore, "rescore", "latest", "--config", "other.toml")["plain"] == "strict"
    (tmp_path / "callscore.toml").write_text('mode = "flexible"\n')
    assert modes(callscore, "run", "--no-config")["plain"] == "strict"
    assert modes(callscore, "run", "--config", "other.toml")["plain"] == "strict"
    assert modes(callscore, "run", "--mode", "flexible")["own"] == "flexible"
