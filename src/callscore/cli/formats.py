"""`callscore formats`: every format of traces with an example, or the format of one file and why."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, to_builtins

from callscore.cli.completion import complete_input_format
from callscore.cli.output import open_output
from callscore.cli.output_formats import report_options
from callscore.core.rendering import clip, escape, wrap
from callscore.documents import DocumentReader
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.dialect import dialect_named, dialects, sign_index
from callscore.formats.reading import read_as
from callscore.formats.signs import found_signs
from callscore.reports.formatting import file_width
from callscore.sources import read_batches
from callscore.sources.remote import without_credentials
from callscore.words.value_text import encode_json, json_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from callscore.cli.output import Output
    from callscore.documents import Document
    from callscore.formats.dialect import Dialect

__all__ = ["command"]

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
    help="Show which format FILE is in and why, and what each other format would read from it.",
)
@report_options(["table", "json"])
def command(*, name: str | None, file: str | None, output: str | None, output_format: str) -> None:
    """List the trace formats in the order in which they are tried, or show an example of NAME.

    The first format that recognizes a document is used.
    """
    if name is not None and file is not None:
        raise click.UsageError("Pass a NAME or --identify, not both.")
    with open_output(output, output_format, "en") as target:
        if file is not None:
            _write_identified(file, target, is_json=output_format == "json")
        elif name is not None:
            example = dialect_named(name).example
            is_text = isinstance(example, str) and output_format == "table"
            target.write_text(f"{example}\n" if is_text else json_document(example))
        else:
            _write_list(target, is_json=output_format == "json")


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
        records: how many it recognizes.
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


def _write_identified(file: str, target: Output, *, is_json: bool) -> None:
    name = without_credentials(file)
    problems: list[str] = []
    reader = DocumentReader(
        name, None, lambda place, problem: problems.append(f"{place}: {problem}")
    )
    batches = read_batches(file, allow_remote=True)
    documents = chain(chain.from_iterable(map(reader.take, batches)), reader.finish())
    uses = _uses(documents)
    if not uses and not problems:
        raise UnreadableInput(name, "the file is empty.")
    if is_json:
        formats = [{**to_builtins(use), "signs": [*use.signs]} for use in uses]
        target.write_text(json_document({"file": name, "formats": formats, "unknown": problems}))
    else:
        target.write_text("".join(f"{line}\n" for line in _identified_lines(name, uses, problems)))


def _uses(documents: Iterator[Document]) -> list[_Use]:
    """What each format makes of the documents, those that are used first."""
    uses: dict[str, _Use] = {}
    for document in documents:
        value = document.value
        possible = [each for each in sign_index().dialects_for(value) if each.recognizes(value)]
        if document.dialect not in possible:  # of the lines of a file, not of all together
            possible.insert(0, document.dialect)
        for dialect in possible:
            use = uses.setdefault(dialect.name, _Use(dialect.name, dialect.title))
            is_joined = isinstance(value, list) and dialect.joins_lines(value[0] if value else None)
            records = len(value) if is_joined else 1
            use.records += records
            use.used += records if dialect is document.dialect else 0
            use.signs.update(dict.fromkeys(found_signs(dialect.signs, value)))
            try:
                use.calls += sum(len(trace.any_calls) for trace in read_as(dialect, value))
            except CallscoreError as error:
                use.problem = use.problem or str(error)
    order = {dialect.name: place for place, dialect in enumerate(dialects())}
    return sorted(uses.values(), key=lambda use: (-use.used, -use.records, order[use.name]))


def _identified_lines(name: str, uses: list[_Use], problems: list[str]) -> Iterator[str]:
    for use in uses:
        if use.used:
            why = f", by {' and '.join(use.signs)}" if use.signs else ""
            yield escape(f"{name}: {use.name}{why}")
            yield f"{_INDENT}{use.title}"
    second = next((use for use in uses if not use.used), None)
    if second is not None:
        yield f"second: {second.name}"
    elif uses:
        yield "second: none, no other format recognizes a record"
    if uses:
        yield ""
        yield from _use_table(uses)
    for problem in problems[:_MOST_PROBLEMS]:
        yield escape(problem)
    if len(problems) > _MOST_PROBLEMS:
        yield f"… and {len(problems) - _MOST_PROBLEMS} more records of unknown format"


def _use_table(uses: list[_Use]) -> Iterator[str]:
    width = max(len("format"), *(len(use.name) for use in uses))
    yield f"{'format':<{width}}   recognized   used   calls"
    for use in uses:
        calls: Any = "error" if use.problem else use.calls
        line = f"{use.name:<{width}}   {use.records:>10}   {use.used:>4}   {calls:>5}"
        yield line + (f"   {escape(use.problem)}" if use.problem else "")
