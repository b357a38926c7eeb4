"""Files in tar archives, and hostile archives."""

from __future__ import annotations

import tarfile
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import UnreadableInput
from callscore.sources import Record, files, read_records
from callscore.sources.record import BadRecord
from callscore.sources.tar_archive import looks_like_tar, read_tar

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def archive(*members: tuple[tarfile.TarInfo, bytes], layout: int = tarfile.USTAR_FORMAT) -> bytes:
    target = BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=layout) as tar:
        for info, content in members:
            tar.addfile(info, BytesIO(content))
    return target.getvalue()


def member(name: str, content: bytes = b"{}", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def read(data: bytes) -> list[tuple[str, bytes] | BadRecord]:
    return list(read_tar(BufferedReader(BytesIO(data)), "x.tar"))


@pytest.mark.parametrize("layout", FORMATS)
def test_the_files_are_read_with_their_names(layout: int) -> None:
    long = "folder/" * 12 + "é" * 30 + ".json"
    data = archive(
        member("a.json", b"[1]"), member(long, b"x" * 700), member("b", b""), layout=layout
    )

    assert looks_like_tar(data[:512])
    assert read(data) == [("a.json", b"[1]"), (long, b"x" * 700), ("b", b"")]


def test_names_that_lead_elsewhere_are_only_names_and_links_lead_nowhere() -> None:
    link = member("link", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
    hard = member("hard", b"", type=tarfile.LNKTYPE, linkname="../../secret")
    device = member("null", b"", type=tarfile.CHRTYPE)
    folder = member("folder", b"", type=tarfile.DIRTYPE)

    found = read(archive(link, hard, device, folder, member("../../etc/passwd", b"{}")))

    assert found == [("../../etc/passwd", b"{}")]


def test_a_large_file_is_bad_and_those_after_it_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 1_000)

    bad, sound = read(archive(member("a", b"x" * 1_001), member("b", b"x" * 1_000)))

    assert isinstance(bad, BadRecord)
    assert (bad.place, "larger than" in bad.problem) == ("x.tar!a", True)
    assert sound == ("b", b"x" * 1_000)


def test_a_long_header_is_not_read() -> None:
    pax = member("pax", b"9 path=x\n" * 8_000, type=tarfile.XHDTYPE)

    assert read(archive(pax, member("a"))) == [("a", b"{}")]


@pytest.mark.parametrize("cut", [600, 1_000, 1_700])
def test_an_archive_that_ends_too_early_is_refused(cut: int) -> None:
    data = archive(member("a", b"x" * 600), member("b", b"x" * 600, type=tarfile.DIRTYPE))

    with pytest.raises(UnreadableInput, match=r"ends too early|damaged"):
        read(data[:cut])


def test_damaged_headers_are_refused() -> None:
    data = bytearray(archive(member("a", b"x")))
    data[0] ^= 1
    assert not looks_like_tar(bytes(data))
    with pytest.raises(UnreadableInput, match="damaged"):
        read(bytes(data))
    data = bytearray(archive(member("a", b"x")))
    data[124:136] = b"999999999999"  # no octal digits
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    with pytest.raises(UnreadableInput, match="damaged"):
        read(bytes(data))
    assert not looks_like_tar(b"ustar")


@pytest.mark.parametrize("name", ["../../a.jsonl", "/a.jsonl", "./a.jsonl"])
def test_cases_are_read_whatever_the_name_of_their_file_leads_to(name: str, tmp_path: Path) -> None:
    path = tmp_path / "traces.tar"
    path.write_bytes(archive(member(name, b'{"id": 1}\n'), member("../.hidden.jsonl")))
    (record,) = read_records(str(path))
    assert isinstance(record, Record)
    assert record.value == {"id": 1}
