"""Splits files into parts of about the same size, at the borders of lines, and reads such a part.

A large file of JSON lines becomes many splits, and many small files become one. Compressed lines can
only be read from the beginning: this process unpacks them, and hands the lines over.
The splits of a file are the same each time, so that a run can be continued.
"""

from __future__ import annotations

import stat
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from msgspec import Struct

from callscore.errors import UnreadableInput
from callscore.sources import Lines, open_bytes, read_batches
from callscore.sources.files import display_path, open_seekable
from callscore.sources.remote import is_url, remote_size
from callscore.sources.tables import row_group_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from io import BufferedReader

__all__ = [
    "FileSplit",
    "first_lines",
    "is_parquet",
    "is_stream",
    "plan_splits",
    "read_file_lines",
    "read_split",
    "size_of",
    "split_place",
]

SPLIT_SIZE = 1 << 22  # bytes: some ten thousand cases, which take about a second
# Of a very large file, the splits are larger, so that their number stays small.
_MOST_SPLITS = 2_000
_BLOCK_SIZE = 1 << 18  # read at once
_UNPACKED = 8  # times the size of a compressed file: text becomes about that much smaller
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # the first bytes of gzip and zstd
_PARQUET_MAGIC = b"PAR1"
_MAGIC_SIZE = 4
_STDIN = "-"


class FileSplit(Struct, frozen=True, gc=False, kw_only=True):
    """A part of the input, small enough to be repeated.

    Attributes:
        index: the position of its first file in the list of files.
        files: whole files; of a part of a file, only this file.
        start: where it begins in its file, in bytes; before compression.
        end: where it ends; None for whole files.
        size: its size on disk, for the progress.
        lines: its lines, if only this process can read them.
        groups: of a part of a Parquet file, the first of its row groups, and the end; `start` and
            `end` are numbers of rows then.
        problem: why the file cannot be read from `start` on.
    """

    index: int
    files: tuple[str, ...]
    start: int = 0
    end: int | None = None
    size: int = 0
    lines: bytes = b""
    groups: tuple[int, int] | None = None
    problem: str = ""

    @property
    def key(self) -> tuple[int, int]:
        """What the splits are sorted by."""
        return self.index, self.start

    @property
    def name(self) -> str:
        """A name for the files that belong to it; it sorts as the splits do."""
        files = f"-{len(self.files)}" if len(self.files) > 1 else ""
        return f"{self.index:07}-{self.start:015}{files}"


def split_place(split: FileSplit) -> str:
    """Where a split is, for messages."""
    name = display_path(split.files[0])
    if split.end is not None:
        unit = "bytes" if split.groups is None else "rows"
        return f"{name}: {unit} {split.start} to {split.end}"
    others = len(split.files) - 1
    return f"{name} and {others} more files" if others else name


def plan_splits(
    files: Sequence[str],
    *,
    may_split: Callable[[Lines], bool] = lambda _: True,
    size: int | None = None,
) -> Iterator[FileSplit]:
    """The splits of files, in their order; compressed lines are read while the splits are taken.

    Args:
        files: the files; `-` is standard input.
        may_split: whether the lines of a file that begins with these do not depend on each other.
        size: of a split, about, in bytes; by default `SPLIT_SIZE`.

    A file that cannot be read is a split with a problem; what can be read of it are others.
    """
    size = size or SPLIT_SIZE
    group: list[int] = []
    group_size = 0
    for index, path in enumerate(files):
        file_size = size_of(path)
        is_small = file_size is not None and _unpacked_size(path, file_size) <= size
        if group and (not is_small or group_size >= size):
            yield _whole(files, group, group_size)
            group, group_size = [], 0
        if is_small:
            group.append(index)
            group_size += file_size or 0
        else:
            yield from _parts(path, index, file_size, may_split, size)
    if group:
        yield _whole(files, group, group_size)


def size_of(path: str) -> int | None:
    """The size of a file on disk or at a URL; None if it can only be read from its beginning."""
    if path == _STDIN:
        return None
    if is_url(path):
        return remote_size(path)
    try:
        found = Path(path).stat()
    except (OSError, ValueError):  # the reader of the file says why
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def is_stream(path: str) -> bool:
    """Whether it can be read only once: standard input, or a pipe."""
    return not is_url(path) and size_of(path) is None and not Path(path).is_dir()


def _unpacked_size(path: str, size: int) -> int:
    return size * _UNPACKED if path.endswith((".gz", ".zst")) else size


def _whole(files: Sequence[str], group: list[int], size: int) -> FileSplit:
    return FileSplit(index=group[0], files=tuple([files[index] for index in group]), size=size)


def _parts(
    path: str,
    index: int,
    file_size: int | None,
    may_split: Callable[[Lines], bool],
    size: int,
) -> Iterator[FileSplit]:
    """The splits of a large file; one, if its lines depend on each other, or it has no lines."""
    position = 0
    try:
        for split in _readable_parts(path, index, file_size, may_split, size):
            yield split
            position = split.end or 0
    except UnreadableInput as error:
        yield FileSplit(index=index, files=(path,), start=position, problem=error.problem)


def _readable_parts(
    path: str,
    index: int,
    file_size: int | None,
    may_split: Callable[[Lines], bool],
    size: int,
) -> Iterator[FileSplit]:
    if is_stream(path):
        yield from _streamed_parts(path, index, size)
        return
    if is_parquet(path):
        yield from _row_group_parts(path, index, file_size or 0, size)
        return
    head = first_lines(path)
    if head is None or not may_split(head):
        yield FileSplit(index=index, files=(path,), size=file_size or 0)
    elif file_size is None or _is_compressed(path):
        yield from _unpacked_parts(path, index, size)
    else:
        yield from _seekable_parts(path, index, file_size, size)


def is_parquet(path: str) -> bool:
    """Whether a file is a Parquet file, by its first bytes."""
    with open_seekable(path) as file:
        return file.read(_MAGIC_SIZE) == _PARQUET_MAGIC


def _row_group_parts(path: str, index: int, file_size: int, size: int) -> Iterator[FileSplit]:
    """The splits of a Parquet file; where its size is known only unpacked, by this share."""
    with open_seekable(path) as file:
        groups = row_group_sizes(file, display_path(path))
    unpacked = sum(group_size for _, group_size in groups) or 1
    first = start = rows = part = 0
    for number, (count, group_size) in enumerate(groups, 1):
        rows += count
        part += group_size
        if part >= size or number == len(groups):
            yield FileSplit(
                index=index,
                files=(path,),
                start=start,
                end=rows,
                size=file_size * part // unpacked,
                groups=(first, number),
            )
            first, start, part = number, rows, 0


def _seekable_parts(path: str, index: int, file_size: int, size: int) -> Iterator[FileSplit]:
    step = max(size, file_size // _MOST_SPLITS)
    with open_seekable(path) as file:
        start = 0
        while start < file_size:
            end = _line_border(file, start + step, file_size)
            yield FileSplit(index=index, files=(path,), start=start, end=end, size=end - start)
            start = end


def first_lines(path: str) -> Lines | None:
    """The beginning of a file of JSON lines; None for a file of another kind."""
    for batch in read_batches(path, allow_remote=True):
        return batch if isinstance(batch, Lines) else None
    return None


def _is_compressed(path: str) -> bool:
    with open_seekable(path) as file:
        return file.read(_MAGIC_SIZE).startswith(_COMPRESSED)


def _line_border(file: IO[bytes], position: int, size: int) -> int:
    """The end of the line in which a position is."""
    if position >= size:
        return size
    file.seek(position - 1)
    while block := file.read(_BLOCK_SIZE):
        found = block.find(b"\n")
        if found >= 0:
            return file.tell() - len(block) + found + 1
    return size


def _unpacked_parts(path: str, index: int, size: int) -> Iterator[FileSplit]:
    """The splits of compressed lines."""
    read = [0]

    def add(count: int) -> None:
        read[0] += count

    reported = 0
    with open_bytes(path, on_bytes=add, allow_remote=True) as file:
        for start, data in _pieces(file, size):
            yield _unpacked(path, index, start, data, read[0] - reported)
            reported = read[0]


def _pieces(file: BufferedReader, size: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines of at least this size, with the bytes before them; those before an error are not lost.

    Only the lines determine where they are cut, not how many bytes are read at a time.
    """
    start = 0
    pending = bytearray()
    while True:
        try:
            block = file.read1(_BLOCK_SIZE)
        except UnreadableInput:
            end = pending.rfind(b"\n") + 1
            if end:
                yield start, bytes(pending[:end])
            raise
        if not block:
            break
        searched = len(pending)
        pending += block
        while end := pending.find(b"\n", max(searched, size - 1)) + 1:
            yield start, bytes(pending[:end])
            start += end
            del pending[:end]
            searched = 0
    if pending:
        yield start, bytes(pending)


def _streamed_parts(path: str, index: int, size: int) -> Iterator[FileSplit]:
    """The splits of what can be read only once.

    Raises:
        UnreadableInput: it cannot be read, or does not consist of JSON lines.
    """
    start = 0
    group: list[bytes] = []
    group_size = 0
    for batch in read_batches(path):
        if not isinstance(batch, Lines):
            raise UnreadableInput(
                display_path(path), "this is not JSON lines. Save it as a file, and pass its path."
            )
        # Many blank lines in a row are left out.
        if group and (group_size >= size or start + group_size < batch.offset):
            yield _unpacked(path, index, start, b"".join(group), group_size)
            group, group_size = [], 0
        start = start if group else batch.offset
        group.append(batch.data)
        group_size += len(batch.data)
    if group_size:
        yield _unpacked(path, index, start, b"".join(group), group_size)


def _unpacked(path: str, index: int, start: int, data: bytes, size: int) -> FileSplit:
    end = start + len(data)
    return FileSplit(index=index, files=(path,), start=start, end=end, size=size, lines=data)


def read_split(split: FileSplit) -> Iterator[Lines]:
    """The lines of a split that is a part of a file, in blocks.

    Raises:
        UnreadableInput: the file cannot be read any more.
    """
    (path,) = split.files
    name, start, end = display_path(path), split.start, split.end or 0
    if split.lines:
        yield from _lines_of(BytesIO(split.lines), name, start, end)
    else:
        with open_seekable(path) as file:
            file.seek(start)
            yield from _lines_of(file, name, start, end)


def _lines_of(file: IO[bytes], name: str, offset: int, end: int) -> Iterator[Lines]:
    """The lines of a file from where it is read, up to a position."""
    pending: list[bytes] = []
    position = offset
    while position < end:
        block = file.read(min(_BLOCK_SIZE, end - position))
        if not block:
            break
        position += len(block)
        cut = block.rfind(b"\n") + 1
        if cut:
            data = b"".join([*pending, block[:cut]])
            yield Lines(name, 1, data, offset)
            offset += len(data)
            pending = []
        pending.append(block[cut:])
    rest = b"".join(pending)
    if rest:
        yield Lines(name, 1, rest, offset)


def read_file_lines(path: str) -> Iterator[Lines]:
    """The lines of a whole file, unpacked, in blocks; unlike `read_batches`, with every byte of it.

    Raises:
        UnreadableInput: the file cannot be read to its end.
    """
    name = display_path(path)
    with open_bytes(path, allow_remote=True) as file:
        for start, data in _pieces(file, _BLOCK_SIZE):
            yield Lines(name, 1, data, start)
