"""Use an installed callscore as people do; `tools/distribution` runs this in a new environment.

It imports nothing but callscore and the standard library, and runs where nothing of the tree is.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

__all__ = ["main"]

PROGRAM = Path(sysconfig.get_path("scripts")) / "callscore"
TEST = """\
import pytest
from callscore.testing import assert_calls

def test_the_agent() -> None:
    assert_calls([("book", {"to": "Oslo"})], [("book", {"to": "Oslo"})])

@pytest.mark.callscore(expected=["book"])
def test_that_the_plugin_scores_what_is_returned() -> list[str]:
    return []
"""


def main(part: str) -> int:
    """Check one part: `alone`, or `pytest` where it is installed."""
    if part == "pytest":
        _check_plugin()
    else:
        _check_python()
        _check_program()
        _check_metadata()
    return 0


def _check_python() -> None:
    import callscore

    score = callscore.score([("book", {"to": "Oslo"})], [{"tool": "book", "args": {"to": "Oslo"}}])
    _require(score.f1 == 1.0, f"score() gives {score.f1}")
    _require("site-packages" in callscore.__file__, f"imported from {callscore.__file__}")
    for name in callscore.__all__:
        getattr(callscore, name)
    try:
        callscore.score_cases([]).to_arrow()
    except callscore.MissingExtra as error:
        _require("callscore[parquet]" in str(error), str(error))
    else:
        sys.exit("pyarrow is installed, although no extra was")


def _check_program() -> None:
    import callscore

    _require(callscore.__version__ in _said("--version"), "the version is another")
    _require("Macro F1" in _said("demo"), "the demo shows no score")
    _said("schema", "case")
    for command, extra in (("mcp", "mcp"), ("view", "web")):
        said = _said(command, is_failing=True)
        _require(f"callscore[{extra}]" in said, f"{command}: {said}")


def _check_metadata() -> None:
    installed = distribution("callscore")
    files = {str(file) for file in installed.files or []}
    _require("callscore/py.typed" in files, "py.typed is missing")
    _require(not [file for file in files if "/tests/" in file], "tests are installed")
    _require(any("licenses/LICENSE" in file for file in files), "the licence is missing")
    entries = {(entry.group, entry.name) for entry in installed.entry_points}
    wanted = {("console_scripts", "callscore"), ("pytest11", "callscore_pytest")}
    _require(entries >= wanted, f"entry points: {entries}")


def _check_plugin() -> None:
    Path("test_agent.py").write_text(TEST, encoding="utf-8")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--strict-markers",
            "-q",
            "-p",
            "no:cacheprovider",
            "test_agent.py",
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    _require("1 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr)


def _said(*arguments: str, is_failing: bool = False) -> str:
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, encoding="utf-8", check=False)
    said = ran.stdout + ran.stderr
    _require(bool(ran.returncode) is is_failing, f"callscore {' '.join(arguments)}: {said}")
    return said


def _require(is_right: bool, problem: str) -> None:  # noqa: FBT001  (a condition, as of assert)
    if not is_right:
        sys.exit(problem)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
