"""Splits files into parts of about the same size, and reads such a part.

A large file becomes many splits, and many small files become one. A line belongs to the range of bytes in which
it begins, and so does a row group of a Parquet file. Splits follow from the sizes of the files, are the same each time, and
can be read on any machine, in any order, and again. Compressed lines can only be read from their beginning: this process
unpacks them, and hands them over.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any

from callscore.engines.pool import Task
from callscore.errors import UnreadableInput
from callscore.sources import Lines, open_bytes, read_batches
from callscore.sources.files import display_path, open_seekable
from callscore.sources.remote import is_url, remote_size
from callscore.sources.tables import read_row_groups, row_groups

SPLIT_SIZE = 1 << 22  # bytes: some ten thousand cases, which take about a second
# Of a very large file, the splits are larger, so that their number stays small.
_MOST_SPLITS = 2_000
_BLOCK_SIZE = 1 << 18  # read at once
_UNPACKED = 8  # times the size of a compressed file: text becomes about that much smaller
_COMPRESSED_NAMES = (".gz", ".zst", ".bz2")
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # the first bytes of gzip and zstd
_PARQUET_MAGIC = b"PAR1"
_MAGIC_SIZE = 4
_STDIN = "-"


class Split(Task, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A part of the input, small enough to be repeated.

    Attributes:
        index: the position of its first file in the list of files.
        files: whole files; of a part of a file, only this file.
        start: where it begins in its file, in bytes; before compression.
        end: where it ends; None for whole files.
        size: its size on disk, for the progress.
        lines: its lines, if only this process can read them.
        problem: why it cannot be read.
    """

    index: int
    files: tuple[str, ...]
    start: int = 0
    end: int | None = None
    size: int = 0
    lines: bytes = b""
    problem: str = ""

    @property
    def name(self) -> str:
        """A name for the files that belong to it; it sorts as the splits do."""
        files = f"-{len(self.files)}" if len(self.files) > 1 else ""
        return f"{self.index:07}-{self.start:015}{files}"


def split_place(split: Split) -> str:
    """Where a split is, for messages."""
    name = display_path(split.files[0])
    if split.end is not None:
        return f"{name}: bytes {split.start} to {split.end}"
    others = len(split.files) - 1
    return f"{name} and {others} more files" if others else name


# --- which splits there are -----------------------------------------------------------------------


def plan_splits(
    files: Sequence[str],
    *,
    may_split: Callable[[Lines], bool] = lambda _: True,
    size: int | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Iterator[Split]:
    """The splits of files, in their order; compressed lines are read while the splits are taken.

    Args:
        files: the files; `-` is standard input.
        may_split: whether the lines of a file that begins with these do not depend on each other.
        size: of a split, about, in bytes; by default `SPLIT_SIZE`.
        sizes: the sizes of files of Parquet and JSON lines, which are not opened here then.

    A file that cannot be read is a split with a problem; what can be read of it are others.
    """
    size = size or SPLIT_SIZE
    group: list[int] = []
    group_size = 0
    for index, path in enumerate(files):
        file_size = size_of(path) if sizes is None else sizes[path]
        is_small = file_size is not None and _unpacked_size(path, file_size) <= size
        if group and (not is_small or group_size >= size):
            yield _whole(files, group, group_size)
            group, group_size = [], 0
        if is_small:
            group.append(index)
            group_size += file_size or 0
        elif sizes is None:
            yield from _parts(path, index, file_size, may_split, size)
        elif path.lower().endswith(_COMPRESSED_NAMES):
            yield _whole(files, [index], sizes[path])
        else:
            yield from _ranges(path, index, sizes[path], size)
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
    return size * _UNPACKED if path.lower().endswith(_COMPRESSED_NAMES) else size


def _whole(files: Sequence[str], group: list[int], size: int) -> Split:
    return Split(index=group[0], files=tuple([files[index] for index in group]), size=size)


def _parts(
    path: str, index: int, file_size: int | None, may_split: Callable[[Lines], bool], size: int
) -> Iterator[Split]:
    """The splits of a large file; one, if its lines depend on each other, or it has no lines."""
    position = 0
    try:
        for split in _readable_parts(path, index, file_size, may_split, size):
            yield split
            position = split.end or 0
    except UnreadableInput as error:
        end = position or None
        yield Split(index=index, files=(path,), start=position, end=end, problem=error.problem)


def _readable_parts(
    path: str, index: int, file_size: int | None, may_split: Callable[[Lines], bool], size: int
) -> Iterator[Split]:
    if is_stream(path):
        yield from _unpacked_parts(path, index, size)
        return
    known_size = file_size or 0
    step = max(size, known_size // _MOST_SPLITS)
    with open_seekable(path) as file:
        magic = file.read(_MAGIC_SIZE)
        if magic == _PARQUET_MAGIC:
            row_groups(file, display_path(path))  # if it is damaged, all of it is
            yield from _ranges(path, index, known_size, step)
            return
    head = first_lines(path)
    if head is None or not may_split(head):
        yield Split(index=index, files=(path,), size=known_size)
    elif file_size is None or magic.startswith(_COMPRESSED):
        yield from _unpacked_parts(path, index, size)
    else:
        yield from _ranges(path, index, known_size, step)


def _ranges(path: str, index: int, file_size: int, step: int) -> Iterator[Split]:
    """The splits of a file, by its size alone."""
    for start in range(0, file_size, step):
        end = min(start + step, file_size)
        yield Split(index=index, files=(path,), start=start, end=end, size=end - start)


def is_parquet(file: IO[bytes]) -> bool:
    """Whether an open file is a Parquet file, by its first bytes."""
    magic = file.read(_MAGIC_SIZE)
    file.seek(0)
    return magic == _PARQUET_MAGIC


def first_lines(path: str) -> Lines | None:
    """The beginning of a file of JSON lines; None for a file of another kind."""
    for batch in read_batches(path, allow_remote=True):
        return batch if isinstance(batch, Lines) else None
    return None


def _unpacked_parts(path: str, index: int, size: int) -> Iterator[Split]:
    """The splits of lines that can only be read from their beginning: compressed, or from a pipe.

    Raises:
        UnreadableInput: they cannot be read to their end, or what comes from a pipe is not lines.
    """
    read: list[int] = []  # bytes on disk
    with ExitStack() as stack:
        if is_stream(path):
            batches = _only_lines(path, read_batches(path, on_bytes=read.append))
        else:
            file = stack.enter_context(open_bytes(path, on_bytes=read.append, allow_remote=True))
            batches = lines_of(file, path)
        for start, data in _pieces(batches, size):
            on_disk, end = sum(read), start + len(data)
            read.clear()
            yield Split(index=index, files=(path,), start=start, end=end, size=on_disk, lines=data)


def _only_lines(path: str, batches: Iterable[Any]) -> Iterator[Lines]:
    for batch in batches:
        if not isinstance(batch, Lines):
            raise UnreadableInput(
                display_path(path), "this is not JSON lines. Save it as a file, and pass its path."
            )
        yield batch


def _pieces(batches: Iterable[Lines], size: int) -> Iterator[tuple[int, bytes]]:
    """Lines of at least this size, with the bytes before them; those before an error are not lost.

    Only the lines determine where they are cut, not how many are read at a time.
    """
    start, data = 0, b""
    try:
        for batch in batches:
            if start + len(data) < batch.offset:  # many blank lines in a row are left out
                if data:
                    yield start, data
                start, data = batch.offset, b""
            data += batch.data
            while end := data.find(b"\n", size - 1) + 1:
                yield start, data[:end]
                start, data = start + end, data[end:]
    except UnreadableInput:
        if data:
            yield start, data
        raise
    if data:
        yield start, data


# --- what is in them ------------------------------------------------------------------------------


def lines_between(file: IO[bytes], name: str, start: int, end: int) -> Iterator[Lines]:
    """The lines of a file that begin between two positions, in blocks."""
    first = _first_line(file, start, end)

    def blocks() -> Iterator[bytes]:
        position, block = first, b"\n"
        file.seek(position)
        while position < end and (block := file.read(min(_BLOCK_SIZE, end - position))):
            position += len(block)
            yield block
        if not block.endswith(b"\n"):  # this line ends behind the range
            yield file.readline()

    return _lines_in(blocks(), name, first)


def lines_of(file: Any, name: str, offset: int = 0) -> Iterator[Lines]:
    """All lines of an open file, in blocks; unlike `read_batches`, with every byte of it.

    Raises:
        UnreadableInput: the file cannot be read to its end.
    """
    return _lines_in(iter(partial(file.read1, _BLOCK_SIZE), b""), name, offset)


def _lines_in(blocks: Iterable[bytes], name: str, offset: int) -> Iterator[Lines]:
    pending: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            data = b"".join([*pending, block[:cut]])
            yield Lines(name, None, data, offset)
            offset += len(data)
            pending = []
        pending.append(block[cut:])
    rest = b"".join(pending)
    if rest:
        yield Lines(name, None, rest, offset)


def _first_line(file: IO[bytes], start: int, end: int) -> int:
    """Where the first line begins between two positions; `end` if there is none."""
    if not start:
        return 0
    position = start - 1  # the line with this byte belongs to the range before
    file.seek(position)
    while block := file.read(min(_BLOCK_SIZE, end - 1 - position)):
        found = block.find(b"\n")
        if found >= 0:
            return position + found + 1
        position += len(block)
    return end


def row_groups_between(
    file: IO[bytes], name: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, Any]]:
    """The record batches of the row groups that begin between two positions, each with the number of its first row.

    Raises:
        UnreadableInput: the file is damaged.
    """
    row = 0
    for number, (rows, begin) in enumerate(row_groups(file, name)):
        if start <= begin and (end is None or begin < end):
            first = row
            for batch in read_row_groups(file, name, range(number, number + 1)):
                yield first, batch
                first += batch.num_rows
        row += rows
