"""The files of a large local run: a part for each split, a manifest of those that are done, the result.

A part counts once its line is in the manifest, so that a run that was killed can be continued: what is
in the manifest is not done again, and what is not in it is.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct

from callscore.engines.result_rows import require_pyarrow
from callscore.errors import InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "DonePart",
    "LineFile",
    "Manifest",
    "RowFile",
    "RunIdentity",
    "merge_parts",
    "move_parts",
    "parts_folder",
    "read_rows",
]

_FORMAT = 1
_MANIFEST = "manifest.jsonl"
_COMPRESSION = "zstd"
# Of the rows in a row group, all but the last: what describes a group is in memory until the end.
_ROWS_PER_GROUP = 1 << 16
_GROUP_SIZE = 1 << 25  # bytes
_Line = TypeVar("_Line", bound=Struct)


class RunIdentity(Struct, frozen=True, kw_only=True):
    """What must be the same for a run to be continued.

    Attributes:
        format: of the manifest.
        version: of callscore.
        options: the settings and all other options that change the rows, as plain data.
        files: the path, the size and the time of the last change of each file.
    """

    version: str
    options: dict[str, Any]
    files: list[tuple[str, int, int]]
    format: int = _FORMAT


class DonePart(Struct, frozen=True, gc=False, kw_only=True):
    """A split that is done: its file of rows, as the manifest has it.

    Attributes:
        name: of the split, and of its files.
        rows: the number of rows.
        size: of the split in the input, for the progress.
        index: as of the split, and so are `start` and `end`.
        lost: the sentence about a split that could not be done.
    """

    name: str
    rows: int
    size: int
    index: int
    start: int = 0
    end: int | None = None
    lost: str = ""


def parts_folder(results: str) -> Path:
    """The folder of the parts of a result, while the run goes on."""
    return Path(f"{results.rstrip(os.sep)}.parts")


class Manifest:
    """The list of the parts that are done, written as they are done.

    Args:
        folder: the folder of the parts.
        identity: what is scored, and how.
        resume: whether to continue the run that the folder is of.

    Attributes:
        done: the parts of the run that is continued, by their names.

    Raises:
        InvalidSettings: there is an unfinished run, and it is not to be continued; or it is of other
            input or settings.
    """

    def __init__(self, folder: Path, identity: RunIdentity, *, resume: bool) -> None:
        self.folder = folder
        self.done: dict[str, DonePart] = {}
        self._path = folder / _MANIFEST
        is_there = self._path.exists()
        if is_there and not resume:
            raise InvalidSettings(
                f"{folder}: there is an unfinished run. Continue it with --resume, or delete the folder"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if is_there:
                self._read(identity)
            else:
                first = LineFile(self._path)
                first.write([msgspec.json.encode(identity).decode()])
                first.finish()
            self._file = self._path.open("ab")
        except OSError as error:
            raise InvalidSettings(f"{folder}: the folder cannot be written ({error})") from error

    def _read(self, identity: RunIdentity) -> None:
        """Read what is done; a line that was not written to its end is cut off."""
        for unfinished in self.folder.glob(".*.tmp"):
            unfinished.unlink(missing_ok=True)  # of processes that were killed
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))
        lines = whole.splitlines()
        first = self._decode(lines[0] if lines else b"", RunIdentity)
        _require_same(first, identity, self.folder)
        for line in lines[1:]:
            part = self._decode(line, DonePart)
            self.done[part.name] = part

    def _decode(self, line: bytes, kind: type[_Line]) -> _Line:
        try:
            return msgspec.json.decode(line, type=kind)
        except msgspec.MsgspecError:
            raise UnreadableInput(
                str(self._path), "the list of parts is damaged. Delete the folder, and start again."
            ) from None

    def add(self, part: DonePart) -> None:
        """Note that a part is done, and its file complete."""
        self.done[part.name] = part
        with _writing(self._path):
            self._file.write(msgspec.json.encode(part) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def parts(self) -> list[DonePart]:
        """The parts that are done, in the order of the input."""
        return sorted(self.done.values(), key=lambda part: (part.index, part.start))

    def rows_path(self, name: str) -> Path:
        """The file of rows of a part."""
        return self.folder / f"part-{name}.parquet"

    def cases_path(self, name: str) -> Path:
        """The file of the cases of a part that are kept: one as JSON per line."""
        return self.folder / f"cases-{name}.jsonl"

    def cases_of(self, name: str) -> Iterator[str]:
        """The cases of a part that were kept, as text."""
        with suppress(FileNotFoundError), self.cases_path(name).open(encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\n")

    def cases(self) -> Iterator[str]:
        """The cases of all parts that were kept, as text, in the order of the input."""
        for part in self.parts():
            yield from self.cases_of(part.name)

    def close(self) -> None:
        """Close the list; what is in it stays."""
        self._file.close()

    def remove(self) -> None:
        """Remove the parts and the list."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _differing(found: dict[str, Any], given: dict[str, Any]) -> list[str]:
    names = sorted({*found, *given})
    return [name for name in names if found.get(name) != given.get(name)]


def _require_same(found: RunIdentity, identity: RunIdentity, folder: Path) -> None:
    changed = ""
    if found.options != identity.options:
        differing = _differing(found.options, identity.options)
        before, now = (each.options.get("settings") for each in (found, identity))
        if isinstance(before, dict) and isinstance(now, dict):  # which of them says more
            others = [name for name in differing if name != "settings"]
            differing = [*_differing(before, now), *others]
        changed = f"other options ({', '.join(differing)})"
    elif found.version != identity.version or found.format != identity.format:
        changed = f"another version of callscore, {found.version}"
    elif found.files != identity.files:
        changed = f"other input ({_first_changed(found.files, identity.files)})"
    if changed:
        raise InvalidSettings(
            f"{folder}: the unfinished run is of {changed}. Pass what it was started with, or delete"
            " the folder"
        )


def _first_changed(
    before: Sequence[tuple[str, int, int]], after: Sequence[tuple[str, int, int]]
) -> str:
    known = {path: (size, time) for path, size, time in before}
    for path, size, time in after:
        if path not in known:
            return f"{path} is new"
        if known[path] != (size, time):
            return f"{path} has changed"
    missing = known.keys() - {path for path, *_ in after}
    return f"{min(missing)} is missing" if missing else "the files are in another order"


class RowFile:
    """A Parquet file of rows, which has its name only once it is complete.

    Raises:
        InvalidSettings: while it is written: the disk is full, or the folder cannot be written.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        require_pyarrow("Writing Parquet files")
        from pyarrow import parquet

        self._path = path
        self._unfinished = unfinished_path(path)
        self._schema = schema
        self._waiting: list[Any] = []
        self._rows = 0
        with _writing(path):
            self._writer = parquet.ParquetWriter(
                str(self._unfinished), schema, compression=_COMPRESSION
            )

    def write(self, batch: Any) -> None:
        """Write the rows of a record batch, once there are enough for a row group."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= _ROWS_PER_GROUP or sum(b.nbytes for b in self._waiting) >= _GROUP_SIZE:
            self._write_group()

    def _write_group(self) -> None:
        from pyarrow import Table

        if self._rows:
            with _writing(self._path):
                self._writer.write_table(Table.from_batches(self._waiting, self._schema))
        self._waiting, self._rows = [], 0

    def finish(self) -> None:
        """Give the file its name."""
        self._write_group()
        with _writing(self._path):
            self._writer.close()
            sync_file(self._unfinished)
            self._unfinished.replace(self._path)

    def discard(self) -> None:
        """Remove the unfinished file."""
        with suppress(OSError):  # the disk may be full
            self._writer.close()
        self._unfinished.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raise what goes wrong with a file as an error that says what to do."""
    try:
        yield
    except OSError as error:
        raise InvalidSettings(
            f"{path}: the rows cannot be written ({error}). Free some space, or choose another folder,"
            " and continue with --resume"
        ) from error


def unfinished_path(path: Path) -> Path:
    """Where a file is until it is complete; a process that outlives its parent has another place."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class LineFile:
    """A file of lines, which has its name only once it is complete; without lines, there is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = unfinished_path(path)
        self._file: IO[bytes] | None = None

    def write(self, lines: Iterable[str]) -> None:
        """Write some lines."""
        data = "".join([f"{line}\n" for line in lines]).encode()
        if data:
            with _writing(self._path):
                self._file = self._file or self._unfinished.open("wb")
                self._file.write(data)

    def finish(self) -> None:
        """Give the file its name."""
        if self._file is not None:
            with _writing(self._path):
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                self._unfinished.replace(self._path)

    def discard(self) -> None:
        """Remove the unfinished file."""
        if self._file is not None:
            with suppress(OSError):  # the disk may be full
                self._file.close()
            self._unfinished.unlink(missing_ok=True)


def read_rows(path: Path) -> Iterator[Any]:
    """The record batches of a file of rows."""
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(use_threads=False):
            yield batch.replace_schema_metadata(file.schema_arrow.metadata)


def merge_parts(manifest: Manifest, results: Path, schema: Any) -> None:
    """Write the rows of all parts into one file, in the order of the input."""
    merged = RowFile(results, schema)
    try:
        for part in manifest.parts():
            for batch in read_rows(manifest.rows_path(part.name)):
                merged.write(batch)
    except BaseException:
        merged.discard()
        raise
    merged.finish()


def move_parts(manifest: Manifest, results: Path) -> None:
    """Move the files of all parts into a folder, with names in the order of the input.

    A file that was moved before, by a process that did not end this, is left where it is.
    """
    results.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(manifest.parts()):
        source, target = manifest.rows_path(part.name), results / f"part-{number:06}.parquet"
        if source.exists() or not target.exists():
            source.replace(target)
