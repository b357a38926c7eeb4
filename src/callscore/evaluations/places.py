"""Where in people's files something stands."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Place", "digest_of", "file_of", "place_of", "shown"]

_LINE = re.compile(r"(?::\d+)+$")


class Place(NamedTuple):
    """Where something stands.

    Attributes:
        text: the file, and the line where it is known, as people are shown it.
        folder: where paths beside it begin.
        source: the digest of the file; empty where there is none.
    """

    text: str
    folder: str
    source: str = ""


def shown(path: Path) -> str:
    """A path as people are shown it: from the working directory on, where it lies under that."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):  # it lies elsewhere, or the directory was deleted meanwhile
        return str(path)


def file_of(place: str) -> str:
    """The file of a place, without the line."""
    return _LINE.sub("", place)


def place_of(frame: FrameType | None) -> Place:
    """Where code is being run."""
    if frame is None:
        return Place("<unknown>", ".")
    name = frame.f_code.co_filename
    path = Path(name)
    if name.startswith("<") or not path.is_file():  # typed in, or made on the way
        return Place(f"{name}:{frame.f_lineno}", str(Path.cwd()))
    return Place(f"{shown(path)}:{frame.f_lineno}", str(path.resolve().parent), digest_of(path))


def digest_of(path: Path) -> str:
    """By what a changed file is known; empty where it cannot be read."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
