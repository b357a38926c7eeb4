"""Chooses a stratified sample in one pass: of each stratum, the cases with the smallest keys.

The key of a case is a hash of its id. Every stratum gets the same number of cases as far as it has them, and
what small strata do not use goes to the larger ones. While the log is read, this number can only fall, so
that a case that is dropped would never be chosen later: the result is the same as if all counts had been
known from the beginning. It depends neither on the order of the records nor on how they are split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from heapq import nsmallest
from typing import Generic, NamedTuple, TypeVar

from callscore.errors import InvalidSettings

MAX_STRATA = 1_000  # with names of their own
_KEY_SIZE = 8
_ALL_KEYS = 1 << (8 * _KEY_SIZE)
# Keys of cases, in about 40 MB, so that cases of the log are counted once. With more, they are estimated.
_MAX_COUNTED = 600_000

_Record = TypeVar("_Record")


class ChosenStratum(NamedTuple, Generic[_Record]):
    """A stratum, and the cases that were chosen from it.

    Attributes:
        name: its name; empty for the cases without one.
        is_other: whether it holds all strata beyond the first `MAX_STRATA`.
        cases: the number of cases in the log.
        is_exact: whether they were counted. Otherwise the number is estimated from the records: the
            sampled cases say how many records a case has.
        records: the number of records in the log. A case has one per trial.
        chosen: the records of each chosen case.
    """

    name: str
    is_other: bool
    cases: int
    is_exact: bool
    records: int
    chosen: list[list[_Record]]


class _Stratum(Generic[_Record]):
    def __init__(self, rank: int) -> None:
        self.rank = rank  # which strata get one more case, and which keep their names
        self.records = 0
        self.held: dict[int, list[_Record]] = {}
        self.limit = _ALL_KEYS  # keys from here on are not chosen
        self.seen: set[int] = set()

    def keep_smallest(self, capacity: int) -> int:
        """Drop all but the smallest keys; returns how many were dropped."""
        excess = len(self.held) - capacity
        if excess <= 0:
            return 0
        *kept, self.limit = nsmallest(capacity + 1, self.held)
        self.held = {key: self.held[key] for key in kept}
        return excess

    def merge(self, other: _Stratum[_Record]) -> None:
        """Add another stratum; below both limits, all cases of both are held."""
        self.records += other.records
        self.limit = min(self.limit, other.limit)
        for key, records in other.held.items():
            self.held.setdefault(key, []).extend(records)
        self.held = {key: found for key, found in self.held.items() if key < self.limit}
        self.seen |= other.seen


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
        self.case_key = _key_of(seed, b"case")
        self.place_key = _key_of(seed, b"place")  # of cases without an id
        self._rank_of = _key_of(seed, b"stratum")
        self._strata: dict[str, _Stratum[_Record]] = {}
        self._other: _Stratum[_Record] | None = None
        self._rank_limit = _ALL_KEYS
        self._held = 0
        self._bound = 2 * size
        self._counted: int | None = 0  # None if there are too many cases
        self._has_repeated = False

    def records_for(self, name: str, key: int) -> list[_Record] | None:
        """Count a record of a stratum; returns where to put it, or None if its case is not chosen."""
        stratum = self._strata.get(name) or self._open(name)
        stratum.records += 1
        if self._counted is not None:
            self._count(stratum, key)
        found = stratum.held.get(key)
        if found is not None:
            self._has_repeated = True
        elif key < stratum.limit:
            found = stratum.held[key] = []
            self._held += 1
            if self._held > self._bound:
                self._drop()
        return found

    def chosen(self) -> list[ChosenStratum[_Record]]:
        """The strata in the order of their names, each with its chosen cases."""
        strata = [(name, False, stratum) for name, stratum in sorted(self._strata.items())]
        if self._other is not None:
            strata.append(("", True, self._other))
        counts = self._allocated([stratum for _, _, stratum in strata])
        return [
            self._chosen(name, stratum, count, is_other=is_other)
            for (name, is_other, stratum), count in zip(strata, counts, strict=True)
        ]

    def divided(self) -> int:
        """How many cases, of those that may be chosen, have records in several strata."""
        times = Counter(key for stratum in self._all() for key in stratum.held)
        return sum(count > 1 for count in times.values())

    def _allocated(self, strata: list[_Stratum[_Record]]) -> list[int]:
        level = water_level([len(stratum.held) for stratum in strata], self._size)
        counts = [min(len(stratum.held), level) for stratum in strata]
        larger = [place for place, stratum in enumerate(strata) if len(stratum.held) > level]
        larger.sort(key=lambda place: strata[place].rank)
        for place in larger[: self._size - sum(counts)]:  # fewer than there are strata
            counts[place] += 1
        return counts

    def _chosen(
        self, name: str, stratum: _Stratum[_Record], count: int, *, is_other: bool
    ) -> ChosenStratum[_Record]:
        records = [stratum.held[key] for key in nsmallest(count, stratum.held)]
        cases, is_exact = len(stratum.held), True
        if stratum.limit < _ALL_KEYS:
            cases, is_exact = len(stratum.seen), self._counted is not None
        if not is_exact:
            held = sum(map(len, stratum.held.values()))
            cases = max(len(stratum.held), round(stratum.records * len(stratum.held) / held))
            is_exact = not self._has_repeated
        return ChosenStratum(name, is_other, cases, is_exact, stratum.records, records)

    def _open(self, name: str) -> _Stratum[_Record]:
        """The stratum of a new name; if there are too many, one of them joins the others."""
        rank = self._rank_of(name)
        if self._other is not None and rank >= self._rank_limit:
            return self._other
        found = self._strata[name] = _Stratum(rank)
        if len(self._strata) > MAX_STRATA:
            last = max(self._strata, key=lambda each: self._strata[each].rank)
            joining = self._strata.pop(last)
            self._rank_limit = joining.rank
            self._join_others(joining)
            found = self._other or found if last == name else found
        self._bound = 2 * (self._size + len(self._strata) + 1)
        return found

    def _join_others(self, joining: _Stratum[_Record]) -> None:
        if self._other is None:
            self._other = _Stratum(rank=_ALL_KEYS)
        before = len(self._other.held) + len(joining.held)
        self._other.merge(joining)
        self._held += len(self._other.held) - before

    def _count(self, stratum: _Stratum[_Record], key: int) -> None:
        if key in stratum.seen:
            self._has_repeated = True
            return
        stratum.seen.add(key)
        self._counted = (self._counted or 0) + 1
        if self._counted > _MAX_COUNTED:
            self._counted = None
            for each in self._all():
                each.seen = set()

    def _drop(self) -> None:
        """Keep what may still be chosen: one more than the number that every stratum gets by now."""
        level = water_level([len(stratum.held) for stratum in self._all()], self._size)
        for stratum in self._all():
            self._held -= stratum.keep_smallest(level + 1)

    def _all(self) -> Iterable[_Stratum[_Record]]:
        yield from self._strata.values()
        if self._other is not None:
            yield self._other


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


def _key_of(seed: int, purpose: bytes) -> Callable[[str], int]:
    """The function that hashes a text to a key; the same everywhere, unlike Python's `hash`."""
    salt = blake2b(str(seed).encode(), digest_size=blake2b.SALT_SIZE).digest()
    start = blake2b(digest_size=_KEY_SIZE, salt=salt, person=purpose).copy

    def key_of(text: str) -> int:
        found = start()
        found.update(text.encode("utf-8", "surrogatepass"))
        return int.from_bytes(found.digest())

    return key_of
