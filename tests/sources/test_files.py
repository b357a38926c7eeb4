"""Bytes from files, compressed or not, and from standard input."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import zstandard

from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources import files
from callscore.sources.files import HEAD_SIZE, as_seekable, display_path, open_bytes
from callscore.sources.reader import read_records
from callscore.sources.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = b'{"id": "a"}\n' * 50_000
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def write(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def refusal(path: str) -> UnreadableInput:
    with pytest.raises(UnreadableInput) as caught, open_bytes(path) as stream:
        stream.read()
    return caught.value


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_the_first_bytes_tell_how_a_file_is_compressed(codec: str, tmp_path: Path) -> None:
    path = write(tmp_path, "cases.jsonl", COMPRESSORS[codec](TEXT))

    with open_bytes(path) as stream:
        lines = list(stream)

    assert b"".join(lines) == TEXT


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_standard_input_is_read_and_left_open(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.BytesIO(COMPRESSORS[codec](TEXT))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    with open_bytes("-") as stream:
        data = stream.read()

    assert data == TEXT
    assert not source.closed


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_several_compressed_files_after_one_another_are_one(codec: str, tmp_path: Path) -> None:
    compress = COMPRESSORS[codec]
    path = write(tmp_path, "cases", compress(b"one\n") + compress(b"") + compress(b"two\n"))

    with open_bytes(path) as stream:
        assert stream.read() == b"one\ntwo\n"


def test_zeros_after_gzip_data_are_padding(tmp_path: Path) -> None:
    path = write(tmp_path, "cases.gz", gzip.compress(TEXT) + b"\0" * 10_000)

    with open_bytes(path) as stream:
        assert stream.read() == TEXT


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.gz", "cases.zst"])
def test_an_empty_file_is_empty_whatever_its_name(name: str, tmp_path: Path) -> None:
    with open_bytes(write(tmp_path, name, b"")) as stream:
        assert stream.read() == b""


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_the_lines_of_data_that_is_cut_off_are_given_before_it_is_refused(
    codec: str, tmp_path: Path
) -> None:
    text = b"".join(b"%d\n" % (number * number) for number in range(200_000))
    path = write(tmp_path, "cases", COMPRESSORS[codec](text)[:-4])
    lines: list[bytes] = []

    def read_all() -> None:
        with open_bytes(path) as stream:
            for line in stream:
                lines.append(line)  # noqa: PERF402  (`extend` would lose them with the error)

    with pytest.raises(UnreadableInput, match="data is truncated"):
        read_all()
    assert b"".join(lines) == text[: len(b"".join(lines))]
    assert len(lines) > 190_000


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_damaged_data_is_refused(codec: str, tmp_path: Path) -> None:
    data = bytearray(COMPRESSORS[codec](Random(1).randbytes(50_000)))
    data[4:2000] = b"\xff" * 1996

    error = refusal(write(tmp_path, "cases", bytes(data)))

    assert f"the {codec} data is invalid or damaged" in error.problem


@pytest.mark.parametrize(("name", "codec"), [("a.jsonl.gz", "gzip"), ("a.jsonl.zst", "zstd")])
def test_a_file_that_is_not_what_its_name_says_is_refused(
    name: str, codec: str, tmp_path: Path
) -> None:
    error = refusal(write(tmp_path, name, TEXT))

    assert f"the {codec} data is invalid" in error.problem


def test_a_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert "standard input is closed" in refusal("-").problem


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "nothing.jsonl")

    assert str(refusal(path)) == f"{path}: file not found. Check the path."


def test_a_directory_is_refused(tmp_path: Path) -> None:
    problem = "this is a directory. Pass the files in it."
    assert refusal(str(tmp_path)).problem == problem


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
@pytest.mark.skipif(sys.platform == "win32", reason="such devices are files of Unix")
def test_a_device_without_an_end_is_refused(path: str) -> None:
    problem = refusal(path).problem

    assert problem == "this is a device. Pass a file, or `-` for standard input."
    with open_bytes(os.devnull) as stream:
        assert stream.read() == b""


def test_a_path_that_cannot_be_one_is_refused() -> None:
    assert "the file cannot be opened" in refusal("a\0b").problem


def test_a_file_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deny(*_: object) -> None:
        raise PermissionError

    path = write(tmp_path, "cases.jsonl", TEXT)
    monkeypatch.setattr("callscore.sources.files.Path.open", deny)  # root may read everything

    assert "permission denied" in refusal(path).problem


def test_a_source_that_breaks_is_refused_and_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, f"device error after {size}")

    source = Broken()
    monkeypatch.setattr("callscore.sources.files.Path.open", lambda *_: source)

    error = refusal(str(tmp_path))

    assert "reading failed" in error.problem
    assert source.closed


def test_closing_the_stream_closes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = io.BytesIO(TEXT)
    monkeypatch.setattr("callscore.sources.files.Path.open", lambda *_: source)

    with open_bytes(str(tmp_path)) as stream:
        assert not source.closed
        stream.read(1)

    assert source.closed


def test_zstd_without_its_extra_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "cases.jsonl.zst", COMPRESSORS["zstd"](TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(MissingExtra, match=r"callscore\[zstd\]"):
        open_bytes(path)


def test_standard_input_has_a_name() -> None:
    assert display_path("-") == "<stdin>"
    assert display_path("a/b.jsonl") == "a/b.jsonl"


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_all_bytes_of_a_file_are_told_once(codec: str, tmp_path: Path) -> None:
    told: list[int] = []
    path = write(tmp_path, "cases", COMPRESSORS[codec](TEXT))

    with open_bytes(path, on_bytes=told.append) as stream:
        assert stream.read() == TEXT

    assert sum(told) == len(COMPRESSORS[codec](TEXT))


def test_what_is_read_again_is_not_told_again(tmp_path: Path) -> None:
    told: list[int] = []

    with open_bytes(write(tmp_path, "cases", TEXT), on_bytes=told.append) as stream:
        stream.seek(-10, io.SEEK_END)
        assert stream.read() == TEXT[-10:]
        stream.seek(0)
        assert stream.read() == TEXT
        assert stream.seekable()

    assert sum(told) == len(TEXT)
    assert stream.closed


@pytest.mark.parametrize("size", [0, 1, HEAD_SIZE - 1, HEAD_SIZE, 1000])
@pytest.mark.parametrize("codec", COMPRESSORS)
def test_the_head_can_be_looked_at_before_anything_is_read(
    codec: str, size: int, tmp_path: Path
) -> None:
    text = TEXT[:size]
    path = write(tmp_path, "cases", COMPRESSORS[codec](text))

    with open_bytes(path) as stream:
        assert stream.peek(HEAD_SIZE)[:HEAD_SIZE] == text[:HEAD_SIZE]
        assert stream.read() == text


def test_the_head_is_whole_however_small_the_frames_are(tmp_path: Path) -> None:
    frames = b"".join(gzip.compress(TEXT[at : at + 1]) for at in range(1000))

    with open_bytes(write(tmp_path, "cases", frames)) as stream:
        assert stream.peek(HEAD_SIZE)[:HEAD_SIZE] == TEXT[:HEAD_SIZE]
        assert stream.read() == TEXT[:1000]


def test_what_comes_before_a_break_in_the_head_is_not_lost(tmp_path: Path) -> None:
    path = write(tmp_path, "cases", gzip.compress(b"one\ntwo\n") + gzip.compress(TEXT)[:15])

    with open_bytes(path) as stream:
        assert next(stream) == b"one\n"
        assert next(stream) == b"two\n"
        with pytest.raises(UnreadableInput, match="is truncated"):
            next(stream)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_any_stream_can_be_made_to_go_back(codec: str, tmp_path: Path) -> None:
    path = write(tmp_path, "cases", COMPRESSORS[codec](TEXT))

    with open_bytes(path) as stream:
        stream.peek(HEAD_SIZE)
        with as_seekable(stream) as file:
            assert file.read(5) == TEXT[:5]
            file.seek(0)
            assert file.read() == TEXT


BOMBS = {
    "a.json": b"[" + b" " * 5000,
    "b.json": b'{"a":\n' + b" \n" * 3000,
    "c.json": b"\n" * 5000,
    "d.json": b"{" + b"\n" * 5000,
    "e.jsonl": b'{"id": 1}\n' + b"x" * 5000,
    "f.yaml": b"a: b\n" * 1000,
    "g.csv": b"id,expected\n" + b"x" * 5000,
    "h.pb": b"\0" * 5000,
    "i.txt": b"x\n" * 3000,
    "j": b"x " * 3000,
    "k.json": b"data: x\n" * 1000,
    "l.parquet": b"PAR1" * 2000,
    "m.eval": b"PK\x03\x04" * 2000,
}


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize("name", BOMBS)
def test_a_document_or_a_line_is_unpacked_up_to_a_limit(
    name: str, codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 4096)
    path = write(tmp_path, name, COMPRESSORS[codec](BOMBS[name]))

    with pytest.raises(UnreadableInput, match=r"is larger than (4K|64), unpacked\.") as caught:
        list(read_records(path))

    assert caught.value.place == path
    assert str(caught.value).endswith("If you trust the file, pass --max-unpacked 32K.")
    if name.endswith((".json", ".yaml", ".jsonl")):
        what = "line" if name.endswith(".jsonl") else "document"
        assert caught.value.problem.startswith(f"the {what} is larger")


def test_yaml_is_unpacked_up_to_a_smaller_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 128 << 10)
    small = write(tmp_path, "small.yaml", gzip.compress(b"- id: a" + b" " * 1000))
    large = write(tmp_path, "large.yaml", gzip.compress(b"- id: a" + b" " * 3000))

    assert len(list(read_records(small))) == 1
    with pytest.raises(UnreadableInput, match=r"larger than 2K, unpacked.* --max-unpacked 1M"):
        list(read_records(large))


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_lines_have_no_limit_together(
    codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 4096)
    path = write(tmp_path, "cases.jsonl", COMPRESSORS[codec](b'{"id": 1}\n' * 5000))

    assert len(list(read_records(path))) == 5000


def test_what_is_not_compressed_has_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 10)
    path = write(tmp_path, "case.json", b'{"id": 1,' + b" " * 5000 + b'"x": 2}')

    assert [record.value for record in read_records(path) if isinstance(record, Record)] == [
        {"id": 1, "x": 2}
    ]


def test_few_bytes_are_unpacked_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", COMPRESSORS["zstd"](b" " * (1 << 27)))
    most = 0
    with Path(path).open("rb") as file:
        chunks = iter(lambda: file.read(files.zstd_codec().chunk_size), b"")
        for chunk in files.decompress(chunks, files.zstd_codec(), path):
            most = max(most, len(chunk))

    assert most <= 1 << 25


@pytest.mark.parametrize(
    ("size", "text"), [(1 << 26, "64M"), (1 << 30, "1G"), (3 << 10, "3K"), (1001, "1001")]
)
def test_sizes_are_written_as_the_option_takes_them(size: int, text: str) -> None:
    assert files._size_text(size) == text
