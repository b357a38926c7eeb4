"""Reads a Python file of evaluations: imports it, and says in a sentence why that failed."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from traceback import FrameSummary, StackSummary, extract_tb, format_exception_only
from typing import TYPE_CHECKING

from callscore.core.run import Unloaded
from callscore.errors import CallscoreError, InvalidEvaluation
from callscore.evaluations.decorating import made_here
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.places import file_of, shown

if TYPE_CHECKING:
    from types import CodeType, ModuleType

__all__ = ["forget_imported", "load_python"]

_MOST_FRAMES = 6
_SUFFIX = ".py"
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

    The file is imported under a name of its own, and it may import what stands beside it. Those of
    other files of evaluations, which it may import too, are not its own.

    Args:
        path: the file.

    Returns:
        The evaluations, or why there are none.
    """
    made: list[Evaluation] = []
    token = made_here.set(made)
    try:
        module = _import(path.resolve())
    except (Exception, SystemExit) as error:  # noqa: BLE001  (people's code may raise anything)
        return _unloaded(path, error)
    finally:
        made_here.reset(token)
    assigned = [each for each in vars(module).values() if isinstance(each, Evaluation)]
    known = {id(each) for each in made}
    found = [*made, *(each for each in assigned if id(each) not in known)]
    own = [each for each in {id(each): each for each in found}.values() if _is_own(each, path)]
    if not own:
        example = "Put @callscore.evaluation(cases=...) over a function"
        return Unloaded(shown(path), f"there is no evaluation in it. {example}.")
    return own


def _is_own(evaluation: Evaluation, path: Path) -> bool:
    """Whether it is no other file of evaluations that an evaluation was imported from."""
    name = Path(file_of(evaluation.place)).name
    if not (name.startswith("eval_") and name.endswith(_SUFFIX)):
        return True
    return Path(evaluation.folder) / name == path.resolve()


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


def forget_imported() -> None:
    """Forget all modules that files of evaluations brought, so that changed ones are read anew."""
    for name in _imported:
        sys.modules.pop(name, None)
    _imported.clear()


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
        return _ENDS.format(code=error.code)
    if isinstance(error, CallscoreError):
        return str(error)
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    if isinstance(error, SyntaxError):
        what = "it is not Python"
    elif isinstance(error, ImportError):
        what = "it cannot be imported"
        said += _WITHOUT_DOTS if "relative import" in said else ""
    else:
        what = f"it raises {type(error).__name__} while it is imported"
    return f"{what}: {said}." if said else f"{what}."


def _details(error: BaseException, frames: list[FrameSummary]) -> str:
    """The end of the traceback."""
    if isinstance(error, CallscoreError | SystemExit):
        return ""
    lines = StackSummary.from_list(frames[-_MOST_FRAMES:]).format()
    return "".join([*lines, *format_exception_only(error)]).rstrip()
