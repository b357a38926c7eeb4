"""Which reader a file gets that is not text."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow import parquet

from callscore.errors import UnreadableInput
from callscore.sources import BadRecord, Record, read_batches, read_records

FILES = Path(__file__).parents[1] / "samples/files"
LOG = FILES / "tool_calls.eval"
OTLP = FILES / "otlp_traces.pb"
LINES = '{"id": "a"}\n{"id": "b"}\n'
BOTH = [{"id": "a"}, {"id": "b"}]


def records_of(folder: Path, name: str, data: bytes) -> list[Record | BadRecord]:
    path = folder / name
    path.write_bytes(data)
    return list(read_records(str(path)))


def values(records: list[Record | BadRecord]) -> list[object]:
    return [record.value if isinstance(record, Record) else record.problem for record in records]


def places(records: list[Record | BadRecord]) -> list[str]:
    return [record.place.rpartition("/")[2] for record in records]


def parquet_bytes() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table({"id": ["a", "b"]}), file)
    return file.getvalue()


@pytest.mark.parametrize("name", ["f.parquet", "f", "f.jsonl", "f.txt"])
def test_parquet_is_told_by_its_content(name: str, tmp_path: Path) -> None:
    records = records_of(tmp_path, name, parquet_bytes())

    assert values(records) == BOTH
    assert places(records) == [f"{name}[0]", f"{name}[1]"]


@pytest.mark.parametrize("name", ["f.eval", "f", "f.zip"])
def test_an_inspect_log_is_told_by_its_content(name: str, tmp_path: Path) -> None:
    records = records_of(tmp_path, name, LOG.read_bytes())

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

    (record,) = records_of(tmp_path, name, length + message)

    assert record.place == str(tmp_path / name)
    assert isinstance(record, Record)
    assert list(record.value) == ["resourceSpans"]


def test_otlp_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"f\.pb: no OTLP message can be read at byte"):
        records_of(tmp_path, "f.pb", OTLP.read_bytes()[:-1])


def test_text_that_begins_like_otlp_is_text(tmp_path: Path) -> None:
    assert places(records_of(tmp_path, "f.jsonl", b'\n{"id": "\x01"}\n')) == ["f.jsonl:2"]


@pytest.mark.parametrize("data", [parquet_bytes(), LOG.read_bytes()], ids=["parquet", "eval"])
def test_what_must_be_read_back_and_forth_may_come_through_a_pipe(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    plain = values(records_of(tmp_path, "f", data))

    assert values(list(read_records("-"))) == plain
    assert values(records_of(tmp_path, "f.gz", gzip.compress(data))) == plain


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("f.parquet", "a Parquet file"),
        ("f.eval", "an Inspect log"),
        ("f.pb", "OTLP as protobuf"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(
    name: str, kind: str, tmp_path: Path
) -> None:
    with pytest.raises(UnreadableInput, match=f"this is not {kind}, although its name says so"):
        records_of(tmp_path, name, b"\x00\x01\x02 nothing")


@pytest.mark.parametrize(
    ("name", "data"),
    [("f.jsonl", LINES.encode()), ("f.parquet", parquet_bytes()), ("f.eval", LOG.read_bytes())],
)
def test_every_byte_of_a_file_is_told_once(name: str, data: bytes, tmp_path: Path) -> None:
    told: list[int] = []
    (tmp_path / name).write_bytes(data)

    batches = list(read_batches(str(tmp_path / name), on_bytes=told.append))

    assert batches
    assert sum(told) == len(data)
