"""The types for text in English and Russian: sentences, counted nouns and notes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from callscore.errors import InvalidSettings

Language = Literal["en", "ru"]
_LANGUAGES = get_args(Language)
_MAX_SHOWN = 40  # characters of what is not a language


class Phrase(NamedTuple):
    """One sentence in every language, with `{names}` for the values."""

    en: str
    ru: str


class Note(NamedTuple):
    """A phrase and its values, before a language is chosen."""

    phrase: Phrase
    values: dict[str, Any] = {}  # noqa: RUF012  (never modified)

    def text(self, lang: Language) -> str:
        """The note in a language."""
        return say(self.phrase, lang, **self.values)


class Plural(NamedTuple):
    """A noun as it follows a number: one and many in English; one, two and five in Russian."""

    en: tuple[str, str]
    ru: tuple[str, str, str]


def _require_language(lang: object) -> None:
    if not isinstance(lang, str) or lang not in _LANGUAGES:
        known = ", ".join(_LANGUAGES)
        given = str.__repr__(lang)[:_MAX_SHOWN] if isinstance(lang, str) else type(lang).__name__
        raise InvalidSettings(f"lang: unknown value {given}. Choose from: {known}.")


def say(phrase: Phrase, lang: Language, **values: object) -> str:
    """A phrase in a language, with the values put in as they are."""
    _require_language(lang)
    return (phrase.ru if lang == "ru" else phrase.en).format(**values)


def count_of(plural: Plural, count: int, lang: Language) -> str:
    """A number and its noun in the right form: `1 case`, `2 cases`; `5 случаев`."""
    _require_language(lang)
    if lang == "en":
        return f"{count} {plural.en[0 if count == 1 else 1]}"
    return f"{count} {plural.ru[_russian_form(count)]}"


def _russian_form(count: int) -> int:
    if count % 10 == 1 and count % 100 != 11:  # noqa: PLR2004  (eleven is irregular)
        return 0
    return 1 if count % 10 in {2, 3, 4} and count % 100 not in {12, 13, 14} else 2
