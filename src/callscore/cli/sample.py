"""`callscore sample`: a stratified sample of the cases of a large log, as JSON lines."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from callscore.cli.exits import add_how_to_skip
from callscore.cli.options import (
    input_options,
    lang_option,
    reading_from,
    refuse_evaluations,
    require_one_stdin,
    skip_bad_option,
)
from callscore.cli.output import HIDDEN_SECRETS, Output, open_output, print_note, without_secrets
from callscore.cli.output_formats import new_file_options
from callscore.cli.progress import progress
from callscore.cli.sample_options import by_option, seed_option
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, say
from callscore.engines.sampling import Sample, sample_files
from callscore.errors import UnreadableInput
from callscore.hiding.hider import Hider
from callscore.sources.paths import expand_paths
from callscore.words.value_text import encode_json

_HELP = """Sample the cases of LOGs, in any format, as JSON lines; - is standard input.

All trials of a case are taken together. The same seed gives the same cases, whatever the order of the
files. Lines of JSON lines stay as they are. Each file is read once, in bounded memory.

\b
As many cases of each tool as possible, so that rare tools are not missed:
  callscore sample log.jsonl -n 10000 --by tool -o sample.jsonl
By the value at a path of each record:
  callscore sample logs/*.jsonl.gz -n 10000 --by '$.metadata.model' -o sample.jsonl
"""


@click.command(help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="Number of cases.",
)
@by_option
@seed_option
@input_options
@new_file_options
@lang_option
@skip_bad_option
@max_unpacked_option
def command(  # noqa: D103  (the help is above)
    *, files: tuple[str, ...], count: int, output: str | None, lang: Language, **options: Any
) -> None:
    require_one_stdin(*files)
    files = tuple(expand_paths(files))
    refuse_evaluations(*files)
    read_options = reading_from(options)
    try:
        with progress(files, "reading") as on_bytes:
            sample = sample_files(
                files,
                n=count,
                by=options["by"],
                seed=options["seed"],
                skip_bad=options["skip_bad"],
                fields=dict(options["fields"]),
                format=options["input_format"],
                read_options=read_options,
                on_bytes=on_bytes,
            )
    except UnreadableInput as error:
        add_how_to_skip(error, "sample")
        raise
    with open_output(output, "jsonl", lang, is_all_or_nothing=True) as target:
        hidden = _write(sample, target, is_file=output not in (None, "-"))
    _print_notes(sample, count, hidden, lang)


def _write(sample: Sample, target: Output, *, is_file: bool) -> int:
    """Write the lines; returns how many had a secret of the environment.

    A file gets the very bytes. On standard output, which may be the log of a build, invisible characters
    and commands are escaped.
    """
    hider, hidden = Hider(), 0
    write = target.write_unchanged if is_file else target.write_bytes
    for line in sample.lines:
        shown = _without_secrets(line, hider) if hider.has_any else line
        hidden += shown is not line
        write(shown + b"\n")
    return hidden


def _without_secrets(line: bytes, hider: Hider) -> bytes:
    """The same line if there is no secret in it."""
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError):  # it has something malformed in it
        text = line.decode("utf-8", "replace")
        shown = hider.text(text)
        return line if shown == text else shown.encode()
    hidden = hider.data(value)
    return line if hidden is value else encode_json(hidden)


def _print_notes(sample: Sample, count: int, hidden: int, lang: Language) -> None:
    from callscore.reports.inert import inert_lines
    from callscore.reports.sample import sample_lines, strata_lines

    for line in sample_lines(sample, count, lang):
        print_note(_with_plain_spaces(line))
    for name in sample.skipped.names:
        print_note(name)
    if hidden:
        print_note(say(HIDDEN_SECRETS, lang, count=hidden))
    table = strata_lines(sample.strata, sample.by, lang)
    if table:
        text = _with_plain_spaces("\n".join(table))
        click.echo(inert_lines(without_secrets(text)), err=True)


def _with_plain_spaces(text: str) -> str:
    """The text with spaces that stay as they are when it is escaped."""
    return text.replace("\N{NO-BREAK SPACE}", " ")
