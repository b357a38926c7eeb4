"""The logs of Inspect."""

from __future__ import annotations

import struct
import sys
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile

import msgspec
import pytest
import zstandard

from callscore.core.call import Malformed, malformed_part
from callscore.errors import MissingExtra, UnreadableInput
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
_LOCAL = b"PK\x03\x04"


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


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
@pytest.mark.parametrize("header", ["header.json", "_journal/start.json"])
def test_a_header_and_samples_make_a_log_each(method: int, header: str) -> None:
    entries = {header: HEADER, "samples/a_epoch_1.json": SAMPLE, "samples/b.json": {"id": "b"}}

    records = read(archive_of(entries | {"reductions.json": [], "summaries.json": []}, method))

    log = {"version": 2, "eval": {"task": "weather"}}
    assert records == [
        Record("f.eval!samples/a_epoch_1.json", {**log, "samples": [SAMPLE]}),
        Record("f.eval!samples/b.json", {**log, "samples": [{"id": "b"}]}),
    ]


def test_a_log_without_samples_has_no_records() -> None:
    assert read(archive_of({"header.json": HEADER})) == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_a_sample_that_was_written_again_the_last_counts() -> None:
    file = BytesIO(archive_of({"header.json": HEADER, "samples/a.json": SAMPLE}))
    with ZipFile(file, "a") as archive:
        archive.writestr("samples/a.json", msgspec.json.encode({"id": "again"}))

    (record,) = read(file.getvalue())

    assert isinstance(record, Record)
    assert record.value["samples"] == [{"id": "again"}]


def test_a_sample_in_pieces_is_one_bad_record() -> None:
    piece = "samples/a_epoch_1/"
    names = [f"{piece}sample.json", f"{piece}messages/0.json", f"{piece}events/0.json"]

    records = read(archive_of({"header.json": HEADER} | {name: [] for name in names}))

    problem = "the sample is stored in pieces. Convert the log to JSON with Inspect."
    assert records == [BadRecord("f.eval!samples/a_epoch_1", problem)]


def test_what_is_malformed_in_a_sample_is_marked_up_to_the_log() -> None:
    (record,) = read(archive_of({"header.json": HEADER, "samples/a.json": b'{"x": NaN}'}))

    assert isinstance(record, Record)
    mark = Malformed("NaN", "NaN is not a JSON number")
    assert record.value["samples"] == [{"x": mark}]
    assert malformed_part(record.value) is not None


def test_a_broken_sample_does_not_cost_the_others() -> None:
    entries = {"header.json": HEADER, "samples/a.json": b'{"x":\n1', "samples/b.json": SAMPLE}

    broken, sound = read(archive_of(entries))

    problem = "the entry ends inside an object. The file may be truncated."
    assert broken == BadRecord("f.eval!samples/a.json:2:2", problem)
    assert isinstance(sound, Record)


@pytest.mark.parametrize("header", [[], {"eval": None}, {"version": 2}])
def test_an_archive_whose_header_is_none_is_refused(header: object) -> None:
    error = refusal(archive_of({"header.json": header}))

    assert error.place == "f.eval"
    assert "the zip archive is not an Inspect log. Unpack it" in error.problem


@pytest.mark.parametrize("entries", [{}, {"cases.json": []}])
def test_any_other_archive_is_refused(entries: dict[str, object]) -> None:
    assert "not an Inspect log" in refusal(archive_of(entries)).problem


def test_a_header_that_is_not_json_is_refused_with_its_place() -> None:
    error = refusal(archive_of({"header.json": b"{"}))

    assert error.place == "f.eval!header.json"
    assert "inside an object" in error.problem


def test_an_archive_that_is_cut_off_is_refused() -> None:
    error = refusal(LOG.read_bytes()[:-10])

    assert "the zip archive is damaged" in error.problem


def test_an_entry_that_is_damaged_is_a_bad_record() -> None:
    data = bytearray(archive_of({"header.json": HEADER, "samples/a.json": b"[1, 2, 3]" * 9}))
    at = data.index(b"samples/a.json") + len("samples/a.json")
    data[at : at + 4] = b"\xff" * 4

    (record,) = read(bytes(data))

    assert isinstance(record, BadRecord)
    assert record.place == "f.eval!samples/a.json"
    assert "the entry is damaged or its compression is not supported" in record.problem


def test_a_method_that_inspect_does_not_use_is_refused() -> None:
    assert "(method 12)" in refusal(archive_of({"header.json": HEADER}, ZIP_BZIP2)).problem


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


@pytest.mark.parametrize(
    ("packed", "flags", "problem"),
    [
        (zstandard.ZstdCompressor().compress(b"[]"), 1, "it is encrypted"),
        (zstandard.ZstdCompressor().compress(b"[1]"), 0, "its checksum is wrong"),
        (zstandard.ZstdCompressor().compress(b"[]")[:-3], 0, "the zstd data is truncated"),
        (b"not zstd at all", 0, "the zstd data is invalid or damaged"),
    ],
)
def test_zstd_that_is_not_as_it_should_be_is_refused(
    packed: bytes, flags: int, problem: str
) -> None:
    error = refusal(zstd_archive_of("header.json", packed, b"[]", flags))

    assert error.place == "f.eval!header.json"
    assert problem in error.problem


def test_zstd_at_a_place_that_is_no_entry_is_refused() -> None:
    packed = zstandard.ZstdCompressor().compress(b"[]")
    data = zstd_archive_of("header.json", packed, b"[]").replace(_LOCAL, b"PK\0\0")

    assert "there is no entry where one should be" in refusal(data).problem


def test_zstd_beyond_the_end_of_the_archive_is_refused() -> None:
    frame_to_be_skipped = b"\x50\x2a\x4d\x18" + struct.pack("<I", 1 << 20)
    data = bytearray(zstd_archive_of("header.json", frame_to_be_skipped, b"[]"))
    struct.pack_into("<I", data, data.rindex(_CENTRAL) + 20, 1 << 20)

    assert "the archive ends too early" in refusal(bytes(data)).problem


def test_zstd_without_its_extra_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(MissingExtra, match=r"callscore\[zstd\]"):
        read(LOG.read_bytes())
