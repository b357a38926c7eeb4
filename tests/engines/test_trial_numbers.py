"""The trials of a case get numbers of their own."""

from __future__ import annotations

import pytest

from callscore.core.case import Case
from callscore.core.results import Result
from callscore.engines.trial_numbers import TrialNumbers


def numbers(*trials: int | None) -> list[int]:
    found = TrialNumbers()
    return [found.add(Result(case=Case(id="a", trial=trial), status="scored")) for trial in trials]


@pytest.mark.parametrize(
    ("trials", "found"),
    [
        ((None, None, None), [1, 2, 3]),
        ((3, None, None, None), [3, 1, 4, 5]),
        ((2, 2, 2), [2, 3, 4]),
        ((1, 2, 4, 2, 2, None), [1, 2, 4, 3, 5, 6]),
    ],
)
def test_a_number_that_is_taken_is_replaced_by_a_free_one(
    trials: tuple[int | None, ...], found: list[int]
) -> None:
    assert numbers(*trials) == found


COUNT = 20_000
ABOVE, BELOW = range(COUNT + 1, 2 * COUNT + 1), range(1, COUNT + 1)


@pytest.mark.parametrize(
    "trials",
    [[*ABOVE, *[None] * COUNT], [*BELOW, *BELOW], [2] * COUNT],
    ids=["without numbers", "twice", "all alike"],
)
def test_many_taken_numbers_are_replaced(trials: list[int | None]) -> None:
    assert len({*numbers(*trials)}) == len(trials)  # in minutes, if each number were tried again
