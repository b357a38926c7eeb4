"""Assignment."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.assignment import (
    BipartiteMatching,
    Levels,
    _PrimalDual,
    assign,
    columns_in,
    set_of,
)
from callscore.core.budget import Budget

Weights = list[list[int]]


def levels_of(weights: Weights) -> list[Levels]:
    rows: list[Levels] = []
    for row in weights:
        columns: dict[int, int] = {}
        for column, weight in enumerate(row):
            if weight:
                columns[weight] = columns.get(weight, 0) | 1 << column
        rows.append(sorted(columns.items(), reverse=True))
    return rows


def weight_of(weights: Weights, columns: list[int | None]) -> int:
    return sum(
        row[column] for row, column in zip(weights, columns, strict=True) if column is not None
    )


def by_brute_force(weights: Weights, width: int) -> list[int | None]:
    """Of all assignments of as many rows as possible the heaviest, and of those the first."""
    spare = max(0, len(weights) - width)
    candidates = permutations([*range(width), *[width] * spare], len(weights))  # width: none

    def worth(columns: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        chosen = [column if column < width else None for column in columns]
        return -weight_of(weights, chosen), columns

    return [column if column < width else None for column in min(candidates, key=worth)]


@st.composite
def weight_matrices(draw: st.DrawFn) -> tuple[Weights, int]:
    height, width = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    heaviest = draw(st.sampled_from([0, 1, 2, 3, 10, 10**30]))
    row = st.lists(st.integers(0, heaviest), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=height, max_size=height)), width


@given(weight_matrices())
def test_the_assignment_equals_brute_force_ties_included(matrix: tuple[Weights, int]) -> None:
    weights, width = matrix

    assert assign(levels_of(weights), width, Budget()) == by_brute_force(weights, width)


@pytest.mark.parametrize(
    ("weights", "width", "columns"),
    [
        ([], 3, []),
        ([[], []], 0, [None, None]),
        ([], 1, []),
        ([[0], [0]], 1, [0, None]),
        ([[1], [2], [2]], 1, [None, 0, None]),
        ([[0, 0, 0]], 3, [0]),
        ([[0, 0, 7]], 3, [2]),
        ([[0, 0], [0, 0], [0, 0]], 2, [0, 1, None]),
        ([[0, 0], [0, 0], [0, 5]], 2, [0, None, 1]),
        ([[5, 5], [5, 0]], 2, [1, 0]),
        ([[2, 1], [1, 0]], 2, [0, 1]),
    ],
)
def test_ties_and_zeros_are_settled_by_position(
    weights: Weights, width: int, columns: list[int | None]
) -> None:
    assert assign(levels_of(weights), width, Budget()) == columns


def test_greed_is_not_enough() -> None:
    # Each row likes the first column best; only together do they see who can do without it.
    assert assign(levels_of([[9, 8, 0], [9, 0, 7], [9, 1, 1]]), 3, Budget()) == [1, 2, 0]


def test_a_hidden_assignment_of_full_weight_is_found_among_many_ties() -> None:
    size, random = 300, Random(1)
    hidden = random.sample(range(size), size)
    weights = [[int(random.random() < 0.02) for _ in range(size)] for _ in range(size)]
    for row, column in enumerate(hidden):
        weights[row][column] = 1

    columns = assign(levels_of(weights), size, Budget())

    assert weight_of(weights, columns) == size
    assert sorted(column for column in columns if column is not None) == list(range(size))


@pytest.mark.parametrize(
    ("height", "width", "heaviest"),
    [
        (300, 300, 1),
        (200, 300, 1),
        (300, 200, 1),
        (200, 200, 5),
        (60, 80, 10**40),
        (80, 60, 10**40),
    ],
)
def test_prices_prove_that_no_other_assignment_is_heavier(
    height: int, width: int, heaviest: int
) -> None:
    random = Random(height * width)
    weights = [
        [random.randint(0, heaviest) * (random.random() < 0.02) for _ in range(width)]
        for _ in range(height)
    ]
    prices = _PrimalDual(levels_of(weights), width, Budget())

    prices.settle()
    columns = assign(levels_of(weights), width, Budget())

    # Duality: prices under which no pair weighs more than its two prices bound every assignment.
    column_prices = {
        column: price
        for price, having in prices.columns_at.items()
        for column in columns_in(having)
    }
    assert min(prices.row_prices, default=0) >= 0
    assert min(column_prices.values()) >= 0
    for row, row_price in zip(weights, prices.row_prices, strict=True):
        assert all(weight <= row_price + column_prices[j] for j, weight in enumerate(row))
    assert weight_of(weights, columns) == sum(prices.row_prices) + sum(column_prices.values())
    taken = [column for column in columns if column is not None]
    assert len(taken) == len(set(taken)) == min(height, width)


def test_where_everything_ties_every_row_takes_its_own_column() -> None:
    everything = (1 << 300) - 1

    assert assign([[(1, everything)]] * 300, 300, Budget()) == list(range(300))
    assert assign([[]] * 300, 200, Budget()) == [*range(200), *[None] * 100]


@given(st.sets(st.integers(0, 300)))
def test_the_members_of_a_set_come_in_order(columns: set[int]) -> None:
    found = set_of(list(columns))

    assert found == sum(1 << column for column in columns)
    assert columns_in(found) == sorted(columns)


def test_few_members_of_a_long_set_come_in_order() -> None:
    assert columns_in(set_of([7, 900, 3])) == [3, 7, 900]
    assert columns_in(set_of(list(range(0, 3000, 30)))) == list(range(0, 3000, 30))


# As many pairs as there can be.

ROWS = st.lists(st.integers(0, 15), max_size=4)  # of each row, the columns that it fits


def most(rows: list[int]) -> int:
    """The size of the largest pairing, by trying them all."""
    return max(
        sum(bool(fitting >> column & 1) for fitting, column in zip(rows, order, strict=False))
        for order in permutations(range(8), len(rows))  # four columns, and four that fit nobody
    )


@given(ROWS, st.data())
def test_no_other_pairing_is_larger_however_it_began(rows: list[int], data: st.DataObject) -> None:
    partners = BipartiteMatching(15, rows.__getitem__, Budget(), "$unordered")
    for row in range(len(rows)):
        open_columns = columns_in(rows[row] & partners.free)
        column: int | None = data.draw(st.sampled_from([*open_columns, None]))
        if column is not None:
            partners.take(row, column)

    alone = partners.grow([*range(len(rows))])

    paired = partners.column_of
    assert len(paired) == most(rows) == len(rows) - len(alone)
    assert all(rows[row] >> column & 1 for row, column in paired.items())
    assert len(set(paired.values())) == len(paired) == 4 - len(columns_in(partners.free))


@given(ROWS, st.integers(0, 4))
def test_earlier_groups_count_for_more_and_later_ones_cost_no_pair(
    rows: list[int], border: int
) -> None:
    partners = BipartiteMatching(15, rows.__getitem__, Budget(), "$unordered")
    first, last = [*range(len(rows))][:border], [*range(len(rows))][border:]

    alone = partners.grow(first)
    partners.grow(last)

    assert len(alone) == len(first) - most(rows[:border])
    assert not set(alone) & set(partners.column_of)
    assert len(partners.column_of) == most(rows)


def test_what_a_row_fits_is_asked_only_where_it_matters() -> None:
    asked: list[int] = []

    def fitting(row: int) -> int:
        asked.append(row)
        return 0b11

    partners = BipartiteMatching(0b11, fitting, Budget(), "$unordered")
    partners.take(0, 0)

    assert partners.grow([0, 1]) == []
    assert asked == [1]
