"""What the tools are called, here and in what was recorded of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.parity.configuration import measure_for, module_of, recorded_as

from callscore import parity

HERE = Path(__file__).parent


@pytest.mark.parametrize("tool", parity.TOOLS)
def test_there_is_a_way_back_from_every_name(tool: str) -> None:
    assert module_of(recorded_as(tool)) == tool


@pytest.mark.parametrize("tool", ["adk", "google_adk"])
def test_a_tool_is_known_by_both_names(tool: str) -> None:
    measure = measure_for(tool, "EXACT")

    assert measure is not None
    assert measure([], []) == 1.0


@pytest.mark.parametrize("folder", ["configurations", "rivals"])
def test_every_file_of_ours_is_named_as_the_module(folder: str) -> None:
    files = {path.stem for path in (HERE / folder).glob("*.py")}

    assert files
    assert files <= set(parity.TOOLS)


def test_every_recorded_file_is_of_a_tool() -> None:
    recorded = {path.stem for path in (HERE / "vectors").glob("*.json")} - {"cases"}

    assert recorded <= set(map(recorded_as, parity.TOOLS))
