"""The text of an HTML report: its data and its words, without scripts and styles."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from typing import Any

import msgspec

__all__ = ["html_text", "json_text"]

_DATA = re.compile(
    rb'<script type="application/[a-z-]+" id="([a-z]+)(?:-\d+)?">(.*?)</script>', re.DOTALL
)
_CODE = re.compile(rb"<(script|style)\b.*?</\1>\n*", re.DOTALL)
_HASH = re.compile(r"sha256-[\w+/=]+")
_RAW_DEFLATE = -15
_WIDTH = 150


def html_text(data: bytes, *, has_words: bool) -> str:
    """The rest of a report as markup, and its data as JSON, with the words of its buttons or without."""
    markup = _HASH.sub("sha256-…", _CODE.sub(b"", data).decode())
    parts = [markup.replace("<tr", "\n<tr")]
    for found in _DATA.finditer(data):
        name, content = found[1].decode(), found[2]
        if content[:1] not in b"{[":
            content = zlib.decompress(b64decode(content), _RAW_DEFLATE)
        for line in content.splitlines():
            value = msgspec.json.decode(line)
            if not has_words:
                value.pop("words", None)
                value.pop("hidden_characters", None)
            parts.append(f"--- {name}\n{json_text(value)}\n")
    return "".join(parts)


def json_text(value: Any, indent: str = "") -> str:
    """A value as JSON, in which whatever fits on a line has one.

    Of the explanation of a score there is the end: it is a snapshot of its own.
    """
    if isinstance(value, dict) and isinstance(value.get("explanation"), str):
        value = value | {"explanation": value["explanation"].rpartition("\n")[2]}
    text = msgspec.json.encode(value).decode()
    if len(text) <= _WIDTH - len(indent) or not isinstance(value, dict | list) or not value:
        return text
    inner = indent + " "
    if isinstance(value, dict):
        parts = [
            f"{msgspec.json.encode(key).decode()}: {json_text(part, inner)}"
            for key, part in value.items()
        ]
    else:
        parts = [json_text(part, inner) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = f",\n{inner}".join(parts)
    return f"{opening}\n{inner}{body}\n{indent}{closing}"
