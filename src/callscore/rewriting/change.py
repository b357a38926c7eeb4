"""A change of what is expected: what is to stand in a file, and the edits that this takes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec import Struct

__all__ = ["CannotRewrite", "Change", "Edit", "Found", "Item", "Path"]

# The position of an item that stays as it is written, or a call: its name and its arguments.
Item = int | dict[str, Any]
# The keys and positions that lead to a value in a document.
Path = tuple[str | int, ...]


class CannotRewrite(Exception):
    """Why an expectation is not written, in a sentence."""


class Change(Struct, frozen=True, kw_only=True):
    """An expectation that is to become what was observed, as plain data.

    Attributes:
        label: what it is called where people see it: `assistant[weather]`.
        files: where it may stand.
        kind: whether it is the `expected` of a case, of a call of `assert_calls`, or of a marker.
        case: the id of the case.
        input: what is asked in the case.
        expected: what is expected now, as a case file spells it; None where no file can say it.
        items: what is to be expected. Values in it are meant literally, whatever their keys.
        line: where the call, the test with the marker, or the evaluation of the case begins; 0 where
            nobody knows.
        end: where a call has ended: its line, and its column in bytes.
        place: the place in a file that is meant, by which it is told from others.
        shown: the two sides, set against each other.
    """

    label: str
    files: tuple[str, ...]
    kind: Literal["case", "call", "marker"] = "case"
    case: str = ""
    input: Any = None
    expected: list[Any] | None = None
    items: tuple[Item, ...] = ()
    line: int = 0
    end: tuple[int, int] = (0, 0)
    place: str = ""
    shown: str = ""


class Edit(NamedTuple):
    """What is to stand in place of a stretch of a text."""

    start: int
    end: int
    text: str


class Found(NamedTuple):
    """A place that may be the one that is meant.

    Attributes:
        edits: what is to change there.
        path: where it is in the document.
        value: what the document is to hold there.
        id: the id of the case, where it has one of its own.
    """

    edits: tuple[Edit, ...]
    path: Path
    value: Any
    id: Any = None

    @property
    def start(self) -> int:
        """Where the change begins."""
        return min(edit.start for edit in self.edits)
