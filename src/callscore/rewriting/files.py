"""Files that are rewritten: only below a folder, whole or not at all, and never if they changed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from callscore.core.phrase import Phrase

__all__ = ["SourceFile", "name_of", "open_source", "replace_source"]

_BOM = "\ufeff"
_WRITABLE = 0o222  # by anybody: who may write everything would overlook it


class SourceFile(NamedTuple):
    """A file as it was read.

    Attributes:
        path: where it is, whatever links lead there.
        name: what it is called where people see it.
        text: what it holds; its lines end in line feeds, however they do in the file.
        data: the same, to the byte.
    """

    path: Path
    name: str
    text: str
    data: bytes


def name_of(path: Path, root: Path) -> str:
    """What a file is called: its path from the root on, if it is in there."""
    whole, top = path.resolve(), root.resolve()
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else str(path)


def open_source(path: Path, root: Path) -> SourceFile:
    """Read a file that may be rewritten.

    Raises:
        CannotRewrite: it is outside of the root, or cannot be read as text.
    """
    name, whole = name_of(path, root), path.resolve()
    if not whole.is_relative_to(root.resolve()):
        raise _about(name, reasons.OUTSIDE, root=root)
    try:
        if not whole.stat().st_mode & _WRITABLE or not os.access(whole, os.W_OK):
            raise _about(name, reasons.PROTECTED)
        data = whole.read_bytes()
        text = data.decode().removeprefix(_BOM)
    except OSError as error:
        raise _about(name, reasons.UNREADABLE, why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise _about(name, reasons.NOT_UTF8) from error
    return SourceFile(whole, name, text.replace("\r\n", "\n") if _is_crlf(data) else text, data)


def _about(name: str, reason: Phrase, **values: Any) -> CannotRewrite:
    problem = CannotRewrite(reason, **values)
    return CannotRewrite(reasons.IN_FILE, file=name, problem=problem)


def _is_crlf(data: bytes) -> bool:
    breaks = data.count(b"\r\n")
    return breaks > 0 and breaks == data.count(b"\n")


def replace_source(file: SourceFile, text: str) -> None:
    """Put a new text in place of a file's; the file is at no moment half of either.

    Raises:
        CannotRewrite: the file has changed since it was read, or cannot be written.
    """
    if _is_crlf(file.data):
        text = text.replace("\n", "\r\n")
    start = _BOM if file.data.startswith(_BOM.encode()) else ""
    try:
        if file.path.read_bytes() != file.data:
            raise _about(file.name, reasons.CHANGED_MEANWHILE)
        _publish((start + text).encode(), file.path)
    except OSError as error:
        raise _about(file.name, reasons.UNWRITABLE, why=error.strerror) from error


def _publish(data: bytes, path: Path) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(path.stat().st_mode & 0o777)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise
