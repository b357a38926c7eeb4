"""`callscore import`: adds runs to the history that were exported, or written to a rescue file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from callscore.cli.options import (
    lang_option,
    open_store_to_write,
    require_one_stdin,
    store_option,
)
from callscore.cli.output import print_note
from callscore.cli.progress import progress
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.words.value_text import RESULTS

if TYPE_CHECKING:
    from callscore.history.exchange.import_export import ImportedRun
    from callscore.history.store import Store

_HELP = """Add the runs in FILEs of 'callscore export', JSON lines or Parquet, to the history.

Also reads the files that a run writes when the history cannot be used. An unfinished run that is already
in the history is completed; a finished one is not changed. If any FILE cannot be read, nothing is imported.

\b
  callscore import main.jsonl
"""
_NEW = Phrase("imported run {run}: {results}", "прогон {run} импортирован: {results}")
_FILLED = Phrase(
    "run {run} already exists: {results} in the file, {added} of them new",
    "прогон {run} уже есть: в файле {results}, из них новых {added}",
)
_RENAMED = Phrase(
    "its id in the file is {given}, which is the id of another run here",
    "в файле его id — {given}, но здесь это id другого прогона",
)
_MISSING = Phrase(
    "run {run} is incomplete: {results} missing. It is saved as unfinished",
    "в прогоне {run} нет части результатов ({results}). Он сохранён как незавершённый",
)


@click.command("import", help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@store_option
@max_unpacked_option
@lang_option
def command(*, files: tuple[str, ...], store: str | None, lang: Language) -> None:
    """Add runs to the history, and report which."""
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
