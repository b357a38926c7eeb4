"""`callscore check`, as it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"name": "weather", "input_schema": SCHEMA}]
GOOD = {"name": "weather", "arguments": {"city": "Oslo"}}
BAD = {"name": "weather", "arguments": {"city": 5}}


def _write(path: Path, *records: Any) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return path.name


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    runs = _write(tmp_path / "runs.jsonl", {"id": "a", "actual": [GOOD, BAD]})
    return runs, _write(tmp_path / "tools.json", TOOLS)


def test_colours_are_for_terminals(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("check", files[0], "--tools", files[1], FORCE_COLOR="1", TERM="xterm-256color")

    assert "\x1b[" in ran.stdout


def test_the_calls_can_stand_elsewhere(callscore: Program, tmp_path: Path) -> None:
    runs = _write(tmp_path / "runs.jsonl", {"log": {"made": [BAD]}})
    tools = _write(tmp_path / "tools.json", TOOLS)

    ran = callscore("check", runs, "--tools", tools, "--map", "actual=$.log.made")

    assert "wrong type  city" in ran.stdout


def test_hostile_text_reaches_no_terminal(callscore: Program, tmp_path: Path) -> None:
    name = "\x1b]0;owned\x07"
    call = {"name": name, "arguments": {"\x1b[31m": "\x1b[2J"}}
    runs = _write(tmp_path / "runs.jsonl", {"id": name, "actual": [call, call]})
    tools = _write(tmp_path / "tools.json", TOOLS)

    for output_format in ("table", "markdown", "json", "jsonl"):
        ran = callscore("check", runs, "--tools", tools, "--format", output_format)

        assert ran.returncode == 0
        assert "\x1b" not in ran.stdout
        assert "\x07" not in ran.stdout
