"""What is said of a value that is of another JSON type than a rule is about."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callscore.core.arguments import json_type
from callscore.core.phrase import Note, Phrase
from callscore.core.verdict import Verdict

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["wrong_type"]

_TYPES: Final = {
    "boolean": Phrase("a boolean", "логическое значение"),
    "number": Phrase("a number", "число"),
    "string": Phrase("a string", "строка"),
    "object": Phrase("an object", "объект"),
    "array": Phrase("an array", "массив"),
}


def wrong_type(actual: Any, wanted: Literal["number", "string"]) -> Verdict:
    """The refusal of a value that is not of the type that is wanted, with a note that says so."""
    given = json_type(actual)
    if given == wanted:  # a number that JSON cannot spell
        return Verdict(matched=False, value=0.0)
    kind = _TYPES.get(given, Phrase("{given}", "{given}"))
    rest = _TYPES[wanted]
    phrase = Phrase(f"{kind.en}, not {rest.en}", f"{kind.ru}, а не {rest.ru}")
    return Verdict(matched=False, value=0.0, note=Note(phrase, {"given": given}))
