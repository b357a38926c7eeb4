"""What a browser asks: the path, the query, the body; and the refusal of what cannot be answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import mention

BAD_REQUEST = 400
NOT_FOUND = 404
CONFLICT = 409
INVALID = 422

_MISSING = Phrase("the parameter {name} is missing", "не указан параметр {name}")
_NO_NUMBER = Phrase(
    "{name}: expected an integer from {low} to {high}, got {value}",
    "{name}: ожидается целое число от {low} до {high}, получено {value}",
)
_NO_TEXT = Phrase("{name}: expected a text", "{name}: ожидается текст")
_LONG = Phrase(
    "{name}: the text is longer than {most} characters", "{name}: текст длиннее {most} символов"
)
_LONGEST = 8_000  # characters of a parameter; ids of cases may be long
_MOST = 2**31 - 1
_DIGITS = re.compile("[0-9]{1,10}")


class Refusal(Exception):
    """Why a request is not answered: a status of HTTP, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Asked(Struct, frozen=True, kw_only=True):
    """One request to the server.

    Attributes:
        path: the variable parts of the path.
        query: the parameters of the query.
        body: the members of the body.
        lang: the language of the answer.
    """

    path: Mapping[str, str] = {}
    query: Mapping[str, str] = {}
    body: Mapping[str, Any] = {}
    lang: Language = "en"

    def refusal(self, status: int, phrase: Phrase, **values: Any) -> Refusal:
        """A refusal in the language of the request."""
        return Refusal(status, say(phrase, self.lang, **values))

    def text(self, name: str) -> str:
        """A parameter of the query.

        Raises:
            Refusal: it is missing, or too long.
        """
        found = self.optional_text(name)
        if found is None:
            raise self.refusal(BAD_REQUEST, _MISSING, name=name)
        return found

    def optional_text(self, name: str) -> str | None:
        """A parameter of the query; None if it is not given."""
        return self._bounded(name, self.query.get(name))

    def number(self, name: str, default: int, low: int = 0, high: int = _MOST) -> int:
        """A parameter of the query that is an integer in a range."""
        given = self.optional_text(name)
        return default if given is None else self._in_range(name, given, low, high)

    def optional_number(self, name: str) -> int | None:
        """The same; None if it is not given."""
        return None if self.optional_text(name) is None else self.number(name, 0)

    def member(self, name: str, *, most: int = _LONGEST) -> str:
        """A text in the body."""
        found = self.body.get(name)
        if found is None:
            raise self.refusal(BAD_REQUEST, _MISSING, name=name)
        if not isinstance(found, str):
            raise self.refusal(BAD_REQUEST, _NO_TEXT, name=name)
        if len(found) > most:
            raise self.refusal(BAD_REQUEST, _LONG, name=name, most=most)
        return found

    def member_number(self, name: str, low: int = 0) -> int:
        """An integer in the body."""
        found = self.body.get(name)
        if found is None:
            raise self.refusal(BAD_REQUEST, _MISSING, name=name)
        return self._in_range(name, found, low, _MOST)

    def _bounded(self, name: str, value: str | None) -> str | None:
        if value is not None and len(value) > _LONGEST:
            raise self.refusal(BAD_REQUEST, _LONG, name=name, most=_LONGEST)
        return value

    def _in_range(self, name: str, value: Any, low: int, high: int) -> int:
        number = value
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            number = int(value)
        if isinstance(number, int) and not isinstance(number, bool) and low <= number <= high:
            return number
        shown = mention(value)
        raise self.refusal(BAD_REQUEST, _NO_NUMBER, name=name, low=low, high=high, value=shown)
