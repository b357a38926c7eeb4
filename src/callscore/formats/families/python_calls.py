"""Calls that a model wrote in Python: `[search(query='x', limit=5), math.sqrt(2)]`.

The text is parsed and never run. Anything but a literal is kept as text. Simple calls are read with
regular expressions, which is many times faster than Python's own parser; that parser reads the
rest: strings with escapes or prefixes, names as values, comments, trailing commas.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from itertools import accumulate, islice
from keyword import kwlist
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.call import INVALID, TRUNCATED, Malformed, Tool, excerpt

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

_MAX_DEPTH = 10
_KEYWORDS = frozenset(kwlist)
_NAME = "[A-Za-z_][A-Za-z_0-9]*"
_WHITESPACE = r"[ \t\n]*"
# A string without quotes, escapes and characters that the parser would refuse.
_STRING = r"""'[^'\\\x00-\x1f\ud800-\udfff]*'|"[^"\\\x00-\x1f\ud800-\udfff]*\""""
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?"
_HEAD = re.compile(rf"{_WHITESPACE}({_NAME}(?:\.{_NAME})*)\({_WHITESPACE}")
# A value, perhaps with a name before it, and the comma or bracket after it; of a value that is in
# brackets itself, only the name.
_VALUE = re.compile(
    rf"(?:({_NAME}){_WHITESPACE}={_WHITESPACE})?"
    rf"(?:({_STRING}|{_NUMBER}|True|False|None){_WHITESPACE}([,)\]}}]){_WHITESPACE}|(?=[\[{{]))"
)
_OPENING = re.compile(rf"[\[{{]{_WHITESPACE}")
_CLOSING = re.compile(rf"([,)\]}}]){_WHITESPACE}")
_KEY = re.compile(rf"({_STRING}){_WHITESPACE}:{_WHITESPACE}")
_PYTHON_CONSTANTS = {"True": True, "False": False, "None": None}
# A word, followed by what cannot follow the name of a function.
_PROSE_START = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:[ \t]+[A-Za-z_0-9]|[ \t]*\.?[ \t]*(?:[!,:;?'\"\n]|\Z))"
)


class PythonCall(NamedTuple):
    """One call; faulty if arguments are unknown or ambiguous: `*more`, or a name twice."""

    name: str
    named: dict[str, Any]
    unnamed: list[Any]
    source: str
    is_faulty: bool = False


class _NotPlainError(Exception):
    """Something that only Python's own parser can read."""


def is_prose(text: str) -> bool:
    """Whether a text begins like a sentence, and so is neither a call nor a list of calls."""
    return _PROSE_START.match(text) is not None


def read_plain_calls(text: str) -> list[PythonCall] | None:
    """The calls of a text without outer spaces, in a list or one alone; None if not simple."""
    try:
        if text[:1] == "[":
            calls, place = _read_list(text)
        else:
            call, place = _read_plain_call(text, 0)
            calls = [call]
    except _NotPlainError:
        return None
    return calls if place == len(text) else None


def _read_list(text: str) -> tuple[list[PythonCall], int]:
    calls = []
    end, place = ",", 1
    while end == ",":
        call, place = _read_plain_call(text, place)
        calls.append(call)
        end, place = _read_end(text, place)
    if end != "]":
        raise _NotPlainError
    return calls, place


def _read_plain_call(text: str, place: int) -> tuple[PythonCall, int]:
    """The call at a position, and the position after it."""
    head = _HEAD.match(text, place)
    if head is None or not _KEYWORDS.isdisjoint(head[1].split(".")):
        raise _NotPlainError
    named: dict[str, Any] = {}
    unnamed = []
    place = head.end()
    end = ","
    if text[place : place + 1] == ")":
        end, place = _read_end(text, place)
    while end == ",":
        name, value, end, place = _read_value(text, place, 0)
        if name is not None and name not in named and name not in _KEYWORDS:
            named[name] = value
        elif name is None and not named:
            unnamed.append(value)
        else:
            raise _NotPlainError
    if end != ")":
        raise _NotPlainError
    return PythonCall(head[1], named, unnamed, text[head.start(1) : place].rstrip()), place


def _read_end(text: str, place: int) -> tuple[str, int]:
    """The comma or closing bracket at a position, and the position after it."""
    found = _CLOSING.match(text, place)
    if found is None:
        raise _NotPlainError
    return found[1], found.end()


def _read_value(text: str, place: int, depth: int) -> tuple[str | None, Any, str, int]:
    """The name of a value, the value, the mark after it, and the position after that."""
    found = _VALUE.match(text, place)
    if found is None:
        raise _NotPlainError
    name, literal, end = found.groups()
    if literal is not None:
        return name, _literal(literal), end, found.end()
    if depth == _MAX_DEPTH:
        raise _NotPlainError
    read = _read_array if text[found.end()] == "[" else _read_object
    value, place = read(text, found.end(), depth + 1)
    return name, value, *_read_end(text, place)


def _literal(text: str) -> Any:
    if text[0] in "'\"":
        return text[1:-1]
    if text in _PYTHON_CONSTANTS:
        return _PYTHON_CONSTANTS[text]
    return float(text) if "." in text else int(text)


def _read_array(text: str, place: int, depth: int) -> tuple[list[Any], int]:
    values = []
    end, place = _begin(text, place)
    while end == ",":
        name, value, end, place = _read_value(text, place, depth)
        if name is not None:
            raise _NotPlainError
        values.append(value)
    if end != "]":
        raise _NotPlainError
    return values, place


def _read_object(text: str, place: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    end, place = _begin(text, place)
    while end == ",":
        key = _KEY.match(text, place)
        name, value, end, place = _read_value(text, key.end() if key else len(text), depth)
        if key is None or name is not None:
            raise _NotPlainError
        members[key[1][1:-1]] = value
    if end != "}":
        raise _NotPlainError
    return members, place


def _begin(text: str, place: int) -> tuple[str, int]:
    """The closing bracket of empty brackets, else a comma, and the position after it."""
    opening = _OPENING.match(text, place)
    place = opening.end() if opening else place
    return _read_end(text, place) if text[place : place + 1] in ("]", "}") else (",", place)


_MAX_LENGTH = 500_000  # characters; parsing takes a hundred times as much memory
_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
_JSON_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_MAX_LISTS = 50  # in a text: the end of each is searched for
_LIST_START = re.compile(r"\s*\[\s*[A-Za-z_][\w.]*\(")
_ANY_LIST = re.compile(r"\[\s*[A-Za-z_][\w.]*\(")
_CALL = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(\(.*)", re.DOTALL)
# A string, which may be cut off at the end; a bracket or comma; or what is between them.
_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*(?:'|\\?\Z)|"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[^'"()\[\]{},]+|.""",
    re.DOTALL,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = ("'", '"')
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def is_python_call_list(text: str) -> bool:
    """Whether a text is a list of calls, even if it is cut off or does not parse."""
    if not _LIST_START.match(text):
        return False
    inside = text.lstrip().removeprefix("[")
    return not inside[_end_of_list(inside) :].removeprefix("]").strip()


def find_call_list(text: str) -> str | None:
    """The first list of calls among other text; None if there is none that parses."""
    for start in islice(_ANY_LIST.finditer(text), _MAX_LISTS):
        inside = text[start.start() + 1 :]
        found = f"[{inside[: _end_of_list(inside)]}]"
        if parse_calls(found):
            return found
    return None


def parse_literal(text: str) -> Any:
    """The value of a text in Python that JSON has, too, such as a list; None for any other."""
    if len(text) > _MAX_LENGTH or lacks_brackets(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            return _value(ast.parse(text.strip(), mode="eval").body, _Source(text.strip()))
    except _PARSE_ERRORS:
        return None


def _end_of_list(inside: str) -> int:
    """The position of the bracket that closes a list; the end if there is none."""
    depth = 0
    for piece in _TOKEN.finditer(inside):
        depth += _DEPTH.get(piece[0], 0)
        if depth < 0:
            return piece.start()
    return len(inside)


def parse_calls(text: str) -> list[PythonCall] | None:
    """The calls of a text, in lists or one by one; None if it is anything else."""
    text = text.strip().replace("\r\n", "\n").replace("\r", "\n")  # as the parser sees it
    if len(text) > _MAX_LENGTH or is_prose(text):
        return None
    calls = read_plain_calls(text)
    if calls is None and not lacks_brackets(text):
        calls = _parse(text)
    return calls


def lacks_brackets(text: str) -> bool:
    """Whether the parser would refuse a text because of its brackets, which it takes long to do.

    If there may be comments, or strings that `_TOKEN` does not know, the answer is no.
    """
    closing: list[str] = []
    before = ""
    for piece in _TOKEN.findall(text):
        if piece in _PAIRS:
            closing.append(_PAIRS[piece])
        elif piece in _DEPTH and (not closing or closing.pop() != piece):
            return True
        elif piece[0] in _QUOTES:
            if before[-1:].isalnum() or before[:1] in _QUOTES:
                return False  # with a prefix, or in three quotes
        elif "#" in piece:
            return False
        before = piece
    return bool(closing)


def _parse(text: str) -> list[PythonCall] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            statements = ast.parse(text).body
        source = _Source(text)
        return [_read_call_node(node, source) for node in _call_nodes(statements)]
    except _PARSE_ERRORS:
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
    """The text of a node: the parser counts lines, and bytes within a line."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        lengths = [len(line) + 1 for line in self._bytes.split(b"\n")]
        self._starts = list(accumulate(lengths, initial=0))

    def of(self, node: ast.expr) -> str:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return self._bytes[start:end].decode()


def _read_call_node(node: ast.Call, source: _Source) -> PythonCall:
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
    """Whether JSON has such a value."""
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
        return _JSON_CONSTANTS.get(node.id.lower(), node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(number, int | float) and _is_plain(number):
            return -number if isinstance(node.op, ast.USub) else +number
    return source.of(node)


def take_python(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Add the calls of a Python text, and what can be read of those that do not parse.

    The tool definitions give the names of positional arguments.
    """
    calls = parse_calls(text)
    if calls is None:
        take_unparsable(text, transcript, tools)
        return
    for call in calls:
        take_call(call, transcript, tools)


def take_unparsable(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Like `take_python`, for a text that is known not to parse as a whole."""
    for part in _split(text.strip().removeprefix("[")):
        single = parse_calls(part)
        if single:
            take_call(single[0], transcript, tools)
        else:
            _take_broken(part, transcript)


def take_call(call: PythonCall, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Add one call; positional arguments get their names from the tool's definition."""
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
    open_brackets = sum(_DEPTH.get(piece, 0) for piece in _TOKEN.findall(text))
    error = TRUNCATED if open_brackets > 0 else INVALID
    if found:
        transcript.call(found[1], Malformed(excerpt(found[2]), error))
    else:
        transcript.call(None, Malformed(excerpt(text), error))


def _split(text: str) -> list[str]:
    """The calls in a list, split at the commas between them."""
    parts, start, depth = [], 0, 0
    end = _end_of_list(text)
    for piece in _TOKEN.finditer(text, 0, end):
        depth += _DEPTH.get(piece[0], 0)
        if depth == 0 and piece[0] == ",":
            parts.append(text[start : piece.start()])
            start = piece.end()
    return [part for part in (*parts, text[start:end]) if part.strip()]
