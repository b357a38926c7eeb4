"""The cases of a report that is written case by case, until what precedes them is known."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.hiding.hider import Hider
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.inert import inert_block

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Result

_IN_MEMORY = 1 << 22  # bytes of cases; more of them are in a file
_BLOCK = 1 << 18


class WrittenCase(Struct, frozen=True):
    """A case as it is written in the report, and what has to be known of it."""

    written: bytes
    is_failing: bool
    faults: int


class WaitingCases:
    """Writes each case as the report will have it: into memory, or if there are many into a temporary file.

    The file has no name where the system allows that, and never outlives the process. Secrets are hidden in it.
    """

    def __init__(self, form: CaseFormat, output_format: str, lang: Language) -> None:
        self.form = form
        self.format = output_format
        self._lang = lang
        self._hider = Hider(is_live=True)
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (it is closed by `close`)
        self._block: list[bytes] = []
        self._block_size = 0
        self._count = self._failing = self._faults = 0
        self.only: Result | None = None  # if there is one so far

    def __reduce__(self) -> tuple[Any, ...]:
        return WaitingCases, (self.form, self.format, self._lang)  # for `render` in another process

    @property
    def shown(self) -> ShownCases:
        """What has to be known of the cases."""
        self._store_block()
        return ShownCases(self._count, self._failing, self._faults)

    def add(self, case: Result | WrittenCase) -> None:
        """Take the next case; another process may have written it."""
        self._count += 1
        if self._count == 1 and not isinstance(case, WrittenCase):
            self.only = case
            return
        if self.only is not None:
            first, self.only = self.only, None
            self._append(self.render(first))
        if self._count > 1:
            self._block.append(self.form.separator)
        self._append(case if isinstance(case, WrittenCase) else self.render(case))

    def render(self, case: Result) -> WrittenCase:
        """Write a case; nothing is changed, so that another process can do it."""
        if self.form.hidden_case is None or not self._hider.has_any:
            written = self.form.case(self._hider.data(case), self._lang)
        else:
            written = self.form.hidden_case(case, self._lang, self._hider)
        score = case.score
        faults = 0 if score is None else len(score.faults or ())
        return WrittenCase(written, score is None or not score.passed, faults)

    def _append(self, case: WrittenCase) -> None:
        self._failing += case.is_failing
        self._faults += case.faults
        self._block.append(case.written)
        self._block_size += len(case.written)
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
