"""Checks the log beside an SQLite file before SQLite reads it.

The last writes of a process that was killed are in the log. SQLite goes on without those that are
damaged, and everything after them, and removes the log: they would be lost without a word. The format
is documented at https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

from msgspec import Struct

from callscore.errors import UnusableStore

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["require_log"]

_HEADER = struct.Struct(">8I")  # magic, version, page size, number, two salts, two checksums
_FRAME = struct.Struct(">6I")  # page, size of the file after a commit, two salts, two checksums
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_MASK = 0xFFFFFFFF
_PAGE_SIZES = tuple(2**power for power in range(9, 17))
# Each frame takes a tenth of a millisecond. SQLite keeps a log of 1,000, unless readers prevent it.
_MAX_FRAMES = 5_000
# Of the index: whether it is valid, the number of the last frame, and the salts of the log.
_INDEX = struct.Struct("=12xB3xI12x8s")


class _Header(Struct, frozen=True):
    """The start of a log."""

    order: str
    page: int
    salts: tuple[int, int]
    sums: tuple[int, int]


def require_log(path: Path, place: str) -> None:
    """Refuse a history whose log has damaged writes, or is missing.

    SQLite creates the log before its index, and deletes it after the index. It creates the file
    before both, and deletes a log beside an empty file without reading it.

    Raises:
        UnusableStore: writes would be lost.
    """
    log, index = (path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm"))
    if _size(log) and not _size(path):
        raise UnusableStore(
            place,
            f"the file is empty or missing, but {log.name} has writes. Restore a copy of the files, or "
            f"delete {log.name} to create a new history.",
        )
    try:
        expected = _last_frame(index)
        with log.open("rb") as file:
            is_damaged = _has_damage(file, log.stat().st_size, expected)
    except FileNotFoundError:
        # A process that ends deletes both of them.
        if not index.exists() or log.exists():
            return
        raise UnusableStore(
            place,
            f"{log.name} is missing, which has the last writes. Restore it, or delete {index.name} "
            "to continue without them.",
        ) from None
    except OSError:  # SQLite has a message for it
        return
    if is_damaged:
        raise UnusableStore(
            place,
            f"{log.name} is damaged, which has the last writes. Restore a copy of the files, or "
            f"delete {log.name} and {index.name} to continue without these writes.",
        )


def _size(path: Path) -> int:
    """The size of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _last_frame(index: Path) -> tuple[int, bytes] | None:
    """The number of the last complete frame according to the index, and the salts of its log."""
    try:
        with index.open("rb") as file:
            content = file.read(_INDEX.size)
    except OSError:
        return None
    if len(content) < _INDEX.size:
        return None
    is_valid, number, salts = _INDEX.unpack(content)
    return (number, salts) if is_valid == 1 else None


def _has_damage(file: IO[bytes], size: int, expected: tuple[int, bytes] | None) -> bool:
    """Whether complete writes follow something that is damaged."""
    if size <= _HEADER.size + _FRAME.size:
        return expected is not None and expected[0] > 0 and size < _HEADER.size
    first = file.read(_HEADER.size)
    header = _read_header(first)
    if header is None:
        return True
    length = _FRAME.size + header.page
    count = (size - _HEADER.size) // length
    known = 0
    if expected is not None and _as_index(header.salts) == expected[1]:
        known = expected[0]
    if known > count or count > _MAX_FRAMES:
        return known > count
    valid = _count_valid(file, header, count)
    # The last one may be incomplete: the process was killed while it wrote.
    lost = any(_is_commit(file, header, number) for number in range(valid + 2, count + 1))
    has_changed = _read_at(file, 0, _HEADER.size) != first  # another process began a new log
    return (lost or known > valid) and not has_changed


def _read_header(content: bytes) -> _Header | None:
    magic, _, page, _, *salts, one, two = _HEADER.unpack(content)
    if magic not in (_LITTLE, _BIG) or page not in _PAGE_SIZES:
        return None
    order = "<" if magic == _LITTLE else ">"
    if _sums(content[:24], order, (0, 0)) != (one, two):
        return None
    return _Header(order, page, (salts[0], salts[1]), (one, two))


def _count_valid(file: IO[bytes], header: _Header, count: int) -> int:
    """How many frames from the start are as they were written."""
    sums = header.sums
    file.seek(_HEADER.size)
    for number in range(count):
        content = file.read(_FRAME.size + header.page)
        _, _, *salts, one, two = _FRAME.unpack_from(content)
        sums = _sums(content[:8] + content[_FRAME.size :], header.order, sums)
        if tuple(salts) != header.salts or sums != (one, two):
            return number
    return count


def _is_commit(file: IO[bytes], header: _Header, number: int) -> bool:
    """Whether a frame of this log ends a transaction."""
    at = _HEADER.size + (number - 1) * (_FRAME.size + header.page)
    _, size, *salts, _, _ = _FRAME.unpack(_read_at(file, at, _FRAME.size))
    return bool(size) and tuple(salts) == header.salts


def _read_at(file: IO[bytes], at: int, length: int) -> bytes:
    file.seek(at)
    return file.read(length)


def _as_index(salts: tuple[int, int]) -> bytes:
    return struct.pack(">2I", *salts)


def _sums(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """The checksums of the log, continued over some content."""
    one, two = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for word in words:
        one = (one + word + two) & _MASK
        two = (two + next(words) + one) & _MASK
    return one, two
