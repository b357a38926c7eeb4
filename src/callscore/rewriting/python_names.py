"""What names mean at a place in a Python file, as far as its imports and assignments say it."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Names", "names_at", "path_of"]

_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_Scope = ast.Module | _Inner
# What a name is: where it comes from, the expression that it stands for, or nothing that is known.
_Meaning = str | ast.expr | None
_SAME = {"callscore.testing.call": "callscore.expect.call"}


class Names(NamedTuple):
    """The names that are known at a place.

    Attributes:
        paths: those that are imported, and from where: `expect` is `callscore.expect`.
        constants: those that are assigned once, and the expression.
    """

    paths: dict[str, str]
    constants: dict[str, ast.expr]


def names_at(tree: ast.Module, line: int) -> Names:
    """The names that are known on a line.

    A name that is bound twice, perhaps, or later is not known; nor is one that is there for the
    type checker alone.
    """
    around = [scope for scope in _scopes(tree) if scope.lineno <= line <= (scope.end_lineno or 0)]
    # Statements are told apart by their lines: between two of a scope nothing changes.
    scopes = (tree, *around)
    return _names_in_scopes(tree, scopes, tuple(_count_above(scope, line) for scope in scopes))


@lru_cache(maxsize=16)
def _scopes(tree: ast.Module) -> list[_Inner]:
    """All scopes in a file, an outer one before those in it."""
    return [node for node in ast.walk(tree) if isinstance(node, _Inner)]


def _count_above(scope: _Scope, line: int) -> int:
    """How many statements of a scope stand above a line."""
    return sum(1 for node in _body(scope) if node.lineno < line)


def _body(scope: _Scope) -> Sequence[ast.stmt | ast.expr]:
    return scope.body if isinstance(scope.body, list) else [scope.body]


@lru_cache(maxsize=256)
def _names_in_scopes(
    tree: ast.Module, scopes: tuple[_Scope, ...], counts: tuple[int, ...]
) -> Names:
    meanings: dict[str, _Meaning] = {}
    for scope, count in zip(scopes, counts, strict=True):
        meanings |= dict(_bound_in(scope, count))
    meanings |= dict.fromkeys(_bound_anywhere(tree))
    return Names(
        {name: meaning for name, meaning in meanings.items() if isinstance(meaning, str)},
        {name: meaning for name, meaning in meanings.items() if isinstance(meaning, ast.expr)},
    )


def path_of(node: ast.expr, names: Names) -> str:
    """What an expression names, from the module on: `callscore.expect.call`; empty if nobody knows."""
    if isinstance(node, ast.Name):
        path = names.paths.get(node.id, "")
    elif isinstance(node, ast.Attribute):
        owner = path_of(node.value, names)
        path = f"{owner}.{node.attr}" if owner else ""
    else:
        path = ""
    return _SAME.get(path, path)


def _bound_anywhere(tree: ast.Module) -> Iterator[str]:
    """The names that something inside an expression, or another scope, binds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.comprehension | ast.NamedExpr):
            yield from _names_in(node.target)


def _bound_in(scope: _Scope, count: int) -> Iterator[tuple[str, _Meaning]]:
    """The names that a scope binds, and what they mean behind so many of its statements."""
    found: dict[str, list[_Meaning]] = {}
    for position, node in enumerate(_body(scope)):
        for name, meaning in _bound_by(node):
            found.setdefault(name, []).append(meaning if position < count else None)
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = [each for each in ast.walk(scope.args) if isinstance(each, ast.arg)]
        found |= {each.arg: [None] for each in given}
    for name, meanings in found.items():
        is_sure = all(meaning == meanings[0] for meaning in meanings)
        yield name, meanings[0] if is_sure else None


def _bound_by(node: ast.AST) -> Iterator[tuple[str, _Meaning]]:
    """The names that a statement binds; what happens perhaps has no meaning that is known."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _imported(node)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
        yield from ((name, None) for each in node.targets[1:] for name in _names_in(each))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, _DEFINED):
        yield node.name, None
    elif not _is_for_types(node):
        yield from ((name, None) for name in _names_in(node))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, _Meaning]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            top = alias.name.partition(".")[0]
            yield top, top


def _is_for_types(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING`, which never happens."""
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
        elif isinstance(each, (*_DEFINED, ast.ExceptHandler)):
            yield each.name or ""
