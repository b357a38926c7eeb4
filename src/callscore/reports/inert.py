"""Makes text inert: no line of it is a command to a build server, and no character is invisible.

Names of cases and tools, arguments and messages are foreign text. A runner of GitHub, Azure or
TeamCity executes commands that it finds in the log of a build, and invisible characters make a text
look like another one. Every report and every note passes through here, wherever it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from callscore.core.rendering import HIDDEN_CHARACTERS, escape

_JSON: Final = ("json", "jsonl")
_PACKED: Final = "html"  # its cases are compressed, and written as letters and digits

# The start of a line that a GitHub runner executes as a command; spaces and colours may precede it.
_COMMAND = re.compile(r"((?:^|\r)(?:[^\S\n]|\x1b\[[\d;]*m)*):(?=:)", re.MULTILINE)
# `##[error]` of GitHub and Azure, `##vso[...]` of Azure and `##teamcity[...]`, anywhere in a line.
_MARKED_COMMAND = re.compile(r"#(?=#\w{0,40}\[)")
# How the first character of a command is escaped: a runner ignores it, and people see the same.
_COMMAND_ESCAPES = {
    "json": ("\\u003a", "\\u0023"),
    "jsonl": ("\\u003a", "\\u0023"),
    "junit": ("&#58;", "&#35;"),
}
# Of the control characters a text has only line breaks and tabs, and on a terminal the colours.
_CONTROLS = r"\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f"
_HIDDEN = re.compile(f"[{_CONTROLS}{HIDDEN_CHARACTERS}]")
_ESCAPE = re.compile(r"\x1b")
_BARE_ESCAPE = re.compile(r"\x1b(?!\[[\d;]*m)")
# JSON encoders escape the first control characters. Variation selectors are escaped as well: in
# JSON the text stays the same.
_HIDDEN_IN_JSON = re.compile(f"[\x7f-\x9f{HIDDEN_CHARACTERS}\ufe00-\ufe0f]")
_PLAIN_BYTES: Final = bytes([9, 10, *range(0x20, 0x7F)])
_LAST_OF_BMP: Final = 0xFFFF


def inert_text(text: str, output_format: str = "table", *, is_coloured: bool = False) -> str:
    """A report in a format, with commands and invisible characters escaped.

    In a format for programs the meaning does not change. Only a report for a terminal is coloured.
    """
    if output_format in _JSON:
        return printable_json(text)
    escapes = _BARE_ESCAPE if is_coloured else _ESCAPE
    text = escapes.sub(_escaped, _HIDDEN.sub(_escaped, text))
    return escape_commands(text, output_format)


def inert_bytes(data: bytes, output_format: str) -> bytes:
    """Like `inert_text`, for a report that is encoded already."""
    if _is_inert(data, output_format):
        return data
    return inert_text(data.decode(), output_format).encode()


def inert_block(parts: Sequence[bytes], output_format: str) -> bytes:
    """Parts of a report, each like `inert_bytes`; nearly always they can be checked together."""
    block = b"".join(parts)
    if _is_inert(block, output_format):
        return block
    return b"".join([inert_bytes(part, output_format) for part in parts])


def _is_inert(data: bytes, output_format: str) -> bool:
    """Whether `inert_text` changes nothing.

    Looking for control and invisible characters takes long, so that what is neither is removed first.
    """
    if output_format == _PACKED:
        return True
    if output_format in _JSON:
        return _is_inert_json(data)
    if b"::" in data or (b"#" in data and b"##" in data):  # a single byte is found soonest
        return False
    rest = data.translate(None, _PLAIN_BYTES).decode()
    return not rest or (_HIDDEN.search(rest) is None and _ESCAPE.search(rest) is None)


def _is_inert_json(data: bytes) -> bool:
    """The same for JSON, whose encoder has escaped the first control characters."""
    if b"#" in data and b"##" in data:
        return False
    if data.isascii() and b"\x7f" not in data:
        return True  # most lines of a large file
    return _HIDDEN_IN_JSON.search(data.translate(None, _PLAIN_BYTES).decode()) is None


def inert_lines(text: str) -> str:
    """Lines of foreign text, each escaped: what was one line stays one."""
    return escape_commands("\n".join(map(escape, text.split("\n"))))


def escape_commands(text: str, output_format: str = "table") -> str:
    """A report in which no line is a command to a build server, even if the name of a case is one."""
    colon, hash_sign = _COMMAND_ESCAPES.get(output_format, (": ", "# "))
    text = _COMMAND.sub(lambda found: f"{found[1]}{colon}", text)
    return _MARKED_COMMAND.sub(lambda _: hash_sign, text)


def printable_json(text: str) -> str:
    """JSON in which invisible characters and commands are written as escapes: the same values."""
    found = _HIDDEN_IN_JSON.sub(lambda each: _json_escape(each[0]), text)
    return _MARKED_COMMAND.sub(lambda _: "\\u0023", found)


def _json_escape(character: str) -> str:
    code = ord(character)
    if code <= _LAST_OF_BMP:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _escaped(found: re.Match[str]) -> str:
    return escape(found[0])
