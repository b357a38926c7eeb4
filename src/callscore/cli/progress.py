"""Progress bars for long input and for runs, on a terminal and nowhere else."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, say
from callscore.core.totals import ExactMean
from callscore.words.value_text import decimal

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Question
    from callscore.runner.running import RunHooks

_LARGE_INPUT = 8_000_000  # bytes; smaller input is read before a bar could be seen


@contextmanager
def progress(paths: Sequence[str], verb: str = "scoring") -> Iterator[Callable[[int], None] | None]:
    """A function to call with the number of bytes read; None for small input, or no terminal."""
    total = _total_size(paths)
    if not sys.stderr.isatty() or (total is not None and total < _LARGE_INPUT):
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
    """The size of all files together; None if it is unknown, as with standard input."""
    total = 0
    for path in paths:
        try:
            found = Path(path).stat()
        except (OSError, ValueError):  # the reader of the file says why
            return None
        if path == "-" or not stat.S_ISREG(found.st_mode):
            return None
        total += found.st_size
    return total


_SCORE = Phrase("score {score}", "оценка {score}")
_FAILED = Phrase("{count} failed", "не пройдено {count}")
_ERRORS = Phrase("{count} errors", "ошибок {count}")
_ERROR = Phrase("1 error", "ошибок 1")
_RATE = Phrase("{rate:.1f}/s", "{rate:.1f}/с")


class RunningScore:
    """The score of the answers so far."""

    def __init__(self) -> None:
        self._mean = ExactMean()
        self._failed = 0
        self._errors = 0

    def add(self, result: Result) -> None:
        """Count one result."""
        if result.failure is not None:
            self._errors += 1
            return
        self._failed += result.passed is False
        number = result.passed if result.score is None else result.score.f1
        if number is not None:
            self._mean.add(number)

    def text(self, lang: Language) -> str:
        """The mean score of the calls, 0 for an error, and how many cases failed and had errors."""
        parts = []
        mean = self._mean.value(self._mean.count + self._errors)
        if mean is not None and self._mean.count:
            parts.append(say(_SCORE, lang, score=decimal(mean)))
        if self._failed:
            parts.append(say(_FAILED, lang, count=self._failed))
        if self._errors:
            parts.append(say(_ERROR if self._errors == 1 else _ERRORS, lang, count=self._errors))
        return "  ".join(parts)


def pace_text(done: float, total: float, seconds: float, lang: Language) -> str:
    """The mean rate since the start, and the time that is left; empty before the first answer."""
    if not done or not seconds:
        return ""
    left = round((total - done) * seconds / done)
    clock = f"{left // 60}:{left % 60:02}"
    return f"{say(_RATE, lang, rate=done / seconds)}  {clock}"


_WIDEST_BAR = 30
_NARROWEST_BAR = 4
_NUMBERS_WIDTH = 56  # of the counts, the score and the rate beside the bar


def bar_width(width: int) -> int:
    """How long the bar is, so that a line with all numbers fits the terminal."""
    return max(min(_WIDEST_BAR, width - _NUMBERS_WIDTH), _NARROWEST_BAR)


@contextmanager
def run_progress(lang: Language) -> Iterator[RunHooks]:
    """The hooks that show a progress bar, which is removed at the end."""
    from callscore.runner.running import RunHooks

    if not sys.stderr.isatty():
        yield RunHooks()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
    )
    from rich.text import Text

    class PaceColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            total, seconds = task.total or 0.0, task.elapsed or 0.0
            return Text(pace_text(task.completed, total, seconds, lang), "dim")

    console = Console(stderr=True)
    bar = Progress(
        BarColumn(bar_width=bar_width(console.width)),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        PaceColumn(),
        console=console,
        transient=True,
    )
    score = RunningScore()
    with bar:
        task = bar.add_task("", total=None)

        def on_done(question: Question, result: Result) -> None:
            del question
            score.add(result)
            bar.update(task, advance=1, description=score.text(lang))

        yield RunHooks(on_plan=lambda total: bar.update(task, total=total), on_done=on_done)


@contextmanager
def counting_progress(verb: str) -> Iterator[Callable[[], None] | None]:
    """A function to call after each step of work whose steps are not known; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn(verb),
        TextColumn("{task.completed}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(verb, total=None)
        yield lambda: bar.advance(task)
