"""Reads the cases of an evaluation in a Python file, and their values, without running it."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore import expect
from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.expectation_json import expected_to_json
from callscore.errors import CallscoreError
from callscore.formats.case_sides import read_expected_side
from callscore.rewriting import reasons
from callscore.rewriting.case_records import may_have_name
from callscore.rewriting.change import CannotRewrite, Change

if TYPE_CHECKING:
    from callscore.core.phrases import Phrase

# --- names: what they mean, as far as imports and assignments say ------------------------------

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_Scope = ast.Module | _Inner
# The qualified name of an import, the expression of an assignment, or None if unknown.
_Binding = str | ast.expr | None
_ALIASES = {"callscore.testing.call": "callscore.expect.call"}


class Names(NamedTuple):
    """The names that are known at a line."""

    paths: dict[str, str]  # qualified names of imports: `expect` is `callscore.expect`
    constants: dict[str, ast.expr]  # expressions of names that are assigned once


def names_at(tree: ast.Module, line: int) -> Names:
    """The names that are known on a line.

    A name is unknown if it is bound twice, conditionally or later, or only for the type checker.
    """
    around = [scope for scope in _scopes(tree) if scope.lineno <= line <= (scope.end_lineno or 0)]
    scopes = (tree, *around)
    # The names depend only on the number of statements above the line in each scope.
    counts = (sum(node.lineno < line for node in _body(scope)) for scope in scopes)
    return _names_in_scopes(tree, scopes, tuple(counts))


@lru_cache(maxsize=16)
def _scopes(tree: ast.Module) -> list[_Inner]:
    """All scopes in a file, outer ones before inner ones."""
    return [node for node in ast.walk(tree) if isinstance(node, _Inner)]


def _body(scope: _Scope) -> Sequence[ast.stmt | ast.expr]:
    return scope.body if isinstance(scope.body, list) else [scope.body]


@lru_cache(maxsize=256)
def _names_in_scopes(
    tree: ast.Module, scopes: tuple[_Scope, ...], counts: tuple[int, ...]
) -> Names:
    meanings: dict[str, _Binding] = {}
    for scope, count in zip(scopes, counts, strict=True):
        meanings |= dict(_bound_in(scope, count))
    meanings |= dict.fromkeys(_bound_anywhere(tree))
    return Names(
        {name: meaning for name, meaning in meanings.items() if isinstance(meaning, str)},
        {name: meaning for name, meaning in meanings.items() if isinstance(meaning, ast.expr)},
    )


def qualified_name(node: ast.expr, names: Names) -> str:
    """The qualified name of an expression: `callscore.expect.call`; empty if unknown."""
    if isinstance(node, ast.Name):
        path = names.paths.get(node.id, "")
    elif isinstance(node, ast.Attribute):
        owner = qualified_name(node.value, names)
        path = f"{owner}.{node.attr}" if owner else ""
    else:
        path = ""
    return _ALIASES.get(path, path)


def _bound_anywhere(tree: ast.Module) -> Iterator[str]:
    """The names that are bound inside an expression, or from another scope."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.comprehension | ast.NamedExpr):
            yield from _names_in(node.target)


def _bound_in(scope: _Scope, count: int) -> Iterator[tuple[str, _Binding]]:
    """The names that a scope binds, and their bindings after its first `count` statements."""
    found: dict[str, list[_Binding]] = {}
    for position, node in enumerate(_body(scope)):
        for name, meaning in _bound_by(node):
            found.setdefault(name, []).append(meaning if position < count else None)
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = [each for each in ast.walk(scope.args) if isinstance(each, ast.arg)]
        found |= {each.arg: [None] for each in given}
    for name, meanings in found.items():
        is_sure = all(meaning == meanings[0] for meaning in meanings)
        yield name, meanings[0] if is_sure else None


def _bound_by(node: ast.AST) -> Iterator[tuple[str, _Binding]]:
    """The names that a statement binds; the meaning of conditional ones is unknown."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _imported(node)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
        yield from ((name, None) for each in node.targets[1:] for name in _names_in(each))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, _DEFINITIONS):
        yield node.name, None
    elif not _is_type_checking(node):
        yield from ((name, None) for name in _names_in(node))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, _Binding]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            top = alias.name.partition(".")[0]
            yield top, top


def _is_type_checking(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING`, whose body is never run."""
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING"
    )


def _names_in(node: ast.AST) -> Iterator[str]:
    """All names that may be bound anywhere inside."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            yield each.id
        elif isinstance(each, ast.alias):
            yield (each.asname or each.name).partition(".")[0]
        elif isinstance(each, (*_DEFINITIONS, ast.ExceptHandler)):
            yield each.name or ""


# --- literal values: only functions that make expectations are called --------------------------

# The value of an expression that is not literal.
NOT_LITERAL = object()
_RULES_PREFIX = "callscore.expect."


class _NotLiteral(Exception):
    """A value is not literal."""


def literal_value(node: ast.expr, names: Names) -> Any:
    """The value of an expression, with calls, rules and groups; `NOT_LITERAL` if it has none."""
    try:
        return _evaluate(node, names)
    except (_NotLiteral, CallscoreError, TypeError, ValueError, RecursionError):
        return NOT_LITERAL


def says_expected(value: Any, expected: list[Any] | None, *, is_spelled: bool) -> bool:
    """Whether a value is this expectation, which is given as in a case file.

    With `is_spelled`, keys that begin with `$` are rules in the value.
    """
    try:
        wanted = read_expected_side(value, where="expected", spelled=is_spelled)
        return equal([expected_to_json(item) for item in wanted], expected)
    except CallscoreError:
        return False


def _evaluate(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        items = [_evaluate(each, names) for each in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Name) and node.id in names.constants:
        return _evaluate(names.constants[node.id], names)
    return _evaluate_container(node, names)


def _evaluate_container(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Dict):
        keys = [key for key in node.keys if key is not None]
        if len(keys) < len(node.keys):  # `**more`
            raise _NotLiteral
        pairs = zip(keys, node.values, strict=True)
        return {_evaluate(key, names): _evaluate(member, names) for key, member in pairs}
    if not isinstance(node, ast.Call):
        return _evaluate_operation(node, names)
    if any(keyword.arg is None for keyword in node.keywords):
        raise _NotLiteral
    arguments = [_evaluate(each, names) for each in node.args]
    named = {str(each.arg): _evaluate(each.value, names) for each in node.keywords}
    return _own_function(qualified_name(node.func, names))(*arguments, **named)


def _own_function(path: str) -> Callable[..., Any]:
    """The function of callscore that makes a call, a rule or a group."""
    if path == "callscore.ToolCall":
        return ToolCall
    name = path.removeprefix(_RULES_PREFIX)
    if not path.startswith(_RULES_PREFIX) or name not in expect.__all__:
        raise _NotLiteral
    function: Callable[..., Any] = getattr(expect, name)
    return function


def _evaluate_operation(node: ast.expr, names: Names) -> Any:
    """A negative number, or a concatenation of texts."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _evaluate(node.operand, names)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _evaluate(node.left, names), _evaluate(node.right, names)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    raise _NotLiteral


# --- cases ------------------------------------------------------------------------------------

_EXPECTED_FIELD = "expected"


class PythonExpectation(NamedTuple):
    """An expectation in a file."""

    expression: ast.expr
    is_spelled: bool = False  # keys that begin with `$` are rules, as in a case file
    id: str | None = None  # of the case, if it is literal


class _Case(NamedTuple):
    """A case in a file; a value is None if the case has none, `NOT_LITERAL` if it is computed."""

    id: Any
    input: Any
    expected: Any
    place: PythonExpectation


def find_expectations(tree: ast.Module, change: Change) -> list[PythonExpectation]:
    """The expectations of all cases of an evaluation with this input and expectation.

    Refused if there is none, but a case whose expectation is computed.
    """
    asked = [case for case in _cases(tree, change.line) if _may_be_case(case, change)]
    same = [
        case.place
        for case in asked
        if case.expected is not NOT_LITERAL
        and says_expected(case.expected, change.expected, is_spelled=case.place.is_spelled)
    ]
    doubtful = [case.place.expression for case in asked if case.expected is NOT_LITERAL]
    if doubtful and not same:
        raise on_line(doubtful[0], reasons.NOT_WRITTEN_OUT)
    return same


def on_line(expression: ast.expr, reason: Phrase) -> CannotRewrite:
    """The reason with the line of an expression."""
    problem = CannotRewrite(reason)
    return CannotRewrite(reasons.ON_LINE, line=expression.lineno, problem=problem)


def _may_be_case(case: _Case, change: Change) -> bool:
    if case.id is not NOT_LITERAL and not may_have_name(case.id or None, change.case):
        return False
    if case.input is NOT_LITERAL:  # then only the id can identify the case
        return case.id is not NOT_LITERAL and bool(case.id)
    return equal(case.input, change.input)


@lru_cache(maxsize=16)  # every case of an evaluation is searched
def _cases(tree: ast.Module, line: int) -> list[_Case]:
    """The cases that the evaluation on a line may have; those of the whole file for line 0."""
    regions, others = _case_regions(tree, line)
    nodes = [node for region in regions for node in _walk_without(region, others)]
    found = [_case(tree, node) for node in dict.fromkeys(nodes)]
    return [case for case in found if case is not None]


def _case_regions(tree: ast.Module, line: int) -> tuple[list[ast.AST], set[ast.Call]]:
    """Where the cases of the evaluation on a line may be, and other evaluations to leave out."""
    if not line:
        return [tree], set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    evaluations = {  # the expressions of their cases
        call: keyword.value for call in calls for keyword in call.keywords if keyword.arg == "cases"
    }
    own = [call for call in evaluations if call.lineno <= line <= (call.end_lineno or 0)]
    others = set(evaluations) - set(own)
    return _with_referenced(tree, [evaluations[call] for call in own]) if own else [tree], others


def _with_referenced(tree: ast.Module, regions: list[ast.AST]) -> list[ast.AST]:
    """These, and the statements of the file that define the names in them."""
    reached = list(regions)
    for region in reached:  # it grows meanwhile
        names = {node.id for node in ast.walk(region) if isinstance(node, ast.Name)}
        reached += [
            statement
            for statement in tree.body
            if statement not in reached and names & set(_assigned_names(statement))
        ]
    return reached


def _assigned_names(statement: ast.stmt) -> Iterator[str]:
    """The names of the objects that a statement defines or changes."""
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


def _walk_without(node: ast.AST, others: set[ast.Call]) -> Iterator[ast.AST]:
    pending = deque([node])
    while pending:
        each = pending.popleft()
        if each not in others:
            yield each
            pending += ast.iter_child_nodes(each)


def _case(tree: ast.Module, node: ast.AST) -> _Case | None:
    """The case that a node is; None if it is not a case with an expectation."""
    fields = _fields_of(node)
    if _EXPECTED_FIELD not in fields:
        return None

    def read(key: str) -> Any:
        field = fields.get(key)
        return None if field is None else literal_value(field, names_at(tree, field.lineno))

    own = read("id")
    known = str(own) if own and own is not NOT_LITERAL else None
    place = PythonExpectation(fields[_EXPECTED_FIELD], isinstance(node, ast.Dict), known)
    return _Case(own, read("input"), read(_EXPECTED_FIELD), place)


def _fields_of(node: ast.AST) -> dict[str, ast.expr]:
    """The fields of a case: of `Case(...)`, or of an object."""
    if isinstance(node, ast.Call):
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name != "Case":
            return {}
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        return {**({"input": node.args[0]} if node.args else {}), **named}
    if isinstance(node, ast.Dict):
        return {key: value for key, value in object_members(node) if key is not None}
    return {}


def object_members(node: ast.Dict) -> list[tuple[str | None, ast.expr]]:
    """The members of an object; a key that is not literal is None."""
    return [
        (key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None, value)
        for key, value in zip(node.keys, node.values, strict=True)
    ]
