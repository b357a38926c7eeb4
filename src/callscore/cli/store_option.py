"""The option that names the history, and how a command opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.history.addresses import STORE_VARIABLE, store_words

if TYPE_CHECKING:
    from callscore.cli.options import AnyCommand
    from callscore.history.store import Store

__all__ = [
    "STORE_VARIABLE",
    "existing_store",
    "made_store",
    "shown_store",
    "store_option",
    "store_words",
]


def store_option(command: AnyCommand) -> AnyCommand:
    """Add the option that says where the history is; the command is given it as `store`."""
    return click.option(
        "--store",
        metavar="PLACE",
        help=f"The history: a file, or postgresql://... for a team.  [default: {STORE_VARIABLE}, or"
        " .callscore/history.db of the project]",
    )(command)


def made_store(place: str | None) -> Store:
    """Open the history to write to it; it is made where there is none.

    Args:
        place: what `--store` says; None where it says nothing.

    Raises:
        UnusableStore: it cannot be used.
    """
    from callscore.history.opening import open_store

    return open_store(place or None)


def existing_store(place: str | None) -> Store:
    """Open the history to look for something in it; a file is not made for that.

    Args:
        place: what `--store` says; None where it says nothing.

    Raises:
        UnknownRun: there is no history there.
        UnusableStore: it cannot be used.
    """
    from callscore.history.existing import open_existing

    return open_existing(place)


def shown_store(place: str) -> str:
    """What `--store` says, as it may be shown: without the password in it."""
    from callscore.models.secrets import scrubbed

    return scrubbed(place)
