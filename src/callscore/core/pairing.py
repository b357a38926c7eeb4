"""Which expected call is paired with which actual call.

A pairing is one to one and joins equal names only. Of all pairings that the order allows, the best
has the most correct pairs, then the most equal pairs, then the greatest total overlap, then the
most pairs. If some actual calls are free, so that they count only if they are correct, the highest F1
comes before all of these. Of several best ones it is the first: each expected call, in order, has the earliest
actual call that it can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.arguments import grade_calls
from callscore.core.assignment import assign
from callscore.core.call_index import weigh_pairs
from callscore.core.equality import equal_objects, fingerprint
from callscore.core.in_order import Match, match_in_order
from callscore.core.rates import HIGHEST, Counts, best_at_any_rate, is_mixed

if TYPE_CHECKING:
    from callscore.core.budget import Budget
    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings

# Positions of calls of one tool: on the expected and on the actual side.
_Group = tuple[list[int], list[int]]
# Up to this many pairs of one tool, weighing them all is faster than computing fingerprints.
_MAX_COMPARED_PAIRS = 64
_TWO = 2
# In place of arguments that could not be parsed: equal to no others.
_UNREADABLE: dict[str, Any] = {"": object()}


def match_calls(  # noqa: PLR0913  (what the best pairing depends on)
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    start: int,
    settings: Settings,
    budget: Budget,
    *,
    free: int = 0,
    beside: Counts = (0, 0),
) -> list[Match]:
    """The best pairing of the calls from position `start` on, in the order of the expected ones.

    `free` are the positions of the actual calls that cost nothing unless they are correct, as a bit
    set. `beside` says what else the case counts: how many are correct, and how many count.

    Raises:
        OverBudget: that takes too many steps.
    """
    budget.calls = len(expected), len(actual)
    if settings.order == "any":
        return _match_any(_Sides(expected, actual, free, beside), start, settings, budget)
    if settings.order == "in_order":
        return _match_in_order(_Sides(expected, actual, free, beside), start, settings, budget)
    return [
        (position, position, is_correct_pair(expected[position], actual[position], settings))
        for position in range(start, min(len(expected), len(actual)))
        if expected[position].name == actual[position].name
    ]


class _Sides(NamedTuple):
    """The calls of both sides, and the rest as for `match_calls`."""

    expected: Sequence[ToolCall]
    actual: Sequence[ToolCall]
    free: int
    beside: Counts


def _match_in_order(sides: _Sides, start: int, settings: Settings, budget: Budget) -> list[Match]:
    expected, actual, free, beside = sides
    if not is_mixed(free, range(start, len(actual))):  # then the most correct pairs are the best
        return match_in_order(expected, actual, start, settings, budget)
    always = len(expected) + len(actual) - (free >> start).bit_count() + beside[1]

    def counts(matches: list[Match]) -> Counts:
        correct = [column for _, column, is_correct in matches if is_correct]
        return start + len(correct) + beside[0], always + sum(
            [free >> column & 1 for column in correct]
        )

    return best_at_any_rate(
        lambda rate: match_in_order(
            expected, actual, start, settings, budget, at=(free >> start, rate)
        ),
        counts,
    )[0]


def is_correct_pair(expected: ToolCall, actual: ToolCall, settings: Settings) -> bool:
    """Whether two calls of one tool make a correct pair."""
    wanted = expected.arguments
    if settings.mode != "strict" or wanted.__class__ is not dict or actual.error is not None:
        return grade_calls(expected, actual, settings)[0]
    return equal_objects(wanted, actual.arguments or {})


def _match_any(sides: _Sides, start: int, settings: Settings, budget: Budget) -> list[Match]:
    expected, actual, free, _ = sides
    columns = _positions(actual, start)
    matches: list[Match] = []
    for name, group in _positions(expected, start).items():
        others = columns.get(name)
        if others:
            if is_mixed(free, others):  # calls of several tools that are compared as one
                matches += _weigh_all(sides, (group, others), settings, budget)
            else:
                matches += _match_tool(sides, (group, others), settings, budget)
    matches.sort()
    return matches


def _positions(calls: Sequence[ToolCall], start: int) -> dict[str, list[int]]:
    """Where each tool is called, from position `start` on."""
    found: dict[str, list[int]] = {}
    for position in range(start, len(calls)):
        name = calls[position].name
        if name in found:
            found[name].append(position)
        else:
            found[name] = [position]
    return found


def _match_tool(sides: _Sides, group: _Group, settings: Settings, budget: Budget) -> list[Match]:
    """The best pairing of the calls of one tool, of which each side has one or more."""
    expected, actual, *_ = sides
    rows, columns = group
    matches: list[Match] = []
    if settings.mode == "strict" and len(rows) > 1 and len(columns) > 1:
        matches, (rows, columns) = _pair_equal_calls(expected, actual, group)
    if len(rows) == len(columns) == 1:
        is_correct = is_correct_pair(expected[rows[0]], actual[columns[0]], settings)
        matches.append((rows[0], columns[0], is_correct))
    elif len(rows) == 1 or len(columns) == 1:
        matches.append(_closest(expected, actual, (rows, columns), settings))
    elif rows and columns:
        matches += _weigh_all(sides._replace(free=0), (rows, columns), settings, budget)
    return matches


def _weigh_all(sides: _Sides, group: _Group, settings: Settings, budget: Budget) -> list[Match]:
    """The best pairing of the calls of one tool, from what each pair is worth.

    If some are free, it is the same at any rate: most correct pairs, most of them with calls that
    count anyway.
    """
    expected, actual, free, _ = sides
    rows, columns = group
    at = (sum([(free >> c & 1) << n for n, c in enumerate(columns)]), HIGHEST) if free else None
    closeness = weigh_pairs(
        [expected[row] for row in rows], [actual[c] for c in columns], settings, budget, at
    )
    assigned = assign([found.levels for found in closeness], len(columns), budget)
    return [
        (row, columns[column], bool(found.correct >> column & 1))
        for row, found, column in zip(rows, closeness, assigned, strict=True)
        if column is not None
    ]


def _pair_two_equal(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> list[Match]:
    """Strict mode: the best pairing of two calls with two others; empty if no two are equal.

    It is straight or crossed. If a straight pair is equal, crossing can only be as good: a call that
    equals another is as close to the rest.
    """
    (row, next_row), (column, next_column) = group
    call, next_call = expected[row], expected[next_row]
    other, next_other = actual[column], actual[next_column]
    first, second = _are_equal(call, other), _are_equal(next_call, next_other)
    if first or second:
        return [(row, column, first), (next_row, next_column, second)]
    first, second = _are_equal(call, next_other), _are_equal(next_call, other)
    if first or second:
        return [(row, next_column, first), (next_row, column, second)]
    return []


def _are_equal(expected: ToolCall, actual: ToolCall) -> bool:
    is_readable = actual.error is None
    return is_readable and equal_objects(expected.arguments or {}, actual.arguments or {})


def _closest(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group, settings: Settings
) -> Match:
    """The best pair if one side has only one call; the first of several."""
    candidates = [(row, column) for row in group[0] for column in group[1]]
    row, column = candidates[0]
    best = grade_calls(expected[row], actual[column], settings)
    for next_row, next_column in candidates[1:]:
        if best[1]:
            break  # nothing is closer than an equal call
        found = grade_calls(expected[next_row], actual[next_column], settings)
        has_more_overlap = found[2] * best[3] > best[2] * found[3]
        if found[:2] > best[:2] or (found[:2] == best[:2] and has_more_overlap):
            row, column, best = next_row, next_column, found
    return row, column, best[0]


def _pair_equal_calls(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> tuple[list[Match], _Group]:
    """Strict mode: the equal pairs that every best pairing has, and the calls that are left.

    Where one side has no calls left over, these are all pairs. Otherwise calls that both sides have
    equally often are paired in order; calls that one side has more often are all left, because it
    is still open which of the copies are paired.
    """
    for row in group[0]:
        if expected[row].arguments.__class__ is not dict:
            return [], group  # calls that accept any arguments, or have rules, may take others
    if len(group[0]) == len(group[1]) == _TWO:
        matches = _pair_two_equal(expected, actual, group)
        return matches, ([], []) if matches else group
    is_few = len(group[0]) * len(group[1]) <= _MAX_COMPARED_PAIRS
    kinds = (_group_equal_by_comparing if is_few else _group_equal_by_fingerprint)(
        expected, actual, group
    )
    spare_rows = spare_columns = False
    for rows, columns in kinds:
        spare_rows = spare_rows or len(rows) > len(columns)
        spare_columns = spare_columns or len(rows) < len(columns)
    matches = []
    left: _Group = ([], [])
    for rows, columns in kinds:
        if spare_rows and spare_columns and len(rows) != len(columns):
            left[0].extend(rows)
            left[1].extend(columns)
        else:
            matches += [(row, column, True) for row, column in zip(rows, columns, strict=False)]
    left[0].sort()
    left[1].sort()
    return matches, left


def _group_equal_by_comparing(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> list[_Group]:
    """Group equal calls of one tool by comparing each with each."""
    seen: list[tuple[dict[str, Any], _Group]] = []
    for row in group[0]:
        _kind_of(expected[row], seen)[0].append(row)
    for column in group[1]:
        _kind_of(actual[column], seen)[1].append(column)
    return [kind for _, kind in seen]


def _kind_of(call: ToolCall, seen: list[tuple[dict[str, Any], _Group]]) -> _Group:
    """The group of calls that are equal to this one, possibly a new one."""
    arguments = call.arguments or {}
    if call.error is None:
        for known, kind in seen:
            if equal_objects(known, arguments):
                return kind
    else:
        arguments = _UNREADABLE
    kind = ([], [])
    seen.append((arguments, kind))
    return kind


def _group_equal_by_fingerprint(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> list[_Group]:
    """The same by fingerprints: linear in the number of calls."""
    seen: dict[str, _Group] = {}
    for side, calls in enumerate((expected, actual)):
        for position in group[side]:
            call = calls[position]
            # No fingerprint of an object is a number, so each unreadable call is its own kind.
            kind = str(position) if call.error is not None else fingerprint(call.arguments or {})
            seen.setdefault(kind, ([], []))[side].append(position)
    return list(seen.values())
