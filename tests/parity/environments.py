"""An environment for each tool that can be installed; what it holds is in `requirements/parity`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests import installing
from tests.installing import ROOT, NotInstalled, installed

__all__ = ["CACHE", "ROOT", "NotInstalled", "environment_of", "is_npm", "tools"]

CACHE = installing.CACHE / "parity"

_REQUIREMENTS = ROOT / "requirements" / "parity"


def tools() -> list[str]:
    """The tools that can be installed, by name."""
    return sorted(path.name.split(".")[0] for path in _REQUIREMENTS.glob("*.txt"))


def is_npm(tool: str) -> bool:
    """Whether a tool is a package of npm."""
    return (_REQUIREMENTS / f"{tool}.npm.txt").is_file()


def environment_of(tool: str) -> Path:
    """The Python interpreter to ask a tool with; the tool is installed if it is not yet.

    Raises:
        NotInstalled: that fails.
    """
    folder = installed(CACHE / tool, list(_REQUIREMENTS.glob(f"{tool}.*")))
    # The packages of npm are asked by a program beside the adapter; Python is ours.
    return Path(sys.executable) if is_npm(tool) else folder / "bin" / "python"
