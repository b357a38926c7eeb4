"""A lenient JSON reader: faulty values are marked, and the rest is read as usual.

It reads what the fast decoder rejects. It has a stack of its own, so that deep nesting cannot
exhaust the interpreter's.

Written by hand because json5, demjson3 and json-repair repair faults instead of marking them, and
so would hide what an agent got wrong.
"""

from __future__ import annotations

import re
from typing import Any, Never

import msgspec
from msgspec import Struct

from callscore.core.call import FaultyArray, FaultyObject, Malformed, excerpt, malformed_part
from callscore.core.large_number import number_from_text
from callscore.core.nesting import MAX_DEPTH

_MAX_RAW_LENGTH = 2001
_MAX_OPEN = 500_000  # objects and arrays in each other, most of which are not kept

_SPACE = re.compile(r"[ \t\n\r]*+")
# Possessive: without it, the engine would keep a backtracking point for every character.
_STRING = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_BARE_WORD = re.compile(r"-?[A-Za-z]++")
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")
_BAD_ESCAPE = re.compile(r'\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))')

_NON_FINITE = dict.fromkeys(("NaN", "-NaN", "Infinity", "-Infinity"))
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None, **_NON_FINITE}
_CONTAINER_OPENED = object()


class NotJSON(Exception):
    """The structure of the text cannot be determined; readers turn this into a BadRecord."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.column = column
        self.problem = problem


def decode_leniently(data: bytes, *, unit: str) -> Any:
    """The value of a JSON text, with a mark in place of every faulty value.

    Marked are NaN and the infinities, strings with half a surrogate pair,
    bytes that are not UTF-8, unknown escapes or control characters, and everything nested deeper
    than 500 levels. Messages call the text a `unit`.

    Raises:
        NotJSON: the structure itself is broken, or the text ends too early.
    """
    return _Reader(data.decode("utf-8", "surrogateescape"), unit).read()


def keys_given_twice(data: bytes) -> list[tuple[tuple[str | int, ...], int, int, str]]:
    """The keys that an object has twice: the path of the object, the line, the column and the key.

    Raises:
        NotJSON: as for `decode_leniently`.
    """
    reader = _Reader(data.decode("utf-8", "surrogateescape"), "text")
    reader.read()
    return reader.duplicates


class _OpenContainer(Struct):
    start: int
    content: dict[str, Any] | list[Any]
    closing: str
    key: str = ""
    problem: str | None = None

    @property
    def noun(self) -> str:
        return "an array" if self.closing == "]" else "an object"

    @property
    def step(self) -> str | int:
        """The key or the position of the member that is being read."""
        return len(self.content) if isinstance(self.content, list) else self.key

    def add(self, value: Any) -> None:
        if isinstance(self.content, list):
            self.content.append(value)
        else:
            self.content[self.key] = value
        fault = malformed_part(value)
        if fault is not None:
            self.note(fault.problem)

    def note(self, problem: str) -> None:
        self.problem = self.problem or problem


class _Reader:
    def __init__(self, text: str, unit: str) -> None:
        self.text = text
        self.unit = unit
        self.position = 0
        self.stack: list[_OpenContainer] = []
        self.duplicates: list[tuple[tuple[str | int, ...], int, int, str]] = []
        # The line of a position, where its line break is, and the position.
        self.known_line = (1, -1, 0)

    def read(self) -> Any:
        value = self.read_value()
        if self.next_character() is not None:
            self.fail(f"unexpected text after the JSON value. {self.remedy}")
        return value

    @property
    def remedy(self) -> str:
        if self.unit == "line":
            return "Write one JSON object per line."
        return "Write one JSON array of cases, or one object per line."

    def read_value(self) -> Any:
        while True:
            value = self.begin_value()
            if value is _CONTAINER_OPENED:
                continue
            while self.stack and self.ends_with(value):
                value = self.close()
            if not self.stack:
                return value

    def begin_value(self) -> Any:
        """A scalar or an empty container; `_CONTAINER_OPENED` if a first member follows."""
        character = self.next_character()
        if character == "{":
            self.stack.append(_OpenContainer(self.position, {}, "}"))
        elif character == "[":
            self.stack.append(_OpenContainer(self.position, [], "]"))
        else:
            return self.read_scalar(character)
        if len(self.stack) > _MAX_OPEN:
            self.fail(f"more than {_MAX_OPEN:,} objects and arrays are open. Close them.")
        self.position += 1
        if self.next_character() == self.stack[-1].closing:
            self.position += 1
            return self.close()
        if character == "{":
            self.read_key()
        return _CONTAINER_OPENED

    def ends_with(self, value: Any) -> bool:
        """Add a value to the innermost container; whether that container ends there."""
        container = self.stack[-1]
        container.add(value)
        character = self.next_character()
        if character == container.closing:
            self.position += 1
            return True
        if character != ",":
            self.unexpected(character, f"a comma or {container.closing}")
        self.position += 1
        if self.next_character() == container.closing:
            self.fail(f"unexpected comma before '{container.closing}'. Remove it.")
        if container.closing == "}":
            self.read_key()
        return False

    def close(self) -> Any:
        container = self.stack.pop()
        depth = len(self.stack) + 1
        if depth > MAX_DEPTH:
            # Only the outermost of them is marked, as a whole; nothing inside it is kept.
            problem = f"nested deeper than {MAX_DEPTH} levels"
            return self.malformed(container.start, problem) if depth == MAX_DEPTH + 1 else None
        if container.problem is None:
            return container.content
        fault = self.malformed(container.start, container.problem)
        if isinstance(container.content, list):
            return FaultyArray(container.content, fault)
        return FaultyObject(container.content, fault)

    def read_key(self) -> None:
        container = self.stack[-1]
        character = self.next_character()
        if character != '"':
            self.unexpected(character, "a key in double quotes")
        start = self.position
        key = self.read_string()
        if isinstance(key, Malformed):
            container.note(f"a key has {key.problem}")
            key = key.raw
        if key in container.content:
            path = tuple([outer.step for outer in self.stack[:-1]])
            self.duplicates.append((path, *self.line_and_column(start), key))
        container.key = key
        character = self.next_character()
        if character != ":":
            self.unexpected(character, "a colon after the key")
        self.position += 1

    def read_scalar(self, character: str | None) -> Any:
        if character == '"':
            return self.read_string()
        number = _NUMBER.match(self.text, self.position)
        if number is not None:
            self.position = number.end()
            return number_from_text(number[0])
        word = _BARE_WORD.match(self.text, self.position)
        if word is None:
            self.unexpected(character, "a value")
        return self.word_of(word)

    def word_of(self, word: re.Match[str]) -> bool | Malformed | None:
        name = word[0]
        if name not in _LITERALS:
            is_beginning = any(known.startswith(name) for known in _LITERALS)
            if is_beginning and word.end() == len(self.text.rstrip()):
                self.cut_off("a word")
            self.unexpected(name[0], "a value")
        self.position = word.end()
        if name in _NON_FINITE:
            return self.malformed(word.start(), f"{name} is not a JSON number")
        return _LITERALS[name]

    def read_string(self) -> str | Malformed:
        start = self.position
        token = _STRING.match(self.text, start)
        if token is None:
            self.cut_off("a string")
        self.position = token.end()
        try:
            return msgspec.json.decode(token[0], type=str)
        except (msgspec.MsgspecError, UnicodeEncodeError):
            return self.malformed(start, _string_problem(token[0]))

    def malformed(self, start: int, problem: str) -> Malformed:
        raw = self.text[start : min(self.position, start + _MAX_RAW_LENGTH)]
        printable = raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return Malformed(excerpt(printable), problem)

    def next_character(self) -> str | None:
        """The next character that is not space; None at the end of the text."""
        space = _SPACE.match(self.text, self.position)  # always matches: it may be empty
        self.position = space.end() if space else self.position
        return self.text[self.position] if self.position < len(self.text) else None

    def unexpected(self, character: str | None, expected: str) -> Never:
        if character is None:
            self.cut_off(self.stack[-1].noun if self.stack else "a value")
        if character == "'":
            self.fail("unexpected single quote. JSON uses double quotes for keys and strings.")
        if _ESCAPED_BYTE.match(character):
            byte = ord(character) - 0xDC00
            self.fail(f"not JSON: the byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8.")
        advice = "" if self.stack else f" {self.remedy}"
        self.fail(f"not JSON: expected {expected}, got {character!r}.{advice}")

    def cut_off(self, noun: str) -> Never:
        if "\n" in self.text[self.position :].rstrip() and noun == "a string":
            self.fail("a string does not end on its line. Write line breaks inside strings as \\n.")
        self.position = len(self.text.rstrip())
        self.fail(f"the {self.unit} ends inside {noun}. The file may be truncated.")

    def fail(self, problem: str) -> Never:
        raise NotJSON(*self.line_and_column(self.position), problem)

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Where a position is; positions must not decrease, so that nothing is counted twice."""
        line, line_break, start = self.known_line
        line += self.text.count("\n", start, position)
        line_break = max(line_break, self.text.rfind("\n", start, position))
        self.known_line = (line, line_break, position)
        return line, position - line_break


def _string_problem(token: str) -> str:
    if _ESCAPED_BYTE.search(token):
        return "bytes that are not UTF-8"
    if _CONTROL.search(token):
        return "a control character inside a string"
    if _BAD_ESCAPE.search(token):
        return "an invalid escape sequence"
    return "half of a surrogate pair, which is not text"


def marked_object(members: dict[str, Any]) -> dict[str, Any]:
    """An object of these members, marked as faulty if a value in it is."""
    fault = next(filter(None, map(malformed_part, members.values())), None)
    return members if fault is None else FaultyObject(members, fault)


def marked_array(items: list[Any]) -> list[Any]:
    """An array of these items, marked as faulty if a value in it is."""
    fault = next(filter(None, map(malformed_part, items)), None)
    return items if fault is None else FaultyArray(items, fault)
