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
