"""The tools in a Python file that somebody names: its functions, once it is imported."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getdoc, isroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callscore.api import tools_by_name
from callscore.core.nearest import meant_by
from callscore.errors import CallscoreError, UnreadableInput
from callscore.models.secrets import scrubbed

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from callscore.core.tool import Tool

__all__ = ["named_in_python", "python_tools"]

_SUFFIX = ".py"
_NONE = (
    "there are no tools in it: a tool is a function of its own, with annotations or a docstring,"
    " whose name does not begin with an underscore. Others are named after the file:"
)


def named_in_python(given: str) -> tuple[str, tuple[str, ...]] | None:
    """The Python file in `tools.py` or `tools.py:one,two`, and the names; None for other files."""
    file, colon, names = given.rpartition(f"{_SUFFIX}:")
    if colon:
        return file + _SUFFIX, tuple(name.strip() for name in names.split(",") if name.strip())
    return (given, ()) if given.endswith(_SUFFIX) else None


def python_tools(file: str, names: tuple[str, ...] = ()) -> dict[str, Tool]:
    """The tools in a Python file, by name. The file is imported, and so its code runs.

    Args:
        file: the file; it may import what stands beside it.
        names: which of its functions; without any, those of its own that have annotations or a
            docstring, and whose names do not begin with an underscore.

    Raises:
        UnreadableInput: it cannot be imported, there is no such function in it, or none at all.
    """
    module = _imported(file)
    if names:
        functions = [_function(module, name, file) for name in names]
    else:
        functions = [value for name, value in vars(module).items() if _is_tool(name, value, module)]
    if not functions:
        raise UnreadableInput(file, f"{_NONE} {Path(file).name}:one,two")
    try:
        return tools_by_name(functions)
    except CallscoreError as error:
        raise UnreadableInput(file, str(error)) from error


def _is_tool(name: str, value: Any, module: ModuleType) -> bool:
    is_own = isroutine(value) and value.__module__ == module.__name__
    if not is_own or name.startswith("_"):
        return False
    return bool(getattr(value, "__annotations__", None) or getdoc(value))


def _function(module: ModuleType, name: str, file: str) -> Callable[..., Any]:
    found = vars(module).get(name)
    if callable(found):
        function: Callable[..., Any] = found
        return function
    known = [each for each, value in vars(module).items() if isroutine(value)]
    problem = f"there is no function {name!r} in it{meant_by(name, known) or '.'}"
    raise UnreadableInput(file, problem)


def _imported(file: str) -> ModuleType:
    path = Path(file).resolve()
    if not path.is_file():
        raise UnreadableInput(file, "there is no such file.")
    name = f"callscore_tools_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None  # noqa: S101  (there is a loader for every file of that name)
    assert spec.loader is not None  # noqa: S101  (likewise)
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[name] = module  # where annotations are looked up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        said = scrubbed(str(error))
        problem = f"it raises {type(error).__name__} while it is imported: {said}"
        raise UnreadableInput(file, f"{problem.removesuffix('.')}.") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
