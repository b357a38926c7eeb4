"""What is scored in files of every kind, alone and joined: see files.jsonl.

A file is written as its text, as a list of JSON lines, or as what is packed in it: `{"gzip": TEXT}`. The
scores of a row are the F1 of every case with an answer; notes are what results say beside them.
"""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import zstandard
from pyarrow import parquet
from tests.tables.rows import check_rows, of_table, same
from tests.tables.test_runs import shortened

from callscore import CallscoreError, ReadOptions, Results, Settings, score_files, score_joined

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTES = ("not_scored", "not_run", "without_reference", "skipped", "repeated", "unread")


def _tar(files: dict[str, Any]) -> bytes:
    found = io.BytesIO()
    with tarfile.open(fileobj=found, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            data = content_of(content)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return found.getvalue()


def _zip(files: dict[str, Any]) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content_of(content))
    return found.getvalue()


def _parquet(records: list[dict[str, Any]]) -> bytes:
    found = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(records), found, row_group_size=2)
    return found.getvalue()


_PACK: dict[str, Callable[[Any], bytes]] = {
    "gzip": lambda content: gzip.compress(content_of(content)),
    "zstd": lambda content: zstandard.compress(content_of(content)),
    "tar": _tar,
    "zip": _zip,
    "parquet": _parquet,
    "base64": base64.b64decode,
    "utf-16": lambda text: str(text).encode("utf-16"),
    "latin-1": lambda text: str(text).encode("latin-1"),
    "cut": lambda parts: content_of(parts[0])[: parts[1]],
    "joined": lambda parts: b"".join(map(content_of, parts)),
    "times": lambda parts: content_of(parts[0]) * parts[1],
}


def content_of(written: Any) -> bytes:
    """The bytes of a file, as a row writes it."""
    if isinstance(written, str):
        return written.encode("utf-8", "surrogateescape")
    if isinstance(written, list):
        return b"".join(msgspec.json.encode(each) + b"\n" for each in written)
    ((kind, content),) = written.items()
    return _PACK[kind](content)


def outcome(results: Results, folder: str) -> dict[str, Any]:
    """What results come to; what is nothing is left out."""
    data = results.to_dict()
    scores: dict[str, float] = {}
    # A note says which cases have no answer.
    for case in filter(lambda case: "status" not in case, data["cases"]):
        name = case["id"] if case["trial"] is None else f"{case['id']} #{case['trial']}"
        while name in scores:
            name += "'"
        scores[name] = round(case["score"], 4)
    found: dict[str, Any] = {"scores": scores}
    for note in NOTES:
        if data[note]["count"]:
            names = [name.replace(folder, "") for name in data[note]["names"]]
            found[note] = names if len(names) == data[note]["count"] else data[note]["count"]
    formats = [" and ".join(read["formats"]) for read in data["inputs"]]
    if formats != ["cases"]:
        found["formats"] = formats
    if data["checks"]:
        found["checks"] = shortened(data["checks"])
    for metric in data["metrics"]:
        found[metric["name"]] = metric["mean"]
    return found


def scored(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What scoring the files of a row comes to."""
    for name, content in row["files"].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content_of(content))
    options = {"show": "all", "max_shown": None, **row.get("options", {})}
    options["settings"] = Settings(**row.get("settings", {}))
    if "read" in row:
        options["read_options"] = ReadOptions(**row["read"])
    sides = [row["expected"], row["actual"]] if "expected" in row else [row.get("score")]
    names = [[*row["files"]] if side is None else side for side in sides]
    paths = [[f"{folder}/{name}" for name in side] for side in names]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            function: Any = score_joined if len(paths) > 1 else score_files
            found = outcome(function(*paths, **options), f"{folder}/")
        except CallscoreError as error:
            found = {"error": str(error).replace(f"{folder}/", "")}
            before: Results | None = getattr(error, "results", None)
            if before and before.summary.cases:
                found["scored_before"] = before.summary.cases
    if warned:
        found["warning"] = str(warned[0].message).replace(f"{folder}/", "")
    return found


@of_table("files")
def test_files_are_scored_as_the_table_says(table: str, tmp_path: Path) -> None:
    count = 0

    def check(row: dict[str, Any]) -> str:
        nonlocal count
        count += 1
        found = scored(row, tmp_path / f"row{count}")
        return "" if same(found, row["want"]) else f"expected {row['want']}, got {found}"

    check_rows(table, check)
