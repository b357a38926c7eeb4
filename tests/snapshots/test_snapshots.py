"""Every report, in every format, width and language, is what was recorded and looked at."""

from __future__ import annotations

import subprocess
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).parent / "expected"
_MOST_FILES, _MOST_LINES = 5, 30
_HINT = "If this is meant, run `.venv/bin/python -m tests.snapshots.record`, look at the difference, commit it."


def test_reports_are_what_was_recorded(tmp_path: Path) -> None:
    # In an interpreter of its own, because the clock has to stand still before anything is imported.
    subprocess.run(
        [sys.executable, "-m", "tests.snapshots.record", str(tmp_path)], cwd=_ROOT, check=True
    )
    expected, actual = _texts(EXPECTED), _texts(tmp_path)

    differing = [
        name for name in sorted(expected | actual) if expected.get(name) != actual.get(name)
    ]

    shown = "\n".join(
        line
        for name in differing[:_MOST_FILES]
        for line in _difference(name, expected.get(name, ""), actual.get(name, ""))
    )
    assert not differing, f"{len(differing)} files differ: {differing}\n{shown}\n{_HINT}"


def _texts(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.is_file()
    }


def _difference(name: str, before: str, after: str) -> Iterable[str]:
    lines = unified_diff(
        before.split("\n"), after.split("\n"), f"expected/{name}", f"now/{name}", "", "", 1, ""
    )
    return list(lines)[:_MOST_LINES]
