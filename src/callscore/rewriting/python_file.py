"""Expectations in Python: of a `Case`, of a call of `assert_calls`, of a marker, by their syntax."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.equality import equal
from callscore.core.spelling import spell
from callscore.rewriting.change import CannotRewrite, Edit, Found
from callscore.rewriting.lists import Node, Writing, relisted
from callscore.rewriting.python_text import call_text, spelling_of
from callscore.rewriting.records import may_be_called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.rewriting.change import Change

__all__ = ["has_changed_alone", "places_in_python"]

_ASSERTION = "assert_calls"
_CASE = "Case"
_MARKER = "callscore"
_FIELD = "expected"
_UNKNOWN = object()
_LINE_END = re.compile(r"\n")


def places_in_python(text: str, change: Change) -> list[Found]:
    """All places of a Python file that may be the expectation.

    Raises:
        CannotRewrite: what is expected is not written out there.
    """
    program = _Program(text, ast.parse(text), _line_starts(text))
    finders = {"case": _cases, "call": _assertions, "marker": _markers}
    return [_place(program, found, change) for found in finders[change.kind](program.tree, change)]


class _Program(NamedTuple):
    """A file, its syntax, and where its lines begin."""

    text: str
    tree: ast.Module
    starts: list[int]


class _Expectation(NamedTuple):
    """What is expected somewhere.

    Attributes:
        expression: how it is written.
        is_spelled: whether keys that begin with `$` are rules in it, as they are in a case file.
    """

    expression: ast.expr
    is_spelled: bool = False


def _cases(tree: ast.Module, change: Change) -> Iterable[_Expectation]:
    """What is expected by every case that is written out and asks the same.

    Where there are several, those count that stand in the decorator of the evaluation.
    """
    found = list(_cases_in(tree, change))
    decorators = [
        decorator
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in node.decorator_list
        if decorator.lineno <= change.line <= (decorator.end_lineno or 0)
    ]
    own = [each for decorator in decorators for each in _cases_in(decorator, change)]
    return own if len(found) > 1 and own else found


def _cases_in(tree: ast.AST, change: Change) -> Iterator[_Expectation]:
    for node in ast.walk(tree):
        fields = _fields_of(node)
        if _FIELD not in fields:
            continue
        own, asked = _literal(fields.get("id")), _literal(fields.get("input"))
        is_same = equal(asked, change.input) if asked is not _UNKNOWN else own == change.case
        if is_same and (own is _UNKNOWN or may_be_called(own or None, change.case)):
            yield _Expectation(fields[_FIELD], isinstance(node, ast.Dict))


def _fields_of(node: ast.AST) -> dict[str, ast.expr]:
    """The fields of a case: of `Case(...)`, or of an object."""
    if isinstance(node, ast.Call) and _last_name(node.func) == _CASE:
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        return {**({"input": node.args[0]} if node.args else {}), **named}
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {
            key.value: value
            for key, value in pairs
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    return {}


def _literal(node: ast.expr | None) -> Any:
    """The value that is written there; None where nothing is, and unknown where it is computed."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _assertions(tree: ast.Module, change: Change) -> Iterator[_Expectation]:
    """What is expected by the call that stands just there."""
    for node in ast.walk(tree):
        is_there = isinstance(node, ast.Call) and (
            (node.lineno, node.col_offset) == (change.line, change.column)
        )
        if is_there and isinstance(node, ast.Call) and _last_name(node.func) == _ASSERTION:
            named = [keyword.value for keyword in node.keywords if keyword.arg == _FIELD]
            yield from map(_Expectation, node.args[:1] or named)


def _markers(tree: ast.Module, change: Change) -> Iterator[_Expectation]:
    """What is expected by the marker right above the test."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        decorators = node.decorator_list
        if min([node.lineno, *[each.lineno for each in decorators]]) != change.line:
            continue
        for decorator in decorators:
            if isinstance(decorator, ast.Call) and _last_name(decorator.func) == _MARKER:
                named = [each.value for each in decorator.keywords if each.arg == _FIELD]
                yield from map(_Expectation, named)


def _place(program: _Program, found: _Expectation, change: Change) -> Found:
    text, starts, expected = program.text, program.starts, found.expression
    elements = _elements(expected, change)
    start, end = _span(text, starts, expected)
    node = Node(start, end, tuple(Node(*_span(text, starts, each)) for each in elements))
    spelling = spelling_of(program.tree, elements)

    def render(call: dict[str, Any], indent: str) -> str:
        given = spell(call["arguments"]) if found.is_spelled else call["arguments"]
        return call_text({**call, "arguments": given}, spelling, indent)

    new = relisted(text, node, change.items, Writing(render))
    return Found((Edit(start, end, new),), _where(expected), new)


def _elements(expected: ast.expr, change: Change) -> list[ast.expr]:
    """The items of a list that is written out.

    Raises:
        CannotRewrite: it is not written out, or is not what was read.
    """
    if isinstance(expected, ast.Constant) and expected.value is None:
        return []
    where = f"line {expected.lineno}"
    if not isinstance(expected, ast.List):
        raise CannotRewrite(f"{where}: what is expected is not a list that is written out there.")
    elements = expected.elts
    is_other = change.expected is not None and len(elements) != len(change.expected)
    if is_other or any(isinstance(each, ast.Starred) for each in elements):
        raise CannotRewrite(f"{where}: what is expected there is not what was read.")
    return elements


def _line_starts(text: str) -> list[int]:
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return [0, *ends, len(text)]


def _span(text: str, starts: list[int], node: ast.expr) -> tuple[int, int]:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return (
        _position(text, starts, node.lineno, node.col_offset),
        _position(text, starts, end_line, end_column),
    )


def _position(text: str, starts: list[int], line: int, column: int) -> int:
    """Where a column stands, which Python counts in bytes."""
    start, end = starts[line - 1], starts[line]
    return start + len(text[start:end].encode()[:column].decode())


def _where(node: ast.expr) -> tuple[int, ...]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def has_changed_alone(old: str, new: str, places: Sequence[Found]) -> bool:
    """Whether a new text is the old one but for what is expected at some places."""
    expressions = {found.path: found.value for found in places}

    class Replacing(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            text = expressions.get(_where(node)) if isinstance(node, ast.expr) else None
            if text is None:
                return self.generic_visit(node)
            expression: ast.expr = ast.parse(text, mode="eval").body
            return expression

    return ast.dump(Replacing().visit(ast.parse(old))) == ast.dump(ast.parse(new))
