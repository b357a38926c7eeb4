"""The option for how much is done at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["jobs_option"]


def jobs_option(default: int) -> Callable[[Any], Any]:
    """Add the option, with the default of the command."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        default=default,
        show_default=True,
        help="How many processes to use for large files; in 'run', how many requests at a time.",
    )
