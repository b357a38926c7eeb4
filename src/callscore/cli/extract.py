"""`callscore extract`: the calls, or the tools, in traces of any stack, as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from callscore.cli.options import (
    input_format_option,
    reading_from,
    reading_options,
    skip_bad_option,
    tools_option,
)
from callscore.cli.output import Output, open_output, print_note, print_skipped
from callscore.cli.output_formats import output_options
from callscore.cli.progress import progress
from callscore.cli.unpacking import max_unpacked_option
from callscore.documents import Document, raise_unreadable, read_documents, tools_in
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.dialect import dialect_named
from callscore.formats.reading import read_as, read_definitions_in, read_named, with_cached_dialects
from callscore.hiding.hider import Hider
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import ReadOptions, Trace

__all__ = ["command"]

_HELP = """Print the calls in FILEs, in any trace format, as one JSON object per line; - is standard input.

Each line has a `name` and `arguments` (null if they cannot be read, with `raw` and `error`), and what
else the trace has: id, step, result, failed, kind, caller, case and trial.

With --tools, arguments of textual formats get the types of the tool definitions.
"""


@click.command(help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--definitions", is_flag=True, help="Print the tool definitions in the traces, not the calls."
)
@tools_option
@input_format_option
@reading_options
@output_options("jsonl")
@skip_bad_option
@max_unpacked_option
def command(  # noqa: D103  (the help is above)
    *,
    files: tuple[str, ...],
    input_format: str | None,
    definitions: bool,
    tools: str | None,
    output: str | None,
    skip_bad: bool,
    **options: Any,
) -> None:
    read_options = reading_from(options, () if tools is None else tools_in(Path(tools)))
    dialect = None if input_format is None else dialect_named(input_format)
    on_bad = print_skipped if skip_bad else raise_unreadable
    extractor = _Extractor(files, dialect, read_options, on_bad)
    with open_output(output, "jsonl", "en") as target, progress(files, "reading") as on_bytes:
        for file in files:
            documents = read_documents(file, dialect=dialect, on_bytes=on_bytes, on_bad=on_bad)
            write = extractor.write_tools if definitions else extractor.write_calls
            write(file, documents, target)


class _Extractor(NamedTuple):
    """Writes the calls or the tools in documents, and prints how many there are of each format."""

    files: tuple[str, ...]
    dialect: Dialect | None
    read_options: ReadOptions
    on_bad: Callable[[str, str], object]

    def write_calls(self, file: str, documents: Iterator[Document], target: Output) -> None:
        """Write the calls of a file, one per line."""
        counts: dict[tuple[str, str], int] = {}
        read_options, hide = with_cached_dialects(self.read_options), Hider().data
        for document in documents:
            for trace in self._traces(document, read_options):
                view = "expected " if trace.calls is None else f"{trace.view} "
                kind = (document.dialect.name, view if trace.says_anything else "")
                counts[kind] = counts.get(kind, 0) + len(trace.any_calls)
                place = None if document.place == file and len(self.files) == 1 else document.place
                about = {"case": trace.id, "trial": trace.trial, "place": place}
                known = {field: value for field, value in about.items() if value is not None}
                lines = [
                    encode_json(hide({**call_to_dict(call), **known})) for call in trace.any_calls
                ]
                target.write_bytes(b"".join(line + b"\n" for line in lines))
        found = [(name, _count(count, f"{view}call")) for (name, view), count in counts.items()]
        self._print_counts(file, found)

    def _traces(self, document: Document, read_options: ReadOptions) -> list[Trace]:
        try:
            read = read_as if self.dialect is None else read_named
            return read(document.dialect, document.value, read_options)
        except (InvalidCall, UnreadableInput) as error:
            self.on_bad(document.place, str(error))
            return []

    def write_tools(self, file: str, documents: Iterator[Document], target: Output) -> None:
        """Write the definitions of the tools of a file, each once, one per line."""
        counts: dict[str, int] = {}
        seen: set[bytes] = set()
        hide = Hider().data
        for document in documents:
            name = document.dialect.name
            counts.setdefault(name, 0)
            for tool in read_definitions_in(document.value, dialect=document.dialect):
                line = encode_json(hide(tool_to_dict(tool)))
                if line not in seen:
                    seen.add(line)
                    counts[name] += 1
                    target.write_text(line.decode() + "\n")
        self._print_counts(file, [(name, _count(count, "tool")) for name, count in counts.items()])

    def _print_counts(self, file: str, found: list[tuple[str, str]]) -> None:
        if not found:
            raise UnreadableInput(file, "the file is empty.")
        if self.dialect is None:
            print_note(f"{file}: {'; '.join(f'{name}: {count}' for name, count in found)}")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
