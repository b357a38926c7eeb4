"""CSV and Parquet tables: one record per row; JSON in cells is decoded."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import chain, pairwise
from math import isfinite
from typing import IO, TYPE_CHECKING, Any

from callscore.core.call import Malformed, excerpt
from callscore.core.rendering import is_content_hidden
from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources.duplicate_keys import duplicate_keys, may_have_duplicates
from callscore.sources.files import max_unpacked, too_large
from callscore.sources.lenient_json import NotJSON, marked_array, marked_object
from callscore.sources.record import BadRecord, Record
from callscore.sources.text_document import decode_json

if TYPE_CHECKING:
    from decimal import Decimal

_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")


def read_cell(text: str, *, openings: tuple[str, ...]) -> Any:
    """The value of a cell; text that only begins like JSON stays text.

    Malformed values in JSON are marked, and so is text with bytes that are not UTF-8, which are
    escaped as surrogates.
    """
    if text.lstrip().startswith(openings):
        try:
            return decode_json(text.encode("utf-8", "surrogateescape"), unit="cell")
        except NotJSON:
            pass
    if text.isascii() or not _ESCAPED_BYTE.search(text):
        return text
    return _not_utf8(text.encode("utf-8", "surrogateescape"))


def _not_utf8(data: bytes) -> Malformed:
    return Malformed(excerpt(data.decode("utf-8", "backslashreplace")), "bytes that are not UTF-8")


# In characters; limits the cell that an unclosed quote makes of the rest of the file.
_MAX_CELL_LENGTH = 1 << 26
_CSV_JSON_STARTS = ("{", "[", '"')
_DELIMITERS = (",", ";", "\t")


def read_csv(
    head: bytes, stream: Iterable[bytes], name: str, first_line: int
) -> Iterator[Record | BadRecord]:
    """The rows of a table, one at a time; `head` has the header and maybe more.

    A cell that begins with `{`, `[` or a quotation mark, and is JSON, is that value; any other is
    text. An empty cell is absent.

    Raises:
        UnreadableInput: the header does not name each column, or the quoting is broken, so that the
            beginning of the next row is unknown.
    """
    if csv.field_size_limit() < _MAX_CELL_LENGTH:
        csv.field_size_limit(_MAX_CELL_LENGTH)
    lines = (line.decode("utf-8", "surrogateescape") for line in chain(BytesIO(head), stream))
    header_line = head.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    delimiter = next((mark for mark in _DELIMITERS if mark in header_line), ",")
    rows = _csv_rows(csv.reader(lines, delimiter=delimiter, strict=True), name, first_line)
    place, header = next(rows)
    columns = [column.strip() for column in header]
    if not all(columns):
        number = columns.index("") + 1
        raise UnreadableInput(
            place, f"column {number} has no name. The first row must name every column."
        )
    _require_unique(columns, place)
    for place, row in rows:
        if len(row) != len(columns):
            problem = f"the row has {len(row)} cells, the header has {len(columns)}."
            remedy = "Put cells that contain the delimiter in double quotes."
            yield BadRecord(place, f"{problem} {remedy}")
        elif any("\0" in cell for cell in row):
            yield BadRecord(
                place, "the row has a NUL byte. Check that the file is complete and saved as UTF-8."
            )
        else:
            members = {
                column: read_cell(cell, openings=_CSV_JSON_STARTS)
                for column, cell in zip(columns, row, strict=True)
                if cell and not cell.isspace()
            }
            duplicate = _duplicate_in(columns, row, members, place)
            yield Record(place, marked_object(members), duplicate)


def _duplicate_in(
    columns: list[str], row: list[str], members: dict[str, Any], place: str
) -> BadRecord | None:
    """The first key that is given twice in the JSON of a cell."""
    for column, cell in zip(columns, row, strict=True):
        value = members.get(column)
        if isinstance(value, dict | list):
            data = cell.encode("utf-8", "surrogateescape")
            found = duplicate_keys(data) if may_have_duplicates(data, value) else []
            if found:
                where = "a column" if is_content_hidden() else f"column {column!r}"
                return BadRecord(place, f"{where}: {found[0].problem}")
    return None


def _csv_rows(reader: Any, name: str, first_line: int) -> Iterator[tuple[str, list[str]]]:
    """The rows that are not blank, each with the place of its first line."""
    while True:
        place = f"{name}:{first_line + reader.line_num}"
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem = f"invalid quoting in the row that begins here ({error})."
            remedy = "Put the cell in double quotes, and double the quotes inside it."
            raise UnreadableInput(place, f"{problem} {remedy}") from error
        if row is None:
            return
        if row and row != [""]:
            yield place, row


def _require_unique(names: list[str], place: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        name = "" if is_content_hidden() else f" {twice!r}"
        problem = f"duplicate column{name}. Rename one of them."
        raise UnreadableInput(place, problem)


if TYPE_CHECKING:
    Convert = Callable[[Any], list[Any]]

_BATCH_ROWS = 256
_TYPE_NAME = re.compile(r"[a-z_]+[0-9]*")
_PARQUET_JSON_STARTS = ("{", "[")


def read_parquet(file: IO[bytes], name: str) -> Iterator[Record]:
    """The rows of a Parquet file, in batches.

    A null column, or a null member of a struct, is absent, because Parquet has no other absence; a
    null in a list, a map or JSON text stays null. Text that begins with `{` or `[`, and is JSON, is
    that value. Maps with text as keys are objects, and others lists of pairs. Times are text in ISO
    8601, in UTC if they have a zone. A decimal is an integer or the nearest float. Binary data,
    durations and NaN, which JSON does not have, are marked.

    Raises:
        MissingExtra: the extra `parquet` is not installed.
        UnreadableInput: the file is damaged, or two columns have the same name.
    """
    index = 0
    with _parquet_errors(name):
        for batch in read_row_groups(file, name):
            for row in batch_rows(batch):
                yield Record(f"{name}[{index}]", row)
                index += 1


def row_groups(file: IO[bytes], name: str) -> list[tuple[int, int]]:
    """The number of rows of each row group of a Parquet file, and where it begins; errors as above."""
    with _parquet_errors(name):
        metadata = _parquet_file(file).metadata
        groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        return [(group.num_rows, _start_of(group)) for group in groups]


def _start_of(group: Any) -> int:
    """Where the first column of a row group begins."""
    if not group.num_columns:
        return 0
    column = group.column(0)
    pages = [column.data_page_offset, column.dictionary_page_offset]
    return min(int(page) for page in pages if page)


def read_row_groups(file: IO[bytes], name: str, groups: range | None = None) -> Iterator[Any]:
    """The Arrow record batches of a Parquet file, or of some of its row groups; errors as above."""
    with _parquet_errors(name):
        table = _parquet_file(file)
        _require_unique(table.schema_arrow.names, name)
        _require_small(table.metadata, name)
        # Group by group, so that damage in one does not cost rows of the one before; and in this
        # thread, because the number of bytes read is reported in it.
        for group in range(table.num_row_groups) if groups is None else groups:
            yield from table.iter_batches(_BATCH_ROWS, [group], use_threads=False)


def _parquet_file(file: IO[bytes]) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(file, pre_buffer=False)


@contextmanager
def _parquet_errors(name: str) -> Iterator[None]:
    """Raise what is wrong with a Parquet file as an error about this file."""
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise MissingExtra("Reading Parquet files", "parquet") from None
    try:
        yield
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        problem = f"the file is not Parquet, or it is damaged ({reason})."
        raise UnreadableInput(name, f"{problem} Create the file again.") from error


# Encodings make a column small before it is compressed, so that no honest one unpacks to so much more.
_MAX_UNPACKING = 200


def _require_small(metadata: Any, name: str) -> None:
    """Refuse columns that are compressed too well to be data: a page is unpacked at once."""
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for index in range(columns.num_columns):
            column = columns.column(index)
            packed, unpacked = column.total_compressed_size, column.total_uncompressed_size
            if unpacked > max_unpacked() and unpacked > _MAX_UNPACKING * packed:
                raise too_large(name, "column")


def batch_rows(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow record batch, as `read_parquet` reads them."""
    columns = [(field.name, _cells(batch[field.name])) for field in batch.schema]
    for position in range(batch.num_rows):
        cells = ((name, column[position]) for name, column in columns)
        yield marked_object({name: value for name, value in cells if value is not None})


def _cells(column: Any) -> list[Any]:
    return [
        read_cell(value, openings=_PARQUET_JSON_STARTS) if isinstance(value, str) else value
        for value in _values(column)
    ]


def _values(array: Any) -> list[Any]:
    """The values of a column, or of a part of one, as JSON."""
    kind = _TYPE_NAME.match(str(array.type))
    return _CONVERSIONS.get(kind[0] if kind else "", _unknown)(array)


def _plain(array: Any) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return values


def _unknown(array: Any) -> list[Any]:
    mark = Malformed(f"<{array.type}>", f"a value of type {array.type}, which JSON does not have")
    return [mark if is_valid else None for is_valid in array.is_valid().to_pylist()]


def _texts(array: Any) -> list[Any]:
    try:
        return _plain(array)
    except UnicodeDecodeError:
        from pyarrow import large_binary

        return _each(_decoded)(array.cast(large_binary()))


def _decoded(data: bytes) -> str | Malformed:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _not_utf8(data)


def _each(convert: Callable[[Any], Any]) -> Convert:
    return lambda array: [None if value is None else convert(value) for value in _plain(array)]


def _float(value: Any) -> float | Malformed:
    number = float(value)
    if isfinite(number):
        return number
    name = str(number).replace("nan", "NaN").replace("inf", "Infinity")
    return Malformed(name, f"{name} is not a JSON number")


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _times(array: Any) -> list[Any]:
    from pyarrow import string

    return _each(lambda text: text.replace(" ", "T"))(array.cast(string()))


def _timestamps(array: Any) -> list[Any]:
    from pyarrow import timestamp

    # In UTC, because not every machine has a database of time zones.
    has_zone = array.type.tz is not None
    return _times(array.cast(timestamp(array.type.unit, "UTC")) if has_zone else array)


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    members = [_values(part) for part in array.flatten()]
    rows = zip(*members, strict=True) if members else [()] * len(array)
    return [
        # A struct has all members in every row: one that is null was not given.
        marked_object(
            {name: value for name, value in zip(names, row, strict=True) if value is not None}
        )
        if is_valid
        else None
        for is_valid, row in zip(array.is_valid().to_pylist(), rows, strict=True)
    ]


def _lists(array: Any) -> list[Any]:
    from pyarrow import compute

    items = iter(_values(array.flatten()))
    return [
        None if length is None else marked_array([next(items) for _ in range(length)])
        for length in compute.list_value_length(array).to_pylist()
    ]


def _maps(array: Any) -> list[Any]:
    keys, values = _values(array.keys), _values(array.items)
    extents = pairwise(array.offsets.to_pylist())
    maps: list[Any] = []
    for is_valid, (start, end) in zip(array.is_valid().to_pylist(), extents, strict=True):
        pairs = list(zip(keys[start:end], values[start:end], strict=True))
        if not is_valid:
            maps.append(None)
        elif all(isinstance(key, str) for key, _ in pairs):
            maps.append(marked_object(dict(pairs)))
        else:
            maps.append(marked_array([marked_array(list(pair)) for pair in pairs]))
    return maps


def _extensions(array: Any) -> list[Any]:
    if array.type.extension_name == "arrow.uuid":
        return _each(str)(array)
    return _values(array.storage)


_NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_CONVERSIONS: dict[str, Convert] = {
    **dict.fromkeys(["null", "bool", *_NUMBERS], _plain),
    **dict.fromkeys(["string", "large_string", "string_view"], _texts),
    **dict.fromkeys(["halffloat", "float", "double"], _each(_float)),
    **dict.fromkeys([f"decimal{bits}" for bits in (32, 64, 128, 256)], _each(_number)),
    **dict.fromkeys(["date32", "date64", "time32", "time64"], _times),
    **dict.fromkeys(["list", "large_list", "fixed_size_list"], _lists),
    "timestamp": _timestamps,
    "struct": _structs,
    "map": _maps,
    "extension": _extensions,
    "dictionary": lambda array: _values(array.dictionary_decode()),
}
