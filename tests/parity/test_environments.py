"""What is installed to compare with."""

from __future__ import annotations

import re

import pytest
from tests.parity.environments import ROOT, is_npm, tools

from callscore import parity

PINNED = re.compile(r"(.+)(?:==|@)([^=@]+)")


def _pins(tool: str) -> dict[str, str]:
    """The version of each package, the tool's own first."""
    (path,) = (ROOT / "requirements" / "parity").glob(f"{tool}.*")
    lines = [line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines()]
    found = [PINNED.fullmatch(line) for line in lines if line]
    return {pin[1]: pin[2] for pin in found if pin}


def test_a_tool_is_called_as_its_module() -> None:
    assert set(tools()) <= set(parity.TOOLS)


def test_the_tools_of_npm_are_known() -> None:
    assert [tool for tool in tools() if is_npm(tool)] == ["evalite", "mcpjam", "promptfoo"]


@pytest.mark.parametrize("tool", tools())
def test_the_version_that_is_installed_is_the_one_that_is_reproduced(tool: str) -> None:
    installed = next(iter(_pins(tool).values()))

    assert installed == getattr(parity, tool).VERSION


@pytest.mark.parametrize("tool", tools())
def test_everything_that_is_named_is_pinned(tool: str) -> None:
    (path,) = (ROOT / "requirements" / "parity").glob(f"{tool}.*")
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]

    assert len(_pins(tool)) == len(lines)
