"""As many pairs as there can be."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.assignment import BipartiteMatching, columns_in

ROWS = st.lists(st.integers(0, 15), max_size=4)  # of each row, the columns that it fits


def most(rows: list[int]) -> int:
    """The size of the largest pairing, by trying them all."""
    return max(
        sum(bool(fitting >> column & 1) for fitting, column in zip(rows, order, strict=False))
        for order in permutations(range(8), len(rows))  # four columns, and four that fit nobody
    )


@given(ROWS, st.data())
def test_no_other_pairing_is_larger_however_it_began(rows: list[int], data: st.DataObject) -> None:
    partners = BipartiteMatching(15, rows.__getitem__)
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
    partners = BipartiteMatching(15, rows.__getitem__)
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

    partners = BipartiteMatching(0b11, fitting)
    partners.take(0, 0)

    assert partners.grow([0, 1]) == []
    assert asked == [1]
