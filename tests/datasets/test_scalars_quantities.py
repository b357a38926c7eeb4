"""Numbers within bounds."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from callscore.core.schemas.validation import validation_errors
from callscore.datasets.scalars import exact_fraction, make_number


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"minimum": 3},
        {"minimum": 3_000},
        {"maximum": 3},
        {"maximum": -3_000},
        {"minimum": 1, "maximum": 2},
        {"minimum": 10**20, "maximum": 10**20 + 3},
        {"exclusiveMinimum": 0, "exclusiveMaximum": 3},
        {"multipleOf": 7},
        {"multipleOf": 2.5, "minimum": 10, "maximum": 100},
        {"minimum": -5, "maximum": -1},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "any"])
def test_a_number_fits_the_schema(schema: dict[str, Any], *, is_whole: bool) -> None:
    kind = {"type": "integer" if is_whole else "number"}

    for seed in range(30):
        number = make_number(schema, Random(seed), name="", is_whole=is_whole)
        assert validation_errors({**schema, **kind}, number) == []


def test_small_ranges_have_numbers_in_them() -> None:
    schema = {"exclusiveMinimum": 0, "exclusiveMaximum": 0.001}

    found = {make_number(schema, Random(seed), name="", is_whole=False) for seed in range(20)}

    assert all(0 < number < 0.001 for number in found)


def test_a_name_tells_what_is_usual() -> None:
    ages = [
        make_number({}, Random(seed), name="passenger_age", is_whole=True) for seed in range(50)
    ]

    assert all(18 <= age <= 80 for age in ages)
    assert len(set(ages)) > 10


def test_where_no_multiple_is_exact_for_a_machine_one_is_given_all_the_same() -> None:
    schema = {"multipleOf": 0.1, "minimum": 0.3, "maximum": 0.3}

    assert make_number(schema, Random(0), name="", is_whole=False) == 0.3


@pytest.mark.parametrize(("value", "found"), [(0.1, Fraction(1, 10)), (3, Fraction(3)), (True, None), ("1", None)])  # fmt: skip
def test_numbers_are_what_is_written(value: Any, found: Fraction | None) -> None:
    assert exact_fraction(value) == found
