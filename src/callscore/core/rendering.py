"""Values and names as text that is safe to show: bounded, on one line, without control characters."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, pairwise, takewhile
from typing import Any
from unicodedata import category, east_asian_width

ELLIPSIS = "…"
EMPTY_NAME = "''"  # in place of a tool name that is empty
# How much of two long objects or arrays is searched for the place where they differ.
_LONGEST_EXCERPT = 10_000
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# From this many bits on Python may refuse to print the decimal digits of an integer.
_LONG_INTEGER = 10_000
_MAX_PRINTED = 10_000  # parts of a value that is printed by Python
_MAX_MENTION = 200  # columns of a value in an error message
_CONSTANTS = {None: "null", True: "true", False: "false"}
_NOT_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


_is_hidden: ContextVar[bool] = ContextVar("is_hidden", default=False)


@contextmanager
def hidden_content() -> Iterator[None]:
    """In this block, messages do not show what is in a file: its user may not have chosen it."""
    token = _is_hidden.set(True)
    try:
        yield
    finally:
        _is_hidden.reset(token)


def is_content_hidden() -> bool:
    """Whether messages must not show what is in a file."""
    return _is_hidden.get()


# Characters that take no room or change how others are shown, as a part of a regular expression:
# format characters, among them those of direction, separators of lines, fillers, tags. Variation
# selectors of emoji are not among them.
HIDDEN_CHARACTERS = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{HIDDEN_CHARACTERS}]")


def escape(text: str) -> str:
    """The text on one line, with control and invisible characters escaped."""
    if text.isprintable() and (text.isascii() or _HIDDEN.search(text) is None):
        return text
    return "".join(map(_escape_character, text))


def _escape_character(character: str) -> str:
    if character.isprintable() and _HIDDEN.match(character) is None:
        return character
    code = ord(character)
    wide = f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004  (the end of the BMP)
    return _SHORT_ESCAPES.get(character, wide)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape(escaped)}"'


# Text of these characters alone is as wide as it is long: Latin, Greek and Cyrillic letters, dashes,
# quotes and the ellipsis. Nearly all text is, and looking up each character takes long.
_NARROW = re.compile(
    "[\x00-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482"
    "\u048a-\u052f\u2010-\u2027]*"
)


def is_narrow(text: str) -> bool:
    """Whether every character of the text is known to take one column."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def display_width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if is_narrow(text) else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    # Accents are drawn onto the letter before them, and so are the later parts of a Hangul syllable.
    if category(character) in {"Mn", "Me", "Cf"} or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def clip(text: str, width: int) -> str:
    """The text in at most `width` columns, with an ellipsis if its end was cut off."""
    if is_narrow(text):
        if len(text) <= width:
            return text
        return text[: width - 1] + ELLIPSIS if width > 0 else ""
    if display_width(text) <= width:
        return text
    return _head(text, width - 1) + ELLIPSIS if width > 0 else ""


def clip_value(value: object, width: int) -> str:
    """A value as JSON in at most `width` columns; a string that is cut keeps its closing quote."""
    text = render_value(value, limit=width)
    is_cut_string = isinstance(value, str) and text.endswith(ELLIPSIS)
    return clip(render_value(value, limit=width - 1), width - 1) + '"' if is_cut_string else text


def clip_middle(text: str, width: int) -> str:
    """The text in at most `width` columns, with an ellipsis where its middle was cut out."""
    if display_width(text) <= width:
        return text
    tail = _head(text[::-1], (width - 1) // 2)[::-1]
    return clip(text, width - display_width(tail)) + tail


def _head(text: str, width: int) -> str:
    if is_narrow(text[: max(width, 0) + 1]):
        return text[: max(width, 0)]
    used = accumulate(map(_character_width, text))
    return text[: sum(1 for _ in takewhile(width.__ge__, used))]


def render_value(
    value: object, *, limit: int = 120, write: Callable[[object], str] | None = None
) -> str:
    """A value as JSON on one line, in at most `limit` columns, however long or deep it is.

    `write` gives the text of values that are neither objects nor arrays.
    """
    if not isinstance(value, dict | list | tuple):
        return clip(scalar_text(value, limit=limit) if write is None else write(value), limit)
    text = plain_value_text(value, limit) if write is None else None
    if text is not None:
        return text if len(text) <= limit else clip(text, limit)
    write = write or (lambda atom: scalar_text(atom, limit=limit))
    return _join_pieces(_pieces(value, write), limit)


def render_arguments(arguments: dict[str, object], *, limit: int = 120) -> str:
    """Arguments as a call spells them, `query="AI news", limit=5`, in at most `limit` columns."""
    text = plain_arguments_text(arguments, limit)
    if text is not None:
        return text if len(text) <= limit else clip(text, limit)

    def pieces() -> Iterator[str]:
        for position, (name, value) in enumerate(arguments.items()):
            yield f"{', ' if position else ''}{escape(str(name)[: limit + 1])}="
            yield from _pieces(value, lambda atom: scalar_text(atom, limit=limit))

    return _join_pieces(pieces(), limit)


def excerpts(expected: object, actual: object, *, limit: int = 120) -> tuple[str, str]:
    """Two unequal values as text of at most `limit` columns: the parts where they begin to differ."""
    values = expected, actual
    texts = render_value(expected, limit=limit), render_value(actual, limit=limit)
    is_cut = texts[0].endswith(ELLIPSIS) or texts[1].endswith(ELLIPSIS)
    if not is_cut:  # a whole string ends in a quote
        return texts
    if isinstance(expected, str) and isinstance(actual, str):
        at = common_prefix(expected, actual)
        parts = [_glyphs_around(text, at, limit) for text in (expected, actual)]
        left, right = _excerpt_pair(parts, min(at, limit), limit - len('""'))
        return f'"{left}"', f'"{right}"'
    if all(isinstance(value, dict | list | tuple | int | float) for value in values):
        whole = [render_value(value, limit=_LONGEST_EXCERPT) for value in values]
        return _excerpt_pair(whole, common_prefix(*whole), limit)
    # The end of a rule such as `$approx 100 ± 0.5` matters as much as its start.
    left, right = [
        text if isinstance(value, str | dict | list | tuple) else _clipped_scalar(value, limit)
        for text, value in zip(texts, values, strict=True)
    ]
    return left, right


def _clipped_scalar(value: object, limit: int) -> str:
    return clip_middle(scalar_text(value), limit)


def _excerpt_pair(parts: Sequence[Sequence[str]], at: int, room: int) -> tuple[str, str]:
    """Two texts around a position, with the same context before it."""
    rest = max(sum(_glyph_widths(part[at:])) for part in parts)
    needed = max(display_width(glyph) for part in parts for glyph in (part[at:] or " ")[:1])
    left, right = [excerpt(part, at, room, rest=rest, needed=needed) for part in parts]
    return left, right


def _glyphs_around(text: str, at: int, limit: int) -> list[str]:
    """The characters of a string around a position, escaped."""
    start, end = max(at - limit, 0), at + limit
    glyphs = [*text[start:end]]
    if _quote(text[start:end]) != f'"{text[start:end]}"':  # else nothing in it is escaped
        glyphs = [_quote(character)[1:-1] for character in glyphs]
    if start:
        glyphs[0] = ELLIPSIS
    if end < len(text):
        glyphs.append(ELLIPSIS)
    return glyphs


def excerpt(
    glyphs: Sequence[str],
    at: int,
    room: int,
    *,
    rest: int | None = None,
    needed: int | None = None,
) -> str:
    """The part of a text around a position in at most `room` columns, cut between words.

    `rest` is how many columns follow the position; if they are few, there is more before it. `needed`
    is how many columns the character at the position has.
    """
    widths = _glyph_widths(glyphs)
    if sum(widths) <= room:
        return "".join(glyphs)
    if needed is None:
        needed = widths[at] if at < len(widths) else 0
    rest = sum(widths[at:]) if rest is None else rest
    context = max(room // 3, room - rest - len(ELLIPSIS))
    start, context = at, min(context, room - needed - 2 * len(ELLIPSIS))
    while start > 0 and widths[start - 1] <= context:
        start -= 1
        context -= widths[start]
    start = 0 if sum(widths[:start]) <= 1 else _next_word(glyphs, start, at)
    room -= 1 if start else 0
    end = start
    while end < len(glyphs) and widths[end] <= room:
        room -= widths[end]
        end += 1
    head = ELLIPSIS if start else ""
    if end == len(glyphs):
        return head + "".join(glyphs[start:])
    while room < 1 and end > start:  # for the ellipsis; an accent takes no room
        end -= 1
        room += widths[end]
    end = _end_of_word(glyphs, at, end)
    return head + "".join(glyphs[start:end]) + ELLIPSIS


def _glyph_widths(glyphs: Sequence[str]) -> list[int]:
    """How many columns each character takes, which may be escaped."""
    measure = len if is_narrow("".join(glyphs)) else display_width
    return [measure(glyph) for glyph in glyphs]


def _next_word(glyphs: Sequence[str], start: int, end: int) -> int:
    """The start of the first word in a part of a text; the start of the part if it has none."""
    if glyphs[start - 1] == " ":
        return start
    return next((place + 1 for place in range(start, end) if glyphs[place] == " "), start)


def _end_of_word(glyphs: Sequence[str], start: int, end: int) -> int:
    """The end of the last word in a part of a text; the end of the part if it has none."""
    if glyphs[end] == " ":
        return end
    return next((place for place in range(end - 1, start, -1) if glyphs[place] == " "), end)


def common_prefix(left: str, right: str) -> int:
    """How many characters at the start of two texts are the same."""
    if left[:1] != right[:1]:
        return 0
    low, high = 0, min(len(left), len(right))
    while low < high:  # bisection compares whole slices, which is fast even for megabytes
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_BREAKS = "/?&._-"  # a line may end after these


def wrap(text: str, width: int) -> Iterator[str]:
    """A text in lines of at most `width` columns, broken at blanks if possible.

    A long word is broken after a sign, such as a slash in an address.
    """
    while len(head := _head(text, width)) < len(text):  # looks at one line, not at all that is left
        head = head or text[:1]
        is_between = text[len(head) : len(head) + 1] == " "
        blank = len(head) if is_between else head.rfind(" ")
        sign = max(head.rfind(each) for each in _BREAKS) + 1
        fallback = sign if sign > len(head) // 2 else len(head)
        end = blank if blank > len(head) // 3 else fallback
        yield text[:end].rstrip(" ")
        text = text[end:].lstrip(" ")
    yield text


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_NO_BREAK = "\N{NO-BREAK SPACE}"  # never in safe text, where it is escaped


def wrap_hanging(text: str, width: int, *, hang: int = 2) -> Iterator[str]:
    """A text in lines of at most `width` columns, all but the first indented.

    A value in double quotes is not broken if it fits on a line.
    """
    room = max(width - hang, 1)
    if len(text) <= room and is_narrow(text) and _NO_BREAK not in text:
        yield text
        return

    def whole(found: re.Match[str]) -> str:
        fits = display_width(found[0]) <= room
        return found[0].replace(" ", _NO_BREAK) if fits else found[0]

    for number, line in enumerate(wrap(_QUOTED.sub(whole, text), room)):
        yield (" " * hang if number else "") + line.replace(_NO_BREAK, " ")


# Where a name can be cut: between words, and between a word and a sign.
_WORDS = re.compile(r"[^\W_A-ZА-ЯЁ]+|[A-ZА-ЯЁ]+[^\W_A-ZА-ЯЁ]*|.", re.DOTALL)
_SEPARATORS = "_-./: "


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name in at most `width` columns, shortened so that different names stay different."""
    texts: dict[str, str] = {}
    is_long = False
    for name in names:
        if 0 < len(name) <= width and name.isascii() and name.isprintable():
            texts[name] = name  # nearly all names
        else:
            texts[name] = text = _bounded(name, width)
            is_long |= display_width(text) > width
    if not is_long:
        return texts
    short = {name: text for name, text in texts.items() if display_width(text) <= width}
    long = {name: text for name, text in texts.items() if name not in short}
    counts = Counter(word for text in texts.values() for word in set(_WORDS.findall(text)))
    cut = {name: _cut_between_words(text, width, counts) for name, text in long.items()}
    _add_distinct(short, cut)
    rest = [name for name in long if name not in short]
    _add_distinct(short, _cut_at_differences({name: texts[name] for name in rest}, width))
    taken = set(short.values())
    for name in rest:
        number = 1
        while name not in short:
            mark = f"#{number}"
            text = clip(texts[name], width - len(mark)) + mark
            if text not in taken:
                short[name] = text
                taken.add(text)
            number += 1
    return short


def _bounded(name: str, width: int) -> str:
    """A name as safe text, without the middle that no screen has room for."""
    most = 8 * max(width, 1)
    short = name if len(name) <= most else name[: most // 2] + ELLIPSIS + name[-most // 2 :]
    return escape(short) or EMPTY_NAME


def _add_distinct(short: dict[str, str], candidates: dict[str, str]) -> None:
    """Add the candidates that differ from each other and from what is there."""
    counts = Counter([*short.values(), *candidates.values()])
    short |= {name: text for name, text in candidates.items() if counts[text] == 1}


def _cut_between_words(text: str, width: int, counts: Counter[str]) -> str:
    """The text with an ellipsis in place of whole words.

    Words that few names contain stay, by their `counts`; then both ends, if there is room.
    """
    words = _WORDS.findall(text)
    # Of two words, the one that fewer names contain says more; a single sign says nothing.
    common = max([counts[word] for word in words if word.isalnum()], default=1)
    worth = [1 / counts[word] - 1 / common if word.isalnum() else 0.0 for word in words]
    best, most = clip_middle(text, width), (0.0, 0, False, False, 0)
    for count in range(len(words)):
        head = "".join(words[:count]).rstrip(_SEPARATORS)
        room = width - display_width(head) - len(ELLIPSIS)
        if room < 0:
            break
        start = _start_of_tail(words, count + 1, room)
        tail = "".join(words[start:]).lstrip(_SEPARATORS)
        ends = display_width(head), display_width(tail)
        kept = sum(worth[:count]) + sum(worth[start:])
        shown = (round(kept, 6), sum(ends), all(ends), bool(tail), -abs(ends[0] - ends[1]))
        if shown > most:
            best, most = head + ELLIPSIS + tail, shown
    if max(worth) > 0 and most[0] == 0:  # there is no room for a whole word that says more
        rarest = worth.index(max(worth))
        return excerpt(text, sum(map(len, words[:rarest])), width)
    return best


def _start_of_tail(words: Sequence[str], least: int, room: int) -> int:
    """Where the last words start that there is room for."""
    start = len(words)
    while start > least and display_width("".join(words[start - 1 :]).lstrip(_SEPARATORS)) <= room:
        start -= 1
    return start


def _cut_at_differences(texts: dict[str, str], width: int) -> dict[str, str]:
    """The part of each name in which it differs from the name most like it."""
    # Of sorted texts, the one that shares the longest beginning is a neighbour.
    order = sorted(texts, key=texts.__getitem__)
    shared = [common_prefix(texts[left], texts[right]) for left, right in pairwise(order)]
    around = zip(order, [0, *shared], [*shared, 0], strict=False)
    return {name: excerpt(texts[name], max(shares), width) for name, *shares in around}


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
    from decimal import Decimal  # rarely needed

    return format(Decimal(value), "f")


_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+(?=>)")  # in memory: another one in every process


def safe_repr(value: object) -> str:
    """The repr of a value, or its type where it cannot be printed or has very many parts."""
    try:
        return (
            _ADDRESS.sub("", repr(value))
            if has_few_parts(value)
            else f"<{type(value).__qualname__}>"
        )
    except Exception:  # noqa: BLE001  (too deep, an integer too long to print, or code of the user)
        return f"<{type(value).__qualname__}>"


def has_few_parts(value: object) -> bool:
    """Whether it can be printed; a few values that share parts can have more than fit into memory."""
    pending: list[object] = [value]
    for _ in range(_MAX_PRINTED):
        if not pending:
            return True
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple | set | frozenset | deque):
            pending += item
        elif type(item).__repr__ is not object.__repr__ and not isinstance(item, type):
            fields = getattr(item, "__struct_fields__", ())
            pending += [getattr(item, name) for name in fields]
            pending += getattr(item, "__dict__", {}).values()
    return not pending


def mention(value: object) -> str:
    """A value for an error message, on one line of bounded length; printing it never fails."""
    if isinstance(value, str):
        return clip(str.__repr__(value[: _MAX_MENTION + 1]), _MAX_MENTION)
    if isinstance(value, int) and value.bit_length() > _MAX_MENTION:
        return "a very large integer"
    return clip(escape(safe_repr(value)), _MAX_MENTION)


def json_path(steps: Iterable[Any]) -> str:
    """Keys and positions as a JSON path: `$.passengers[0].name`."""
    return "$" + "".join(
        [
            f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]"
            for step in steps
        ]
    )


# Most values are scalars and small containers of scalars, of characters that take one column each and
# need no escape. Their text is made in one go and checked once, instead of piece by piece. Any start
# of such a text is the text of the same value with less room, so that it can be cut again.
_MAX_PLAIN_DEPTH = 8
_SEPARATOR = len(", ")


def plain_arguments_text(arguments: dict[str, Any], limit: int) -> str | None:
    """Arguments as a call spells them, or more than `limit` columns of a longer text.

    `render_arguments` gives the same text for any smaller limit, cut. None if something in them is not
    plain: characters that are escaped, or do not take one column; values that are not JSON.
    """
    if len(arguments) > max(limit, 0):  # each takes at least two columns
        return None
    parts: list[str] = []
    for name, value in arguments.items():
        if name.__class__ is not str or len(name) > limit:
            return None
        if (
            value.__class__ is str
            and len(value) <= limit
            and '"' not in value
            and "\\" not in value
        ):
            parts.append(f'{name}="{value}"')  # nearly half of all arguments
            continue
        text = _plain_text(value, limit)
        if text is None:
            return None
        parts.append(f"{name}={text}")
    return _if_plain(", ".join(parts))


def plain_value_text(value: object, limit: int) -> str | None:
    """The same for a value, as `render_value` spells it."""
    text = _plain_text(value, limit)
    return None if text is None else _if_plain(text)


def _if_plain(text: str) -> str | None:
    if text.isprintable() and (text.isascii() or _NARROW.fullmatch(text) is not None):
        return text
    return None


def _plain_text(value: Any, room: int, depth: int = 0) -> str | None:
    """The text of a value, or more than `room` characters of it; it is not checked yet."""
    kind = value.__class__
    if kind is str:
        text: str = value if len(value) <= room else value[: room + 1]
        if '"' in text or "\\" in text:
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    spell = _PLAIN_SCALARS.get(kind)
    if spell is not None:
        return spell(value)
    write = _PLAIN_CONTAINERS.get(kind) if depth < _MAX_PLAIN_DEPTH else None
    return None if write is None else write(value, room, depth + 1)


def _plain_array(items: list[Any], room: int, depth: int) -> str | None:
    parts: list[str] = []
    for item in items:
        text = _plain_text(item, room, depth)
        if text is None:
            return None
        parts.append(text)
        room -= len(text) + _SEPARATOR
        if room < -_SEPARATOR:
            break
    return f"[{', '.join(parts)}]"


def _plain_object(members: dict[Any, Any], room: int, depth: int) -> str | None:
    parts: list[str] = []
    for key, member in members.items():
        name = _plain_text(key, room) if key.__class__ is str else None
        text = None if name is None else _plain_text(member, room, depth)
        if text is None:
            return None
        parts.append(f"{name}: {text}")
        room -= len(parts[-1]) + _SEPARATOR
        if room < -_SEPARATOR:
            break
    return f"{{{', '.join(parts)}}}"


_PLAIN_SCALARS: dict[type, Callable[[Any], str]] = {
    int: integer_text,
    float: _float_text,
    bool: _CONSTANTS.__getitem__,
    type(None): _CONSTANTS.__getitem__,
}
_PLAIN_CONTAINERS: dict[type, Callable[[Any, int, int], str | None]] = {
    list: _plain_array,
    dict: _plain_object,
}


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
