"""`callscore advise --write` adds what it recommends to a file, and everything else in it stays."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.advising.planted import case_records
from tests.tables.commands import Folder, stable_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tables.commands import Outcome

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project."""
    stable_environment(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _advised(folder: Path, kind: str, file: str = "callscore.toml") -> Outcome:
    runs = folder / f"{kind}.jsonl"
    runs.write_bytes(msgspec.json.Encoder().encode_lines(case_records(kind)))
    return Folder(folder).run(f"advise {runs.name} --write {file}")


def test_a_new_file_has_the_settings_and_the_evidence(folder: Path) -> None:
    assert _advised(folder, "read").exit == 0

    text = (folder / "callscore.toml").read_text()
    assert text.startswith("# advise: 120 runs, 40 tasks, ")
    assert "AUC 1.000" in text
    assert text.endswith(
        '\n[effects]\nconsult = "read"  # advise\n'
        '"*" = "write"  # advise: calls of tools without a rule go on counting, also if they read\n'
    )


OLD = """\
# Settings of the team.
pass_mark = 0.5   # for now
strip_prefix = ["mcp__*__"]

# Tools
[effects]
"look_*" = "read"  # reads

[gate.removed]
"old" = "gone"
"""


def test_the_rest_of_a_file_stays_and_learned_rules_go_with_the_next_advice(folder: Path) -> None:
    file = folder / "callscore.toml"
    file.write_bytes(OLD.replace("\n", "\r\n").encode())

    _advised(folder, "argument")
    once = file.read_bytes()
    _advised(folder, "argument")
    again = file.read_bytes()
    _advised(folder, "plain")

    assert again == once
    assert tomllib.loads(once.decode())["arguments"] == {"save.note": "ignore"}
    assert once.count(b"\n") == once.count(b"\r\n")
    kept = [line for line in OLD.splitlines() if line]
    for text in (once.decode(), file.read_text()):
        assert [line for line in text.splitlines() if line in kept] == kept
    assert "arguments" not in tomllib.loads(file.read_text())


def test_a_rule_by_hand_for_the_same_tool_stays_as_a_comment(folder: Path) -> None:
    file = folder / "callscore.toml"
    file.write_text('[effects]\n"con*" = "write"\nconsult = "write" # as before\n')

    _advised(folder, "read", "callscore.toml --no-config")

    text = file.read_text()
    assert '# consult = "write" # as before\n' in text
    assert [*tomllib.loads(text)["effects"]] == ["consult", "*", "con*"]


@pytest.mark.parametrize(
    "old", ['effects.consult = "write"\n', "preset = ", "preset = 1\npreset = 2"]
)
def test_a_file_that_cannot_be_extended_is_refused(folder: Path, old: str) -> None:
    file = folder / "own.toml"
    file.write_text(old)

    advised = _advised(folder, "read", "own.toml --no-config")

    assert advised.exit != 0
    assert "not written" in advised.err
    assert file.read_text() == old
