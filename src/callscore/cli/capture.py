"""`callscore capture`: recorded traces become cases that expect what the agent did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import (
    input_options,
    lang_option,
    new_file_options,
    reading_from,
    require_new_file,
    require_one_stdin,
    skip_bad_option,
)
from callscore.cli.output import open_output, print_note, print_skipped
from callscore.cli.progress import progress
from callscore.core.phrases import Phrase, count_of, say
from callscore.datasets.capturing import TraceCapture
from callscore.documents import raise_unreadable
from callscore.engines.inputs import input_options_for
from callscore.formats.cases import record_line
from callscore.words.value_text import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.phrases import Language

__all__ = ["command"]

_HELP = """Turn recorded TRACES of any stack into cases, one JSON object a line.

Each case expects what the agent did, word for word: read them, correct what the agent got wrong, and
keep them as your references.

\b
  callscore capture traces.jsonl -o cases.jsonl
"""
_MADE = Phrase("{cases} to review", "для проверки: {cases}")
_REPEATED = Phrase(
    "left out because they are just like earlier ones: {count}",
    "пропущены как повторяющие прежние: {count}",
)
_TRIALS = Phrase(
    "further traces of an id that has a case, counted in metadata.captured.trials: {count}",
    "ещё прогонов с id, для которого есть случай, см. metadata.captured.trials: {count}",
)
_DIFFERING = Phrase(
    "of these, with other calls than the first: {count}",
    "из них с другими вызовами, чем в первом: {count}",
)
_NAMELESS = Phrase(
    "without an id: {count}. The cases got names, but `callscore score` cannot join these traces with"
    " them, for nothing in a trace says which case it belongs to. Where there is an id, say where:"
    " --map id=$.path.to.it",
    "без id: {count}. Случаи получили имена, но `callscore score` не сможет связать с ними эти прогоны:"
    " в прогоне не сказано, к какому случаю он относится. Если id есть, укажите, где:"
    " --map id=$.path.to.it",
)
_WITHOUT_INPUT = Phrase(
    "without an input, which an agent would be asked: {count}",
    "без вопроса, который можно задать агенту: {count}",
)
_TO_REVIEW = Phrase(
    "with failed or unreadable calls, named in metadata.captured.review: {count}",
    "с неудавшимися или нечитаемыми вызовами, см. metadata.captured.review: {count}",
)
_SKIPPED = Phrase("skipped: {count}", "пропущено: {count}")


@click.command(short_help="Turn traces into cases.", help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="TRACES...")
@input_options
@new_file_options
@lang_option
@skip_bad_option("Name")
def command(  # noqa: D103  (the help is above)
    *, files: tuple[str, ...], output: str | None, force: bool, lang: Language, **options: Any
) -> None:
    require_one_stdin(*files)
    require_new_file(output, force=force)
    read_options, fields = reading_from(options), dict(options["fields"])
    inputs = input_options_for(fields, options["input_format"], read_options)
    captures = TraceCapture(inputs, print_skipped if options["skip_bad"] else raise_unreadable)
    with progress(files, "reading") as on_bytes:
        records = captures.take(files, on_bytes=on_bytes)
    with open_output(output, "jsonl", lang) as target:  # once everything could be read
        for record in records:
            target.write_text(record_line(record))
    for line in _summary_lines(captures, lang):
        print_note(line)


def _summary_lines(captures: TraceCapture, lang: Language) -> Iterator[str]:
    counts = captures.counts
    yield say(_MADE, lang, cases=count_of(CASES, counts.cases, lang))
    for phrase, count in (
        (_REPEATED, counts.repeated),
        (_TRIALS, counts.trials),
        (_DIFFERING, counts.differing),
        (_NAMELESS, 0 if counts.nameless == counts.cases == 1 else counts.nameless),
        (_WITHOUT_INPUT, counts.without_input),
        (_TO_REVIEW, counts.to_review),
        (_SKIPPED, counts.skipped),
    ):
        if count:
            yield say(phrase, lang, count=count)
