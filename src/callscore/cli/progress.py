"""A progress bar for long input, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["progress"]

_LONG = 8_000_000  # bytes; what is shorter is done before a bar could be read


@contextmanager
def progress(paths: Sequence[str], verb: str = "scoring") -> Iterator[Callable[[int], None] | None]:
    """What to tell how many more bytes of these files have been read; None where nobody looks."""
    total = _total_size(paths)
    if not sys.stderr.isatty() or (total is not None and total < _LONG):
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    bar = Progress(
        TextColumn(verb),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(verb, total=total)
        yield lambda size: bar.advance(task, size)


def _total_size(paths: Sequence[str]) -> int | None:
    """The size of all files together; None where one of them has none, like standard input."""
    total = 0
    for path in paths:
        file = Path(path)
        if path == "-" or not file.is_file():
            return None
        total += file.stat().st_size
    return total
