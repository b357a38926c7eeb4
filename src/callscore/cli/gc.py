"""`callscore gc`: deletes old runs from the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.cli.options import dry_run_option, lang_option, open_existing_store, store_option
from callscore.cli.output import open_output
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.history.cleanup import CleanupResult, remove_old_runs
from callscore.history.run_metadata import is_partial
from callscore.reports import history as wording
from callscore.words.value_text import RESULTS, RUNS

if TYPE_CHECKING:
    from callscore.history.records import RunRecord

_TEXTS_LEFT = Plural(("entry", "entries"), ("запись", "записи", "записей"))
_NOTHING = Phrase("Nothing to delete.", "Удалять нечего.")
_SWEPT = Phrase(
    "No runs to delete. Deleted data that no run uses: {what}.",
    "Прогонов для удаления нет. Удалены данные, которые не использует ни один прогон: {what}.",
)
_WOULD_SWEEP = Phrase(
    "No runs to delete. Would delete data that no run uses: {what}. Nothing was changed.",
    "Прогонов для удаления нет. Будут удалены данные, которые не использует ни один прогон: {what}."
    " Пока ничего не изменено.",
)
_MORE = Phrase("... and {count} more", "... и ещё {count}")
_SHOWN = 10
_GONE = Phrase("Deleted: {what}.", "Удалено: {what}.")
_WOULD = Phrase(
    "Would delete: {what}. Nothing was changed.", "Будет удалено: {what}. Пока ничего не изменено."
)
_TEXTS = Phrase("{size} of data", "{size} данных")
_UNITS = (
    Phrase("{count:.0f} B", "{count:.0f} Б"),
    Phrase("{count:.1f} kB", "{count:.1f} кБ"),
    Phrase("{count:.1f} MB", "{count:.1f} МБ"),
    Phrase("{count:.1f} GB", "{count:.1f} ГБ"),
)
_THOUSAND = 1000
_HELP = """Delete all runs except the newest N, with everything that only they use.

N counts runs of every kind, also partial, rescored and saved ones. Baselines, runs in progress, and runs
whose answers a remaining run has rescored are never deleted. Answers for 'run --cache' are deleted with
the runs that saved them. Answers of judges are not deleted.
"""


@click.command(help=_HELP)
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    required=True,
    metavar="N",
    help="Number of newest runs to keep.",
)
@dry_run_option
@store_option
@lang_option
def command(*, keep: int, dry_run: bool, store: str | None, lang: Language) -> None:
    """Delete old runs."""
    with open_existing_store(store) as opened:
        cleared = remove_old_runs(opened, keep, is_dry=dry_run)
    with open_output(None, "table", lang) as output:
        output.write_text(_result_text(cleared, lang, is_dry=dry_run) + "\n")


def _result_text(cleared: CleanupResult, lang: Language, *, is_dry: bool) -> str:
    size = _size(cleared.bytes, lang)
    if not cleared.runs and not cleared.payloads:
        return say(_NOTHING, lang)
    if not cleared.runs:
        what = f"{count_of(_TEXTS_LEFT, cleared.payloads, lang)}, {size}"
        return say(_WOULD_SWEEP if is_dry else _SWEPT, lang, what=what)
    parts = [count_of(RUNS, len(cleared.runs), lang), count_of(RESULTS, cleared.results, lang)]
    if cleared.bytes:
        parts.append(say(_TEXTS, lang, size=size))
    lines = [say(_WOULD if is_dry else _GONE, lang, what=", ".join(parts))]
    lines += [_line(run, lang) for run in cleared.runs[:_SHOWN]]
    if len(cleared.runs) > _SHOWN:
        lines.append("  " + say(_MORE, lang, count=len(cleared.runs) - _SHOWN))
    return "\n".join(lines)


def _line(run: RunRecord, lang: Language) -> str:
    """A run that is removed: its id, time, name, command and status."""
    about = [escape(run.name)] if run.name else []
    about += [say(wording.COMMANDS[run.command], lang)] if run.command in wording.COMMANDS else []
    about += [say(wording.STATUSES[run.status], lang)] if run.status in wording.STATUSES else []
    about += [say(wording.PARTIAL, lang)] if is_partial(run, {}) else []
    moment = wording.moment_cell(run.started_at, lang)
    return f"  {escape(run.id)}   {moment}   {', '.join(about)}".rstrip()


def _size(count: float, lang: Language) -> str:
    """A number of bytes with a unit: `12.3 MB`."""
    unit = 0
    while count >= _THOUSAND and unit < len(_UNITS) - 1:
        count /= _THOUSAND
        unit += 1
    return say(_UNITS[unit], lang, count=count)
