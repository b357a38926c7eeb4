"""Lists in a text: where their items stand, and the same list with other items in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.text import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.rewriting.change import Item

__all__ = ["Node", "Writing", "indent_at", "line_at", "quoted", "relisted", "slots_of"]

_STEP = "    "
_GROWTH = 20
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


class Node(NamedTuple):
    """A value in a text.

    Attributes:
        start: where it begins.
        end: where it has ended.
        items: the values in it, where it is a list that is written in brackets.
        members: the values in it by their keys, where it is an object.
    """

    start: int
    end: int
    items: tuple[Node, ...] | None = None
    members: dict[str, Node] | None = None


class Writing(NamedTuple):
    """How new items are written.

    Attributes:
        render: writes a call, given the blanks that its line begins with.
        width: how many columns a line may have.
        gap: what stands between two items on one line.
        trailing: what stands behind the last item, where each has a line.
    """

    render: Callable[[dict[str, Any], str], str]
    width: float = 100
    gap: str = ", "
    trailing: str = ","


def line_at(text: str, position: int) -> int:
    """The number of the line of a position, from 1 on."""
    return text.count("\n", 0, position) + 1


def indent_at(text: str, position: int) -> str:
    """The blanks that the line of a position begins with."""
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position]
    return line[: len(line) - len(line.lstrip())]


def quoted(text: str) -> str:
    """A text in double quotes, as Python, YAML and TOML read it: with nothing in it that hides."""
    for plain, escaped in reversed(_ESCAPES.items()):
        text = text.replace(plain, escaped)
    return f'"{escape(text)}"'


def slots_of(items: Sequence[Item], count: int) -> list[int | None]:
    """Which of the old items' places each item takes; None where there are more than before."""
    free = iter([place for place in range(count) if place not in items])
    return [item if isinstance(item, int) else next(free, None) for item in items]


def relisted(text: str, node: Node, items: Sequence[Item], writing: Writing) -> str:
    """A list in brackets with other items; what stays of it stays with its comments and blanks.

    Args:
        text: what the list stands in.
        node: the list.
        items: what is to be in it.
        writing: how items that are new are written.
    """
    old = node.items or ()
    if old and items and "\n" in text[node.start : node.end]:
        return _relisted_in_lines(text, node, items, writing)
    outer = indent_at(text, node.start)
    opening = text[node.start + 1 : old[0].start] if old and items else ""
    closing = text[old[-1].end : node.end - 1] if old and items else ""
    parts = _rendered(text, node, items, (writing, outer))
    line = f"[{opening}{writing.gap.join(parts)}{closing}]"
    used = node.start - text.rfind("\n", 0, node.start) - 1
    room, before = writing.width - used, node.end - node.start
    if before > room:  # a line that was longer may stay so
        room = before + _GROWTH
    if not items or ("\n" not in line and len(line) < room):
        return line
    inner = f"\n{outer}{_STEP}"
    parts = _rendered(text, node, items, (writing, outer + _STEP))
    return f"[{inner}{f',{inner}'.join(parts)}{writing.trailing}\n{outer}]"


def _rendered(text: str, node: Node, items: Sequence[Item], how: tuple[Writing, str]) -> list[str]:
    """The items, those that stay as they are written."""
    old, (writing, indent) = node.items or (), how
    return [
        text[old[item].start : old[item].end]
        if isinstance(item, int)
        else writing.render(item, indent)
        for item in items
    ]


def _relisted_in_lines(text: str, node: Node, items: Sequence[Item], writing: Writing) -> str:
    """A list of several lines: an item that takes the place of another has its comment, too."""
    old = node.items or ()
    indent = indent_at(text, old[0].start) if "\n" in text[node.start : old[0].start] else ""
    indent = indent or indent_at(text, node.start) + _STEP
    usual = f",\n{indent}"
    gaps = [text[left.end : right.start] for left, right in pairwise(old)]
    last, ending = _split_ending(text[old[-1].end : node.end])
    gaps.append(f"{last}\n{indent}" if last.startswith(",") else usual)
    slots = slots_of(items, len(old))
    parts = [text[node.start : old[0].start]]
    for number, written in enumerate(_rendered(text, node, items, (writing, indent))):
        slot = slots[number]
        parts.append(written)
        if number < len(items) - 1:
            parts.append(usual if slot is None else gaps[slot])
        elif slot == len(old) - 1:
            parts.append(last)
        elif last.startswith(","):
            parts.append(",")
    return "".join([*parts, ending])


def _split_ending(text: str) -> tuple[str, str]:
    """What stands behind the last item on its line, and the rest of the list."""
    line, newline, rest = text.partition("\n")
    return (line, newline + rest) if newline else ("", line)
