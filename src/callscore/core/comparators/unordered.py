"""An array with these items in any order, each of which may be a rule."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.comparator import operand_problem
from callscore.core.comparison import fits
from callscore.core.equality import fingerprint
from callscore.core.matcher import ABSENT, Matcher, holds_matchers
from callscore.core.verdict import Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "KEYS", "NESTS", "RULE", "SCHEMA", "check", "compare"]

KEYS = ("$unordered",)
NESTS = True
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The items of the array, in any order; each may be a rule.",
        "type": "array",
        "items": {"$ref": "#/$defs/value"},
    },
    "options": {},
}
EXAMPLES = (
    ({"$unordered": [1, 2, 2]}, [2, 1, 2], [1, 2]),
    ({"$unordered": [{"$gt": 0}, 5]}, [5, 7], [5, 0]),
)

_MANY = 100  # pairs; beyond that, nobody looks for what is nearly alike
_REMEMBERED = 2**18  # answers of rules; an array of any length must not fill the memory


def check(matcher: Matcher) -> str | None:
    """The value is a list."""
    is_list = isinstance(matcher.value, list | tuple)
    return None if is_list else operand_problem(matcher, "a list")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether each item has a partner of its own; parts are those that have none."""
    if not isinstance(actual, list | tuple):
        return Verdict(matched=False, value=0.0)
    wanted = matcher.value
    unmet, ruled, free = _without_equal(wanted, actual)
    if ruled:

        @lru_cache(maxsize=_REMEMBERED)
        def fits(row: int, column: int) -> bool:
            return context.compare(wanted[row], actual[column]).matched

        alone, free = _without_partners(ruled, free, fits)
        unmet = sorted(unmet + alone)
    if not unmet and not free:
        return Verdict(matched=True)
    total = len(wanted) + len(actual)
    value = (total - len(unmet) - len(free)) / total
    return Verdict(matched=False, value=value, parts=_parts(wanted, actual, unmet, free, context))


def _parts(
    wanted: Sequence[Any],
    actual: Sequence[Any],
    unmet: list[int],
    free: list[int],
    context: Context,
) -> tuple[Part, ...]:
    """What has no partner: objects that are nearly alike as one difference, the rest apart."""
    near = _nearly_alike(wanted, actual, unmet, free, context)
    taken = set(near.values())
    parts = [Part(row, wanted[row], actual[near[row]] if row in near else ABSENT) for row in unmet]
    parts += [Part(column, ABSENT, actual[column]) for column in free if column not in taken]
    return tuple(parts)


def _nearly_alike(
    wanted: Sequence[Any],
    actual: Sequence[Any],
    unmet: list[int],
    free: list[int],
    context: Context,
) -> dict[int, int]:
    """Which given object each wanted one without a partner comes closest to, if to any."""
    if len(unmet) * len(free) > _MANY:
        return {}
    found: dict[int, int] = {}
    candidates = [
        (-closeness, row, column)
        for row in unmet
        for column in free
        if (closeness := _closeness(wanted[row], actual[column], context))
    ]
    for _, row, column in sorted(candidates):
        if row not in found and column not in found.values():
            found[row] = column
    return found


def _closeness(wanted: Any, given: Any, context: Context) -> float:
    """The share of the members of an object that are as wanted; 0 for anything else."""
    members = wanted.value if isinstance(wanted, Matcher) and wanted.key == "$subset" else wanted
    if not isinstance(members, dict) or not isinstance(given, dict):
        return 0.0
    alike = [key in given and fits(value, given[key], context) for key, value in members.items()]
    return sum(alike) / max(len(alike), len(given), 1)


def _without_equal(
    wanted: Sequence[Any], actual: Sequence[Any]
) -> tuple[list[int], list[int], list[int]]:
    """What is left when plain items have taken their equals: unmet ones, rules, and given ones.

    A plain item has no other choice than an equal, and equals are as good as one another for the
    rules, so that taking them first costs no rule its partner.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for column in reversed(range(len(actual))):
        places[fingerprint(actual[column])].append(column)
    unmet: list[int] = []
    ruled: list[int] = []
    for row, item in enumerate(wanted):
        if holds_matchers(item):
            ruled.append(row)
        elif columns := places.get(fingerprint(item)):
            columns.pop()
        else:
            unmet.append(row)
    return unmet, ruled, sorted(column for columns in places.values() for column in columns)


def _without_partners(
    rows: list[int], columns: list[int], fits: Callable[[int, int], bool]
) -> tuple[list[int], list[int]]:
    """The rows and the columns that the largest assignment leaves alone."""
    row_of: dict[int, int] = {}
    column_of: dict[int, int] = {}
    free = dict.fromkeys(columns)
    alone: list[int] = []
    for row in rows:
        reached, end = _reach(row, row_of, free, fits)
        if end is None:
            alone.append(row)
            continue
        del free[end]
        column: int | None = end
        while column is not None:  # every row on the way hands its column on
            taker = reached[column]
            given_up = column_of.get(taker)
            row_of[column], column_of[taker] = taker, column
            column = given_up
    return alone, list(free)


def _reach(
    start: int, row_of: dict[int, int], free: dict[int, None], fits: Callable[[int, int], bool]
) -> tuple[dict[int, int], int | None]:
    """From which row each column is reached, up to a free one; free ones are asked first."""
    reached: dict[int, int] = {}
    rows = [start]
    for row in rows:  # it grows on the way
        for column in free:
            if fits(row, column):
                reached[column] = row
                return reached, column
        for column, owner in row_of.items():
            if column not in reached and fits(row, column):
                reached[column] = row
                rows.append(owner)
    return reached, None
