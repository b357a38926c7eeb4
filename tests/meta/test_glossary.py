"""Every Russian phrase keeps to the terms of docs/contributing/words.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
WORDS = (ROOT / "docs/contributing/words.md").read_text(encoding="utf-8")

# An English term, and the stems of its Russian names: one of them is in the Russian sentence.
TERMS = {
    r"agents?": ("агент",),
    r"tools?": ("инструмент", "срез", "фреймворк"),
    r"other tools?": ("фреймворк",),
    r"tools? (or|and) tags?": ("срез",),
    r"calls?": ("вызов", "вызв", "вызыв", "эталон", "схем"),
    r"expected": ("ожида", "эталон"),
    r"actual": ("факт",),
    r"references?": ("эталон",),
    r"traces?": ("трасс",),
    r"cases?": ("случа", "попыт"),
    r"trials?": ("попыт",),
    r"attempts?": ("запуск",),
    r"correct": ("верн", "коррект"),
    r"incorrect": ("неверн", "некоррект"),
    r"missed": ("пропу",),
    r"extra": ("лишн",),
    r"forbidden": ("запрещ",),
    r"valid calls?": ("схем",),
    r"failed calls?": ("неудачн",),
    r"scores?|scored": ("оцен", "сбой метрики"),
    r"ratings?": ("уров",),
    r"passed": ("пройд",),
    r"failed": ("не пройд", "непройд", "неудач", "сбой"),
    r"pass mark": ("проходная оценка",),
    r"errors?": ("ошиб",),
    r"faults?": ("ошиб",),
    r"skipped": ("исключ", "прочита", "не записан", "не использован"),
    r"evaluations?": ("провер",),
    r"suites?": ("набор",),
    r"scorers?": ("метрик",),
    r"metrics?": ("метрик",),
    r"measures?": ("показател",),
    r"judges?": ("судь",),
    r"runs?": ("прогон", "запус", "запущ"),
    r"history": ("истори",),
    r"baselines?": ("базов",),
    r"gates?": ("гейт",),
    r"variants?": ("вариант",),
    r"tags?": ("тег", "срез"),
    r"settings?": ("настройк",),
    r"presets?": ("пресет",),
    r"matchers?|rules?": ("правил",),
    r"groups?": ("групп",),
    r"formats?": ("формат",),
    r"thresholds?": ("порог",),
    r"verdicts?": ("вывод",),
    r"differences?": ("расхожд", "разниц"),
    r"disagreements?": ("разноглас",),
    r"input": ("входн", "данных"),
    r"required": ("требу", "нужно", "обязат"),
    r"saved": ("сохран", "истори"),
    r"answers?": ("ответ",),
    r"arguments?": ("аргумент",),
    r"api keys?": ("ключ api",),
}
# What a Russian word must not be used for: the English sentence has one of these words.
ONLY_FOR = {
    r"пропу[щс]": r"missed",
    r"срез": r"tools? (or|and) tags?",
    r"фреймворк": r"other tools?",
    r"попыт": r"trials?",
    r"трасс": r"traces?",
    r"гейт": r"gate",
    r"неудачн": r"fail",
    r"разноглас": r"disagree",
    r"расхожд": r"differ",
}
# Synonyms, word-for-word translations and spellings that are not used.
NEVER = (
    r"метк",
    r"api-ключ",
    r"переоцен",
    r"отличи[еяй]",
    r"\bбыло бы\b|\bбыли бы\b",
    r"ноутбук",
    r"режим [A-Z]",
    r"\bеще\b|завершен\b|сохранен\b|запрещен",
    r"[а-яё,] (Вы|Вам|Вас|Ваш\w*)\b",
)


class Said(NamedTuple):
    """A phrase, and where it is."""

    place: str
    english: str
    russian: str


@cache
def phrases() -> tuple[Said, ...]:
    """Every `Phrase` and `Plural` of the source."""
    found: list[Said] = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "Phrase(" in text or "Plural(" in text:
            found += _phrases_of(path.name, ast.parse(text))
    return tuple(found)


def _phrases_of(file: str, tree: ast.Module) -> Iterator[Said]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="Phrase" | "Plural"), args=[english, russian]):
                try:
                    texts = ast.literal_eval(english), ast.literal_eval(russian)
                except ValueError:
                    continue  # put together from other phrases
                said = [text if isinstance(text, str) else " ".join(text) for text in texts]
                yield Said(f"{file}:{node.lineno}", *said)


def page_terms() -> list[Said]:
    """The terms of the table on the page."""
    table = WORDS.partition("## Terms")[2].partition("\n\nUse one word")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [
        Said("words.md", english, russian)
        for cells in rows[2:]
        for english, russian in zip(cells[0].split(", "), cells[1].split(", "), strict=True)
    ]


# Values, options, commands, code, quotes, placeholders and fields.
NAMES = re.compile(
    r"\{.*?\}|--?[a-z]\S+|callscore \S+|`[^`]*`|'[^']*'|\b(?!API\b)[A-Z]{2,}\b|[a-z]+\.[a-z]\S*"
)


def bare(english: str) -> str:
    """A sentence without the names in it."""
    return NAMES.sub("", english).lower()


@pytest.mark.parametrize("term", TERMS)
def test_one_thing_has_one_name(term: str) -> None:
    found = [
        said
        for said in (*phrases(), *page_terms())
        if re.search(rf"\b({term})\b", bare(said.english))
        and not any(stem in said.russian.lower() for stem in TERMS[term])
    ]

    assert found == []


@pytest.mark.parametrize("word", ONLY_FOR)
def test_one_name_is_for_one_thing(word: str) -> None:
    named = [said for said in phrases() if re.search(word, said.russian.lower())]
    found = [said for said in named if not re.search(ONLY_FOR[word], said.english.lower())]

    assert named
    assert found == []


@pytest.mark.parametrize("word", NEVER)
def test_some_words_are_never_used(word: str) -> None:
    texts = [*phrases(), Said("README.ru.md", "", (ROOT / "README.ru.md").read_text("utf-8"))]

    assert [said.place for said in texts if re.search(word, said.russian)] == []


def test_every_term_of_the_page_is_checked() -> None:
    terms = page_terms()
    unchecked = [
        said.english
        for said in terms
        if not any(re.search(rf"\b({term})\b", said.english) for term in TERMS)
    ]

    assert len(terms) > 30
    assert unchecked == []
