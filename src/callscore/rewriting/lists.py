"""Lists in a text: where their items stand, and the same list with other items in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.text import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.rewriting.change import Item

__all__ = ["Node", "Writing", "indent_at", "line_at", "quoted", "relisted", "slots_of"]

_GROWTH = 20
_MARK = "#"
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


class Node(NamedTuple):
    """A value in a text.

    Attributes:
        start: where it begins.
        end: where it has ended.
        items: the values in it, where it is a list that is written in brackets.
        members: the values in it by their keys, where it is an object.
        keys: where these keys begin.
        is_block: whether its members have lines of their own, and no brackets around them.
    """

    start: int
    end: int
    items: tuple[Node, ...] | None = None
    members: dict[str, Node] | None = None
    keys: dict[str, int] | None = None
    is_block: bool = False


class Writing(NamedTuple):
    """How new items are written.

    Attributes:
        render: writes a call, given the blanks that its line begins with.
        width: how many columns a line may have.
        gap: what stands between two items on one line.
        trailing: what stands behind the last item, where each has a line.
        step: the blanks by which a line that is new is indented.
    """

    render: Callable[[dict[str, Any], str], str]
    width: float = 100
    gap: str = ", "
    trailing: str = ","
    step: str = "    "


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
    outer = indent_at(text, node.start)
    if text.startswith("[", node.start) and "\n" in text[node.start : node.end]:
        lines = _lines_of(text, node, writing.step)
        if old and items:
            return _relisted_in_lines(text, node, items, (writing, lines))
        if lines.has_comments:
            # A list that was empty, or is so now; a comment in it is about all of it.
            inner = f"\n{outer}{writing.step}"
            parts = _rendered(text, node, items, (writing, inner[1:]))
            new = [inner + f",{inner}".join(parts) + writing.trailing] if parts else []
            end = lines.closing if "\n" in lines.closing else f"\n{outer}{lines.closing.lstrip()}"
            return "".join([lines.opening, *new, end])
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
    inner = f"\n{outer}{writing.step}"
    parts = _rendered(text, node, items, (writing, outer + writing.step))
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


class _Lines(NamedTuple):
    """What stands around the items of a list of several lines.

    Attributes:
        opening: the bracket, and what else is on its line.
        leads: what stands above each item, and its indent.
        tails: what stands behind each item on its line, but for the comma.
        gaps: what stands between two items.
        closing: what stands below the last item, and the bracket.
        indent: the indent of an item that is new.
        comma: what stands behind the last item.
    """

    opening: str
    leads: list[str]
    tails: list[str]
    gaps: list[str]
    closing: str
    indent: str
    comma: str

    @property
    def has_comments(self) -> bool:
        """Whether there are comments that are about no item."""
        return _MARK in self.opening + self.closing


def _lines_of(text: str, node: Node, step: str) -> _Lines:
    old, outer = node.items or (), indent_at(text, node.start)
    if not old:
        inside = text[node.start : node.end - 1].rstrip()
        return _Lines(inside, [], [], [], f"\n{outer}]", outer + step, "")
    opening, newline, lead = text[node.start : old[0].start].partition("\n")
    indent = indent_at(text, old[0].start) if newline else outer + step
    gaps = [text[left.end : right.start] for left, right in pairwise(old)]
    leads, tails = [lead if newline else ""], []
    for gap in gaps:
        tail, newline, lead = _without_comma(gap).partition("\n")
        tails.append(tail.rstrip())
        leads.append(lead if newline else indent)
    ending = text[old[-1].end : node.end]
    tail, newline, closing = _without_comma(ending).partition("\n")
    tails.append(tail.rstrip() if newline else "")
    closing = f"\n{closing}" if newline else tail
    comma = "," if _without_comma(ending) != ending else ""
    return _Lines(opening, leads, tails, gaps, closing, indent, comma)


def _without_comma(text: str) -> str:
    """What stands between items without the comma, which may stand behind a comment."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        code, mark, comment = line.partition(_MARK)
        before, comma, after = code.partition(",")
        if comma:  # where a line begins with it, the item follows in its place
            lines[number] = before + (after if before.strip() or not number else after.lstrip(" "))
            lines[number] += mark + comment
            break
    return "\n".join(lines)


def _relisted_in_lines(
    text: str, node: Node, items: Sequence[Item], how: tuple[Writing, _Lines]
) -> str:
    """A list of several lines: an item that takes the place of another has its comments, too."""
    writing, lines = how
    slots = slots_of(items, len(lines.leads))
    written = _rendered(text, node, items, (writing, lines.indent))
    is_below = "\n" in text[node.start : (node.items or (node,))[0].start]
    parts = [f"{lines.opening}\n" if is_below else lines.opening]
    for number, (item, slot) in enumerate(zip(written, slots, strict=True)):
        before = slots[number - 1] if number else None
        lead = lines.indent if slot is None else lines.leads[slot]
        if not number:
            parts.append(lead if is_below else "")
        elif before is not None and slot == before + 1:
            parts.append(lines.gaps[before])
        else:
            tail = "" if before is None else lines.tails[before]
            parts.append(f",{tail}\n{lead}")
        parts.append(item)
    tail = "" if slots[-1] is None else lines.tails[slots[-1]]
    closing = lines.closing
    if tail and "\n" not in closing:
        closing = f"\n{indent_at(text, node.start)}{closing.lstrip()}"
    return "".join([*parts, lines.comma, tail, closing])
