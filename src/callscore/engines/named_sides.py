"""A side of a comparison by what somebody calls it: a run, one variant of it, or a file of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.settings import DEFAULT
from callscore.engines.sides import is_case_file, side_of_file
from callscore.errors import UnknownRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.comparing.sides import Side
    from callscore.core.settings import Settings
    from callscore.history.store import Store

__all__ = ["side_named", "side_of_run"]


def side_named(
    reference: str,
    *,
    store: Callable[[], Store],
    settings: Settings = DEFAULT,
    expected: str | None = None,
) -> Side:
    """The side that is meant.

    Args:
        reference: a file of cases; whatever a run may be called; or that, a colon and a variant.
        store: gives the history, and is asked only where a run is meant.
        settings: what decides the scores of a file; a run has its own.
        expected: the references of a file that holds traces alone.

    Raises:
        UnknownRun: there is no such run, or it has no such variant.
        UnreadableInput: the file cannot be read, or there is no case in it.
        UnusableStore: the history cannot be used.
    """
    if is_case_file(reference):
        return side_of_file(reference, settings, expected=expected)
    return side_of_run(store(), reference)


def side_of_run(store: Store, reference: str) -> Side:
    """What the run that is meant brings to a comparison, or one variant of it.

    Raises:
        UnknownRun: there is no such run, or it has no such variant.
    """
    try:
        return store.side(store.find(reference), reference)
    except UnknownRun:
        name, colon, variant = reference.partition(":")
        if not (name and colon and variant):
            raise
    return store.side(store.find(name), reference, variant)
