"""The logs of Inspect."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import msgspec
import pytest
import zstandard

from callscore.errors import UnreadableInput
from callscore.sources import files
from callscore.sources.eval_archive import read_zip
from callscore.sources.record import BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG = Path(__file__).parents[1] / "samples/files/tool_calls.eval"
HEADER = {"version": 2, "status": "success", "eval": {"task": "weather"}, "plan": {}}
SAMPLE = {"id": "a", "epoch": 1, "messages": []}
ZSTD = 93
_CENTRAL = b"PK\x01\x02"


def archive_of(entries: Mapping[str, object], method: int = ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, value in entries.items():
            data = value if isinstance(value, bytes) else msgspec.json.encode(value)
            archive.writestr(name, data)
    return file.getvalue()


def zstd_archive_of(name: str, packed: bytes, data: bytes, flags: int = 0) -> bytes:
    """An archive whose one entry is packed by a method that the standard library does not write."""
    plain = bytearray(archive_of({name: packed}, ZIP_STORED))
    checksum = struct.unpack("<I", archive_of({name: data}, ZIP_STORED)[14:18])[0]
    at = plain.rindex(_CENTRAL)
    for start, offset in ((0, 6), (at, 8)):
        struct.pack_into("<HH", plain, start + offset, flags, ZSTD)
        struct.pack_into("<I", plain, start + offset + 8, checksum)
        struct.pack_into("<I", plain, start + offset + 16, len(data))
    return bytes(plain)


def samples_in(file: IO[bytes]) -> list[Record | BadRecord]:
    found = list(read_zip(file, "f.eval"))
    return [record for record in found if isinstance(record, Record | BadRecord)]


def read(data: bytes) -> list[Record | BadRecord]:
    return samples_in(BytesIO(data))


def refusal(data: bytes) -> UnreadableInput:
    with pytest.raises(UnreadableInput) as caught:
        read(data)
    return caught.value


def test_a_log_as_inspect_writes_it_is_read_sample_by_sample() -> None:
    with LOG.open("rb") as file:
        records = samples_in(file)

    assert [record.place for record in records] == [
        "f.eval!samples/paris_epoch_1.json",
        "f.eval!samples/athens_epoch_1.json",
        "f.eval!samples/paris_epoch_2.json",
        "f.eval!samples/athens_epoch_2.json",
    ]
    (_, athens, *_) = records
    assert isinstance(athens, Record)
    assert list(athens.value) == ["version", "eval", "samples"]
    assert athens.value["version"] == 2
    assert athens.value["eval"]["task"] == "weather"
    (sample,) = athens.value["samples"]
    assert (sample["id"], sample["epoch"]) == ("athens", 1)
    calls = [call for message in sample["messages"] for call in message.get("tool_calls", [])]
    assert [call["arguments"] for call in calls] == [
        {"city": "Atlantis"},
        {"city": "Athens", "unit": "kelvin"},
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_a_sample_that_was_written_again_the_last_counts() -> None:
    file = BytesIO(archive_of({"header.json": HEADER, "samples/a.json": SAMPLE}))
    with ZipFile(file, "a") as archive:
        archive.writestr("samples/a.json", msgspec.json.encode({"id": "again"}))

    (record,) = read(file.getvalue())

    assert isinstance(record, Record)
    assert record.value["samples"] == [{"id": "again"}]


def test_a_broken_sample_does_not_cost_the_others() -> None:
    entries = {"header.json": HEADER, "samples/a.json": b'{"x":\n1', "samples/b.json": SAMPLE}

    broken, sound = read(archive_of(entries))

    problem = "the entry ends inside an object. The file may be truncated."
    assert broken == BadRecord("f.eval!samples/a.json:2:2", problem)
    assert isinstance(sound, Record)


@pytest.mark.parametrize("entries", [{}, {"cases.json": []}])
def test_any_other_archive_is_refused(entries: dict[str, object]) -> None:
    assert "not an Inspect log" in refusal(archive_of(entries)).problem


def test_an_archive_that_is_cut_off_is_refused() -> None:
    error = refusal(LOG.read_bytes()[:-10])

    assert "the zip archive is damaged" in error.problem


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
def test_an_entry_that_unpacks_to_too_much_is_refused_whatever_it_says(
    method: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 3 << 20)
    entries = {"header.json": HEADER, "samples/a.json": b" " * (3 << 20) + b"1"}

    (record,) = read(archive_of(entries, method))

    problem = (
        "the entry is larger than 3M, unpacked. If you trust the file, pass --max-unpacked 24M."
    )
    assert record == BadRecord("f.eval!samples/a.json", problem)


def test_zstd_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 3 << 20)
    data = b" " * (8 << 20)
    packed = zstandard.ZstdCompressor().compress(data)

    error = refusal(zstd_archive_of("header.json", packed, b"{}"))

    assert "the entry is larger than 3M" in error.problem


def test_several_frames_of_zstd_are_one_entry() -> None:
    data = msgspec.json.encode(HEADER)
    compress = zstandard.ZstdCompressor().compress
    packed = compress(data[:10]) + compress(data[10:])

    assert read(zstd_archive_of("header.json", packed, data)) == []
