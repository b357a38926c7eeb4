"""Zip archives: Inspect's logs, with a header and one entry per sample, and any other files."""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from callscore.errors import UnreadableInput
from callscore.sources.data_files import is_data_file
from callscore.sources.files import decompress, max_unpacked, too_large, zstd_codec
from callscore.sources.lenient_json import NotJSON, marked_array, marked_object
from callscore.sources.record import BadRecord, Record
from callscore.sources.text_document import decode_json

_HEADERS = ("header.json", "_journal/start.json")  # an interrupted run has only the second
_SAMPLE = re.compile(r"samples/.+\.json")
# Inspect can also spread one sample over many entries, none of which is complete.
_SAMPLE_PART = re.compile(r"(samples/.+_epoch_[0-9]+)/(.+)\.json")
_STORED, _DEFLATED = 0, 8  # the numbers of the methods in zip files
_ZSTD_METHOD = 93  # in the standard library from Python 3.14 on
_CHUNK_SIZE = 1 << 16
_LOCAL_HEADER_SIZE = 30
_ENCRYPTED_FLAG = 1
# What the standard library raises for a damaged archive.
_ARCHIVE_ERRORS = (
    BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)


class _Log(NamedTuple):
    archive: ZipFile
    file: IO[bytes]
    name: str


def read_zip(file: IO[bytes], name: str) -> Iterator[Record | BadRecord | tuple[str, bytes]]:
    """The samples of an Inspect log, each as a log with one sample; the files of any other archive.

    An entry that is larger than `max_unpacked` is bad. Nothing is written to disk.

    Raises:
        UnreadableInput: it is damaged.
        MissingExtra: it is compressed with zstd, and the extra `zstd` is not installed.
    """
    try:
        archive = ZipFile(file)
    except _ARCHIVE_ERRORS as error:
        problem = f"the zip archive is damaged ({error}). Create the file again."
        raise UnreadableInput(name, problem) from error
    with archive:
        log = _Log(archive, file, name)
        header = _read_header(log)
        if header is None:
            if name.lower().endswith(".eval"):
                problem = (
                    "the zip archive is not an Inspect log. Unpack it and pass the files in it."
                )
                raise UnreadableInput(name, problem)
            yield from _read_files(log)
            return
        # Inspect writes a sample again under the same name, and then the last one counts.
        for entry in dict.fromkeys(archive.namelist()):
            piece = _SAMPLE_PART.fullmatch(entry)
            if piece is None and _SAMPLE.fullmatch(entry):
                yield _read_sample(log, entry, header)
            elif piece is not None and piece[2] == "sample":
                problem = "the sample is stored in pieces. Convert the log to JSON with Inspect."
                yield BadRecord(f"{name}!{piece[1]}", problem)


def _read_files(log: _Log) -> Iterator[BadRecord | tuple[str, bytes]]:
    """The names and the contents of the files."""
    for entry in dict.fromkeys(log.archive.namelist()):
        if not is_data_file(entry):
            continue
        try:
            yield entry, _read_entry(log, entry)
        except UnreadableInput as error:
            yield BadRecord(error.place, error.problem)


def _read_header(log: _Log) -> dict[str, Any] | None:
    entries = set(log.archive.namelist())
    entry = next((entry for entry in _HEADERS if entry in entries), None)
    if entry is not None:
        place = f"{log.name}!{entry}"
        try:
            header = decode_json(_read_entry(log, entry), unit="entry")
        except NotJSON as broken:
            raise UnreadableInput(place, broken.problem) from broken
        if isinstance(header, dict) and isinstance(header.get("eval"), dict):
            return {"version": header.get("version"), "eval": header["eval"]}
    return None


def _read_sample(log: _Log, entry: str, header: dict[str, Any]) -> Record | BadRecord:
    place = f"{log.name}!{entry}"
    try:
        sample = decode_json(_read_entry(log, entry), unit="entry")
    except NotJSON as broken:
        return BadRecord(f"{place}:{broken.line}:{broken.column}", broken.problem)
    except UnreadableInput as error:
        return BadRecord(error.place, error.problem)
    return Record(place, marked_object({**header, "samples": marked_array([sample])}))


def _read_entry(log: _Log, entry: str) -> bytes:
    place = f"{log.name}!{entry}"
    content = bytearray()
    try:
        for chunk in _decompressed_chunks(log, entry, place):
            content += chunk
            if len(content) > max_unpacked():  # the directory of the archive may say otherwise
                raise too_large(place, "entry")
    except UnreadableInput:
        raise
    except _ARCHIVE_ERRORS as error:
        problem = f"the entry is damaged or its compression is not supported ({error})."
        raise UnreadableInput(place, f"{problem} Create the file again.") from error
    return bytes(content)


def _decompressed_chunks(log: _Log, entry: str, place: str) -> Iterator[bytes]:
    info = log.archive.getinfo(entry)
    if info.compress_type == _ZSTD_METHOD:
        yield from _decompressed_zstd(log.file, info, place)
        return
    if info.compress_type not in (_STORED, _DEFLATED):
        raise BadZipFile(f"method {info.compress_type}")
    with log.archive.open(info) as stream:
        while chunk := stream.read(_CHUNK_SIZE):
            yield chunk


def _decompressed_zstd(file: IO[bytes], info: ZipInfo, place: str) -> Iterator[bytes]:
    if info.flag_bits & _ENCRYPTED_FLAG:
        raise BadZipFile("it is encrypted")
    checksum = 0
    for chunk in decompress(_compressed_chunks(file, info), zstd_codec(), place):
        checksum = zlib.crc32(chunk, checksum)
        yield chunk
    if checksum != info.CRC:
        raise BadZipFile("its checksum is wrong")


def _compressed_chunks(file: IO[bytes], info: ZipInfo) -> Iterator[bytes]:
    file.seek(info.header_offset)
    local = file.read(_LOCAL_HEADER_SIZE)
    if not local.startswith(b"PK\x03\x04"):
        raise BadZipFile("there is no entry where one should be")
    # The lengths of name and extra field may differ from those in the directory of the archive.
    skipped = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
    file.seek(skipped, os.SEEK_CUR)
    left = info.compress_size
    while left:
        chunk = file.read(min(zstd_codec().chunk_size, left))
        if not chunk:
            raise BadZipFile("the archive ends too early")
        left -= len(chunk)
        yield chunk
