"""A report as plain markup, without scripts: for readers that run none, and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as html_escape
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import escape
from callscore.words.turns import tool_label
from callscore.words.value_text import percent

if TYPE_CHECKING:
    from callscore.reports.html.document import Document, Fact

_NO_SCRIPTS = Phrase(
    "Scripts are off here. Open the file in a browser to see the cases.",
    "Скрипты отключены. Чтобы увидеть случаи, откройте файл в браузере.",
)
_TOOL = Phrase("Tool", "Инструмент")
_COLUMNS = {
    "correct": Phrase("Correct", "Верно"),
    "incorrect": Phrase("Incorrect", "Неверно"),
    "missed": Phrase("Missed", "Пропущено"),
    "extra": Phrase("Extra", "Лишних"),
}
_NEXT = Phrase("What to do next", "Что дальше")
_MOST_TOOLS = 30


def markup(text: object) -> str:
    """Foreign text as markup: nothing in it is a tag, and no character is invisible."""
    return html_escape(escape(str(text)))


def summary_markup(document: Document, lang: Language) -> str:
    """The verdict, the numbers and the tools of a report."""
    parts = [f"<h1>{markup(document.title)}</h1>", f"<p>{markup(document.verdict.text)}</p>"]
    parts += [f"<p>{markup(line)}</p>" for line in document.verdict.details]
    headline = document.headline
    if headline is not None and headline.value is not None:
        rating = f", {markup(headline.rating)}" if headline.rating else ""
        parts.append(f"<p>{markup(headline.label)} {percent(headline.value)}{rating}</p>")
    rows = [(fact.label, _fact_text(fact)) for fact in document.facts]
    parts.append(table_markup((), rows))
    if document.tools:
        labels = (say(_TOOL, lang), *[say(label, lang) for label in _COLUMNS.values()])
        tools = [
            (tool_label(tool["tool"], lang), *[tool[name] for name in _COLUMNS])
            for tool in document.tools[:_MOST_TOOLS]
        ]
        parts.append(table_markup(labels, tools))
    parts += [
        f"<p>{markup(note.text)} {markup(' '.join(note.names))}</p>" for note in document.notes
    ]
    if document.next:
        items = [f"<li><code>{markup(step.command)}</code></li>" for step in document.next]
        parts.append(f"<h2>{markup(say(_NEXT, lang))}</h2><ul>{''.join(items)}</ul>")
    parts.append(f"<p>{markup(say(_NO_SCRIPTS, lang))}</p>")
    return "\n".join(part for part in parts if part)


def _fact_text(fact: Fact) -> str:
    is_share = fact.format == "percent" and isinstance(fact.value, int | float)
    return percent(fact.value) if is_share else str(fact.value)


def table_markup(labels: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; empty without rows."""
    body = "".join([f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows])
    if not body:
        return ""
    cells = "".join([f'<th scope="col">{markup(label)}</th>' for label in labels])
    head = f"<thead><tr>{cells}</tr></thead>" if labels else ""
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cell(cell: object) -> str:
    kind = ' class="number"' if isinstance(cell, int) else ""
    return f"<td{kind}>{markup(cell)}</td>"
