"""Suites in TOML, drawn in every layout that TOML allows, and where each expectation stands."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Layout", "Suite", "layouts", "suites"]

_EQUALS = st.sampled_from([" = ", "=", "\t=  "])
_BLANKS = st.sampled_from(["", "", " ", "  ", "\t"])
_TAILS = st.sampled_from(["", "", "  ", " # tail", "\t#[[cases]]", ' # "odd', " #"])
_LINES = st.sampled_from(["", "", "\n", "  \n", "# above\n", "  # [x]\n#\n", "\n# a = 1 ünï\n\n"])
_INDENTS = st.sampled_from(["", "", "", "  ", "\t"])
_BREAKS = st.sampled_from(["", "", " ", "\n  ", " # in ]\n ", "\n# two\n\n\t"])
_SCALARS = st.sampled_from(
    [
        "1",
        "+1_000",
        "0xBEEF",
        "-0.5",
        "6.626e-34",
        "true",
        '""',
        '"a # ] } , \\" \\u00e9"',
        "'lit \\ # \"'",
        '"ünï"',
        '"""\nx = 1 # no \\"key\\"\n[[cases]]\\\n   y"""',
        "'''\n[no.header]\n''''",
        '"""a"" """""',
    ]
)
_DATES = st.sampled_from(["2024-01-15T10:00:00Z", "2024-01-15 10:00:00.5", "10:00:00", "inf"])
_KEYS = st.sampled_from(["a", "b-2", "1", '"b c"', "'d.e'", '"f\\u00e9 ]"', '"#"'])
_NAMES = st.sampled_from(['"f"', "'g'", '"getWeather"'])
_COMMENTS = re.compile(r"(?:(?<=\n)[ \t]*#[^\n]*\n)+\Z")


class Suite(NamedTuple):
    """A suite.

    Attributes:
        text: what its file holds, with line feeds.
        spans: where the expectation of each case stands. Calls with headers of their own reach from
            the comments above the first to those above the next header that is none of theirs.
        cases: where each case begins.
        are_tables: whether the calls of each case have headers of their own.
    """

    text: str
    spans: list[tuple[int, int]]
    cases: list[int]
    are_tables: list[bool]

    @property
    def document(self) -> dict[str, Any]:
        """What the text says."""
        return tomllib.loads(self.text)


class Layout(NamedTuple):
    """How the text of a suite becomes the bytes of a file.

    Attributes:
        breaks: which of the line breaks are CRLF, again and again from the first on.
        has_mark: whether a byte order mark stands at the start.
    """

    breaks: tuple[bool, ...]
    has_mark: bool

    def raw(self, text: str) -> bytes:
        """The bytes of the first part of a text, or of all of it."""
        pieces = text.split("\n")
        found = "\ufeff" if self.has_mark else ""
        for number, piece in enumerate(pieces[:-1]):
            found += piece + ("\r\n" if self.breaks[number % len(self.breaks)] else "\n")
        return (found + pieces[-1]).encode()


layouts = st.builds(
    Layout, st.sampled_from([(False,), (True,), (True, False), (False, False, True)]), st.booleans()
)


class _Text:
    """A text that grows."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.text = ""
        self.headers: list[int] = []

    def add(self, *parts: str | st.SearchStrategy[str]) -> None:
        for part in parts:
            self.text += part if isinstance(part, str) else self.draw(part)

    def chance(self) -> bool:
        found: bool = self.draw(st.booleans())
        return found

    def value(self, *, depth: int = 2, dates: bool = False, dotted: bool = False) -> None:
        """Any value."""
        kind = self.draw(st.integers(0, 5 if depth else 2))
        if kind > 4:
            size = self.draw(st.integers(0, 3))
            self.array([lambda: self.value(depth=depth - 1, dates=dates)] * size)
        elif kind > 2:
            keys = self.draw(st.lists(_KEYS, max_size=3, unique=True))
            ways = ["".join((key, ".x" if dotted and self.chance() else "")) for key in keys]
            self.table(
                {
                    way: lambda: self.value(depth=depth - 1, dates=dates, dotted=dotted)
                    for way in ways
                }
            )
        else:
            self.add(_DATES if dates and self.chance() else _SCALARS)

    def array(self, items: list[Callable[[], None]]) -> None:
        self.add("[", _BREAKS)
        for number, write in enumerate(items):
            write()
            self.add(_BREAKS)
            if number < len(items) - 1 or self.chance():
                self.add(",", _BREAKS)
        self.add("]")

    def table(self, members: dict[str, Callable[[], None]]) -> None:
        self.add("{", _BLANKS)
        for number, (key, write) in enumerate(members.items()):
            self.add(key, _EQUALS)
            write()
            self.add(_BLANKS, "," if number < len(members) - 1 else "", _BLANKS)
        self.add("}")

    def field(self, key: str, write: Callable[[], None]) -> None:
        """A key with its value, on a line."""
        self.add(_LINES, _INDENTS, key, _EQUALS)
        write()
        self.add(_TAILS, "\n")

    def header(self, *way: str) -> None:
        """The header of a list of tables, or, where the last step ends in a dot, of a table."""
        self.headers.append(len(_COMMENTS.sub("", self.text)))
        is_list = not way[-1].endswith(".")
        dot = self.draw(st.sampled_from([".", ".", " . "]))
        steps = [self.draw(st.sampled_from([step, step, f'"{step}"', f"'{step}'"])) for step in
                 (step.removesuffix(".") for step in way)]  # fmt: skip
        brackets = ("[[", "]]") if is_list else ("[", "]")
        blank = self.draw(_BLANKS)
        self.add(_INDENTS, brackets[0], blank, dot.join(steps), blank, brackets[1], _TAILS, "\n")

    def call(self) -> None:
        """A call in braces."""
        members = {"name": lambda: self.add(_NAMES)}
        if self.chance():
            members["arguments"] = self.arguments
        self.table(members)

    def arguments(self) -> None:
        keys = self.draw(st.lists(_KEYS, max_size=3, unique=True))
        self.table({key: lambda: self.value(depth=1) for key in keys})

    def call_tables(self) -> None:
        """A call with a header of its own."""
        self.header("cases", "expected")
        self.field("name", lambda: self.add(_NAMES))
        if self.chance():
            self.field("arguments", self.arguments)
        elif self.chance():
            self.add(_LINES)
            self.header("cases", "expected", "arguments.")
            for key in self.draw(st.lists(_KEYS, max_size=3, unique=True)):
                self.field(key, lambda: self.value(depth=1))

    def other(self, number: int) -> None:
        """Tables that are no cases."""
        self.add(_LINES)
        self.header(*(["others"] if self.chance() else ["settings", f"part{number}."]))
        for key in self.draw(st.lists(_KEYS, max_size=2, unique=True)):
            way = f"{key} . 'deep'" if self.chance() else key
            self.field(way, lambda: self.value(dates=True, dotted=True))


@st.composite
def suites(draw: Any) -> Suite:
    """Suites of one to three cases, with other tables around and between them."""
    text = _Text(draw)
    spans: list[tuple[int, int]] = []
    starts: list[int] = []
    are_tables: list[bool] = []
    text.field("title.text", lambda: text.value(dates=True))
    for number in range(draw(st.integers(1, 3))):
        if text.chance():
            text.other(number)
        text.add("\n", _LINES)
        starts.append(len(text.text))
        text.header("cases")
        text.field("id", lambda: text.add(f'"case {number}"'))  # noqa: B023  (it is called here)
        text.field("input", lambda: text.add(_SCALARS))
        are_tables.append(text.chance())
        if not are_tables[-1]:
            spans.append(_list(text))
            text.field("tags", text.value)
        if text.chance():
            text.add(_LINES)
            text.header("cases", "metadata.")
            text.field("who", lambda: text.value(dates=True))
        if are_tables[-1]:
            spans.append(_tables(text))
    if text.chance():
        text.other(9)
    whole = text.text.rstrip("\n") if text.chance() else text.text + draw(_LINES)
    spans = [
        (start, _next(text.headers, end, len(whole)) if is_tables else end)
        for (start, end), is_tables in zip(spans, are_tables, strict=True)
    ]
    return Suite(whole, spans, starts, are_tables)


def _next(headers: list[int], position: int, last: int) -> int:
    return min([at for at in headers if at >= position], default=last)


def _list(text: _Text) -> tuple[int, int]:
    text.add(_LINES, _INDENTS, st.sampled_from(["expected", '"expected"']), _EQUALS)
    start = len(text.text)
    text.array([text.call] * text.draw(st.integers(0, 3)))
    end = len(text.text)
    text.add(_TAILS, "\n")
    return start, end


def _tables(text: _Text) -> tuple[int, int]:
    text.add("\n")
    start = len(text.text)
    text.add(st.sampled_from(["", "# first\n", "# a\n  # b\n"]))
    for number in range(text.draw(st.integers(1, 3))):
        text.add(*([_LINES] if number else []))
        text.call_tables()
    return start, len(text.text)
