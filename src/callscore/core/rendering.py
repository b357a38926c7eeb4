"""Values and names as text that is safe to show: bounded, on one line, without control characters."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "ELLIPSIS",
    "clip",
    "clip_middle",
    "display_width",
    "escape",
    "excerpts",
    "integer_text",
    "json_path",
    "render_arguments",
    "render_value",
    "safe_repr",
    "scalar_text",
]

ELLIPSIS = "…"
# How much of two long strings is shown before the place where they differ.
_CONTEXT = 12
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# From this many bits on Python may refuse to print the decimal digits of an integer.
_LONG_INTEGER = 10_000
_CONSTANTS = {None: "null", True: "true", False: "false"}
_NOT_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def escape(text: str) -> str:
    """The text on one line, with control and invisible characters escaped."""
    return text if text.isprintable() else "".join(map(_escape_character, text))


def _escape_character(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    wide = f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004  (the end of the BMP)
    return _SHORT_ESCAPES.get(character, wide)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape(escaped)}"'


def display_width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    # Accents are drawn onto the letter before them, and so are the later parts of a Hangul syllable.
    if category(character) in {"Mn", "Me", "Cf"} or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def clip(text: str, width: int) -> str:
    """The text in at most `width` columns, with an ellipsis if its end was cut off."""
    if display_width(text) <= width:
        return text
    return _head(text, width - 1) + ELLIPSIS if width > 0 else ""


def clip_middle(text: str, width: int) -> str:
    """The text in at most `width` columns, with an ellipsis where its middle was cut out."""
    if display_width(text) <= width:
        return text
    tail = _head(text[::-1], (width - 1) // 2)[::-1]
    return clip(text, width - display_width(tail)) + tail


def _head(text: str, width: int) -> str:
    used = accumulate(map(_character_width, text))
    return text[: sum(1 for _ in takewhile(width.__ge__, used))]


def render_value(
    value: object, *, limit: int = 120, write: Callable[[object], str] | None = None
) -> str:
    """A value as JSON on one line, in at most `limit` columns, however long or deep it is.

    `write` gives the text of values that are neither objects nor arrays.
    """
    write = write or (lambda atom: scalar_text(atom, limit=limit))
    return _join_pieces(_pieces(value, write), limit)


def render_arguments(arguments: dict[str, object], *, limit: int = 120) -> str:
    """Arguments as a call spells them, `query="AI news", limit=5`, in at most `limit` columns."""

    def pieces() -> Iterator[str]:
        for position, (name, value) in enumerate(arguments.items()):
            yield f"{', ' if position else ''}{escape(str(name)[: limit + 1])}="
            yield from _pieces(value, lambda atom: scalar_text(atom, limit=limit))

    return _join_pieces(pieces(), limit)


def excerpts(expected: object, actual: object, *, limit: int = 120) -> tuple[str, str]:
    """Two unequal values as text; for long strings with a common prefix, the parts that differ."""
    texts = render_value(expected, limit=limit), render_value(actual, limit=limit)
    if isinstance(expected, str) and isinstance(actual, str):
        is_cut = any(text.endswith(ELLIPSIS) for text in texts)  # a whole string ends in a quote
        start = _common_prefix(expected, actual) - _CONTEXT
        if is_cut and start > 0:
            return _render_tail(expected, start, limit), _render_tail(actual, start, limit)
    return texts


def _render_tail(text: str, start: int, limit: int) -> str:
    quoted = _quote(text[start : start + limit + 1])
    return clip(f'"{ELLIPSIS}{quoted[1:]}', limit)


def _common_prefix(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:  # bisection compares whole slices, which is fast even for megabytes
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def scalar_text(value: object, *, limit: int = 120) -> str:
    """The JSON text of a scalar; the repr of a value that is not JSON."""
    if isinstance(value, str):
        # The text is cut at the limit later, so the rest is not needed.
        return _quote(value[: limit + 1])
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, int):
        return integer_text(value)
    return _float_text(value) if isinstance(value, float) else escape(safe_repr(value))


def _float_text(value: float) -> str:
    text = float.__repr__(value)
    return _NOT_NUMBERS.get(text, text)


def integer_text(value: int) -> str:
    """The decimal digits of an integer, also of one that Python would refuse to print."""
    if value.bit_length() < _LONG_INTEGER:
        return int.__repr__(value)
    return format(Decimal(value), "f")


def safe_repr(value: object) -> str:
    """The repr of a value, or its type where it cannot be printed."""
    try:
        return repr(value)
    except (RecursionError, ValueError):  # nested too deep, or holding an integer that is too long
        return f"<{type(value).__qualname__}>"


def json_path(steps: Iterable[Any]) -> str:
    """Keys and positions as a JSON path: `$.passengers[0].name`."""
    return "$" + "".join(
        [
            f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]"
            for step in steps
        ]
    )


def _pieces(value: object, write: Callable[[object], str]) -> Iterator[str]:
    """JSON text piece by piece; not recursive, so that any depth of nesting is possible."""
    pending: list[tuple[Iterator[tuple[str, object]], str]] = [(iter([("", value)]), "")]
    while pending:
        items, closing = pending[-1]
        for prefix, item in items:
            yield prefix
            if isinstance(item, dict):
                yield "{"
                members = (
                    (f"{', ' if at else ''}{write(key)}: ", member)
                    for at, (key, member) in enumerate(item.items())
                )
                pending.append((members, "}"))
                break
            if isinstance(item, list | tuple):
                yield "["
                members = ((", " if at else "", member) for at, member in enumerate(item))
                pending.append((members, "]"))
                break
            yield write(item)
        else:
            pending.pop()
            yield closing


def _join_pieces(pieces: Iterator[str], limit: int) -> str:
    gathered: list[str] = []
    width = limit
    for piece in pieces:
        gathered.append(piece)
        width -= display_width(piece)
        if width < 0:
            break
    return clip("".join(gathered), limit)
