"""An environment for each tool that can be installed, kept in the cache between runs.

What to install is in `requirements/parity`: `<tool>.txt` for pip, `<tool>.no-deps.txt` for pip
without dependencies, `<tool>.npm.txt` for npm. A change of such a file installs anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

__all__ = ["CACHE", "ROOT", "NotInstalled", "environment_of", "is_npm", "tools"]

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "callscore" / "parity"

_REQUIREMENTS = ROOT / "requirements" / "parity"
_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet", "install")
_STAMP = ".installed"
_NPM = "npm"


class NotInstalled(Exception):
    """A tool cannot be installed here; the message says why."""


def tools() -> list[str]:
    """The tools that can be installed, by name."""
    return sorted(path.name.split(".")[0] for path in _REQUIREMENTS.glob("*.txt"))


def is_npm(tool: str) -> bool:
    """Whether a tool is a package of npm."""
    return (_REQUIREMENTS / f"{tool}.{_NPM}.txt").is_file()


def environment_of(tool: str) -> Path:
    """The Python interpreter to ask a tool with; the tool is installed if it is not yet.

    Raises:
        NotInstalled: that fails.
    """
    (requirements,) = _REQUIREMENTS.glob(f"{tool}.*")
    folder = CACHE / tool
    stamp = folder / _STAMP
    content = sha256(requirements.read_bytes() + str(ROOT).encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != content:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install = _install_npm if is_npm(tool) else _install_pip
        install(folder, requirements)
        stamp.write_text(content)
    # The packages of npm are asked by a program beside the adapter; Python is ours.
    return Path(sys.executable) if is_npm(tool) else folder / "bin" / "python"


def _install_pip(folder: Path, requirements: Path) -> None:
    python = str(folder / "bin" / "python")
    dependencies = ["--no-deps"] if "no-deps" in requirements.name else []
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([python, *_PIP, *dependencies, "--requirement", str(requirements)])
    _run([python, *_PIP, "--editable", str(ROOT)])


def _install_npm(folder: Path, requirements: Path) -> None:
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    # What a package would run while it is installed, and what it can do without, is left out.
    options = ["--silent", "--no-audit", "--ignore-scripts", "--omit=optional"]
    _run([_NPM, "install", *options, "--prefix", str(folder), *filter(None, lines)])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    except FileNotFoundError as error:
        raise NotInstalled(f"{command[0]} is not on this machine") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr or error.stdout).strip().splitlines()[-1:] or ["no reason was given"]
        raise NotInstalled(last[0]) from error
