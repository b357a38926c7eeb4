"""`callscore extract`: the calls, or the tools, in traces of any stack, as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from msgspec.structs import replace

from callscore.cli.jobs import jobs_option
from callscore.cli.options import (
    input_format_option,
    reading_from,
    reading_options,
    skip_bad_option,
    tools_option,
)
from callscore.cli.output import Output, open_output, print_note, print_skipped, print_unread
from callscore.cli.output_formats import output_options
from callscore.cli.progress import progress
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.totals import NameCounter
from callscore.documents import (
    Document,
    DocumentReader,
    raise_unreadable,
    tools_in,
)
from callscore.engines.pool import Done, LineTask, process_count, spread
from callscore.errors import InvalidCall, UnreadableInput, WorkerEnded
from callscore.formats.dialect import Dialect, dialect_named
from callscore.formats.reading import Recognizer, read_as, read_definitions_in, read_named
from callscore.hiding.hider import Hider
from callscore.sources import Batch, read_batches
from callscore.sources.data_files import STANDARD_INPUT, file_id
from callscore.sources.paths import expand_paths
from callscore.sources.remote import without_credentials
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.results import Noted
    from callscore.formats.trace import ReadOptions, Trace

_OWN_FORMAT = "callscore_case"  # whose cases name themselves
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
@jobs_option(1)
@skip_bad_option
@max_unpacked_option
def command(  # noqa: D103  (the help is above)
    *,
    files: tuple[str, ...],
    input_format: str | None,
    definitions: bool,
    tools: str | None,
    output: str | None,
    jobs: int,
    skip_bad: bool,
    **options: Any,
) -> None:
    read_options = reading_from(options, () if tools is None else tools_in(Path(tools)))
    dialect = None if input_format is None else dialect_named(input_format)
    on_bad = print_skipped if skip_bad else raise_unreadable
    if jobs > 1 and definitions:
        print_note("--jobs has no effect with --definitions")
    files = tuple(expand_paths(files))
    extractor = _Extractor(files, dialect, read_options, on_bad)
    with (
        open_output(output, "jsonl", "en", is_all_or_nothing=True) as target,
        progress(files, "reading") as on_bytes,
    ):
        for file in files:
            name = without_credentials(file)
            batches = read_batches(file, on_bytes=on_bytes, allow_remote=True)
            if definitions:
                reader = DocumentReader(name, dialect, on_bad)
                documents = chain(chain.from_iterable(map(reader.take, batches)), reader.finish())
                extractor.write_tools(name, documents, target)
            else:
                extractor.write_calls(name, batches, target, process_count(jobs))


class _Extractor(NamedTuple):
    """Writes the calls or the tools in documents, and prints how many there are of each format."""

    files: tuple[str, ...]
    dialect: Dialect | None
    read_options: ReadOptions
    on_bad: Callable[[str, str], object]

    def write_calls(self, file: str, batches: Iterator[Batch], target: Output, jobs: int) -> None:
        """Write the calls of a file, one per line."""
        calls = _CallsOfFile(file, self, target.write_bytes)
        for item in spread(batches, calls.part, jobs):
            if not isinstance(item, Done):
                calls.take(calls.reader.take(item))
            elif item.result is None:
                raise WorkerEnded(item.task.lost(item.deaths).names[0])
            else:
                calls.add(item.result)
        calls.take(calls.reader.finish())
        counted = calls.counts.items()
        self._print_counts(
            file, [(name, _count(count, f"{view}call")) for (name, view), count in counted]
        )
        print_unread(calls.unread.noted())

    def write_tools(self, file: str, documents: Iterator[Document], target: Output) -> None:
        """Write the definitions of the tools of a file, each once, one per line."""
        counts: dict[str, int] = {}
        seen: set[bytes] = set()
        hide = Hider(is_live=True).data
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


class _PartOfCalls(NamedTuple):
    """What another process found in a part of a file."""

    counts: dict[tuple[str, str], int]
    bad: list[tuple[str, str]]
    unread: Noted
    written: bytes


class _CallsOfFile:
    """Writes and counts the calls of one file, which may be in several processes."""

    def __init__(self, file: str, extractor: _Extractor, write: Callable[[bytes], object]) -> None:
        self.reader = DocumentReader(file, extractor.dialect, self._note_bad)
        self.counts: dict[tuple[str, str], int] = {}  # by format and view
        self._bad: list[tuple[str, str]] | None = None  # of a part
        self._file = file
        self._extractor = extractor
        self._write_lines = write
        self._inner = Recognizer()  # of nested documents
        self._unread: dict[str, None] = {}  # in the document at hand
        self.unread = NameCounter()
        self._read_options = replace(
            extractor.read_options, inner=self._inner.find, on_unread=self._note_unread
        )
        self._hide = Hider(is_live=True).data

    def take(self, documents: Iterator[Document]) -> None:
        """Write the calls in documents, and count them."""
        for document in documents:
            for trace in self._named(document, self._traces(document)):
                view = "expected " if trace.calls is None else f"{trace.view} "
                kind = (document.dialect.name, view if trace.says_anything else "")
                self.counts[kind] = self.counts.get(kind, 0) + len(trace.any_calls)
                self._write(document, trace)
            if self._unread:
                self.unread.add(f"{document.place}: {' '.join(self._unread)}")
                self._unread.clear()

    def _note_unread(self, text: str) -> None:
        self._unread[text] = None

    def _traces(self, document: Document) -> list[Trace]:
        try:
            read = read_as if self._extractor.dialect is None else read_named
            return read(document.dialect, document.value, self._read_options)
        except (InvalidCall, UnreadableInput) as error:
            self._note_bad(document.place, str(error))
            return []

    def _named(self, document: Document, traces: list[Trace]) -> list[Trace]:
        """The runs, with the name of their file as their id if the user wants that."""
        if self._read_options.id_from is None or self._file == STANDARD_INPUT:
            return traces
        is_only = len(traces) == 1 and document.dialect.name != _OWN_FORMAT
        return [
            replace(each, id=file_id(document.place)) if is_only or each.id is None else each
            for each in traces
        ]

    def _write(self, document: Document, trace: Trace) -> None:
        is_only = document.place == self._file and len(self._extractor.files) == 1
        place = None if is_only else document.place
        about = {"case": trace.id, "trial": trace.trial, "place": place}
        known = {field: value for field, value in about.items() if value is not None}
        lines = [
            encode_json(self._hide({**call_to_dict(call), **known})) for call in trace.any_calls
        ]
        self._write_lines(b"".join(line + b"\n" for line in lines))

    def _note_bad(self, place: str, problem: str) -> None:
        if self._bad is None or self._extractor.on_bad is raise_unreadable:
            self._extractor.on_bad(place, problem)
        else:
            self._bad.append((place, problem))

    def part(self, task: LineTask) -> _PartOfCalls | None:
        """The calls in some lines, in another process; None if they change how the others are read."""
        self.counts, self._bad, self.unread = {}, [], NameCounter()
        written: list[bytes] = []
        self._write_lines = written.append
        state = self.reader.state, self._inner.state
        for batch in task.lines:
            self.take(self.reader.take(batch))
        if state != (self.reader.state, self._inner.state):
            return None
        return _PartOfCalls(self.counts, self._bad, self.unread.noted(), b"".join(written))

    def add(self, part: _PartOfCalls) -> None:
        """Write and count what another process found."""
        for kind, count in part.counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        for place, problem in part.bad:
            self._extractor.on_bad(place, problem)
        self.unread.add_noted(part.unread)
        self._write_lines(part.written)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
