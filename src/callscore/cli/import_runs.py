"""`callscore import`: adds runs to the history that were exported, or written to a rescue file."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option, open_store_to_write, require_one_stdin, store_option
from callscore.cli.output import print_note
from callscore.cli.progress import progress
from callscore.core.phrases import Phrase, count_of, say
from callscore.words.value_text import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrases import Language
    from callscore.history.exchange.import_export import ImportedRun
    from callscore.history.store import Store

__all__ = ["command"]

_HELP = """Take runs into the history: FILEs of `callscore export`, JSON lines or Parquet.

Also what a run has put beside the history because it could not be kept. A run that is there already is
filled up, not doubled. Where something in a FILE cannot be read, nothing of any is imported.

\b
  callscore import main.jsonl
"""
_NEW = Phrase("run {run} is imported: {results}", "прогон {run} импортирован: {results}")
_FILLED = Phrase(
    "run {run} was there already: {results} in the file, {added} of them new",
    "прогон {run} уже был: {results} в файле, из них новых {added}",
)
_RENAMED = Phrase(
    "its id in the file is {given}, which is another run here",
    "здесь под id {given} из файла уже есть другой прогон",
)
_MISSING = Phrase(
    "run {run} is not whole: {results} of it could not be found. It is kept as one that did not end",
    "прогон {run} неполон: не нашлось {results}. Он сохранён как незавершённый",
)


@click.command("import", short_help="Take exported runs into the history.", help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@store_option
@lang_option
def command(*, files: tuple[str, ...], store: str | None, lang: Language) -> None:
    """Take runs into the history, and say which."""
    require_one_stdin(*files)
    with open_store_to_write(store) as history:
        imported = _imported(history, files)
    for each in imported:
        results = count_of(RESULTS, each.results, lang)
        phrase = _NEW if each.is_new else _FILLED
        name = f"{each.run.id} ({each.run.name})" if each.run.name else each.run.id
        print_note(say(phrase, lang, run=name, results=results, added=each.added))
        if each.given:
            print_note(say(_RENAMED, lang, given=each.given))
        if each.missing:
            missing = count_of(RESULTS, each.missing, lang)
            print_note(say(_MISSING, lang, run=each.run.id, results=missing))


def _imported(store: Store, files: Sequence[str]) -> list[ImportedRun]:
    """Import what is in the files, once all of it could be read."""
    from callscore.history.exchange.import_export import check_records, import_records
    from callscore.history.exchange.run_files import open_run_file

    with ExitStack() as held:
        opened = [(path, held.enter_context(open_run_file(path))) for path in files]
        with progress(files, "reading") as on_bytes:
            for path, file in opened:
                check_records(file.records(on_bytes), path, store)
        return [each for _, file in opened for each in import_records(store, file.records())]
