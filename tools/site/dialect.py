"""Markdown as GitHub reads it, written as the site generator reads it.

Pages are read in the repository first. Where the two disagree, the page stays as it is, and is
rewritten here: nested lists, lists right after a paragraph, pipes in code in tables, and the words
after the language of a code block, which are for docs/examples.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["as_generator_reads_it", "outside_code", "without_code"]

_FENCED = re.compile(
    r"^(?P<indent> *)(?P<fence>```+)[^\n]*\n.*?^(?P=indent)(?P=fence)$", re.MULTILINE | re.DOTALL
)
_FENCE = re.compile(r"(?P<fence>```+)(?P<kind>\w*)(?: (?P<note>\w+))?[^`\n]*$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) +")
_CODE = re.compile(r"(?P<mark>`+)(?P<code>.+?)(?P=mark)")
_DEPTH = 4  # blanks of a level of a list


def without_code(text: str) -> str:
    """A page without its code blocks."""
    return _FENCED.sub("", text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A page in which everything but the code blocks is changed."""
    parts: list[str] = []
    end = 0
    for fenced in _FENCED.finditer(text):
        parts += [change(text[end : fenced.start()]), fenced[0]]
        end = fenced.end()
    return "".join([*parts, change(text[end:])])


def as_generator_reads_it(text: str, *, output: str) -> str:
    """A page in the dialect of the site generator.

    Args:
        text: the page.
        output: the title of a block that is the output of the block before it.
    """
    lines: list[str] = []
    levels: list[int] = []  # the column of the text of each open item
    is_loose = False  # the open item has several paragraphs
    fence = ""
    shift = 0
    for line in text.splitlines():
        content = line.lstrip(" ")
        if fence:
            lines.append(_shifted(line, shift))
            fence = "" if content == fence else fence
            continue
        is_in_list = bool(levels)
        if content and not _continues(line, levels, lines):
            levels = [level for level in levels if level <= _indent(line)]
        shift = _shift(line, levels) if content else 0
        is_loose = is_loose or (bool(levels) and not content)
        if (is_loose or not is_in_list) and _begins_list(content, lines):
            lines.append("")
        opened = _FENCE.match(content)
        if opened:
            fence = opened["fence"]
            content = _info(opened, output)
        elif content.startswith("|"):
            content = _CODE.sub(lambda code: code[0].replace(r"\|", "|"), content)
        lines.append(_shifted(" " * _indent(line) + content, shift))
        item = _ITEM.match(content)
        if item and not opened:
            levels.append(_indent(line) + item.end())
            is_loose = False
    return "\n".join(lines) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _continues(line: str, levels: list[int], before: list[str]) -> bool:
    """Whether a line that is not indented still belongs to the paragraph of an item."""
    is_lazy = bool(before and before[-1].strip()) and not _ITEM.match(line.lstrip(" "))
    return bool(levels) and is_lazy and not line.lstrip(" ").startswith(("#", "```", "|"))


def _shift(line: str, levels: list[int]) -> int:
    """By how many blanks a line moves, so that each level has four."""
    inside = [level for level in levels if level <= _indent(line)]
    return _DEPTH * len(inside) - inside[-1] if inside else 0


def _shifted(line: str, shift: int) -> str:
    if not line.strip():
        return ""
    return " " * shift + line if shift >= 0 else line[min(-shift, _indent(line)) :]


def _begins_list(content: str, before: list[str]) -> bool:
    """Whether a list, or an item after one of several paragraphs, begins right after a paragraph."""
    return bool(_ITEM.match(content) and before and before[-1].strip())


def _info(opened: re.Match[str], output: str) -> str:
    title = f' title="{output}"' if opened["note"] == "output" else ""
    return f"{opened['fence']}{opened['kind']}{title}"
