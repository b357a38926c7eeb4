"""Environments with packages of others, kept in the cache between runs.

What to install is in files of `requirements`: `<name>.txt` for pip, `<name>.no-deps.txt` for pip
without dependencies, `<name>.npm.txt` for npm. A change of a file installs anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

__all__ = ["CACHE", "ROOT", "NotInstalled", "installed"]

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "callscore"

_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet", "--no-cache-dir", "install")
_STAMP = ".installed"
_NPM = ".npm.txt"


class NotInstalled(Exception):
    """Something cannot be installed here; the message says why."""


def installed(folder: Path, files: list[Path], *beside: str) -> Path:
    """The folder of an environment with callscore and what the files name, installed if need be.

    Args:
        folder: the folder.
        files: the files of requirements.
        *beside: further packages.

    Raises:
        NotInstalled: that fails.
    """
    stamp = folder / _STAMP
    named = b"".join(path.read_bytes() for path in files)
    content = sha256(named + str((ROOT, *beside)).encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != content:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        python = [path for path in files if not path.name.endswith(_NPM)]
        if python:
            _install_pip(folder, python, beside)
        for path in set(files) - set(python):
            _install_npm(folder, path)
        stamp.write_text(content)
    return folder


def _install_pip(folder: Path, files: list[Path], beside: tuple[str, ...]) -> None:
    python = str(folder / "bin" / "python")
    _run([sys.executable, "-m", "venv", str(folder)])
    for path in files:
        dependencies = ["--no-deps"] if "no-deps" in path.name else []
        _run([python, *_PIP, *dependencies, "--requirement", str(path)])
    _run([python, *_PIP, "--editable", str(ROOT), *beside])


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
        last = (error.stderr or error.stdout).strip().splitlines()[-1:] or ["no reason was given"]
        raise NotInstalled(last[0]) from error
