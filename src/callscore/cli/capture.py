"""`callscore capture`: recorded traces become cases that expect what the agent did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from callscore.cli.options import (
    input_options,
    lang_option,
    limit_option,
    reading_from,
    require_one_stdin,
    skip_bad_option,
)
from callscore.cli.output import (
    HIDDEN_SECRETS,
    open_output,
    print_note,
    print_skipped,
    print_unread,
)
from callscore.cli.output_formats import new_file_options
from callscore.cli.progress import progress
from callscore.cli.record_fields import note_all_unfound
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.datasets.capturing import TraceCapture
from callscore.documents import raise_unreadable
from callscore.engines.inputs import input_options_for
from callscore.formats.cases import record_line
from callscore.hiding.hider import Hider
from callscore.words.value_text import CASES

_HELP = """Turn TRACES, in any format, into cases: one JSON object per line.

Each case expects exactly what the agent did. Review the cases, correct the mistakes of the agent, and
use them as references.

\b
  callscore capture traces.jsonl -o cases.jsonl
"""
_MADE = Phrase("{cases} to review", "{cases} нужно просмотреть")
_REPEATED = Phrase(
    "skipped because they repeat earlier ones: {count}",
    "не записаны повторы предыдущих: {count}",
)
_TRIALS = Phrase(
    "further traces of a case with the same id, counted in metadata.captured.trials: {count}",
    "ещё трассы с id уже созданных случаев, учтены в metadata.captured.trials: {count}",
)
_DIFFERING = Phrase(
    "of these, with other calls than the first: {count}",
    "из них с другими вызовами, чем в первой: {count}",
)
_NAMELESS = Phrase(
    "without an id: {count}. The cases got generated ids, so 'callscore score' cannot join these traces"
    " with them. If the traces have an id, pass its path: --map id=$.path.to.id",
    "без id: {count}. Случаи получили сгенерированные id, поэтому callscore score не сможет связать с"
    " ними эти трассы. Если id в трассах есть, укажите путь к нему: --map id=$.path.to.id",
)
_WITHOUT_INPUT = Phrase(
    "without an input, so an agent cannot be run on them: {count}",
    "без входных данных, агента запустить не на чем: {count}",
)
_TO_REVIEW = Phrase(
    "with failed or unreadable calls, listed in metadata.captured.review: {count}",
    "с неудачными или нечитаемыми вызовами, см. metadata.captured.review: {count}",
)
_SKIPPED = Phrase("skipped: {count}", "не прочитано: {count}")


@click.command(help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="TRACES...")
@input_options
@limit_option
@new_file_options
@lang_option
@skip_bad_option
@max_unpacked_option
def command(  # noqa: D103  (the help is above)
    *, files: tuple[str, ...], output: str | None, lang: Language, **options: Any
) -> None:
    require_one_stdin(*files)
    read_options, fields = reading_from(options), dict(options["fields"])
    inputs = input_options_for(fields, options["input_format"], read_options)
    captures = TraceCapture(inputs, print_skipped if options["skip_bad"] else raise_unreadable)
    with progress(files, "reading") as on_bytes:
        records = captures.take(files, limit=options["limit"], on_bytes=on_bytes)
    hider, hidden = Hider(is_live=True), 0
    with open_output(output, "jsonl", lang) as target:  # once everything could be read
        for record in records:
            shown = hider.data(record)
            hidden += shown is not record
            target.write_text(record_line(shown))
    note_all_unfound(inputs)
    for line in _summary_lines(captures, lang):
        print_note(line)
    print_unread(captures.counts.unread.noted(), lang)
    if hidden:
        print_note(say(HIDDEN_SECRETS, lang, count=hidden))


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
