"""The types of the public API: what is right type-checks, and what is wrong does not."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests/samples/typing"
ERROR = re.compile(r"^[^:\n]+:(\d+): error: ", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has nothing of this project: its settings for mypy are not those of users."""
    return tmp_path_factory.mktemp("types")


def _check(name: str, folder: Path) -> tuple[set[int], str]:
    """The lines of a file in which mypy finds an error, and what it says."""
    copy = shutil.copy(SAMPLES / name, folder / name.removesuffix(".txt"))
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", copy],
        env={"MYPYPATH": str(ROOT / "src")},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode in {0, 1}, ran.stderr
    return {int(line) for line in ERROR.findall(ran.stdout)}, ran.stdout


def test_every_way_to_use_it_type_checks(folder: Path) -> None:
    _, said = _check("uses.py", folder)

    assert said.startswith("Success")


def test_every_mistake_is_found(folder: Path) -> None:
    lines = (SAMPLES / "mistakes.py.txt").read_text(encoding="utf-8").splitlines()
    mistakes = {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}

    found, said = _check("mistakes.py.txt", folder)

    assert mistakes
    assert found == mistakes, said
