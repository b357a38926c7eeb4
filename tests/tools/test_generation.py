from __future__ import annotations

from tools.fuzz.generation import TARGETS, make_input
from tools.fuzz.inputs import MAX_SIZE


def test_the_same_seed_and_number_make_the_same_input() -> None:
    first = [make_input(1, number) for number in range(100)]
    second = [make_input(1, number) for number in range(100)]
    other = [make_input(2, number) for number in range(100)]

    assert first == second
    assert first != other


def test_inputs_of_all_targets_are_small() -> None:
    made = [make_input(1, number, (target,)) for target in TARGETS for number in range(20)]

    assert {each.target for each in made} == set(TARGETS)
    assert max(each.size for each in made) <= MAX_SIZE
