from __future__ import annotations

import gzip
import itertools
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from callscore.engines.batches import LINE_COLUMN, OFFSET_COLUMN, SOURCE_COLUMN
from callscore.engines.file_ranges import (
    FileRange,
    has_files,
    kind_of,
    list_files,
    plan_ranges,
    read_range,
)
from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.parquet", "parquet"),
        ("s3://lake/part-0.snappy.parquet", "parquet"),
        ("A.JSONL", "lines"),
        ("a.json", "lines"),
        ("a.ndjson.gz", "lines"),
        ("a.jsonl.zst", "lines"),
        ("a.parquet.gz", None),
        ("a.csv", None),
        ("a.gz", None),
        ("jsonl", None),
        ("lake.jsonl/readme", None),
    ],
)
def test_the_kind_of_a_file_is_that_of_its_name(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


def test_folders_patterns_and_files_are_listed_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.parquet", "deep/down/c.json", "_temporary/d.jsonl", ".e.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    found = list_files([f"{tmp_path}/*.jsonl", str(tmp_path), str(tmp_path / "b.jsonl")], "Ray")

    names = ["a.parquet", "b.jsonl", "deep/down/c.json"]
    assert [path for path, _, _ in found] == [str(tmp_path / name) for name in names]
    assert [size for _, _, size in found] == [len(name) for name in names]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.jsonl", ["a.jsonl", "b.jsonl"]),
        ("[!a].jsonl", ["b.jsonl"]),
        ("?.jsonl", ["a.jsonl", "b.jsonl"]),
        ("*/*.jsonl", ["x/c.jsonl"]),
        ("**/*.jsonl", ["a.jsonl", "b.jsonl", "x/c.jsonl", "x/y/d.jsonl"]),
        ("x/**", ["x/c.jsonl", "x/y/d.jsonl"]),
    ],
)
def test_patterns_match_parts_of_paths(tmp_path: Path, pattern: str, names: list[str]) -> None:
    for name in ("a.jsonl", "b.jsonl", "x/c.jsonl", "x/y/d.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    found = list_files([f"{tmp_path}/{pattern}"], "Ray")

    assert [path for path, _, _ in found] == [str(tmp_path / name) for name in names]


def test_a_path_without_files_and_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").touch()

    with pytest.raises(UnreadableInput, match="no such file"):
        list_files([str(tmp_path / "*.jsonl")], "Ray")
    with pytest.raises(UnreadableInput, match=r"cases\.csv: Ray reads Parquet"):
        list_files([str(tmp_path)], "Ray")
    with pytest.raises(UnreadableInput, match="cannot be read"):
        list_files(["nowhere://lake/a.jsonl"], "Ray")


def test_a_folder_has_files_once_there_is_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert has_files(str(tmp_path))
    assert has_files(str(tmp_path / "file"))
    assert not has_files(str(tmp_path / "new"))
    with pytest.raises(UnreadableInput, match="cannot be read"):
        has_files("nowhere://lake")


def test_large_files_are_divided_and_small_ones_are_put_together() -> None:
    size = 1 << 20
    files = [("a.jsonl", "lines", 3 * size), *[(f"{n}.jsonl", "lines", 1000) for n in range(50)]]

    groups = plan_ranges([*files, ("z.jsonl.gz", "lines", 5 * size)], processors=1)  # type: ignore[list-item]  # literals

    parts = [(part.path, part.start, part.end) for group in groups for part in group]
    of_first = [(start, end) for path, start, end in parts if path == "a.jsonl"]
    assert of_first[0][0] == 0
    assert of_first[-1][1] == 3 * size
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(of_first))
    assert len(of_first) == 2
    assert len(groups) < len(files)
    assert parts[-1] == ("z.jsonl.gz", 0, 5 * size)


def test_there_is_nothing_to_read_without_files() -> None:
    assert plan_ranges([], processors=4) == []


@given(
    lines=st.lists(st.sampled_from([b"", b" ", b'{"id": 1}', b'{"text": "\xc3\xa9"}', b"x" * 40])),
    cuts=st.lists(st.integers(0, 200)),
    ends_with_newline=st.booleans(),
)
def test_each_line_belongs_to_exactly_one_range(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    cuts: list[int],
    ends_with_newline: bool,
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    data = b"\n".join(lines) + b"\n" * ends_with_newline
    path.write_bytes(data)
    borders = sorted({0, len(data), *[cut for cut in cuts if cut < len(data)]})
    ranges = [
        FileRange(str(path), "lines", start, end, is_whole=False)
        for start, end in itertools.pairwise(borders)
    ]

    batches = [batch for part in ranges for batch in read_range(part)]

    read = [line.encode() for batch in batches for line in batch[LINE_COLUMN].to_pylist()]
    offsets = [offset for batch in batches for offset in batch[OFFSET_COLUMN].to_pylist()]
    assert read == [line for line in data.split(b"\n") if line.strip()]
    assert all(data[offset:].startswith(line) for offset, line in zip(offsets, read, strict=True))


def test_long_lines_reach_over_blocks_and_ranges(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [b"a" * 3_000_000, b"b", b"c" * 2_000_000]
    path.write_bytes(b"\n".join(lines))
    size = path.stat().st_size
    ranges = [
        FileRange(str(path), "lines", start, min(start + 700_000, size), is_whole=False)
        for start in range(0, size, 700_000)
    ]

    read = [
        line
        for part in ranges
        for batch in read_range(part)
        for line in batch[LINE_COLUMN].to_pylist()
    ]

    assert [line.encode() for line in read] == lines


def test_compressed_lines_have_offsets_in_what_they_contain(tmp_path: Path) -> None:
    data = b'{"id": 1}\n\n{"id": 2}\n'
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "b.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(data))

    for path, kind, size in list_files([str(tmp_path)], "Ray"):
        (batch,) = read_range(FileRange(path, kind, 0, size, is_whole=True))

        assert batch[OFFSET_COLUMN].to_pylist() == [0, 11]
        assert set(batch[SOURCE_COLUMN].to_pylist()) == {path}


def test_each_row_of_a_parquet_file_belongs_to_exactly_one_range(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    names = [f"case-{number}" for number in range(1000)]
    parquet.write_table(pa.table({"id": names}), path, row_group_size=100)
    size = path.stat().st_size
    step = size // 7

    batches = [
        batch
        for start in range(0, size, step)
        for batch in read_range(
            FileRange(str(path), "parquet", start, min(start + step, size), is_whole=False)
        )
    ]

    assert [name for batch in batches for name in batch["id"].to_pylist()] == names
    assert [row for batch in batches for row in batch[OFFSET_COLUMN].to_pylist()] == list(
        range(1000)
    )


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and then nothing")

    with pytest.raises(UnreadableInput, match=r"a\.parquet: the file is damaged"):
        list(read_range(FileRange(str(path), "parquet", 0, 21, is_whole=True)))
