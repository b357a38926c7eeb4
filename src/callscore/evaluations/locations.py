"""Where in the user's files something is defined or raised, as messages show it."""

from __future__ import annotations

import re
from pathlib import Path
from traceback import FrameSummary, StackSummary, extract_tb, format_exception_only
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.case import Case
from callscore.core.suggestions import did_you_mean
from callscore.evaluations.fingerprints import code_file
from callscore.models.secrets import hide_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = [
    "FILE_PREFIX",
    "Location",
    "display_path",
    "error_message",
    "error_with_location",
    "evaluation_key",
    "file_of_location",
    "location_of_frame",
    "traceback_text",
]


# Where in people's files something stands.

# How the names of files of evaluations begin.
FILE_PREFIX = "eval_"
_LOCATION_SUFFIX = re.compile(r"(?:::.*|(?::\d+)+)$", re.DOTALL)  # of a key, or of a place
_MODULE = "<module>"  # as Python calls the code of a file


class Location(NamedTuple):
    """Where something stands.

    Attributes:
        text: the file, and the line where it is known, as people are shown it.
        folder: where paths beside it begin.
        file: the file, from the root on; None if there is none.
        is_within: whether it stands within a function, so that others may have it run.
    """

    text: str
    folder: str
    file: Path | None = None
    is_within: bool = False


def display_path(path: Path) -> str:
    """The path relative to the working directory, if it is inside it."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):  # it lies elsewhere, or the directory was deleted meanwhile
        return str(path)


def file_of_location(place: str) -> str:
    """The file of a place, without the line; or that of a key, without the name."""
    return _LOCATION_SUFFIX.sub("", place)


def location_of_frame(frame: FrameType | None) -> Location:
    """Where code is being run."""
    if frame is None:
        return Location("<unknown>", ".")
    name = frame.f_code.co_filename
    path = Path(name)
    if name.startswith("<") or not path.is_file():  # typed in, or made on the way
        return Location(f"{name}:{frame.f_lineno}", str(Path.cwd()))
    file = path.resolve()
    is_within = frame.f_code.co_name != _MODULE
    return Location(f"{display_path(path)}:{frame.f_lineno}", str(file.parent), file, is_within)


def evaluation_key(home: Path | None, name: str) -> str:
    """By what an evaluation is known in the history, whatever else is run: `evals/eval_a.py::name`.

    Args:
        home: the file that it belongs to; None if there is none.
        name: what it is called there.
    """
    if home is None:
        return f"::{name}"
    from callscore.history.opening import default_path

    project = default_path().parent.parent.resolve()
    file = home.relative_to(project) if home.is_relative_to(project) else home
    return f"{file.as_posix()}::{name}"


# What goes wrong in people's own code, in words: what was raised, and where; never with a key.

_MAX_FRAMES = 6
_UNEXPECTED_KEYWORD = re.compile(r"Unexpected keyword argument '(\w+)'")


def error_message(error: BaseException) -> str:
    """What an error says of itself, without keys; empty if it says nothing."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  (str() of a foreign error may fail)
        return "(it cannot even be printed)"
    return _case_field_message(said, error) or hide_secrets(said)


def _case_field_message(said: str, error: BaseException) -> str | None:
    """What is wrong with `Case(expect=...)`, of which Python does not say what has no such field."""
    found = _UNEXPECTED_KEYWORD.fullmatch(said) if isinstance(error, TypeError) else None
    frames = extract_tb(error.__traceback__)
    if found is None or not frames or "Case(" not in (frames[-1].line or ""):
        return None
    return f"a Case has no field {found[1]!r}{did_you_mean(found[1], Case.__struct_fields__)}"


def error_with_location(error: BaseException, function: Any = None) -> str:
    """The error with its type and location: `KeyError in eval_a.py:12: 'city'`.

    Args:
        error: what was raised.
        function: whose code it is; the last line of its file that was at work is named.
    """
    said, line = error_message(error), _last_line_in(code_file(function), error)
    where = "" if line is None else f" in {line}"
    return f"{type(error).__name__}{where}{f': {said}' if said else ''}"


def _last_line_in(file: str | None, error: BaseException) -> str | None:
    frames = [each for each in extract_tb(error.__traceback__) if each.filename == file]
    if file is None or not frames:
        return None
    return f"{display_path(Path(file))}:{frames[-1].lineno}"


def traceback_text(error: BaseException, frames: Sequence[FrameSummary]) -> str:
    """The end of a traceback, without keys.

    Args:
        error: what was raised.
        frames: the part of the traceback that is of interest.
    """
    lines = StackSummary.from_list(list(frames[-_MAX_FRAMES:])).format()
    return hide_secrets("".join([*lines, *format_exception_only(error)]).rstrip())
