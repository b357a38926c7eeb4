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


def test_known_effects_are_written_to_the_settings_and_used_by_scores(
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
