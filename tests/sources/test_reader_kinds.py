"""What kind of file it is."""

from __future__ import annotations

import pytest

from callscore.sources.reader import (
    FileKind,
    kind_by_head,
    kind_by_name,
    kind_of_json,
    looks_like_model_text,
    looks_like_table,
)


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
        (b'{"text": "<tool_call>"}', False),
        (b"- id: a\n  expected: []\n", False),
        (b"", False),
    ],
)
def test_what_models_write_around_calls_tells_their_text(head: bytes, is_text: bool) -> None:
    assert looks_like_model_text(head) == is_text
