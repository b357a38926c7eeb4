"""Two runs, or two files of cases, compared case by case."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING

from callscore.comparing.comparing_sides import compare as compare_sides
from callscore.core.settings import DEFAULT
from callscore.engines.named_sides import side_named
from callscore.engines.sides import side_of_file
from callscore.history.existing import StoreOnce, open_existing

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.sides import Side
    from callscore.core.settings import Settings

__all__ = ["compare"]


def compare(  # noqa: PLR0913  (each is something to say about a comparison)
    before: str | PathLike[str],
    after: str | PathLike[str],
    *,
    measure: str = "passed",
    expected: str | PathLike[str] | None = None,
    settings: Settings = DEFAULT,
    store: str | PathLike[str] | None = None,
) -> Comparison:
    """Compare two runs of the history, or two files of cases, or one with the other.

    Cases are paired by their ids. What the verdict means is told under "Comparing runs".

    Args:
        before: the first of them: `latest`, `latest~1`, a baseline, the id or the name of a run, the
            beginning of an id, or what git knows a commit by; one variant of a run as `RUN:VARIANT`;
            or a file of cases, which is scored now. A path that is no text is always a file.
        after: the second, likewise.
        measure: the number that decides: `passed`, `f1`, or the name of a scorer.
        expected: the file of references, where the files hold traces alone.
        settings: what decides the scores of files; a run has been scored.
        store: the history: a file, or `postgresql://...`. By default what the variable
            `CALLSCORE_STORE` says; else that of the project that we are in.

    Raises:
        UnknownRun: there is no such run.
        UnreadableInput: a file cannot be read, or there is no case in it.
        InvalidSettings: nothing was measured under this name.
        UnusableStore: the history cannot be used.
    """
    place = None if store is None else fspath(store)
    references = None if expected is None else fspath(expected)
    with closing(StoreOnce(partial(open_existing, place))) as history:

        def side(reference: str | PathLike[str]) -> Side:
            if not isinstance(reference, str):
                return side_of_file(reference, settings, expected=references)
            return side_named(reference, store=history, settings=settings, expected=references)

        first, second = side(before), side(after)
    return compare_sides(first, second, measure=measure)
