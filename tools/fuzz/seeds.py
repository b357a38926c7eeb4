"""What is mutated: samples of every format, cases, suites, settings, tools, exports, a database."""

from __future__ import annotations

import sqlite3
import tempfile
import zipfile
from contextlib import closing
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz.execution import in_folder
from tools.fuzz.inputs import MAX_SIZE, Input
from tools.fuzz.targets import run_input
from tools.transcript.inputs import (
    BAD_LINES,
    CASES,
    MATCHER_CASES,
    RICH,
    TOOLS,
    answer_lines,
    weather_files,
)
from tools.transcript.values import DATE_CASES, GROUP_CASES, SCHEMA_CASES, SCHEMA_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SETTINGS",
    "SUITE_FILES",
    "History",
    "case_seeds",
    "config_seeds",
    "file_seeds",
    "history_seed",
    "inspect_entries",
    "past_inputs",
    "suite_seeds",
    "tools_seeds",
    "trace_seeds",
]

_REPOSITORY = Path(__file__).resolve().parents[2]
_SAMPLES = _REPOSITORY / "tests" / "samples"
_MOST = 30_000  # bytes of a sample: larger ones are slow to mutate, and no different


@cache
def trace_seeds() -> list[Any]:
    """Documents of every format: the samples, and the example of each format."""
    from callscore.formats.dialect import dialects

    found = [dialect.example for dialect in dialects()] * 2
    for path in sorted(_SAMPLES.rglob("*.json*")):
        # Definitions without calls are refused, and so is what is said about a document.
        is_answer = path.name.endswith((".expected.json", ".schemas.json"))
        is_answer = is_answer or path.parent.name == "rows"
        if path.suffix in (".json", ".jsonl") and path.stat().st_size < _MOST and not is_answer:
            found.extend(_documents(path))
    return [each for each in found if _encodes(each)]


def _documents(path: Path) -> Iterator[Any]:
    data = path.read_bytes()
    try:
        yield msgspec.json.decode(data)
    except msgspec.DecodeError:
        try:
            yield [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
        except msgspec.DecodeError:
            return


def _encodes(value: Any) -> bool:
    try:
        msgspec.json.encode(value)
    except (TypeError, UnicodeEncodeError, RecursionError):
        return False
    return True


@cache
def case_seeds() -> list[dict[str, Any]]:
    """Cases with calls, rules, groups, dates and schemas."""
    written = [msgspec.json.decode(line) for line in CASES.splitlines()]
    return [*RICH, *MATCHER_CASES, *DATE_CASES[::7], *GROUP_CASES, *SCHEMA_CASES, *written]


@cache
def tools_seeds() -> list[Any]:
    """Definitions of tools."""
    examples = msgspec.json.decode((_REPOSITORY / "examples/assistant/tools.json").read_bytes())
    return [TOOLS, SCHEMA_TOOLS, examples, TOOLS[:1]]


@cache
def config_seeds() -> list[dict[str, Any]]:
    """Settings of a project."""
    return [
        {"preset": "flexible", "argument_match_threshold": 0.5, "order": "in_order"},
        {"preset": "outcome", "effects": {"get_*": "read", "pay": "write"}, "top_k": 2},
        {"mode": "strict", "arrays": "unordered", "nested_objects": "subset", "pass_mark": 0.8},
        {"strip_prefix": ["mcp__*__"], "normalize_name": ["case", "dots", "namespace"]},
        {"arguments": {"*.date": "date", "search.q": {"text": {"similarity": 0.8}}}},
        {"failed_calls": "ignore", "repeated_calls": "collapse", "count_calls": "all"},
        {"mode": "flexible", "extra_arguments": "count", "arguments": {"pay.amount": "approx"}},
    ]


# Valid values of settings; any combination is valid.
SETTINGS: dict[str, list[Any]] = {
    "mode": ["strict", "flexible"],
    "argument_match_threshold": [0, 0.5, 0.8, 1],
    "order": ["any", "in_order", "exact"],
    "extra_arguments": ["ignore", "count"],
    "pass_mark": [0, 0.5, 1],
    "strip_prefix": [[], ["mcp__*__"], ["functions."]],
    "normalize_name": [[], ["case"], ["case", "dots", "namespace"]],
    "count_calls": ["all", "writes"],
    "failed_calls": ["count", "ignore"],
    "repeated_calls": ["count", "collapse"],
    "arrays": ["ordered", "unordered"],
    "nested_objects": ["equal", "subset"],
    "effects": [{"get_*": "read", "pay": "write"}, {"*": "read"}],
    "arguments": [
        {"*.date": "date"},
        {"*.city": {"text": {"similarity": 0.8}}, "pay.amount": "approx"},
        {"*.id": "ignore", "*.text": "contains"},
    ],
    "top_k": [1, 2, 3],
}

_SUITE: dict[str, Any] = {
    "name": "weather",
    "answers": "answers.jsonl",
    "cases": [
        {
            "id": "oslo",
            "input": "Is it cold in oslo?",
            "tags": ["north"],
            "expected": [{"name": "get_weather", "arguments": {"city": {"$contains": "os"}}}],
        },
        {"id": "rome", "input": "And in rome?", "expected": ["get_weather"], "skip": "later"},
        "cases.jsonl",
    ],
    "tools": TOOLS,
    "scorers": ["accuracy", "exact", "tool_called"],
    "fail_under": {"accuracy": 0.5},
    "settings": {"preset": "flexible", "order": "any"},
    "tags": ["weather"],
    "trials": 2,
}


@cache
def suite_seeds() -> list[dict[str, Any]]:
    """Suites whose answers are recorded."""
    plain = {"answers": "answers.jsonl", "cases": "cases.jsonl"}
    inside = [case for case in case_seeds() if "id" in case and "actual" in case][:8]
    return [
        _SUITE,
        plain,
        {**plain, "name": "w", "settings": {"order": "in_order"}, "scorers": ["f1", "precision"]},
        {**plain, "cases": [{"id": "oslo", "input": "x", "expected": inside[0]["expected"]}]},
        {**plain, "fail_under": 0.5, "only": True, "tags": ["a", "b"], "tools": TOOLS},
        {**plain, "trials": 3, "scorers": ["exact"], "skip": False},
    ]


SUITE_FILES: dict[str, bytes] = {
    "answers.jsonl": answer_lines("oslo").encode(),
    "cases.jsonl": b'{"id": "lima", "input": "lima?", "expected": ["get_weather"]}\n',
}


@cache
def file_seeds() -> dict[str, list[bytes]]:
    """Whole files, by the suffix that they have."""
    files = {
        ".jsonl": [*BAD_LINES.values(), CASES.encode()],
        ".yaml": [(_REPOSITORY / "examples/assistant/cases.yaml").read_bytes()],
        ".eval": [(_SAMPLES / "files/tool_calls.eval").read_bytes()],
        ".pb": [(_SAMPLES / "files/otlp_traces.pb").read_bytes()],
        ".json": [(_SAMPLES / "files/otlp_traces.json").read_bytes()],
    }
    return {suffix: [data[:MAX_SIZE] for data in known] for suffix, known in files.items()}


@cache
def inspect_entries() -> dict[str, bytes]:
    """The entries of an Inspect log."""
    data = file_seeds()[".eval"][0]
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {info.filename: _entry(data, info) for info in archive.infolist()}


def _entry(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """One entry, in zstd, which the standard library cannot decompress."""
    import zstandard

    names = data[info.header_offset + 26 : info.header_offset + 30]
    start = info.header_offset + 30 + int.from_bytes(names[:2], "little")
    start += int.from_bytes(names[2:], "little")
    packed = data[start : start + info.compress_size]
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


class History(msgspec.Struct, frozen=True):
    """A history of a few runs, and its runs as exported."""

    database: bytes
    jsonl: bytes
    parquet: bytes
    files: dict[str, bytes]


@cache
def history_seed() -> History:
    """A history; it is made by the program itself, in a scratch folder."""
    with in_folder(Path(tempfile.mkdtemp(prefix="callscore-fuzz-"))):
        return _make_history()


def _make_history() -> History:
    files = {name: _bytes(text) for name, text in weather_files().items()}
    for name, data in files.items():
        Path(name).write_bytes(data)
    _callscore("run", "--name", "before", "--show", "none")
    _callscore("baseline", "set")
    Path("answers.jsonl").write_text(answer_lines("oslo", "rome"))
    _callscore("run", "--name", "after", "--show", "none")
    _callscore("export", "latest", "-o", "run.jsonl")
    _callscore("export", "latest", "-o", "run.parquet")
    _pack(Path(".callscore/history.db"))
    return History(
        database=Path(".callscore/history.db").read_bytes(),
        jsonl=Path("run.jsonl").read_bytes(),
        parquet=Path("run.parquet").read_bytes(),
        files={**files, "answers.jsonl": Path("answers.jsonl").read_bytes()},
    )


def _pack(path: Path) -> None:
    """Make a database smaller: as it is, most of it is empty, and it is larger than inputs may be."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA page_size = 1024")
        database.execute("VACUUM")
        database.execute("PRAGMA journal_mode = WAL")


def _callscore(*arguments: str) -> None:
    run_input(Input("cli history", arguments, {}))


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@cache
def past_inputs() -> list[tuple[str, bytes]]:
    """Files that once made callscore fail, with their names: mutated again and again."""
    folder = _SAMPLES / "fuzz"
    return [
        (path.name, path.read_bytes())
        for path in sorted(folder.glob("*.*"))
        if path.suffix != ".md"
    ]
