"""Values that change inside of a call, in whatever a file is written in: at their places, no more."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, Edit
from callscore.rewriting.lists import indent_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from callscore.rewriting.change import Patch
    from callscore.rewriting.lists import Node

__all__ = ["Style", "patch_edits"]

_REST = re.compile(r"[ \t]*(,?)[ \t]*(#[^\n]*)?")
_BLANK = re.compile(r"[ \t]*")


class Style(NamedTuple):
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


def patch_edits(text: str, arguments: Node, patches: Sequence[Patch], style: Style) -> list[Edit]:
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
        edits += _in_owner(text, owner, list(group), style)
    return edits


def _inner(text: str, node: Node, step: str | int) -> Node:
    found: Node | None = None
    if isinstance(step, int) and node.items is not None and step < len(node.items):
        found = node.items[step]
    elif isinstance(step, str) and node.members is not None:
        found = node.members.get(step)
    if found is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return _own(text, found)


def _own(text: str, node: Node) -> Node:
    """A value, if it stands there itself, and nowhere else."""
    if node.start < 0 or text[node.start : node.start + 1] in ("&", "*"):
        raise CannotRewrite(reasons.SHARED)
    return node


def _in_owner(text: str, owner: Node, patches: list[Patch], style: Style) -> list[Edit]:
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


def _object(node: Node) -> Node:
    if node.members is None and node.items is None:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return node


def _members_edits(
    text: str, owner: Node, change: tuple[dict[str, Any], set[str]], style: Style
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
    yield from _removed(text, owner, gone, style)
    if added:
        last = max(left, key=lambda key: members[key].end)
        yield from _added(text, owner, (last, added), style)


def _removed(text: str, owner: Node, gone: set[str], style: Style) -> Iterator[Edit]:
    """Members that stand together go together."""
    members, keys = owner.members or {}, owner.keys or {}
    order = sorted(keys, key=lambda key: keys[key])
    for is_gone, run in groupby(range(len(order)), key=lambda at: order[at] in gone):
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
    rest = _REST.match(text, end)
    stop = rest.end() if rest else end
    if text[line:start].strip() or text[stop : stop + 1] not in ("\n", ""):
        return None
    return line, min(stop + 1, len(text))


def _without_comment(text: str, edit: Edit) -> Edit:
    if "\n" in text[edit.start : edit.end] and "#" in text[edit.start : edit.end]:
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return edit


def _added(
    text: str, owner: Node, wanted: tuple[str, dict[str, Any]], style: Style
) -> Iterable[Edit]:
    last, added = wanted
    node, start = (owner.members or {})[last], (owner.keys or {})[last]
    blanks = _column(text, start)
    write = style.line if owner.is_block and style.line is not None else style.member
    own_line = owner.is_block or blanks is not None
    indent = blanks or ""
    parts = [write(key, style.value(value, indent)) for key, value in added.items()]
    if owner.is_block:
        if blanks is None:
            blanks = " " * (start - text.rfind("\n", 0, start) - 1)
        line = _REST.match(text, node.end)
        end = line.end() if line else node.end
        return [Edit(end, end, "".join(f"\n{blanks}{part}" for part in parts))]
    if not own_line:
        return [Edit(node.end, node.end, "".join(f"{style.gap}{part}" for part in parts))]
    rest = _REST.match(text, node.end)
    if rest is None or rest[2] is None:
        return [Edit(node.end, node.end, "".join(f",\n{indent}{part}" for part in parts))]
    # A comment stands behind the last one, and stays there.
    lines = f",\n{indent}".join(parts)
    comma = rest[1]
    new = [Edit(rest.end(), rest.end(), f"\n{indent}{lines}{comma}")]
    return new if comma else [Edit(node.end, node.end, ","), *new]


def _column(text: str, position: int) -> str | None:
    """The blanks before a position, if nothing else stands on its line before it."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line if not line.strip() else None
