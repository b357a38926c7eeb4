"""Records in every kind of file that callscore reads, valid ones and ones with tricks of the kind."""

from __future__ import annotations

import csv
import gzip
import zipfile
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz.hostile import STRINGS
from tools.fuzz.inputs import MAX_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.fuzz.choices import Choices

__all__ = ["CONTAINERS", "compress", "to_toml", "to_yaml", "with_yaml_tricks", "zip_entries"]

_Records = list[Any]


def _jsonl(records: _Records, _random: Choices) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _json(records: _Records, random: Choices) -> bytes:
    whole = random.choice((records, {"cases": records}, records[0] if records else None))
    return msgspec.json.encode(whole)


def _yaml(records: _Records, random: Choices) -> bytes:
    if random.random() < 0.3:
        text = "".join(f"---\n{to_yaml(record)}\n" for record in records)
    else:
        text = to_yaml(records)
    return with_yaml_tricks(text.encode("utf-8", "surrogatepass"), random)


def _csv(records: _Records, random: Choices) -> bytes:
    names = list(
        dict.fromkeys(key for record in records if isinstance(record, dict) for key in record)
    )
    out = StringIO()
    writer = csv.writer(out, delimiter=random.choice(",;\t"))
    writer.writerow(names)
    for record in records:
        if isinstance(record, dict):
            writer.writerow([_cell(record[name]) if name in record else "" for name in names])
    return out.getvalue().encode("utf-8", "surrogatepass")


def _parquet(records: _Records, random: Choices) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [record for record in records if isinstance(record, dict)] or [{"id": "a"}]
    cells = [{key: _cell(value) for key, value in row.items()} for row in rows]
    if random.random() < 0.5:  # as nested columns, where Arrow can
        cells = [msgspec.json.decode(msgspec.json.encode(row)) for row in _plain(rows)]
    out = BytesIO()
    try:
        pq.write_table(pa.Table.from_pylist(cells), out)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError):
        return b"PAR1" + msgspec.json.encode(records) + b"PAR1"
    return out.getvalue()


def _plain(rows: _Records) -> _Records:
    try:
        return [msgspec.json.decode(msgspec.json.encode(row)) for row in rows]
    except (msgspec.DecodeError, RecursionError):
        return [{"id": "a"}]


def _text(records: _Records, random: Choices) -> bytes:
    calls = b"\n".join(
        b"<tool_call>" + msgspec.json.encode(each) + b"</tool_call>" for each in records
    )
    return random.choice((b"I will call it.\n", b"", b"```json\n")) + calls


def _events(records: _Records, _random: Choices) -> bytes:
    lines = (b"data: " + msgspec.json.encode(record) + b"\n\n" for record in records)
    return b"".join(lines) + b"data: [DONE]\n\n"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode("utf-8", "replace")


# By the suffix that users give such files.
CONTAINERS: dict[str, Callable[[_Records, Choices], bytes]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".yaml": _yaml,
    ".csv": _csv,
    ".parquet": _parquet,
    ".txt": _text,
    ".sse": _events,
}


def compress(data: bytes, random: Choices) -> tuple[str, bytes]:
    """The bytes in gzip or zstd, and the suffix; sometimes they unpack to very much."""
    if random.random() < 0.02:
        # Lines are read one by one: they take as long as those of a file that is not compressed.
        data += random.choice((b" ", b"a", b"[")) * random.choice((1 << 20, 1 << 24, 1 << 27))
        data += b"\n" * random.choice((0, 1 << 20))
    if random.random() < 0.5:
        return ".gz", gzip.compress(data, 1, mtime=0)[:MAX_SIZE]
    import zstandard

    return ".zst", zstandard.ZstdCompressor(level=1).compress(data)[:MAX_SIZE]


def zip_entries(entries: dict[str, bytes], random: Choices) -> bytes:
    """A zip archive of these entries, such as an Inspect log."""
    out = BytesIO()
    kind = random.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = kind
            archive.writestr(entry, data)
    return out.getvalue()


def to_yaml(value: Any, indent: int = 0) -> str:
    """A value as YAML in block style; scalars are written as in JSON."""
    space = "  " * indent
    if isinstance(value, dict) and value:
        pairs = (
            f"{space}{msgspec.json.encode(key).decode()}:{_after_key(item, indent)}"
            for key, item in value.items()
        )
        return "\n".join(pairs)
    if isinstance(value, list) and value:
        return "\n".join(f"{space}-{_after_key(item, indent)}" for item in value)
    return space + msgspec.json.encode(value).decode("utf-8", "replace")


def _after_key(value: Any, indent: int) -> str:
    if value and isinstance(value, dict | list):
        return "\n" + to_yaml(value, indent + 1)
    return " " + msgspec.json.encode(value).decode("utf-8", "replace")


def with_yaml_tricks(data: bytes, random: Choices) -> bytes:
    """The YAML, with anchors, aliases, tags, directives and block scalars put into some lines."""
    if not random.mutates(0.7):
        return data
    lines = data.split(b"\n")
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(lines))
        head, colon, rest = lines[at].partition(b": ")
        trick = random.choice(_VALUE_TRICKS)
        lines[at] = head + b": " + trick.replace(b"@", rest or b"x") if colon else lines[at]
    if random.random() < 0.4:
        lines.insert(0, random.choice(_HEADS))
    if random.random() < 0.4:
        lines.insert(random.randrange(len(lines) + 1), random.choice(_LINE_TRICKS))
    return b"\n".join(lines)


def _laughs(depth: int, width: int) -> bytes:
    """Aliases of aliases: few bytes that stand for very many values."""
    lines = [b"a0: &a0 [x]"]
    for level in range(1, depth):
        aliases = b", ".join([b"*a%d" % (level - 1)] * width)
        lines.append(b"a%d: &a%d [%s]" % (level, level, aliases))
    return b"\n".join(lines)


_VALUE_TRICKS = (
    *(
        b"&a @",
        b"*a",
        b"&a [*a, *a]",
        b"!!str @",
        b"!!int @",
        b"!!float @",
        b"!!binary @",
        b"!!set {a, b}",
    ),
    *(
        b"!!omap [a: 1]",
        b"!!python/object/apply:os.system [x]",
        b"!x @",
        b"!<tag:x> @",
        b"!!null @",
    ),
    *(
        b"|\n    @",
        b">-\n    @",
        b"|9\n  @",
        b"? @",
        b"'@",
        b'"@',
        b"@ # comment",
        b"{<<: *a, b: @}",
    ),
    *(
        b"!!timestamp 2024-01-15",
        b"0o17",
        b"0x1F",
        b".inf",
        b".nan",
        b"1_000",
        b"1e1000000000000000000",
    ),
    *(
        b"[" * 2000,
        b"{a: " * 200,
        b"[@, @",
        b"{@: @}",
        b"[[@]: 1]",
        b"!!map [1]",
        b"!!bool @",
        b"-",
        b"~",
    ),
    *(b"&a", b"*b", b"&\xc3\xa9 @", b"!!float 1e400", b"!!int 0b1", b"!!int " + b"9" * 5000),
    *(text.encode("utf-8", "surrogatepass") for text in STRINGS[:30]),
)
_HEADS = (
    *(
        b"%YAML 1.3\n---",
        b"%YAML 1.1\n---",
        b"%YAML 2.0\n---",
        b"%YAML 1.2\n%YAML 1.2\n---",
        b"%YAML x\n---",
    ),
    *(
        b"%TAG ! tag:x,2000:\n---",
        b"%TAG !! !\n---",
        b"%FOO bar\n---",
        b"%",
        b"---",
        b"--- |",
        b"--- &a",
    ),
    *(
        b"\xef\xbb\xbf%YAML 1.2\n---",
        b"...",
        b"---\n---",
        b"a: &a 1",
        _laughs(6, 9),
        _laughs(20, 2),
    ),
    *(
        _laughs(9, 9),
        b"&a [*a]",
        b"%YAML 1.99999999999999999999\n---",
        b"%YAML 1.3.4\n---",
        b"%YAML\n---",
    ),
)
_LINE_TRICKS = (
    *(
        b"---",
        b"...",
        b"\t",
        b"\tid: 1",
        b"? a\n: b",
        b"- - - -",
        b"*a : 1",
        b"<<: [*a, *a]",
        b"<<: *a",
    ),
    *(
        b"? [1, 2]\n: 3",
        b"? {a: 1}\n: 3",
        b"!!set",
        b"- !!python/name:os.system",
        b"#",
        b"%",
        b"@",
        b"`",
    ),
    *(
        b"x: |\n  a\n b",
        b'x: "\\x1b\\u2028\\U00110000"',
        b"x: 'a\n  b'",
        b"null: 1",
        b"1: 1\n1: 2",
        b"\x00",
    ),
)


def to_toml(value: dict[str, Any]) -> bytes:
    """An object as TOML, with inline tables; what TOML lacks is left out or written as text."""
    lines = [f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items() if item is not None]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (
            f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items() if item is not None
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value if item is not None) + "]"
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return '"null"' if text == "null" else text


def _toml_key(key: str) -> str:
    return msgspec.json.encode(key).decode()
