"""An environment for each stack, kept between runs; what it holds is in `requirements/stacks`.

`<stack>.txt` is for pip; a second file, `<stack>.npm.txt`, is for npm. A change of a file installs
the stack anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

__all__ = ["ROOT", "NotInstalled", "environment_of", "stacks"]

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements" / "stacks"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "callscore" / "stacks"

_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet", "--no-cache-dir", "install")


class NotInstalled(Exception):
    """A stack cannot be installed here; the message says why."""


def stacks() -> list[str]:
    """The stacks that have an environment, by name."""
    return sorted({path.name.split(".")[0] for path in REQUIREMENTS.glob("*.txt")})


def environment_of(stack: str) -> Path:
    """The folder of a stack's environment; the stack is installed if it is not yet.

    Raises:
        NotInstalled: that fails.
    """
    files = sorted(REQUIREMENTS.glob(f"{stack}.*txt"))
    wanted = b"".join(path.read_bytes() for path in files) + (ROOT / "pyproject.toml").read_bytes()
    content = sha256(wanted + str(ROOT).encode()).hexdigest()
    folder = CACHE / stack
    stamp = folder / ".installed"
    if not stamp.is_file() or stamp.read_text() != content:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install(folder, files)
        stamp.write_text(content)
    return folder


def _install(folder: Path, files: list[Path]) -> None:
    python = str(folder / "bin" / "python")
    _run([sys.executable, "-m", "venv", str(folder)])
    for path in files:
        if path.name.endswith(".npm.txt"):
            _install_npm(folder, path)
        else:
            _run([python, *_PIP, "--requirement", str(path), "--editable", str(ROOT), "pytest"])


def _install_npm(folder: Path, requirements: Path) -> None:
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    # What a package would run while it is installed, and what it can do without, is left out.
    options = ["--silent", "--no-audit", "--ignore-scripts", "--omit=optional"]
    _run(["npm", "install", *options, "--prefix", str(folder), *filter(None, lines)])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    except FileNotFoundError as error:
        raise NotInstalled(f"{command[0]} is not on this machine") from error
    except subprocess.CalledProcessError as error:
        shown = (error.stderr or error.stdout).strip().splitlines() or ["it printed nothing"]
        raise NotInstalled(shown[-1]) from error
