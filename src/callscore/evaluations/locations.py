"""Where in the user's files something is defined or raised, as messages show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.case import Case
from callscore.core.suggestions import did_you_mean

if TYPE_CHECKING:
    from traceback import FrameSummary
    from types import FrameType

# The prefix of the names of evaluation files.
FILE_PREFIX = "eval_"
_LOCATION_SUFFIX = re.compile(r"(?:::.*|(?::\d+)+)$", re.DOTALL)  # of a key, or of a place


class Location(NamedTuple):
    """A location in user code."""

    text: str  # the file, and the line if known, for messages
    folder: str  # for relative paths
    file: Path | None = None  # an absolute path
    is_within: bool = False  # inside a function, which other files may call


def display_path(path: Path) -> str:
    """The path relative to the working directory, if it is inside it."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):  # it is elsewhere, or the directory was deleted
        return str(path)


def file_of_location(place: str) -> str:
    """The file of a location without its line, or of a key without its name."""
    return _LOCATION_SUFFIX.sub("", place)


def location_of_frame(frame: FrameType | None) -> Location:
    """The location of a frame."""
    if frame is None:
        return Location("<unknown>", ".")
    name = frame.f_code.co_filename
    path = Path(name)
    if name.startswith("<") or not path.is_file():  # interactive, or generated code
        return Location(f"{name}:{frame.f_lineno}", str(Path.cwd()))
    file = path.resolve()
    is_within = frame.f_code.co_name != "<module>"  # as Python calls the code of a file
    return Location(f"{display_path(path)}:{frame.f_lineno}", str(file.parent), file, is_within)


def evaluation_key(home: Path | None, name: str) -> str:
    """The key of an evaluation in the history: `evals/eval_a.py::name`; `::name` without a file."""
    if home is None:
        return f"::{name}"
    from callscore.history.opening import default_path

    project = default_path().parent.parent.resolve()
    file = home.relative_to(project) if home.is_relative_to(project) else home
    return f"{file.as_posix()}::{name}"


_MAX_FRAMES = 6
_UNEXPECTED_KEYWORD = re.compile(r"Unexpected keyword argument '(\w+)'")


def error_message(error: BaseException) -> str:
    """The message of an error, without secrets."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  (str() of a foreign error may fail)
        return "(its message cannot be printed)"
    return _case_field_message(text, error) or _hide_secrets(text)


def _case_field_message(text: str, error: BaseException) -> str | None:
    """A better message for `Case(expect=...)`; None for other errors."""
    found = _UNEXPECTED_KEYWORD.fullmatch(text) if isinstance(error, TypeError) else None
    frames = _frames(error)
    if found is None or not frames or "Case(" not in (frames[-1].line or ""):
        return None
    return f"a Case has no field {found[1]!r}{did_you_mean(found[1], Case.__struct_fields__)}"


def error_with_location(error: BaseException, function: Any = None) -> str:
    """The error with its type and its last line in the file of the function.

    For example: `KeyError in eval_a.py:12: 'city'`.
    """
    from callscore.evaluations.fingerprints import code_file  # lists of runs need no code

    message, file = error_message(error), code_file(function)
    frames = [each for each in _frames(error) if each.filename == file]
    where = f" in {display_path(Path(frames[-1].filename))}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}{f': {message}' if message else ''}"


def traceback_text(error: BaseException, frames: Sequence[FrameSummary]) -> str:
    """The last of these frames and the error, as text without secrets."""
    from traceback import StackSummary, format_exception_only

    lines = StackSummary.from_list(list(frames[-_MAX_FRAMES:])).format()
    return _hide_secrets("".join([*lines, *format_exception_only(error)]).rstrip())


def _frames(error: BaseException) -> Sequence[FrameSummary]:
    from traceback import extract_tb  # lists of runs have no errors

    return extract_tb(error.__traceback__)


def _hide_secrets(text: str) -> str:
    from callscore.models.secrets import hide_secrets  # imports the models

    return hide_secrets(text)
