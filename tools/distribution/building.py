"""Builds the wheel and the sdist twice, from copies that differ in all that must not matter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["ROOT", "Built", "DistError", "build", "build_twice", "copy_tree", "run", "tree_files"]

ROOT = Path(__file__).resolve().parents[2]
# For a tree without git, such as one from an sdist: what the Makefile and the tests create.
_CREATED = (".*cache", ".venv*", "__pycache__", "build", "dist", "node_modules", ".hypothesis")
# The time of the files in the archives: what hatchling takes where none is set, so that whoever builds
# the wheel of the sdist gets the same one without knowing about it.
_EPOCH = "1580601600"


class DistError(Exception):
    """What is wrong with what was built or installed."""


class Built(NamedTuple):
    """The files of one build."""

    wheel: Path
    sdist: Path


def tree_files(root: Path = ROOT) -> list[str]:
    """The files of the tree that are not ignored, as paths relative to it, in order."""
    if not (root / ".git").exists():
        ignored = shutil.ignore_patterns(*_CREATED)
        return sorted(_walk(root, ignored))
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=root,
        check=True,
        capture_output=True,
    )
    names = listed.stdout.decode().split("\0")
    return sorted({name for name in names if name and (root / name).is_file()})


def _walk(root: Path, ignored: Any) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        left_out = ignored(folder, [*folders, *files])
        folders[:] = [name for name in folders if name not in left_out]
        for name in files:
            if name not in left_out:
                yield (Path(folder) / name).relative_to(root).as_posix()


def copy_tree(names: Iterable[str], target: Path, *, root: Path, mode: int, time: int) -> None:
    """Copy files in this order, with these permissions and this time of change."""
    for name in names:
        source, copy = root / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        is_program = bool(source.stat().st_mode & 0o100)
        copy.chmod(mode | (mode >> 2 & 0o111) if is_program else mode)
        os.utime(copy, (time, time))


def build(tree: Path, target: Path, environment: Mapping[str, str] | None = None) -> Built:
    """Build the wheel and the sdist of a tree.

    Raises:
        DistError: hatchling fails.
    """
    for kind in ("wheel", "sdist"):
        run(
            [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)],
            folder=tree,
            environment=environment,
        )
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return Built(wheel, sdist)


def build_twice(folder: Path, *, root: Path = ROOT) -> Built:
    """The wheel and the sdist of a tree, if two builds of different copies are equal.

    Raises:
        DistError: they are not, or the wheel of the sdist is another.
    """
    names = tree_files(root)
    environment = {"SOURCE_DATE_EPOCH": _EPOCH}
    one, other = folder / "a", folder / "another folder" / "of a copy"
    copy_tree(names, one, root=root, mode=0o644, time=1_600_000_000)
    copy_tree(reversed(names), other, root=root, mode=0o600, time=1_700_000_001)
    built = build(one, folder / "dist-a", environment)
    again = build(other, folder / "dist-b", {**environment, "TZ": "Asia/Tokyo", "LC_ALL": "C"})
    for first, second in zip(built, again, strict=True):
        _require_equal(first, second)
    with tarfile.open(built.sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # from 3.11.4 on
        archive.extractall(folder / "unpacked")  # noqa: S202  (it was just built)
    (unpacked,) = (folder / "unpacked").iterdir()
    _require_equal(built.wheel, build(unpacked, folder / "dist-c", environment).wheel)
    return built


def _require_equal(first: Path, second: Path) -> None:
    if first.read_bytes() == second.read_bytes():
        return
    before, after = _members(first), _members(second)
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    where = f"in {', '.join(names[:5])}" if names else "in the archive, not in its members"
    raise DistError(f"{first.name} differs between two builds: {where}")


def _members(archive: Path) -> dict[str, tuple[Any, ...]]:
    """What each member of an archive has: content, permissions, time."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {
                each.filename: (each.CRC, each.external_attr, each.date_time)
                for each in wheel.infolist()
            }
    with tarfile.open(archive) as sdist:
        return {
            each.name: (each.mode, each.mtime, each.size, _content(sdist, each)) for each in sdist
        }


def _content(sdist: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = sdist.extractfile(member)
    return b"" if file is None else file.read()


def run(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None
) -> str:
    """Run a program; what it prints.

    Raises:
        DistError: it fails.
    """
    # Nothing of the tree at hand, and nothing of an environment that is active.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **(environment or {})},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        said = (ran.stdout + ran.stderr).strip()
        raise DistError(f"{' '.join(command)} failed with exit code {ran.returncode}:\n{said}")
    return ran.stdout
