"""A file for results that the history cannot take; `callscore import` reads it later."""

from __future__ import annotations

import os
import shlex
import tempfile
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from callscore.core.phrases import Phrase, say
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.exchange.json_lines import encode_line
from callscore.history.locks import RunLock
from callscore.history.opening import default_path, make_store_folder, store_file_path
from callscore.history.postgres import store_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from callscore.core.phrases import Language
    from callscore.history.exchange.json_lines import Record
    from callscore.history.records import (
        AnswerRecord,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )
    from callscore.history.store import Store

__all__ = ["USING_FALLBACK", "FallbackStore", "FinishArguments", "fallback_store_for"]

# Warning before a run whose history cannot be used.
USING_FALLBACK = Phrase(
    "the history cannot be used, and this goes to a file beside it: {problem}",
    "история недоступна, всё попадёт в файл рядом: {problem}",
)
_SAVED = Phrase(
    "What is not in the history is saved in {files}; later: {command}",
    "Чего нет в истории, сохранено в {files}; позже: {command}",
)
_MAX_NAME = 100
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
_APPEND_FLAGS = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)


# The id of a run, how it ended, its totals, and the summaries of its evaluations.
FinishArguments = tuple[str, "RunStatus", "Mapping[str, Any]", "Mapping[int, Mapping[str, Any]]"]


class FallbackStore:
    """Writes records to a file when the history cannot, or in place of a history.

    The file is created with the first record: beside the history, else in the working directory,
    else in the folder for temporary files. If one is full or read-only, the next one is used.

    Args:
        history: the file of the history; None for the folder `.callscore` of the project.
        words: the arguments with which a command finds the history, see `store_arguments`.

    Attributes:
        place: the name in messages.
        path: None, as for every history that is not an SQLite file.
        words: see above.
        files: the files that were written.
    """

    def __init__(self, history: Path | None = None, words: str = "") -> None:
        self.words = words
        self.place = "unsaved results"
        self.path: Path | None = None
        self.files: list[Path] = []
        self._run: RunRecord | None = None
        self._evaluations: dict[int, EvaluationRecord] = {}
        self._folders = _folders(history)
        self._file: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def lock(self, run: str) -> RunLock:
        """A lock that is always free: no other process knows the run."""
        return RunLock(None, run)

    def begin(self, run: RunRecord) -> RunRecord:
        """Remember the run, for the first lines of the file."""
        self._run = run
        return run

    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """The evaluations of the run so far."""
        return [each for each in self._evaluations.values() if each.run == run]

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Remember an evaluation of the run."""
        self._evaluations[record.number] = record

    def keep(self, records: Iterable[AnswerRecord | ResultRecord]) -> None:
        """Write answers and results to the file.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        self._write([encode_line(record) for record in records])

    def finish(
        self,
        run: str,
        status: RunStatus,
        totals: Mapping[str, Any],
        summaries: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """Write how the run ended.

        Args:
            run: its id.
            status: whether it finished.
            totals: its counts.
            summaries: the totals of each evaluation, by its number.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        if self._run is None or self._run.id != run:
            return
        self._run = replace(self._run, status=status, finished_at=time(), totals=dict(totals))
        for number, summary in summaries.items():
            known = self._evaluations.get(number)
            if known is not None:
                self._evaluations[number] = replace(known, summary=dict(summary))
        others = [file for file in self.files if file != self._file]
        is_begun = self._file is not None
        self._write(self._header_lines() if is_begun else [])  # a new file begins with them
        for file in others:  # any of them may be imported last
            with suppress(OSError):
                _append(file, b"".join(self._header_lines()), _APPEND_FLAGS)

    def finish_both(
        self, store: Store | FallbackStore, ended: FinishArguments, *, is_whole: bool = True
    ) -> str:
        """Store how the run ended in the history, and in the file if there is one.

        A history that lacks results is told that the run was interrupted, without totals. The file
        has the totals, for when it is imported.

        Args:
            store: the history; may be this object.
            ended: the arguments of `finish`.
            is_whole: whether all results were saved somewhere.

        Returns:
            Why the history did not save it, and where it is instead; empty if it did.
        """
        had_files = bool(self.files)
        is_here = store is self or (is_whole and not had_files)
        problem = ""
        try:
            if is_here:
                store.finish(*ended)
            else:
                store.finish(ended[0], "interrupted", {}, {})
        except CallscoreError as error:
            problem = str(error)
        if store is not self and (problem or had_files):
            with suppress(UnusableStore):
                self.finish(*ended)
        return f"{problem} {self.location_text()}" if problem and not had_files else problem

    def location_text(self, lang: Language = "en") -> str:
        """Which files were written, and how to import them; empty if there are none."""
        if not self.files:
            return ""
        names = [_display_path(path) for path in self.files]
        command = shlex.join(["callscore", "import", *names]) + self.words
        return say(_SAVED, lang, files=", ".join(names), command=command)

    def _header_lines(self) -> list[bytes]:
        """The lines of the run and its evaluations."""
        run: list[Record] = [] if self._run is None else [self._run]
        return [encode_line(record) for record in [*run, *self._evaluations.values()]]

    def _write(self, lines: list[bytes]) -> None:
        """Append the lines to the file; if that fails, start a new file elsewhere."""
        if self._file is not None:
            with suppress(OSError):
                _append(self._file, b"".join(lines), _APPEND_FLAGS)
                return
            self._file = None
        content = b"".join([*self._header_lines(), *lines])
        for folder in self._folders:
            path = self._new_file(folder, content)
            if path is not None:
                self._file = path
                self.files.append(path)
                return
        raise UnusableStore(self.place, "no file can be written anywhere. Make room on the disk.")

    def _new_file(self, folder: Path, content: bytes) -> Path | None:
        """Create a file with this content in the folder; None if that fails."""
        name = "run" if self._run is None else self._run.id[:_MAX_NAME].replace("/", "-")
        try:
            for path in _candidate_paths(folder, name):
                with suppress(FileExistsError):
                    _append(path, content, _CREATE_FLAGS)
                    return path
        except (OSError, UnusableStore):
            pass
        return None


def fallback_store_for(place: Path | str | None) -> FallbackStore:
    """The fallback for a history (`--store`) that cannot be opened."""
    file = None
    with suppress(UnusableStore):  # an address that cannot be read
        file = store_file_path(place)
    return FallbackStore(file, store_arguments(place))


def _candidate_paths(folder: Path, name: str) -> Iterator[Path]:
    first = folder / f"unsaved-{name}.jsonl"
    make_store_folder(first)
    yield first
    for number in range(2, _MAX_NAME):
        yield first.with_name(f"unsaved-{name}-{number}.jsonl")


def _folders(history: Path | None) -> list[Path]:
    found: list[Path] = []
    with suppress(OSError):  # the working directory is gone
        beside = default_path() if history is None else history.absolute()
        found = [beside.parent, Path.cwd()]
    with suppress(OSError):
        found.append(Path(tempfile.gettempdir()))
    return found


def _display_path(path: Path) -> str:
    """The path relative to the working directory, if it is inside it."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _append(path: Path, content: bytes, how: int) -> None:
    """Append all of the content to the file, or nothing."""
    file = os.open(path, how, 0o600)
    try:
        before = os.lseek(file, 0, os.SEEK_END)
        try:
            remaining = memoryview(content)
            while remaining:
                remaining = remaining[os.write(file, remaining) :]
        except OSError:
            os.ftruncate(file, before)
            if how == _CREATE_FLAGS:
                path.unlink()
            raise
    finally:
        os.close(file)
