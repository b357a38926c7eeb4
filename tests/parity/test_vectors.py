"""Every answer that was recorded from another tool is ours, too."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest
from tests.parity.check import Finding, check
from tests.parity.configuration import module_of

from callscore import parity

VECTORS = Path(__file__).with_name("vectors")
# Recorded from a source of a certain day, and not from a release: the file names the day.
NAMED_BY_THEIR_SOURCE = {"evalite", "spring_ai_ragas", "tpmjs"}
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
    assert [found for found in findings[tool] if not found.agrees and not _is_rounding(found)] == []


def _is_rounding(found: Finding) -> bool:
    """Whether the last bit differs because `sum` adds floats more exactly since Python 3.12.

    The answers were recorded on 3.11. Their code calls it as ours does, so that both are equal on one Python.
    """
    if tuple(sys.version_info) < (3, 12) or not isinstance(found.theirs, float):
        return False
    return isinstance(found.ours, float) and math.isclose(found.theirs, found.ours, rel_tol=1e-15)


def test_answers_are_recorded_for_exactly_the_listed_tools() -> None:
    assert set(map(module_of, TOOLS)) == {
        *("agentevals", "autoevals", "azure", "bfcl", "deepeval", "evalite", "google_adk"),
        *("mcpjam", "mlflow", "promptfoo", "pydantic_evals", "ragas", "spring_ai_ragas"),
        *("strands", "tool_scorer", "tpmjs", "trajectly"),
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_of_an_error_only_its_class_is_recorded(
    tool: str, findings: dict[str, list[Finding]]
) -> None:
    errors = [found.theirs for found in findings[tool] if "error" in str(found.theirs)]
    raised = [error["error"] for error in errors if "error" in error]

    assert [error for error in raised if not error.isidentifier()] == []


@pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if module_of(tool) not in NAMED_BY_THEIR_SOURCE]
)
def test_the_version_that_was_recorded_is_the_one_that_is_reproduced(tool: str) -> None:
    recorded = msgspec.json.decode((VECTORS / f"{tool}.json").read_bytes())["version"]

    assert recorded == getattr(parity, module_of(tool)).VERSION
