"""The sample of one pass is the one that two passes would choose."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.engines import stratified_pool
from callscore.engines.stratified_pool import StratifiedPool, water_level
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    Record = tuple[str, str]  # a stratum, and the id of a case
    Choice = dict[tuple[str, bool], list[list[Record]]]

_RECORDS = st.lists(
    st.tuples(st.sampled_from("aaaaaaabbbcd"), st.integers(0, 60).map(str)), max_size=150
)


def filled(records: Iterable[Record], size: int, seed: int = 0) -> StratifiedPool[Record]:
    pool: StratifiedPool[Record] = StratifiedPool(size, seed=seed)
    for name, case in records:
        found = pool.records_for(name, pool.case_keys([case])[0])
        if found is not None:
            found.append((name, case))
    return pool


def chosen(pool: StratifiedPool[Record]) -> Choice:
    return {(each.name, each.is_other): sorted(map(sorted, each.chosen)) for each in pool.chosen()}


def two_passes(records: list[Record], size: int, *, most: int = 1_000) -> Choice:
    """The same with all cases in memory: count first, then choose."""
    pool: StratifiedPool[Record] = StratifiedPool(size)
    ranks = {name: pool._ranks([name])[0] for name, _ in records}
    kept = set(sorted(ranks, key=ranks.__getitem__)[:most])
    strata: dict[tuple[str, bool], dict[int, list[Record]]] = defaultdict(dict)
    for name, case in records:
        stratum = (name, False) if name in kept else ("", True)
        (key,) = pool.case_keys([case])
        strata[stratum].setdefault(key, []).append((name, case))
    level = max((level for level in range(size + 1) if _taken(strata, level) <= size), default=0)
    left = size - _taken(strata, level)
    by_rank = sorted(strata, key=lambda each: (each[1], ranks.get(each[0], 0)))
    larger = [each for each in by_rank if len(strata[each]) > level]
    counts = {each: level + (each in larger[:left]) for each in strata}
    return {
        each: sorted(sorted(cases[key]) for key in sorted(cases)[: counts[each]])
        for each, cases in strata.items()
    }


def _taken(strata: dict[tuple[str, bool], dict[int, list[Record]]], level: int) -> int:
    return sum(min(level, len(cases)) for cases in strata.values())


@given(_RECORDS, st.integers(1, 40))
def test_one_pass_chooses_what_two_passes_would(records: list[Record], size: int) -> None:
    assert chosen(filled(records, size)) == two_passes(records, size)


@given(_RECORDS, st.integers(1, 40), st.randoms())
def test_the_order_of_the_records_does_not_matter(
    records: list[Record], size: int, random: Random
) -> None:
    others = random.sample(records, len(records))

    assert chosen(filled(records, size)) == chosen(filled(others, size))


@given(_RECORDS, st.integers(1, 20), st.integers(1, 3), st.randoms())
def test_strata_beyond_the_most_are_pooled_whatever_the_order(
    records: list[Record], size: int, most: int, random: Random
) -> None:
    others = random.sample(records, len(records))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stratified_pool, "MAX_STRATA", most)
        found, again = chosen(filled(records, size)), chosen(filled(others, size))

    assert found == again == two_passes(records, size, most=most)


@given(_RECORDS, st.integers(1, 10))
def test_records_can_be_taken_together(records: list[Record], size: int) -> None:
    pool: StratifiedPool[Record] = StratifiedPool(size)
    keys = pool.case_keys([case for _, case in records])
    for place, found in pool.records_for_all([name for name, _ in records], keys):
        found.append(records[place])

    assert chosen(pool) == chosen(filled(records, size))


def test_all_records_of_a_case_are_taken_or_none() -> None:
    records = [("a", str(case)) for _ in range(3) for case in range(100)]

    (stratum,) = filled(records, 10).chosen()

    assert [len(each) for each in stratum.chosen] == [3] * 10
    assert (stratum.cases, stratum.records, stratum.is_exact) == (100, 300, True)


def test_rare_strata_are_taken_whole_and_the_others_share_the_rest() -> None:
    sizes = {"a": 500, "b": 300, "c": 7, "d": 1}
    records = [(name, f"{name}{case}") for name, size in sizes.items() for case in range(size)]

    counts = {each.name: len(each.chosen) for each in filled(records, 100).chosen()}

    assert (counts["c"], counts["d"]) == (7, 1)
    assert counts["a"] == counts["b"] == 46


def test_few_cases_are_in_memory_at_any_time() -> None:
    pool: StratifiedPool[Record] = StratifiedPool(50)
    most = 0
    for case in range(5_000):
        pool.records_for(f"tool {case % 7}", pool.case_keys([str(case)])[0])
        most = max(most, sum(len(stratum.held) for stratum in pool._all()))

    assert most <= 2 * (50 + 7 + 1)
    assert sum(len(each.chosen) for each in pool.chosen()) == 50


@given(_RECORDS, st.integers(1, 40), st.integers(1, 40))
def test_a_larger_sample_has_all_cases_of_a_smaller_one(
    records: list[Record], size: int, more: int
) -> None:
    small, large = (chosen(filled(records, each)) for each in (size, size + more))

    assert all(case in large[stratum] for stratum, cases in small.items() for case in cases)


def test_another_seed_chooses_other_cases() -> None:
    records = [("a", str(case)) for case in range(1_000)]

    assert chosen(filled(records, 50, seed=1)) != chosen(filled(records, 50))


def test_keys_are_the_same_on_every_machine() -> None:
    pool: StratifiedPool[Record] = StratifiedPool(1)

    assert pool.case_keys(["case-1", "случай", "\ud800"]) == (
        14952832016847300272,
        2674079661645230794,
        1370202870389463032,
    )
    assert pool.place_keys(["case-1"]) != pool.case_keys(["case-1"])


def test_cases_with_records_in_several_strata_are_counted() -> None:
    records = [("a", "1"), ("b", "1"), ("a", "2"), ("a", "2")]

    assert filled(records, 10).divided() == 1


def test_with_very_many_cases_their_number_is_estimated_from_their_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stratified_pool, "_MAX_COUNTED", 100)
    single = [("a", str(case)) for case in range(400)]
    pairs = [("a", str(case // 2)) for case in range(400)]
    uneven = [("a", str(case)) for case in range(400) for _ in range(1 + case % 3)]
    small = [("b", str(case)) for case in range(5)]

    found = [filled(records, 30).chosen()[0] for records in (single, pairs, uneven)]
    rare = filled(uneven + small, 30).chosen()[1]

    assert [(each.cases, each.is_exact) for each in found[:2]] == [(400, True), (200, False)]
    assert found[2].cases == pytest.approx(400, rel=0.25)
    assert not found[2].is_exact
    assert (rare.cases, rare.is_exact) == (5, True)


@pytest.mark.parametrize(
    ("counts", "size", "level"),
    [([], 5, 0), ([3], 5, 3), ([10], 5, 5), ([1, 10, 10], 10, 4), ([5, 5], 1, 0), ([2, 2], 4, 2)],
)
def test_the_level_is_the_number_that_every_stratum_can_give(
    counts: list[int], size: int, level: int
) -> None:
    assert water_level(counts, size) == level


def test_a_sample_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="n: 0 is not a positive number"):
        StratifiedPool(0)


@pytest.fixture
def few_strata(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of strata in the order in which they keep their names, of which two do."""
    monkeypatch.setattr(stratified_pool, "MAX_STRATA", 2)
    pool: StratifiedPool[Record] = StratifiedPool(1)
    return sorted("abcd", key=lambda name: pool._ranks([name]))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_further_strata_are_one(few_strata: list[str], order: tuple[int, ...]) -> None:
    records = [(few_strata[place], str(case)) for place in order for case in range(100)]

    found = filled(records, 30).chosen()

    assert [(each.name, each.is_other, len(each.chosen)) for each in found] == [
        *[(name, False, 10) for name in sorted(few_strata[:2])],
        ("", True, 10),
    ]
    # The same ids are in both strata that were pooled, and are the same cases there.
    assert [(each.cases, each.records) for each in found] == [(100, 100), (100, 100), (100, 200)]
    assert all(len(records) == 2 for records in found[2].chosen)


def test_cases_of_one_batch_may_push_others_out() -> None:
    names = [str(case) for case in range(200)]
    pool: StratifiedPool[Record] = StratifiedPool(2)

    for place, found in pool.records_for_all(["a"] * 200, pool.case_keys(names)):
        found.append(("a", names[place]))

    assert chosen(pool) == chosen(filled([("a", name) for name in names], 2))
