"""Values as the bytes that a database keeps: JSON, compressed where that pays."""

from __future__ import annotations

import zlib
from hashlib import blake2b
from typing import Any

import msgspec

from callscore.core.plain import encode_json, plain_string

__all__ = [
    "clean_text",
    "compressed",
    "digest_of",
    "json_bytes",
    "json_text",
    "pack_digest",
    "unpack",
    "unpack_digest",
]

# Shorter texts hardly shrink, and take longer to compress than to write.
_SHORTEST = 400
# What is saved must be worth the time of every later reader.
_WORTH = 0.85
# The quickest; the best takes three times as long for a twentieth less.
_LEVEL = 1
# No JSON text begins like this, and every text that zlib has made does.
_COMPRESSED = b"x"
_DIGEST_SIZE = 16
_HEX = b"\x00"
_TEXT = b"\x01"

_encoder = msgspec.json.Encoder()


def json_bytes(value: object) -> bytes:
    """The value as JSON; what JSON does not know becomes text."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return encode_json(value)


def json_text(value: object) -> str | None:
    """A small value as JSON, for a column that people may read; None for what is empty."""
    return json_bytes(value).decode() if value else None


def digest_of(body: bytes) -> bytes:
    """The name under which a text is kept once."""
    return blake2b(body, digest_size=_DIGEST_SIZE).digest()


def compressed(body: bytes) -> bytes:
    """The text as it is kept: smaller, where it becomes much smaller."""
    if len(body) < _SHORTEST:
        return body
    smaller = zlib.compress(body, _LEVEL)
    return smaller if len(smaller) < len(body) * _WORTH else body


def unpack(body: bytes) -> Any:
    """The value of a text that `compressed` gave."""
    return msgspec.json.decode(zlib.decompress(body) if body[:1] == _COMPRESSED else body)


def clean_text(text: str) -> str:
    """A text that every database takes: no half characters, no zero characters."""
    return plain_string(text).replace("\x00", "\\u0000")


def pack_digest(text: str) -> bytes:
    """A digest, half as long where it is written in hexadecimal digits."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    return _HEX + raw if raw.hex() == text else _TEXT + text.encode("utf-8", "backslashreplace")


def unpack_digest(packed: bytes) -> str:
    """The digest that `pack_digest` was given."""
    return packed[1:].hex() if packed[:1] == _HEX else packed[1:].decode()
