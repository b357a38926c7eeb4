"""Where in people's files something stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["PREFIX", "Place", "file_of", "key_of", "place_of", "shown"]

# How the names of files of evaluations begin.
PREFIX = "eval_"
_END = re.compile(r"(?:::.*|(?::\d+)+)$", re.DOTALL)  # of a key, or of a place
_MODULE = "<module>"  # as Python calls the code of a file


class Place(NamedTuple):
    """Where something stands.

    Attributes:
        text: the file, and the line where it is known, as people are shown it.
        folder: where paths beside it begin.
        file: the file, from the root on; None where there is none.
        is_within: whether it stands within a function, so that others may have it run.
    """

    text: str
    folder: str
    file: Path | None = None
    is_within: bool = False


def shown(path: Path) -> str:
    """A path as people are shown it: from the working directory on, where it lies under that."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):  # it lies elsewhere, or the directory was deleted meanwhile
        return str(path)


def file_of(place: str) -> str:
    """The file of a place, without the line; or that of a key, without the name."""
    return _END.sub("", place)


def place_of(frame: FrameType | None) -> Place:
    """Where code is being run."""
    if frame is None:
        return Place("<unknown>", ".")
    name = frame.f_code.co_filename
    path = Path(name)
    if name.startswith("<") or not path.is_file():  # typed in, or made on the way
        return Place(f"{name}:{frame.f_lineno}", str(Path.cwd()))
    file = path.resolve()
    is_within = frame.f_code.co_name != _MODULE
    return Place(f"{shown(path)}:{frame.f_lineno}", str(file.parent), file, is_within)


def key_of(home: Path | None, name: str) -> str:
    """By what an evaluation is known in the history, whatever else is run: `evals/eval_a.py::name`.

    Args:
        home: the file that it belongs to; None where there is none.
        name: what it is called there.
    """
    if home is None:
        return f"::{name}"
    from callscore.history.opening import default_path

    project = default_path().parent.parent.resolve()
    file = home.relative_to(project) if home.is_relative_to(project) else home
    return f"{file.as_posix()}::{name}"
