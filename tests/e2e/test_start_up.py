"""What a command imports: a module that it does not need costs time at every start."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CASE = (
    '{"id": "a", "expected": [{"name": "f", "arguments": {"x": 1}}],'
    ' "actual": [{"name": "f", "arguments": {"x": 2}}]}\n'
)
CALLS = '{"calls": [{"name": "f", "arguments": {"x": 1}}]}\n'
# Runs a command in this process, and prints which modules are there at the end.
CODE = """
import sys
from callscore.cli.main import run_command
sys.argv = ["callscore", *sys.argv[1:]]
run_command()
print(" ".join(["modules:", *sys.modules]))
"""

# What no command needs that neither runs an agent nor asks a model, and has no such file or option.
NEVER = (
    *("asyncio", "concurrent", "ssl", "http", "httpx", "socket", "urllib.request"),
    *("psycopg", "pyarrow", "numpy", "openai", "mcp", "pytest"),
    *("starlette", "uvicorn", "callscore.web"),
    *("rich", "ruamel", "yaml", "tomllib", "csv", "jsonschema_rs", "rapidfuzz", "regex"),
    *("xml", "callscore.runner", "callscore.models", "callscore.evaluations.evaluation"),
)
METADATA = ("email", "importlib.metadata", "zipfile")
HISTORY = (
    "sqlite3",
    "statistics",
    "subprocess",
    "secrets",
    "callscore.history.store",
    "callscore.engines.saving",
)
READING = ("callscore.engines.local", "callscore.sources", "callscore.formats")
COMPARING = ("callscore.comparing.comparison", "callscore.comparing.gating")


def unmeasured() -> dict[str, str]:
    """The environment of a process whose coverage is not measured, which would import much."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


def modules_of(*arguments: str, folder: Path) -> set[str]:
    (folder / "one.jsonl").write_text(CASE, encoding="utf-8")
    (folder / "calls.jsonl").write_text(CALLS, encoding="utf-8")
    command = [sys.executable, "-c", CODE, *arguments]
    shown = subprocess.run(
        command, cwd=folder, env=unmeasured(), capture_output=True, text=True, check=True
    ).stdout
    return {*shown.rpartition("modules:")[2].split()}


def unneeded(found: set[str], *names: str) -> list[str]:
    return sorted(
        each for each in found if any(each == name or each.startswith(f"{name}.") for name in names)
    )


@pytest.mark.parametrize(
    ("arguments", "others"),
    [
        ("--version", (*METADATA, *HISTORY, *READING, *COMPARING, "msgspec")),
        ("score --help", (*METADATA, *HISTORY, *COMPARING)),
        ("score one.jsonl", (*METADATA, *HISTORY, *COMPARING, "hashlib")),
        ("check calls.jsonl", (*HISTORY, *COMPARING)),
        ("extract calls.jsonl", (*METADATA, *HISTORY, *COMPARING)),
        ("compare one.jsonl one.jsonl", (*METADATA, "secrets", "callscore.engines.saving")),
        ("history", (*METADATA, *COMPARING, "callscore.engines.local")),
    ],
)
def test_a_command_does_not_import_what_it_does_not_need(
    arguments: str, others: tuple[str, ...], tmp_path: Path
) -> None:
    found = modules_of(*arguments.split(), folder=tmp_path)

    assert "callscore.cli.program" in found
    assert unneeded(found, *NEVER, *others) == []


def test_a_saved_run_is_shown_without_what_runs_agents(tmp_path: Path) -> None:
    modules_of("score", "one.jsonl", "--save", "first", folder=tmp_path)

    saved = modules_of("score", "one.jsonl", "--save", "second", folder=tmp_path)
    shown = modules_of("show", "first", folder=tmp_path)
    compared = modules_of("compare", "first", "first", folder=tmp_path)

    wanted = (
        "asyncio",
        "ssl",
        "http",
        "rich",
        "jsonschema_rs",
        "rapidfuzz",
        "ruamel",
    )
    assert unneeded(saved, *wanted[1:], *COMPARING, "callscore.runner", "callscore.models") == []
    assert unneeded(shown, *wanted, *METADATA, "callscore.models") == []
    assert (
        unneeded(compared, *wanted, *METADATA, "callscore.models", "callscore.runner.asking") == []
    )


def test_the_parent_of_a_command_imports_almost_nothing() -> None:
    code = "import sys, callscore.cli.main; print(*sys.modules)"

    shown = subprocess.check_output([sys.executable, "-c", code], env=unmeasured(), text=True)

    assert unneeded({*shown.split()}, "click", "msgspec", "callscore.core", "pathlib") == []
