"""The files in a tar archive, one after another, in memory.

Nothing is written to disk, and names are only names: links, devices and paths lead nowhere. The
standard library reads headers of any size, so that an archive could fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callscore.errors import UnreadableInput
from callscore.sources.files import max_unpacked, too_large
from callscore.sources.record import BadRecord

if TYPE_CHECKING:
    from io import BufferedReader

_BLOCK = 512
TAR_HEAD_SIZE = _BLOCK
_CHUNK_SIZE = 1 << 16
_MAX_NAME_SIZE = 1 << 16  # bytes of a header with a long name
_CHECKSUM = slice(148, 156)
_FILES = (b"0", b"\0", b"7")
_LONG_NAME, _PAX = b"L", b"x"
_PAX_PATH = re.compile(rb"(?:\A|\n)\d{1,9} path=([^\n]*)\n")
_DAMAGED = "the tar archive is damaged. Create the file again."


def looks_like_tar(head: bytes) -> bool:
    """Whether data begins with the header of a file in a tar archive."""
    return head[257:262] == b"ustar" and _is_header(head[:_BLOCK])


def _is_header(block: bytes) -> bool:
    if len(block) < _BLOCK:
        return False
    blank = sum(block[: _CHECKSUM.start]) + sum(block[_CHECKSUM.stop :]) + 8 * ord(" ")
    return _number(block[_CHECKSUM]) == blank


def _number(field: bytes) -> int:
    """The number in a field: octal digits, or binary if the first bit is set; -1 if it is neither."""
    if field[:1] >= b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if re.fullmatch(rb"[0-7]*", digits) else -1


def read_tar(stream: BufferedReader, name: str) -> Iterator[tuple[str, bytes] | BadRecord]:
    """The names and the contents of the regular files; one that is larger than `max_unpacked` is bad.

    Raises:
        UnreadableInput: the archive is damaged, or ends too early.
    """
    long_name: bytes | None = None
    while (block := stream.read(_BLOCK)).strip(b"\0"):
        size = _number(block[124:136]) if _is_header(block) else -1
        if size < 0:
            raise UnreadableInput(name, _DAMAGED)
        kind = block[156:157]
        if kind in (_LONG_NAME, _PAX) and size <= _MAX_NAME_SIZE:
            content = _read(stream, size, name)
            found = _PAX_PATH.search(content)
            if kind == _LONG_NAME:
                long_name = content.rstrip(b"\0")
            elif found is not None:
                long_name = found[1]
            continue
        entry = (long_name or _name_in(block)).decode("utf-8", "replace")
        long_name = None
        if kind in _FILES and size <= max_unpacked():
            yield entry, _read(stream, size, name)
            continue
        _skip(stream, size, name)
        if kind in _FILES:
            yield BadRecord(f"{name}!{entry}", too_large(entry, "entry").problem)


def _name_in(block: bytes) -> bytes:
    name, prefix = block[:100].rstrip(b"\0"), block[345:500].rstrip(b"\0")
    is_posix = block[257:263] == b"ustar\0"  # another kind has times in the place of the prefix
    return prefix + b"/" + name if prefix and is_posix else name


def _read(stream: BufferedReader, size: int, name: str) -> bytes:
    content = stream.read(size)
    stream.read(-size % _BLOCK)
    if len(content) < size:
        raise UnreadableInput(name, "the tar archive ends too early. Create the file again.")
    return content


def _skip(stream: BufferedReader, size: int, name: str) -> None:
    left = size + -size % _BLOCK
    while left:
        chunk = stream.read(min(left, _CHUNK_SIZE))
        if not chunk:
            raise UnreadableInput(name, "the tar archive ends too early. Create the file again.")
        left -= len(chunk)
