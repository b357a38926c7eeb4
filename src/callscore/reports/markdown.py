"""Text from the data as Markdown that can neither end early, break a table, nor become HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.core.rendering import clip_middle, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["code", "details", "fenced", "html_entities", "note_item", "table"]

_NAME_WIDTH = 80
# Room for all the names of a note, each of which is short already.
_NOTE_WIDTH = 1000
# Text of these characters alone has no meaning in Markdown between backticks.
_SAFE_IN_CODE = re.compile(r"[\w .,:;/+=#@$%*'\"(){}\[\]!?~^…-]*")
_WORDLIKE = re.compile(r"[^\W_]|[ …]")
_NUMBER = re.compile("[+−]?[0-9]")  # noqa: RUF001  (a minus sign is meant)


def code(text: str, *, width: int = _NAME_WIDTH) -> str:
    """Text as code, on one line and in at most so many columns."""
    short = clip_middle(escape(text), width)
    if short.strip() and _SAFE_IN_CODE.fullmatch(short):
        return f"`{short}`"
    return f"<code>{html_entities(short)}</code>"


def fenced(text: str, language: str) -> str:
    """Text as a block of code, whatever it holds."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(labels: Iterable[str], rows: Sequence[tuple[object, ...]]) -> str:
    """A table of at least one row, whose columns of numbers are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    rules = ["---:" if _NUMBER.match(cell) else "---" for cell in cells[0]]
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(labels), rules, *cells))


def html_entities(text: str) -> str:
    """Text that can stand inside HTML inside Markdown."""
    # Written as a number, a character means itself and nothing else, to Markdown as to HTML.
    return "".join(
        character if _WORDLIKE.fullmatch(character) else f"&#{ord(character)};"
        for character in text
    )


def note_item(sentence: str, names: str, *, is_bold: bool = True, width: int = _NOTE_WIDTH) -> str:
    """A note as an item of a list: a sentence, and the first names that it is about."""
    mark = "**" if is_bold else ""
    return f"- {mark}{sentence}{mark}" + (f" ({code(names, width=width)})" if names else "")


def details(title: str, body: str) -> str:
    """Something that is folded in below its title; the title is HTML already."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
