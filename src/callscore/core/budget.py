"""The work that one case may cost.

Everything whose cost can grow faster than its input draws from one budget per case: pairing, groups
and rules. Work is counted in steps, not in time, so that a case has the same result on a slow and
on a fast machine. Only searches that cannot be counted, those of regular expressions and of
patterns in schemas, have a limit in CPU time; a case that reaches a limit is refused, and never
scored differently.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from time import perf_counter, thread_time
from typing import Any

from callscore.errors import InvalidCall

MAX_STEPS = 10_000_000  # of about a tenth of a microsecond each
MAX_SECONDS = 1.0  # of searches beyond what their steps account for
_SECONDS_PER_STEP = 1e-7
_MAX_REMEMBERED = 100_000  # verdicts and answers, to bound the memory
_CONTAINERS = (dict, list, tuple)

_MANY_PAIRS = 10_000  # of an expected and an actual call
_ADVICE = {
    "$regex": "simplify the regular expression",
    "$schema": "simplify the schema",
    "$text": "expect shorter texts, or leave out 'similarity'",
}


class OverBudget(InvalidCall):
    """A case takes more work than its budget."""


class Budget:
    """What is left of the work that one case may cost, and what is known about its values.

    Attributes:
        left: the steps that are left.
        calls: the numbers of expected and actual calls, for the refusal.
        has_unordered: whether arrays are compared in any order, for the refusal.
    """

    # Most cases need nothing of this; a budget for each of them costs next to nothing.
    calls = 0, 0
    has_unordered = False
    _excess = 0.0
    _since: float | None = None

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.left = steps

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def _about(self) -> dict[tuple[int, Any], tuple[Any, Any]]:
        """With the values themselves, so that their ids stay their own."""
        return {}

    @cached_property
    def _verdicts(self) -> dict[tuple[int, int], tuple[Any, Any, Any]]:
        return {}

    def spend(self, steps: int, rule: str) -> None:
        """Draw steps for a rule, or for what is named like one.

        Raises:
            OverBudget: there are not as many left.
        """
        self.left -= steps
        if self.left < 0:
            raise self._refusal(rule, f"{MAX_STEPS:,} steps")

    def once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The value for a key, computed once; two keys are equal only if their values are."""
        known = self._known
        if key in known:
            return known[key]
        value = compute()
        if len(known) < _MAX_REMEMBERED:
            known[key] = value
        return value

    def about(self, value: Any, compute: Callable[[Any], Any]) -> Any:
        """What a function says about a value of the case, computed once for each object."""
        key = id(value), compute
        known = self._about.get(key)
        if known is not None:
            return known[1]
        answer = compute(value)
        if len(self._about) < _MAX_REMEMBERED:
            self._about[key] = value, answer
        return answer

    def size_of(self, value: Any) -> int:
        """The number of values in a value, at all levels."""
        return self.about(value, _size) if isinstance(value, _CONTAINERS) else 1

    def verdict(self, expected: Any, actual: Any, compare: Callable[[], Any]) -> Any:
        """The verdict about two values of the case, computed once for each two objects."""
        key = id(expected), id(actual)
        known = self._verdicts.get(key)
        if known is not None:
            return known[2]
        found = compare()
        if len(self._verdicts) < _MAX_REMEMBERED:
            self._verdicts[key] = expected, actual, found
        return found

    @property
    def seconds(self) -> float:
        """The CPU time that a search may take now."""
        return max(MAX_SECONDS - self._excess, 0.001)

    def search(self, steps: int, rule: str, run: Callable[[float], Any]) -> Any:
        """Run a search whose cost cannot be counted, with its timeout; `steps` are its usual cost.

        Raises:
            OverBudget: it takes too much time, together with the searches before it.
        """
        self.spend(steps, rule)
        if self._since is None:
            self._since = thread_time()
        start = perf_counter()
        try:
            found = run(self.seconds)
        except (TimeoutError, MemoryError):
            raise self._refusal(rule, f"{MAX_SECONDS:g} s for searches") from None
        excess = perf_counter() - start - steps * _SECONDS_PER_STEP
        if excess > 0:
            self._excess += excess
            if self._excess > MAX_SECONDS:
                # Other processes may have used the time. That is rarely checked, as it takes long.
                self._excess = min(self._excess, thread_time() - self._since)
                if self._excess > MAX_SECONDS:
                    raise self._refusal(rule, f"{MAX_SECONDS:g} s for searches")
        return found

    def _refusal(self, rule: str, limit: str) -> OverBudget:
        """The error that names what was compared last, and says what to change in the case."""
        expected, actual = self.calls
        advice = []
        if expected * actual > _MANY_PAIRS:
            advice.append(f"use fewer calls per case than {expected} expected and {actual} actual")
        if self.has_unordered:
            advice.append("use fewer or shorter arrays, or compare their items in order")
        if rule in _ADVICE:
            advice.append(_ADVICE[rule])
        text = ", or ".join(advice or ["split the case"])
        limited = f"the comparison takes more than {limit} per case, and was stopped at {rule!r}"
        return OverBudget(f"expected: {limited}. {text[0].upper()}{text[1:]}.")


def _size(value: Any) -> int:
    size = 0
    pending = [value]
    while pending:
        item = pending.pop()
        size += 1
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return size
