"""A tool of the JavaScript world: one node process that answers a line a case.

The program `rivals/<tool>.mjs` imports the package from the folder that it is given, and answers
until its input ends.
"""

from __future__ import annotations

import json  # noqa: TID251  (integers of any length, which msgspec does not write)
import os
import subprocess
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.environments import CACHE

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measures_of", "package_version"]

_NODE = "node"
_PROGRAMS = Path(__file__).with_name("rivals")
# What the packages themselves document for staying silent and off the network.
_SILENT = {
    "DO_NOT_TRACK": "1",
    "MCPJAM_TELEMETRY_DISABLED": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}


def measures_of(tool: str, configurations: list[str]) -> dict[str, Measure]:
    """What a package says, by configuration."""
    return {name: partial(_ask, tool, name) for name in configurations}


def package_version(tool: str, package: str) -> str:
    """The version that is installed; empty where none is."""
    path = _folder(tool) / "node_modules" / package / "package.json"
    return str(json.loads(path.read_text(encoding="utf-8"))["version"]) if path.is_file() else ""


def _folder(tool: str) -> Path:
    return CACHE / tool


@cache
def _process(tool: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [_NODE, str(_PROGRAMS / f"{tool}.mjs"), str(_folder(tool))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **_SILENT},
    )


def _ask(tool: str, configuration: str, expected: Calls, actual: Calls) -> Any:
    process = _process(tool)
    assert process.stdin is not None
    assert process.stdout is not None
    case = {"configuration": configuration, "expected": expected, "actual": actual}
    process.stdin.write(json.dumps(case) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())
