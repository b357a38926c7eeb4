"""The wheel: small, typed, and with the demo inside."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import callscore

ROOT = Path(__file__).parents[2]
LARGEST_WHEEL = 2_000_000  # bytes


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the tree at hand, built into a folder that goes away."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def _members(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST_WHEEL


@pytest.mark.parametrize(
    "member",
    [
        "callscore/py.typed",
        "callscore/data/airline-gpt-4o.jsonl.gz",
        "callscore/data/LICENSE-tau-bench.txt",
        "callscore/data/README.md",
        "callscore/data/init/answers.jsonl",
        "callscore/data/init/eval_assistant.py.txt",
        "callscore/data/init/eval_assistant.yaml",
        "callscore/data/init/tools.json",
    ],
)
def test_the_wheel_holds(member: str, wheel: Path) -> None:
    assert member in _members(wheel)


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Path) -> None:
    outside = {
        member
        for member in _members(wheel)
        if not member.startswith(("callscore/", f"callscore-{callscore.__version__}.dist-info/"))
    }

    assert outside == {"callscore_pytest.py"}  # pytest loads it without callscore


def test_the_changelog_speaks_of_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert f"## {callscore.__version__}" in changelog


def test_the_pinned_versions_name_no_host() -> None:
    pinned = (ROOT / "requirements/dev.txt").read_text(encoding="utf-8")

    lines = [line for line in pinned.splitlines() if not line.startswith("#")]

    assert lines
    assert all("==" in line and ":" not in line and "@" not in line for line in lines)
