"""Cases in the plainest spelling, decoded straight into structs and their arguments not at all.

What is spelled in any other way is refused here, and is read with care elsewhere.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from callscore.core.model import Case, ToolCall
from callscore.core.tally import PlainCall
from callscore.formats.calls import Side, read_calls

__all__ = ["PlainCase", "decode_plain", "plain_case"]


class PlainCase(Struct, frozen=True, gc=False):
    """One line of a case file. The fields that must be unset are other names of the two sides."""

    id: str | int
    expected: list[PlainCall]
    actual: list[PlainCall]
    trial: int | str | None = None
    tags: list[str] = []
    referenceToolCalls: UnsetType = UNSET  # noqa: N815  (a field of the file)
    expectedTool: UnsetType = UNSET  # noqa: N815  (likewise)
    toolCalls: UnsetType = UNSET  # noqa: N815  (likewise)


_decode_lines = msgspec.json.Decoder(PlainCase).decode_lines


def decode_plain(lines: bytes) -> list[PlainCase]:
    """The cases of some whole lines.

    Raises:
        ValueError: one of the lines needs to be read with care.
        RecursionError: likewise.
    """
    if not lines.isascii():
        lines.decode()  # what is kept as text below is not checked there
    cases = _decode_lines(lines)
    if len(cases) != lines.count(b"\n") + (not lines.endswith(b"\n")):
        raise ValueError("not one case a line")
    return cases


def plain_case(case: PlainCase) -> Case:
    """The case with everything decoded."""
    return Case(
        id=str(case.id),
        expected=_calls(case.expected, "expected"),
        actual=_calls(case.actual, "actual"),
        trial=case.trial,
        tags=tuple(case.tags),
    )


def _calls(calls: list[PlainCall], side: Side) -> tuple[ToolCall, ...]:
    records = [
        {
            field: msgspec.json.decode(value) if isinstance(value, Raw) else value
            for field, value in msgspec.structs.asdict(call).items()
            if value != Raw()
        }
        for call in calls
    ]
    return read_calls(records, side=side, where=side)
