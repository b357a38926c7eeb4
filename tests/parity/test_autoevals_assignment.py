"""The assignment that SciPy finds, as SciPy finds it; the answers are SciPy's own."""

from __future__ import annotations

import pytest

from callscore.parity.autoevals import _linear_sum_assignment

THIRD = 1 / 3


@pytest.mark.parametrize(
    ("costs", "pairs"),
    [
        ([[0]], [(0, 0)]),
        ([[-1, -1], [-1, -1]], [(0, 0), (1, 1)]),
        ([[-1, -0.5], [-1, -1]], [(0, 0), (1, 1)]),
        ([[-0.5, -1], [-0.5, -1]], [(0, 1), (1, 0)]),
        ([[-1, -1, -1]], [(0, 0)]),
        ([[-1], [-1], [-2]], [(2, 0)]),
        ([[0, -1], [-1, -1], [-1, 0]], [(0, 1), (1, 0)]),
        ([[4, 1, 3], [2, 0, 5], [3, 2, 2]], [(0, 1), (1, 0), (2, 2)]),
        ([[-1, -THIRD, -THIRD], [-1, -THIRD, 0], [-1, 0, 0]], [(0, 2), (1, 1), (2, 0)]),
        ([[-1, -0.9, 0, 0], [-1, -0.9, -0.8, 0], [-1, 0, 0, -0.1]], [(0, 1), (1, 2), (2, 0)]),
    ],
)
def test_the_pairs_are_those_of_scipy(
    costs: list[list[float]], pairs: list[tuple[int, int]]
) -> None:
    assert _linear_sum_assignment(costs) == pairs
