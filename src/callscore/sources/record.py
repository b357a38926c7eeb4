"""What every reader yields: a value and its place, or a place and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct


class Record(Struct, frozen=True, gc=False):
    """One value of a file: usually one case.

    Attributes:
        place: `file:line`, `file[index]` in a JSON array or a Parquet file, `file!entry` in an
            archive, or `file` if the value is the whole file.
        value: the value. Malformed parts are marked as in `callscore.core.call`.
        duplicate: where an object in it has a key twice, of which the value has the last.
        is_log: whether it is of a log, in which it need not be a trace or a case.
        is_carried: whether it was found in another record.
    """

    place: str
    value: Any
    duplicate: BadRecord | None = None
    is_log: bool = False
    is_carried: bool = False


class BadRecord(Struct, frozen=True, gc=False):
    """A part of a file that cannot be read, with what is wrong and what to do about it."""

    place: str
    problem: str


class Array(Struct, frozen=True, gc=False):
    """A list that is a whole file: one record per item, or one document, such as a conversation.

    `places` are those of the items, if more is known than their position. `duplicates` are the keys
    that are given twice, by the position of the item. Of a log, not all items need be records.
    """

    place: str
    items: list[Any]
    places: tuple[str, ...] = ()
    duplicates: dict[int, BadRecord] = {}
    is_log: bool = False
    is_carried: bool = False

    @property
    def duplicate(self) -> BadRecord | None:
        """The first key that is given twice."""
        return next(iter(self.duplicates.values()), None)

    def records(self) -> Iterator[Record]:
        """The items as records."""
        for index, value in enumerate(self.items):
            place = self.places[index] if self.places else f"{self.place}[{index}]"
            duplicate = self.duplicates.get(index)
            yield Record(place, value, duplicate, self.is_log, self.is_carried)


class Entry(Struct, frozen=True, gc=False):
    """A file in an archive, with the batches of it; its place is `archive!entry`."""

    place: str
    batches: tuple[Any, ...]
