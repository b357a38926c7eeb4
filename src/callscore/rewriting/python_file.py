"""Expectations in Python: of a `Case`, of a call of `assert_calls`, of a marker, by their syntax.

Written by hand because the standard library's `ast` has the positions that it takes, and LibCST,
which keeps every byte as well, is 18 MB with what it needs.
"""

from __future__ import annotations

import ast
import re
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard
from warnings import catch_warnings, simplefilter

from callscore.core.spelling import spell
from callscore.rewriting import reasons
from callscore.rewriting.calls import by_call, patched_value
from callscore.rewriting.change import CannotRewrite, Edit, Found
from callscore.rewriting.lists import Node, Writing, quoted, relisted
from callscore.rewriting.patching import Style, patch_edits
from callscore.rewriting.python_cases import Expectation, cases_in
from callscore.rewriting.python_names import names_at
from callscore.rewriting.python_nodes import given_to
from callscore.rewriting.python_text import call_text, keyword_text, literal_text, spelling_of
from callscore.rewriting.python_values import COMPUTED, expects, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.phrase import Phrase
    from callscore.rewriting.change import Change

__all__ = ["has_changed_alone", "patches_in_python", "places_in_python"]

_MARKER = "callscore"
_FIELD = "expected"
_LINE_END = re.compile(r"\n")
_CATCHING = ("raises", "suppress", "assertRaises")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def places_in_python(text: str, change: Change) -> list[Found]:
    """All places of a Python file that may be the expectation.

    Raises:
        CannotRewrite: what is expected is not written out there.
    """
    program = _program(text)
    return [_place(program, each, change) for each in _expectations(program.tree, change)]


def patches_in_python(text: str, change: Change) -> list[Found]:
    """The same, with the patches made there.

    Raises:
        CannotRewrite: the arguments are not written out there.
    """
    program = _program(text)
    return [_patched_place(program, each, change) for each in _expectations(program.tree, change)]


def _expectations(tree: ast.Module, change: Change) -> list[Expectation]:
    if change.kind == "case":
        return cases_in(tree, change)
    found = _assertions(tree, change) if change.kind == "call" else _markers(tree, change)
    return list(found)


class _Program(NamedTuple):
    """A file, its syntax, and where its lines begin."""

    text: str
    tree: ast.Module
    starts: list[int]


@lru_cache(maxsize=8)  # many expectations are looked for in one file
def _program(text: str) -> _Program:
    return _Program(text, _parsed(text), _line_starts(text))


def _parsed(text: str) -> ast.Module:
    with catch_warnings():
        simplefilter("ignore")  # they were shown when the file was run
        return ast.parse(text)


def _assertions(tree: ast.Module, change: Change) -> Iterator[Expectation]:
    """What is expected by the call that stands just there, whatever it is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.end_lineno, node.end_col_offset) == change.end:
            if _is_caught(tree, node):
                raise CannotRewrite(reasons.CAUGHT)
            named = [keyword.value for keyword in node.keywords if keyword.arg == _FIELD]
            yield from map(Expectation, node.args[:1] or named)


def _is_caught(tree: ast.Module, call: ast.Call) -> bool:
    """Whether a call stands where its failure is expected: in `try`, or in `with pytest.raises`."""
    blocks = [node.body for node in ast.walk(tree) if _is_catching(node)]
    return any(call is each for block in blocks for part in block for each in ast.walk(part))


def _is_catching(node: ast.AST) -> TypeGuard[ast.Try | ast.With | ast.AsyncWith]:
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(map(_catches, node.items))
    return isinstance(node, ast.Try) and bool(node.handlers)


def _catches(item: ast.withitem) -> bool:
    function = getattr(item.context_expr, "func", None)
    return getattr(function, "attr", getattr(function, "id", None)) in _CATCHING


def _markers(tree: ast.Module, change: Change) -> Iterator[Expectation]:
    """What is expected by the nearest marker: of the test, or of a class around it."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, _Function | ast.ClassDef)]
    around = [  # from the outside in
        node for node in nodes if _begins(node) <= change.line <= (node.end_lineno or 0)
    ]
    if not around or isinstance(around[-1], ast.ClassDef) or _begins(around[-1]) != change.line:
        return
    marked = [expected for node in around for expected in _marked(node)]
    names = names_at(tree, change.line)
    for expected in marked[-1:]:
        value = value_of(expected, names)
        if value is COMPUTED or expects(value, change.expected, is_spelled=False):
            yield Expectation(expected)


def _begins(node: _Function | ast.ClassDef) -> int:
    """The line of a function or of a class, or of the first decorator above it."""
    return min([node.lineno, *[each.lineno for each in node.decorator_list]])


def _marked(node: _Function | ast.ClassDef) -> Iterator[ast.expr]:
    """What the markers of a test or of a class expect; of several, the last has the last word."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == _MARKER:
            yield from (each.value for each in decorator.keywords if each.arg == _FIELD)


def _place(program: _Program, found: Expectation, change: Change) -> Found:
    text, starts, expected = program.text, program.starts, found.expression
    elements = _elements(expected, change)
    start, end = _span(text, starts, expected)
    node = Node(start, end, tuple(Node(*_span(text, starts, each)) for each in elements))
    names = names_at(program.tree, expected.lineno)
    spelling = spelling_of(elements, names)
    # In an object that stands in Python as in a case file, `$` keys are rules.
    is_spelled = found.is_spelled and not spelling.function

    def render(call: dict[str, Any], indent: str) -> str:
        given = spell(call["arguments"]) if is_spelled else call["arguments"]
        return call_text({**call, "arguments": given}, spelling, indent)

    new = relisted(text, node, change.items, Writing(render))
    value = value_of(ast.parse(new, mode="eval").body, names)
    if value is not COMPUTED and not expects(value, _wanted(change), is_spelled=found.is_spelled):
        raise _on_line(expected, reasons.NOT_A_LIST)
    return Found((Edit(start, end, new),), _where(expected), new, found.id)


def _patched_place(program: _Program, found: Expectation, change: Change) -> Found:
    """An expectation with other values in its calls."""
    text, starts, expected = program.text, program.starts, found.expression
    elements = _elements(expected, change)
    names = names_at(program.tree, expected.lineno)
    edits: list[Edit] = []
    for (first, *way), patches in by_call(change.patches):
        given = given_to(elements[first], way, names, lambda node: _span(text, starts, node))
        has_rules = found.is_spelled and isinstance(elements[first], ast.Dict)
        style = _style(has_rules=has_rules, has_keywords=given.has_keywords)
        edits += patch_edits(text, given.node, patches, style)
    start, end = _span(text, starts, expected)
    new = text[start:end]
    for edit in sorted(edits, reverse=True):
        new = new[: edit.start - start] + edit.text + new[edit.end - start :]
    value = value_of(ast.parse(new, mode="eval").body, names)
    if value is not COMPUTED and change.expected is not None:
        wanted = patched_value(deepcopy(change.expected), change.patches)
        if not expects(value, wanted, is_spelled=found.is_spelled):
            raise _on_line(expected, reasons.NOT_A_LIST)
    return Found(tuple(edits), _where(expected), new, found.id)


def _style(*, has_rules: bool, has_keywords: bool) -> Style:
    def value(new: Any, indent: str) -> str:
        return literal_text(spell(new) if has_rules else new, indent)

    return Style(value, keyword_text if has_keywords else _member_text)


def _member_text(key: str, told: str) -> str:
    return f"{quoted(key)}: {told}"


def _wanted(change: Change) -> list[Any] | None:
    """What is to be expected, as a case file spells it; None where no file can say it."""
    if change.expected is None:
        return None
    return [
        change.expected[item]
        if isinstance(item, int)
        else {**item, "arguments": spell(item["arguments"])}
        for item in change.items
    ]


def _elements(expected: ast.expr, change: Change) -> list[ast.expr]:
    """The items of a list that is written out.

    Raises:
        CannotRewrite: it is not written out, or is not what was read.
    """
    if isinstance(expected, ast.Constant) and expected.value is None:
        return []
    if not isinstance(expected, ast.List):
        raise _on_line(expected, reasons.NOT_WRITTEN_OUT)
    elements = expected.elts
    is_other = change.expected is not None and len(elements) != len(change.expected)
    if is_other or any(isinstance(each, ast.Starred) for each in elements):
        raise _on_line(expected, reasons.NOT_READ)
    return elements


def _on_line(expression: ast.expr, reason: Phrase) -> CannotRewrite:
    problem = CannotRewrite(reason)
    return CannotRewrite(reasons.ON_LINE, line=expression.lineno, problem=problem)


def _line_starts(text: str) -> list[int]:
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return [0, *ends, len(text)]


def _span(text: str, starts: list[int], node: ast.expr | ast.keyword) -> tuple[int, int]:
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

    if ast.dump(Replacing().visit(_parsed(old))) != ast.dump(_parsed(new)):
        return False
    with catch_warnings():
        simplefilter("ignore")
        compile(new, "file", "exec", dont_inherit=True)  # which finds more than the parser
    return True
