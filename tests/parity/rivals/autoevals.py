"""The real Autoevals."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.parity.configurations.autoevals import with_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "autoevals"


class _SortedUnion(set[str]):
    """A set whose unions have one order in every process.

    The keys of an object are added up in the order of a set, which is another in each process, and
    so is the last bit of the sum. Sorted is one of those orders; without it, the package would not
    agree with itself.
    """

    def union(self, *others: Iterable[str]) -> Any:  # type: ignore[override]  # a list, for its order
        """All members, in sorted order."""
        return sorted(super().union(*others))


@cache
def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    import autoevals

    # As an attribute of the package, `json` is the module of the standard library.
    vars(import_module("autoevals.json"))["set"] = _SortedUnion
    difference = autoevals.JSONDiff
    found = {
        "JSONDiff(list of calls)": _measure(difference()),
        "JSONDiff(list of calls,preserve_strings)": _measure(difference(preserve_strings=True)),
        "ExactMatch(list of calls)": _measure(autoevals.ExactMatch()),
        "ListContains": _measure(autoevals.ListContains()),
        **{
            f"ListContains({pairwise.__name__}{',allow_extra' * extra})": _measure(
                autoevals.ListContains(pairwise_scorer=pairwise(), allow_extra_entities=extra)
            )
            for pairwise in (difference, autoevals.Levenshtein, autoevals.ExactMatch)
            for extra in (False, True)
        },
    }
    return found | {f"{name}/texts": with_texts(measure) for name, measure in found.items()}


def _measure(scorer: Any) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        return scorer.eval(actual, expected).score

    return measure
