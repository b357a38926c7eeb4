"""What everything that makes values shares."""

from __future__ import annotations

from random import Random

import pytest

from callscore.datasets.flattening import TooManyTriesError
from callscore.datasets.schema_values import ValueBuilder, ValuePosition


def test_a_task_knows_where_it_stands() -> None:
    task = ValuePosition().member("passengers").item(2).member("name")

    assert task.steps == ("passengers", 2, "name")
    assert task.depth == 3
    assert task.name == "name"


def test_an_item_has_the_name_of_the_whole() -> None:
    assert ValuePosition().member("cities").item(0).name == "cities"


def test_tries_are_counted_and_come_to_an_end() -> None:
    making = ValueBuilder({}, Random(0), lambda *_: None)

    for _ in range(20_000):
        making.spend()

    with pytest.raises(TooManyTriesError) as raised:
        making.spend()
    assert raised.value.tries == 20_000
