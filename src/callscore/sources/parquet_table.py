"""Parquet, with the extra `parquet`: one record a row, with JSON in the cells that hold it."""

from __future__ import annotations

import re
from itertools import pairwise
from math import isfinite
from typing import IO, TYPE_CHECKING, Any

from callscore.core.malformed import Malformed, excerpt
from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources.cells import read_cell
from callscore.sources.faults import array_of, object_of
from callscore.sources.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Convert = Callable[[Any], list[Any]]

__all__ = ["read_parquet"]

_ROWS_AT_A_TIME = 256
_KIND = re.compile(r"[a-z_]+[0-9]*")
_OPENINGS = ("{", "[")


def read_parquet(file: IO[bytes], name: str) -> Iterator[Record]:
    """The rows of a Parquet file, some at a time.

    A null column is absent, for Parquet knows no other absence; a null further inside stays null.
    Text that begins with `{` or `[`, and is JSON, is that value. Maps are objects where their keys
    are text, and lists of pairs elsewhere. Times are text in ISO 8601, and in UTC where they have a
    zone. A decimal is the number that JSON would have: an integer, or the nearest float. What JSON
    does not have is marked: binary data, durations, NaN.

    Args:
        file: the file, which can be read back and forth.
        name: the file, as it is called in places.

    Raises:
        MissingExtra: the extra `parquet` is not installed.
        UnreadableInput: the file is damaged, or two columns have one name.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra("Reading Parquet files", "parquet") from None
    try:
        table = parquet.ParquetFile(file, pre_buffer=False)
        _require_names(table.schema_arrow.names, name)
        for index, row in enumerate(_rows(table)):
            yield Record(f"{name}[{index}]", row)
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"this is not a Parquet file, or it is damaged ({_first_line(error)})."
        raise UnreadableInput(name, f"{problem} Make the file again.") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")


def _require_names(names: list[str], place: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        problem = f"two columns are called {twice!r}. Give each a name of its own."
        raise UnreadableInput(place, problem)


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    # Group by group, or damage in one would cost rows of the one before; and in one thread, which
    # is the one that is told how much has been read.
    for group in range(table.num_row_groups):
        for batch in table.iter_batches(_ROWS_AT_A_TIME, [group], use_threads=False):
            yield from _rows_of_batch(batch)


def _rows_of_batch(batch: Any) -> Iterator[dict[str, Any]]:
    names = batch.schema.names
    columns = [[_read_top(value) for value in _values(column)] for column in batch.columns]
    for position in range(batch.num_rows):
        cells = ((name, column[position]) for name, column in zip(names, columns, strict=True))
        yield object_of({name: value for name, value in cells if value is not None})


def _read_top(value: Any) -> Any:
    return read_cell(value, openings=_OPENINGS) if isinstance(value, str) else value


def _values(array: Any) -> list[Any]:
    """The values of a column, or of a part of one, as JSON has them."""
    kind = _KIND.match(str(array.type))
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

        found = _plain(array.cast(large_binary()))
        return [None if data is None else _text_of(data) for data in found]


def _text_of(data: bytes) -> str | Malformed:
    try:
        return data.decode()
    except UnicodeDecodeError:
        printable = data.decode("utf-8", "backslashreplace")
        return Malformed(excerpt(printable), "bytes that are not UTF-8")


def _floats(array: Any) -> list[Any]:
    return [None if value is None else _finite(float(value)) for value in _plain(array)]


def _finite(value: float) -> float | Malformed:
    if isfinite(value):
        return value
    name = str(value).replace("nan", "NaN").replace("inf", "Infinity")
    return Malformed(name, f"{name} is not a JSON number")


def _decimals(array: Any) -> list[Any]:
    return [
        None
        if value is None
        else int(value)
        if value == value.to_integral_value()
        else float(value)
        for value in _plain(array)
    ]


def _times(array: Any) -> list[Any]:
    from pyarrow import string

    return [
        None if text is None else text.replace(" ", "T") for text in _plain(array.cast(string()))
    ]


def _timestamps(array: Any) -> list[Any]:
    from pyarrow import timestamp

    # As instants in UTC they need no database of time zones, which not every machine has.
    has_zone = array.type.tz is not None
    return _times(array.cast(timestamp(array.type.unit, "UTC")) if has_zone else array)


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    members = [_values(part) for part in array.flatten()]
    rows = zip(*members, strict=True) if members else [()] * len(array)
    return [
        object_of(dict(zip(names, row, strict=True))) if is_valid else None
        for is_valid, row in zip(array.is_valid().to_pylist(), rows, strict=True)
    ]


def _lists(array: Any) -> list[Any]:
    from pyarrow import compute

    items = iter(_values(array.flatten()))
    return [
        None if length is None else array_of([next(items) for _ in range(length)])
        for length in compute.list_value_length(array).to_pylist()
    ]


def _maps(array: Any) -> list[Any]:
    keys, values = _values(array.keys), _values(array.items)
    extents = pairwise(array.offsets.to_pylist())
    return [
        _map_of(keys[start:end], values[start:end]) if is_valid else None
        for is_valid, (start, end) in zip(array.is_valid().to_pylist(), extents, strict=True)
    ]


def _map_of(keys: list[Any], values: list[Any]) -> dict[str, Any] | list[Any]:
    if all(isinstance(key, str) for key in keys):
        return object_of(dict(zip(keys, values, strict=True)))
    return array_of([array_of(list(pair)) for pair in zip(keys, values, strict=True)])


def _extensions(array: Any) -> list[Any]:
    if array.type.extension_name == "arrow.uuid":
        return [None if value is None else str(value) for value in _plain(array)]
    return _values(array.storage)


def _dictionaries(array: Any) -> list[Any]:
    return _values(array.dictionary_decode())


_NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_CONVERSIONS: dict[str, Convert] = {
    **dict.fromkeys(["null", "bool", *_NUMBERS], _plain),
    **dict.fromkeys(["string", "large_string", "string_view"], _texts),
    **dict.fromkeys(["halffloat", "float", "double"], _floats),
    **dict.fromkeys(["decimal32", "decimal64", "decimal128", "decimal256"], _decimals),
    **dict.fromkeys(["date32", "date64", "time32", "time64"], _times),
    **dict.fromkeys(["list", "large_list", "fixed_size_list"], _lists),
    "timestamp": _timestamps,
    "struct": _structs,
    "map": _maps,
    "extension": _extensions,
    "dictionary": _dictionaries,
}
