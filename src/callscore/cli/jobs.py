"""The option for how much is done at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click


class _Jobs(click.IntRange):
    """A number of processes; `auto` is one per processor."""

    name = "number, or auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "auto":
            return os.cpu_count() or 1
        return super().convert(value, param, ctx)


def jobs_option(default: int) -> Callable[[Any], Any]:
    """Add the option, with the default of the command."""
    return click.option(
        "-j",
        "--jobs",
        type=_Jobs(min=1),
        metavar="N|auto",
        default=default,
        show_default=True,
        help="How many processes to use for large files, auto for one per processor; in 'run', how"
        " many requests at a time.",
    )
