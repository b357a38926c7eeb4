"""What kind of file it is: its content has the last word, its name the first."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal

from callscore.sources.jsonl import decode_line
from callscore.sources.record import Record

__all__ = [
    "BINARY",
    "Kind",
    "kind_by_head",
    "kind_by_name",
    "kind_of_json",
    "looks_like_model_text",
    "looks_like_table",
]

Kind = Literal["jsonl", "json", "yaml", "table", "text", "parquet", "eval", "otlp"]

BINARY: dict[Kind, str] = {
    "parquet": "a Parquet file",
    "eval": "an Inspect log",
    "otlp": "OTLP as protobuf",
}

_SUFFIXES: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".csv": "table",
    ".tsv": "table",
    ".txt": "text",
    ".md": "text",
    ".parquet": "parquet",
    ".eval": "eval",
    ".pb": "otlp",
    ".binpb": "otlp",
    ".otlp": "otlp",
}
_COMPRESSED = (".gz", ".zst")
_PARQUET_MAGIC = b"PAR1"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
# A line of a document that is written over several lines ends like this; a whole value never does.
_CONTINUED = (b"{", b"[", b",", b":")
# What a message of OTLP begins with is, as text, the end of a line; its length may stand in front.
_OTLP = re.compile(rb"\n.*?[\x00-\x08\x0e-\x1f]|\x00...\n", re.DOTALL)
_HEADER = re.compile(rb'(?:"[\w.$ -]+"|[\w.$-]+)(?:[,;\t](?:"[\w.$ -]+"|[\w.$-]+))+\s*')
# What models write around calls, and what neither JSON nor the YAML of a case file has.
_MODEL_TEXT = re.compile(
    rb"<(?:tool_call|function=|think|\||\xef\xbd\x9c)|\[TOOL_CALLS\]|^```|^\s*\[[\w.]+\(",
    re.MULTILINE,
)


def kind_by_name(path: str) -> Kind | None:
    """What the name of a file says, its compression aside."""
    name = PurePath(path.lower())
    if name.suffix in _COMPRESSED:
        name = name.with_suffix("")
    return _SUFFIXES.get(name.suffix)


def kind_by_head(head: bytes) -> Kind | None:
    """What the first bytes of a file say, if it is not text; of OTLP they say only that it may be."""
    if head.startswith(_PARQUET_MAGIC):
        return "parquet"
    if head.startswith(_ZIP_MAGICS):
        return "eval"
    return "otlp" if _OTLP.match(head) else None


def kind_of_json(first: bytes, second: bytes, named: Kind | None) -> Kind:
    """What begins with an object or an array: its first two lines that are not blank tell."""
    if not second:
        return "jsonl" if named == "jsonl" and first.lstrip().startswith(b"{") else "json"
    if first.rstrip().endswith(_CONTINUED):
        return "json"
    is_whole = isinstance(decode_line(first, ""), Record)
    # A broken line in front of an object is one bad line of many.
    if is_whole or named == "jsonl" or second.lstrip().startswith(b"{"):
        return "jsonl"
    return "json"


def looks_like_model_text(head: bytes) -> bool:
    """Whether a file that has no telling name holds what a model wrote, calls and all."""
    return not head.lstrip().startswith(b"{") and _MODEL_TEXT.search(head) is not None


def looks_like_table(first: bytes) -> bool:
    """Whether a line can be the header of a table: plain names and delimiters, and nothing else."""
    return _HEADER.fullmatch(first) is not None
