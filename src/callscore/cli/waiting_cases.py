"""The cases of a report that is written case by case, until what precedes them is known."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.core.results import Result
from callscore.hiding.hider import Hider
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.inert import inert_block

if TYPE_CHECKING:
    from callscore.core.phrases import Language

_IN_MEMORY = 1 << 22  # bytes of cases; more of them are in a file
_BLOCK = 1 << 18


class PartOfCases(Struct, frozen=True):
    """Some cases of a report, as they are written in it; a single one is `only`, and not written yet."""

    shown: ShownCases
    written: bytes
    only: Result | None


class WaitingCases:
    """Writes each case as the report will have it: into memory, or if there are many into a temporary file.

    The file has no name where the system allows that, and never outlives the process. Secrets are hidden in it.
    """

    def __init__(self, form: CaseFormat, output_format: str, lang: Language) -> None:
        self.form = form
        self.format = output_format
        self._lang = lang
        self._hider = Hider(is_live=True)
        self.begin()

    def __reduce__(self) -> tuple[Any, ...]:
        return WaitingCases, (
            self.form,
            self.format,
            self._lang,
        )  # another process writes cases of its own

    def begin(self) -> None:
        """Begin without a case; in another process, nothing is changed for the first one."""
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (it is closed by `close`)
        self._block: list[bytes] = []
        self._block_size = 0
        self._count = self._failing = self._faults = 0
        self.only: Result | None = None  # if there is one so far

    @property
    def shown(self) -> ShownCases:
        """What has to be known of the cases."""
        self._store_block()
        return ShownCases(self._count, self._failing, self._faults)

    def add(self, case: Result) -> None:
        """Take the next case."""
        self._count += 1
        if self._count == 1:
            self.only = case
            return
        if self.only is not None:
            first, self.only = self.only, None
            self._add(first)
        self._block.append(self.form.separator)
        self._add(case)

    def part(self) -> PartOfCases:
        """All cases so far, for `add_part` in another process."""
        only = self.only if self._count == 1 else None
        return PartOfCases(self.shown, b"".join(self.written()), only)

    def add_part(self, part: PartOfCases) -> None:
        """Take the next cases, which another process has written."""
        if part.shown.count <= 1:
            if part.only is not None:
                self.add(part.only)
            return
        if self.only is not None:
            first, self.only = self.only, None
            self._add(first)
        if self._count:
            self._block.append(self.form.separator)
        self._count += part.shown.count
        self._failing += part.shown.failing
        self._faults += part.shown.faults
        self._append(part.written)

    def _add(self, case: Result) -> None:
        score = case.score
        self._failing += score is None or not score.passed
        self._faults += 0 if score is None else len(score.faults or ())
        if self.form.hidden_case is None or not self._hider.has_any:
            self._append(self.form.case(self._hider.data(case), self._lang))
        else:
            self._append(self.form.hidden_case(case, self._lang, self._hider))

    def _append(self, written: bytes) -> None:
        self._block.append(written)
        self._block_size += len(written)
        if self._block_size >= _BLOCK:
            self._store_block()

    def _store_block(self) -> None:
        block = inert_block(self._block, self.format)
        try:
            self._spool.write(block)
        except OSError as error:
            raise _cannot_store(error) from error
        self._block.clear()
        self._block_size = 0

    def written(self) -> Iterator[bytes]:
        """All cases in order, in blocks."""
        self._store_block()
        self._spool.seek(0)
        while block := self._next_block():
            yield block

    def lines(self) -> Iterator[bytes]:
        """All cases in order, if each is a line."""
        self._store_block()
        self._spool.seek(0)
        try:
            yield from self._spool
        except OSError as error:
            raise _cannot_store(error) from error

    def _next_block(self) -> bytes:
        try:
            return self._spool.read(_BLOCK)
        except OSError as error:
            raise _cannot_store(error) from error

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()


def _cannot_store(error: OSError) -> click.ClickException:
    """That the temporary file cannot be used, because the disk is full or there is no folder for it."""
    try:
        folder = f" in {gettempdir()}"
    except OSError:
        folder = ""
    problem = error.strerror or str(error)
    advice = "Set TMPDIR to another folder, or use --format jsonl, which needs no such file."
    return click.ClickException(f"Cannot write a temporary file{folder}: {problem}. {advice}")
