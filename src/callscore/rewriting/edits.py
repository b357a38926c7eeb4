"""Edits of lists and values in a text that keep its comments and its layout."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.rendering import escape
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from callscore.rewriting.change import FoundExpectation, Item, Patch

__all__ = [
    "ListStyle",
    "TextNode",
    "ValueStyle",
    "apply_edits",
    "assign_slots",
    "combine_edits",
    "diff_lines",
    "indent_at",
    "keep_comment",
    "line_number_at",
    "loses_comments",
    "patch_edits",
    "quote",
    "replace_items",
]


# Lists in a text: where their items stand, and the same list with other items in it.

_MAX_GROWTH = 20
_COMMENT_MARK = "#"
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


class TextNode(NamedTuple):
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
    items: tuple[TextNode, ...] | None = None
    members: dict[str, TextNode] | None = None
    keys: dict[str, int] | None = None
    is_block: bool = False


class ListStyle(NamedTuple):
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


def line_number_at(text: str, position: int) -> int:
    """The number of the line of a position, from 1 on."""
    return text.count("\n", 0, position) + 1


def indent_at(text: str, position: int) -> str:
    """The blanks that the line of a position begins with."""
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position]
    return line[: len(line) - len(line.lstrip())]


def quote(text: str) -> str:
    """A text in double quotes, as Python, YAML and TOML read it: with nothing in it that hides."""
    for plain, escaped in reversed(_ESCAPES.items()):
        text = text.replace(plain, escaped)
    return f'"{escape(text)}"'


def assign_slots(items: Sequence[Item], count: int) -> list[int | None]:
    """The index of the old item that each new item replaces; None for additional items."""
    free = iter([place for place in range(count) if place not in items])
    return [item if isinstance(item, int) else next(free, None) for item in items]


def replace_items(text: str, node: TextNode, items: Sequence[Item], writing: ListStyle) -> str:
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
        lines = _list_layout(text, node, writing.step)
        if old and items:
            return _replace_items_in_lines(text, node, items, (writing, lines))
        if lines.has_comments:
            # A list that was empty, or is so now; a comment in it is about all of it.
            inner = f"\n{outer}{writing.step}"
            parts = _render_items(text, node, items, (writing, inner[1:]))
            new = [inner + f",{inner}".join(parts) + writing.trailing] if parts else []
            end = lines.closing if "\n" in lines.closing else f"\n{outer}{lines.closing.lstrip()}"
            return "".join([lines.opening, *new, end])
    opening = text[node.start + 1 : old[0].start] if old and items else ""
    closing = text[old[-1].end : node.end - 1] if old and items else ""
    parts = _render_items(text, node, items, (writing, outer))
    line = f"[{opening}{writing.gap.join(parts)}{closing}]"
    used = node.start - text.rfind("\n", 0, node.start) - 1
    room, before = writing.width - used, node.end - node.start
    if before > room:  # a line that was longer may stay so
        room = before + _MAX_GROWTH
    if not items or ("\n" not in line and len(line) < room):
        return line
    inner = f"\n{outer}{writing.step}"
    parts = _render_items(text, node, items, (writing, outer + writing.step))
    return f"[{inner}{f',{inner}'.join(parts)}{writing.trailing}\n{outer}]"


def _render_items(
    text: str, node: TextNode, items: Sequence[Item], how: tuple[ListStyle, str]
) -> list[str]:
    """The items, those that stay as they are written."""
    old, (writing, indent) = node.items or (), how
    return [
        text[old[item].start : old[item].end]
        if isinstance(item, int)
        else writing.render(item, indent)
        for item in items
    ]


class _ListLayout(NamedTuple):
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
        return _COMMENT_MARK in self.opening + self.closing


def _list_layout(text: str, node: TextNode, step: str) -> _ListLayout:
    old, outer = node.items or (), indent_at(text, node.start)
    if not old:
        inside = text[node.start : node.end - 1].rstrip()
        return _ListLayout(inside, [], [], [], f"\n{outer}]", outer + step, "")
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
    return _ListLayout(opening, leads, tails, gaps, closing, indent, comma)


def _without_comma(text: str) -> str:
    """What stands between items without the comma, which may stand behind a comment."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        code, mark, comment = line.partition(_COMMENT_MARK)
        before, comma, after = code.partition(",")
        if comma:  # where a line begins with it, the item follows in its place
            lines[number] = before + (after if before.strip() or not number else after.lstrip(" "))
            lines[number] += mark + comment
            break
    return "\n".join(lines)


def _replace_items_in_lines(
    text: str, node: TextNode, items: Sequence[Item], how: tuple[ListStyle, _ListLayout]
) -> str:
    """A list of several lines: an item that takes the place of another has its comments, too."""
    writing, lines = how
    slots = assign_slots(items, len(lines.leads))
    written = _render_items(text, node, items, (writing, lines.indent))
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


# Values that change inside of a call, in whatever a file is written in: at their places, no more.

_LINE_REST = re.compile(r"[ \t]*(,?)[ \t]*(#[^\n]*)?")
_BLANK = re.compile(r"[ \t]*")


class ValueStyle(NamedTuple):
    """How values are written.

    Attributes:
        value: writes a value, given the blanks that its line begins with.
        member: writes a key and the text of its value, in an object.
        line: likewise, where members have lines of their own.
        gap: what stands between two members on one line.
        may_trail: whether a comma may stand behind the last member.
    """

    value: Callable[[Any, str], str]
    member: Callable[[str, str], str]
    line: Callable[[str, str], str] | None = None
    gap: str = ", "
    may_trail: bool = True


def patch_edits(
    text: str, arguments: TextNode, patches: Sequence[Patch], style: ValueStyle
) -> list[Edit]:
    """What has to change in a text so that the arguments of a call have other values.

    Args:
        text: what they stand in.
        arguments: where they stand.
        patches: what is to change in them.
        style: how values are written.

    Raises:
        CannotRewrite: they are not written out there.
    """
    edits: list[Edit] = []
    ordered = sorted(patches, key=lambda patch: tuple(map(str, patch.path[:-1])))
    for way, group in groupby(ordered, key=lambda patch: patch.path[:-1]):
        owner = arguments
        for step in way:
            owner = _inner(text, owner, step)
        edits += _owner_edits(text, owner, list(group), style)
    return edits


def _inner(text: str, node: TextNode, step: str | int) -> TextNode:
    found: TextNode | None = None
    if isinstance(step, int) and node.items is not None and step < len(node.items):
        found = node.items[step]
    elif isinstance(step, str) and node.members is not None:
        found = node.members.get(step)
    if found is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return _require_own(text, found)


def _require_own(text: str, node: TextNode) -> TextNode:
    """A value, if it stands there itself, and nowhere else."""
    if node.start < 0 or text[node.start : node.start + 1] in ("&", "*"):
        raise CannotRewrite(reasons.SHARED_BY_ALIAS)
    return node


def _owner_edits(text: str, owner: TextNode, patches: list[Patch], style: ValueStyle) -> list[Edit]:
    known = owner.members or {}
    edits: list[Edit] = []
    added: dict[str, Any] = {}
    gone: set[str] = set()
    for patch in patches:
        key = patch.path[-1]
        if isinstance(key, int) or (key in known and not patch.is_gone):
            node = _inner(text, owner, key)
            value = style.value(patch.value, indent_at(text, node.start))
            is_bare = node.start == node.end and text[node.start - 1] == ":"
            edits.append(Edit(node.start, node.end, f" {value}" if is_bare else value))
        elif not patch.is_gone:
            added[key] = patch.value
        elif key in known:
            gone.add(key)
        else:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return [*edits, *_members_edits(text, _object(owner), (added, gone), style)]


def _object(node: TextNode) -> TextNode:
    if node.members is None and node.items is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return node


def _members_edits(
    text: str, owner: TextNode, change: tuple[dict[str, Any], set[str]], style: ValueStyle
) -> Iterator[Edit]:
    """What it takes to add members to an object, and to remove some."""
    added, gone = change
    members = {
        key: node for key, node in (owner.members or {}).items() if key in (owner.keys or ())
    }
    if gone - members.keys():
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    left = [key for key in members if key not in gone]
    if not left and (added or gone):
        if owner.is_block and owner.start == owner.end:  # a table, which has no brackets
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        yield Edit(owner.start, owner.end, style.value(added, indent_at(text, owner.start)))
        return
    yield from _removal_edits(text, owner, gone, style)
    if added:
        last = max(left, key=lambda key: members[key].end)
        yield from _insertion_edits(text, owner, (last, added), style)


def _removal_edits(
    text: str, owner: TextNode, removed: set[str], style: ValueStyle
) -> Iterator[Edit]:
    """Members that stand together go together."""
    members, keys = owner.members or {}, owner.keys or {}
    order = sorted(keys, key=lambda key: keys[key])
    for is_gone, run in groupby(range(len(order)), key=lambda at: order[at] in removed):
        if not is_gone:
            continue
        first, *_, last = [*(numbers := list(run)), numbers[-1]]
        start, end = keys[order[first]], members[order[last]].end
        is_last = last == len(order) - 1
        lines = _lines(text, start, end)
        if lines is not None and (owner.is_block or style.may_trail or not is_last):
            yield Edit(*lines, "")
        elif owner.is_block:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        elif is_last:
            yield _without_comment(text, Edit(members[order[first - 1]].end, end, ""))
        else:
            yield _without_comment(text, Edit(start, keys[order[last + 1]], ""))


def _lines(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The whole lines of a stretch, if nothing else stands on them."""
    line = text.rfind("\n", 0, start) + 1
    rest = _LINE_REST.match(text, end)
    stop = rest.end() if rest else end
    if text[line:start].strip() or text[stop : stop + 1] not in ("\n", ""):
        return None
    return line, min(stop + 1, len(text))


def _without_comment(text: str, edit: Edit) -> Edit:
    if "\n" in text[edit.start : edit.end] and "#" in text[edit.start : edit.end]:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return edit


def _insertion_edits(
    text: str, owner: TextNode, wanted: tuple[str, dict[str, Any]], style: ValueStyle
) -> Iterable[Edit]:
    last, added = wanted
    node, start = (owner.members or {})[last], (owner.keys or {})[last]
    blanks = _indent_before(text, start)
    write = style.line if owner.is_block and style.line is not None else style.member
    own_line = owner.is_block or blanks is not None
    indent = blanks or ""
    parts = [write(key, style.value(value, indent)) for key, value in added.items()]
    if owner.is_block:
        if blanks is None:
            blanks = " " * (start - text.rfind("\n", 0, start) - 1)
        line = _LINE_REST.match(text, node.end)
        end = line.end() if line else node.end
        return [Edit(end, end, "".join(f"\n{blanks}{part}" for part in parts))]
    if not own_line:
        return [Edit(node.end, node.end, "".join(f"{style.gap}{part}" for part in parts))]
    rest = _LINE_REST.match(text, node.end)
    if rest is None or rest[2] is None:
        return [Edit(node.end, node.end, "".join(f",\n{indent}{part}" for part in parts))]
    # A comment stands behind the last one, and stays there.
    lines = f",\n{indent}".join(parts)
    comma = rest[1]
    new = [Edit(rest.end(), rest.end(), f"\n{indent}{lines}{comma}")]
    return new if comma else [Edit(node.end, node.end, ","), *new]


def _indent_before(text: str, position: int) -> str | None:
    """The blanks before a position, if nothing else stands on its line before it."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line if not line.strip() else None


# The comment behind the first line of a call, which a call that takes its place keeps.

_QUOTED_TEXT = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''
# What is written on a line, and the comment behind it.
_CODE_AND_COMMENT = re.compile(
    rf"(?P<code>(?:{_QUOTED_TEXT}|[^'\"#]|(?<=\S)#)*?)(?P<comment>[ \t]+#.*)?"
)
# Where a text goes on on the next line, a mark in it may be no comment.
_MULTILINE_TEXT = re.compile(r"\"\"\"|'''|[|>][+-]?\d*\s*$", re.MULTILINE)


def keep_comment(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """New lines, the first with the comment that stood behind the first of the old ones.

    That one is about the call as a whole; those behind its arguments go with them.

    Args:
        lines: the new lines, in YAML or TOML.
        old: the lines whose place they take.
    """
    if _MULTILINE_TEXT.search("\n".join(old)):
        return list(lines)
    first = next((line for line in old if not line.lstrip().startswith("#")), "")
    found = _CODE_AND_COMMENT.fullmatch(first)
    comment = (found["comment"] or "") if found else ""
    head, *rest = lines
    return [head + comment, *rest]


# Edits that are made one after the other, put together; and whole calls where patches cannot be.

_MAX_LINE_LENGTH = 160
_CONTEXT_LENGTH = 40


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """A text with all edits made."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def combine_edits(
    text: str, intermediate: str, steps: tuple[FoundExpectation, FoundExpectation]
) -> FoundExpectation:
    """Two steps as one, told from the text before the first.

    Args:
        text: before the first.
        intermediate: before the second.
        steps: what is done in each.
    """
    first, second = steps
    after = apply_edits(intermediate, second.edits)
    start = min(first.start, second.start)
    # How much at the end neither of them touches.
    rest = min(
        len(text) - max(edit.end for edit in first.edits),
        len(intermediate) - max(edit.end for edit in second.edits),
    )
    edit = Edit(start, len(text) - rest, after[start : len(after) - rest])
    return first._replace(edits=(edit,), value=second.value)


def loses_comments(text: str, found: FoundExpectation) -> bool:
    """Whether less comments would stand there than before."""
    before = sum(text.count(_COMMENT_MARK, edit.start, edit.end) for edit in found.edits)
    return before > sum(edit.text.count(_COMMENT_MARK) for edit in found.edits)


def diff_lines(text: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The lines that go, marked `-`, and those that come, marked `+`.

    Of a long line that changes in one place, only what is around that place.
    """
    start = text.rfind("\n", 0, min(edit.start for edit in edits)) + 1
    end = text.find("\n", max(edit.end for edit in edits))
    end = len(text) if end < 0 else end
    new = apply_edits(text, edits)
    old, made = text[start:end].split("\n"), new[start : len(new) - len(text) + end].split("\n")
    found: list[str] = []
    for kind, low, high, first, last in SequenceMatcher(
        None, old, made, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            before, after = old[low:high], made[first:last]
            if len(before) == len(after):
                pairs = [_shorten_pair(*pair) for pair in zip(before, after, strict=True)]
                before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            found += [f"- {line}" for line in before] + [f"+ {line}" for line in after]
    return tuple(found)


def _shorten_pair(before: str, after: str) -> tuple[str, str]:
    """Two lines without most of what they begin and end with in common, where they are long."""
    if max(len(before), len(after)) <= _MAX_LINE_LENGTH:
        return before, after
    head = _common_prefix_length(before, after)
    most = min(len(before), len(after)) - head
    tail = min(most, _common_prefix_length(before[::-1], after[::-1]))
    low, rest = max(head - _CONTEXT_LENGTH, 0), max(tail - _CONTEXT_LENGTH, 0)

    def cut(line: str) -> str:
        start, end = "…" if low else "", "…" if rest else ""
        return f"{start}{line[low : len(line) - rest]}{end}"

    return cut(before), cut(after)


def _common_prefix_length(left: str, right: str) -> int:
    """How much two texts begin with in common."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
