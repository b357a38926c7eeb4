"""Cases in a Python file: which of them an evaluation asks, and what they expect."""

from __future__ import annotations

import ast
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.equality import equal
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.python_names import names_at
from callscore.rewriting.python_values import COMPUTED, expects, value_of
from callscore.rewriting.records import may_be_called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.rewriting.change import Change

__all__ = ["Expectation", "cases_in"]

_CASE = "Case"
_CASES = "cases"
_FIELD = "expected"


class Expectation(NamedTuple):
    """What is expected somewhere.

    Attributes:
        expression: how it is written.
        is_spelled: whether keys that begin with `$` are rules in it, as they are in a case file.
        id: the id of the case, if it has one that is written out.
    """

    expression: ast.expr
    is_spelled: bool = False
    id: str | None = None


class _Case(NamedTuple):
    """A case that is written out.

    Attributes:
        id: its id; None where it has none, and `COMPUTED` where that is not written out.
        input: what is asked, likewise.
        expected: what is expected, likewise.
        place: where that stands.
    """

    id: Any
    input: Any
    expected: Any
    place: Expectation


def cases_in(tree: ast.Module, change: Change) -> list[Expectation]:
    """What is expected by every case that an evaluation asks, and that asks and expects the same.

    Raises:
        CannotRewrite: there is none, and one of which it is not sure.
    """
    asked = [case for case in _cases(tree, change.line) if _asks(case, change)]
    same = [
        case.place
        for case in asked
        if case.expected is not COMPUTED
        and expects(case.expected, change.expected, is_spelled=case.place.is_spelled)
    ]
    doubtful = [case.place.expression for case in asked if case.expected is COMPUTED]
    if doubtful and not same:
        raise _doubt(doubtful[0])
    return same


def _asks(case: _Case, change: Change) -> bool:
    """Whether a case may be the one that is meant."""
    if case.id is not COMPUTED and not may_be_called(case.id or None, change.case):
        return False
    if case.input is COMPUTED:  # then the id has to tell the case from others
        return case.id is not COMPUTED and bool(case.id)
    return equal(case.input, change.input)


def _doubt(expression: ast.expr) -> CannotRewrite:
    is_list = isinstance(expression, ast.List)
    problem = CannotRewrite(reasons.NOT_READ if is_list else reasons.NOT_WRITTEN_OUT)
    return CannotRewrite(reasons.ON_LINE, line=expression.lineno, problem=problem)


@lru_cache(maxsize=16)  # every case of an evaluation is looked for
def _cases(tree: ast.Module, line: int) -> list[_Case]:
    """The cases that the evaluation on a line may ask; those of the whole file where that is 0."""
    regions, others = _regions(tree, line)
    nodes = [node for region in regions for node in _walk_without(region, others)]
    found = [_case(tree, node) for node in dict.fromkeys(nodes)]
    return [case for case in found if case is not None]


def _regions(tree: ast.Module, line: int) -> tuple[list[ast.AST], set[ast.AST]]:
    """Where the cases of the evaluation on a line may stand, and what in there is another's."""
    if not line:
        return [tree], set()
    given = {node: _cases_of(node) for node in ast.walk(tree)}
    evaluations = {node: cases for node, cases in given.items() if cases is not None}
    own = [node for node in evaluations if _is_on(node, line)]
    others = set(evaluations) - set(own)
    return _reached(tree, [evaluations[node] for node in own]) if own else [tree], others


def _cases_of(node: ast.AST) -> ast.AST | None:
    """What an evaluation is given as its cases; None where it is no evaluation."""
    if not isinstance(node, ast.Call):
        return None
    return next((each.value for each in node.keywords if each.arg == _CASES), None)


def _is_on(node: ast.AST, line: int) -> bool:
    return isinstance(node, ast.expr) and node.lineno <= line <= (node.end_lineno or 0)


def _reached(tree: ast.Module, regions: list[ast.AST]) -> list[ast.AST]:
    """These, and the statements of the file that make what is named in them."""
    reached = list(regions)
    for region in reached:  # which grows meanwhile
        names = {node.id for node in ast.walk(region) if isinstance(node, ast.Name)}
        reached += [
            statement
            for statement in tree.body
            if statement not in reached and names & set(_made_by(statement))
        ]
    return reached


def _made_by(statement: ast.stmt) -> Iterator[str]:
    """The names of what a statement makes or changes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Call | ast.Subscript):  # `CASES.append(...)`, `CASES[0] = ...`
            owner = node.func if isinstance(node, ast.Call) else node
            while isinstance(owner, ast.Attribute | ast.Subscript):
                owner = owner.value
                if isinstance(owner, ast.Name):
                    yield owner.id


def _walk_without(node: ast.AST, others: set[ast.AST]) -> Iterator[ast.AST]:
    pending = deque([node])
    while pending:
        each = pending.popleft()
        if each not in others:
            yield each
            pending += ast.iter_child_nodes(each)


def _case(tree: ast.Module, node: ast.AST) -> _Case | None:
    """A case, if this is one and says what is expected."""
    fields = _fields_of(node)
    if _FIELD not in fields:
        return None

    def read(key: str) -> Any:
        return _value(tree, fields[key]) if key in fields else None

    own = read("id")
    known = str(own) if own and own is not COMPUTED else None
    place = Expectation(fields[_FIELD], isinstance(node, ast.Dict), known)
    return _Case(own, read("input"), read(_FIELD), place)


def _value(tree: ast.Module, node: ast.expr) -> Any:
    return value_of(node, names_at(tree, node.lineno))


def _fields_of(node: ast.AST) -> dict[str, ast.expr]:
    """The fields of a case: of `Case(...)`, or of an object."""
    if isinstance(node, ast.Call) and _is_case(node.func):
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


def _is_case(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return bool(name == _CASE)
