"""Ranges of files of Parquet and of JSON lines, in any place that pyarrow can read.

A line belongs to the range in which it begins, and so does a group of rows of a Parquet file. Ranges
can therefore be planned from sizes alone, and be read on any machine, in any order, and again.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.engines.batches import LINE_COLUMN, OFFSET_COLUMN, SOURCE_COLUMN
from callscore.errors import UnreadableInput
from callscore.sources.remote import is_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "LINES",
    "PARQUET",
    "FileRange",
    "has_files",
    "kind_of",
    "list_files",
    "plan_ranges",
    "read_range",
    "refused_kind",
]

Kind = Literal["parquet", "lines"]
PARQUET: Kind = "parquet"
LINES: Kind = "lines"
_ENDINGS: dict[str, Kind] = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".jsonl": LINES,
    ".ndjson": LINES,
    ".json": LINES,  # as Spark and other programs name their files of JSON lines
}
_COMPRESSED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_BATCH_ROWS = 256
_BATCH_BYTES = 1 << 22  # of lines
_BLOCK = 1 << 20
_SMALLEST = 1 << 20  # bytes of a group of ranges
_LARGEST = 1 << 26


class FileRange(Struct, frozen=True, gc=False):
    """The part of a file that begins between two positions, in bytes.

    Attributes:
        path: the absolute path, or the URI.
        kind: what the file contains.
        start: the first position.
        end: the first position that is not part of it.
        is_whole: whether it is the whole file, which may be compressed.
    """

    path: str
    kind: Kind
    start: int
    end: int
    is_whole: bool


def kind_of(path: str) -> Kind | None:
    """What a file contains, by its name; None for another kind of file."""
    name = path.lower().rsplit("/", 1)[-1]
    stem, dot, last = name.rpartition(".")
    if f"{dot}{last}" in _COMPRESSED:
        found = _ENDINGS.get(f".{stem.rpartition('.')[2]}")
        return found if found == LINES else None
    return _ENDINGS.get(f"{dot}{last}")


def refused_kind(engine: str, path: str) -> UnreadableInput:
    """The error about a file that is neither Parquet nor JSON lines."""
    return UnreadableInput(
        without_credentials(path),
        f"{engine} reads Parquet (.parquet) and JSON lines (.jsonl, .ndjson or .json, also with .gz or"
        " .zst). Pass a pattern that matches only such files, or score this file without an engine.",
    )


# --- which files there are ------------------------------------------------------------------------


def list_files(paths: Sequence[str], engine: str) -> list[tuple[str, Kind, int]]:
    """The files of paths, folders and patterns, sorted: their paths, kinds and sizes.

    Files and folders whose names begin with `.` or `_` are left out of folders and patterns, as Spark
    and Hadoop do.

    Raises:
        UnreadableInput: there are none, or some of another kind.
    """
    found: dict[str, tuple[str, Kind, int]] = {}
    for path in paths:
        files = _files_of(path)
        if not files:
            raise UnreadableInput(
                without_credentials(path),
                "no such file, or a folder without files. Check the path.",
            )
        for name, size in files:
            kind = kind_of(name)
            if kind is None:
                raise refused_kind(engine, name)
            found[name] = name, kind, size
    return [found[name] for name in sorted(found)]


def has_files(folder: str) -> bool:
    """Whether there is anything in a folder, or a file in its place."""
    from pyarrow import ArrowException, fs

    try:
        system, inner, _ = _located(folder)
        if system.get_file_info(inner).type == fs.FileType.File:
            return True
        return bool(system.get_file_info(fs.FileSelector(inner, allow_not_found=True)))
    except (ArrowException, OSError, ValueError) as error:
        raise _unreachable(folder, error) from error


def _files_of(path: str) -> list[tuple[str, int]]:
    """The files of a path, a folder or a pattern, each with its size."""
    from pyarrow import ArrowException, fs

    try:
        system, inner, prefix = _located(path)
        base, pattern = _split_pattern(inner)
        if pattern is None:
            found = system.get_file_info(inner)
            if found.type == fs.FileType.File:
                return [(f"{prefix}{found.path}", found.size)]
        listed = system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
    except (ArrowException, OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    return [
        (f"{prefix}{each.path}", each.size)
        for each in listed
        if each.type == fs.FileType.File
        and not _is_hidden(each.path[len(base) :])
        and (pattern is None or pattern.fullmatch(each.path))
    ]


def _located(path: str) -> tuple[Any, str, str]:
    """The file system of a path, the path in it, and what precedes it in the name of a file."""
    from pyarrow import fs

    if not is_url(path):
        return fs.LocalFileSystem(), str(Path(path).absolute()), ""
    scheme, _, rest = path.partition("://")
    # Characters of patterns are not part of an address.
    address = re.split(r"[*?\[]", path, maxsplit=1)[0].rpartition("/")[0] + "/"
    system, _ = fs.FileSystem.from_uri(address)
    if scheme in ("s3", "gs", "gcs"):
        return system, rest.rstrip("/"), f"{scheme}://"
    _, inner = fs.FileSystem.from_uri(path)
    return system, inner, path[: len(path) - len(inner)] if path.endswith(inner) else f"{scheme}://"


def _split_pattern(path: str) -> tuple[str, re.Pattern[str] | None]:
    """The folder before the first wildcard, and what whole paths must match."""
    wildcard = re.search(r"[*?\[]", path)
    if wildcard is None:
        return path, None
    base = path[: wildcard.start()].rpartition("/")[0]
    parts = re.split(r"(\*\*/?|\*|\?|\[[^\]]*\])", path)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    text = "".join(
        known.get(part) or (part.replace("[!", "[^") if part.startswith("[") else re.escape(part))
        for part in parts
    )
    return base, re.compile(text)


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/"))


def _unreachable(path: str, error: Exception) -> UnreadableInput:
    reason = str(error).partition("\n")[0].rstrip(".")
    return UnreadableInput(without_credentials(path), f"the files cannot be read ({reason}).")


# --- ranges ---------------------------------------------------------------------------------------


def plan_ranges(
    files: Iterable[tuple[str, Kind, int]], *, processors: int
) -> list[list[FileRange]]:
    """Groups of ranges, each for one task: enough for all processors, and none very large."""
    files = list(files)
    total = sum(size for _, _, size in files)
    most = min(max(total // (4 * processors), _SMALLEST), _LARGEST)
    groups: list[list[FileRange]] = [[]]
    group_size = 0
    for path, kind, size in files:
        for each in _ranges(path, kind, size, most):
            if groups[-1] and group_size + each.end - each.start > most:
                groups.append([])
                group_size = 0
            groups[-1].append(each)
            group_size += each.end - each.start
    return [group for group in groups if group]


def _ranges(path: str, kind: Kind, size: int, most: int) -> Iterator[FileRange]:
    if size <= most or path.lower().endswith(tuple(_COMPRESSED)):
        yield FileRange(path, kind, 0, size, is_whole=True)
        return
    for start in range(0, size, most):
        yield FileRange(path, kind, start, min(start + most, size), is_whole=False)


def read_range(part: FileRange) -> Iterator[Any]:
    """The rows of a range as record batches, with the file of each row, and where it is in it.

    Raises:
        UnreadableInput: the file is damaged, or cannot be read.
    """
    from pyarrow import ArrowException

    try:
        yield from _parquet(part) if part.kind == PARQUET else _line_batches(part)
    except (ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise UnreadableInput(
            without_credentials(part.path),
            f"the file is damaged, or cannot be read ({reason}). Create the file again.",
        ) from error


def _parquet(part: FileRange) -> Iterator[Any]:
    from pyarrow import parquet

    system, inner, _ = _located(part.path)
    with system.open_input_file(inner) as file:
        table = parquet.ParquetFile(file)
        row = 0
        for number in range(table.num_row_groups):
            group = table.metadata.row_group(number)
            if part.is_whole or part.start <= _start_of(group) < part.end:
                offset = row
                for batch in table.iter_batches(_BATCH_ROWS, [number], use_threads=False):
                    yield _placed(batch, part.path, range(offset, offset + batch.num_rows))
                    offset += batch.num_rows
            row += group.num_rows


def _start_of(group: Any) -> int:
    """Where the first column of a group of rows begins."""
    column = group.column(0)
    pages = [column.data_page_offset, column.dictionary_page_offset]
    return min(int(page) for page in pages if page)


def _line_batches(part: FileRange) -> Iterator[Any]:
    import pyarrow as pa

    lines: list[bytes] = []
    offsets: list[int] = []
    size = 0
    for offset, line in _lines(part):
        if not line or line.isspace():
            continue
        lines.append(line)
        offsets.append(offset)
        size += len(line)
        if size >= _BATCH_BYTES:
            yield _placed(_line_batch(pa, lines), part.path, offsets)
            lines, offsets, size = [], [], 0
    if lines:
        yield _placed(_line_batch(pa, lines), part.path, offsets)


def _line_batch(pa: Any, lines: list[bytes]) -> Any:
    # Not checked here: bytes that are not UTF-8 are reported with their line, by what reads it.
    column = pa.array(lines, pa.binary()).view(pa.string())
    return pa.RecordBatch.from_arrays([column], names=[LINE_COLUMN])


def _placed(batch: Any, path: str, offsets: Sequence[int]) -> Any:
    import pyarrow as pa

    sources = pa.array([without_credentials(path)], pa.string()).take(
        pa.array([0] * batch.num_rows, pa.int8())
    )
    return pa.RecordBatch.from_arrays(
        [*batch.columns, sources, pa.array(offsets, pa.int64())],
        names=[*batch.schema.names, SOURCE_COLUMN, OFFSET_COLUMN],
    )


def _lines(part: FileRange) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a range, each with its offset, without its end."""
    from pyarrow import CompressedInputStream

    system, inner, _ = _located(part.path)
    codec = _COMPRESSED.get(f".{part.path.lower().rpartition('.')[2]}")
    if codec is not None:
        with (
            system.open_input_stream(inner, compression=None) as packed,
            CompressedInputStream(packed, codec) as stream,
        ):
            yield from _split(stream, 0, None)
        return
    with system.open_input_file(inner) as file:
        start = part.start
        if start:
            # The line in which the byte before the range is belongs to the range before.
            file.seek(start - 1)
            start = _after_line(file, start - 1)
            file.seek(start)
        yield from _split(file, start, part.end)


def _after_line(file: Any, position: int) -> int:
    while block := file.read(_BLOCK):
        found = block.find(b"\n")
        if found >= 0:
            return int(position + found + 1)
        position += len(block)
    return position


def _split(file: Any, offset: int, end: int | None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from here on, up to the last that begins before `end`."""
    pending: list[bytes] = []
    while end is None or offset < end:
        block = file.read(_BLOCK)
        if not block:
            break
        first, *others = block.split(b"\n")
        pending.append(first)
        for following in others:
            line = b"".join(pending)
            yield offset, line
            offset += len(line) + 1
            pending = [following]
            if end is not None and offset >= end:
                return
    if any(pending) and (end is None or offset < end):
        yield offset, b"".join(pending)
