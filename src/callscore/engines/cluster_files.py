"""Files of Parquet and of JSON lines in any place that pyarrow can read: which there are, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from callscore.engines.splits import Split, plan_splits
from callscore.errors import UnreadableInput
from callscore.sources.remote import is_url, without_credentials

# Spark and other programs name their files of JSON lines `.json`.
_READABLE = re.compile(r"\.(parquet|pq|(jsonl|ndjson|json)(\.(gz|zst|bz2))?)$", re.IGNORECASE)
_COMPRESSED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_BLOCK = 1 << 20
_SMALLEST = 1 << 20  # bytes of a split
_LARGEST = 1 << 26


def list_files(paths: Sequence[str], engine: str) -> dict[str, int]:
    """The files of paths, folders and patterns, sorted, with their sizes.

    Files and folders whose names begin with `.` or `_` are left out of folders and patterns, as Spark
    and Hadoop do.

    Raises:
        UnreadableInput: there are none, or some are neither Parquet nor JSON lines.
    """
    found: dict[str, int] = {}
    for path in paths:
        files = _files_of(path)
        if not files:
            raise UnreadableInput(
                without_credentials(path),
                "no such file, or a folder without files. Check the path.",
            )
        found |= files
    for name in found:
        if not _READABLE.search(name):
            raise UnreadableInput(
                without_credentials(name),
                f"{engine} reads Parquet (.parquet) and JSON lines (.jsonl, .ndjson or .json, also with"
                " .gz or .zst). Pass a pattern that matches only such files, or score this file without"
                " an engine.",
            )
    return dict(sorted(found.items()))


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


def _files_of(path: str) -> dict[str, int]:
    from pyarrow import ArrowException, fs

    try:
        system, inner, prefix = _located(path)
        base, pattern = _split_pattern(inner)
        if pattern is None:
            found = system.get_file_info(inner)
            if found.type == fs.FileType.File:
                return {f"{prefix}{found.path}": found.size}
        listed = system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
    except (ArrowException, OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    return {
        f"{prefix}{each.path}": each.size
        for each in listed
        if each.type == fs.FileType.File
        and not any(part.startswith((".", "_")) for part in each.path[len(base) :].split("/"))
        and (pattern is None or pattern.fullmatch(each.path))
    }


def _located(path: str) -> tuple[Any, str, str]:
    """The file system of a path, the path in it, and what precedes it in the name of a file."""
    from pyarrow import fs

    if not is_url(path):
        return fs.LocalFileSystem(), str(Path(path).absolute()), ""
    scheme, _, rest = path.partition("://")
    if scheme == "s3a":  # as Spark and Hadoop call it
        return _located(f"s3://{rest}")
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


def _unreachable(path: str, error: Exception) -> UnreadableInput:
    reason = str(error).partition("\n")[0].rstrip(".")
    return UnreadableInput(without_credentials(path), f"the files cannot be read ({reason}).")


# --- reading them ---------------------------------------------------------------------------------


def cluster_splits(sizes: Mapping[str, int], *, processors: int) -> Iterator[Split]:
    """The splits of files, each for one task: enough for all processors, and none very large."""
    size = min(max(sum(sizes.values()) // (4 * processors), _SMALLEST), _LARGEST)
    return plan_splits([*sizes], size=size, sizes=sizes)


@contextmanager
def open_cluster_file(path: str) -> Iterator[IO[bytes]]:
    """A file in any place that pyarrow can read; one whose name says that it is compressed, unpacked.

    Raises:
        UnreadableInput: the file is damaged, or cannot be read.
    """
    from pyarrow import ArrowException, CompressedInputStream

    codec = _COMPRESSED.get(f".{path.lower().rpartition('.')[2]}")
    try:
        system, inner, _ = _located(path)
        if codec is None:
            with system.open_input_file(inner) as file:
                yield BufferedReader(file, _BLOCK)
            return
        with (
            system.open_input_stream(inner, compression=None) as packed,
            CompressedInputStream(packed, codec) as stream,
        ):
            yield BufferedReader(stream, _BLOCK)
    except (ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise UnreadableInput(
            without_credentials(path),
            f"the file is damaged, or cannot be read ({reason}). Create the file again.",
        ) from error
