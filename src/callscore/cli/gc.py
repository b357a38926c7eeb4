"""`callscore gc`: forget old runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.cli.store_option import existing_store, store_option
from callscore.core.phrase import Phrase, Plural, count_of, say

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.history.clearing import Cleared

__all__ = ["command"]

_RUNS = Plural(("run", "runs"), ("прогон", "прогона", "прогонов"))
_RESULTS = Plural(("result", "results"), ("результат", "результата", "результатов"))
_NOTHING = Phrase("Nothing to forget.", "Удалять нечего.")
_GONE = Phrase("Forgotten: {what}.", "Удалено: {what}.")
_WOULD = Phrase(
    "It would forget: {what}. Nothing was changed.", "Было бы удалено: {what}. Ничего не изменено."
)
_TEXTS = Phrase("{size} of texts", "{size} текстов")
_UNITS = (
    Phrase("{count:.0f} B", "{count:.0f} Б"),
    Phrase("{count:.1f} kB", "{count:.1f} кБ"),
    Phrase("{count:.1f} MB", "{count:.1f} МБ"),
    Phrase("{count:.1f} GB", "{count:.1f} ГБ"),
)
_THOUSAND = 1000
_HELP = """Forget all runs but the newest N, and what only they had.

Baselines are kept, so are runs that are under way, and runs whose answers a kept run has scored again.
Kept answers that `run --cache` would take go with the runs that asked for them. What judges have said
stays.
"""


@click.command(short_help="Forget old runs.", help=_HELP)
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    required=True,
    metavar="N",
    help="How many of the newest runs to keep.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@store_option
@lang_option
def command(*, keep: int, dry_run: bool, store: str | None, lang: Language) -> None:
    """Forget old runs."""
    with existing_store(store) as opened:
        cleared = opened.clear(keep, is_dry=dry_run)
    with open_output(None, "table", lang) as output:
        output.write_text(_said(cleared, lang, is_dry=dry_run) + "\n")


def _said(cleared: Cleared, lang: Language, *, is_dry: bool) -> str:
    if not cleared.runs:
        return say(_NOTHING, lang)
    what = [count_of(_RUNS, len(cleared.runs), lang), count_of(_RESULTS, cleared.results, lang)]
    if cleared.bytes:
        what.append(say(_TEXTS, lang, size=_size(cleared.bytes, lang)))
    return say(_WOULD if is_dry else _GONE, lang, what=", ".join(what))


def _size(count: float, lang: Language) -> str:
    """So many bytes as people say it: `12.3 MB`."""
    unit = 0
    while count >= _THOUSAND and unit < len(_UNITS) - 1:
        count /= _THOUSAND
        unit += 1
    return say(_UNITS[unit], lang, count=count)
