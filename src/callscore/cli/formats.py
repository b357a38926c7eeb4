"""`callscore formats`: every format of traces with an example, or the format of one file and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, to_builtins

from callscore.cli.completion import complete_input_format
from callscore.cli.exit_codes import OK, UNREADABLE
from callscore.cli.output import Output, open_output, without_secrets
from callscore.cli.output_formats import report_options
from callscore.core.rendering import clip, escape, wrap, wrap_hanging
from callscore.documents import Document, DocumentReader
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.dialect import Dialect, dialect_named, dialects, sign_index
from callscore.formats.reading import read_as
from callscore.formats.signs import found_signs
from callscore.formats.trace import ReadOptions
from callscore.reports.formatting import file_width
from callscore.sources import read_batches
from callscore.sources.paths import files_in_folder
from callscore.sources.remote import without_credentials
from callscore.words.value_text import encode_json, json_document

if TYPE_CHECKING:
    from rich.console import Console


_INDENT = "    "
_SPACE = "  "
_SHORTEST_LINE = 10
_MOST_PROBLEMS = 3


@click.command()
@click.argument("name", required=False, shell_complete=complete_input_format)
@click.option(
    "--identify",
    "file",
    metavar="FILE",
    help="Show which format FILE (or a folder) is in and why, and what each format would read from it.",
)
@report_options(["table", "json"])
def command(*, name: str | None, file: str | None, output: str | None, output_format: str) -> int:
    """List the trace formats in the order in which they are tried, or show an example of NAME.

    The first format that recognizes a document is used. The exit code of --identify is 3 if none
    recognizes anything in FILE.
    """
    if name is not None and file is not None:
        raise click.UsageError("Pass a NAME or --identify, not both.")
    with open_output(output, output_format, "en") as target:
        if file is not None:
            return _write_identified(file, target, is_json=output_format == "json")
        if name is not None:
            example = dialect_named(name).example
            is_text = isinstance(example, str) and output_format == "table"
            target.write_text(f"{example}\n" if is_text else json_document(example))
        else:
            _write_list(target, is_json=output_format == "json")
    return OK


def _write_list(target: Output, *, is_json: bool) -> None:
    if is_json:
        listed = [
            {"name": each.name, "title": each.title, "example": each.example} for each in dialects()
        ]
        target.write_text(json_document(listed))
        return
    from rich.console import Console

    console = Console()  # it respects NO_COLOR and FORCE_COLOR
    width = max(len(dialect.name) for dialect in dialects())
    for dialect in dialects():
        target.write_text(_entry(dialect, width, console), is_coloured=True)


def _entry(dialect: Dialect, width: int, console: Console) -> str:
    line_width = console.width if console.is_terminal else file_width()
    room = line_width - len(_INDENT)
    name = f"{dialect.name:<{width}}"
    start = width + len(_SPACE)
    title = f"\n{' ' * start}".join(wrap(dialect.title, max(line_width - start, _SHORTEST_LINE)))
    example = dialect.example
    shown = example if isinstance(example, str) else encode_json(example).decode()
    example = clip(escape(shown), room)
    if console.is_terminal and not console.no_color:
        name, example = click.style(name, bold=True), click.style(example, dim=True)
    return f"{name}{_SPACE}{title}\n{_INDENT}{example}\n"


# --- the format of one file --------------------------------------------------------------------


class _Use(Struct):
    """What one format makes of a file.

    Attributes:
        records: how many it recognizes, and so would read.
        used: how many of them are read in it, because no format before it recognizes them.
        calls: how many calls it reads from those that it recognizes.
        signs: what they have that its documents have.
        problem: why a record that it recognizes cannot be read in it; empty if all can.
    """

    name: str
    title: str
    records: int = 0
    used: int = 0
    calls: int = 0
    signs: dict[str, None] = {}
    problem: str = ""


class _Identified(Struct):
    """What all formats make of a file.

    Attributes:
        name: the file, a folder or an archive.
        uses: the formats that recognize a record, those that are used first.
        unread: places with something that looks like calls and is not read.
        unknown: places that cannot be read, and why.
    """

    name: str
    uses: list[_Use]
    unread: list[str]
    unknown: list[str]

    @property
    def used(self) -> list[_Use]:
        return [use for use in self.uses if use.used]

    @property
    def second(self) -> _Use | None:
        """The format that recognizes most records of those that are not used."""
        return next((use for use in self.uses if not use.used), None)


def _write_identified(file: str, target: Output, *, is_json: bool) -> int:
    found = _identify(file)
    if is_json:
        target.write_text(json_document(_identified_data(found)))
    else:
        from rich.console import Console

        console = Console()
        width = console.width if console.is_terminal else file_width()
        lines = _identified_lines(found, width)
        target.write_text("".join(f"{line}\n" for line in lines))
    return OK if found.uses else UNREADABLE


def _identify(file: str) -> _Identified:
    found = _Identified(without_credentials(file), [], [], [])
    paths = files_in_folder(file)
    documents = chain.from_iterable(_documents_in(path, found.unknown) for path in paths)
    found.uses = _uses(documents, found.unread)
    if not found.uses and not found.unknown:
        raise UnreadableInput(found.name, "the file is empty.")
    # These name keys and kinds of the file, which can be anything.
    found.unread, found.unknown = without_secrets((found.unread, found.unknown))
    for use in found.uses:
        use.problem = without_secrets(use.problem)
    return found


def _documents_in(path: str, problems: list[str]) -> Iterator[Document]:
    reader = DocumentReader(
        without_credentials(path),
        None,
        lambda place, problem: problems.append(f"{place}: {problem}"),
    )
    for batch in read_batches(path, allow_remote=True):
        yield from reader.take(batch)
    yield from reader.finish()


def _uses(documents: Iterator[Document], unread: list[str]) -> list[_Use]:
    """What each format makes of the documents, those that are used first."""
    uses: dict[str, _Use] = {}
    for document in documents:
        value = document.value
        possible = [each for each in sign_index().dialects_for(value) if each.recognizes(value)]
        if document.dialect not in possible:  # of the lines of a file, not of all together
            possible.insert(0, document.dialect)
        for dialect in possible:
            use = uses.setdefault(dialect.name, _Use(dialect.name, dialect.title))
            is_used = dialect is document.dialect
            is_joined = isinstance(value, list) and dialect.joins_lines(value[0] if value else None)
            records = len(value) if is_joined else 1
            use.records += records
            use.used += records if is_used else 0
            use.signs.update(dict.fromkeys(found_signs(dialect.signs, value)))
            noted: list[str] = []
            try:
                traces = read_as(dialect, value, ReadOptions(leave_out=(), on_unread=noted.append))
            except CallscoreError as error:
                use.problem = use.problem or f"{document.place}: {error}"
            else:
                use.calls += sum(len(trace.any_calls) for trace in traces)
            unread += [f"{document.place}: {text}" for text in noted if is_used]
    order = {dialect.name: place for place, dialect in enumerate(dialects())}
    return sorted(uses.values(), key=lambda use: (-use.used, -use.records, order[use.name]))


def _identified_data(found: _Identified) -> dict[str, Any]:
    return {
        "file": found.name,
        "recognized": [use.name for use in found.used],
        "second": found.second and found.second.name,
        "formats": [{**to_builtins(use), "signs": [*use.signs]} for use in found.uses],
        "unread": found.unread,
        "unknown": found.unknown,
    }


def _identified_lines(found: _Identified, width: int) -> Iterator[str]:
    names = ", ".join([use.name for use in found.used])
    yield from _wrapped(f"{found.name}: {names or 'unknown format'}", width)
    for use in found.used:
        yield ""
        yield from _wrapped(f"{use.name}: {use.title}", width)
        yield from _wrapped(f"{_SPACE}recognized by {_reason(use)}", width)
    if found.uses:
        yield ""
        yield from _wrapped(_second_text(found.second), width)
        yield ""
        yield from _use_table(found.uses)
    problems = [f"{use.name}: {use.problem}" for use in found.uses if use.problem]
    for heading, places in (
        ("something that looks like calls and is not read", found.unread),
        ("unknown format, or unreadable", found.unknown),
        ("recognized, but unreadable", problems),
    ):
        if places:
            yield f"\n{heading}: {len(places)}"
            for place in places[:_MOST_PROBLEMS]:
                yield from _wrapped(f"{_SPACE}{place}", width)
            if len(places) > _MOST_PROBLEMS:
                yield f"{_SPACE}… and {len(places) - _MOST_PROBLEMS} more"


def _wrapped(text: str, width: int) -> Iterator[str]:
    indent = len(text) - len(text.lstrip())
    return wrap_hanging(escape(text), width, hang=indent + len(_SPACE))


def _second_text(second: _Use | None) -> str:
    if second is None:
        return "second: none, no other format recognizes a record"
    return f"second: {second.name}, by {_reason(second)}"


def _reason(use: _Use) -> str:
    """Why a format recognizes records; some formats look deeper than at a few keys."""
    return ", ".join(use.signs) if use.signs else "its content"


def _use_table(uses: list[_Use]) -> Iterator[str]:
    width = max(len("format"), *(len(use.name) for use in uses))
    yield f"{'format':<{width}}   would read   used   calls"
    for use in uses:
        calls: Any = "error" if use.problem else use.calls
        yield f"{use.name:<{width}}   {use.records:>10}   {use.used:>4}   {calls:>5}"
