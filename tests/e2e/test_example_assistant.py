"""`examples/assistant`: its commands, just as its page has them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.examples import tidy
from tests.servers.fork_server import programs_folder

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/assistant"
PAGE = (EXAMPLE / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "assistant"))


def run(commands: str, folder: Path) -> str:
    """What commands print, typed in a folder as a person types them."""
    folders = (programs_folder(), str(Path(sys.executable).parent), os.environ["PATH"])
    ran = subprocess.run(
        ["bash", "-c", commands],  # noqa: S607  (any bash will do)
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join(folders), "COLUMNS": "80", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_a_worse_assistant_fails_both(folder: Path) -> None:
    printed = run("python assistant.py eager.jsonl || echo failed", folder)

    assert [line.split() for line in printed.splitlines()[-4:]] == [
        ["sum", "yes", "no"],
        ["greeting", "no", "yes"],
        ["passed", "2/3", "2/3"],
        ["failed"],
    ]


@pytest.mark.parametrize("commands", BLOCKS, ids=lambda block: block.partition("\n")[0])
def test_a_command_of_the_page_prints_what_the_page_says(folder: Path, commands: str) -> None:
    printed = run(commands, folder)

    assert f"```bash\n{commands}```\n\n```text output\n{tidy(printed)}```\n" in PAGE
