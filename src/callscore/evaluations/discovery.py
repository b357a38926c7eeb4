"""Finds files of evaluations, imports them, and makes the names of evaluations unique."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from callscore.core.results import Unloaded
from callscore.errors import CallscoreError, InvalidEvaluation
from callscore.evaluations.decorator import FileCollector, current_collector
from callscore.evaluations.evaluation import Evaluation, repeat_suffixes
from callscore.evaluations.locations import (
    FILE_PREFIX,
    display_path,
    error_message,
    file_of_location,
    traceback_text,
)
from callscore.models.secrets import hide_secrets

if TYPE_CHECKING:
    from types import CodeType, ModuleType

# --- unique names -----------------------------------------------------------------------------


def require_unique_names(evaluations: list[Evaluation]) -> list[Evaluation] | Unloaded:
    """Refuse two evaluations of one name in a file: one would hide the other."""
    known: dict[str, Evaluation] = {}
    for each in evaluations:
        other = known.setdefault(each.key, each)
        if other is not each:
            line = other.place.rpartition(":")[2]
            problem = f"another evaluation on line {line} is also named {each.name!r}."
            return Unloaded(each.place, f"{problem} Rename one of them, or pass name=...")
    return evaluations


def with_unique_names(evaluations: Iterable[Evaluation]) -> list[Evaluation]:
    """Make names and keys unique: with as much of the path as needed, or a number in one file."""
    found = list(evaluations)
    for position, suffix in enumerate(repeat_suffixes([each.key for each in found])):
        if suffix:
            each = found[position]
            name, key = f"{each.name}{suffix}", f"{each.key}{suffix}"
            found[position] = structs.replace(each, name=name, key=key)
    homes: dict[str, set[Path]] = defaultdict(set)
    for each in found:
        homes[each.name].add(_home_path(each))
    for position, each in enumerate(found):
        if len(homes[each.name]) > 1:
            prefix = _shortest_unique_path(_home_path(each), homes[each.name])
            found[position] = structs.replace(each, name=f"{prefix}.{each.name}")
    return found


def _home_path(evaluation: Evaluation) -> Path:
    return Path(evaluation.home or file_of_location(evaluation.place))


def _shortest_unique_path(path: Path, others: set[Path]) -> str:
    """The shortest end of a path that no other path has, if possible without its suffix."""
    if sum(other.with_suffix("") == path.with_suffix("") for other in others) == 1:
        path, others = path.with_suffix(""), {other.with_suffix("") for other in others}
    count = 1
    while sum(other.parts[-count:] == path.parts[-count:] for other in others) > 1:
        count += 1
    return "/".join(path.parts[-count:])


# --- finding files ----------------------------------------------------------------------------

SUFFIXES = (".py", ".yaml", ".yml", ".toml")
_KINDS = ", ".join(f"{FILE_PREFIX}*{suffix}" for suffix in SUFFIXES)
_IGNORED_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__"})


def discover(
    what: Iterable[Evaluation | str | os.PathLike[str]],
    on_note: Callable[[str], None] = lambda _: None,
    on_file: Callable[[Path], None] = lambda _: None,
) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations in files and folders, and the files that cannot be used.

    A file that is given may have any name. In folders and their subfolders, files are found whose
    names begin with `eval_`; hidden folders, `node_modules` and virtual environments are left out.
    An evaluation belongs to the file that defines it: one that other files import is run once.

    The evaluations have unique names and are in the order of the files. `on_note` is called with a
    sentence about each file in a folder that has no evaluation, `on_file` with each file before it
    is read.
    """
    items = list(_expand(what))
    files = {item.file.resolve() for item in items if isinstance(item, _Source)}
    finding = _Discovery(files, on_note)
    for item in items:
        if isinstance(item, Unloaded):
            finding.unloaded.append(item)
        elif isinstance(item, Evaluation):
            finding.add(item)
        else:
            on_file(item.file)
            finding.read(item)
    return with_unique_names(finding.evaluations), [*finding.unloaded, *finding.empty_folders()]


class _Source(NamedTuple):
    """A file to read, and the folder in which it was found; None if the file itself was given."""

    file: Path
    folder: Path | None = None


class _Discovery:
    def __init__(self, files: Collection[Path], on_note: Callable[[str], None]) -> None:
        self.evaluations: list[Evaluation] = []
        self.unloaded: list[Unloaded] = []
        self._files = files
        self._on_note = on_note
        self._added: set[int] = set()
        self._imported: set[str] = set()
        self._is_empty: dict[Path, bool] = {}  # by folder

    def add(self, evaluation: Evaluation) -> None:
        """Add an evaluation, unless it was added before."""
        if id(evaluation) not in self._added:
            self._added.add(id(evaluation))
            self.evaluations.append(evaluation)

    def read(self, source: _Source) -> None:
        """Add the evaluations of a file."""
        found = _load_any(source.file)
        if source.folder is not None:
            is_empty = self._is_empty.get(source.folder, True)
            self._is_empty[source.folder] = is_empty and not found
        if isinstance(found, Unloaded):
            self.unloaded.append(found)
        elif found:
            self._add_from(source.file.resolve(), found)
        elif source.folder is None:
            self.unloaded.append(no_evaluation_in(source.file))
        else:
            self._on_note(passed_over_note(source.file))

    def _add_from(self, file: Path, found: Iterable[Evaluation]) -> None:
        for each in found:
            if Path(each.home) != file:
                if Path(each.home) in self._files or each.key in self._imported:
                    continue
                self._imported.add(each.key)
            self.add(each)

    def empty_folders(self) -> Iterator[Unloaded]:
        """The folders without evaluations."""
        return (_empty_folder(folder) for folder, is_empty in self._is_empty.items() if is_empty)


def load_file(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluations in a Python file or a suite, or why it cannot be used.

    Those that it imports from other files of evaluations are left out: they are found there. For a
    Python file without an evaluation the list is empty; see `no_evaluation_in`.
    """
    found = _load_any(path)
    if isinstance(found, Unloaded):
        return found
    home = path.resolve()
    return [each for each in found if _is_own(each, home)]


def no_evaluation_in(path: Path) -> Unloaded:
    """The message for a file that was given and has no evaluation."""
    example = "Decorate a function with @callscore.evaluation(cases=...)"
    return Unloaded(display_path(path), f"no evaluations found. {example}.")


def passed_over_note(path: Path) -> str:
    """The note about a file that was found and has no evaluation."""
    return f"{display_path(path)}: no evaluations found; the file is ignored"


def _load_any(path: Path) -> list[Evaluation] | Unloaded:
    if path.suffix not in SUFFIXES:
        problem = (
            f"expected a .py, .yaml or .toml file, got {path.suffix or 'a file without suffix'}."
        )
        return Unloaded(display_path(path), problem)
    if path.suffix == ".py":
        found = load_python(path)
    else:
        from callscore.evaluations.suites import load_suite

        found = load_suite(path)
    return found if isinstance(found, Unloaded) else require_unique_names(found)


def _expand(
    what: Iterable[Evaluation | str | os.PathLike[str]],
) -> Iterator[Evaluation | _Source | Unloaded]:
    """The evaluations and the files, each file once, in order."""
    seen: set[Path] = set()
    for given in what:
        if isinstance(given, Evaluation):
            yield given
            continue
        for found in _files_at(Path(given)):
            if isinstance(found, Unloaded):
                yield found
            elif found.file.resolve() not in seen:
                seen.add(found.file.resolve())
                yield found


def _files_at(path: Path) -> list[_Source | Unloaded]:
    try:
        if path.is_file():
            return [_Source(path)]
        if not path.is_dir():
            return [Unloaded(str(path), _missing_file_text(path))]
    except OSError as error:
        return [Unloaded(str(path), f"it cannot be read ({error.strerror}).")]
    found = [
        each if isinstance(each, Unloaded) else _Source(each, path)
        for each in evaluation_files(path)
    ]
    return found or [_empty_folder(path)]


def _missing_file_text(path: Path) -> str:
    if path.exists():
        return "it is not a file or a folder."
    if path.is_symlink():
        return "it is a broken link."
    return "file or folder not found."


def _empty_folder(folder: Path) -> Unloaded:
    return Unloaded(str(folder), f"no evaluations found. Expected files named {_KINDS}.")


def evaluation_files(folder: Path) -> Iterator[Path | Unloaded]:
    """The files of evaluations in a folder and its subfolders, sorted, and unreadable folders."""
    unreadable: list[OSError] = []
    found: list[Path] = []
    for home, folders, files in os.walk(folder, onerror=unreadable.append):
        folders[:] = [each for each in folders if _is_searched(Path(home, each))]
        found += [Path(home, file) for file in files if is_evaluation_file(file)]
    for path in sorted(found):
        if path.is_file():
            yield path
        elif not path.exists():
            yield Unloaded(str(path), _missing_file_text(path))
    for error in unreadable:
        yield Unloaded(str(error.filename), f"the folder cannot be read ({error.strerror}).")


def is_evaluation_file(file: str) -> bool:
    """Whether a file name matches `eval_*` and a supported suffix."""
    return file.startswith(FILE_PREFIX) and file.endswith(SUFFIXES)


def _is_searched(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in _IGNORED_FOLDERS:
        return False
    return not (folder / "pyvenv.cfg").exists()


# --- importing Python files -------------------------------------------------------------------

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_KEPT_MODULES = frozenset({"__main__", "callscore", "callscore_pytest"})
# Modules that files of evaluations have imported from their own folders.
_imported: dict[str, Path] = {}


class _Loader(SourceFileLoader):
    """Compiles the current text of the file; `__pycache__` is neither read nor written."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file."""
        del fullname
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def load_python(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluations in a Python file, in the order in which it makes them.

    The file is imported under a unique name, and may import modules of its folder. Evaluations that
    it imports by name are included, and those that other modules define, unless they are files of
    evaluations themselves.
    """
    file = path.resolve()
    collector = FileCollector(file, [])
    token = current_collector.set(collector)
    try:
        module = _import(file)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (user code may raise anything)
        return _unloaded(path, error)
    finally:
        current_collector.reset(token)
    made = [each for each in collector.evaluations if _is_own(each, file)]
    assigned = [each for each in vars(module).values() if isinstance(each, Evaluation)]
    return list({id(each): each for each in (*made, *assigned)}.values())


def _is_own(evaluation: Evaluation, file: Path) -> bool:
    """Whether an evaluation does not belong to another file of evaluations."""
    home = Path(evaluation.home)
    return home == file or not is_evaluation_file(home.name)


def _import(path: Path) -> ModuleType:
    folder = path.parent
    _forget_same_names(folder)
    # Before other folders, which may have modules of the same names.
    sys.path[:] = [str(folder), *(each for each in sys.path if each != str(folder))]
    name = f"callscore_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
    loader = _Loader(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True  # so that the module knows its file
    module = module_from_spec(spec)
    before = set(sys.modules)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        for found in set(sys.modules) - before:
            file = getattr(sys.modules[found], "__file__", None)
            if isinstance(file, str) and Path(file).is_relative_to(folder):
                _imported[found] = folder
    return module


def _forget_same_names(folder: Path) -> None:
    """Forget modules of other evaluation folders that have the name of a module here."""
    for name, home in list(_imported.items()):
        top = name.partition(".")[0]
        is_here = (folder / f"{top}.py").is_file() or (folder / top).is_dir()
        if home != folder and is_here:
            sys.modules.pop(name, None)
            del _imported[name]


def forget_modules(roots: Iterable[Path] = ()) -> None:
    """Forget the modules that files of evaluations imported, so that they are read again.

    Modules in the folders `roots` are forgotten, too, whatever imported them, except installed
    packages and callscore itself.
    """
    folders = [each.resolve() for each in roots]
    for name, module in list(sys.modules.items()):
        if name in _imported or _is_under(folders, name, module):
            del sys.modules[name]
    _imported.clear()


def _is_under(folders: Sequence[Path], name: str, module: object) -> bool:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or name.partition(".")[0] in _KEPT_MODULES:
        return False
    path = Path(file)
    is_installed = not _INSTALLED.isdisjoint(path.parts)
    return not is_installed and any(path.is_relative_to(folder) for folder in folders)


def _unloaded(path: Path, error: BaseException) -> Unloaded:
    """Why a file could not be imported, and where."""
    if isinstance(error, InvalidEvaluation):
        return Unloaded(error.place, error.problem)
    file = str(path.resolve())
    frames = list(extract_tb(error.__traceback__))
    own = [position for position, frame in enumerate(frames) if frame.filename == file]
    line = frames[own[-1]].lineno if own else None
    if isinstance(error, SyntaxError) and error.filename == file:
        line = error.lineno
    place = display_path(path) if line is None else f"{display_path(path)}:{line}"
    details = ""
    if not isinstance(error, CallscoreError | SystemExit):
        # The traceback begins in the file, not with its import.
        details = traceback_text(error, frames[own[0] :] if own else [])
    return Unloaded(place, _problem(error), details)


_RELATIVE_IMPORT_HINT = ". Import modules in the same folder without a leading dot"
_EXITS_TEXT = (
    "importing it exits (exit code {code}). Put code that should run only as"
    ' a program under `if __name__ == "__main__":`.'
)


def _problem(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return _EXITS_TEXT.format(code=hide_secrets(str(error.code)))
    if isinstance(error, CallscoreError):
        return error_message(error)
    message = error.msg if isinstance(error, SyntaxError) else error_message(error)
    if isinstance(error, SyntaxError):
        what = "it is not Python"
    elif isinstance(error, ImportError):
        what = "it cannot be imported"
        message += _RELATIVE_IMPORT_HINT if "relative import" in message else ""
    else:
        what = f"importing it raises {type(error).__name__}"
    ending = "" if message.endswith("?") else "."
    return f"{what}: {message}{ending}" if message else f"{what}."
