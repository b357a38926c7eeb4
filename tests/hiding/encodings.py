"""Secrets of all kinds, and the ways in which they are written in texts."""

from __future__ import annotations

from base64 import b64encode, encodebytes, urlsafe_b64encode
from json import dumps  # noqa: TID251  (escapes as other encoders write them)
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Callable

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nq8hZ/+abcdefgh12345678==\n-----END PRIVATE KEY-----"

SECRETS = {
    "plain": "sk-live-4eC39HqLyjWDarjtT1",
    "slashes": "sk/live/Zx+Qq=Wm/Pl",
    "quotes": 'it\'s "quoted" & <tagged>',
    "backslashes": "C:\\keys\\new\\table",
    "accents": "pässwörd-éàü-ключ",
    "beyond": "key-😀-𝔘nicode",
    "spaces": "correct horse battery",
    "pem": PEM,
    "percent": "100%25-sure+%41bc",
    "all special": '/"\\é/"\\é',
}


def _by_code(text: str, form: str = "\\u%04x") -> str:
    units = text.encode("utf-16-be")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(form % (high << 8 | low) for high, low in pairs)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "json": lambda text: dumps(text)[1:-1],
    "json, not ascii": lambda text: dumps(text, ensure_ascii=False)[1:-1],
    "json, slashes": lambda text: dumps(text)[1:-1].replace("/", "\\/"),
    "json, by code": _by_code,
    "json, by CODE": lambda text: _by_code(text, "\\u%04X"),
    "json in json": lambda text: dumps(dumps(text))[3:-3],
    "json, three times": lambda text: dumps(dumps(dumps(text).replace("/", "\\/"))),
    "python": repr,
    "percent": lambda text: quote(text, safe=""),
    "percent, plus": quote_plus,
    "percent, lower case": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent in json": lambda text: dumps({"url": quote(text)}),
    "json in percent": lambda text: quote(dumps({"key": text})),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64, second": lambda text: b64encode(f"u{text}z".encode()).decode(),
    "base64, third": lambda text: urlsafe_b64encode(f"u:{text}".encode()).decode(),
    "base64, lines": lambda text: encodebytes(f"{'a' * 50}{text}".encode()).decode(),
    "base64, lines in json": lambda text: dumps(encodebytes(f"{'a' * 50}{text}".encode()).decode()),
    "hexadecimal": lambda text: text.encode().hex(),
    "HEXADECIMAL": lambda text: text.encode().hex().upper(),
}
