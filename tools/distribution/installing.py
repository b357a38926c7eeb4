"""Installs a wheel or an sdist into a new environment, and uses it there."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.distribution.building import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["VERSIONS", "check_extras", "check_install", "find_pythons", "version_of"]

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_CONSTRAINTS = ROOT / "requirements/dev.txt"
_SMOKE = Path(__file__).with_name("smoke.py")


def find_pythons(
    search: str, pyenv: Path, versions: Sequence[str] = VERSIONS
) -> dict[str, Path | None]:
    """An interpreter of each version: on the search path, or of pyenv; None if there is none that runs."""
    found: dict[str, Path | None] = {}
    for version in versions:
        on_path = shutil.which(f"python{version}", path=search)
        installed = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
        candidates = [*installed, *([] if on_path is None else [Path(on_path)])]
        runs = [python for python in candidates if version_of(python) == version]
        found[version] = runs[-1] if runs else None
    return found


def version_of(python: Path) -> str | None:
    """The version of an interpreter such as 3.12; None if it does not run."""
    ran = subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return ran.stdout.strip() if ran.returncode == 0 else None


def check_install(python: Path, archive: Path, folder: Path) -> None:
    """Install an archive into a new environment, and use it there.

    Raises:
        DistError: it cannot be installed, or something does not work.
    """
    environment = folder / "environment"
    run([str(python), "-m", "venv", str(environment)], folder=folder)
    inside = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(inside), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    constraint = ["--constraint", str(_CONSTRAINTS)]
    run([*pip, "install", *constraint, str(archive)], folder=folder)
    run([*pip, "check"], folder=folder)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    smoke = str(shutil.copy(_SMOKE, elsewhere))  # beside nothing of the tree
    run([str(inside), "-I", smoke, "alone"], folder=elsewhere)
    run([*pip, "install", *constraint, "pytest"], folder=folder)
    run([str(inside), "-I", smoke, "pytest"], folder=elsewhere)
    shutil.rmtree(environment)


def check_extras(python: Path, wheel: Path, folder: Path) -> list[str]:
    """Resolve each extra, without installing it; the names of the extras.

    Raises:
        DistError: pip finds no packages for one.
    """
    environment = folder / "environment"
    run([str(python), "-m", "venv", str(environment)], folder=folder)
    inside = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    names = sorted(_extras(wheel))
    for name in names:
        run(
            [
                *(str(inside), "-m", "pip", "--disable-pip-version-check", "--quiet"),
                *("install", "--dry-run", "--prefer-binary", f"{wheel}[{name}]"),
            ],
            folder=folder,
        )
    return names


def _extras(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        lines = archive.read(name).decode().splitlines()
    prefix = "Provides-Extra: "
    return [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
