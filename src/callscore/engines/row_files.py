"""The files of a large local run: a part for each split, and the result.

A part has its name once it is complete, and says what it was made of. A run that was killed can therefore be continued:
what is there is not done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

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
        if found is None:  # a damaged part is made again
            continue
        if found.options != fingerprint.options or found.input != fingerprint.input:
            changed = "other files, or a file has changed"
            if found.options != fingerprint.options:
                changed = "other options, or of another version of callscore"
            raise InvalidSettings(
                f"{folder}: the unfinished run is of {changed}. Pass what it was started with, or"
                " delete the folder"
            )
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


def written_rows(path: Path, schema: Any, batches: Iterable[Any]) -> Iterator[Any]:
    """Write rows to a Parquet file, which has its name only once it is complete; yields what is written.

    Raises:
        InvalidSettings: the disk is full, or the folder cannot be written.
    """
    from pyarrow import Table, parquet

    # A process that outlives its parent has another place.
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    waiting: list[Any] = []
    try:
        with parquet.ParquetWriter(str(unfinished), schema, compression=_COMPRESSION) as file:
            for batch in batches:
                waiting.append(batch)
                rows, size = (sum(each) for each in zip(*map(_sizes, waiting), strict=True))
                if rows >= _ROWS_PER_GROUP or size >= _GROUP_SIZE:
                    file.write_table(Table.from_batches(waiting, schema))
                    waiting.clear()
                yield batch
            if waiting:
                file.write_table(Table.from_batches(waiting, schema))
        with unfinished.open("rb") as complete:
            os.fsync(complete.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise InvalidSettings(
            f"{path}: the rows cannot be written ({error}). Free some space, or choose another folder,"
            " and continue with --resume"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _sizes(batch: Any) -> tuple[int, int]:
    return batch.num_rows, batch.nbytes


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
        rows = (batch.select(schema.names) for path in paths for batch in read_rows(path))
        for _ in written_rows(target, schema, rows):
            pass
