"""Build the wheel and the sdist, and check that they are the same each time and work where installed.

    python -m tools.distribution                       # into dist/, on every Python that is found
    python -m tools.distribution --python /opt/python3.14/bin/python3.14
    python -m tools.distribution --no-install          # only build and compare

Both are built twice, from copies of the tree that differ in everything that must not matter: the folder,
the time and the permissions of files, and the order in which they were written. They must be equal, byte
for byte, and so must a wheel that is built from the sdist. Each is installed into a new environment of
each Python, in which a few commands must work. The steps of the Dockerfile are done, too, without Docker.
It exits with 1 if something does not work.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.distribution.building import ROOT, DistError, build_twice, run, tree_files
from tools.distribution.dockerfile import read_dockerfile, rehearse
from tools.distribution.installing import (
    VERSIONS,
    check_extras,
    check_install,
    find_pythons,
    version_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="callscore-dist-") as folder:
        try:
            return _check(options, Path(folder))
        except DistError as error:
            print(error, file=sys.stderr)
            return 1


def _check(options: argparse.Namespace, folder: Path) -> int:
    built = build_twice(folder)
    options.out.mkdir(parents=True, exist_ok=True)
    kept = [Path(shutil.copy(archive, options.out)).resolve() for archive in built]
    for archive in kept:
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        print(f"{archive.name}: {archive.stat().st_size:,} bytes, the same twice, SHA-256 {digest}")
    return 0 if options.no_install else _install(options, kept, folder)


def _install(options: argparse.Namespace, archives: Sequence[Path], folder: Path) -> int:
    pythons = _pythons(options.python)
    found = [(version, python) for version, python in pythons.items() if python is not None]
    for version, python in found:
        for archive in archives:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                check_install(python, archive, Path(place))
            print(f"Python {version}: {archive.name} installs and works", flush=True)
    for version in [version for version, python in pythons.items() if python is None]:
        print(f"Python {version}: not found here, not checked")
    if not found:
        raise DistError("no Python was found. Name one with --python")
    _rehearse(dict(found), folder)
    if options.extras:
        version, python = found[0]
        names = check_extras(python, archives[0], folder)
        print(f"Python {version}: packages were found for the extras {', '.join(names)}")
    return 0


def _rehearse(found: dict[str, Path], folder: Path) -> None:
    """Go through the steps of the Dockerfile, with its Python if that is here."""
    image = next(step.text for step in read_dockerfile() if step.instruction == "FROM")
    wanted = image.partition(":")[2].partition("-")[0]
    version = wanted if wanted in found else [*found][-1]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        program = rehearse(found[version], Path(place), tree_files())
        run([str(program), "demo"], folder=Path(place))
    print(f"Python {version}: the steps of the Dockerfile work without Docker")


def _pythons(given: Sequence[Path]) -> dict[str, Path | None]:
    if given:
        return {version_of(python) or str(python): python for python in given}
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return find_pythons(os.environ.get("PATH", ""), pyenv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.distribution",
        description="Build the wheel and the sdist, and check them.",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where they are written")
    parser.add_argument(
        "--python",
        type=Path,
        action="append",
        default=[],
        help=f"an interpreter to install them into; by default {', '.join(VERSIONS)}, where found",
    )
    parser.add_argument("--no-install", action="store_true", help="only build and compare")
    parser.add_argument("--extras", action="store_true", help="also resolve each extra")
    return parser


if __name__ == "__main__":
    sys.exit(main())
