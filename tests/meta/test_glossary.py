"""One Russian word for one thing, in all that is said of runs."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.phrases import Phrase, Plural

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = [
    "callscore.cli.baseline",
    "callscore.cli.gc",
    "callscore.comparing.comparison",
    "callscore.reports.case",
    "callscore.reports.compare",
    "callscore.reports.gate",
    "callscore.reports.history",
    "callscore.reports.run",
    "callscore.reports.score",
    "callscore.runner.stored_runs",
]
# What an English word is called in Russian, by its stem, or one of several.
WORDS = {
    r"\btrials?\b": ("попыт",),
    r"\battempts?\b": ("запуск",),
    r"\btags?\b": ("тег", "срез"),  # tools and tags together are slices
    r"\bbaselines?\b": ("базов",),
    r"\bthresholds?\b": ("порог",),
}
NEVER = ("метк",)


def _said(found: Any) -> Iterator[tuple[str, str]]:
    """The English and the Russian of every phrase in a value."""
    if isinstance(found, Phrase):
        yield found.en, found.ru
    elif isinstance(found, Plural):
        yield " ".join(found.en), " ".join(found.ru)
    elif isinstance(found, dict):
        for each in found.values():
            yield from _said(each)
    elif isinstance(found, (list, tuple)):
        for each in found:
            yield from _said(each)


@pytest.mark.parametrize("module", MODULES)
def test_one_thing_has_one_name(module: str) -> None:
    phrases = [each for value in vars(import_module(module)).values() for each in _said(value)]

    wrong = [
        (english, russian)
        for english, russian in phrases
        for word, stems in WORDS.items()
        # Names of fields and commands stay English in both.
        if re.search(word, re.sub(r"\{.*?\}|--?\S+|callscore \S+", "", english).lower())
        and not any(stem in russian.lower() for stem in stems)
    ]
    wrong += [each for each in phrases if any(word in each[1].lower() for word in NEVER)]
    assert phrases
    assert wrong == []
