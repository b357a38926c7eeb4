"""Tables as text: one record a row, named by the header, with JSON in the cells that hold it."""

from __future__ import annotations

import csv
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

from callscore.errors import UnreadableInput
from callscore.sources.cells import read_cell
from callscore.sources.faults import object_of
from callscore.sources.record import BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["read_table"]

# A quote that is never closed makes one cell of all that follows: this bounds it, in characters.
_LONGEST_CELL = 1 << 26
_OPENINGS = ("{", "[", '"')
_DELIMITERS = (",", ";", "\t")


def read_table(
    opening: bytes, rest: Iterable[bytes], name: str, first_line: int
) -> Iterator[Record | BadRecord]:
    """The rows of a table, one at a time.

    A cell that begins with `{`, `[` or a quotation mark, and is JSON, is that value; any other is
    text. A cell that is empty is absent.

    Args:
        opening: the line with the header, and maybe more.
        rest: the lines that follow.
        name: the file, as it is called in places.
        first_line: the number of the line that `opening` begins with.

    Raises:
        UnreadableInput: the header does not name each column, or the quoting breaks: nobody can say
            where the next row begins.
    """
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)
    lines = (line.decode("utf-8", "surrogateescape") for line in chain(BytesIO(opening), rest))
    header_line = opening.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    delimiter = next((mark for mark in _DELIMITERS if mark in header_line), ",")
    rows = _rows(csv.reader(lines, delimiter=delimiter, strict=True), name, first_line)
    header_place, header = next(rows)
    columns = _columns(header, header_place)
    for place, row in rows:
        problem = _problem(row, columns)
        if problem is None:
            yield Record(place, object_of(_members(columns, row)))
        else:
            yield BadRecord(place, problem)


def _rows(reader: Any, name: str, first_line: int) -> Iterator[tuple[str, list[str]]]:
    """The rows that are not blank, each with the place of the line that it begins on."""
    while True:
        place = f"{name}:{first_line + reader.line_num}"
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem = f"the quoting breaks in the row that begins here ({error})."
            remedy = "Put such cells in double quotes, and double the quotes inside them."
            raise UnreadableInput(place, f"{problem} {remedy}") from error
        if row is None:
            return
        if row and row != [""]:
            yield place, row


def _columns(header: list[str], place: str) -> list[str]:
    columns = [name.strip() for name in header]
    if not all(columns):
        number = columns.index("") + 1
        raise UnreadableInput(place, f"column {number} has no name. Name each in the first row.")
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        problem = f"two columns are called {twice!r}. Give each a name of its own."
        raise UnreadableInput(place, problem)
    return columns


def _problem(row: list[str], columns: list[str]) -> str | None:
    if len(row) != len(columns):
        counts = f"the row has {len(row)} cells, and the header {len(columns)}."
        return f"{counts} Put cells that hold the delimiter in double quotes."
    if any("\0" in cell for cell in row):
        return "there is a NUL byte in the row. Is the file UTF-8, and whole?"
    return None


def _members(columns: list[str], row: list[str]) -> dict[str, Any]:
    return {
        name: read_cell(cell, openings=_OPENINGS)
        for name, cell in zip(columns, row, strict=True)
        if cell and not cell.isspace()
    }
