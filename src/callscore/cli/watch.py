"""`callscore run --watch`: run evaluations again whenever a file changes."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from callscore.cli.exits import INTERRUPTED
from callscore.cli.output import print_note
from callscore.core.phrases import Phrase, say
from callscore.errors import CallscoreError, MissingExtra
from callscore.evaluations.discovery import forget_modules, is_evaluation_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from callscore.cli.run import RunRequest

__all__ = ["request_after_change", "watch"]

_SUFFIXES = frozenset(
    (".py", ".yaml", ".yml", ".toml", ".json", ".jsonl", ".csv", ".txt", ".md", ".parquet")
)
_NAMES_SHOWN = 3
_PAUSE = 200  # milliseconds between two looks at whether somebody wants it to end
_WATCHING = Phrase("watching for changes; Ctrl-C ends it", "жду изменений; Ctrl-C завершит")
_CHANGED = Phrase("changed: {names}", "изменено: {names}")


def watch(request: RunRequest, run_once: Callable[[RunRequest], int]) -> int:
    """Run the evaluations, and again whenever something changes, until Ctrl-C.

    Args:
        request: what the user asked for.
        run_once: runs it once, and gives an exit code.

    Raises:
        MissingExtra: watchfiles is not installed.
    """
    if request.resume:
        raise click.UsageError("--watch and --resume exclude each other.")
    watched = _WatchedFiles(request)
    changes = watched.changes()
    code = run_once(request)
    since = 0.0 if request.cache else watched.began  # --cache asks for those of other days
    try:
        while code != INTERRUPTED:
            print_note(say(_WATCHING, request.lang))
            changed = watched.wait_for(changes)
            if not _are_evaluations(changed, request):
                since = watched.began
            code = _run_again(
                replace(request_after_change(request, changed), cache_since=since), run_once
            )
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _run_again(request: RunRequest, run_once: Callable[[RunRequest], int]) -> int:
    forget_modules([Path.cwd(), *(Path(path).resolve().parent for path in request.paths)])
    try:
        return run_once(request)
    except CallscoreError as error:  # the next change may repair it
        print_note(str(error))
        return 0


def request_after_change(request: RunRequest, changed: Sequence[Path]) -> RunRequest:
    """What to run after these files have changed.

    Files of evaluations are run again by themselves: an answer for which just the same is asked is
    taken from before. Other code may change every answer, so that none from before its change is
    taken. Other data may do so, too, unless all that is sent to a model is known.

    Args:
        request: what the user asked for.
        changed: the files.
    """
    if _are_evaluations(changed, request):
        there = tuple(_relative_path(path) for path in changed if path.exists())
        return replace(request, paths=there or request.paths, cache=True)
    is_code = any(path.suffix == ".py" for path in changed)
    return replace(request, trusts_kept=not is_code)


def _are_evaluations(changed: Sequence[Path], request: RunRequest) -> bool:
    return all(_is_evaluations(path, request) for path in changed)


def _is_evaluations(path: Path, request: RunRequest) -> bool:
    return is_evaluation_file(path.name) or path in {
        Path(named).resolve() for named in request.paths
    }


def _relative_path(path: Path) -> str:
    """A path as one would type it."""
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


class _WatchedFiles:
    """The files that are watched.

    Attributes:
        began: when the last run began.
    """

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        named = [Path(path).resolve() for path in request.paths]
        self._is_deep = any(path.is_dir() for path in named)
        self._roots = list(dict.fromkeys(p if p.is_dir() else p.parent for p in named))
        self._written = None if request.output is None else Path(request.output).resolve()
        self.began = 0.0

    def changes(self) -> Iterator[set[Path]]:
        """Begin to watch: sets of files that changed; empty ones while nothing does."""
        try:
            import watchfiles
        except ImportError as error:
            raise MissingExtra("--watch", "watch") from error
        default = watchfiles.DefaultFilter()
        found = watchfiles.watch(
            *[root for root in self._roots if root.exists()],
            watch_filter=lambda change, path: default(change, path) and self._is_watched(path),
            recursive=self._is_deep,
            yield_on_timeout=True,
            rust_timeout=_PAUSE,
            ignore_permission_denied=True,
        )
        next(found)  # from here on nothing is missed
        self.began = time()
        return ({Path(path).resolve() for _, path in some} for some in found)

    def _is_watched(self, path: str) -> bool:
        file = Path(path)
        inner = next((file.relative_to(r) for r in self._roots if file.is_relative_to(r)), file)
        is_hidden = any(part.startswith(".") for part in inner.parts)
        return file.suffix in _SUFFIXES and not is_hidden and file.resolve() != self._written

    def wait_for(self, changes: Iterator[set[Path]]) -> list[Path]:
        """Wait for changes, and return the changed files."""
        ended = time()
        for some in changes:
            files = sorted(path for path in some if not self._is_our_own(path, ended))
            if files:
                self.began = time()
                names = _first_names(files)
                print_note(say(_CHANGED, self._request.lang, names=names))
                return files
        raise KeyboardInterrupt  # the watch has ended

    def _is_our_own(self, path: Path, ended: float) -> bool:
        """Whether a file was written by the run itself: an agent's log would start it for ever."""
        if path.suffix == ".py" or _is_evaluations(path, self._request):
            return False
        try:
            written = path.stat().st_mtime
        except OSError:
            return False
        return self.began <= written <= ended


def _first_names(files: Iterable[Path]) -> str:
    names = [_relative_path(path) for path in files]
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f", +{more}" if more > 0 else "")
