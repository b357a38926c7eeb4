"""Lines of a case file in the simplest notation, decoded directly into structs.

Nearly all lines of large files are like this, and reading them is several times as fast as through
`read_case`. Any other notation is refused here, and read there.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from callscore.core.call import DecodedCalls, ToolCall
from callscore.core.case import Case
from callscore.core.fast_strict import PlainCall
from callscore.core.nesting import are_shallow, end_soon, nesting_fault
from callscore.formats.case_fields import has_near_part

_Text = Annotated[str, Meta(min_length=1)]
_Integer = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]  # of more digits, some are refused


class _Line(Struct, frozen=True, gc=False, kw_only=True):
    """What all cases in this notation have; if one of the unset fields is set, it is another notation."""

    id: _Text | _Integer
    trial: _Integer | str | None = None
    tags: list[str] = []
    referenceToolCalls: UnsetType = UNSET  # noqa: N815  (a field of the file)
    expectedTool: UnsetType = UNSET  # noqa: N815  (likewise)
    toolCalls: UnsetType = UNSET  # noqa: N815  (likewise)
    tools: UnsetType = UNSET  # calls are checked by their schemas
    callers: UnsetType = UNSET  # calls are left out by them
    turns: UnsetType = UNSET
    expected_state: UnsetType = UNSET
    actual_state: UnsetType = UNSET
    # Likely misspellings of these; any other is found in the first line of a batch.
    turn: UnsetType = UNSET
    expectedState: UnsetType = UNSET  # noqa: N815  (a field of a file)
    actualState: UnsetType = UNSET  # noqa: N815  (likewise)
    role: UnsetType = UNSET  # a message, which tells how to read the lines that follow
    # What belongs into `expected`.
    forbid: UnsetType = UNSET
    in_order: UnsetType = UNSET
    any_order: UnsetType = UNSET
    one_of: UnsetType = UNSET
    optional: UnsetType = UNSET


class PlainCase(_Line, frozen=True, gc=False, kw_only=True):
    """A case whose arguments are not decoded."""

    expected: tuple[PlainCall, ...]
    actual: tuple[PlainCall, ...]


class _Call(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    name: _Text
    arguments: dict[str, Any]


class _WholeCase(_Line, frozen=True, gc=False, kw_only=True):
    expected: list[_Call]
    actual: list[_Call]
    input: Any = None
    metadata: Any = None
    only: UnsetType = UNSET
    skip: UnsetType = UNSET


# The beginning of a key that may be a rule, also as an escape. One byte of it is searched first,
# which is two hundred times as fast and usually enough.
_RULE_MARKS = ((b"$", b'"$'), (b"\\", b"\\u0024"))
_BETWEEN_CASES = b'}\n{"'
_DIGITS = 1000  # a third of the digits that a report has of an integer
_Calls = tuple[ToolCall, ...]
_decode_plain = msgspec.json.Decoder(PlainCase).decode_lines
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_whole = msgspec.json.Decoder(_WholeCase).decode_lines


def decode_plain(lines: bytes) -> list[PlainCase]:
    """The cases of whole lines, without their arguments.

    Raises:
        ValueError: one of the lines is not in the simplest notation. Likewise RecursionError.
    """
    _require_plain_text(lines)
    cases = _decode_plain(lines)
    _require_one_per_line(lines, len(cases))
    return cases


def decode_cases(lines: bytes) -> list[Case]:
    """The cases of whole lines, as `read_case` reads them.

    Raises:
        ValueError: one of the lines is not in the simplest notation. Likewise RecursionError.
    """
    _require_plain_text(lines)
    found = _decode_whole(lines)
    _require_one_per_line(lines, len(found))
    calls: type[_Calls] = tuple if _may_have_long_integer(lines) else DecodedCalls
    sides = [side for case in found for side in (case.expected, case.actual)]
    read = _tool_calls if _are_shallow(sides) else _checked_tool_calls
    return [
        Case(
            id=str(case.id),
            expected=read(case.expected, calls),
            actual=read(case.actual, calls),
            input=case.input,
            trial=case.trial,
            tags=tuple(case.tags),
            metadata=case.metadata,
        )
        for case in found
    ]


def _require_plain_text(lines: bytes) -> None:
    if any(byte in lines and mark in lines for byte, mark in _RULE_MARKS):
        raise ValueError("there may be rules in it")
    end = lines.find(b"\n")
    if has_near_part(_decode_fields(lines if end < 0 else lines[:end])):
        raise ValueError("a field may be misspelled")
    if not lines.isascii():
        lines.decode()  # raises if it is not UTF-8, which the decoder does not check in raw arguments


def _require_one_per_line(lines: bytes, cases: int) -> None:
    """Refuse lines of which one has two cases and another none: the decoder takes any space for a break."""
    breaks = usual = 0
    at = lines.find(b"\n")
    while at >= 0:  # three times as fast as `count`, because most lines are long
        breaks += 1
        # In JSON, an object follows another one directly only outside of both.
        usual += lines.startswith(_BETWEEN_CASES, at - 1)
        at = lines.find(b"\n", at + 1)
    if cases != breaks + (not lines.endswith(b"\n")):
        raise ValueError("not one case per line")
    if usual != cases - 1:
        # There is other space around a break. As an array, they are read only if each break is
        # between two cases.
        msgspec.json.decode(b"[%b]" % lines.removesuffix(b"\n").replace(b"\n", b","))


def _may_have_long_integer(lines: bytes) -> bool:
    """Whether there may be an integer of twice as many digits as a block has: it fills one of them."""
    return any(lines[start : start + _DIGITS].isdigit() for start in range(0, len(lines), _DIGITS))


def _are_shallow(sides: list[list[_Call]]) -> bool:
    """Whether no arguments are nested deeply: those of many cases are checked in a few steps."""
    return are_shallow([call.arguments for side in sides for call in side])


def _tool_calls(calls: list[_Call], kind: type[_Calls]) -> _Calls:
    return kind([ToolCall(call.name, call.arguments) for call in calls])


def _checked_tool_calls(calls: list[_Call], kind: type[_Calls]) -> _Calls:
    objects = [call.arguments for call in calls]
    if not end_soon(objects):
        if any(map(nesting_fault, objects)):
            raise ValueError("the arguments are nested too deeply")
        kind = tuple
    return _tool_calls(calls, kind)
