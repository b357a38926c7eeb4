"""The files of a large local run: a part for each split, and the result.

A part has its name once it is complete, and says what it was made of. A run that was killed can therefore be continued:
what is there is not done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec import Struct

from callscore.engines.result_rows import require_pyarrow
from callscore.errors import InvalidSettings

_KEY = b"callscore.part"  # in the metadata of a Parquet file
_COMPRESSION = "zstd"
# Of the rows in a row group, all but the last: what describes a group is in memory until the end.
_ROWS_PER_GROUP = 1 << 16
_GROUP_SIZE = 1 << 25  # bytes


class Fingerprint(Struct, frozen=True, kw_only=True):
    """What a part was made of, in its metadata: a part of the same input and options is not made again.

    Attributes:
        input: a digest of the names, sizes and times of all files.
        options: a digest of all that changes the rows: the settings, other options, the version of callscore.
        lost: the places of what could not be scored.
    """

    input: str
    options: str
    lost: tuple[str, ...] = ()


def parts_folder(results: str) -> Path:
    """The folder of the parts of a result, while the run goes on."""
    return Path(f"{results.rstrip(os.sep)}.parts")


class PartFiles(Struct, frozen=True):
    """The files of the parts of a result: what has its name is complete.

    Attributes:
        folder: where they are.
        fingerprint: that of all parts.
        done: the names of the parts of an earlier run that this one continues.
    """

    folder: Path
    fingerprint: Fingerprint
    done: frozenset[str] = frozenset()

    def path(self, name: str) -> Path:
        """The file of a part."""
        return self.folder / f"part-{name}.parquet"

    def remove(self) -> None:
        """Remove the parts."""
        shutil.rmtree(self.folder, ignore_errors=True)


def begin_parts(folder: Path, fingerprint: Fingerprint, *, resume: bool) -> PartFiles:
    """Create the folder of the parts, or find those that are done.

    Raises:
        InvalidSettings: there is an unfinished run, and it is not to be continued; or it is of other
            input or options.
    """
    existing = sorted(folder.glob("part-*.parquet"))
    if existing and not resume:
        raise InvalidSettings(
            f"{folder}: there is an unfinished run. Continue it with --resume, or delete the folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob(".*.tmp"):
            unfinished.unlink(missing_ok=True)  # of processes that were killed
    except OSError as error:
        raise InvalidSettings(f"{folder}: the folder cannot be written ({error})") from error
    done = []
    for path in existing:
        found = fingerprint_of(path)
        if found is not None:  # a damaged part is made again
            _require_same(found, fingerprint, folder)
            done.append(path.stem.removeprefix("part-"))
    return PartFiles(folder, fingerprint, frozenset(done))


def with_fingerprint(schema: Any, fingerprint: Fingerprint) -> Any:
    """The schema of a file of rows that says what it was made of."""
    metadata = schema.metadata or {}
    return schema.with_metadata({**metadata, _KEY: msgspec.json.encode(fingerprint)})


def fingerprint_of(path: Path) -> Fingerprint | None:
    """What a part was made of; None if its file is damaged."""
    from pyarrow import ArrowException, parquet

    try:
        metadata = parquet.read_schema(path).metadata or {}
        return msgspec.json.decode(metadata.get(_KEY, b""), type=Fingerprint)
    except (OSError, ArrowException, msgspec.MsgspecError):
        return None


def _require_same(found: Fingerprint, given: Fingerprint, folder: Path) -> None:
    changed = ""
    if found.options != given.options:
        changed = "other options, or of another version of callscore"
    elif found.input != given.input:
        changed = "other files, or a file has changed"
    if changed:
        raise InvalidSettings(
            f"{folder}: the unfinished run is of {changed}. Pass what it was started with, or delete"
            " the folder"
        )


class RowFile:
    """A Parquet file of rows, which has its name only once it is complete.

    Raises:
        InvalidSettings: while it is written: the disk is full, or the folder cannot be written.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        require_pyarrow("Writing Parquet files")
        from pyarrow import parquet

        self._path = path
        # A process that outlives its parent has another place.
        self._unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._schema = schema
        self._waiting: list[Any] = []
        self._rows = 0
        with _writing(path):
            self._writer = parquet.ParquetWriter(
                str(self._unfinished), schema, compression=_COMPRESSION
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, at: object) -> None:
        if error is None:
            self._finish()
            return
        with suppress(OSError):  # the disk may be full
            self._writer.close()
        self._unfinished.unlink(missing_ok=True)

    def written(self, batch: Any) -> Any:
        """Write the rows of a record batch, once there are enough for a row group; returns the batch."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= _ROWS_PER_GROUP or sum(b.nbytes for b in self._waiting) >= _GROUP_SIZE:
            self._write_group()
        return batch

    def _write_group(self) -> None:
        from pyarrow import Table

        if self._rows:
            with _writing(self._path):
                self._writer.write_table(Table.from_batches(self._waiting, self._schema))
        self._waiting, self._rows = [], 0

    def _finish(self) -> None:
        self._write_group()
        with _writing(self._path):
            self._writer.close()
            descriptor = os.open(self._unfinished, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            self._unfinished.replace(self._path)


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


def read_rows(path: Path) -> Iterator[Any]:
    """The record batches of a file of rows."""
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(use_threads=False):
            yield batch.replace_schema_metadata(file.schema_arrow.metadata)


def kept_cases(parts: Iterable[Path]) -> Iterator[str]:
    """The cases in parts that were kept, as text."""
    for path in parts:
        for batch in read_rows(path):
            if "case" in batch.schema.names:
                yield from batch["case"].drop_null().to_pylist()


def write_results(parts: Sequence[Path], results: str, schema: Any) -> None:
    """Write the columns of the rows of all parts, in this order: into one file, or files in a folder that ends with `/`."""
    targets = {Path(results): parts}
    if results.endswith("/"):
        Path(results).mkdir(parents=True, exist_ok=True)
        targets = {Path(results, f"part-{n:06}.parquet"): [part] for n, part in enumerate(parts)}
    for target, paths in targets.items():
        with RowFile(target, schema) as file:
            for path in paths:
                for batch in read_rows(path):
                    file.written(batch.select(schema.names))
