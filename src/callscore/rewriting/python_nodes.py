"""Where the arguments of calls stand in Python: in objects, in `expect.call`, in groups of these."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from callscore.formats.calls import ARGUMENTS
from callscore.formats.expectations import GROUPS
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.lists import Node
from callscore.rewriting.python_names import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.rewriting.python_names import Names

    _Span = Callable[[ast.expr | ast.keyword], tuple[int, int]]

__all__ = ["Given", "given_to"]

_EXPECT = "callscore.expect."
_CALLS = (f"{_EXPECT}call", "callscore.ToolCall")
_TIMES = f"{_EXPECT}times"
_PAIR = 2


class Given:
    """The arguments of a call.

    Attributes:
        node: where they stand.
        has_keywords: whether they are keywords of a call, and not members of an object.
    """

    def __init__(self, node: Node, *, has_keywords: bool = False) -> None:
        self.node = node
        self.has_keywords = has_keywords


def given_to(item: ast.expr, way: Sequence[int], names: Names, span: _Span) -> Given:
    """The arguments of a call in something that is expected.

    Args:
        item: what is expected.
        way: in groups, the positions of the members that lead to the call.
        names: what names mean there.
        span: where an expression stands.

    Raises:
        CannotRewrite: they are not written out there.
    """
    for position in way:
        item = _member(item, position, names)
    return _arguments(item, names, span)


def _member(item: ast.expr, position: int, names: Names) -> ast.expr:
    members: Sequence[ast.expr] = ()
    if isinstance(item, ast.Call):
        kind = path_of(item.func, names).removeprefix(_EXPECT)
        members = item.args if kind in GROUPS else ()
    elif isinstance(item, ast.Dict):
        inner = next((value for key, value in _pairs(item) if key in GROUPS), None)
        members = (
            inner.elts if isinstance(inner, ast.List | ast.Tuple) else [inner] if inner else ()
        )
    if position >= len(members) or any(isinstance(each, ast.Starred) for each in members):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return members[position]


def _arguments(item: ast.expr, names: Names, span: _Span) -> Given:
    given: ast.expr | None = None
    if isinstance(item, ast.Call):
        path = path_of(item.func, names)
        if path == _TIMES and item.args:
            return _arguments(item.args[0], names, span)
        if path in _CALLS and len(item.args) == 1 and item.keywords and path == _CALLS[0]:
            return Given(_keywords(item, span), has_keywords=True)
        if path in _CALLS and len(item.args) == _PAIR and not item.keywords:
            given = item.args[1]
    elif isinstance(item, ast.Dict):
        known = [value for key, value in _pairs(item) if key in ARGUMENTS]
        given = known[0] if len(known) == 1 else None
    elif isinstance(item, ast.Tuple | ast.List) and len(item.elts) == _PAIR:
        given = item.elts[1]
    if not isinstance(given, ast.Dict):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return Given(_node(given, span))


def _keywords(call: ast.Call, span: _Span) -> Node:
    if any(keyword.arg is None for keyword in call.keywords):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    start, end = span(call)
    members = {str(each.arg): _node(each.value, span) for each in call.keywords}
    keys = {str(each.arg): span(each)[0] for each in call.keywords}
    return Node(start, end, members=members, keys=keys)


def _pairs(node: ast.Dict) -> list[tuple[str | None, ast.expr]]:
    """The members of an object; a key that is not written out is None."""
    return [
        (key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None, value)
        for key, value in zip(node.keys, node.values, strict=True)
    ]


def _node(value: ast.expr, span: _Span) -> Node:
    start, end = span(value)
    if isinstance(value, ast.List):
        return Node(start, end, tuple(_node(each, span) for each in value.elts))
    if not isinstance(value, ast.Dict) or any(key is None for key, _ in _pairs(value)):
        return Node(start, end)
    members = {str(key): _node(member, span) for key, member in _pairs(value)}
    starts = {
        str(name): span(key)[0]
        for (name, _), key in zip(_pairs(value), value.keys, strict=True)
        if key is not None
    }
    return Node(start, end, members=members, keys=starts)
