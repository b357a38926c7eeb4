"""Finds evaluations: files that are named, or those in folders whose names begin with `eval_`."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.run import Unloaded
from callscore.evaluations.places import file_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["SUFFIXES", "discover", "files_in", "is_named_so", "load"]

SUFFIXES = (".py", ".yaml", ".yml", ".toml")
_PREFIX = "eval_"
_KINDS = ", ".join(f"eval_*{suffix}" for suffix in SUFFIXES)
_NOT_OURS = frozenset({"node_modules", "site-packages", "__pycache__"})


def discover(
    paths: Iterable[str | os.PathLike[str]],
) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations in files and folders, and the files that cannot be used.

    A file that is named may be called anything. In folders, and in those under them, files are
    found whose names begin with `eval_`; hidden folders, `node_modules` and virtual environments
    are left out.

    Args:
        paths: the files and folders.

    Returns:
        The evaluations, by file and in the order of each file, no two of them called alike; and
        what could not be read, each with the reason.
    """
    evaluations: list[Evaluation] = []
    unloaded: list[Unloaded] = []
    for found in _found(paths):
        read = found if isinstance(found, Unloaded) else load(found)
        if isinstance(read, Unloaded):
            unloaded.append(read)
        else:
            evaluations += read
    return _called_apart(evaluations), unloaded


def load(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluations in one file, or why it cannot be used.

    Args:
        path: a Python file, or a suite in YAML or TOML.
    """
    if path.suffix not in SUFFIXES:
        problem = f"evaluations are in Python, YAML or TOML, and not in {path.suffix or 'this'}."
        return Unloaded(shown(path), problem)
    if path.suffix == ".py":
        from callscore.evaluations.loading import load_python

        found = load_python(path)
    else:
        from callscore.evaluations.suites import load_suite

        found = load_suite(path)
    return found if isinstance(found, Unloaded) else _each_called_once(found)


def _found(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path | Unloaded]:
    """The files, each of them once, in order."""
    seen: set[Path] = set()
    for given in paths:
        for found in _files_of(Path(given)):
            real = None if isinstance(found, Unloaded) else found.resolve()
            if real is None or real not in seen:
                yield found
            if real is not None:
                seen.add(real)


def _files_of(path: Path) -> list[Path | Unloaded]:
    try:
        if path.is_file():
            return [path]
        if not path.is_dir():
            return [Unloaded(str(path), "there is no such file or folder.")]
    except OSError as error:
        return [Unloaded(str(path), f"it cannot be read ({error.strerror}).")]
    found = list(files_in(path))
    return found or [Unloaded(str(path), f"there are no evaluations in it: {_KINDS}.")]


def files_in(folder: Path) -> Iterator[Path | Unloaded]:
    """The files of evaluations in a folder and those under it, sorted, and what is closed to us."""
    closed: list[OSError] = []
    found: list[Path] = []
    for home, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [each for each in folders if _is_ours(Path(home, each))]
        found += [Path(home, file) for file in files if is_named_so(file)]
    yield from sorted(found)
    for error in closed:
        yield Unloaded(str(error.filename), f"the folder cannot be read ({error.strerror}).")


def is_named_so(file: str) -> bool:
    """Whether a file of this name is one of evaluations."""
    return file.startswith(_PREFIX) and file.endswith(SUFFIXES)


def _is_ours(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in _NOT_OURS:
        return False
    return not (folder / "pyvenv.cfg").exists()


def _each_called_once(evaluations: list[Evaluation]) -> list[Evaluation] | Unloaded:
    """The evaluations of a file, of which no two may be called alike: one would hide the other."""
    known: dict[str, Evaluation] = {}
    for each in evaluations:
        other = known.setdefault(each.name, each)
        if other is not each:
            line = other.place.rpartition(":")[2]
            problem = f"another evaluation is called {each.name!r}, too, on line {line}."
            return Unloaded(each.place, f"{problem} Rename one of them, or give it a name=...")
    return evaluations


def _called_apart(evaluations: list[Evaluation]) -> list[Evaluation]:
    """The evaluations, with as much of the path in front as tells those of one name apart."""
    homes: dict[str, set[Path]] = defaultdict(set)
    for each in evaluations:
        homes[each.name].add(_file(each))
    return [
        each
        if len(homes[each.name]) == 1
        else structs.replace(each, name=f"{_shortest(_file(each), homes[each.name])}.{each.name}")
        for each in evaluations
    ]


def _file(evaluation: Evaluation) -> Path:
    """The file that an evaluation stands in."""
    return Path(evaluation.folder, Path(file_of(evaluation.place)).name)


def _shortest(path: Path, others: set[Path]) -> str:
    """The end of a path that no other one has, without its suffix if that is enough."""
    if sum(other.with_suffix("") == path.with_suffix("") for other in others) == 1:
        path, others = path.with_suffix(""), {other.with_suffix("") for other in others}
    count = 1
    while sum(other.parts[-count:] == path.parts[-count:] for other in others) > 1:
        count += 1
    return "/".join(path.parts[-count:])
