from __future__ import annotations

from typing import TYPE_CHECKING

from tools.fuzz.execution import in_folder
from tools.fuzz.inputs import Input
from tools.fuzz.targets import run_input

if TYPE_CHECKING:
    from pathlib import Path


def test_documented_errors_are_not_failures(tmp_path: Path) -> None:
    with in_folder(tmp_path / "scratch"):
        refused = run_input(Input("read", ("calls",), {"document": b'{"colour": "red"}'}))
        scored = run_input(
            Input("cli score", ("score", "a.jsonl"), {"a.jsonl": b'{"expected": [], "actual": []}'})
        )

    assert (refused, scored) == ("refused: UnknownFormat", "exit 0")
