from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tools.fuzz.counts import is_read
from tools.fuzz.execution import execute, in_folder
from tools.fuzz.generation import TARGETS, make_input

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("target", TARGETS)
def test_unmutated_inputs_of_the_fuzzer_are_read(target: str, tmp_path: Path) -> None:
    found = []
    with in_folder(tmp_path / "scratch") as scratch:
        for number in range(10):
            made = make_input(1, number, (target,), is_mutated=False)
            outcome = execute(made, scratch, is_limited=False)
            if not is_read(outcome.word):
                found.append((made.arguments, outcome.word, outcome.detail))

    assert found == []
