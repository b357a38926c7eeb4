"""What is read from the samples: written beside them, or compared with what was written before.

    python -m tests.samples.record [--check] [FORMAT...]

Read what it changes: a wrong answer that is recorded here is taken for the right one from then on.
"""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from tests.samples.door import continues, documents_in, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
FORMATS = FOLDER / "formats"
RECORDED = FOLDER / "recorded"
ROWS = FOLDER / "rows"
ANSWERS = (".expected.json", ".schemas.json")
GIVEN = ("why", "before", "document", "options")  # in a row, before what is read
WIDTH = 100

Json = dict[str, Any]


def load(path: Path) -> Any:
    """The value in a file of JSON."""
    return msgspec.json.decode(path.read_bytes())


def samples(name: str) -> list[Path]:
    """The documents of a format."""
    return [path for path in sorted((FORMATS / name).glob("*.json")) if is_document(path)]


def is_document(path: Path) -> bool:
    """Whether a file is a document, and not an answer about one."""
    return not path.name.endswith(ANSWERS)


def format_names() -> list[str]:
    """The names of the folders of formats."""
    return sorted(path.name for path in FORMATS.iterdir())


def answers(name: str) -> Iterator[tuple[Path, Any]]:
    """The files with what is read from the documents of a format, and their contents now."""
    for path in samples(name):
        yield path.with_suffix(".expected.json"), read_whole(load(path))
    path = ROWS / f"{name}.jsonl"
    if path.exists():
        yield path, [read_row(row, name) for row in load_rows(path)]


def recorded_answers() -> Iterator[tuple[Path, Any]]:
    """Likewise for the files of others, keeping what a person saw in them."""
    for entry in load(RECORDED / "INDEX.json"):
        path = RECORDED / entry["file"]
        answer = path.with_name(f"{path.name}.expected.json")
        read = [read_whole(document) for document in documents_in(path)]
        yield answer, {**load(answer), "read": read}


def other_answers() -> Iterator[tuple[Path, Any]]:
    """Likewise for documents of no single format."""
    path = ROWS / "any.jsonl"
    yield path, [read_row(row, None) for row in load_rows(path)]


def load_rows(path: Path) -> list[Json]:
    """The rows of a file."""
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def read_row(row: Json, name: str | None) -> Json:
    """A row with what is read from its document now.

    If the document looks like something else, the row says what it looks like, and what is read from
    it in the format of its folder.
    """
    given = {key: row[key] for key in GIVEN if key in row}
    document = row["document"]
    if "before" in row:
        return {**given, "continues": continues(name or "", row["before"], document)}
    read = read_whole(document, name, row.get("options"))
    if read["format"] == name:
        del read["format"]
    return {**given, **read}


def all_answers(names: list[str]) -> Iterator[tuple[Path, Any]]:
    """The answers about everything, or about the formats that are named."""
    for name in names or format_names():
        yield from answers(name)
    if not names:
        yield from recorded_answers()
        yield from other_answers()


def written(value: Any, path: Path) -> str:
    """The content of a file of answers."""
    if path.parent == ROWS:
        return "".join(f"{_line(row)}\n" for row in value)
    return f"{_lines(value)}\n"


def _line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def _lines(value: Any, indent: str = "") -> str:
    """JSON with everything on one line that has room there."""
    line = _line(value)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{_line(key)}: {_lines(item, inner)}" for key, item in value.items()]
    else:
        parts = [_lines(item, inner) for item in value]
    body = f",\n{inner}".join(parts)
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}{body}\n{indent}{end}"


def main() -> int:
    """Write or check all; 1 if a check finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.samples.record", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="only list the files that would change"
    )
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="folders in `formats`")
    wanted = parser.parse_args()
    if unknown := set(wanted.formats) - {*format_names()}:
        close = get_close_matches(min(unknown), format_names())
        parser.error(f"unknown formats: {', '.join(unknown)}. Similar: {', '.join(close) or '-'}")
    changed = 0
    for path, value in all_answers(wanted.formats):
        text = written(value, path)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        changed += 1
        print(path.relative_to(FOLDER))  # noqa: T201  (it is a command)
        if not wanted.check:
            path.write_text(text, encoding="utf-8")
    return int(changed > 0 and wanted.check)


if __name__ == "__main__":
    sys.exit(main())
