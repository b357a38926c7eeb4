"""Calls in plain Python, `[search(query='x', limit=5)]`, read without Python's own parser.

That takes many times as long. What is not plain is left to it: strings with escapes or prefixes,
numbers in other spellings, names as values, comments, commas that nothing follows.
"""

from __future__ import annotations

import re
from keyword import kwlist
from typing import Any, NamedTuple

__all__ = ["PythonCall", "are_words", "read_plain_calls"]

_DEEPEST = 10
_KEYWORDS = frozenset(kwlist)
_NAME = "[A-Za-z_][A-Za-z_0-9]*"
_GAP = r"[ \t\n]*"
# A string has in it neither what ends it nor an escape, nor what the parser would refuse.
_STRING = r"""'[^'\\\x00-\x1f\ud800-\udfff]*'|"[^"\\\x00-\x1f\ud800-\udfff]*\""""
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?"
_HEAD = re.compile(rf"{_GAP}({_NAME}(?:\.{_NAME})*)\({_GAP}")
# A value, perhaps with a name before it, and the comma or bracket behind it; of a value that is in
# brackets itself, the name alone.
_VALUE = re.compile(
    rf"(?:({_NAME}){_GAP}={_GAP})?"
    rf"(?:({_STRING}|{_NUMBER}|True|False|None){_GAP}([,)\]}}]){_GAP}|(?=[\[{{]))"
)
_OPENING = re.compile(rf"[\[{{]{_GAP}")
_CLOSING = re.compile(rf"([,)\]}}]){_GAP}")
_KEY = re.compile(rf"({_STRING}){_GAP}:{_GAP}")
_CONSTANTS = {"True": True, "False": False, "None": None}
# A word, and behind it what no name of a function has there.
_WORDS = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:[ \t]+[A-Za-z_0-9]|[ \t]*\.?[ \t]*(?:[!,:;?'\"\n]|\Z))"
)


class PythonCall(NamedTuple):
    """One call as it stands there.

    Attributes:
        name: of the function, with the dots in it.
        named: the arguments that have names.
        unnamed: those that have none, in their order.
        source: the text of the call.
        is_faulty: whether it has arguments that no text can tell: `*more`, or a name twice.
    """

    name: str
    named: dict[str, Any]
    unnamed: list[Any]
    source: str
    is_faulty: bool = False


class _NotPlainError(Exception):
    """There is something that is left to Python's own parser."""


def are_words(text: str) -> bool:
    """Whether a text is no call and no list of calls, by how it begins: like a sentence."""
    return _WORDS.match(text) is not None


def read_plain_calls(text: str) -> list[PythonCall] | None:
    """The calls that a text spells, in a list or one alone; None where it is not plain.

    Args:
        text: without blanks around it.
    """
    try:
        calls, place = _read_list(text) if text[:1] == "[" else _read_alone(text)
    except _NotPlainError:
        return None
    return calls if place == len(text) else None


def _read_alone(text: str) -> tuple[list[PythonCall], int]:
    call, place = _read_call(text, 0)
    return [call], place


def _read_list(text: str) -> tuple[list[PythonCall], int]:
    calls = []
    end, place = ",", 1
    while end == ",":
        call, place = _read_call(text, place)
        calls.append(call)
        end, place = _read_end(text, place)
    if end != "]":
        raise _NotPlainError
    return calls, place


def _read_call(text: str, place: int) -> tuple[PythonCall, int]:
    """The call that begins at a place, and the place behind it."""
    head = _HEAD.match(text, place)
    if head is None or not _KEYWORDS.isdisjoint(head[1].split(".")):
        raise _NotPlainError
    named: dict[str, Any] = {}
    unnamed = []
    place = head.end()
    if text[place : place + 1] == ")":
        end, place = _read_end(text, place)
    else:
        end = ","
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
    """The comma or closing bracket at a place, and the place behind it."""
    found = _CLOSING.match(text, place)
    if found is None:
        raise _NotPlainError
    return found[1], found.end()


def _read_value(text: str, place: int, depth: int) -> tuple[str | None, Any, str, int]:
    """The name of a value, the value, what stands behind it, and the place behind that."""
    found = _VALUE.match(text, place)
    if found is None:
        raise _NotPlainError
    name, literal, end = found.groups()
    if literal is not None:
        return name, _literal(literal), end, found.end()
    if depth == _DEEPEST:
        raise _NotPlainError
    read = _read_array if text[found.end()] == "[" else _read_object
    value, place = read(text, found.end(), depth + 1)
    return name, value, *_read_end(text, place)


def _literal(text: str) -> Any:
    if text[0] in "'\"":
        return text[1:-1]
    if text in _CONSTANTS:
        return _CONSTANTS[text]
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
    """What closes brackets with nothing in them, else a comma, and the place behind."""
    opening = _OPENING.match(text, place)
    place = opening.end() if opening else place
    return _read_end(text, place) if text[place : place + 1] in ("]", "}") else (",", place)
