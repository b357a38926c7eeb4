"""What an expression in a Python file comes to, where that is written out: nothing else is run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from callscore import expect
from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.spelling import spell_expected
from callscore.errors import CallscoreError
from callscore.formats.sides import read_wanted
from callscore.rewriting.python_names import path_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.rewriting.python_names import Names

__all__ = ["COMPUTED", "expects", "value_of"]

# In place of a value that is not written out.
COMPUTED = object()
_RULES = "callscore.expect."
_CALL = "callscore.ToolCall"


class _Computed(Exception):
    """That a value is not written out."""


def value_of(node: ast.expr, names: Names) -> Any:
    """The value that is written there, with calls, rules and groups; `COMPUTED` where none is.

    Only what makes expectations is called.

    Args:
        node: the expression.
        names: what names mean where it stands.
    """
    try:
        return _value(node, names)
    except (_Computed, CallscoreError, TypeError, ValueError, RecursionError):
        return COMPUTED


def expects(value: Any, expected: list[Any] | None, *, is_spelled: bool) -> bool:
    """Whether a value says what is expected.

    Args:
        value: what is written somewhere.
        expected: what is expected, as a case file spells it.
        is_spelled: whether keys that begin with `$` are rules in the value.
    """
    try:
        wanted = read_wanted(value, where="expected", spelled=is_spelled)
        return equal([spell_expected(item) for item in wanted], expected)
    except CallscoreError:
        return False


def _value(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        items = [_value(each, names) for each in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Name) and node.id in names.constants:
        return _value(names.constants[node.id], names)
    return _composed(node, names)


def _composed(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Dict):
        return _object(node, names)
    return _made(node, names) if isinstance(node, ast.Call) else _calculated(node, names)


def _object(node: ast.Dict, names: Names) -> dict[Any, Any]:
    pairs = zip(node.keys, node.values, strict=True)
    return {_value(_given(key), names): _value(member, names) for key, member in pairs}


def _given(node: ast.expr | None) -> ast.expr:
    if node is None:  # two stars
        raise _Computed
    return node


def _made(node: ast.Call, names: Names) -> Any:
    """A call, a rule or a group, made by a function of ours."""
    if any(keyword.arg is None for keyword in node.keywords):
        raise _Computed
    arguments = [_value(each, names) for each in node.args]
    named = {str(each.arg): _value(each.value, names) for each in node.keywords}
    return _function(path_of(node.func, names))(*arguments, **named)


def _function(path: str) -> Callable[..., Any]:
    if path == _CALL:
        return ToolCall
    name = path.removeprefix(_RULES)
    if not path.startswith(_RULES) or name not in expect.__all__:
        raise _Computed
    function: Callable[..., Any] = getattr(expect, name)
    return function


def _calculated(node: ast.expr, names: Names) -> Any:
    """A negative number, or texts that are put together."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand, names)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(node.left, names), _value(node.right, names)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    raise _Computed
