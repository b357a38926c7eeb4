"""`callscore effects`, as it is typed."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

TOOLS = [
    {"name": "get_order", "description": "Gets an order.", "parameters": {}},
    {"name": "check_stock", "description": "Read-only.", "parameters": {}},
    {"name": "pay", "parameters": {}, "annotations": {"readOnlyHint": False}},
    {"name": "get_or_make", "description": "Creates a user.", "parameters": {}},
]
CALLS = ["get_order", "check_stock", "pay", "pay", "get_or_make", "ship"]
ACTUAL = [{"name": name, "arguments": {}} for name in CALLS]
KNOWN = {"pay": "write", "check_stock": "read", "get_order": "read"}


def write(path: Path, value: Any) -> str:
    path.write_bytes(msgspec.json.encode(value))
    return path.name


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    cases = {"id": "a", "expected": ACTUAL[2:3], "actual": ACTUAL}
    return write(tmp_path / "cases.json", [cases]), write(tmp_path / "tools.json", TOOLS)


def test_the_table_fits_a_terminal_of_80_columns(
    callscore: Program, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    ran = callscore("effects", files[0], "--tools", files[1])

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        "5 tools: 2 read, 1 write, 1 unknown, 1 with a proposal (?)\n"
        "2 files, 1 trace, 6 calls\n"
        "\n"
        "tool         calls  kind     evidence\n"
        "pay              2  write    definition: readOnlyHint\n"
        'check_stock      1  read?    description: "Read-only"\n'
        'get_or_make      1  read     name: get_* (read), description: "Creates" (write)\n'
        'get_order        1  read     name: get_*, description: "Gets"\n'
        "ship             1  unknown  none, counts as a write\n"
        "\n"
        "! 1 tool with contradictory evidence: decide whether it reads or writes, and set\n"
        "  it in 'effects' (get_or_make)\n"
        "! 1 tool whose kind follows only from texts: a score uses it once --write has\n"
        "  written it (check_stock)\n"
        "! 1 tool without clear evidence: a score counts every call as a write; pass\n"
        "  definitions with --tools, or set 'effects' (ship)\n"
    )


def test_json_has_everything(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("effects", files[0], "--tools", files[1], "--format", "json")

    report = msgspec.json.decode(ran.stdout)
    assert (report["files"], report["traces"], report["calls"]) == (2, 1, 6)
    assert report["written"] is None
    assert report["tools"][1] == {
        "name": "check_stock",
        "effect": "write",
        "decided_by": "unknown",
        "calls": 1,
        "expected": 0,
        "evidence": [
            {
                "source": "description",
                "effect": "read",
                "words": "Read-only",
                "confidence": "high",
            }
        ],
        "proposed": "read",
        "is_contradictory": False,
        "is_caught": False,
    }


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_markdown_has_a_table(callscore: Program, files: tuple[str, str], lang: str) -> None:
    ran = callscore(
        "effects", files[0], "--tools", files[1], "--format", "markdown", "--lang", lang
    )

    assert ran.returncode == 0
    assert "| `pay` | 2 |" in ran.stdout


def test_what_is_known_is_written_and_used_by_scores(
    callscore: Program, files: tuple[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "callscore.toml"
    config.write_text('preset = "outcome"  # ours\n', encoding="utf-8")
    case = {
        "id": "a",
        "expected": [{"name": "pay", "arguments": {}}],
        "actual": [{"name": name, "arguments": {}} for name in ("check_stock", "pay")],
    }
    scored = write(tmp_path / "scored.json", [case])
    before = callscore("score", scored, "--config", config.name, "--json")

    ran = callscore("effects", files[0], "--tools", files[1], "--write")
    after = callscore("score", scored, "--config", config.name, "--json")

    assert "3 tools written to" in ran.stdout
    assert config.read_text(encoding="utf-8") == (
        'preset = "outcome"  # ours\n'
        "\n"
        "[effects]\n"
        '"pay" = "write"  # definition: readOnlyHint\n'
        '"check_stock" = "read"  # description\n'
        '"get_order" = "read"  # name: get_*\n'
    )
    f1 = [msgspec.json.decode(each.stdout)["totals"]["macro"]["f1"] for each in (before, after)]
    assert f1 == [pytest.approx(2 / 3), 1.0]


def test_writing_twice_changes_nothing(
    callscore: Program, files: tuple[str, str], tmp_path: Path
) -> None:
    command = ("effects", files[0], "--tools", files[1], "--write", "own.toml", "--json")

    first = msgspec.json.decode(callscore(*command).stdout)
    text = (tmp_path / "own.toml").read_bytes()
    second = msgspec.json.decode(callscore(*command).stdout)

    assert first["written"] == {"file": "own.toml", "effects": KNOWN}
    assert second["written"] == {"file": "own.toml", "effects": {}}
    assert (tmp_path / "own.toml").read_bytes() == text
    assert {tool["decided_by"] for tool in second["tools"]} == {"setting", "name", "unknown"}


def test_own_settings_stay_and_decide(
    callscore: Program, files: tuple[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text('[tool.callscore]\neffects = { "get_*" = "write" }\n', encoding="utf-8")

    ran = callscore("effects", files[0], "--tools", files[1], "--write", "pyproject.toml")

    assert ran.returncode == 0, ran.stderr
    effects = tomllib.loads(config.read_text(encoding="utf-8"))["tool"]["callscore"]["effects"]
    assert effects == {"get_*": "write", "pay": "write", "check_stock": "read"}


def test_effects_are_written_before_a_pattern_for_all_tools(
    callscore: Program, files: tuple[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "callscore.toml"
    config.write_text('[effects]\n"*" = "write"  # all others\n', encoding="utf-8")

    before = callscore("effects", files[0], "--tools", files[1])
    written = callscore("effects", files[0], "--tools", files[1], "--write")
    after = msgspec.json.decode(
        callscore("effects", files[0], "--tools", files[1], "--json").stdout
    )

    assert "5 tools for which only the setting '*' decides" in before.stdout
    assert "3 tools written to" in written.stdout
    assert "2 tools for which only the setting '*' decides" in written.stdout
    assert config.read_text(encoding="utf-8") == (
        "[effects]\n"
        '"pay" = "write"  # definition: readOnlyHint\n'
        '"check_stock" = "read"  # description\n'
        '"get_order" = "read"  # name: get_*\n'
        '"*" = "write"  # all others\n'
    )
    kinds = {tool["name"]: tool["effect"] for tool in after["tools"]}
    assert {name: kinds[name] for name in KNOWN} == KNOWN


def test_names_are_written_literally(callscore: Program, tmp_path: Path) -> None:
    tools: list[dict[str, Any]] = [
        {"name": name, "parameters": {}, "effect": "read"} for name in ("*", "a[b]?", "\x1b")
    ]

    ran = callscore("effects", "--tools", write(tmp_path / "tools.json", tools), "--write")

    assert ran.returncode == 0, ran.stderr
    written = tomllib.loads((tmp_path / "callscore.toml").read_text(encoding="utf-8"))
    assert written == {"effects": {"[*]": "read", "a[[]b][?]": "read"}}


def test_effects_that_cannot_be_extended_are_refused(
    callscore: Program, files: tuple[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "callscore.toml"
    config.write_text('effects = [["get_*", "read"]]\n', encoding="utf-8")

    ran = callscore("effects", files[0], "--tools", files[1], "--write")

    assert ran.returncode == 2
    assert '"pay" = "write"' in ran.stderr
    assert config.read_text(encoding="utf-8") == 'effects = [["get_*", "read"]]\n'
