"""What Toolscore counts by the names of the tools alone."""

from __future__ import annotations

from operator import eq
from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.parity.overlap import common_count

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "SequenceScores",
    "efficiency_of",
    "folded",
    "for_nothing_expected",
    "found_share",
    "invoked_share",
    "placed_share",
    "redundant_share",
    "selected_share",
    "sequence_scores",
    "tools_share",
]

_Names = list[str]


class SequenceScores(Struct, frozen=True, gc=False):
    """How far the order of the names is from the expected one.

    Attributes:
        edit_distance: the names to insert, remove or replace.
        normalized_distance: the same per name of the longer side.
        sequence_accuracy: 1 less that.
    """

    edit_distance: float
    normalized_distance: float
    sequence_accuracy: float


_SAME_SEQUENCE = SequenceScores(0.0, 0.0, 1.0)


def for_nothing_expected(actual: Sequence[object]) -> float:
    """What most metrics say where nothing is expected."""
    return 0.0 if actual else 1.0


def selected_share(expected: _Names, actual: _Names) -> float:
    """The share of the actual names that are expected."""
    if not expected or not actual:
        return 0.0 if expected or actual else 1.0
    known = set(expected)
    return sum([name in known for name in actual]) / len(actual)


def invoked_share(expected: _Names, actual: _Names) -> float:
    """The share of the expected tools that are called, less half of each missing and extra one."""
    wanted, given = set(expected), set(actual)
    if not wanted:
        return for_nothing_expected(actual)
    wrong = len(wanted ^ given)
    return max(0.0, (len(wanted & given) - 0.5 * wrong) / len(wanted))


def tools_share(expected: _Names, actual: _Names) -> float:
    """The share of the expected tools that are called."""
    wanted = set(expected)
    if not wanted:
        return for_nothing_expected(actual)
    return len(wanted.intersection(actual)) / len(wanted)


def placed_share(expected: _Names, actual: _Names) -> float:
    """The share of the expected names that stand at the same position."""
    if not expected:
        return for_nothing_expected(actual)
    placed: int = sum(map(eq, expected, actual))
    return placed / len(expected)


def found_share(expected: _Names, actual: _Names) -> float:
    """The share of the expected names that find one of their own."""
    if not expected:
        return for_nothing_expected(actual)
    return common_count(expected, actual) / len(expected)


def sequence_scores(expected: _Names, actual: _Names) -> SequenceScores:
    """The edit distance of two lists of names."""
    if expected == actual:
        return _SAME_SEQUENCE
    if not expected or not actual:
        return SequenceScores(float(len(expected or actual)), 1.0, 0.0)
    from rapidfuzz.distance import Levenshtein

    distance = Levenshtein.distance(expected, actual)
    normalized = distance / max(len(expected), len(actual))
    return SequenceScores(float(distance), normalized, 1.0 - normalized)


def redundant_share(expected: _Names, actual: _Names) -> float:
    """The share of the actual names that are more than expected."""
    return (len(actual) - common_count(expected, actual)) / len(actual) if actual else 0.0


def efficiency_of(expected: Sequence[object], actual: Sequence[object]) -> float:
    """The number of expected calls per actual call, at most 1."""
    if not expected:
        return 1.0
    return min(1.0, len(expected) / len(actual)) if actual else 0.0


def folded(name: str) -> str:
    """A name without what variations of a name may differ in."""
    return name.lower().replace("_", "").replace("-", "")
