"""Every answer that was recorded from another tool is ours, too."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from tests.parity.check import Finding, check

VECTORS = Path(__file__).with_name("vectors")
TOOLS = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "cases")


@pytest.fixture(scope="module")
def findings() -> dict[str, list[Finding]]:
    by_tool = defaultdict(list)
    for found in check(VECTORS):
        by_tool[found.tool].append(found)
    return by_tool


@pytest.mark.parametrize("tool", TOOLS)
def test_every_recorded_answer_is_ours(tool: str, findings: dict[str, list[Finding]]) -> None:
    assert len(findings[tool]) >= 61
    assert [found for found in findings[tool] if not found.agrees] == []


def test_there_are_fifteen_tools_or_more() -> None:
    assert len(TOOLS) >= 15
