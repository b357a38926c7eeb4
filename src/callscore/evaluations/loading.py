"""Reads a Python file of evaluations: imports it, and says in a sentence why that failed."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from callscore.core.run import Unloaded
from callscore.errors import CallscoreError, InvalidEvaluation
from callscore.evaluations.complaints import details_of, said_by
from callscore.evaluations.decorating import Making, made_here
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.places import PREFIX, shown
from callscore.models.secrets import scrubbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from traceback import FrameSummary
    from types import CodeType, ModuleType

__all__ = ["forget_imported", "load_python"]

_SUFFIX = ".py"
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_NEVER_FORGOTTEN = frozenset({"__main__", "callscore", "callscore_pytest"})
# The modules that files of evaluations have imported from the folders that they stand in.
_imported: dict[str, Path] = {}


class _Loader(SourceFileLoader):
    """Compiles the file as it is now: no `__pycache__` is read, which may be of before, or written."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file."""
        del fullname
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def load_python(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluations in a Python file, in the order in which it makes them.

    The file is imported under a name of its own, and it may import what stands beside it: what it
    takes from there by name is among them, and all that modules make which are no files of
    evaluations themselves.

    Args:
        path: the file.

    Returns:
        The evaluations, or why it cannot be imported.
    """
    file = path.resolve()
    making = Making(file, [])
    token = made_here.set(making)
    try:
        module = _import(file)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (people's code may raise anything)
        return _unloaded(path, error)
    finally:
        made_here.reset(token)
    made = [each for each in making.evaluations if _is_own(each, file)]
    assigned = [each for each in vars(module).values() if isinstance(each, Evaluation)]
    return list({id(each): each for each in (*made, *assigned)}.values())


def _is_own(evaluation: Evaluation, file: Path) -> bool:
    """Whether it is no other file of evaluations that an evaluation belongs to."""
    home = Path(evaluation.home)
    return home == file or not (home.name.startswith(PREFIX) and home.suffix == _SUFFIX)


def _import(path: Path) -> ModuleType:
    folder = path.parent
    _make_way(folder)
    # In front of the folders of others, which may have modules of the same names.
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
        _imported.update(
            {found: folder for found in set(sys.modules) - before if _lies_in(folder, found)}
        )
    return module


def _lies_in(folder: Path, name: str) -> bool:
    file = getattr(sys.modules[name], "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(folder)


def _make_way(folder: Path) -> None:
    """Forget modules of other folders of evaluations that are called as one of this folder."""
    for name, home in list(_imported.items()):
        top = name.partition(".")[0]
        is_here = (folder / f"{top}{_SUFFIX}").is_file() or (folder / top).is_dir()
        if home != folder and is_here:
            sys.modules.pop(name, None)
            del _imported[name]


def forget_imported(roots: Iterable[Path] = ()) -> None:
    """Forget the modules that files of evaluations brought, so that changed ones are read anew.

    Args:
        roots: folders whose modules are forgotten, too, whoever imported them; installed packages
            that lie there stay, and so does callscore.
    """
    folders = [each.resolve() for each in roots]
    for name, module in list(sys.modules.items()):
        if name in _imported or _lies_under(folders, name, module):
            del sys.modules[name]
    _imported.clear()


def _lies_under(folders: Sequence[Path], name: str, module: object) -> bool:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or name.partition(".")[0] in _NEVER_FORGOTTEN:
        return False
    path = Path(file)
    is_installed = not _INSTALLED.isdisjoint(path.parts)
    return not is_installed and any(path.is_relative_to(folder) for folder in folders)


def _unloaded(path: Path, error: BaseException) -> Unloaded:
    """Why a file could not be imported, and where."""
    if isinstance(error, InvalidEvaluation):
        return Unloaded(error.place, error.problem)
    frames = _own_frames(path, error)
    line = _line_of(path, error, frames)
    place = shown(path) if line is None else f"{shown(path)}:{line}"
    return Unloaded(place, _problem(error), _details(error, frames))


def _own_frames(path: Path, error: BaseException) -> list[FrameSummary]:
    """The traceback from the file on: who imported it is of no interest."""
    file = str(path.resolve())
    frames = list(extract_tb(error.__traceback__))
    first = next((place for place, each in enumerate(frames) if each.filename == file), len(frames))
    return frames[first:]


def _line_of(path: Path, error: BaseException, frames: list[FrameSummary]) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == str(path.resolve()):
        return error.lineno
    file = str(path.resolve())
    return next((each.lineno for each in reversed(frames) if each.filename == file), None)


_WITHOUT_DOTS = ". What stands beside it is imported without dots in front"
_ENDS = (
    "it ends the program while it is imported (exit code {code}). What should only run as a program"
    ' belongs under `if __name__ == "__main__":`.'
)


def _problem(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return _ENDS.format(code=scrubbed(str(error.code)))
    if isinstance(error, CallscoreError):
        return said_by(error)
    said = error.msg if isinstance(error, SyntaxError) else said_by(error)
    if isinstance(error, SyntaxError):
        what = "it is not Python"
    elif isinstance(error, ImportError):
        what = "it cannot be imported"
        said += _WITHOUT_DOTS if "relative import" in said else ""
    else:
        what = f"it raises {type(error).__name__} while it is imported"
    ending = "" if said.endswith("?") else "."
    return f"{what}: {said}{ending}" if said else f"{what}."


def _details(error: BaseException, frames: list[FrameSummary]) -> str:
    """The end of the traceback."""
    return "" if isinstance(error, CallscoreError | SystemExit) else details_of(error, frames)
