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

# What is said where there is no history, before a run.
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
    """Writes records to a file when the history cannot; also replaces a history that cannot be opened.

    Nothing is written before something has to be rescued. The file stands beside the history, else
    in the working directory, else in the folder for temporary files: where one of them is full or
    may not be written, the next one is used.

    Args:
        history: the file of the history; None where it is no file, or where there is none, for the
            folder `.callscore` of the project then.
        words: what a command needs to find the history, see `history.addresses`.

    Attributes:
        place: what it is called in messages.
        path: None, as for every history that is no database in a file.
        words: see above.
        files: those that were written.
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
        """Nothing stays open."""

    def lock(self, run: str) -> RunLock:
        """Nobody else knows the run."""
        return RunLock(None, run)

    def begin(self, run: RunRecord) -> RunRecord:
        """Note the run that is to be rescued, if need be."""
        self._run = run
        return run

    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """What was noted of the run."""
        return [each for each in self._evaluations.values() if each.run == run]

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Note what the run evaluates."""
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
            status: whether it came to its end.
            totals: its counts.
            summaries: what the results of each evaluation come to, by its number.

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
        self._write(self._head() if is_begun else [])  # a new file has it at its beginning
        for file in others:  # whichever is imported last has to know it
            with suppress(OSError):
                _append(file, b"".join(self._head()), _APPEND_FLAGS)

    def finish_with(
        self, store: Store | FallbackStore, ended: FinishArguments, *, is_whole: bool = True
    ) -> str:
        """Store how the run ended in the history, and in the file if there is one.

        A history that lacks something of the run keeps that it did not come to its end, and no
        totals: it has less than they say. The file knows them, for when it is imported.

        Args:
            store: the history. It may be this one.
            ended: what `finish` is given.
            is_whole: whether everything else was kept somewhere.

        Returns:
            Why the history did not keep it, and where it is then; empty where it did.
        """
        had_files = bool(self.files)
        is_here = store is self or (is_whole and not had_files)
        trouble = ""
        try:
            if is_here:
                store.finish(*ended)
            else:
                store.finish(ended[0], "interrupted", {}, {})
        except CallscoreError as error:
            trouble = str(error)
        if store is not self and (trouble or had_files):
            with suppress(UnusableStore):
                self.finish(*ended)
        return f"{trouble} {self.sentence}" if trouble and not had_files else trouble

    @property
    def sentence(self) -> str:
        """Where everything is, and what to do with it; empty where nothing was written."""
        return self.told("en")

    def told(self, lang: Language) -> str:
        """The same in a language."""
        if not self.files:
            return ""
        names = [_display_path(path) for path in self.files]
        command = shlex.join(["callscore", "import", *names]) + self.words
        return say(_SAVED, lang, files=", ".join(names), command=command)

    def _head(self) -> list[bytes]:
        """The run, and what it evaluates."""
        known: list[Record] = [] if self._run is None else [self._run]
        return [encode_line(record) for record in [*known, *self._evaluations.values()]]

    def _write(self, lines: list[bytes]) -> None:
        """Write the lines to the file; to a new one elsewhere, where that takes them not."""
        if self._file is not None:
            with suppress(OSError):
                _append(self._file, b"".join(lines), _APPEND_FLAGS)
                return
            self._file = None
        whole = b"".join([*self._head(), *lines])
        for folder in self._folders:
            path = self._new_file(folder, whole)
            if path is not None:
                self._file = path
                self.files.append(path)
                return
        raise UnusableStore(self.place, "no file can be written anywhere. Make room on the disk.")

    def _new_file(self, folder: Path, content: bytes) -> Path | None:
        """A file in the folder with this content; None where there can be none."""
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
    """What takes a run in place of a history that cannot be opened.

    Args:
        place: what `--store` says of the history.
    """
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
    """The path as a person would write it here."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _append(path: Path, content: bytes, how: int) -> None:
    """Write all of it at the end of the file, or nothing."""
    file = os.open(path, how, 0o600)
    try:
        before = os.lseek(file, 0, os.SEEK_END)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError:
            os.ftruncate(file, before)
            if how == _CREATE_FLAGS:
                path.unlink()
            raise
    finally:
        os.close(file)
