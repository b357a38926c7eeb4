"""Cases in the plainest spelling, decoded straight into structs and their arguments not at all.

What is spelled in any other way is refused here, and is read with care elsewhere.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from callscore.core.tally import PlainCall

__all__ = ["PlainCase", "decode_plain"]


class PlainCase(Struct, frozen=True, gc=False):
    """One line of a case file. The fields that must be unset ask for more than to compare."""

    id: Annotated[str, Meta(min_length=1)] | int
    expected: tuple[PlainCall, ...]
    actual: tuple[PlainCall, ...]
    trial: int | str | None = None
    tags: list[str] = []
    referenceToolCalls: UnsetType = UNSET  # noqa: N815  (a field of the file)
    expectedTool: UnsetType = UNSET  # noqa: N815  (likewise)
    toolCalls: UnsetType = UNSET  # noqa: N815  (likewise)
    tools: UnsetType = UNSET  # by whose schemas the calls are checked
    forbid: UnsetType = UNSET  # which belongs into `expected`


# What a key begins with that may be a rule in place of a value, also if it is written as an escape.
# One byte of it is looked for first, which is two hundred times as quick and most often enough.
_MARKS = ((b"$", b'"$'), (b"\\", b"\\u0024"))
_decode_lines = msgspec.json.Decoder(PlainCase).decode_lines


def decode_plain(lines: bytes) -> list[PlainCase]:
    """The cases of some whole lines.

    Raises:
        ValueError: one of the lines needs to be read with care.
        RecursionError: likewise.
    """
    if any(byte in lines and mark in lines for byte, mark in _MARKS):
        raise ValueError("there may be rules in it")
    if not lines.isascii():
        lines.decode()  # what is kept as text below is not checked there
    cases = _decode_lines(lines)
    breaks = len(lines) - len(lines.replace(b"\n", b""))  # many times as quick as `count`
    if len(cases) != breaks + (not lines.endswith(b"\n")):
        raise ValueError("not one case a line")
    return cases
