"""Which reader a file gets."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
import pytest
from pyarrow import parquet

from callscore.errors import UnreadableInput
from callscore.sources import (
    BadRecord,
    Record,
    files,
    read_records,
)
from callscore.sources.reader import (
    looks_like_model_text,
)

LINES = '{"id": "a"}\n{"id": "b"}\n'
PRETTY = '[\n  {\n    "id": "a"\n  },\n  {\n    "id": "b"\n  }\n]\n'
COMPACT = '[{"id": "a"}, {"id": "b"}]'
YAML = "- id: a\n- id: b\n"
TABLE = "id,input\na,\nb,\n"
EVENTS = 'event: x\ndata: {"id": "a"}\n\ndata: {"id": "b"}\n\ndata: [DONE]\n\n'
BOTH = [{"id": "a"}, {"id": "b"}]


def records_of(folder: Path, name: str, text: str | bytes) -> list[Record | BadRecord]:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_records(str(path)))


def values(records: list[Record | BadRecord]) -> list[object]:
    return [record.value if isinstance(record, Record) else record.problem for record in records]


def places(records: list[Record | BadRecord]) -> list[str]:
    return [record.place.rpartition("/")[2] for record in records]


@pytest.mark.parametrize("text", [LINES, PRETTY, COMPACT, YAML, TABLE, EVENTS])
def test_standard_input_is_told_by_its_content(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.BytesIO(text.encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    records = list(read_records("-"))

    assert values(records) == BOTH
    assert records[0].place.startswith("<stdin>")


def test_json_lines_are_given_before_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 200_000
    source = io.BytesIO(b'{"id": "a"}\n' * size)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    first = next(read_records("-"))

    assert first.place == "<stdin>:1"
    assert source.tell() < len(source.getvalue())


def test_a_device_that_fails_on_the_way_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "device error")

    monkeypatch.setattr("callscore.sources.reader.read_lines", fail)

    with pytest.raises(UnreadableInput, match=r"reading failed \(\[Errno 5\] device error\)"):
        records_of(tmp_path, "f.jsonl", LINES)


def test_text_without_a_telling_name_is_told_by_what_models_write(tmp_path: Path) -> None:
    text = 'Sure.\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'

    assert values(records_of(tmp_path, "answer", text)) == [text]


# What kind of file it is.


@pytest.mark.parametrize(
    ("head", "is_text"),
    [
        (b'<tool_call>\n{"name": "f"}\n</tool_call>', True),
        (b'Sure.\n<tool_call>{"name": "f"}', True),
        (b"<think>hm</think>", True),
        (b"<|channel|>analysis", True),
        ("<\uff5ctool\u2581calls\u2581begin\uff5c>".encode(), True),
        (b"[TOOL_CALLS] []", True),
        (b"```json\n{}\n```", True),
        (b"[get_weather(city='Paris')]", True),
        (b"TO LLM 2025-01-31T11:21:36\n-------\nUSER a: b: c\n", True),
        (b"- TO LLM 2025-01-31\n", False),
        (b'{"text": "<tool_call>"}', False),
        (b"a\n\n \t [get_weather(city='Paris')]", True),
        (b"- id: a\n  expected: []\n", False),
        (b"a" + b"\n" * 1_000_000, False),  # in time that grows with the length, not its square
        (b"", False),
    ],
)
def test_text_of_a_model_is_recognized_by_its_markers(head: bytes, is_text: bool) -> None:
    assert looks_like_model_text(head) == is_text


# Which reader a file gets that is not text.

FILES = Path(__file__).parents[1] / "samples/files"
LOG = FILES / "tool_calls.eval"
OTLP = FILES / "otlp_traces.pb"


def binary_records(folder: Path, name: str, data: bytes) -> list[Record | BadRecord]:
    path = folder / name
    path.write_bytes(data)
    return list(read_records(str(path)))


def parquet_bytes() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table({"id": ["a", "b"]}), file)
    return file.getvalue()


@pytest.mark.parametrize("name", ["f.eval", "f", "f.zip"])
def test_an_inspect_log_is_told_by_its_content(name: str, tmp_path: Path) -> None:
    records = binary_records(tmp_path, name, LOG.read_bytes())

    assert places(records)[0] == "paris_epoch_1.json"
    assert records[0].place == f"{tmp_path / name}!samples/paris_epoch_1.json"
    assert len(records) == 4


@pytest.mark.parametrize("name", ["f.pb", "f", "f.otlp", "f.jsonl"])
@pytest.mark.parametrize("is_behind_its_length", [False, True])
def test_otlp_in_protobuf_is_told_by_its_content(
    is_behind_its_length: bool, name: str, tmp_path: Path
) -> None:
    message = OTLP.read_bytes()
    length = len(message).to_bytes(4, "big") if is_behind_its_length else b""

    (record,) = binary_records(tmp_path, name, length + message)

    assert record.place == str(tmp_path / name)
    assert isinstance(record, Record)
    assert list(record.value) == ["resourceSpans"]


@pytest.mark.parametrize("data", [parquet_bytes(), LOG.read_bytes()], ids=["parquet", "eval"])
def test_parquet_files_and_inspect_logs_are_read_from_stdin_and_from_gzip(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    plain = values(binary_records(tmp_path, "f", data))

    assert values(list(read_records("-"))) == plain
    assert values(binary_records(tmp_path, "f.gz", gzip.compress(data))) == plain


def tar_of(files: dict[str, bytes], path: Path, mode: Any = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, BytesIO(data))
    return path


def zip_of(files: dict[str, bytes], path: Path) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def problems_in(path: Path) -> list[str]:
    found = read_records(str(path))
    return [record.problem for record in found if isinstance(record, BadRecord)]


def test_an_inspect_log_in_an_archive_is_read(tmp_path: Path) -> None:
    sample = {"header.json": b'{"eval": {}}', "samples/a.json": b'{"id": "a"}'}
    log = zip_of(sample, tmp_path / "log.eval").read_bytes()

    (record,) = read_records(str(tar_of({"log.eval": log}, tmp_path / "x.tar")))

    assert record.place.endswith("x.tar!log.eval!samples/a.json")


@pytest.mark.slow
@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_bombs_in_archives_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any
) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 100_000)
    line = b"[1]\n" * 10_000

    assert "larger than" in problems_in(make({"a.json": line * 3}, tmp_path / "a"))[0]
    packed = gzip.compress(line * 3)
    assert "larger than" in problems_in(make({"a.json.gz": packed}, tmp_path / "b"))[0]
    many = {f"{number}.jsonl": line for number in range(50)}
    with pytest.raises(UnreadableInput, match="the archive is larger than"):
        problems_in(make(many, tmp_path / "c"))
