"""Bytes from files, compressed or not, and from standard input."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import zstandard

from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources import files
from callscore.sources.files import open_bytes
from callscore.sources.reader import read_records

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
def test_standard_input_is_read_and_left_open(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.BytesIO(COMPRESSORS[codec](TEXT))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    with open_bytes("-") as stream:
        data = stream.read()

    assert data == TEXT
    assert not source.closed


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
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


def test_zstd_without_its_extra_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "cases.jsonl.zst", COMPRESSORS["zstd"](TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(MissingExtra, match=r"callscore\[zstd\]"):
        open_bytes(path)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_all_bytes_of_a_file_are_told_once(codec: str, tmp_path: Path) -> None:
    told: list[int] = []
    path = write(tmp_path, "cases", COMPRESSORS[codec](TEXT))

    with open_bytes(path, on_bytes=told.append) as stream:
        assert stream.read() == TEXT

    assert sum(told) == len(COMPRESSORS[codec](TEXT))


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


@pytest.mark.parametrize("codec", ["zstd"])
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


def test_few_bytes_are_unpacked_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", COMPRESSORS["zstd"](b" " * (1 << 27)))
    most = 0
    with Path(path).open("rb") as file:
        chunks = iter(lambda: file.read(files.zstd_codec().chunk_size), b"")
        for chunk in files.decompress(chunks, files.zstd_codec(), path):
            most = max(most, len(chunk))

    assert most <= 1 << 25
