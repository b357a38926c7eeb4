"""Which expected call is set against which actual call.

A pairing is one to one and joins equal names only. Of all that the order allows, the chosen one has
the most correct pairs, then the most equal pairs, then the greatest total overlap, then the most
pairs; and then it is the first: the first expected call has the earliest actual call it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.assignment import assign
from callscore.core.closeness import weigh
from callscore.core.equality import equal_objects, fingerprint
from callscore.core.model import Pair
from callscore.core.sequence import match_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.model import ToolCall
    from callscore.core.settings import Settings

__all__ = ["Match", "is_correct", "match_calls"]

# Positions of an expected and of an actual call, and whether they make a correct pair.
Match = tuple[int, int, bool]
# The positions, on the expected and on the actual side, of calls that are all equal.
_Kind = tuple[list[int], list[int]]
# Up to this many pairs of one tool, comparing them all is quicker than taking fingerprints.
_FEW_PAIRS = 64


def match_calls(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
) -> list[Match]:
    """The best pairing of the calls from position `start` on, in the order of the expected ones."""
    if settings.order == "any":
        return _match_any(expected, actual, start, settings)
    if settings.order == "in_order":
        return match_in_order(expected, actual, start, settings)
    return [
        (position, position, is_correct(expected[position], actual[position], settings))
        for position in range(start, min(len(expected), len(actual)))
        if expected[position].name == actual[position].name
    ]


def is_correct(expected: ToolCall, actual: ToolCall, settings: Settings) -> bool:
    """Whether two calls of one tool make a correct pair."""
    if actual.error is not None:
        return False
    if expected.arguments is None or equal_objects(expected.arguments, actual.arguments or {}):
        return True
    if settings.mode == "strict":
        return False
    pair = Pair(expected, actual, 0, 0, False, settings)  # noqa: FBT003  (the field)
    return pair.overlap >= settings.argument_match_threshold


def _match_any(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
) -> list[Match]:
    groups: dict[str, _Kind] = {}
    for side, calls in enumerate((expected, actual)):
        for position in range(start, len(calls)):
            groups.setdefault(calls[position].name, ([], []))[side].append(position)
    matches: list[Match] = []
    for group in groups.values():
        if group[0] and group[1]:
            matches += _match_tool(expected, actual, group, settings)
    matches.sort()
    return matches


def _match_tool(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Kind, settings: Settings
) -> list[Match]:
    """The best pairing of the calls of one tool."""
    matches: list[Match] = []
    rows, columns = group
    is_choice = len(rows) > 1 or len(columns) > 1
    accepts_any = is_choice and any(expected[row].arguments is None for row in rows)
    if is_choice and settings.mode == "strict" and not accepts_any:
        matches, (rows, columns) = _take_equal(expected, actual, group)
    if len(rows) == len(columns) == 1:
        row, column = rows[0], columns[0]
        matches.append((row, column, is_correct(expected[row], actual[column], settings)))
    elif rows and columns:
        closeness = weigh([expected[row] for row in rows], [actual[c] for c in columns], settings)
        assigned = assign([found.levels for found in closeness], len(columns))
        for row, found, column in zip(rows, closeness, assigned, strict=True):
            if column is not None:
                matches.append((row, columns[column], bool(found.correct >> column & 1)))
    return matches


def _take_equal(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Kind
) -> tuple[list[Match], _Kind]:
    """Strict mode: the equal pairs that every best pairing has, and the calls that are left.

    Where one side has nothing left over, these are all pairs. Otherwise a kind of call that both
    sides have equally often pairs off in order, whatever the others do; of the kinds that one side
    has more often all calls are left, for which of the copies are equal pairs is still open.
    """
    is_few = len(group[0]) * len(group[1]) <= _FEW_PAIRS
    kinds = (_kinds_of_few if is_few else _kinds_of_many)(expected, actual, group)
    all_pair_off = not (
        any(len(rows) > len(columns) for rows, columns in kinds)
        and any(len(rows) < len(columns) for rows, columns in kinds)
    )
    matches: list[Match] = []
    left: _Kind = ([], [])
    for rows, columns in kinds:
        if all_pair_off or len(rows) == len(columns):
            matches += [(row, column, True) for row, column in zip(rows, columns, strict=False)]
        else:
            left[0].extend(rows)
            left[1].extend(columns)
    left[0].sort()
    left[1].sort()
    return matches, left


def _kinds_of_few(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Kind
) -> list[_Kind]:
    seen: list[tuple[dict[str, Any], _Kind]] = []
    unreadable: list[_Kind] = []
    for side, calls in enumerate((expected, actual)):
        for position in group[side]:
            call = calls[position]
            if call.error is not None:
                unreadable.append(([], [position]))
                continue
            arguments = call.arguments or {}
            for known, kind in seen:
                if equal_objects(known, arguments):
                    kind[side].append(position)
                    break
            else:
                seen.append((arguments, ([], [])))
                seen[-1][1][side].append(position)
    return [kind for _, kind in seen] + unreadable


def _kinds_of_many(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Kind
) -> list[_Kind]:
    seen: dict[str, _Kind] = {}
    for side, calls in enumerate((expected, actual)):
        for position in group[side]:
            call = calls[position]
            # No fingerprint is a bare number, so a call that cannot be read is a kind of its own.
            print_ = fingerprint(call.arguments or {}) if call.error is None else str(position)
            seen.setdefault(print_, ([], []))[side].append(position)
    return list(seen.values())
