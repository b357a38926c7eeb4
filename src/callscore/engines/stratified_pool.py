"""Chooses a stratified sample in one pass: of each stratum, the cases with the smallest keys.

The key of a case is a hash of its id. Every stratum gets the same number of cases as far as it has them, and
what small strata do not use goes to the larger ones. While the log is read, this number can only fall, so
that a case that is dropped would never be chosen later: the result is the same as if all counts had been
known from the beginning. It depends neither on the order of the records nor on how they are split, unless
later strata are pooled because there are too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from heapq import nsmallest
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from callscore.errors import InvalidSettings

_MAX_STRATA = 1_000  # with names of their own
_KEY_SIZE = 8
_ALL_KEYS = 1 << (8 * _KEY_SIZE)
# Keys of cases, in about 40 MB, so that cases of the log are counted once. With more, they are estimated.
_MAX_COUNTED = 600_000

_Record = TypeVar("_Record")


class StratumCount(Struct, frozen=True, gc=False):
    """One stratum, with its cases in the log and in the sample.

    Attributes:
        name: its name; empty for the cases without a tool, a tag, or a value at the path.
        cases: the number of its cases in the log.
        sampled: the number of its cases in the sample.
        trials: the number of its records in the log; a case has one per trial.
        is_other: whether it holds all strata beyond the first 1,000.
        is_exact: whether its cases were counted. Otherwise their number is estimated from the records: the
            sampled cases say how many records a case has.
    """

    name: str
    cases: int
    sampled: int
    trials: int
    is_other: bool = False
    is_exact: bool = True


class ChosenStratum(NamedTuple, Generic[_Record]):
    """A stratum, and the records of each case that was chosen from it."""

    counts: StratumCount
    chosen: list[list[_Record]]


class _Stratum(Generic[_Record]):
    def __init__(self) -> None:
        self.records = 0
        self.held: dict[int, list[_Record]] = {}
        self.limit = _ALL_KEYS  # keys from here on are not chosen
        self.seen: set[int] = set()

    def keep_smallest(self, capacity: int) -> None:
        """Drop all but the smallest keys."""
        if len(self.held) > capacity:
            *kept, self.limit = nsmallest(capacity + 1, self.held)
            self.held = {key: self.held[key] for key in kept}


class StratifiedPool(Generic[_Record]):
    """The records that may still be in the sample, of about twice as many cases at most.

    Args:
        size: the number of cases to choose.
        seed: another seed gives another sample.

    Raises:
        InvalidSettings: the size is not a positive number.
    """

    def __init__(self, size: int, *, seed: int = 0) -> None:
        if size < 1:
            raise InvalidSettings(f"n: {size} is not a positive number")
        self._size = size
        self.case_key = _hasher(seed, b"case")
        self.place_key = _hasher(seed, b"place")  # of cases without an id
        self._rank = _hasher(seed, b"stratum")
        self._strata: dict[str | None, _Stratum[_Record]] = {}  # None for all beyond the first
        self._held = 0
        self._counted: int | None = 0  # None if there are too many cases
        self._has_repeated = False

    def records_for(self, name: str, key: int) -> list[_Record] | None:
        """Count a record of a stratum; returns where to put it, or None if its case is not chosen."""
        stratum = self._strata.get(name)
        if stratum is None:
            known = name if len(self._strata) < _MAX_STRATA else None
            stratum = self._strata.setdefault(known, _Stratum())
        stratum.records += 1
        if self._counted is not None:
            self._count(stratum, key)
        if key >= stratum.limit:
            return None
        found = stratum.held.get(key)
        if found is not None:
            self._has_repeated = True
            return found
        found = stratum.held[key] = []
        self._held += 1
        if self._held > 2 * (self._size + len(self._strata) + 1):
            # One more than every stratum gets by now: more are never chosen.
            most = 1 + water_level(self._sizes(), self._size)
            for each in self._strata.values():
                each.keep_smallest(most)
            self._held = sum(self._sizes())
        return found

    def _count(self, stratum: _Stratum[_Record], key: int) -> None:
        if key in stratum.seen:
            self._has_repeated = True
            return
        stratum.seen.add(key)
        self._counted = (self._counted or 0) + 1
        if self._counted > _MAX_COUNTED:
            self._counted = None
            for each in self._strata.values():
                each.seen.clear()

    def _sizes(self) -> list[int]:
        return [len(stratum.held) for stratum in self._strata.values()]

    def chosen(self) -> list[ChosenStratum[_Record]]:
        """The strata in the order of their names, each with its chosen cases."""
        level = water_level(self._sizes(), self._size)
        counts = {name: min(len(each.held), level) for name, each in self._strata.items()}
        larger = [name for name, each in self._strata.items() if len(each.held) > level]
        larger.sort(key=lambda name: _ALL_KEYS if name is None else self._rank(name))
        for name in larger[: self._size - sum(counts.values())]:  # fewer than there are strata
            counts[name] += 1
        names = sorted(self._strata, key=lambda name: (name is None, name or ""))
        return [self._chosen(name, counts[name]) for name in names]

    def _chosen(self, name: str | None, count: int) -> ChosenStratum[_Record]:
        stratum = self._strata[name]
        cases, is_exact = len(stratum.held), True
        if stratum.limit < _ALL_KEYS and self._counted is not None:
            cases = len(stratum.seen)
        elif stratum.limit < _ALL_KEYS:
            held = sum(map(len, stratum.held.values()))
            cases = max(cases, round(stratum.records * cases / held))
            is_exact = not self._has_repeated
        return ChosenStratum(
            StratumCount(name or "", cases, count, stratum.records, name is None, is_exact),
            [stratum.held[key] for key in nsmallest(count, stratum.held)],
        )

    def divided(self) -> int:
        """How many cases, of those that may be chosen, have records in several strata."""
        times = Counter(key for stratum in self._strata.values() for key in stratum.held)
        return sum(count > 1 for count in times.values())


def water_level(counts: Iterable[int], size: int) -> int:
    """The largest number that each stratum can give, as far as it has it, within this size together."""
    rest = sorted(counts)
    left = size
    for position, count in enumerate(rest):
        share = left // (len(rest) - position)
        if count > share:
            return share
        left -= count
    return max(rest, default=0)


def _hasher(seed: int, purpose: bytes) -> Callable[[str], int]:
    """The function that hashes a text to a key; the same everywhere, unlike Python's `hash`."""
    salt = blake2b(str(seed).encode(), digest_size=blake2b.SALT_SIZE).digest()
    start = blake2b(digest_size=_KEY_SIZE, salt=salt, person=purpose).copy

    def key(text: str) -> int:
        found = start()
        found.update(text.encode("utf-8", "surrogatepass"))
        return int.from_bytes(found.digest(), "big")

    return key
