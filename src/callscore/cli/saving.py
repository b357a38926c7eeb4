"""`callscore score --save`: keeps what is scored, and says what became of that."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from callscore.cli.output import note
from callscore.cli.run_name import RUN_NAME
from callscore.cli.store_option import made_store
from callscore.core.phrase import Phrase, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.cli.options import AnyCommand
    from callscore.core.phrase import Language
    from callscore.engines.keeping import KeepRequest, ScoreKeeper

__all__ = ["save_option", "saved", "tell_saved"]


_KEPT = Phrase(
    "kept as run {run}. Look at it: callscore show {name}",
    "сохранено как прогон {run}. Посмотреть: callscore show {name}",
)
_NOT_KEPT = Phrase("not everything is kept: {problem}", "сохранено не всё: {problem}")


def save_option(function: AnyCommand) -> AnyCommand:
    """Add the option that keeps the scores as a run."""
    return click.option(
        "--save",
        type=RUN_NAME,
        metavar="NAME",
        help="Keep every case in the history, as a run of this name.",
    )(function)


@contextmanager
def saved(
    request: KeepRequest | None, store: str | None, lang: Language
) -> Iterator[ScoreKeeper | None]:
    """What keeps the scores that come; None where nobody asked for that.

    Args:
        request: what is kept; None for nothing.
        store: the history, as `--store` names it.
        lang: the language in which it is said what became of it.
    """
    if request is None:
        yield None
        return
    from callscore.engines.keeping import ScoreKeeper
    from callscore.history.rescue import rescue_for

    keeper = ScoreKeeper(request, lambda: made_store(store), rescue_for(store))
    is_whole = False
    try:
        yield keeper
        is_whole = True
    finally:
        keeper.finish("finished" if is_whole else "interrupted")
        if not is_whole:  # else there is a report, and it comes first
            tell_saved(keeper, lang)


def tell_saved(keeper: ScoreKeeper | None, lang: Language) -> None:
    """Say what became of what was to be kept; nothing where nothing was."""
    if keeper is None:
        return
    from callscore.history.rescue import ASIDE

    phrase = ASIDE if keeper.is_aside else _NOT_KEPT
    for problem in keeper.problems:
        note(say(phrase, lang, problem=problem))
    if saved_in := keeper.saved(lang):
        note(saved_in)
    if keeper.run is not None and not keeper.is_aside:
        name = shlex.quote(keeper.run.name or keeper.run.id)
        note(say(_KEPT, lang, run=keeper.run.id, name=f"{name}{keeper.words}"))
