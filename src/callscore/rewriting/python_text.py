"""Calls as Python: spelled like those that stand beside them, or as the file imports allow."""

from __future__ import annotations

import ast
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.formats.calls import ARGUMENTS, NAMES
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.lists import quoted
from callscore.rewriting.python_names import path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.rewriting.python_names import Names

__all__ = ["Spelling", "call_text", "keyword_text", "literal_text", "spelling_of"]

_WIDTH = 99
_STEP = "    "
# Where an import comes from, and what follows its name where a call is made.
_IMPORTS = {
    "callscore.expect.call": "",
    "callscore.testing.call": "",
    "callscore.expect": ".call",
    "callscore.testing": ".call",
    "callscore": ".expect.call",
}
_CALL = "callscore.expect.call"
# What a single argument must not be called, for it would be taken for all of them.
_OBJECTS = frozenset({"arguments", "args"})


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


def spelling_of(elements: Sequence[ast.expr], names: Names) -> Spelling:
    """How the calls in a list are written; where there are none, what is imported decides.

    Args:
        elements: what stands in the list.
        names: what names mean there.
    """
    made = [each for each in elements if isinstance(each, ast.Call)]
    functions = [each.func for each in made if path_of(each.func, names) == _CALL]
    if functions:
        return Spelling(ast.unparse(functions[0]))
    for element in elements:
        keys = element.keys if isinstance(element, ast.Dict) else []
        words = [key.value for key in keys if isinstance(key, ast.Constant)]
        name = next((word for word in words if word in NAMES), None)
        if name is not None:
            arguments = next((word for word in words if word in ARGUMENTS), "arguments")
            return Spelling("", str(name), str(arguments))
    return Spelling(_imported(names))


def _imported(names: Names) -> str:
    """What a file imports to make calls with, as it calls it."""
    for path, rest in _IMPORTS.items():
        for name, home in names.paths.items():
            if home == path:
                return name + rest
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


def keyword_text(name: str, value: str) -> str:
    """An argument as a keyword, given the text of its value.

    Raises:
        CannotRewrite: its name can be none.
    """
    if not _is_keyword(name) or name in _OBJECTS:
        raise CannotRewrite(reasons.NO_KEYWORD, name=name)
    return f"{name}={value}"


def _is_keyword(name: str) -> bool:
    # Two underscores mean something: `__debug__` is a constant, and in a class others are renamed.
    is_free = not iskeyword(name) and not name.startswith("__")
    return name.isidentifier() and name.isascii() and is_free


def _reads_as_object(arguments: dict[str, Any]) -> bool:
    """Whether one argument, an object, would be taken for all arguments."""
    return len(arguments) == 1 and bool(_OBJECTS & arguments.keys())


def literal_text(value: Any, indent: str) -> str:
    """A value as Python writes it, in lines of which the first begins with these blanks."""
    inner = indent + _STEP
    if isinstance(value, dict):
        members = [f"{quoted(key)}: {literal_text(item, inner)}" for key, item in value.items()]
        return _laid_out("{", members, "}", indent)
    if isinstance(value, list):
        if value and all(isinstance(item, int | float) for item in value):
            return _numbers_text(value, indent)
        return _laid_out("[", [literal_text(item, inner) for item in value], "]", indent)
    return quoted(value) if isinstance(value, str) else repr(value)


def _numbers_text(numbers: list[float], indent: str) -> str:
    """A list of numbers; where one line is not enough for them, each has as many as fit."""
    room = _WIDTH - len(indent) - len(_STEP)
    lines: list[str] = []
    for text in map(repr, numbers):
        if lines and len(lines[-1]) + len(text) + 3 <= room:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return f"[{lines[0]}]" if len(lines) == 1 else _in_lines("[", lines, "]", indent)


def _laid_out(opening: str, parts: list[str], closing: str, indent: str) -> str:
    line = f"{opening}{', '.join(parts)}{closing}"
    if not parts or (len(indent) + len(line) < _WIDTH and "\n" not in line):
        return line
    return _in_lines(opening, parts, closing, indent)


def _in_lines(opening: str, parts: list[str], closing: str, indent: str) -> str:
    inner = f"\n{indent}{_STEP}"
    return f"{opening}{inner}{f',{inner}'.join(parts)},\n{indent}{closing}"
