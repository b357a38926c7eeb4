"""The names of files: what kind of data they have, which are not data, and which case they are of."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal

FileKind = Literal["jsonl", "json", "yaml", "table", "text", "parquet", "eval", "otlp"]

STANDARD_INPUT = "-"
_KINDS: dict[str, FileKind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".csv": "table",
    ".tsv": "table",
    ".txt": "text",
    ".md": "text",
    ".parquet": "parquet",
    ".eval": "eval",
    ".pb": "otlp",
    ".binpb": "otlp",
    ".otlp": "otlp",
}
_COMPRESSED = (".gz", ".zst")
# Other names of data, whose kind is seen from their content.
_DATA = (".log", ".har", ".httprr", ".trace", ".traj", ".out", ".sse")
_NOT_DATA = re.compile(r"(readme|license|changelog|notice|manifest)\b", re.IGNORECASE)
_POSITION = re.compile(r"(?::\d{1,12}|\[\d{1,12}\]){1,4}$")


def kind_by_name(path: str) -> FileKind | None:
    """The kind of a file by its name, ignoring the suffix of the compression."""
    return _KINDS.get(_without_compression(path.lower()).suffix)


def is_data_file(path: str) -> bool:
    """Whether a file of a folder, or of an archive, can have traces or cases, by its name.

    Hidden files are none, and neither is what describes the others.
    """
    name = PurePosixPath(path.replace("\\", "/"))
    parts = [part for part in name.parts if part != ".."]  # in an archive a name is only a name
    if any(part.startswith((".", "__MACOSX")) for part in parts) or path.endswith("/"):
        return False
    suffix = _without_compression(name.name.lower()).suffix
    is_known = (suffix in _KINDS and suffix != ".md") or suffix in _DATA
    return is_known and not _NOT_DATA.match(name.name)


def file_id(place: str) -> str:
    """The name of the case that a file is named after: that of the file without its suffixes.

    A place in a file is that of the file, and a place in an archive that of the file in it.
    """
    path = _POSITION.sub("", place).rpartition("!")[2].replace("\\", "/")
    name = _without_compression(path)
    while name.suffix.lower() in _KINDS or name.suffix.lower() in _DATA:  # `run.traj.json` has two
        name = name.with_suffix("")
    return name.name or place


def _without_compression(path: str) -> PurePosixPath:
    name = PurePosixPath(path)
    return name.with_suffix("") if name.suffix.lower() in _COMPRESSED and name.stem else name
