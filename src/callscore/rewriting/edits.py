"""Edits of lists and values in a text that keep its comments and its layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise, takewhile
from typing import Any, NamedTuple

from callscore.core.rendering import escape
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, Edit, FoundExpectation, Item, Patch

_MAX_GROWTH = 20
_COMMENT_MARK = "#"


class TextNode(NamedTuple):
    """A value in a text: its range, and the values inside."""

    start: int  # -1 if it is not in the text
    end: int  # after its last character
    items: tuple[TextNode, ...] | None = None  # of a list in brackets
    members: dict[str, TextNode] | None = None  # of an object
    keys: dict[str, int] | None = None  # the positions of the keys of the object
    is_block: bool = False  # its members have lines of their own, without brackets


def child_of(node: TextNode, step: str | int) -> TextNode | None:
    """The value under a key or at an index; None if there is none."""
    if isinstance(step, int):
        return node.items[step] if node.items is not None and step < len(node.items) else None
    return (node.members or {}).get(step)


class ListStyle(NamedTuple):
    """How new items of a list are written."""

    render: Callable[[dict[str, Any], str], str]  # a call, given the indent of its line
    width: float = 100  # the maximum length of a line
    gap: str = ", "  # between two items on one line
    trailing: str = ","  # after the last item if each has a line
    step: str = "    "  # the indent of new lines, relative to the list
    brackets: str = "[]"  # around the items; `()` for a tuple in Python
    is_bare: bool = False  # the text is one item without brackets


def line_number_at(text: str, position: int) -> int:
    """The line number of a position, counted from 1."""
    return text.count("\n", 0, position) + 1


def line_start(text: str, position: int) -> int:
    """The position at which the line of a position begins."""
    return text.rfind("\n", 0, position) + 1


def start_with_comments(text: str, start: int, minimum: int = 0) -> int:
    """The beginning of the comment lines directly above a line, not before `minimum`."""
    while start > minimum:
        above = line_start(text, start - 1)
        if not _is_comment(text[above:start]):
            break
        start = above
    return start


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENT_MARK)


def indent_at(text: str, position: int) -> str:
    """The indent of the line of a position."""
    line = text[line_start(text, position) : position]
    return line[: len(line) - len(line.lstrip())]


def quote(text: str) -> str:
    """A text in double quotes for Python, YAML and TOML, with invisible characters escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape(escaped)}"'


def assign_slots(items: Sequence[Item], count: int) -> list[int | None]:
    """The index of the old item that each new item replaces; None for additional items."""
    free = iter([place for place in range(count) if place not in items])
    return [item if isinstance(item, int) else next(free, None) for item in items]


def replace_segments(
    segments: Sequence[str],
    items: Sequence[Item],
    render: Callable[[dict[str, Any], str], Sequence[str]],
) -> list[str]:
    """The segments of a list in which each item has its own lines, with other items.

    A segment is the lines of an item, with the comments above them. `render` returns the lines of a
    call, given a segment to imitate. A new item keeps the comments above the item that it replaces,
    and the comment at the end of its first line.
    """
    found = []
    for item, slot in zip(items, assign_slots(items, len(segments)), strict=True):
        if isinstance(item, int):
            found.append(segments[item])
            continue
        old = [] if slot is None else segments[slot].split("\n")
        new = keep_comment(render(item, segments[slot or 0]), old)
        found.append("\n".join([*takewhile(_is_comment, old), *new]))
    return found


def replace_items(text: str, node: TextNode, items: Sequence[Item], style: ListStyle) -> str:
    """A list in brackets with other items; those that are kept keep comments and spaces."""
    old = node.items or ()
    outer = indent_at(text, node.start)
    inner = f"\n{outer}{style.step}"
    left, right = style.brackets[0], style.brackets[1]
    has_brackets = text.startswith(left, node.start) and not style.is_bare
    if has_brackets and "\n" in text[node.start : node.end]:
        layout = _list_layout(text, node, style)
        if old and items:
            return _replace_items_in_lines(text, node, items, style, layout)
        if layout.has_comments:
            # The list was empty, or is now; a comment in it is about the whole list.
            parts = _render_items(text, node, items, style, inner[1:])
            new = [inner + f",{inner}".join(parts) + style.trailing] if parts else []
            closing = layout.closing
            end = closing if "\n" in closing else f"\n{outer}{closing.lstrip()}"
            return "".join([layout.opening, *new, end])
    opening = text[node.start + 1 : old[0].start] if old and items and has_brackets else ""
    closing = text[old[-1].end : node.end - 1] if old and items and has_brackets else ""
    if _needs_comma(items, style) and "," not in closing:
        closing = f",{closing}"
    parts = _render_items(text, node, items, style, outer)
    line = f"{left}{opening}{style.gap.join(parts)}{closing}{right}"
    used = node.start - line_start(text, node.start)
    room, before = style.width - used, node.end - node.start
    if before > room:  # the line was too long before
        room = before + _MAX_GROWTH
    if not items or ("\n" not in line and len(line) < room):
        return line
    parts = _render_items(text, node, items, style, outer + style.step)
    return f"{left}{inner}{f',{inner}'.join(parts)}{style.trailing}\n{outer}{right}"


def _needs_comma(items: Sequence[Item], style: ListStyle) -> bool:
    """Whether a comma must follow the last item: in Python, `(1,)` is a tuple and `(1)` is not."""
    return style.brackets == "()" and len(items) == 1


def _render_items(
    text: str, node: TextNode, items: Sequence[Item], style: ListStyle, indent: str
) -> list[str]:
    """The items; the text of those that are kept is not changed."""
    old = node.items or ()
    return [
        text[old[item].start : old[item].end]
        if isinstance(item, int)
        else style.render(item, indent)
        for item in items
    ]


class _ListLayout(NamedTuple):
    """The text around the items of a list of several lines."""

    opening: str  # the bracket, and the rest of its line
    leads: list[str]  # the lines above each item, and its indent
    tails: list[str]  # the rest of the line of each item, without the comma
    gaps: list[str]  # the text between two items
    closing: str  # the lines below the last item, and the bracket
    indent: str  # of a new item
    comma: str  # after the last item, or empty

    @property
    def has_comments(self) -> bool:
        """Whether there are comments that belong to no item."""
        return _COMMENT_MARK in self.opening + self.closing


def _list_layout(text: str, node: TextNode, style: ListStyle) -> _ListLayout:
    step = style.step
    old, outer = node.items or (), indent_at(text, node.start)
    if not old:
        inside = text[node.start : node.end - 1].rstrip()
        return _ListLayout(inside, [], [], [], f"\n{outer}{style.brackets[1]}", outer + step, "")
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
    """The text between items without the comma, which may follow a comment."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        code, mark, comment = line.partition(_COMMENT_MARK)
        before, comma, after = code.partition(",")
        if comma:  # if a line begins with it, the item takes its column
            lines[number] = before + (after if before.strip() or not number else after.lstrip(" "))
            lines[number] += mark + comment
            break
    return "\n".join(lines)


def _replace_items_in_lines(
    text: str, node: TextNode, items: Sequence[Item], style: ListStyle, layout: _ListLayout
) -> str:
    """A list of several lines: an item that replaces another keeps its comments."""
    slots = assign_slots(items, len(layout.leads))
    written = _render_items(text, node, items, style, layout.indent)
    is_below = "\n" in text[node.start : (node.items or (node,))[0].start]
    parts = [f"{layout.opening}\n" if is_below else layout.opening]
    for number, (item, slot) in enumerate(zip(written, slots, strict=True)):
        before = slots[number - 1] if number else None
        lead = layout.indent if slot is None else layout.leads[slot]
        if not number:
            parts.append(lead if is_below else "")
        elif before is not None and slot == before + 1:
            parts.append(layout.gaps[before])
        else:
            tail = "" if before is None else layout.tails[before]
            parts.append(f",{tail}\n{lead}")
        parts.append(item)
    tail = "" if slots[-1] is None else layout.tails[slots[-1]]
    closing = layout.closing
    if tail and "\n" not in closing:
        closing = f"\n{indent_at(text, node.start)}{closing.lstrip()}"
    comma = "," if _needs_comma(items, style) else layout.comma
    return "".join([*parts, comma, tail, closing])


# --- patches of single values -----------------------------------------------------------------

_LINE_REST = re.compile(r"[ \t]*(,?)[ \t]*(#[^\n]*)?")


class ValueStyle(NamedTuple):
    """How values are written."""

    value: Callable[[Any, str], str]  # a value, given the indent of its line
    member: Callable[[str, str], str]  # a key and the text of its value, in an object
    line: Callable[[str, str], str] | None = None  # the same for members with lines of their own
    gap: str = ", "  # between two members on one line
    may_trail: bool = True  # a comma is allowed after the last member


def patch_edits(
    text: str, arguments: TextNode, patches: Sequence[Patch], style: ValueStyle
) -> list[Edit]:
    """The edits that patch the arguments of a call; refused if they are not written out there."""
    edits: list[Edit] = []
    ordered = sorted(patches, key=lambda patch: tuple(map(str, patch.path[:-1])))
    for way, group in groupby(ordered, key=lambda patch: patch.path[:-1]):
        owner = arguments
        for step in way:
            owner = _inner(text, owner, step)
        edits += _owner_edits(text, owner, list(group), style)
    return edits


def _inner(text: str, node: TextNode, step: str | int) -> TextNode:
    found = child_of(node, step)
    if found is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    if found.start < 0 or text[found.start : found.start + 1] in ("&", "*"):
        raise CannotRewrite(reasons.SHARED_BY_ALIAS)
    return found


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
    if owner.members is None and owner.items is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return [*edits, *_members_edits(text, owner, added, gone, style)]


def _members_edits(
    text: str, owner: TextNode, added: dict[str, Any], gone: set[str], style: ValueStyle
) -> Iterator[Edit]:
    """The edits that add members to an object, and remove some."""
    members = {
        key: node for key, node in (owner.members or {}).items() if key in (owner.keys or ())
    }
    if gone - members.keys():
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    left = [key for key in members if key not in gone]
    if not left and (added or gone):
        if owner.is_block and owner.start == owner.end:  # a TOML table has no brackets
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        yield Edit(owner.start, owner.end, style.value(added, indent_at(text, owner.start)))
        return
    yield from _removal_edits(text, owner, gone, style)
    if added:
        last = max(left, key=lambda key: members[key].end)
        yield from _insertion_edits(text, owner, last, added, style)


def _removal_edits(
    text: str, owner: TextNode, removed: set[str], style: ValueStyle
) -> Iterator[Edit]:
    """The edits that remove members; neighbours are removed together."""
    members, keys = owner.members or {}, owner.keys or {}
    order = sorted(keys, key=lambda key: keys[key])
    for is_gone, run in groupby(range(len(order)), key=lambda at: order[at] in removed):
        if not is_gone:
            continue
        positions = list(run)
        first, last = positions[0], positions[-1]
        start, end = keys[order[first]], members[order[last]].end
        is_last = last == len(order) - 1
        lines = _lines(text, start, end)
        if lines is not None and (owner.is_block or style.may_trail or not is_last):
            yield Edit(*lines, "")
        elif owner.is_block:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        elif is_last:
            yield _removal(text, members[order[first - 1]].end, end)
        else:
            yield _removal(text, start, keys[order[last + 1]])


def _lines(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range of whole lines of a range, if they contain nothing else."""
    line = line_start(text, start)
    rest = _LINE_REST.match(text, end)
    stop = rest.end() if rest else end
    if text[line:start].strip() or text[stop : stop + 1] not in ("\n", ""):
        return None
    return line, min(stop + 1, len(text))


def _removal(text: str, start: int, end: int) -> Edit:
    """The edit that removes a range; refused if that may remove a comment."""
    if "\n" in text[start:end] and _COMMENT_MARK in text[start:end]:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return Edit(start, end, "")


def _insertion_edits(
    text: str, owner: TextNode, last: str, added: dict[str, Any], style: ValueStyle
) -> Iterable[Edit]:
    """The edits that add members after the last one."""
    node, start = (owner.members or {})[last], (owner.keys or {})[last]
    before = text[line_start(text, start) : start]
    blanks = None if before.strip() else before  # the key may begin its line
    write = style.line if owner.is_block and style.line is not None else style.member
    indent = blanks or ""
    parts = [write(key, style.value(value, indent)) for key, value in added.items()]
    rest = _LINE_REST.match(text, node.end)
    if owner.is_block:
        if blanks is None:
            blanks = " " * len(before)
        end = rest.end() if rest else node.end
        return [Edit(end, end, "".join(f"\n{blanks}{part}" for part in parts))]
    if blanks is None:
        return [Edit(node.end, node.end, "".join(f"{style.gap}{part}" for part in parts))]
    if rest is None or rest[2] is None:
        return [Edit(node.end, node.end, "".join(f",\n{indent}{part}" for part in parts))]
    # The comment after the last member stays on its line.
    lines = f",\n{indent}".join(parts)
    comma = rest[1]
    new = [Edit(rest.end(), rest.end(), f"\n{indent}{lines}{comma}")]
    return new if comma else [Edit(node.end, node.end, ","), *new]


# --- comments ---------------------------------------------------------------------------------

_QUOTED_TEXT = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''
# The code on a line, and the comment after it.
_CODE_AND_COMMENT = re.compile(
    rf"(?P<code>(?:{_QUOTED_TEXT}|[^'\"#]|(?<=\S)#)*?)(?P<comment>[ \t]+#.*)?"
)
# In a text of several lines, a mark may not begin a comment.
_MULTILINE_TEXT = re.compile(r"\"\"\"|'''|[|>][+-]?\d*\s*$", re.MULTILINE)


def keep_comment(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """New lines of YAML or TOML, with the comment at the end of the first of the old lines.

    That comment is about the whole call; those after its arguments are removed with them.
    """
    if _MULTILINE_TEXT.search("\n".join(old)):
        return list(lines)
    first = next((line for line in old if not _is_comment(line)), "")
    found = _CODE_AND_COMMENT.fullmatch(first)
    comment = (found["comment"] or "") if found else ""
    head, *rest = lines
    return [head + comment, *rest]


# --- edits ------------------------------------------------------------------------------------

_MAX_LINE_LENGTH = 160
_CONTEXT_LENGTH = 40


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def moved_position(position: int, edits: Iterable[Edit]) -> int:
    """Where a position of a text is after the edits."""
    moved = [edit for edit in edits if edit.end <= position]
    return position + sum(len(edit.text) - (edit.end - edit.start) for edit in moved)


def combine_edits(
    text: str, first: FoundExpectation, intermediate: str, second: FoundExpectation
) -> FoundExpectation:
    """Two steps as one edit of `text`; the second step was found in the `intermediate` text."""
    after = apply_edits(intermediate, second.edits)
    start = min(first.start, second.start)
    # The length of the end that neither changes.
    rest = min(
        len(text) - max(edit.end for edit in first.edits),
        len(intermediate) - max(edit.end for edit in second.edits),
    )
    edit = Edit(start, len(text) - rest, after[start : len(after) - rest])
    return first._replace(edits=(edit,), value=second.value)


def loses_comments(text: str, found: FoundExpectation) -> bool:
    """Whether the edits remove comments."""
    before = sum(text.count(_COMMENT_MARK, edit.start, edit.end) for edit in found.edits)
    return before > sum(edit.text.count(_COMMENT_MARK) for edit in found.edits)


def diff_lines(text: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The removed lines, marked `-`, and the new ones, marked `+`; long lines are shortened."""
    start = line_start(text, min(edit.start for edit in edits))
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
    """Two long lines without most of their common beginning and end."""
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
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
