"""Where the calls of what is expected stand in a file, and their arguments; the same in its data."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from callscore.core.spelling import spell
from callscore.formats.calls import ARGUMENTS, NAMES
from callscore.formats.expectations import GROUPS
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.patches import patch_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.rewriting.change import Patch
    from callscore.rewriting.lists import Node

__all__ = ["arguments_path", "by_call", "node_at", "patched_value"]

_Path = tuple[str | int, ...]
_PAIR = 2
_MARK = "$"


def by_call(patches: Sequence[Patch]) -> Iterator[tuple[tuple[int, ...], list[Patch]]]:
    """The patches of each call."""
    ordered = sorted(patches, key=lambda patch: patch.call)
    for call, group in groupby(ordered, key=lambda patch: patch.call):
        yield call, list(group)


def arguments_path(value: Any, call: tuple[int, ...]) -> _Path:
    """What leads to the arguments of a call in what is expected, as a file spells it.

    Raises:
        CannotRewrite: they are not written as an object.
    """
    first, *rest = call
    if not isinstance(value, list):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    path: list[str | int] = [first]
    item = value[first]
    for member in rest:
        kind = next((kind for kind in GROUPS if isinstance(item, dict) and kind in item), None)
        if kind is None:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        path.append(kind)
        item = item[kind]
        if isinstance(item, list):
            path.append(member)
            item = item[member]
    return (*path, *_own_arguments(item))


def _own_arguments(item: Any) -> Iterator[str | int]:
    if isinstance(item, dict):
        inner = item.get("function")
        if isinstance(inner, dict):
            yield "function"
            item = inner
        known = [key for key in item if key in ARGUMENTS and isinstance(item[key], dict)]
        if len(known) == 1 and any(key in NAMES for key in item):
            yield known[0]
            return
    elif isinstance(item, list) and len(item) == _PAIR and isinstance(item[1], dict):
        yield 1
        return
    raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)


def node_at(node: Node, path: _Path) -> Node:
    """The value to which a path leads.

    Raises:
        CannotRewrite: there is none that is written out.
    """
    for step in path:
        inner: Node | None = None
        if isinstance(step, int) and node.items is not None and step < len(node.items):
            inner = node.items[step]
        elif isinstance(step, str) and node.members is not None:
            inner = node.members.get(step)
        if inner is None or inner.start < 0:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        node = inner
    return node


def patched_value(value: Any, patches: Sequence[Patch]) -> Any:
    """What is expected, as a file spells it, with the patches in it.

    Raises:
        CannotRewrite: they cannot be made there.
    """
    for patch in patches:
        if any(str(step).startswith(_MARK) for step in patch.path):  # it would be read as a rule
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
        path = (*arguments_path(value, patch.call), *patch.path)
        try:
            patch_plain(value, path, patch, spell(patch.value))
        except (LookupError, TypeError) as error:
            raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS) from error
    return value
