from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tools.transcript.comparison import Record, differences, read_recording, write_recording

if TYPE_CHECKING:
    from pathlib import Path

OLD = Record(
    key="score #1",
    command="callscore score cases.jsonl",
    exit=0,
    stdout="one\ntwo\n",
    stderr="",
    files={"report.txt": "text\n", "gone.txt": None},
)


def told(new: Record) -> str:
    return "\n".join(differences({OLD.key: OLD}, {new.key: new}))


def test_the_same_recording_has_no_differences() -> None:
    assert told(OLD) == ""


def test_a_changed_line_is_shown_as_a_diff_under_its_command() -> None:
    lines = told(replace(OLD, stdout="one\nthree\n")).splitlines()

    assert lines[:2] == ["=== score #1", "    callscore score cases.jsonl"]
    assert lines[-2:] == ["-two", "+three"]


def test_exit_codes_and_files_are_compared() -> None:
    new = replace(OLD, exit=3, files={"gone.txt": "here\n", "new.txt": ""})

    lines = told(new).splitlines()

    assert lines[2:] == [
        "exit code: 0 before, 3 now",
        "file gone.txt: no longer removed",
        "file new.txt: not written before",
        "file report.txt: no longer written",
    ]


def test_commands_that_only_one_recording_has_are_named() -> None:
    other = replace(OLD, key="show #1")

    found = list(differences({OLD.key: OLD}, {other.key: other}))
    partial = list(differences({OLD.key: OLD}, {other.key: other}, is_complete=False))

    assert [text.splitlines()[0] for text in found] == ["=== score #1", "=== show #1"]
    assert partial == []


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "before.jsonl"

    write_recording(file, [OLD])

    assert read_recording(file) == {OLD.key: OLD}
    assert [each.name for each in file.parent.iterdir()] == ["before.jsonl"]


def test_a_missing_or_malformed_recording_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "before.jsonl"

    with pytest.raises(SystemExit, match=r"before\.jsonl: No such file .*make transcript"):
        read_recording(file)
    write_recording(file, [OLD])
    file.write_bytes(file.read_bytes() + b"{}\n")
    with pytest.raises(SystemExit, match=r"before\.jsonl:2: not a record"):
        read_recording(file)
