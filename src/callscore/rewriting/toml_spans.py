"""Where the values and the tables of a TOML text stand; the text is known to be TOML."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.lists import Node

if TYPE_CHECKING:
    from callscore.rewriting.change import Path

__all__ = ["Block", "Layout", "scan_toml"]

_BASIC = r'"""(?:[^\\]|\\.)*?"{3,5}|"(?:[^"\\\n]|\\.)*"'
_LITERAL = r"'''.*?'{3,5}|'[^'\n]*'"
_STRING = re.compile(f"{_BASIC}|{_LITERAL}", re.DOTALL)
_BLANKS = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY_PART = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_SCALAR = re.compile(r"[^,\]}\n#]+")
_HEADER = re.compile(r"\[{1,2}")
_LINE_REST = re.compile(r"[^\n]*\n?")


class Block(NamedTuple):
    """A table that has a header.

    Attributes:
        start: where it begins, its comments included.
        body: where what stands in it begins.
        end: where the next table begins that is not part of it.
    """

    start: int
    body: int
    end: int


class Layout(NamedTuple):
    """Where everything stands.

    Attributes:
        values: the values by their paths.
        tables: the tables by theirs.
        keys: where the keys of values that have lines of their own begin.
    """

    values: dict[Path, Node]
    tables: dict[Path, Block]
    keys: dict[Path, int]


class _Header(NamedTuple):
    path: Path
    start: int
    body: int


def scan_toml(text: str) -> Layout:
    """Where the values and the tables stand.

    Raises:
        CannotRewrite: it is written in a way that is not understood here.
    """
    values: dict[Path, Node] = {}
    starts: dict[Path, int] = {}
    headers = [_Header((), 0, 0)]
    counts: dict[Path, int] = {}
    position = _after(_BLANKS, text, 0)
    while position < len(text):
        opening = _HEADER.match(text, position)
        if opening is not None:
            keys, end = _keys(text, opening.end())
            path = _resolved(keys, counts, is_list=len(opening[0]) > 1)
            body = _after(_LINE_REST, text, end)
            headers.append(_Header(path, _with_comments(text, position), body))
            position = body
        else:
            keys, end = _keys(text, position)
            node = _value(text, _after(_BLANKS, text, end + 1))
            _note(values, (*headers[-1].path, *keys), node)
            starts[(*headers[-1].path, *keys)] = position
            position = node.end
        position = _after(_BLANKS, text, position)
    return Layout(values, _blocks(text, headers), starts)


def _note(values: dict[Path, Node], path: Path, node: Node) -> None:
    values[path] = node
    for index, item in enumerate(node.items or ()):
        _note(values, (*path, index), item)
    for key, member in (node.members or {}).items():
        _note(values, (*path, key), member)


def _blocks(text: str, headers: list[_Header]) -> dict[Path, Block]:
    blocks = {}
    for number, header in enumerate(headers):
        size = len(header.path)
        following = (
            later.start for later in headers[number + 1 :] if later.path[:size] != header.path
        )
        blocks[header.path] = Block(header.start, header.body, next(following, len(text)))
    return blocks


def _resolved(keys: list[str], counts: dict[Path, int], *, is_list: bool) -> Path:
    """The path that a header means: of lists of tables the last one that was begun."""
    path: Path = ()
    for number, key in enumerate(keys):
        path = (*path, key)
        if is_list and number == len(keys) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _with_comments(text: str, position: int) -> int:
    """Where a table begins if the comments right above it are its own."""
    start = text.rfind("\n", 0, position) + 1
    while start:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    if found is None:
        raise CannotRewrite(reasons.NOT_UNDERSTOOD)
    return found.end()


def _keys(text: str, position: int) -> tuple[list[str], int]:
    """The parts of a dotted key, and where it ends."""
    keys = []
    while True:
        found = _KEY_PART.match(text, position)
        if found is None:
            raise CannotRewrite(reasons.NOT_UNDERSTOOD)
        part = found[1]
        keys.append(next(iter(tomllib.loads(f"{part} = 0"))))
        position = found.end()
        if text[position : position + 1] != ".":
            return keys, position
        position += 1


def _value(text: str, position: int) -> Node:
    opening = text[position]
    if opening in "\"'":
        return Node(position, _after(_STRING, text, position))
    if opening == "[":
        return _list(text, position)
    if opening == "{":
        return _table(text, position)
    end = _after(_SCALAR, text, position)
    return Node(position, position + len(text[position:end].rstrip()))


def _list(text: str, start: int) -> Node:
    items: list[Node] = []
    position = _after(_BLANKS, text, start + 1)
    while text[position] != "]":
        items.append(_value(text, position))
        position = _after(_BLANKS, text, items[-1].end)
        if text[position] == ",":
            position = _after(_BLANKS, text, position + 1)
    return Node(start, position + 1, tuple(items))


def _table(text: str, start: int) -> Node:
    members: dict[str, Node] = {}
    starts: dict[str, int] = {}
    position = _after(_BLANKS, text, start + 1)
    while text[position] != "}":
        keys, end = _keys(text, position)
        starts.setdefault(keys[0], position)
        value = _value(text, _after(_BLANKS, text, end + 1))
        members[keys[0]] = value if len(keys) == 1 else Node(position, value.end)
        position = _after(_BLANKS, text, value.end)
        if text[position] == ",":
            position = _after(_BLANKS, text, position + 1)
    return Node(start, position + 1, members=members, keys=starts)
