"""Finds evaluations: files that are named, or those in folders whose names begin with `eval_`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.run import Unloaded
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.places import PREFIX, shown
from callscore.evaluations.telling_apart import called_apart, each_called_once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

__all__ = ["SUFFIXES", "discover", "files_in", "is_named_so", "load", "nothing_in"]

SUFFIXES = (".py", ".yaml", ".yml", ".toml")
_KINDS = ", ".join(f"{PREFIX}*{suffix}" for suffix in SUFFIXES)
_NOT_OURS = frozenset({"node_modules", "site-packages", "__pycache__"})
_NOT_THERE = "there is no such file or folder."
_PASSED_OVER = "there is no evaluation in it, and it is passed over"


def _nothing(_: str) -> None:
    """Nobody wants to know."""


def discover(
    what: Iterable[Evaluation | str | os.PathLike[str]],
    on_note: Callable[[str], None] = _nothing,
) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations in files and folders, and the files that cannot be used.

    A file that is named may be called anything. In folders, and in those under them, files are
    found whose names begin with `eval_`; hidden folders, `node_modules` and virtual environments
    are left out. An evaluation belongs to the file that makes it: one that other files import is
    run once.

    Args:
        what: the files and folders; evaluations are themselves.
        on_note: is told, in a sentence, of files in folders that have no evaluation.

    Returns:
        The evaluations, by file and in the order of each file, no two of them called alike; and
        what could not be read, each with the reason.
    """
    items = list(_items(what))
    files = {item.file.resolve() for item in items if isinstance(item, _Source)}
    finding = _Finding(files, on_note)
    for item in items:
        if isinstance(item, Unloaded):
            finding.unloaded.append(item)
        elif isinstance(item, Evaluation):
            finding.take(item)
        else:
            finding.read(item)
    return called_apart(finding.evaluations), [*finding.unloaded, *finding.empty_folders()]


class _Source(NamedTuple):
    """A file to read, and the folder in which it was found; None where it was named itself."""

    file: Path
    folder: Path | None = None


class _Finding:
    """What has been found so far."""

    def __init__(self, files: Collection[Path], on_note: Callable[[str], None]) -> None:
        self.evaluations: list[Evaluation] = []
        self.unloaded: list[Unloaded] = []
        self._files = files
        self._on_note = on_note
        self._taken: set[int] = set()
        self._imported: set[str] = set()
        self._is_empty: dict[Path, bool] = {}  # by folder

    def take(self, evaluation: Evaluation) -> None:
        """Take an evaluation, but for one that is there already."""
        if id(evaluation) not in self._taken:
            self._taken.add(id(evaluation))
            self.evaluations.append(evaluation)

    def read(self, source: _Source) -> None:
        """Take the evaluations of a file."""
        found = _read(source.file)
        if source.folder is not None:
            is_empty = self._is_empty.get(source.folder, True)
            self._is_empty[source.folder] = is_empty and not found
        if isinstance(found, Unloaded):
            self.unloaded.append(found)
        elif found:
            self._take_from(source.file.resolve(), found)
        elif source.folder is None:
            self.unloaded.append(nothing_in(source.file))
        else:
            self._on_note(f"{shown(source.file)}: {_PASSED_OVER}")

    def _take_from(self, file: Path, found: Iterable[Evaluation]) -> None:
        for each in found:
            if Path(each.home) != file:
                if Path(each.home) in self._files or each.key in self._imported:
                    continue
                self._imported.add(each.key)
            self.take(each)

    def empty_folders(self) -> Iterator[Unloaded]:
        """The folders in which no file has anything."""
        return (_empty(folder) for folder, is_empty in self._is_empty.items() if is_empty)


def load(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluations in one file, or why it cannot be used.

    Those that it imports from other files of evaluations are left out: they are found there.

    Args:
        path: a Python file, or a suite in YAML or TOML.

    Returns:
        Nothing for a Python file without an evaluation; `nothing_in` says so, where it matters.
    """
    found = _read(path)
    if isinstance(found, Unloaded):
        return found
    home = path.resolve()
    return [
        each for each in found if Path(each.home) == home or not is_named_so(Path(each.home).name)
    ]


def nothing_in(path: Path) -> Unloaded:
    """What to say of a file that is named, and in which there is no evaluation."""
    example = "Put @callscore.evaluation(cases=...) over a function"
    return Unloaded(shown(path), f"there is no evaluation in it. {example}.")


def _read(path: Path) -> list[Evaluation] | Unloaded:
    if path.suffix not in SUFFIXES:
        problem = f"evaluations are in Python, YAML or TOML, and not in {path.suffix or 'this'}."
        return Unloaded(shown(path), problem)
    if path.suffix == ".py":
        from callscore.evaluations.loading import load_python

        found = load_python(path)
    else:
        from callscore.evaluations.suites import load_suite

        found = load_suite(path)
    return found if isinstance(found, Unloaded) else each_called_once(found)


def _items(
    what: Iterable[Evaluation | str | os.PathLike[str]],
) -> Iterator[Evaluation | _Source | Unloaded]:
    """The evaluations and the files, each file once, in order."""
    seen: set[Path] = set()
    for given in what:
        if isinstance(given, Evaluation):
            yield given
            continue
        for found in _sources_of(Path(given)):
            real = None if isinstance(found, Unloaded) else found.file.resolve()
            if real is None or real not in seen:
                yield found
            if real is not None:
                seen.add(real)


def _sources_of(path: Path) -> list[_Source | Unloaded]:
    try:
        if path.is_file():
            return [_Source(path)]
        if not path.is_dir():
            return [Unloaded(str(path), _why_no_file(path))]
    except OSError as error:
        return [Unloaded(str(path), f"it cannot be read ({error.strerror}).")]
    found = [each if isinstance(each, Unloaded) else _Source(each, path) for each in files_in(path)]
    return found or [_empty(path)]


def _why_no_file(path: Path) -> str:
    if path.exists():
        return "it is neither a file nor a folder."
    return "it is a link that leads nowhere." if path.is_symlink() else _NOT_THERE


def _empty(folder: Path) -> Unloaded:
    return Unloaded(str(folder), f"there are no evaluations in it: {_KINDS}.")


def files_in(folder: Path) -> Iterator[Path | Unloaded]:
    """The files of evaluations in a folder and those under it, sorted, and what is closed to us."""
    closed: list[OSError] = []
    found: list[Path] = []
    for home, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [each for each in folders if _is_ours(Path(home, each))]
        found += [Path(home, file) for file in files if is_named_so(file)]
    for path in sorted(found):
        if path.is_file():
            yield path
        elif not path.exists():
            yield Unloaded(str(path), _why_no_file(path))
    for error in closed:
        yield Unloaded(str(error.filename), f"the folder cannot be read ({error.strerror}).")


def is_named_so(file: str) -> bool:
    """Whether a file of this name is one of evaluations."""
    return file.startswith(PREFIX) and file.endswith(SUFFIXES)


def _is_ours(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in _NOT_OURS:
        return False
    return not (folder / "pyvenv.cfg").exists()
