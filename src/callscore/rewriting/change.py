"""A change of what is expected: what is to stand in a file, and the edits that this takes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec import Struct

from callscore.core.phrase import Language, Phrase, say

__all__ = ["CannotRewrite", "Change", "Edit", "Found", "Item", "Patch", "Path"]

_AS_IT_IS = Phrase("{text}", "{text}")
# The position of an item that stays as it is written, or a call: its name and its arguments.
Item = int | dict[str, Any]
# The keys and positions that lead to a value in a document.
Path = tuple[str | int, ...]


class CannotRewrite(Exception):
    """Why an expectation is not written, in a sentence.

    Args:
        reason: the sentence; one that comes from elsewhere is only there in its own words.
        **values: what is put into it.
    """

    def __init__(self, reason: Phrase | str, /, **values: Any) -> None:
        phrase = reason if isinstance(reason, Phrase) else _AS_IT_IS
        self._phrase = phrase
        self._values = values if phrase is reason else {"text": reason}
        super().__init__(self.text("en"))

    def text(self, lang: Language) -> str:
        """The sentence in a language."""
        values = {
            name: value.text(lang) if isinstance(value, CannotRewrite) else value
            for name, value in self._values.items()
        }
        return say(self._phrase, lang, **values)


class Patch(Struct, frozen=True, kw_only=True):
    """One value that is to change in the arguments of a call that stays.

    Attributes:
        call: where the call stands: the item, and in groups the positions of the members.
        path: the keys and positions that lead to the value in the arguments.
        value: what is to stand there, meant literally.
        is_gone: whether nothing is.
    """

    call: tuple[int, ...]
    path: tuple[str | int, ...]
    value: Any = None
    is_gone: bool = False


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
        patches: what is to change in the items that stay.
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
    patches: tuple[Patch, ...] = ()
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
        trial: which trial of the case it is, where the file holds several.
    """

    edits: tuple[Edit, ...]
    path: Path
    value: Any
    id: Any = None
    trial: Any = None

    @property
    def start(self) -> int:
        """Where the change begins."""
        return min(edit.start for edit in self.edits)
