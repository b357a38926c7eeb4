"""The splits of files together have every line once."""

from __future__ import annotations

import gzip
import os
import sys
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from callscore.engines import splits
from callscore.engines.splits import (
    FileSplit,
    is_stream,
    plan_splits,
    read_file_lines,
    read_split,
    size_of,
    split_place,
)
from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from callscore.sources import Lines

LINE = b'{"id": "a", "expected": [], "actual": []}\n'
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "cases.jsonl": bytes,
    "cases.jsonl.gz": gzip.compress,
    "cases.jsonl.zst": zstandard.compress,
    "members.jsonl.gz": lambda data: b"".join(
        [gzip.compress(data[start : start + 1000]) for start in range(0, len(data), 1000)]
    ),
}


def planned(*paths: Path | str, size: int = 100, **options: Any) -> list[FileSplit]:
    return [*plan_splits([str(path) for path in paths], size=size, **options)]


def text_of(split: FileSplit) -> bytes:
    blocks = [*read_split(split)]
    offset = split.start
    for block in blocks:  # each says where it begins
        assert block.offset == offset
        offset += len(block.data)
    return b"".join([block.data for block in blocks])


def random_lines(count: int) -> bytes:
    """Lines that do not become much smaller when they are compressed."""
    return b"".join([b'{"id": "%s"}\n' % os.urandom(20).hex().encode() for _ in range(count)])


_LINES = st.lists(
    st.one_of(
        st.just(LINE),
        st.just(LINE[:-1] + b"\r\n"),
        st.sampled_from([b"\n", b"\r\n", b"  \n"]),
        st.integers(0, 300).map(lambda size: b'{"id": "%s"}\n' % (b"x" * size)),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("name", COMPRESS)
@given(
    lines=_LINES,
    has_bom=st.booleans(),
    ends=st.booleans(),
    size=st.integers(1, 700),
    block=st.integers(1, 600),
)
def test_the_splits_of_a_file_have_all_its_bytes_and_end_with_lines(  # noqa: PLR0913  (what is drawn)
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    *,
    lines: list[bytes],
    has_bom: bool,
    ends: bool,
    size: int,
    block: int,
) -> None:
    data = b"\xef\xbb\xbf" * has_bom + LINE + LINE + b"".join(lines)
    data = data if ends else data.removesuffix(b"\n")
    path = tmp_path_factory.mktemp("splits") / name
    path.write_bytes(COMPRESS[name](data))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "_BLOCK_SIZE", block)
        found = planned(path, size=size)
        whole = [split for split in found if split.end is None]
        texts = [text_of(split) for split in found if split.end is not None]
        read = [*read_file_lines(str(path))]

    assert b"".join(texts) == (b"" if whole else data)
    assert all(text.endswith(b"\n") for text in texts[:-1])
    assert [split.start for split in found] == sorted({split.start for split in found})
    assert b"".join([each.data for each in read]) == data
    assert all(data.startswith(each.data, each.offset) for each in read)


@pytest.mark.parametrize("name", COMPRESS)
def test_the_splits_of_a_file_do_not_depend_on_how_it_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(COMPRESS[name](random_lines(200)))

    large = planned(path, size=500)
    monkeypatch.setattr(splits, "_BLOCK_SIZE", 7)

    assert planned(path, size=500) == large
    assert len(large) > 10


def test_a_line_that_ends_at_a_border_belongs_to_the_split_before_it(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINE * 6)

    found = planned(path, size=len(LINE) * 2)

    assert [(split.start, split.end) for split in found] == [
        (len(LINE) * number, len(LINE) * (number + 2)) for number in (0, 2, 4)
    ]


def test_a_very_large_file_has_larger_splits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINE * 100)
    monkeypatch.setattr(splits, "_MOST_SPLITS", 4)

    assert len(planned(path, size=50)) == 4


def test_small_files_are_one_split_and_a_large_one_among_them_is_its_own(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(6)]
    for number, path in enumerate(paths):
        path.write_bytes(LINE * (20 if number == 3 else 1))

    found = planned(*paths, size=len(LINE) * 3)

    assert [len(split.files) for split in found if split.end is None] == [3, 2]
    assert {split.files for split in found if split.end is not None} == {(str(paths[3]),)}
    assert [split.key for split in found] == sorted(split.key for split in found)
    assert sum(split.size for split in found) == len(LINE) * 25


def test_a_group_of_files_ends_once_it_is_large_enough(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(5)]
    for path in paths:
        path.write_bytes(LINE)

    found = planned(*paths, size=len(LINE) * 2)

    assert [(split.index, len(split.files)) for split in found] == [(0, 2), (2, 2), (4, 1)]
    assert len({split.name for split in found}) == 3


def test_a_split_of_one_file_has_another_name_than_a_group_that_begins_with_it() -> None:
    group = FileSplit(index=3, files=("a", "b"))

    assert group.name != FileSplit(index=3, files=("a",)).name


def test_lines_that_depend_on_each_other_are_not_split(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINE * 100)
    heads: list[Lines] = []

    def refuse(head: Lines) -> bool:
        heads.append(head)
        return False

    (split,) = planned(path, may_split=refuse)

    assert (split.end, split.size) == (None, len(LINE) * 100)
    assert heads[0].data.startswith(LINE)


def test_a_file_without_lines_is_one_split(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(b"[" + b",\n".join([LINE.strip()] * 50) + b"]")

    (split,) = planned(path)

    assert split.end is None


def test_a_parquet_file_is_split_at_its_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    table = pa.table({"id": [f"case {number}" for number in range(100)]})
    parquet.write_table(table, path, row_group_size=10)

    found = planned(path, size=300)

    assert [split.start for split in found][1:] == [split.end for split in found][:-1]
    assert (found[0].start, found[-1].end) == (0, 100)
    groups = [split.groups or (0, 0) for split in found]
    assert [group for start, end in groups for group in range(start, end)] == [*range(10)]
    assert len(found) > 2
    assert split_place(found[0]) == f"{path}: rows 0 to {found[0].end}"


@pytest.mark.parametrize(
    ("name", "problem"),
    [("missing.jsonl", "file not found"), ("folder", "this is a directory")],
)
def test_a_file_that_cannot_be_read_does_not_end_the_plan(
    name: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINE * 20)

    found = planned(path, tmp_path / name, path)

    assert {split.index for split in found} == {0, 1, 2}
    (other,) = [split for split in found if split.index == 1]
    # What is small is read, and refused, with other small files.
    assert problem in other.problem if other.problem else name == "missing.jsonl"


@pytest.mark.parametrize("name", ["cases.jsonl.gz", "cases.jsonl.zst"])
def test_the_lines_before_the_end_of_truncated_data_are_not_lost(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    lines = random_lines(500)
    path.write_bytes(COMPRESS[name](lines)[:-100])

    *parts, last = planned(path, size=1000)

    text = b"".join([text_of(split) for split in parts])
    assert lines.startswith(text)
    assert text.endswith(b"\n") or not text
    assert "truncated" in last.problem
    assert last.start == len(text)


def test_truncated_lines_are_read_as_far_as_possible(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(gzip.compress(LINE * 50)[:-9])
    read = []

    with pytest.raises(UnreadableInput, match="truncated"):
        read += [block.data for block in read_file_lines(str(path))]


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = BufferedReader(BytesIO(LINE * 30))

    monkeypatch.setattr(sys, "stdin", Input)
    monkeypatch.setattr("callscore.sources.text_document._BLOCK_SIZE", 100)

    found = planned("-", size=200)

    assert b"".join([text_of(split) for split in found]) == LINE * 30
    assert len(found) > 3
    assert split_place(found[0]) == f"<stdin>: bytes 0 to {found[0].end}"


def test_many_blank_lines_on_standard_input_do_not_change_where_lines_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = LINE * 2 + b"\n" * 500 + LINE

    class Input:
        buffer = BufferedReader(BytesIO(data))

    monkeypatch.setattr(sys, "stdin", Input)
    monkeypatch.setattr("callscore.sources.text_document._BLOCK_SIZE", 50)

    found = planned("-", size=10_000)

    assert all(data.startswith(text_of(split), split.start) for split in found)
    assert text_of(found[-1]).endswith(LINE)


def test_what_is_not_lines_cannot_be_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Input:
        buffer = BufferedReader(BytesIO(b"[\n1,\n2]"))

    monkeypatch.setattr(sys, "stdin", Input)

    (split,) = planned("-")

    assert split.problem == "this is not JSON lines. Save it as a file, and pass its path."


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, LINE * 50)
    os.close(writing)
    path = f"/dev/fd/{reading}"
    try:
        is_pipe, found = is_stream(path), planned(path)
    finally:
        os.close(reading)

    assert is_pipe
    assert b"".join([text_of(split) for split in found]) == LINE * 50
    assert not is_stream(str(tmp_path))
    assert not is_stream(__file__)


def test_the_size_of_what_is_missing_is_0(tmp_path: Path) -> None:
    assert size_of(str(tmp_path / "missing")) == 0
    assert size_of("-") is None


def test_a_split_that_became_shorter_has_the_lines_that_are_left(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINE * 3)
    split = FileSplit(index=0, files=(str(path),), start=0, end=len(LINE) * 9)

    assert text_of(split) == LINE * 3


def test_places_of_splits_name_the_file_and_the_bytes() -> None:
    assert split_place(FileSplit(index=0, files=("a",), start=3, end=9)) == "a: bytes 3 to 9"
    assert split_place(FileSplit(index=0, files=("a",))) == "a"
    assert split_place(FileSplit(index=0, files=("a", "b", "c"))) == "a and 2 more files"
