"""What the text in a cell of a table stands for: JSON where it begins like it, else itself."""

from __future__ import annotations

import re
from typing import Any

from callscore.core.malformed import Malformed, excerpt
from callscore.sources.json_document import decode_json
from callscore.sources.lenient import NotJSON

__all__ = ["read_cell"]

_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")


def read_cell(text: str, *, openings: tuple[str, ...]) -> Any:
    """The value of a cell; text that only begins like JSON stays text.

    What is malformed in the JSON is marked, and so is text with bytes that are not UTF-8.

    Args:
        text: the cell, with bytes that are not UTF-8 escaped as surrogates.
        openings: what JSON begins with, for it to be taken as such.
    """
    if text.lstrip().startswith(openings):
        try:
            return decode_json(text.encode("utf-8", "surrogateescape"), unit="cell")
        except NotJSON:
            pass
    if text.isascii() or not _ESCAPED_BYTE.search(text):
        return text
    printable = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Malformed(excerpt(printable), "bytes that are not UTF-8")
