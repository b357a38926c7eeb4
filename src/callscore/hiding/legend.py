"""The line below a report with markers: which variables hold the values that they replace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.core.phrases import Phrase, say
from callscore.core.rendering import escape
from callscore.hiding.environment import secret_variables
from callscore.hiding.markers import current_markers, secrets_of_markers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callscore.core.phrases import Language

__all__ = ["legend", "markers_in", "with_legend"]

# A marker in a report: it may be wrapped, and its end may be cut.
_SHOWN = re.compile(r"\[hidden\s+(?:([0-9a-f]{8})[0-9a-f]{4}[\].\s]|([0-9a-f]{0,11})…)")
_MOST_NAMED = 5
_MARK = "[hidden …]"
_LEGEND = Phrase(
    "{mark}: {values}; equal markers are equal values. Scores use the real values.",
    "{mark}: {values}; одинаковые маркеры — одинаковые значения. Оценки считаются по настоящим значениям.",
)
_VALUES = Phrase("values of {names}", "значения {names}")
_SECRETS = Phrase("secrets of the environment", "секреты из переменных окружения")


def legend(text: str, lang: Language = "en", *, write: Callable[[str], str] = escape) -> str:
    """What the markers in a report stand for, as a line; empty if there are none.

    `write` writes a name as the report does.
    """
    shown = {(found[1] or found[2])[:8] for found in _shown_in(text)}
    if not shown:
        return ""
    names, is_all = _variables(shown)
    listed = ", ".join(map(write, names[:_MOST_NAMED]))
    more = "" if is_all and len(names) <= _MOST_NAMED else ", …"
    values = say(_VALUES, lang, names=f"{listed}{more}") if names else say(_SECRETS, lang)
    return say(_LEGEND, lang, mark=write(_MARK), values=values)


def markers_in(text: str) -> list[str]:
    """The markers in a part of a report; the legend of these is that of the part."""
    return [found[0] for found in _shown_in(text)]


def _shown_in(text: str) -> Iterable[re.Match[str]]:
    if "hidden" not in text:
        return ()
    from html import unescape  # its table is large, and most reports have no marker

    return _SHOWN.finditer(unescape(text))


def with_legend(text: str, lang: Language = "en") -> str:
    """A text that has no line break at its end, with the line below it."""
    found = legend(text, lang)
    return f"{text}\n\n{found}" if found else text


def _variables(shown: Iterable[str]) -> tuple[list[str], bool]:
    """The variables of markers, given by the starts of their digests; and whether all are known."""
    held = secret_variables()
    known = secrets_of_markers()
    starts = set(shown)
    if any(not _secrets_with(start, known) for start in starts):  # of a history
        for texts in held.values():
            current_markers().of(texts[0], texts[0])  # a slow digest, for each variable once
        known = secrets_of_markers()
    secrets = {secret for start in starts for secret in _secrets_with(start, known)}
    names = [name for name, texts in held.items() if not secrets.isdisjoint(texts)]
    named = {text for name in names for text in held[name]}
    is_all = all(any(secret in named for secret in _secrets_with(start, known)) for start in starts)
    return sorted(names), is_all


def _secrets_with(start: str, known: dict[str, str]) -> list[str]:
    return [secret for digest, secret in known.items() if digest.startswith(start)]
