from __future__ import annotations

from typing import TYPE_CHECKING

from tools.fuzz.execution import execute, in_folder
from tools.fuzz.failures import Failure, minimize, read_failure, write_failure
from tools.fuzz.inputs import Input

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_failure_is_made_smaller_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_at_x(given: Input) -> str:
        if b"x" in given.files["a"]:
            raise KeyError
        return "read"

    monkeypatch.setattr("tools.fuzz.execution.run_input", fail_at_x)
    failed = Input("read", ("\ud800",), {"a": b'[1, {"b": ["x", 2]}, 3]'})
    with in_folder(tmp_path / "scratch") as scratch:
        outcome = execute(failed, scratch, is_limited=False)
        smaller = minimize(failed, outcome, scratch)
    path = write_failure(Failure(smaller, outcome, 1, 2), tmp_path / "failures")

    assert outcome.word == "error"
    assert smaller.files == {"a": b"x"}
    assert read_failure(path).input == smaller
