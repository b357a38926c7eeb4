"""Calls that a model wrote in Python: `[search(query='x', limit=5), math.sqrt(2)]`.

The text is parsed and never run. What is no literal is kept as the text that it is.
"""

from __future__ import annotations

import ast
import re
import warnings
from itertools import accumulate
from math import isfinite
from typing import TYPE_CHECKING, Any

from callscore.core.malformed import INVALID, TRUNCATED, Malformed, excerpt
from callscore.formats.families.plain_python import PythonCall, are_words, read_plain_calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.tool import Tool
    from callscore.formats.transcript import Transcript

__all__ = ["PythonCall", "is_python", "parse_calls", "take_call", "take_garbled", "take_python"]

_LONGEST = 500_000  # characters; parsing takes a hundred times as much memory
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_BEGINNING = re.compile(r"\s*\[\s*[A-Za-z_][\w.]*\(")
_CALL = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(\(.*)", re.DOTALL)
# A string, which may break off at the end; a bracket or comma; or what is between them.
_PIECE = re.compile(
    r"""'(?:[^'\\]|\\.)*(?:'|\\?\Z)|"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[^'"()\[\]{},]+|.""",
    re.DOTALL,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def is_python(text: str) -> bool:
    """Whether a text is a list of calls, as far as it goes: it may break off, or not parse."""
    if not _BEGINNING.match(text):
        return False
    inside = text.lstrip().removeprefix("[")
    return not inside[_end_of_list(inside) :].removeprefix("]").strip()


def _end_of_list(inside: str) -> int:
    """Where the bracket stands that closes a list; the end where there is none."""
    depth = 0
    for piece in _PIECE.finditer(inside):
        depth += _DEPTH.get(piece[0], 0)
        if depth < 0:
            return piece.start()
    return len(inside)


def parse_calls(text: str) -> list[PythonCall] | None:
    """The calls that a text spells, in lists or one by one; None where it is anything else."""
    text = text.strip().replace("\r\n", "\n").replace("\r", "\n")  # as the parser sees it
    if len(text) > _LONGEST or are_words(text):
        return None
    calls = read_plain_calls(text)
    return _parse(text) if calls is None else calls


def _parse(text: str) -> list[PythonCall] | None:
    """The same, as Python's own parser sees it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            statements = ast.parse(text).body
        source = _Source(text)
        return [_read_call(node, source) for node in _call_nodes(statements)]
    except _FAILURES:
        return None


def _call_nodes(statements: list[ast.stmt]) -> list[ast.Call]:
    nodes: list[ast.expr] = []
    for statement in statements:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if value is None:
            raise ValueError("not an expression")
        nodes += value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if len(calls) < len(nodes):
        raise ValueError("not a call")
    return calls


class _Source:
    """The text behind a node: the parser counts in lines, and in bytes within a line."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        lengths = [len(line) + 1 for line in self._bytes.split(b"\n")]
        self._starts = list(accumulate(lengths, initial=0))

    def of(self, node: ast.expr) -> str:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return self._bytes[start:end].decode()


def _read_call(node: ast.Call, source: _Source) -> PythonCall:
    named = {item.arg: _value(item.value, source) for item in node.keywords if item.arg}
    unnamed = [_value(item, source) for item in node.args if not isinstance(item, ast.Starred)]
    is_faulty = len(named) < len(node.keywords) or len(unnamed) < len(node.args)
    return PythonCall(_name(node.func), named, unnamed, source.of(node), is_faulty)


def _name(node: ast.expr) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ValueError("not a name")  # noqa: TRY004  (the text is wrong, not its type)
    return ".".join([node.id, *reversed(parts)])


def _value(node: ast.expr, source: _Source) -> Any:
    if isinstance(node, ast.Constant):
        return node.value if _is_plain(node.value) else source.of(node)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item, source) for item in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        return _members(node, source)
    return _name_or_number(node, source)


def _is_plain(value: Any) -> bool:
    """Whether JSON knows such a value."""
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, int | str)


def _members(node: ast.Dict, source: _Source) -> dict[str, Any]:
    members = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = _value(key, source) if key else None
        members[name if isinstance(name, str) else source.of(key or node)] = _value(value, source)
    return members


def _name_or_number(node: ast.expr, source: _Source) -> Any:
    if isinstance(node, ast.Name):
        return _CONSTANTS.get(node.id.lower(), node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(number, int | float) and _is_plain(number):
            return -number if isinstance(node.op, ast.USub) else +number
    return source.of(node)


def take_python(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Write down the calls that a text spells in Python, and what is left of those it garbles.

    Args:
        text: a list of calls, or calls one by one.
        transcript: where to.
        tools: the definitions of the tools, which tell the names of arguments without one.
    """
    calls = parse_calls(text)
    if calls is None:
        take_garbled(text, transcript, tools)
        return
    for call in calls:
        take_call(call, transcript, tools)


def take_garbled(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """The same, where it is known that the text as a whole cannot be parsed."""
    for part in _split(text.strip().removeprefix("[")):
        single = parse_calls(part)
        if single:
            take_call(single[0], transcript, tools)
        else:
            _take_broken(part, transcript)


def take_call(call: PythonCall, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Write down one call, its arguments named as the tool's definition names them."""
    if call.is_faulty:
        _take_broken(call.source, transcript)
        return
    if not call.unnamed:
        transcript.call(call.name, call.named)
        return
    tool = tools.get(call.name)
    properties = (tool.parameters or {}).get("properties") if tool else None
    names = list(properties)[: len(call.unnamed)] if isinstance(properties, dict) else []
    is_known = len(names) == len(call.unnamed) and not any(name in call.named for name in names)
    if not is_known:
        names = [str(position) for position in range(len(call.unnamed))]
    arguments = {**dict(zip(names, call.unnamed, strict=True)), **call.named}
    transcript.call(call.name, arguments, positional=not is_known)


def _take_broken(text: str, transcript: Transcript) -> None:
    found = _CALL.match(text)
    open_brackets = sum(_DEPTH.get(piece, 0) for piece in _PIECE.findall(text))
    error = TRUNCATED if open_brackets > 0 else INVALID
    if found:
        transcript.call(found[1], Malformed(excerpt(found[2]), error))
    else:
        transcript.call(None, Malformed(excerpt(text), error))


def _split(text: str) -> list[str]:
    """The calls in a list, cut at the commas between them."""
    parts, start, depth = [], 0, 0
    end = _end_of_list(text)
    for piece in _PIECE.finditer(text, 0, end):
        depth += _DEPTH.get(piece[0], 0)
        if depth == 0 and piece[0] == ",":
            parts.append(text[start : piece.start()])
            start = piece.end()
    return [part for part in (*parts, text[start:end]) if part.strip()]
