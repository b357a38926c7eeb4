"""The text of a docstring, for terminals that are narrower than source code."""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

from callscore.core.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["wrapped", "wrapped_docstring"]

_INDENT = "    "
_KEYWORD = re.compile(r"[\w.]+: ")
# What begins a line of its own: a keyword and what is said of it, a bullet, an example.
_OWN_LINE = re.compile(r"[\w.]+: |[-*] |>>> |[^ ].*:$")


def wrapped(text: str, width: int, *, first: str = "", others: str = "") -> str:
    """A text in lines of this width, with something before the first of them and the others."""
    return fill(
        text,
        max(width, len(others) + 1),
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
        break_long_words=False,
    )


def wrapped_docstring(text: str, width: int) -> str:
    """A docstring as it is written, if it has room; otherwise every paragraph of it wrapped anew."""
    lines = [escape(line) for line in text.splitlines()]
    if max(map(len, lines), default=0) <= width:
        return "\n".join(lines)
    return "\n".join(_wrapped_item(item, width) for item in _items(lines))


def _items(lines: list[str]) -> Iterator[list[str]]:
    """The lines that belong together: of a paragraph, or of what is said of one keyword."""
    item: list[str] = []
    for line in lines:
        if item and not _continues(line, item):
            yield item
            item = []
        item.append(line)
    yield item


def _continues(line: str, item: list[str]) -> bool:
    if not line or not item[-1] or item[-1].endswith(":"):
        return False
    is_deeper = _depth(line) > _depth(item[0])
    return is_deeper or (_depth(line) == _depth(item[0]) and _OWN_LINE.match(line.lstrip()) is None)


def _wrapped_item(item: list[str], width: int) -> str:
    first = " " * _depth(item[0])
    is_keyword = bool(first) and _KEYWORD.match(item[0].lstrip()) is not None
    others = first + _INDENT if is_keyword else first
    return wrapped(" ".join(line.strip() for line in item), width, first=first, others=others)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
