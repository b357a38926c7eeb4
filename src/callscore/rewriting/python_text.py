"""Calls as Python: spelled like those that stand beside them, or as the file imports allow."""

from __future__ import annotations

import ast
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.formats.calls import ARGUMENTS, NAMES
from callscore.rewriting.lists import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Spelling", "call_text", "literal_text", "spelling_of"]

_WIDTH = 99
_STEP = "    "
# By a module and a name in it: what follows that name where a call is made.
_IMPORTS = {
    ("callscore.testing", "call"): "",
    ("callscore.expect", "call"): "",
    ("callscore", "expect"): ".call",
    (None, "callscore"): ".expect.call",
}


class Spelling(NamedTuple):
    """How calls are written.

    Attributes:
        function: what is called to make one: `expect.call`; empty where they are objects.
        name: the key of the name, in an object.
        arguments: the key of the arguments, in an object.
    """

    function: str = ""
    name: str = "name"
    arguments: str = "arguments"


def spelling_of(tree: ast.Module, elements: Sequence[ast.expr]) -> Spelling:
    """How the calls in a list are written; for an empty one, what the file imports decides."""
    for element in elements:
        if isinstance(element, ast.Call) and ast.unparse(element.func).split(".")[-1] == "call":
            return Spelling(ast.unparse(element.func))
        if isinstance(element, ast.Dict):
            keys = [key.value for key in element.keys if isinstance(key, ast.Constant)]
            name = next((key for key in keys if key in NAMES), "name")
            arguments = next((key for key in keys if key in ARGUMENTS), "arguments")
            return Spelling("", str(name), str(arguments))
    return Spelling(_imported(tree))


def _imported(tree: ast.Module) -> str:
    """What a file imports to make calls with, as it calls it."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        home = node.module if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            rest = _IMPORTS.get((home, alias.name))
            if rest is not None:
                return (alias.asname or alias.name) + rest
    return ""


def call_text(call: dict[str, Any], spelling: Spelling, indent: str) -> str:
    """A call as an expression; one that is too long for a line has a line for each argument.

    Args:
        call: its name and its arguments.
        spelling: how calls are written.
        indent: the blanks that its line begins with.
    """
    name, arguments = call["name"], call["arguments"]
    if not spelling.function:
        return literal_text({spelling.name: name, spelling.arguments: arguments}, indent)
    if arguments and all(map(_is_keyword, arguments)) and not _reads_as_object(arguments):
        given = [f"{key}={literal_text(value, indent + _STEP)}" for key, value in arguments.items()]
    else:
        given = [literal_text(arguments, indent + _STEP)]
    return _laid_out(f"{spelling.function}(", [quoted(name), *given], ")", indent)


def _is_keyword(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name) and name.isascii()


def _reads_as_object(arguments: dict[str, Any]) -> bool:
    """Whether one argument, an object, would be taken for all arguments."""
    return len(arguments) == 1 and bool({"arguments", "args"} & arguments.keys())


def literal_text(value: Any, indent: str) -> str:
    """A value as Python writes it, in lines of which the first begins with these blanks."""
    inner = indent + _STEP
    if isinstance(value, dict):
        members = [f"{quoted(key)}: {literal_text(item, inner)}" for key, item in value.items()]
        return _laid_out("{", members, "}", indent)
    if isinstance(value, list):
        return _laid_out("[", [literal_text(item, inner) for item in value], "]", indent)
    return quoted(value) if isinstance(value, str) else repr(value)


def _laid_out(opening: str, parts: list[str], closing: str, indent: str) -> str:
    line = f"{opening}{', '.join(parts)}{closing}"
    if not parts or (len(indent) + len(line) < _WIDTH and "\n" not in line):
        return line
    inner = f"\n{indent}{_STEP}"
    return f"{opening}{inner}{f',{inner}'.join(parts)},\n{indent}{closing}"
