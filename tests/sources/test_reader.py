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
import zstandard
from pyarrow import parquet

from callscore.errors import UnreadableInput
from callscore.sources import (
    Array,
    BadRecord,
    Entry,
    Lines,
    Record,
    files,
    read_batches,
    read_records,
)
from callscore.sources.data_files import FileKind, kind_by_name
from callscore.sources.reader import (
    kind_by_head,
    kind_of_json,
    looks_like_model_text,
    looks_like_table,
)

LINES = '{"id": "a"}\n{"id": "b"}\n'
PRETTY = '[\n  {\n    "id": "a"\n  },\n  {\n    "id": "b"\n  }\n]\n'
COMPACT = '[{"id": "a"}, {"id": "b"}]'
BY_LINES = '[{"id": "a"},\n{"id": "b"}]\n'
UNDER_CASES = '{"cases": [\n{"id": "a"},\n{"id": "b"}]}\n'
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.jsonl", LINES),
        ("f.ndjson", LINES),
        ("F.JSONL", LINES),
        ("f.json", PRETTY),
        ("f.json", COMPACT),
        ("f.json", BY_LINES),
        ("f.json", UNDER_CASES),
        ("f.yaml", YAML),
        ("f.yml", YAML),
        ("f.yaml", COMPACT),
        ("f.json", LINES),
        ("f.jsonl", PRETTY),
        ("f.jsonl", COMPACT),
        ("f.jsonl", BY_LINES),
        ("f.jsonl", UNDER_CASES),
        ("f", LINES),
        ("f", PRETTY),
        ("f", COMPACT),
        ("f", BY_LINES),
        ("f", UNDER_CASES),
        ("f.log", YAML),
        ("f.csv", TABLE),
        ("f.tsv", TABLE.replace(",", "\t")),
        ("f", TABLE),
        ("f.csv", LINES),
        ("f.csv", COMPACT),
        ("f.txt", LINES),
        ("f.md", COMPACT),
        ("f.parquet", LINES),
        ("f.eval", PRETTY),
        ("f.otlp", COMPACT),
        ("f.pb", LINES),
        ("f.txt", EVENTS),
        ("f.json", EVENTS),
        ("f.jsonl", EVENTS),
        ("f", EVENTS),
    ],
)
def test_name_and_content_together_tell_the_reader(name: str, text: str, tmp_path: Path) -> None:
    assert values(records_of(tmp_path, name, text)) == BOTH


@pytest.mark.parametrize("text", [LINES, PRETTY, COMPACT, YAML, TABLE, EVENTS])
def test_standard_input_is_told_by_its_content(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.BytesIO(text.encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    records = list(read_records("-"))

    assert values(records) == BOTH
    assert records[0].place.startswith("<stdin>")


@pytest.mark.parametrize("text", [LINES, PRETTY, COMPACT, EVENTS])
def test_compressed_files_are_told_by_what_is_in_them(text: str, tmp_path: Path) -> None:
    zipped = records_of(tmp_path, "f.jsonl.gz", gzip.compress(text.encode()))
    packed = records_of(tmp_path, "f.json.zst", zstandard.ZstdCompressor().compress(text.encode()))

    assert values(zipped) == values(packed) == BOTH


def test_a_compressed_yaml_file_is_told_by_its_name(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f.yaml.gz", gzip.compress(b"[a, b]"))

    assert values(records) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.jsonl", LINES),
        ("f.json", PRETTY),
        ("f.yaml", YAML),
        ("f", LINES),
        ("f.csv", TABLE),
        ("f", TABLE),
        ("f.json", EVENTS),
    ],
)
def test_byte_order_marks_crlf_and_blank_lines_change_nothing(
    name: str, text: str, tmp_path: Path
) -> None:
    plain = records_of(tmp_path, name, text)
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + b"\r\n\r\n"

    assert records_of(tmp_path, name, windows) == plain


def test_a_byte_order_mark_alone_on_its_line_is_not_content(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f.jsonl", b'\xef\xbb\xbf\n{"id": "a"}')

    assert places(records) == ["f.jsonl:2"]


@pytest.mark.parametrize(
    "name",
    [
        "f.jsonl",
        "f.json",
        "f.yaml",
        "f",
        "f.jsonl.gz",
        "f.csv",
        "f.txt",
        "f.parquet",
        "f.eval",
        "f.pb",
    ],
)
@pytest.mark.parametrize("text", ["", "\n\r\n  \n"])
def test_an_empty_file_has_no_records(name: str, text: str, tmp_path: Path) -> None:
    data = text.encode()

    assert records_of(tmp_path, name, gzip.compress(data) if "gz" in name else data) == []


def test_blank_lines_are_counted_in_json_lines(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f", '\n{"id": "a"}\n\n \n{"id": "b"}\n{"id": "c"}\n')

    assert places(records) == ["f:2", "f:5", "f:6"]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("f.json", "\n\n[\n\n  1,\n  oops\n]\n", "f.json:6:3"),
        ("f.yaml", "\n\na: b: c\n", "f.yaml:3:5"),
        ("f.jsonl", "\noops\n", "f.jsonl:2:1"),
        ("f.json", "oops", "f.json:1:1"),
    ],
)
def test_blank_lines_in_front_count_in_the_place_of_an_error(
    name: str, text: str, place: str, tmp_path: Path
) -> None:
    assert places(records_of(tmp_path, name, text)) == [place]


@pytest.mark.parametrize("name", ["f.jsonl", "f.json", "f"])
def test_a_broken_first_line_is_one_bad_line_of_many(name: str, tmp_path: Path) -> None:
    records = records_of(tmp_path, name, '{"id": oops}\n{"id": "b"}\n{"id": "c"}\n')

    assert places(records) == [f"{name}:1:8", f"{name}:2", f"{name}:3"]


def test_a_marked_first_line_does_not_change_the_reader(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f.json", '{"id": NaN}\n{"id": "b"}\n')

    assert places(records) == ["f.json:1", "f.json:2"]


@pytest.mark.parametrize("name", ["f.json", "f"])
def test_an_object_that_closes_on_its_second_line_is_a_document(name: str, tmp_path: Path) -> None:
    records = records_of(tmp_path, name, '{ "id": "a"\n}\n')

    assert values(records) == [{"id": "a"}]


def test_json_lines_that_end_in_the_middle_of_a_line_say_so(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f.jsonl", LINES + '{"id": "c", "exp')

    assert values(records) == [
        *BOTH,
        "the line ends inside a string. The file may be truncated.",
    ]


def test_a_single_line_is_read_as_its_name_says(tmp_path: Path) -> None:
    assert places(records_of(tmp_path, "f.jsonl", '{"id": "a"}')) == ["f.jsonl:1"]
    assert places(records_of(tmp_path, "f.json", '{"id": "a"}')) == ["f.json"]
    assert places(records_of(tmp_path, "f", '{"id": "a"}')) == ["f"]


def test_arrays_on_lines_are_json_lines(tmp_path: Path) -> None:
    assert values(records_of(tmp_path, "f", "[1]\n[2]\n")) == [[1], [2]]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"encoded in UTF-16\. Save it as UTF-8"):
        records_of(tmp_path, "f.jsonl", f"\ufeff{LINES}".encode(encoding))


def test_json_lines_are_given_before_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 200_000
    source = io.BytesIO(b'{"id": "a"}\n' * size)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))

    first = next(read_records("-"))

    assert first.place == "<stdin>:1"
    assert source.tell() < len(source.getvalue())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name_in_text(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="encoded in UTF-16"):
        records_of(tmp_path, "f.txt", "\ufeffHello".encode(encoding))


def test_json_lines_come_undecoded_and_lists_come_whole(tmp_path: Path) -> None:
    lines, array, listed = (tmp_path / name for name in ("f.jsonl", "f.json", "f.yaml"))
    lines.write_text(LINES)
    array.write_text(COMPACT)
    listed.write_text(YAML)

    assert {type(batch) for batch in read_batches(str(lines))} == {Lines}
    assert list(read_batches(str(array))) == [Array(str(array), BOTH)]
    (batch,) = read_batches(str(listed))
    assert isinstance(batch, Array)
    assert batch.items == BOTH


def test_the_items_of_a_list_stand_where_they_always_did(tmp_path: Path) -> None:
    assert places(records_of(tmp_path, "f.json", COMPACT)) == ["f.json[0]", "f.json[1]"]
    assert places(records_of(tmp_path, "f.yaml", YAML)) == ["f.yaml:1", "f.yaml:2"]


@pytest.mark.parametrize("name", ["f.yaml", "f"])
def test_a_case_in_yaml_that_begins_like_an_event_is_no_event(name: str, tmp_path: Path) -> None:
    records = records_of(tmp_path, name, "id: a\nexpected: []\n")

    assert values(records) == [{"id": "a", "expected": []}]


def test_what_begins_like_events_and_is_not_is_what_its_name_says(tmp_path: Path) -> None:
    assert places(records_of(tmp_path, "f.jsonl", "data: x\n{}\n")) == ["f.jsonl:1:1", "f.jsonl:2"]
    assert places(records_of(tmp_path, "f.json", "\ndata: x\n")) == ["f.json:2:1"]


def test_events_with_bytes_that_are_not_utf_8_are_marked_and_kept(tmp_path: Path) -> None:
    (record,) = records_of(tmp_path, "f.sse", b'data: {"a": "caf\xe9", "b": 1}\n\n')

    assert isinstance(record, Record)
    assert record.value["b"] == 1


def test_the_rows_of_a_table_are_counted_from_the_first_line(tmp_path: Path) -> None:
    records = records_of(tmp_path, "f.csv", "\n\nid,input\n\na,b\n")

    assert places(records) == ["f.csv:5"]


def test_a_header_alone_is_a_table_only_by_its_name(tmp_path: Path) -> None:
    assert records_of(tmp_path, "f.csv", "id,input\n") == []
    assert values(records_of(tmp_path, "f", "id,input\n")) == ["id,input"]


def test_text_is_one_record(tmp_path: Path) -> None:
    text = "\n<tool_call>\n  \n{}</tool_call>\n"

    assert values(records_of(tmp_path, "f.txt", text)) == [text]
    assert places(records_of(tmp_path, "f.md", text)) == ["f.md"]


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
    ("path", "kind"),
    [
        ("a/b.jsonl", "jsonl"),
        ("B.NDJSON", "jsonl"),
        ("b.json.gz", "json"),
        ("b.yml.zst", "yaml"),
        ("b.csv", "table"),
        ("b.tsv.gz", "table"),
        ("b.txt", "text"),
        ("b.md", "text"),
        ("b.parquet", "parquet"),
        ("b.eval", "eval"),
        ("b.pb", "otlp"),
        ("b.binpb", "otlp"),
        ("b.otlp", "otlp"),
        ("b.log", None),
        ("b", None),
        ("-", None),
        (".gz", None),
    ],
)
def test_a_name_says_what_a_file_is(path: str, kind: FileKind | None) -> None:
    assert kind_by_name(path) == kind


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"PAR1\x15\x04", "parquet"),
        (b"PK\x03\x04\x14", "eval"),
        (b"PK\x05\x06\0\0", "eval"),
        (b"\n\xb3\x05\n\x20\n\x1e", "otlp"),
        (b"\0\0\x01\x20\n\xb3", "otlp"),
        (b"\0\0\0 nothing", None),
        (b'\n\r\n{"id": "a"}', None),
        (b'{"id": "a"}', None),
        (b"", None),
    ],
)
def test_the_first_bytes_say_whether_a_file_is_not_text(head: bytes, kind: FileKind | None) -> None:
    assert kind_by_head(head) == kind


@pytest.mark.parametrize(
    ("first", "second", "named", "kind"),
    [
        (b'{"a": 1}', b"", "jsonl", "jsonl"),
        (b"[1]", b"", "jsonl", "json"),
        (b'{"a": 1}', b"", None, "json"),
        (b"[", b"1]", "jsonl", "json"),
        (b'{"a": 1}', b'{"a": 2}', "json", "jsonl"),
        (b'{"a": oops}', b'{"a": 2}', None, "jsonl"),
        (b'{"a": 1', b"}", "jsonl", "jsonl"),
        (b'{"a": 1', b"}", "table", "json"),
    ],
)
def test_two_lines_tell_json_lines_from_a_document(
    first: bytes, second: bytes, named: FileKind | None, kind: FileKind
) -> None:
    assert kind_of_json(first, second, named) == kind


@pytest.mark.parametrize(
    ("line", "is_header"),
    [
        (b"id,expected,actual\r\n", True),
        (b"id;expected\n", True),
        (b"id\texpected", True),
        (b'"task id","actual"\n', True),
        (b"id\n", False),
        (b"Hello, world\n", False),
        (b"id: a, b\n", False),
        (b"a,\n", False),
    ],
)
def test_names_and_delimiters_alone_look_like_a_header(line: bytes, is_header: bool) -> None:
    assert looks_like_table(line) == is_header


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
def test_what_models_write_around_calls_tells_their_text(head: bytes, is_text: bool) -> None:
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


@pytest.mark.parametrize("name", ["f.parquet", "f", "f.jsonl", "f.txt"])
def test_parquet_is_told_by_its_content(name: str, tmp_path: Path) -> None:
    records = binary_records(tmp_path, name, parquet_bytes())

    assert values(records) == BOTH
    assert places(records) == [f"{name}[0]", f"{name}[1]"]


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


def test_otlp_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"f\.pb: invalid OTLP protobuf at byte"):
        binary_records(tmp_path, "f.pb", OTLP.read_bytes()[:-1])


def test_text_that_begins_like_otlp_is_text(tmp_path: Path) -> None:
    assert places(binary_records(tmp_path, "f.jsonl", b'\n{"id": "\x01"}\n')) == ["f.jsonl:2"]


@pytest.mark.parametrize("data", [parquet_bytes(), LOG.read_bytes()], ids=["parquet", "eval"])
def test_what_must_be_read_back_and_forth_may_come_through_a_pipe(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    plain = values(binary_records(tmp_path, "f", data))

    assert values(list(read_records("-"))) == plain
    assert values(binary_records(tmp_path, "f.gz", gzip.compress(data))) == plain


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
    with pytest.raises(UnreadableInput, match=f"the file is not {kind}, despite its name"):
        binary_records(tmp_path, name, b"\x00\x01\x02 nothing")


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


FOLDER = {
    "runs/a.json": b'{"a": 1}',
    "runs/README.md": b"# Runs",
    "runs/b.jsonl": b'{"b": 1}\n{"b": 2}\n',
    "runs/c.yaml.gz": gzip.compress(b"c: 1\n"),
    "runs/.DS_Store": b"x",
}


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tgz", "x.zip", "x"])
def test_the_files_of_an_archive_are_read_one_after_another(tmp_path: Path, name: str) -> None:
    mode = "w" if name in ("x.tar", "x") else "w:gz"
    path = tmp_path / name
    path = zip_of(FOLDER, path) if name == "x.zip" else tar_of(FOLDER, path, mode)

    entries = list(read_batches(str(path)))

    assert all(isinstance(entry, Entry) for entry in entries)
    assert [record.place for record in read_records(str(path)) if isinstance(record, Record)] == [
        f"{path}!runs/a.json",
        f"{path}!runs/b.jsonl:1",
        f"{path}!runs/b.jsonl:2",
        f"{path}!runs/c.yaml.gz:1",
    ]


def problems_in(path: Path) -> list[str]:
    found = read_records(str(path))
    return [record.problem for record in found if isinstance(record, BadRecord)]


def test_an_archive_in_an_archive_and_damaged_files_are_bad(tmp_path: Path) -> None:
    inner = tar_of(FOLDER, tmp_path / "inner.tar", "w").read_bytes()
    zipped = zip_of({"a.json": b"{}"}, tmp_path / "inner.zip").read_bytes()
    files = {"tar.json": inner, "zip.json": zipped, "gz.json.gz": b"\x1f\x8b\x08", "ok.json": b"{}"}

    first, second, third = problems_in(tar_of(files, tmp_path / "x.tgz"))

    assert first == second == "this is an archive in an archive. Unpack the outer one."
    assert "gzip data is truncated" in third


def test_an_inspect_log_in_an_archive_is_read(tmp_path: Path) -> None:
    sample = {"header.json": b'{"eval": {}}', "samples/a.json": b'{"id": "a"}'}
    log = zip_of(sample, tmp_path / "log.eval").read_bytes()

    (record,) = read_records(str(tar_of({"log.eval": log}, tmp_path / "x.tar")))

    assert record.place.endswith("x.tar!log.eval!samples/a.json")


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


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_an_archive_without_data_is_refused(tmp_path: Path, make: Any) -> None:
    with pytest.raises(UnreadableInput, match="the archive has no files with traces or cases"):
        list(read_records(str(make({"README.md": b"x"}, tmp_path / "x"))))
